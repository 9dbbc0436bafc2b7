"""Folding a deal: who wins, who is next, what it is worth; and that nothing observed raises."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.sueca import (
    DECK,
    PRESETS,
    Card,
    Deal,
    Folder,
    Play,
    Seat,
    Suit,
    audit,
    fold,
    preset,
    score_deal,
    winning_place,
)
from tests.assistant.sueca.builders import cards, deal_of, naive_winner, seeded

SEEDS = st.integers(0, 2**32)
WHOLE_GAMES = [name for name in PRESETS if name != "bisca"]


@pytest.mark.parametrize(
    ("trick", "trump", "place"),
    [
        ("2H 6H 5H 4H", "S", 1),  # a 6 beats a 5 though both are worth nothing
        ("KH 7H AH JH", "S", 2),
        ("QH JH KH 7H", "S", 3),  # 7 over king, king over jack, jack over queen
        ("AH 2S 7H KH", "S", 1),  # the lowest trump beats the ace
        ("AH 2S 3S KH", "S", 2),
        ("2H AS AD AC", "D", 2),
        ("2H AS 7S AC", "D", 0),  # aces of other suits win nothing
    ],
)
def test_highest_trump_else_highest_of_the_suit_led(trick: str, trump: str, place: int) -> None:
    assert winning_place(cards(trick), Suit(trump)) == place


def test_of_two_equal_cards_the_first_wins_dupla_our_choice() -> None:
    assert winning_place(cards("KH AH AH 2H"), Suit.S) == 1


def test_an_empty_trick_has_no_winner() -> None:
    with pytest.raises(ValueError, match="at least one card"):
        winning_place((), Suit.S)


def test_the_winner_gathers_the_points_and_leads_next() -> None:
    state = fold(deal_of("S:KH E:7H N:AH W:2H"))
    assert state.tricks[0].winner is state.turn is Seat.N
    assert state.tricks[0].points == 25
    assert state.points == (25, 0)


def test_the_seat_after_the_dealer_leads_first() -> None:
    assert fold(deal_of("", dealer="E")).turn is Seat.N
    assert fold(deal_of("", dealer="E", rules="classica")).turn is Seat.S


def test_with_the_dealer_unknown_whoever_leads_leads() -> None:
    assert fold(deal_of("", dealer=None)).turn is None
    assert fold(deal_of("N:2H", dealer=None)).turn is Seat.W


def test_within_a_trick_who_is_winning_is_known() -> None:
    state = fold(deal_of("S:KH E:7H"))
    assert (state.leading, state.led, len(state.table)) == (Seat.E, Suit.H, 2)


def test_a_card_outside_the_deck_wins_only_if_no_one_follows_it() -> None:
    assert fold(deal_of("S:8H E:2H N:3C W:4C")).tricks[0].winner is Seat.E
    assert fold(deal_of("S:8H E:2S N:3C W:4C")).tricks[0].winner is Seat.S
    assert fold(deal_of("S:2H E:10H N:3C W:4C")).tricks[0].winner is Seat.S


def test_with_trump_unknown_no_card_is_a_trump() -> None:
    state = fold(Deal(preset("selminha"), None, None, deal_of("S:KH E:2S N:2H W:3H").plays))
    assert state.tricks[0].winner is Seat.S


def test_a_bare_suit_can_be_trumps() -> None:
    deal = Deal(preset("selminha"), None, Suit.S, deal_of("S:KH E:2S N:2H W:3H").plays)
    assert fold(deal).tricks[0].winner is Seat.E


@pytest.mark.parametrize("name", WHOLE_GAMES)
@given(seed=SEEDS)
def test_a_complete_deal_shares_out_all_the_card_points(name: str, seed: int) -> None:
    state = fold(seeded(seed, name).deal)
    assert state.complete
    assert sum(state.points) == preset(name).total_points
    assert sum(state.tricks_won) == preset(name).tricks


@given(seed=SEEDS, name=st.sampled_from(WHOLE_GAMES), revoke=st.sampled_from([0.0, 0.3]))
def test_every_trick_goes_where_the_plain_rules_send_it(
    seed: int, name: str, revoke: float
) -> None:
    deal = seeded(seed, name, revoke).deal
    assert deal.trump_suit is not None
    for trick in fold(deal).tricks:
        assert trick.winner is naive_winner(trick.plays, deal.trump_suit.value)


OBSERVED_CARDS = [*DECK, *cards("8S 9H 10D JOKER ??")]


@st.composite
def any_deal(draw: st.DrawFn) -> Deal:
    """Anything a camera or a file might come up with."""
    rules = preset(draw(st.sampled_from(list(PRESETS))))
    seat = st.sampled_from(list(Seat))
    play = st.builds(Play, seat, st.sampled_from(OBSERVED_CARDS), p=st.floats(0, 1))
    return Deal(
        rules,
        draw(st.none() | seat),
        draw(st.none() | st.sampled_from(OBSERVED_CARDS) | st.sampled_from(list(Suit))),
        tuple(draw(st.lists(play, max_size=50))),
        trick_sizes=tuple(draw(st.lists(st.integers(1, 9), max_size=12))),
    )


@given(deal=any_deal(), final=st.booleans())
def test_nothing_observed_raises(deal: Deal, final: bool) -> None:
    state = fold(deal)
    audit(state, final=final)
    score_deal(state)


@given(deal=any_deal())
def test_refolding_equals_incremental_folding(deal: Deal) -> None:
    folder = Folder(Deal(deal.rules, deal.dealer, deal.trump, (), deal.shown, deal.trick_sizes))
    for number, play in enumerate(deal.plays, start=1):
        folder.push(play)
        so_far = Deal(
            deal.rules, deal.dealer, deal.trump, deal.plays[:number], (), deal.trick_sizes
        )
        assert folder.state() == fold(so_far)


@given(seed=SEEDS, number=st.integers(0, 39), card=st.sampled_from(OBSERVED_CARDS))
def test_correcting_and_undoing_the_correction_is_the_identity(
    seed: int, number: int, card: Card
) -> None:
    deal = seeded(seed).deal
    was = deal.plays[number]
    changed = deal.corrected(number, Play(was.seat, card))
    assert changed.corrected(number, was) == deal
    assert fold(changed.corrected(number, was)) == fold(deal)


@given(seed=SEEDS, card=st.sampled_from(OBSERVED_CARDS))
def test_playing_and_undoing_is_the_identity(seed: int, card: Card) -> None:
    deal = seeded(seed).deal
    assert deal.with_play(Play(Seat.S, card)).without_last() == deal


def test_correcting_a_play_that_is_not_there_is_refused() -> None:
    with pytest.raises(IndexError, match="expected a play 0 to 0, got 1"):
        deal_of("S:2H").corrected(1, Play(Seat.S, DECK[0]))


def test_a_deal_with_a_foreign_card_is_never_complete() -> None:
    deal = seeded(1).deal
    changed = deal.corrected(3, Play(deal.plays[3].seat, Card.observed("8S")))
    assert not fold(changed).complete
    assert score_deal(fold(changed)) is None


def test_a_deal_whose_last_cards_were_not_gathered_is_not_complete() -> None:
    deal = replace(seeded(1).deal, trick_sizes=(3,))
    assert fold(deal).over
    assert not fold(deal).complete
