"""Simulated players keep the rules, except those who were asked to break them."""

from collections import Counter

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from assistant.sueca import SEATS, fold, preset
from datasets.simulate_game import play_deals

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
