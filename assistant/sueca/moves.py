"""What may be played: legal cards, and the verify / can / play triple for hands that are known.

A camera reports what happened; this is for cards entered by hand under 'impedida', for simulated
players, and for whoever wants to know what would have been right.
"""

from collections.abc import Collection, Iterable

from assistant.sueca.cards import Card, Suit
from assistant.sueca.deal import Deal, DealState, Play, fold
from assistant.sueca.rules import RevokePolicy, RuleSet, strength_keys
from assistant.sueca.seats import Seat


class IllegalMove(ValueError):
    """A move that the rules do not allow; the message says what was expected and what came."""


def legal_cards(
    hand: Collection[Card], led: Suit | None, trump: Suit | None, rules: RuleSet
) -> tuple[Card, ...]:
    """The cards of `hand` that may be played to a trick of suit `led` (None: to lead).

    Follow suit if you can (all sources); under `must_trump` trump if you cannot (004, italiana).
    """
    if led is None or not rules.follow_suit:
        return tuple(hand)
    following = tuple(card for card in hand if card.suit is led)
    if following:
        return following
    if rules.must_trump and trump is not None:
        return tuple(card for card in hand if card.suit is trump) or tuple(hand)
    return tuple(hand)


def winning_place(cards: Iterable[Card], trump: Suit | None) -> int:
    """Which card of a trick, given in the order played, wins it: its place from 0.

    Raises `ValueError` for an empty trick.
    """
    played = tuple(cards)
    if not played:
        raise ValueError("expected at least one card, got none")
    none = 4
    keys = strength_keys(none if trump is None else trump.index, played[0].suit_index)
    return max(range(len(played)), key=lambda place: keys[played[place].index])


def verify_play(state: DealState, hand: Collection[Card], seat: Seat, card: Card) -> None:
    """Raise `IllegalMove` unless `seat`, holding `hand`, may play `card` now.

    Only under 'impedida' is a card refused for its suit: under 'permitida' one may revoke, at
    one's own risk (000, 003).
    """
    if state.over:
        raise IllegalMove("expected no more cards, the deal is over")
    if state.turn is not None and seat is not state.turn:
        raise IllegalMove(f"expected a card from {state.turn}, got one from {seat}")
    if card not in hand:
        raise IllegalMove(f"expected a card held by {seat}, got {card}")
    deal = state.deal
    if deal.rules.revoke_policy is RevokePolicy.ALLOWED:
        return
    legal = legal_cards(hand, state.led, deal.trump_suit, deal.rules)
    if card not in legal:
        expected = " ".join(c.text for c in legal)
        raise IllegalMove(f"expected {seat} to play one of {expected}, got {card}")


def can_play(state: DealState, hand: Collection[Card], seat: Seat, card: Card) -> bool:
    """Whether `verify_play` would let the move pass."""
    try:
        verify_play(state, hand, seat, card)
    except IllegalMove:
        return False
    return True


def play_card(deal: Deal, hand: Collection[Card], seat: Seat, card: Card) -> Deal:
    """The deal with `card` played. Raises `IllegalMove` as `verify_play` does."""
    verify_play(fold(deal), hand, seat, card)
    return deal.with_play(Play(seat, card))
