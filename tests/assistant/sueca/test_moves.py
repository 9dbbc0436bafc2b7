"""Legal cards, and the verify / can / play triple for 'impedida'."""

from dataclasses import replace

import pytest

from assistant.sueca import (
    Deal,
    IllegalMove,
    RevokePolicy,
    Seat,
    Suit,
    can_play,
    fold,
    legal_cards,
    play_card,
    preset,
    verify_play,
)
from tests.assistant.sueca.builders import cards, deal_of, seeded

HAND = cards("AH 2H 7S QC")


def legal(led: str | None, trump: str = "D", rules: str = "portuguesa", hand: str = "") -> str:
    held = cards(hand) if hand else HAND
    suit = Suit(led) if led else None
    return " ".join(card.text for card in legal_cards(held, suit, Suit(trump), preset(rules)))


def test_000_001_003_004_the_suit_led_must_be_followed() -> None:
    assert legal("H") == "AH 2H"


def test_the_leader_may_lead_anything() -> None:
    assert legal(None) == "AH 2H 7S QC"


def test_001_004_who_cannot_follow_may_play_anything_ruffing_is_optional() -> None:
    assert legal("D", trump="S") == "AH 2H 7S QC"


def test_004_italiana_who_cannot_follow_must_trump() -> None:
    assert legal("D", trump="S", rules="italiana") == "7S"


def test_004_italiana_without_a_trump_anything_goes() -> None:
    assert legal("D", trump="D", rules="italiana") == "AH 2H 7S QC"


def test_004_bisca_there_is_no_duty_to_follow() -> None:
    assert legal("H", rules="bisca") == "AH 2H 7S QC"


def impedida(deal: Deal) -> Deal:
    rules = replace(deal.rules, name="x", revoke_policy=RevokePolicy.FORBIDDEN)
    return replace(deal, rules=rules)


def test_000_003_permitida_lets_one_revoke_and_impedida_does_not() -> None:
    deal = deal_of("S:3H", rules="selminha")
    (card,) = cards("7S")
    assert can_play(fold(deal), HAND, Seat.E, card)
    assert not can_play(fold(impedida(deal)), HAND, Seat.E, card)


def test_a_deal_that_is_over_takes_no_more_cards() -> None:
    deal = seeded(1).deal
    with pytest.raises(IllegalMove, match="the deal is over"):
        verify_play(fold(deal), HAND, Seat.E, HAND[0])


@pytest.mark.parametrize(
    ("seat", "card", "says"),
    [
        ("N", "2H", "expected a card from E, got one from N"),
        ("E", "KH", "expected a card held by E, got KH"),
        ("E", "7S", "expected E to play one of AH 2H, got 7S"),
    ],
)
def test_an_illegal_move_says_what_was_expected_and_what_came(
    seat: str, card: str, says: str
) -> None:
    state = fold(impedida(deal_of("S:3H")))
    (played,) = cards(card)
    with pytest.raises(IllegalMove, match=says):
        verify_play(state, HAND, Seat(seat), played)
    assert not can_play(state, HAND, Seat(seat), played)


def test_a_legal_move_gives_the_deal_one_play_later() -> None:
    deal = deal_of("S:3H")
    (card,) = cards("AH")
    assert can_play(fold(deal), HAND, Seat.E, card)
    assert play_card(deal, HAND, Seat.E, card).plays[-1].card is card
