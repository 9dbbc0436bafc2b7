"""Readings of one card put together."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.vision.readings import reading
from vision.events import CardPlaced
from vision.evidence import Evidence
from vision.labels import BACK, LABELS, OTHER
from vision.reading import CardState, believable
from vision.types import Quad, Reading

QUAD: Quad = ((0.0, 0.0), (1.0, 0.0), (1.0, 1.4), (0.0, 1.4))


def read(*readings: Reading, weight: float = 1.0) -> Evidence:
    evidence = Evidence()
    for one in readings:
        evidence.add(one, weight)
    return evidence


def test_one_reading_is_taken_as_it_is() -> None:
    label, p = read(reading("7H", 0.8)).best()
    assert (label, p) == ("7H", pytest.approx(0.8, abs=1e-6))


def test_agreeing_readings_grow_surer() -> None:
    few, many = read(*[reading("7H", 0.6)] * 2), read(*[reading("7H", 0.6)] * 6)
    assert 0.6 < few.best()[1] < many.best()[1]


def test_ever_more_frames_do_not_make_certainty() -> None:
    """Frames of one card are not independent."""
    nine, ninety = read(*[reading("7H", 0.3)] * 9), read(*[reading("7H", 0.3)] * 90)
    assert ninety.best()[1] == pytest.approx(nine.best()[1])


def test_one_sure_slip_does_not_outweigh_many_readings() -> None:
    slip = Reading(tuple(0.0 if label == "7D" else -60.0 for label in LABELS))
    assert read(slip, *[reading("7H", 0.9)] * 4).best()[0] == "7H"


def test_a_poor_view_counts_for_less() -> None:
    assert read(reading("7H", 0.8), weight=0.3).best()[1] < 0.8


@pytest.mark.parametrize(
    ("first", "then", "another"),
    [
        (reading("6D", 0.99), reading("JD", 0.97), True),
        (reading("6D", 0.99), reading("6D", 0.5), False),
        (reading("6D", 0.99), reading("JD", 0.4), False),  # the rest may well be a six
        (reading("6D", 0.5), reading("JD", 0.5), False),
        (reading("6D", 0.99), reading(BACK, 0.99), False),
        (reading("6D", 0.99), reading(OTHER, 0.99), False),
    ],
)
def test_two_sure_readings_tell_two_cards_apart(
    first: Reading, then: Reading, another: bool
) -> None:
    assert read(first).another(then) is another


def test_before_anything_is_read_no_card_is_another() -> None:
    assert not Evidence().another(reading("6D", 0.99))


def test_a_card_is_said_only_where_it_is_surely_one() -> None:
    assert read(reading("7H", 0.95)).card() == "7H"
    assert read(reading("7H", 0.7)).card() is None
    assert read(reading(BACK, 0.99)).card() is None
    assert Evidence().card() is None


def test_nothing_read_is_every_label_alike() -> None:
    assert len(set(Evidence().log_probs())) == 1


@given(st.lists(st.sampled_from(LABELS), min_size=1, max_size=12), st.floats(0.1, 0.95))
def test_the_probabilities_sum_to_one(labels: list[str], p: float) -> None:
    logs = read(*(reading(label, p) for label in labels)).log_probs()
    assert sum(map(math.exp, logs)) == pytest.approx(1)


def test_many_doubtful_readings_alike_make_a_surer_card_but_no_surer_look() -> None:
    evidence = Evidence()
    for _ in range(9):
        evidence.add(reading("7H", 0.6))
    assert evidence.best()[1] > 0.95
    assert evidence.typical() == pytest.approx(0.6)


def test_what_nothing_brought_must_be_read_surely_at_every_look() -> None:
    thrown, print_on_the_cloth = CardState(stirred=True), CardState(stirred=False)
    for card in (thrown, print_on_the_cloth):
        for _ in range(9):
            card.evidence.add(reading("7H", 0.6))
    assert believable(thrown)
    assert not believable(print_on_the_cloth)


def test_a_card_that_lay_there_from_the_start_and_is_read_plainly_is_believed() -> None:
    trump_card = CardState(stirred=False)
    trump_card.evidence.add(reading("AS", 0.97))
    assert believable(trump_card)


def told_card(label: str, *before: Reading) -> CardState:
    """A card that was announced as `label` after these readings, and whose place then looked changed."""
    placed = CardPlaced(1, 0.0, 0, 0.0, "up", (0.5, 0.5), 0.0, None, QUAD, (), 0.0)
    return CardState(read(*before), told=placed, told_label=label, fresh=Evidence())


def read_on(card: CardState, *readings: Reading) -> str:
    for one in readings:
        card.evidence.add(one)
        card.look_afresh(one, 1.0)
    return card.evidence.best()[0]


def test_another_card_surely_read_in_a_changed_place_is_another_card() -> None:
    card = told_card("7H", *[reading("7H", 0.95)] * 20)
    assert read_on(card, *[reading("AS", 0.95)] * 3) == "AS"


def test_a_nudged_card_doubtfully_read_since_is_what_it_was() -> None:
    card = told_card("JH", *[reading("JH", 0.8)] * 5)
    assert read_on(card, *[reading("QH", 0.6)] * 3) == "JH"


def test_a_nudged_card_read_as_before_only_grows_surer() -> None:
    card = told_card("JH", *[reading("JH", 0.8)] * 5)
    before = card.evidence.best()[1]
    assert read_on(card, *[reading("JH", 0.8)] * 3) == "JH"
    assert card.evidence.best()[1] > before
