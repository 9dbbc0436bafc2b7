"""Dealing a shuffled pack, and the stock of bisca. The shuffle is the caller's: no chance here.

Source 001: ten cards at once, beginning with the player who will lead and ending with the dealer,
whose last card is turned up; or the other way round, the dealer first, whose first card is.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from assistant.sueca.audit import BISCA_HAND
from assistant.sueca.cards import DECK, Card
from assistant.sueca.moves import IllegalMove, winning_place
from assistant.sueca.rules import FirstDealer, RuleSet, TrumpCard
from assistant.sueca.seats import Seat

Hands = dict[Seat, tuple[Card, ...]]


def pack(rules: RuleSet) -> tuple[Card, ...]:
    """All the cards in play, unshuffled; a card of two packs comes twice."""
    return tuple(card for card in DECK for _ in range(rules.copies[card.index]))


def _check_pack(rules: RuleSet, cards: Sequence[Card]) -> None:
    if sorted(cards) != sorted(pack(rules)):
        raise ValueError(f"expected the {rules.deck_size} cards of {rules.name}, got other cards")


def deal_cards(rules: RuleSet, dealer: Seat, cards: Sequence[Card]) -> tuple[Hands, Card]:
    """Deal a shuffled pack, top card first: every seat's hand, and the card turned up.

    Raises `ValueError` unless `cards` is the whole pack.
    """
    _check_pack(rules, cards)
    seats = [dealer]
    while len(seats) < rules.players:
        seats.append(rules.next_seat(seats[-1]))
    if rules.trump_card is TrumpCard.FIRST:
        order = [dealer, *reversed(seats[1:])]
    else:
        order = [*seats[1:], dealer]
    size = BISCA_HAND if rules.stock else rules.hand_size
    hands = {seat: tuple(cards[i * size : (i + 1) * size]) for i, seat in enumerate(order)}
    trump = cards[0] if rules.trump_card is TrumpCard.FIRST else cards[-1]
    return hands, trump


def first_dealer(rules: RuleSet, cuts: Sequence[tuple[Seat, Card]]) -> Seat:
    """Who deals first after each seat has cut a card (004 has both the highest and the lowest).

    Raises `ValueError` where the rules draw the dealer at random, or two cuts are equal.
    """
    if rules.first_dealer is FirstDealer.RANDOM:
        raise ValueError("expected rules that cut for the deal, got a dealer drawn at random")
    strengths = sorted(card.strength for _, card in cuts)
    best = strengths[-1] if rules.first_dealer is FirstDealer.HIGHEST else strengths[0]
    winners = [seat for seat, card in cuts if card.strength == best]
    if len(winners) != 1:
        raise ValueError(f"expected one best cut, got {len(winners)} equal ones: cut again")
    return winners[0]


@dataclass(frozen=True, slots=True)
class Bisca:
    """A deal of bisca (004): three cards each, refilled from a stock with the trump card under it.

    Its plays make an ordinary `Deal` under the preset `bisca`, which folds, scores and audits it;
    this adds what only bisca has: who draws what. `stock`: next card first, the trump card last.
    """

    rules: RuleSet
    trump: Card
    hands: tuple[tuple[Card, ...], ...]
    stock: tuple[Card, ...]
    turn: Seat
    table: tuple[Card, ...] = ()

    def play(self, seat: Seat, card: Card) -> "Bisca":
        """The deal one card later; after the fourth the winner gathers, draws first and leads.

        Raises `IllegalMove` out of turn or for a card not held; any card held may be played.
        """
        if seat is not self.turn:
            raise IllegalMove(f"expected a card from {self.turn}, got one from {seat}")
        if card not in self.hands[seat.index]:
            raise IllegalMove(f"expected a card held by {seat}, got {card}")
        hands = list(self.hands)
        hands[seat.index] = tuple(c for c in hands[seat.index] if c is not card)
        table = (*self.table, card)
        turn = self.rules.next_seat(seat)
        if len(table) < self.rules.players:
            return replace(self, hands=tuple(hands), table=table, turn=turn)
        for _ in range(winning_place(table, self.trump.suit)):
            turn = self.rules.next_seat(turn)  # from the leader on to the winner
        return replace(self, hands=tuple(hands), table=(), turn=turn)._drawn()

    def _drawn(self) -> "Bisca":
        """Every seat draws one card, the winner first, while the stock lasts."""
        if not self.stock:
            return self
        hands, seat = list(self.hands), self.turn
        for card in self.stock[: self.rules.players]:
            hands[seat.index] = (*hands[seat.index], card)
            seat = self.rules.next_seat(seat)
        return replace(self, hands=tuple(hands), stock=self.stock[self.rules.players :])


def deal_bisca(rules: RuleSet, dealer: Seat, cards: Sequence[Card]) -> Bisca:
    """Deal bisca from a shuffled pack. Raises `ValueError` unless `cards` is the whole pack."""
    if not rules.stock:
        raise ValueError(f"expected rules with a stock, got {rules.name}")
    hands, trump = deal_cards(rules, dealer, cards)
    dealt = BISCA_HAND * rules.players
    by_seat = tuple(hands[seat] for seat in rules.seats)
    return Bisca(rules, trump, by_seat, tuple(cards[dealt:]), rules.next_seat(dealer))
