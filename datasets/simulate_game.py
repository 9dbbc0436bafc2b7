"""The simulated players: deals dealt and played by the rules, except by those set to revoke."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from assistant.sueca import DECK, SEATS, Card, Deal, Folder, Play, RuleSet, Seat, legal_cards

_REVOKE_TRICKS = range(2, 8)  # late enough to look natural, early enough to be proved afterwards
_TRIES = 400


@dataclass(frozen=True, slots=True)
class Revoke:
    """`seat` did not follow suit in `trick` and first showed that suit in `proved_in`."""

    seat: Seat
    trick: int
    proved_in: int


@dataclass(frozen=True, slots=True)
class PlayedDeal:
    """One deal from first lead to last trick; `deal` holds the 40 plays in order.

    `out_of_turn`: who played before its turn, and in which trick.
    """

    deal: Deal
    revokes: tuple[Revoke, ...]
    out_of_turn: tuple[tuple[Seat, int], ...] = ()


def _choose(rng: np.random.Generator, cards: Sequence[Card]) -> Card:
    return cards[int(rng.integers(len(cards)))]


def _play_out(
    rng: np.random.Generator, rules: RuleSet, dealer: Seat, revoker: Seat | None
) -> PlayedDeal | None:
    """One deal at random; None if `revoker` found no chance to revoke."""
    shuffled = [DECK[i] for i in rng.permutation(len(DECK))]
    hands = {seat: shuffled[10 * k : 10 * k + 10] for k, seat in enumerate(SEATS)}
    trump = hands[dealer][-1]
    deal = Deal(rules, dealer, trump)
    folder = Folder(deal)
    wanted = int(rng.choice(_REVOKE_TRICKS))
    broken: tuple[int, Card] | None = None
    for _ in range(len(DECK)):
        state = folder.state()
        seat = state.turn
        if seat is None:
            raise RuntimeError("the rules lost track of whose turn it is")
        hand = hands[seat]
        legal = legal_cards(hand, state.led, trump.suit, rules)
        card = _choose(rng, legal)
        trick = len(state.tricks) + 1
        others = [c for c in hand if c not in legal]
        if seat == revoker and broken is None and trick >= wanted and others and trick <= 8:
            broken = (trick, card)
            card = _choose(rng, others)
        hand.remove(card)
        folder.push(Play(seat, card))
    state = folder.state()
    if revoker is None:
        return PlayedDeal(state.deal, ())
    if broken is None:
        return None
    trick, followed = broken
    proof = next(
        k // 4 + 1
        for k, play in enumerate(state.deal.plays)
        if play.seat == revoker and play.card.suit is followed.suit and k // 4 + 1 > trick
    )
    return PlayedDeal(state.deal, (Revoke(revoker, trick, proof),))


def _hurry(rng: np.random.Generator, played: PlayedDeal, seat: Seat) -> PlayedDeal:
    """The same deal with `seat`, a follower, playing once before the one whose turn it was."""
    plays = list(played.deal.plays)
    late = [k for k, play in enumerate(plays) if play.seat is seat and k % 4 >= 2 and k > 4]
    if not late:
        return played
    k = late[int(rng.integers(len(late)))]
    plays[k - 1], plays[k] = plays[k], plays[k - 1]
    return replace(
        played, deal=replace(played.deal, plays=tuple(plays)), out_of_turn=((seat, k // 4 + 1),)
    )


def play_deals(
    seed: int,
    rules: RuleSet,
    deals: int,
    dealer: Seat | None = None,
    revoker: Seat | None = None,
    hurrier: Seat | None = None,
) -> list[PlayedDeal]:
    """`deals` whole deals; the dealer passes on by the rules.

    In each, `revoker` revokes once and `hurrier` plays once before its turn.

    Raises `RuntimeError` if no shuffle gives the revoker a chance, which does not happen.
    """
    rng = np.random.default_rng([seed, 21])
    dealer = dealer or SEATS[int(rng.integers(4))]
    played: list[PlayedDeal] = []
    for _ in range(deals):
        for _ in range(_TRIES):
            one = _play_out(rng, rules, dealer, revoker)
            if one is not None:
                break
        else:
            raise RuntimeError(f"no chance for {revoker} to revoke in {_TRIES} shuffles")
        played.append(_hurry(rng, one, hurrier) if hurrier else one)
        dealer = rules.next_seat(dealer)
    return played
