"""A card lies in a photograph once."""

import pytest

from tests.vision.readings import reading
from vision.geometry import rectangle
from vision.labels import BACK
from vision.photograph import once
from vision.types import Detection, Reading


def box(x: float, p: float = 0.9, turn: float = 0.0) -> Detection:
    """A card of 60 by 90 pixels, its middle `x` pixels from the left."""
    return Detection(rectangle((x, 100.0), 60, 90, turn), p, "up")


def read(label: str, p: float = 0.9) -> Reading:
    return reading(label, p)


def test_of_two_boxes_of_one_card_the_surer_read_one_stays() -> None:
    found = [box(100, 0.9), box(120, 0.6)]
    ((kept, reading),) = once(found, [read("7H", 0.8), read("7H", 0.99)])
    assert kept is found[1]
    assert reading.best == "7H"


def test_two_cards_of_one_name_that_lie_apart_are_two() -> None:
    assert len(once([box(100), box(160)], [read("7H"), read("7H")])) == 2


def test_two_cards_of_different_names_may_lie_across_each_other() -> None:
    assert len(once([box(100), box(105, turn=1.2)], [read("7H"), read("6H")])) == 2


@pytest.mark.parametrize("label", [BACK, "other"])
def test_what_is_no_card_of_the_forty_may_lie_on_its_like(label: str) -> None:
    assert len(once([box(100), box(110)], [read(label), read(label)])) == 2


def test_a_doubtful_reading_is_no_reason_to_leave_a_box_out() -> None:
    assert len(once([box(100), box(110)], [read("7H"), read("7H", 0.4)])) == 2


def test_what_stays_keeps_its_order() -> None:
    found = [box(100), box(300), box(110)]
    kept = once(found, [read("7H", 0.7), read("KS"), read("7H")])
    assert [detection for detection, _ in kept] == [found[1], found[2]]
