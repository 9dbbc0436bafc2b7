"""The pixel-free simulator: legal games, events that tell of their truth."""

import math
from dataclasses import replace

import pytest

from assistant.sueca import Deal, Play, fold, preset
from datasets.eventsim import (
    EASY,
    HARD,
    LEVELS,
    NORMAL,
    DealSimulator,
    Recording,
    TrueDeal,
    simulate_deal,
    simulate_match,
)
from datasets.eventsim_statistics import Statistics
from vision.events import CardGone, CardPlaced, CardReread
from vision.labels import LABELS

RULES = preset("selminha")
CALM = replace(EASY, revoke=0.0)


def _state(deal: TrueDeal):
    plays = tuple(Play(play.seat, play.card, play.t) for play in deal.plays)
    return fold(Deal(RULES, deal.dealer, deal.trump, plays))


def _placed(recording: Recording) -> dict[int, CardPlaced]:
    return {event.track: event for event in recording.events if isinstance(event, CardPlaced)}


@pytest.mark.parametrize("level", LEVELS)
def test_the_same_seed_gives_the_same_recording(level: str) -> None:
    assert simulate_deal(5, LEVELS[level]) == simulate_deal(5, LEVELS[level])


def test_different_seeds_give_different_deals() -> None:
    assert simulate_deal(1, EASY).deals != simulate_deal(2, EASY).deals


@pytest.mark.parametrize("seed", range(20))
def test_players_keep_to_the_rules_unless_set_not_to(seed: int) -> None:
    state = _state(simulate_deal(seed, CALM).deals[0])
    assert state.complete
    assert not state.broken
    assert not state.turn_faults


def test_a_player_set_to_revoke_does_so_once() -> None:
    deals = [simulate_deal(seed, replace(EASY, revoke=1.0)).deals[0] for seed in range(30)]
    broken = [{b.claim.trick for b in _state(deal).broken} for deal in deals]
    assert sum(map(bool, broken)) > 15
    assert all(len(tricks) <= 1 for tricks in broken)


def test_a_trick_out_of_turn_has_its_plays_in_the_order_they_fell() -> None:
    deals = [simulate_deal(seed, replace(CALM, out_of_turn=1.0)).deals[0] for seed in range(10)]
    assert all(_state(deal).turn_faults for deal in deals)


@pytest.mark.parametrize("statistics", [EASY, NORMAL, HARD], ids=["easy", "normal", "hard"])
def test_events_come_in_the_order_they_became_known(statistics: Statistics) -> None:
    times = [event.t for event in simulate_deal(3, statistics).events]
    assert times == sorted(times)


def test_every_play_of_an_easy_deal_has_a_track_that_shows_its_card() -> None:
    recording = simulate_deal(4, replace(CALM, top1=1.0))
    placed = _placed(recording)
    for play in recording.deals[0].plays:
        log_probs = placed[play.tracks[0]].log_probs
        assert LABELS[max(range(len(LABELS)), key=log_probs.__getitem__)] == play.card.text


def test_missed_cards_have_no_track() -> None:
    recording = simulate_deal(4, replace(EASY, miss=1.0, trump_unseen=1.0, counting=0.0))
    assert not any(play.tracks for play in recording.deals[0].plays)
    assert all(event.face == "down" for event in _placed(recording).values())


def test_what_is_played_for_a_card_taken_back_may_have_no_track() -> None:
    statistics = replace(CALM, taken_back=1.0, replaced_unseen=1.0, trump_unseen=1.0)
    recording = simulate_deal(4, replace(statistics, counting=0.0))
    unseen = [play for play in recording.deals[0].plays if not play.tracks]
    shown = {track for play in recording.deals[0].plays for track in play.tracks}
    assert unseen
    taken_back = [
        card
        for track, card in _placed(recording).items()
        if card.face == "up" and track not in shown
    ]
    assert len(taken_back) == len(unseen)


def test_cards_leave_no_more_often_than_they_came() -> None:
    recording = simulate_deal(9, HARD)
    gone = [event.track for event in recording.events if isinstance(event, CardGone)]
    assert len(gone) == len(set(gone))
    assert set(gone) <= set(_placed(recording))


def test_a_match_passes_the_deal_on() -> None:
    deals = simulate_match(2, EASY, 3).deals
    assert [d.dealer for d in deals[1:]] == [RULES.next_seat(d.dealer) for d in deals[:-1]]


def test_the_rest_laid_down_accounts_for_every_card() -> None:
    simulator = DealSimulator(3, CALM)
    simulator.play_deal(RULES.seats[0], claim_after=7)
    deal = simulator.recording().deals[0]
    assert len({play.card for play in deal.plays}) == 40
    assert sum(play.trick == 0 for play in deal.plays) == 12


def test_the_dealers_card_may_be_taken_for_two_side_by_side() -> None:
    recording = simulate_deal(7, replace(CALM, shown_split=1.0))
    first, second = list(_placed(recording).values())[:2]
    assert math.dist(first.centre, second.centre) < 0.15
    assert not {first.track, second.track} & {t for p in recording.deals[0].plays for t in p.tracks}


def test_a_card_laid_over_another_takes_its_track() -> None:
    recording = simulate_deal(7, replace(CALM, overlaid=0.2))
    plays = recording.deals[0].plays
    over = [
        (below, above)
        for i, above in enumerate(plays)
        for below in plays[:i]
        if set(below.tracks) & set(above.tracks)
    ]
    assert over
    rereads = {e.track: e.log_probs for e in recording.events if isinstance(e, CardReread)}
    for _, above in over:
        track = above.tracks[-1]
        last = [p.card.text for p in plays if track in p.tracks][-1]
        assert LABELS[max(range(len(LABELS)), key=rereads[track].__getitem__)] == last


def test_a_card_under_a_hand_is_seen_long_after_it_came() -> None:
    recording = simulate_deal(7, replace(CALM, hovered=1.0, trump_lying=0.0))
    placed = _placed(recording)
    late = [placed[p.tracks[0]].first_seen - p.t for p in recording.deals[0].plays if p.tracks]
    assert min(late) > 0.5
