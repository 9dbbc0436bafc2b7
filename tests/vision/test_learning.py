"""Learning a deck from photographs: who is who, each card once, and what cannot be learnt from."""

import numpy as np
import pytest

from tests.vision.deckphotos import STRANGER, crop_of, finder, grey, photograph, reader
from vision.decks import deck_path, load_deck, save_deck
from vision.labels import CARDS
from vision.learning import (
    DeckProblem,
    find_deck,
    learn_profile,
    make_deck,
    profile_for,
    straightest,
)

SPADES_HEARTS, REST = CARDS[:20], CARDS[20:]


def greys(found: object) -> list[int]:
    return [int(card.crop[70, 48, 0]) for card in found.cards]  # type: ignore[attr-defined]


def test_two_photographs_that_together_show_the_deck_give_each_card_its_picture() -> None:
    found = find_deck([photograph(*reversed(REST)), photograph(*SPADES_HEARTS)], finder(), reader())
    assert [card.card for card in found.cards] == list(CARDS)
    assert greys(found) == [grey(card) for card in CARDS]
    assert {card.photo for card in found.cards[:20]} == {1}
    assert (found.again, found.strangers) == (0, 0)


def test_a_card_taken_for_another_gets_its_name_because_each_is_there_once() -> None:
    found = find_deck([photograph(*CARDS)], finder(), reader({"3H": ("3D", 0.98)}))
    assert greys(found) == [grey(card) for card in CARDS]


def test_such_a_card_is_pointed_out_and_no_other() -> None:
    found = find_deck([photograph(*CARDS)], finder(), reader({"3H": ("3D", 0.98)}))
    assert [card.card for card in found.cards if card.doubtful] == ["3H"]


def test_what_is_no_card_of_the_40_is_left_out_wherever_it_lies() -> None:
    lying = [STRANGER, *CARDS[:15], STRANGER, *CARDS[15:]]
    found = find_deck([photograph(*lying)], finder(), reader())
    assert greys(found) == [grey(card) for card in CARDS]
    assert found.strangers == 2


def test_a_card_in_two_photographs_is_taken_once() -> None:
    photos = [photograph(*CARDS[:22]), photograph(*CARDS[18:])]
    found = find_deck(photos, finder(), reader())
    assert [card.card for card in found.cards] == list(CARDS)
    assert found.again == 4


def problem_of(*photos: np.ndarray) -> DeckProblem:
    with pytest.raises(DeckProblem) as refused:
        find_deck(photos, finder(), reader())
    assert "\n" not in str(refused.value)
    return refused.value


def test_missing_cards_are_named_and_asked_for() -> None:
    problem = problem_of(photograph(*(card for card in CARDS if card not in ("7H", "QC"))))
    assert (problem.kind, problem.cards, problem.seen) == ("missing", ("7H", "QC"), 38)
    assert "38 of the 40 cards are seen, missing: 7H QC" in str(problem)


def test_a_missing_card_is_not_made_of_a_joker() -> None:
    problem = problem_of(photograph(*CARDS[:39], STRANGER))
    assert (problem.kind, problem.cards) == ("missing", (CARDS[39],))


def test_only_23_cards_are_counted_in_one_line() -> None:
    problem = problem_of(photograph(*CARDS[:23]))
    assert "23 of the 40 cards are seen, missing: 17 cards" in str(problem)
    assert len(problem.cards) == 17


def test_a_photograph_without_a_card_is_told_by_its_number() -> None:
    problem = problem_of(photograph(*CARDS), photograph())
    assert (problem.kind, problem.photos) == ("no-card", (2,))


def test_the_same_photograph_twice_is_told() -> None:
    problem = problem_of(photograph(*SPADES_HEARTS), photograph(*REST), photograph(*SPADES_HEARTS))
    assert (problem.kind, problem.photos) == ("same-photograph", (1, 3))


def test_two_decks_in_one_photograph_are_told() -> None:
    problem = problem_of(photograph(*CARDS, "AS", "2S", "7D"))
    assert (problem.kind, problem.cards) == ("two-decks", ("AS", "2S", "7D"))


def test_a_single_card_read_twice_is_no_second_deck() -> None:
    found = find_deck([photograph(*CARDS, "AS")], finder(), reader())
    assert found.again == 1


def test_a_card_is_cut_out_as_it_lies_unless_a_turn_makes_it_clearer() -> None:
    assert straightest(np.log(np.array([0.96, 0.97, 0.99], np.float32))) == 0
    assert straightest(np.log(np.array([0.5, 0.6, 0.99], np.float32))) == 2


def test_a_deck_made_with_another_reader_is_learnt_anew_from_its_pictures(
    tmp_path: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SUECA_DECKS", str(tmp_path))
    old, new = reader(), reader()
    new.weights = type(old.weights)("greys-2")  # type: ignore[call-arg]
    save_deck(make_deck("tasca", [crop_of(card) for card in CARDS], old))
    assert profile_for("tasca", new).model == "greys-2"
    assert load_deck("tasca").profile.model == "greys-2"
    assert deck_path("tasca").stat().st_size < 1_000_000


def test_part_of_a_deck_can_be_learnt_for_measuring() -> None:
    some = ("AS", "7H", "KD")
    profile = learn_profile("part", [crop_of(card) for card in some], reader(), some)
    assert profile.cards == some
    assert profile.prototypes.shape == (3, 42)
