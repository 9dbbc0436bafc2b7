"""Cutting cards out upright."""

import cv2
import numpy as np
import pytest

from vision.crop import CROP_HEIGHT, CROP_WIDTH, rectify
from vision.reader import turned


def marked_card(side: int = 400) -> np.ndarray:
    """A white card whose top left quarter is red and whose bottom right quarter is green."""
    card = np.full((150, 100, 3), 255, np.uint8)
    card[:75, :50] = (0, 0, 255)
    card[75:, 50:] = (0, 255, 0)
    image = np.zeros((side, side, 3), np.uint8)
    image[100:250, 150:250] = card
    return image


QUAD = ((150.0, 100.0), (250.0, 100.0), (250.0, 250.0), (150.0, 250.0))


def test_a_crop_is_upright_and_not_mirrored() -> None:
    crop = rectify(marked_card(), QUAD)
    assert crop.shape == (CROP_HEIGHT, CROP_WIDTH, 3)
    assert crop[30, 20].tolist() == [0, 0, 255]
    assert crop[110, 70].tolist() == [0, 255, 0]
    assert crop[30, 70].tolist() == [255, 255, 255]


def test_the_other_short_side_first_turns_the_crop_by_half() -> None:
    image = marked_card()
    turned = rectify(image, (QUAD[2], QUAD[3], QUAD[0], QUAD[1]))
    straight = rectify(image, QUAD)[::-1, ::-1].astype(int)
    # Interpolation leaves grey steps at most on the colours' borders.
    assert np.abs(turned.astype(int) - straight).mean() < 2


def test_a_card_lying_askew_is_straightened() -> None:
    matrix = cv2.getRotationMatrix2D((200, 175), 37, 1)
    image = cv2.warpAffine(marked_card(), matrix, (400, 400))
    corners = np.array(QUAD) @ matrix[:, :2].T + matrix[:, 2]
    crop = rectify(image, tuple(map(tuple, corners)))
    assert np.abs(crop[30, 20].astype(int) - [0, 0, 255]).max() < 40


def test_fine_print_of_a_large_card_is_averaged_not_skipped() -> None:
    image = np.zeros((1600, 1200, 3), np.uint8)
    image[::2] = 255  # one-pixel lines
    crop = rectify(image, ((100, 100), (1060, 100), (1060, 1540), (100, 1540)))
    assert abs(float(crop[20:-20, 20:-20].mean()) - 127.5) < 25


def test_a_quad_reaching_out_of_the_picture_still_gives_a_crop() -> None:
    crop = rectify(marked_card(), ((-50, -60), (60, -60), (60, 100), (-50, 100)))
    assert crop.shape == (CROP_HEIGHT, CROP_WIDTH, 3)


def test_a_turned_quad_keeps_its_middle_and_its_size() -> None:
    quad = turned(QUAD, 90)
    assert np.array(quad).mean(axis=0) == pytest.approx(np.array(QUAD).mean(axis=0))
    assert np.linalg.norm(np.subtract(quad[1], quad[2])) == pytest.approx(150)
    assert np.array(quad[0]) == pytest.approx([275, 125])  # the top left corner, a quarter on


def test_turning_there_and_back_changes_nothing() -> None:
    assert np.array(turned(turned(QUAD, 14), -14)) == pytest.approx(np.array(QUAD))
