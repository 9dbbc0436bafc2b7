"""The reader on cards whose box does not say which way they lie."""

import cv2
import numpy as np
import pytest

from tests.pictures import photograph
from vision.crop import CROP_HEIGHT, CROP_WIDTH, both_ways_up
from vision.geometry import as_quad, order_quad, side_lengths
from vision.labels import CARDS, INDEX
from vision.reader import Reader, nearly_square
from vision.types import Image, Quad

SQUEEZE = 0.62
"""A card seen from so low that its long sides look no longer than its short ones."""
MIDDLE = (320.0, 240.0)


@pytest.fixture(scope="module")
def reader() -> Reader:
    return Reader()


def seen_from_low(card: str) -> tuple[Image, Quad]:
    """A card that lies straight before a camera which sees the table at a slant, and its quad."""
    image = photograph({card: (*MIDDLE, 0.0)}, 220.0)
    height = round(image.shape[0] * SQUEEZE)
    flat = cv2.resize(image, (image.shape[1], height), interpolation=cv2.INTER_AREA)
    x, y = MIDDLE[0], MIDDLE[1] * SQUEEZE
    w, h = 220.0 / 1.45 / 2, 110.0 * SQUEEZE
    return flat, order_quad([(x - w, y - h), (x + w, y - h), (x + w, y + h), (x - w, y + h)])


@pytest.mark.parametrize("card", ["7D", "4C", "2S", "KH", "AS", "JC", "QD", "3H"])
def test_a_card_seen_so_steeply_that_it_looks_wider_than_long_is_read(
    reader: Reader, card: str
) -> None:
    image, quad = seen_from_low(card)
    (reading,) = reader.read(image, [quad])
    assert reading.best == card


@pytest.mark.parametrize("card", ["6H", "QS"])
def test_which_side_of_a_nearly_square_box_comes_first_does_not_matter(
    reader: Reader, card: str
) -> None:
    image, quad = seen_from_low(card)
    assert nearly_square(quad)
    first, second = reader.read(image, [quad, as_quad([*quad[1:], quad[0]])])
    assert np.allclose(first.log_probs, second.log_probs, atol=1e-3)


STRIP = 0.42
"""The part of a card that sticks out from under another: a strip wider than long by more than half."""


@pytest.mark.parametrize("card", ["7D", "4C", "KH", "AS", "JC", "QD"])
def test_the_strip_that_shows_of_a_covered_card_is_read_along_its_other_sides(
    reader: Reader, card: str
) -> None:
    length = 220.0
    image = photograph({card: (*MIDDLE, 0.0)}, length)
    x, y, w = *MIDDLE, length / 1.45 / 2
    top, below = y - length / 2, y - length / 2 + STRIP * length
    image[round(below) :] = (40, 90, 40)
    strip = order_quad([(x - w, top), (x + w, top), (x + w, below), (x - w, below)])
    assert not nearly_square(strip)
    (reading,) = reader.read(image, [strip])
    assert reading.best == card


def test_a_card_s_own_shape_leaves_nothing_open() -> None:
    poker, bridge = (order_quad([(0, 0), (w, 0), (w, 88), (0, 88)]) for w in (63, 57))
    assert not nearly_square(poker)
    assert not nearly_square(bridge)
    assert min(side_lengths(poker)) == 63


def test_turning_the_crop_over_only_changes_the_order_of_what_the_network_is_shown() -> None:
    rng = np.random.default_rng(1)
    crops = list(rng.integers(0, 256, (3, CROP_HEIGHT, CROP_WIDTH, 3)).astype(np.uint8))
    for here, over in zip(
        both_ways_up(crops), both_ways_up([crop[::-1, ::-1] for crop in crops]), strict=True
    ):
        assert np.array_equal(here, np.concatenate([over[3:], over[:3]]))


def test_a_crop_is_read_the_same_whichever_way_up_it_is(reader: Reader) -> None:
    image = photograph({"5C": (*MIDDLE, 0.3)}, 150.0)
    crop = cv2.resize(image[150:330, 260:380], (CROP_WIDTH, CROP_HEIGHT))
    one, other = reader.read_crops([crop, crop[::-1, ::-1]])
    assert np.allclose(one.log_probs, other.log_probs, atol=1e-3)
    assert len(one.log_probs) == len(INDEX) > len(CARDS)
