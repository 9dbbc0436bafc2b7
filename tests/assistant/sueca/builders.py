"""Deals for tests: random ones with known hands, and an independent, naive view of the rules.

What is said here of legality, winners and revokes is computed from the hands, the plain way, so
that it can be held against the engine, which sees only the plays.
"""

import random
from collections.abc import Sequence
from dataclasses import dataclass

from assistant.sueca import (
    Card,
    Deal,
    Play,
    RuleSet,
    Seat,
    deal_cards,
    pack,
    parse_seat,
    preset,
)

ORDER = "23456QJK7A"
WORTH = {"A": 11, "7": 10, "K": 4, "J": 3, "Q": 2}


@dataclass(frozen=True)
class Played:
    """A deal that was played with hands known. `revokes`: (seat, trick) of every illegal card."""

    deal: Deal
    hands: dict[Seat, tuple[Card, ...]]
    revokes: frozenset[tuple[Seat, int]]


def cards(text: str) -> tuple[Card, ...]:
    return tuple(Card.observed(word) for word in text.split())


def plays(text: str) -> tuple[Play, ...]:
    """`S:AH E:2H` as plays."""
    pairs = (word.split(":") for word in text.split())
    return tuple(Play(parse_seat(seat), Card.observed(card)) for seat, card in pairs)


def deal_of(
    text: str, trump: str = "2D", dealer: str | None = "W", rules: str = "portuguesa"
) -> Deal:
    """A deal from `S:AH E:2H …`."""
    seat = None if dealer is None else parse_seat(dealer)
    return Deal(preset(rules), seat, Card.observed(trump), plays(text))


def may_play(rules: RuleSet, hand: Sequence[Card], led: str | None, trump: str) -> list[Card]:
    """The legal cards, the plain way."""
    if led is None or not rules.follow_suit:
        return list(hand)
    same = [card for card in hand if card.text[-1] == led]
    if same:
        return same
    trumps = [card for card in hand if card.text[-1] == trump]
    return trumps if rules.must_trump and trumps else list(hand)


def naive_winner(table: Sequence[Play], trump: str) -> Seat:
    """Who wins a trick, the plain way; of equal cards the first."""
    best = table[0]
    for play in table[1:]:
        suit, best_suit = play.card.text[-1], best.card.text[-1]
        higher = ORDER.index(play.card.text[0]) > ORDER.index(best.card.text[0])
        if (suit == best_suit and higher) or (suit == trump and best_suit != trump):
            best = play
    return best.seat


def play_deal(rng: random.Random, rules: RuleSet, dealer: Seat, revoke: float = 0.0) -> Played:
    """A whole deal at random; with chance `revoke` a card is taken from the hand regardless."""
    deck = list(pack(rules))
    rng.shuffle(deck)
    hands, trump = deal_cards(rules, dealer, deck)
    left = {seat: list(hand) for seat, hand in hands.items()}
    seat, trump_suit = rules.next_seat(dealer), trump.text[-1]
    done: list[Play] = []
    revokes = set()
    for trick in range(1, rules.tricks + 1):
        table: list[Play] = []
        for _ in range(rules.players):
            led = table[0].card.text[-1] if table else None
            legal = may_play(rules, left[seat], led, trump_suit)
            card = rng.choice(left[seat] if rng.random() < revoke else legal)
            if card not in legal:
                revokes.add((seat, trick))
            left[seat].remove(card)
            table.append(Play(seat, card))
            seat = rules.next_seat(seat)
        done += table
        seat = naive_winner(table, trump_suit)
    return Played(Deal(rules, dealer, trump, tuple(done)), hands, frozenset(revokes))


def seeded(seed: int, rules: str = "portuguesa", revoke: float = 0.0) -> Played:
    """`play_deal` from a seed, any dealer."""
    rng = random.Random(seed)
    chosen = preset(rules)
    return play_deal(rng, chosen, rng.choice(chosen.seats), revoke)
