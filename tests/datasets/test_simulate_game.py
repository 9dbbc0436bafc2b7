"""Simulated players keep the rules, except those who were asked to break them."""

from collections import Counter

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from assistant.sueca import DECK, SEATS, Card, fold, preset
from datasets.simulate_game import SECOND, play_deals

SEEDS = st.integers(min_value=0, max_value=2**32 - 1)
RULES = st.sampled_from(["selminha", "classica", "italiana"])


@given(SEEDS, RULES)
@settings(max_examples=30, deadline=None)
def test_players_who_keep_the_rules_leave_nothing_to_flag(seed, name):
    (one,) = play_deals(seed, preset(name), 1)
    state = fold(one.deal)
    assert state.complete
    assert not state.broken
    assert not state.turn_faults
    assert sum(state.points) == 120


@given(SEEDS, st.sampled_from(SEATS))
@settings(max_examples=30, deadline=None)
def test_the_revoker_revokes_once_and_proves_it_later(seed, seat):
    (one,) = play_deals(seed, preset("selminha"), 1, revoker=seat)
    (revoke,) = one.revokes
    (broken,) = {(b.claim.seat, b.claim.trick) for b in fold(one.deal).broken}
    assert (revoke.seat, revoke.trick) == (SEATS[broken[0]], broken[1])
    assert revoke.proved_in == min(b.trick for b in fold(one.deal).broken)
    assert revoke.proved_in > revoke.trick


@given(SEEDS)
@settings(max_examples=20, deadline=None)
def test_the_trump_card_is_the_dealers(seed):
    (one,) = play_deals(seed, preset("selminha"), 1)
    assert fold(one.deal).trump_holder == one.deal.dealer


def test_the_deal_passes_on_by_the_rules():
    dealers = [one.deal.dealer.value for one in play_deals(3, preset("selminha"), 5, SEATS[0])]
    assert dealers == ["S", "E", "N", "W", "S"]
    dealers = [one.deal.dealer.value for one in play_deals(3, preset("classica"), 3, SEATS[0])]
    assert dealers == ["S", "W", "N"]


@given(SEEDS, st.sampled_from(SEATS))
@settings(max_examples=20, deadline=None)
def test_who_plays_before_the_turn_is_told_and_changes_nothing_else(seed, seat):
    (one,) = play_deals(seed, preset("selminha"), 1, hurrier=seat)
    (same,) = play_deals(seed, preset("selminha"), 1)
    assume(one.out_of_turn)  # now and then a seat never plays third or fourth
    ((who, trick),) = one.out_of_turn
    faults = fold(one.deal).turn_faults
    assert who == seat
    assert {fault.trick for fault in faults} == {trick}
    assert one.deal.plays[faults[0].play].seat == seat
    assert fold(one.deal).points == fold(same.deal).points


@given(SEEDS, st.sampled_from(SEATS))
@settings(max_examples=20, deadline=None)
def test_a_misdealt_player_has_eleven_cards_and_another_nine(seed, seat):
    thrown, anew = play_deals(seed, preset("selminha"), 2, SEATS[2], misdealt=seat)
    misdeal = thrown.misdeal
    assert misdeal is not None
    assert misdeal.long == seat
    played = Counter(play.seat for play in thrown.deal.plays)
    assert len(thrown.deal.plays) == 39
    assert played == {s: 9 if s is misdeal.short else 10 for s in SEATS}
    assert fold(thrown.deal).unseen == (misdeal.left_over,)
    assert anew.misdeal is None
    assert anew.deal.dealer == thrown.deal.dealer


def test_setting_a_player_to_misdeal_changes_no_other_deal():
    plain = play_deals(8, preset("selminha"), 1)
    assert play_deals(8, preset("selminha"), 2, misdealt=SEATS[1])[1:] == plain


def cards_of(seed, pack, deals=1):
    """What was played in each deal from a pack."""
    played = play_deals(seed, preset("selminha"), deals, pack=pack)
    return [[play.card for play in one.deal.plays] for one in played]


@given(SEEDS)
@settings(max_examples=20, deadline=None)
def test_a_poker_deck_has_cards_that_are_none_of_the_40(seed):
    (cards,) = cards_of(seed, "poker")
    foreign = {card for card in cards if card.foreign}
    ours = [card for card in cards if not card.foreign]
    assert len(cards) == 40
    assert {card.rank for card in foreign} <= {"8", "9", "10", "JOKER"}
    assert len(set(ours)) == len(ours)


@given(SEEDS)
@settings(max_examples=20, deadline=None)
def test_of_two_decks_cards_come_twice_and_no_more(seed):
    (many,), (one,) = cards_of(seed, "two-decks"), cards_of(seed, "one-twice")
    assert max(Counter(many).values()) == 2
    assert len(set(one)) == 39
    assert len(many) == len(one) == 40


@given(SEEDS)
@settings(max_examples=20, deadline=None)
def test_the_same_card_is_missing_in_every_deal_and_the_dealer_has_nine(seed):
    played = play_deals(seed, preset("selminha"), 2, pack="card-missing")
    lacking = [set(DECK) - {play.card for play in one.deal.plays} for one in played]
    assert lacking[0] == lacking[1]
    assert len(lacking[0]) == 1
    for one in played:
        held = Counter(play.seat for play in one.deal.plays)
        assert held == {seat: 9 if seat is one.deal.dealer else 10 for seat in SEATS}


@given(SEEDS)
@settings(max_examples=20, deadline=None)
def test_two_cards_alike_are_two_pieces_and_the_dealer_keeps_the_one_shown(seed):
    (one,) = play_deals(seed, preset("selminha"), 1, pack="two-decks")
    assert len(set(one.pieces)) == 40
    trump = next(k for k, piece in enumerate(one.pieces) if piece == one.deal.trump.text)
    assert one.deal.plays[trump].seat is one.deal.dealer
    for piece, play in zip(one.pieces, one.deal.plays, strict=True):
        assert Card.parse(piece.removesuffix(SECOND)) is play.card
