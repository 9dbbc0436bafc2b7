"""How the finder's raw outputs become quads, without a network."""

import math
from collections.abc import Callable

import cv2
import numpy as np
import pytest

from vision import finder
from vision.finder import (
    BINS,
    MOST_CARDS,
    STRIDES,
    any_size,
    decode,
    distinct,
    letterbox,
    near_seam,
    proposed,
    quad_of_row,
    turned_back,
)
from vision.geometry import iou, rectangle

SHAPE = (64, 96)


def empty_outputs() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    count = sum((SHAPE[0] // s) * (SHAPE[1] // s) for s in STRIDES)
    boxes = np.zeros((4 * BINS, count), np.float32)
    return boxes, np.full((2, count), -9.0, np.float32), np.zeros((4, count), np.float32)


def put(outputs: tuple[np.ndarray, ...], at: int, distances: list[int], angle: float) -> None:
    """A sure face-up card at anchor `at`, its sides so many strides away."""
    boxes, scores, turns = outputs
    for side, steps in enumerate(distances):
        boxes[side * BINS + steps, at] = 50.0
    scores[0, at] = 4.0
    turns[:, at] = [f(k * angle) for k in (2, 4) for f in (math.cos, math.sin)]


def test_nothing_sure_gives_no_rows() -> None:
    assert decode(*empty_outputs(), SHAPE, 0.4).shape == (0, 7)


def test_a_box_lies_round_its_anchor_by_the_distances_of_its_sides() -> None:
    outputs = empty_outputs()
    put(outputs, 0, [2, 1, 4, 3], 0.0)  # anchor (4, 4), stride 8
    x, y, w, h, angle, p, card_class = decode(*outputs, SHAPE, 0.4)[0]
    assert (x, y, w, h, angle) == pytest.approx((12, 12, 48, 32, 0), abs=1e-3)
    assert p == pytest.approx(1 / (1 + math.exp(-4)))
    assert card_class == 0


def test_a_turned_box_moves_its_middle_along_its_own_axes() -> None:
    outputs = empty_outputs()
    put(outputs, 0, [0, 0, 4, 0], math.pi / 2)
    x, y, w, h, angle, *_ = decode(*outputs, SHAPE, 0.4)[0]
    assert (x, y) == pytest.approx((4, 4 + 16), abs=1e-3)
    assert (w, h, angle) == pytest.approx((32, 0, math.pi / 2), abs=1e-3)


def test_of_two_boxes_on_one_card_the_surer_stays() -> None:
    rows = np.array([[50, 50, 40, 60, 0, 0.6, 0], [51, 50, 40, 60, 0, 0.9, 0]], float)
    (only,) = distinct(rows)
    assert only.p == 0.9


def test_cards_fanned_by_more_than_a_third_of_their_width_stay_apart() -> None:
    rows = np.array([[50, 50, 60, 90, 0, 0.9, 0], [72, 50, 60, 90, 0, 0.9, 0]], float)
    assert len(distinct(rows)) == 2


def test_a_card_seen_twice_once_askew_is_one() -> None:
    rows = np.array([[50, 50, 60, 90, 0, 0.9, 0], [55, 54, 60, 90, 0.6, 0.5, 0]], float)
    (only,) = distinct(rows)
    assert only.p == 0.9


def test_cards_thrown_across_each_other_stay_two() -> None:
    rows = np.array([[50, 50, 60, 90, 0, 0.9, 0], [75, 75, 60, 90, 1.2, 0.8, 0]], float)
    assert len(distinct(rows)) == 2


def test_of_a_pattern_of_endless_cards_the_surest_are_kept() -> None:
    rows = np.array([[100 * i, 50, 60, 90, 0, 0.5 + i / 1000, 0] for i in range(300)], float)
    found = distinct(rows)
    assert len(found) == MOST_CARDS
    assert min(d.p for d in found) == pytest.approx(0.6)


@pytest.mark.parametrize("angle", [0.0, 0.3, 1.2, 2.0, 3.0])
@pytest.mark.parametrize(("w", "h"), [(40, 60), (60, 40)])
def test_a_quad_runs_clockwise_from_a_short_side(w: float, h: float, angle: float) -> None:
    quad = np.array(quad_of_row(np.array([100, 100, w, h, angle, 0.9, 0])))
    sides = np.linalg.norm(np.roll(quad, -1, axis=0) - quad, axis=1)
    assert sides == pytest.approx([40, 60, 40, 60])
    x, y = quad.T
    assert np.sum(x * np.roll(y, -1) - np.roll(x, -1) * y) > 0  # clockwise with y down


def test_letterbox_keeps_the_shape_and_pads_to_strides() -> None:
    padded, scale = letterbox(np.zeros((720, 1280, 3), np.uint8), 640)
    assert padded.shape == (384, 640, 3)
    assert scale == 0.5
    assert (padded[370] == 114).all()


def test_a_small_picture_is_not_blown_up_beyond_twice() -> None:
    padded, scale = letterbox(np.zeros((100, 60, 3), np.uint8), 640)
    assert scale == 2.0
    assert padded.shape == (224, 128, 3)


CARD = np.array([[320, 240, 60, 90, 0.3, 0.9, 0]], float)


def seen_at(card: np.ndarray, sides: list[int]) -> Callable[[np.ndarray, int], np.ndarray]:
    """A look that finds this card of a 640 x 480 picture, not in its close-up, and notes the sides."""

    def look(image: np.ndarray, side: int) -> np.ndarray:
        sides.append(side)
        return card if image.shape[:2] == (480, 640) else card[:0]

    return look


def test_cards_that_look_small_are_looked_at_again_larger() -> None:
    sides: list[int] = []
    found = any_size(seen_at(CARD, sides), np.zeros((480, 640, 3), np.uint8))
    assert np.array_equal(found, CARD)
    first, _, last = sides
    assert last > first


def test_the_face_of_a_card_that_fills_the_picture_is_no_card_of_its_own() -> None:
    whole = [320, 240, 400, 560, 0.0, 0.9, 0]
    face, beside = [320, 200, 150, 200, 0.2, 0.7, 0], [900, 240, 150, 200, 0.0, 0.6, 0]
    rows = np.array([whole, face, beside], float)
    found = any_size(seen_at(rows, []), np.zeros((480, 640, 3), np.uint8))
    assert found.tolist() == [whole, beside]


def test_a_card_that_fills_the_picture_is_looked_at_small_with_a_margin_round_it() -> None:
    large = np.array([[320, 240, 480, 620, 0.0, 0.4, 0]], float)

    def look(image: np.ndarray, side: int) -> np.ndarray:
        if image.shape[:2] == (480, 640):
            return large
        bright = np.argwhere(image[..., 0] == 200)
        (top, left), (bottom, right) = bright.min(axis=0), bright.max(axis=0) + 1
        assert top > 20
        return np.array(
            [[(left + right) / 2, (top + bottom) / 2, right - left, bottom - top, 0.0, 0.9, 0]]
        )

    (found,) = any_size(look, np.full((480, 640, 3), 200, np.uint8))
    assert found == pytest.approx([320, 240, 640, 480, 0, 0.9, 0], abs=3)


def test_a_picture_in_which_nothing_is_found_stays_empty() -> None:
    sides: list[int] = []
    nothing = any_size(seen_at(np.zeros((0, 7)), sides), np.zeros((480, 640, 3), np.uint8))
    assert len(nothing) == 0
    assert len(sides) == 3


@pytest.mark.parametrize("degrees", range(0, 180, 20))
def test_a_box_of_a_picture_turned_by_a_quarter_is_turned_back_onto_its_card(degrees: int) -> None:
    height, width = 96, 160
    card = rectangle((90, 40), 30, 45, np.radians(degrees))
    picture = np.zeros((height, width), np.uint8)
    cv2.fillConvexPoly(picture, np.round(np.array(card) * 16).astype(np.int32), 255, shift=4)
    turned = np.rot90(picture)
    points = cv2.findNonZero(np.ascontiguousarray(turned))
    (x, y), (w, h), angle = cv2.minAreaRect(points)
    row = np.array([[x, y, w, h, np.radians(angle), 0.9, 0]])
    assert iou(quad_of_row(turned_back(row, width)[0]), card) > 0.9


@pytest.mark.parametrize(("degrees", "near"), [(135, True), (-40, True), (126, True), (110, False)])
@pytest.mark.parametrize("long_first", [True, False])
def test_a_card_lies_near_the_seam_whichever_side_its_box_names_first(
    degrees: int, near: bool, long_first: bool
) -> None:
    sides, turn = ((60, 40), 0) if long_first else ((40, 60), 90)
    row = np.array([[100, 100, *sides, np.radians(degrees + turn), 0.9, 0]])
    assert near_seam(row, np.radians(12)).tolist() == [near]


def test_a_card_near_the_seam_is_told_by_the_look_at_the_turned_picture(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    lying = [60.0, 40.0, np.radians(135), 0.9, 0]
    heap = np.array([[100 + 16 * i, 60, *lying] for i in range(-2, 3)])
    straight = np.array([[200, 60, 60, 40, 0.0, 0.9, 0]], float)
    turned = np.array([[60, 256 - 104, 60, 40, np.radians(45), 0.9, 0]])
    looks: list[tuple[int, ...]] = []

    def seen(network: object, inputs: np.ndarray, limit: float) -> np.ndarray:
        looks.append(inputs.shape)
        return np.concatenate([heap, straight]) if len(looks) == 1 else turned

    monkeypatch.setattr(finder, "_seen", seen)
    rows = proposed(None, np.zeros((128, 256, 3), np.uint8), 256, 0.4)  # type: ignore[arg-type]
    assert looks == [(128, 256, 3), (256, 128, 3)]
    assert sorted(np.round(rows[:, :2]).tolist()) == [[104, 60], [200, 60]]


def test_a_picture_without_such_a_card_is_seen_once(monkeypatch: pytest.MonkeyPatch) -> None:
    looks: list[tuple[int, ...]] = []

    def seen(network: object, inputs: np.ndarray, limit: float) -> np.ndarray:
        looks.append(inputs.shape)
        return np.array([[200, 60, 60, 40, 0.0, 0.9, 0]], float)

    monkeypatch.setattr(finder, "_seen", seen)
    assert len(proposed(None, np.zeros((128, 256, 3), np.uint8), 256, 0.4)) == 1  # type: ignore[arg-type]
    assert len(looks) == 1
