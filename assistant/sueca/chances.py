"""What the cards not seen yet allow: exact counts of deals, and who must have revoked.

A discard claims that its seat is void in the suit led. Here claims are weighed against the cards
still out: `feasible` asks whether they can all be true (Hall's condition for a transportation
problem), `count_deals` in how many ways, and their ratio is the exact chance that a seat held the
suit after all. Nothing is sampled.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from math import comb, factorial, prod

from assistant.sueca.cards import DECK, SUITS, Card, Suit
from assistant.sueca.deal import Claim, Deal, DealState
from assistant.sueca.seats import Seat

_BITS = 8  # room for a capacity in a packed state: up to 80 cards and a guard bit
_GUARD = 1 << (_BITS - 1)
_SUIT_COUNT = len(SUITS)


@dataclass(frozen=True, slots=True)
class Unseen:
    """What is not known: `suits` cards out by suit, `room` cards each seat (by index) still holds.

    Cards known to be held (the face-up trump card, open hands) are left out of both.
    """

    suits: tuple[int, ...]
    room: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class VoidChance:
    """How far a claimed void is to be believed. `p_held`: chance that the seat held the suit.

    `p_held` is exact over all deals of the unseen cards in which every other claim is true.
    """

    seat: Seat
    suit: Suit
    p_held: float
    claims: tuple[Claim, ...]


def known_held(state: DealState) -> tuple[tuple[int, Card], ...]:
    """Cards known to be in a hand now and not played: (seat index, card)."""
    deal = state.deal
    held = [(shown.seat.index, shown.card) for shown in deal.shown]
    trump = dealer_trump(deal)
    if trump is not None and trump not in held:
        held.append(trump)
    if not held:
        return ()
    played = [(play.seat.index, play.card) for play in deal.plays]
    one_pack = deal.rules.packs == 1
    cards = {card for _, card in played} if one_pack else set()
    return tuple(pair for pair in held if pair not in played and pair[1] not in cards)


def dealer_trump(deal: Deal) -> tuple[int, Card] | None:
    """The face-up card and its owner's seat index, None where either is unknown."""
    card = deal.trump_card
    if card is None or card.foreign or deal.dealer is None or not deal.rules.trump_with_dealer:
        return None
    return deal.dealer.index, card


def unseen(state: DealState) -> Unseen | None:
    """What is not known, or None where the observation does not add up (a card seen twice…)."""
    rules = state.deal.rules
    if state.foreign or state.repeated or state.misseated or rules.stock:
        return None
    suits = [0] * _SUIT_COUNT
    for card, copies, seen in zip(DECK, rules.copies, state.seen, strict=False):
        suits[card.suit_index] += copies - seen
    room = [rules.hand_size - played for played in state.played]
    for seat, card in known_held(state):
        suits[card.suit_index] -= 1
        room[seat] -= 1
    if min(room) < 0 or min(suits) < 0 or sum(room) != sum(suits):
        return None
    return Unseen(tuple(suits), tuple(room))


def feasible(cards: Unseen, voids: Sequence[int]) -> bool:
    """Whether the cards can be dealt out so that seat `i` has no suit of bit mask `voids[i]`."""
    hands = [(room, void) for room, void in zip(cards.room, voids, strict=True) if room]
    for suits in range(1, 1 << _SUIT_COUNT):
        spare = 0
        for room, void in hands:
            if void & suits != suits:
                spare += room
        for suit, n in enumerate(cards.suits):
            if suits >> suit & 1:
                spare -= n
        if spare < 0:
            return False
    return True


def offenders(cards: Unseen, voids: Sequence[int]) -> tuple[int, ...]:
    """The smallest set of seats whose claims alone cannot all be true; empty if all can.

    Whatever the other seats hold, one of these has revoked.
    """
    if feasible(cards, voids):
        return ()
    claiming = [seat for seat, void in enumerate(voids) if void]
    for size in range(1, len(claiming) + 1):
        for group in combinations(claiming, size):
            theirs = [void if seat in group else 0 for seat, void in enumerate(voids)]
            if not feasible(cards, theirs):
                return group
    return ()


def count_deals(cards: Unseen, voids: Sequence[int]) -> int:
    """In how many ways the cards can be dealt so that no seat holds a suit it is void in.

    Seats with the same voids are one hand, split afterwards; suits closed to the same seats are
    one suit. Then suit by suit over the rooms left in up to four hands, or, for the many hands of
    two packs, hand by hand over the suits left: exact sums of multinomials either way.
    """
    rooms: dict[int, int] = {}
    ways = 1
    for room, void in zip(cards.room, voids, strict=True):
        rooms[void] = rooms.get(void, 0) + room
        ways *= comb(rooms[void], room)
    hands = [(void, room) for void, room in rooms.items() if room]
    merged: dict[tuple[int, ...], int] = {}
    for suit, n in enumerate(cards.suits):
        if n:
            open_to = tuple(i for i, (void, _) in enumerate(hands) if not void >> suit & 1)
            merged[open_to] = merged.get(open_to, 0) + n
    suits = sorted(merged.items(), key=lambda item: comb(item[1] + len(item[0]), len(item[0])))
    if not suits:
        return ways
    by_suit = len(hands) <= _SUIT_COUNT
    return ways * (_deal_suits if by_suit else _deal_hands)(suits, [room for _, room in hands])


def _packed(numbers: Sequence[int]) -> tuple[int, int]:
    """Numbers in one integer, and the guard bits that show a borrow between them."""
    value = sum(n << (_BITS * i) for i, n in enumerate(numbers))
    return value, sum(_GUARD << (_BITS * i) for i in range(len(numbers)))


Suits = list[tuple[tuple[int, ...], int]]
"""(hands that may hold the suit, cards of it)"""


def _deal_suits(suits: Suits, rooms_of: list[int]) -> int:
    """Ways to fill the hands' rooms, a suit at a time."""
    state, guards = _packed(rooms_of)
    states = {state: 1}
    for open_to, n in suits[:-1]:
        splits = _splits(open_to, n)
        after: dict[int, int] = {}
        for rooms, ways in states.items():
            guarded = rooms | guards
            for taken, weight in splits:
                left = guarded - taken
                if left & guards == guards:
                    left ^= guards
                    after[left] = after.get(left, 0) + ways * weight
        states = after
    open_to, n = suits[-1]
    closed = ~sum((_GUARD - 1) << (_BITS * hand) for hand in open_to)
    total = 0
    for rooms, ways in states.items():
        if not rooms & closed:
            parts = [rooms >> (_BITS * hand) & (_GUARD - 1) for hand in open_to]
            total += ways * (factorial(n) // prod(map(factorial, parts)))
    return total


def _deal_hands(suits: Suits, rooms_of: list[int]) -> int:
    """Ways to fill the hands' rooms, a hand at a time, a card at a time within it.

    The number of deals is prod(suit!) / prod(room!) times the coefficient of the suits in the
    product over hands of (sum of the suits it may hold) ** room. The widest hand comes last and
    is a plain multinomial.
    """
    open_suits = [
        [s for s, (hands, _) in enumerate(suits) if h in hands] for h in range(len(rooms_of))
    ]
    order = sorted(range(len(rooms_of)), key=lambda h: (len(open_suits[h]), rooms_of[h]))
    state, guards = _packed([n for _, n in suits])
    states = {state: 1}
    for hand in order[:-1]:
        units = [1 << (_BITS * suit) for suit in open_suits[hand]]
        for _ in range(rooms_of[hand]):
            after: dict[int, int] = {}
            for left, ways in states.items():
                guarded = left | guards
                for unit in units:
                    rest = guarded - unit
                    if rest & guards == guards:
                        rest ^= guards
                        after[rest] = after.get(rest, 0) + ways
            states = after
    last = order[-1]
    closed = ~sum((_GUARD - 1) << (_BITS * suit) for suit in open_suits[last])
    total = 0
    for left, ways in states.items():
        if not left & closed:
            parts = [left >> (_BITS * suit) & (_GUARD - 1) for suit in open_suits[last]]
            total += ways * (factorial(rooms_of[last]) // prod(map(factorial, parts)))
    dealt = prod(factorial(n) for _, n in suits)
    return total * dealt // prod(map(factorial, rooms_of))


@lru_cache(maxsize=4096)
def _splits(open_to: tuple[int, ...], n: int) -> tuple[tuple[int, int], ...]:
    """All ways to split `n` distinct cards among hands: (packed numbers taken, ways)."""
    if not open_to:
        return ((0, 1),) if n == 0 else ()
    if len(open_to) == 1:
        return ((n << (_BITS * open_to[0]), 1),)
    first, rest = open_to[0], open_to[1:]
    return tuple(
        ((k << (_BITS * first)) + taken, comb(n, k) * ways)
        for k in range(n + 1)
        for taken, ways in _splits(rest, n - k)
    )


def standing_claims(state: DealState) -> dict[tuple[int, int], list[Claim]]:
    """Claims no card seen so far disproves, by (seat index, index of the suit claimed void).

    Under `must_trump` a discard claims two voids: the suit led and trumps.
    """
    broken = {(fault.claim.play, fault.trump) for fault in state.broken}
    held = {(seat, card.suit_index) for seat, card in known_held(state)}
    trump = state.deal.trump_suit
    claims: dict[tuple[int, int], list[Claim]] = {}
    for claim in state.claims:
        key = (claim.seat, claim.suit)
        if (claim.play, False) not in broken and key not in held:
            claims.setdefault(key, []).append(claim)
        if claim.dodged_trump and trump is not None and (claim.play, True) not in broken:
            key = (claim.seat, trump.index)
            if key not in held:
                claims.setdefault(key, []).append(claim)
    return claims


def claimed_voids(state: DealState, claims: dict[tuple[int, int], list[Claim]]) -> list[int]:
    """Bit masks of the suits each seat claims not to have."""
    voids = [0] * state.deal.rules.players
    for seat, suit in claims:
        voids[seat] |= 1 << suit
    return voids


def void_chances(state: DealState) -> tuple[VoidChance, ...]:
    """The chance, for every claimed void that stands, that the seat held the suit all along.

    Empty where the observation does not add up, where nothing is left to know, and where the
    claims cannot all be true (then `offenders` says who).
    """
    cards = unseen(state)
    claims = standing_claims(state)
    if cards is None or not claims or not sum(cards.room):
        return ()
    voids = claimed_voids(state, claims)
    if not feasible(cards, voids):
        return ()
    all_true = count_deals(cards, voids)
    rules = state.deal.rules
    chances = []
    for (seat, suit), theirs in claims.items():
        others = list(voids)
        others[seat] &= ~(1 << suit)
        p_held = 1 - all_true / count_deals(cards, others)
        chances.append(VoidChance(rules.seats[seat], SUITS[suit], p_held, tuple(theirs)))
    return tuple(chances)
