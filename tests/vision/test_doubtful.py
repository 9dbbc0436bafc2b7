"""Two cards that lie across each other, or one boxed twice: what is read there tells."""

import pytest

from tests.vision.readings import reading
from vision.doubtful import by_reading
from vision.geometry import rectangle
from vision.labels import BACK, OTHER
from vision.types import Detection, Reading


def box(x: float, turn: float = 0.0, doubtful: bool = False) -> Detection:
    """A card of 60 by 90 pixels, its middle `x` pixels from the left."""
    return Detection(rectangle((x, 100.0), 60, 90, turn), 0.9, "up", doubtful)


def read(label: str, p: float = 0.98) -> Reading:
    return reading(label, p)


JACK, ACROSS = box(100), box(110, 0.8, doubtful=True)


@pytest.mark.parametrize(
    ("lower", "upper", "kept"),
    [
        (read("JS"), read("4S"), [0, 1]),
        (read("JS", 0.6), read("4S"), [0, 1]),  # half hidden it is not read surely
        (read("4S"), read("4S"), [0]),
        (read("4S", 0.2), read("4S"), [0]),
        (read("JS"), read("4S", 0.6), [0]),
        (read("JS"), read(OTHER), [0]),
        (read(BACK), read(BACK), [0]),
    ],
)
def test_a_doubtful_box_is_a_card_if_it_is_surely_read_as_another(
    lower: Reading, upper: Reading, kept: list[int]
) -> None:
    assert by_reading([JACK, ACROSS], [lower, upper]) == kept


def test_what_is_not_doubtful_stays_whatever_is_read() -> None:
    assert by_reading([box(100), box(105)], [read("4S"), read("4S")]) == [0, 1]


def test_the_same_card_elsewhere_says_nothing() -> None:
    far = box(400)
    assert by_reading([JACK, far, ACROSS], [read("JS"), read("4S"), read("4S")]) == [0, 1, 2]
