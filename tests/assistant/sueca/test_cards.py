"""Cards: strength, points, reading. The four sources agree on all of it."""

import copy
import pickle

import pytest

from assistant.sueca import DECK, Card, CardError, Suit


def test_the_deck_has_forty_different_cards() -> None:
    assert len(set(DECK)) == len({card.text for card in DECK}) == 40


@pytest.mark.parametrize("suit", "SHDC")
def test_strength_is_ace_seven_king_jack_queen_six_to_two(suit: str) -> None:
    order = [Card.parse(rank + suit) for rank in "A7KJQ65432"]
    assert [card.strength for card in order] == list(range(9, -1, -1))


@pytest.mark.parametrize(
    ("rank", "points"), [*zip("A7KJQ", (11, 10, 4, 3, 2), strict=True), *((r, 0) for r in "65432")]
)
def test_card_points(rank: str, points: int) -> None:
    assert Card.parse(f"{rank}H").points == points


def test_the_deck_is_worth_120() -> None:
    assert sum(card.points for card in DECK) == 120


def test_a_six_beats_a_five_though_both_are_worth_nothing() -> None:
    assert Card.parse("6H").strength > Card.parse("5H").strength


def test_index_is_place_in_the_deck() -> None:
    assert [card.index for card in DECK] == list(range(40))


@pytest.mark.parametrize("text", ["7H", "7h", " 7H "])
def test_parse_reads_rank_then_suit(text: str) -> None:
    assert Card.parse(text) is Card.parse("7H")


@pytest.mark.parametrize("text", ["8S", "10H", "H7", "", "7", "JOKER", "7♥"])
def test_parse_refuses_what_is_not_in_the_deck_and_says_what_came(text: str) -> None:
    with pytest.raises(CardError, match="expected a card such as 7H"):
        Card.parse(text)


@pytest.mark.parametrize(
    ("text", "suit"), [("8S", Suit.S), ("10H", Suit.H), ("joker", None), ("", None), ("??", None)]
)
def test_an_observed_card_outside_the_deck_is_foreign_worth_nothing(
    text: str, suit: Suit | None
) -> None:
    card = Card.observed(text)
    assert (card.foreign, card.points, card.suit) == (True, 0, suit)


def test_observing_a_card_of_the_deck_gives_that_card() -> None:
    assert Card.observed("as") is Card.parse("AS")


@pytest.mark.parametrize("text", ["7H", "8S", ""])
def test_cards_stay_the_same_object_through_pickle_and_copy(text: str) -> None:
    card = Card.observed(text)
    assert pickle.loads(pickle.dumps(card)) is card
    assert copy.deepcopy([card])[0] is card


def test_pretty_shows_the_suit() -> None:
    assert Card.parse("7H").pretty == "7♥"
