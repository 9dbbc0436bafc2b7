"""Looking at a part of a frame only: what is found, where, and how large it is seen."""

import numpy as np
import pytest

from tests.pictures import Place, photograph
from vision.finder import FINDER_SIDE, NEARER, Finder
from vision.geometry import Point, centre
from vision.network import Array
from vision.types import Image, Window

PLACES: dict[str, Place] = {"AS": (420.0, 250.0, 0.3), "7D": (700.0, 400.0, 1.2)}
TABLE = Window(240, 0, 1040, 720)


def frame() -> Image:
    return photograph(PLACES, 110.0, 720, 1280)


def near(a: Point, b: Point) -> bool:
    return float(np.hypot(a[0] - b[0], a[1] - b[1])) < 6


@pytest.mark.parametrize("window", [None, TABLE, Window(300, 100, 900, 600)])
def test_cards_are_told_where_they_lie_in_the_whole_frame(window: Window | None) -> None:
    found = [centre(one.quad) for one in Finder().find(frame(), window)]
    assert len(found) == len(PLACES)
    for x, y, _ in PLACES.values():
        assert any(near((x, y), one) for one in found)


def test_what_lies_outside_is_not_looked_at() -> None:
    (one,) = Finder().find(frame(), Window(560, 0, 1280, 720))
    assert near(centre(one.quad), PLACES["7D"][:2])


class Seen:
    """A network that finds nothing and remembers how large the pictures were."""

    def __init__(self) -> None:
        self.shapes: list[tuple[int, int]] = []

    def __call__(self, batch: Image) -> list[Array]:
        height, width = batch.shape[1:3]
        self.shapes.append((height, width))
        count = sum((height // s) * (width // s) for s in (8, 16, 32))
        return [
            np.zeros((1, 64, count), np.float32),
            np.full((1, 2, count), -20, np.float32),
            np.zeros((1, 4, count), np.float32),
        ]


def longest_side_seen(window: Window | None) -> int:
    finder, network = Finder(), Seen()
    finder._network = network  # type: ignore[assignment]
    assert finder.find(frame(), window) == []
    return max(network.shapes[0])


def test_a_table_is_seen_nearer_but_not_as_near_as_could_be() -> None:
    """Pictures are padded to 32 pixels."""
    assert longest_side_seen(None) == FINDER_SIDE
    assert longest_side_seen(TABLE) == pytest.approx(FINDER_SIDE * NEARER * 800 / 1280, abs=32)
    assert longest_side_seen(Window(0, 0, 1280, 720)) == FINDER_SIDE
