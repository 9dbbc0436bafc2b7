"""The simulated players: deals dealt and played by the rules, except by those set to break them."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, get_args

import numpy as np

from assistant.sueca import DECK, SEATS, Card, Deal, Folder, Play, RuleSet, Seat, legal_cards
from datasets.crops import NOT_OF_THE_40

Pack = Literal["sueca", "poker", "two-decks", "one-twice", "card-missing"]
"""What is dealt from: the 40 cards; all 54 of a poker deck; two decks of 40 shuffled together; one with
a card of another in place of one of its own; one that lacks a card."""
PACKS: tuple[Pack, ...] = get_args(Pack)

_FOREIGN = tuple(Card.observed(name) for name in NOT_OF_THE_40)
_JOKER = _FOREIGN[NOT_OF_THE_40.index("JOKER")]

_REVOKE_TRICKS = range(2, 8)  # late enough to look natural, early enough to be proved afterwards
_TRIES = 400


@dataclass(frozen=True, slots=True)
class Revoke:
    """`seat` did not follow suit in `trick` and first showed that suit in `proved_in`."""

    seat: Seat
    trick: int
    proved_in: int


@dataclass(frozen=True, slots=True)
class Misdeal:
    """`long` was dealt eleven cards and `short` nine, which nobody notices before the last trick.

    There `short` has nothing to play and `long` one card too many, `left_over`: it is laid down
    beside the three others, the cards are thrown in and the deal counts for nobody.
    """

    long: Seat
    short: Seat
    left_over: Card


SECOND = "'"
"""After a card's text: the second of two alike, `7H'`."""


@dataclass(frozen=True, slots=True)
class PlayedDeal:
    """One deal from first lead to last trick; `deal` holds the 40 plays in order (39: misdealt, or the
    pack lacks a card).

    `out_of_turn`: who played before its turn, and in which trick.
    """

    deal: Deal
    revokes: tuple[Revoke, ...]
    out_of_turn: tuple[tuple[Seat, int], ...] = ()
    misdeal: Misdeal | None = None

    @property
    def pieces(self) -> list[str]:
        """The piece of cardboard of each play: its card's text, and of two alike one is marked as the
        `SECOND`, never the one that the dealer showed."""
        trump, dealer = self.deal.trump, self.deal.dealer
        used: set[str] = set()
        found = []
        for play in self.deal.plays:
            text = play.card.text
            other = play.card is trump and play.seat is not dealer
            piece = text + SECOND if other or text in used else text
            used.add(piece)
            found.append(piece)
        return found


def _choose(rng: np.random.Generator, cards: Sequence[Card]) -> Card:
    return cards[int(rng.integers(len(cards)))]


def _cards_of(pack: Pack, seed: int) -> tuple[Card, ...]:
    """What is dealt from; of two that differ by one card it is the same in all deals of a seed."""
    if pack == "sueca":
        return DECK
    if pack == "poker":
        return (*DECK, *_FOREIGN, _JOKER)  # the second of two
    if pack == "two-decks":
        return (*DECK, *DECK)
    own = np.random.default_rng([seed, 23])  # a stream of its own: the deals' stays
    lacking, twice = (DECK[int(i)] for i in own.choice(len(DECK), 2, replace=False))
    rest = tuple(card for card in DECK if card is not lacking)
    return (*rest, twice) if pack == "one-twice" else rest


def _deal_out(
    rng: np.random.Generator, pack: Sequence[Card], dealer: Seat
) -> tuple[dict[Seat, list[Card]], Card]:
    """Ten cards each, the dealer's last: of a pack of 39 the dealer gets nine. And the trump card, the last
    of the dealer's that has a suit."""
    shuffled = [pack[i] for i in rng.permutation(len(pack))]
    if len(pack) < len(DECK):
        hands = _dealt(shuffled, [*(seat for seat in SEATS if seat is not dealer), dealer])
    else:
        hands = _dealt(shuffled, SEATS)
    return hands, next(card for card in reversed(hands[dealer]) if card.suit is not None)


def _dealt(shuffled: list[Card], seats: Sequence[Seat]) -> dict[Seat, list[Card]]:
    return {seat: shuffled[10 * k : 10 * k + 10] for k, seat in enumerate(seats)}


def _play_out(
    rng: np.random.Generator,
    rules: RuleSet,
    dealer: Seat,
    revoker: Seat | None,
    pack: Sequence[Card] = DECK,
) -> PlayedDeal | None:
    """One deal at random; None if `revoker` found no chance to revoke."""
    hands, trump = _deal_out(rng, pack, dealer)
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


def _play_misdealt(
    rng: np.random.Generator, rules: RuleSet, dealer: Seat, long: Seat
) -> PlayedDeal | None:
    """One deal in which `long` got a card of another player's; None if that one must lead last."""
    hands, trump = _deal_out(rng, DECK, dealer)
    short = _choose(rng, [seat for seat in SEATS if seat is not long])
    hands[long].append(hands[short].pop(0))  # never the trump card, which is dealt last
    deal = _play_short(rng, Deal(rules, dealer, trump), hands, short)
    if deal is None:
        return None
    return PlayedDeal(deal, (), misdeal=Misdeal(long, short, hands[long][0]))


def _play_lacking(
    rng: np.random.Generator, rules: RuleSet, dealer: Seat, pack: Sequence[Card]
) -> PlayedDeal | None:
    """One deal of a pack of 39, in which the dealer has none for the last trick; None if it must lead it."""
    hands, trump = _deal_out(rng, pack, dealer)
    deal = _play_short(rng, Deal(rules, dealer, trump), hands, dealer)
    return PlayedDeal(deal, ()) if deal is not None else None


def _play_short(
    rng: np.random.Generator, dealt: Deal, hands: dict[Seat, list[Card]], short: Seat
) -> Deal | None:
    """The deal played out with `short`, who has but nine cards, out of the last trick; None if that one
    must lead it."""
    folder, rules = Folder(dealt), dealt.rules

    def play(seat: Seat) -> None:
        legal = legal_cards(hands[seat], folder.state().led, dealt.trump_suit, rules)
        card = _choose(rng, legal)
        hands[seat].remove(card)
        folder.push(Play(seat, card))

    while len(folder.state().tricks) < rules.tricks - 1:
        seat = folder.state().turn
        if seat is None:
            raise RuntimeError("the rules lost track of whose turn it is")
        play(seat)
    leader = folder.state().turn
    if leader is None or leader is short:
        return None
    for seat in _round(rules, leader):
        if seat is not short:
            play(seat)
    return folder.state().deal


def _round(rules: RuleSet, leader: Seat) -> list[Seat]:
    seats = [leader]
    while len(seats) < rules.players:
        seats.append(rules.next_seat(seats[-1]))
    return seats


def play_deals(
    seed: int,
    rules: RuleSet,
    deals: int,
    dealer: Seat | None = None,
    revoker: Seat | None = None,
    hurrier: Seat | None = None,
    misdealt: Seat | None = None,
    pack: Pack = "sueca",
) -> list[PlayedDeal]:
    """`deals` whole deals from a `pack`; the dealer passes on by the rules.

    In each, `revoker` revokes once and `hurrier` plays once before its turn. In the first,
    `misdealt` has a card too many: it is thrown in, and the same dealer deals anew. With a pack that
    lacks a card nobody revokes.

    Raises `RuntimeError` if no shuffle gives the revoker a chance, which does not happen.
    """
    rng = np.random.default_rng([seed, 21])
    dealer = dealer or SEATS[int(rng.integers(4))]
    cards = _cards_of(pack, seed)
    played: list[PlayedDeal] = []
    if misdealt:
        own = np.random.default_rng([seed, 22])  # a stream of its own: the other deals stay
        thrown = (_play_misdealt(own, rules, dealer, misdealt) for _ in range(_TRIES))
        played.append(next(one for one in thrown if one is not None))
    for _ in range(deals - len(played)):
        for _ in range(_TRIES):
            if pack == "card-missing":
                one = _play_lacking(rng, rules, dealer, cards)
            else:
                one = _play_out(rng, rules, dealer, revoker, cards)
            if one is not None:
                break
        else:
            raise RuntimeError(f"no chance for {revoker} to revoke in {_TRIES} shuffles")
        played.append(_hurry(rng, one, hurrier) if hurrier else one)
        dealer = rules.next_seat(dealer)
    return played
