"""How a card lies in a box a person drew round it, by the picture's edges alone."""

import cv2
import numpy as np
import pytest

from models.edge_fit import fitted
from models.evaluate import upright
from vision.geometry import angle_difference, iou, long_angle, rectangle
from vision.types import Image, Quad

MIDDLE = (200.0, 160.0)


def table(seed: int = 0) -> Image:
    """A table with a coarse pattern."""
    rng = np.random.default_rng(seed)
    coarse = rng.integers(60, 130, (20, 26, 3)).astype(np.uint8)
    return np.asarray(cv2.resize(coarse, (416, 320), interpolation=cv2.INTER_CUBIC), np.uint8)


def with_card(image: Image, quad: Quad) -> Image:
    """A white card with a few pips, which have edges of their own."""
    out = image.copy()
    cv2.fillConvexPoly(out, np.round(quad).astype(np.int32), (235, 240, 242), cv2.LINE_AA)
    middle = np.mean(quad, axis=0)
    for corner in np.array(quad):
        at = middle + 0.45 * (corner - middle)
        cv2.circle(out, tuple(np.round(at).astype(int).tolist()), 9, (30, 30, 160), -1, cv2.LINE_AA)
    return out


@pytest.mark.parametrize("degrees", [0, 7, 20, 33, 45, 60, 75, 90, 110, 135, 160, 176])
def test_a_card_is_found_as_it_lies_from_its_upright_box(degrees: float) -> None:
    true = rectangle(MIDDLE, 105, 150, np.radians(degrees))
    found = fitted(with_card(table(), true), upright(true))
    assert found is not None
    assert iou(found[0], true) > 0.93
    assert np.degrees(angle_difference(long_angle(found[0]), long_angle(true))) < 2.0


def test_a_box_drawn_a_little_off_does_not_turn_the_card() -> None:
    true = rectangle(MIDDLE, 105, 150, np.radians(28))
    x1, y1, x2, y2 = upright(true)
    found = fitted(with_card(table(), true), (x1 - 3, y1 + 2, x2 + 3, y2 + 3))
    assert found is not None
    assert np.degrees(angle_difference(long_angle(found[0]), long_angle(true))) < 3.0


def test_where_no_edges_are_the_quad_found_is_not_worth_much() -> None:
    found = fitted(np.full((320, 416, 3), 128, np.uint8), (120.0, 80.0, 260.0, 240.0))
    assert found is None or found[1] < 1.0


def test_a_speck_is_no_card() -> None:
    assert fitted(table(), (50.0, 50.0, 55.0, 54.0)) is None
