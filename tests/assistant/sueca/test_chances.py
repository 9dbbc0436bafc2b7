"""Exact chances and matchings, held against enumeration of every deal of small decks."""

from dataclasses import replace
from fractions import Fraction
from itertools import combinations, permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assistant.sueca import Folder, Seat, Suit, fold, void_chances
from assistant.sueca.chances import (
    Unseen,
    _deal_hands,
    _deal_suits,
    count_deals,
    feasible,
    offenders,
    unseen,
)
from tests.assistant.sueca.builders import deal_of, seeded


@st.composite
def small(draw: st.DrawFn) -> tuple[Unseen, tuple[int, ...]]:
    """Up to eight unseen cards at a table of four, with any claims of voids."""
    suits = draw(st.lists(st.integers(0, 2), min_size=4, max_size=4))
    rooms = [0, 0, 0, 0]
    for _ in range(sum(suits)):
        rooms[draw(st.integers(0, 3))] += 1
    voids = draw(st.lists(st.integers(0, 15), min_size=4, max_size=4))
    return Unseen(tuple(suits), tuple(rooms)), tuple(voids)


def every_deal(cards: Unseen) -> set[tuple[frozenset[int], ...]]:
    """Every way to deal the cards out, as one set of card numbers a seat."""
    n = sum(cards.suits)
    deals: set[tuple[frozenset[int], ...]] = set()

    def deal(left: frozenset[int], hands: tuple[frozenset[int], ...]) -> None:
        if len(hands) == len(cards.room):
            deals.add(hands)
            return
        for hand in combinations(sorted(left), cards.room[len(hands)]):
            deal(left - set(hand), (*hands, frozenset(hand)))

    deal(frozenset(range(n)), ())
    return deals


def allowed(cards: Unseen, voids: tuple[int, ...], hands: tuple[frozenset[int], ...]) -> bool:
    suit_of = [suit for suit, n in enumerate(cards.suits) for _ in range(n)]
    return all(
        not voids[seat] >> suit_of[card] & 1 for seat, hand in enumerate(hands) for card in hand
    )


@settings(max_examples=60, deadline=None)
@given(case=small())
def test_the_count_is_that_of_every_deal_enumerated(
    case: tuple[Unseen, tuple[int, ...]],
) -> None:
    cards, voids = case
    assert count_deals(cards, voids) == sum(allowed(cards, voids, d) for d in every_deal(cards))


@settings(max_examples=100, deadline=None)
@given(case=small())
def test_counting_by_hands_and_by_suits_agree(case: tuple[Unseen, tuple[int, ...]]) -> None:
    cards, voids = case
    suits = [
        (tuple(i for i, void in enumerate(voids) if not void >> suit & 1), n)
        for suit, n in enumerate(cards.suits)
    ]
    assert _deal_hands(suits, list(cards.room)) == _deal_suits(suits, list(cards.room))


@settings(max_examples=200, deadline=None)
@given(case=small())
def test_feasible_means_at_least_one_deal(case: tuple[Unseen, tuple[int, ...]]) -> None:
    cards, voids = case
    assert feasible(cards, voids) == (count_deals(cards, voids) > 0)


@settings(max_examples=200, deadline=None)
@given(case=small())
def test_the_offenders_are_the_smallest_group_whose_claims_cannot_all_be_true(
    case: tuple[Unseen, tuple[int, ...]],
) -> None:
    cards, voids = case

    def contradict(group: tuple[int, ...]) -> bool:
        theirs = [void if seat in group else 0 for seat, void in enumerate(voids)]
        return count_deals(cards, theirs) == 0

    group = offenders(cards, voids)
    if not group:
        assert not contradict((0, 1, 2, 3))
        return
    assert contradict(group)
    for smaller in combinations(range(4), len(group) - 1):
        assert not contradict(smaller)


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 2**32), left=st.integers(4, 9), revoke=st.sampled_from([0.0, 0.2]))
def test_the_chance_of_a_held_suit_is_that_of_every_deal_enumerated(
    seed: int, left: int, revoke: float
) -> None:
    deal = seeded(seed, "selminha", revoke).deal
    state = fold(replace(deal, plays=deal.plays[: 40 - left]))
    cards = unseen(state)
    assert cards is not None
    chances = void_chances(state)
    voids = [0, 0, 0, 0]
    for chance in chances:
        voids[chance.seat.index] |= 1 << chance.suit.index
    deals = every_deal(cards)
    for chance in chances:
        others = list(voids)
        others[chance.seat.index] &= ~(1 << chance.suit.index)
        possible = sum(allowed(cards, tuple(others), hands) for hands in deals)
        void = sum(allowed(cards, tuple(voids), hands) for hands in deals)
        assert chance.p_held == pytest.approx(float(1 - Fraction(void, possible)), abs=1e-12)


def test_a_discard_on_the_first_lead_by_hand() -> None:
    """E refuses hearts in the first trick: nine hearts among 38 cards, E holds nine of them.

    The dealer's trump card is known, so 37 unknown cards; the void has chance C(28,9)/C(37,9).
    """
    (chance,) = void_chances(fold(deal_of("S:2H E:2C", dealer="W", trump="2S")))
    expected = Fraction(1)
    for i in range(9):
        expected *= Fraction(28 - i, 37 - i)
    assert (chance.seat, chance.suit) == (Seat.E, Suit.H)
    assert abs(chance.p_held - float(1 - expected)) < 1e-12


def test_the_order_of_seats_does_not_matter() -> None:
    cards = Unseen((3, 2, 2, 1), (3, 2, 2, 1))
    voids = (1, 2, 4, 0)
    counts = {
        count_deals(
            replace(cards, room=tuple(cards.room[i] for i in order)),
            tuple(voids[i] for i in order),
        )
        for order in permutations(range(4))
    }
    assert len(counts) == 1


def test_nothing_is_said_where_the_observation_does_not_add_up() -> None:
    assert unseen(fold(deal_of("S:2H E:2H"))) is None
    assert unseen(fold(deal_of("S:2H E:8H"))) is None
    assert void_chances(fold(deal_of("S:2H E:2C N:2C"))) == ()


def test_italiana_a_discard_claims_two_voids() -> None:
    deal = deal_of("S:2H E:2C", dealer="W", trump="2S", rules="italiana")
    assert {chance.suit for chance in void_chances(fold(deal))} == {Suit.H, Suit.S}


def test_chances_are_there_after_every_play_of_a_deal_with_many_voids() -> None:
    deal = seeded(11, "selminha", 1.0).deal
    folder = Folder(replace(deal, plays=()))
    for play in deal.plays:
        folder.push(play)
        for chance in void_chances(folder.state()):
            assert 0 <= chance.p_held < 1
