"""Cards that do not belong on a Sueca table."""

from dataclasses import replace

from vision import geometry
from vision.events import ForeignCard, SameCardTwice
from vision.labels import BACK, OTHER
from vision.strange import LyingCard, StrangeCards
from vision.types import Quad


def place(x: float) -> Quad:
    return geometry.rectangle((x, 0.5), 0.06, 0.09, 0.3)


JOKER = LyingCard(1, OTHER, 0.97, 8, place(0.4), in_view=True)
ACE = LyingCard(2, "AH", 0.99, 8, place(0.4), in_view=True)
SAME_ACE = LyingCard(3, "AH", 0.99, 8, place(0.6), in_view=True)


def told(*cards: LyingCard, seconds: float = 6.0) -> list[ForeignCard | SameCardTwice]:
    """What is told while the cards lie there for so long."""
    strange = StrangeCards()
    return [event for n in range(int(seconds * 10)) for event in strange.step(n / 10, n, cards)]


def test_a_joker_is_told_once() -> None:
    assert [(type(event), event.t) for event in told(JOKER)] == [(ForeignCard, 3.0)]


def test_a_card_of_the_forty_and_a_back_are_not_foreign() -> None:
    assert told(ACE, replace(ACE, track=9, label=BACK)) == []


def test_a_card_half_seen_seldom_read_or_unsure_is_not_called_foreign() -> None:
    for doubtful in (
        replace(JOKER, in_view=False),
        replace(JOKER, readings=3),
        replace(JOKER, p=0.7),
    ):
        assert told(doubtful) == []


def test_the_same_card_twice_side_by_side_is_told_once() -> None:
    assert [event.label for event in told(ACE, SAME_ACE) if isinstance(event, SameCardTwice)] == [
        "AH"
    ]


def test_one_card_found_at_two_places_for_a_moment_is_one_card() -> None:
    assert told(ACE, SAME_ACE, seconds=1.0) == []


def test_two_tracks_on_one_place_are_one_card() -> None:
    assert told(ACE, replace(SAME_ACE, quad=place(0.41))) == []


def test_a_card_unsurely_read_as_another_is_no_second_deck() -> None:
    assert told(ACE, replace(SAME_ACE, p=0.9)) == []
