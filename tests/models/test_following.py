"""The bench: errors are put down to the right stage, and the scribe gets no worse."""

from dataclasses import replace

import pytest

from assistant.events import CameraEvent, DealStarted, PlaySeen, Seat, TrumpShown
from assistant.scribe import ScribeOptions
from assistant.sueca import preset
from datasets.eventsim import EASY, Recording, simulate_deal
from datasets.eventsim_deal import TruePlay
from models.following import compare
from models.following_events import evaluate_level, evaluate_situations, main, report

RULES = preset("selminha")
RECORDING: Recording = simulate_deal(11, replace(EASY, counting=0.0))
TRUTH = RECORDING.deals[0]


def _seen(number: int, play: TruePlay, **changed: object) -> PlaySeen:
    event = PlaySeen(
        t=play.t,
        play_id=number,
        seat=play.seat.value,
        card=play.card.text,
        trick=play.trick,
        played=play.t,
        p=0.99,
        track=play.tracks[0],
    )
    return replace(event, **changed)  # type: ignore[arg-type]


def _log(plays: list[PlaySeen]) -> list[CameraEvent]:
    shown = TrumpShown(0.5, TRUTH.trump.text, TRUTH.dealer.value)
    return [DealStarted(0.0, 1, "selminha"), shown, *plays]


def _stages(plays: list[PlaySeen]) -> list[str]:
    (deal,) = compare(RECORDING.deals, _log(plays), RULES)
    return [error.stage for error in deal.errors]


PLAYS = [_seen(i, play) for i, play in enumerate(TRUTH.plays, 1)]


def test_a_log_that_is_right_has_no_errors() -> None:
    (deal,) = compare(RECORDING.deals, _log(PLAYS), RULES)
    assert deal.wholly_right
    assert deal.points_right
    assert (deal.right, deal.revokes_missed, deal.revokes_invented) == (40, 0, 0)


def test_another_card_on_the_right_track_is_misread() -> None:
    assert _stages([replace(PLAYS[0], card="XX"), *PLAYS[1:]]) == ["misread"]


def test_another_seat_is_a_wrong_seat() -> None:
    other: Seat = "S" if PLAYS[0].seat != "S" else "N"
    assert _stages([replace(PLAYS[0], seat=other), *PLAYS[1:]]) == ["wrong seat"]


def test_another_trick_is_a_wrong_trick() -> None:
    assert _stages([replace(PLAYS[0], trick=2), *PLAYS[1:]]) == ["wrong trick"]


def test_right_plays_are_right_whichever_of_two_cards_their_tracks_show() -> None:
    upper, lower = TRUTH.plays[1], TRUTH.plays[0]
    truth = replace(
        TRUTH, plays=(*(replace(p, tracks=lower.tracks) for p in (lower, upper)), *TRUTH.plays[2:])
    )
    log = _log([replace(PLAYS[0], track=None), _seen(2, upper, track=lower.tracks[0]), *PLAYS[2:]])
    (deal,) = compare((truth,), log, RULES)
    assert deal.wholly_right


def test_a_track_without_a_play_is_missed() -> None:
    assert _stages(PLAYS[1:]) == ["missed"]


def test_a_card_without_a_track_was_not_found() -> None:
    truth = replace(TRUTH, plays=(replace(TRUTH.plays[0], tracks=()), *TRUTH.plays[1:]))
    (deal,) = compare([truth], _log(PLAYS[1:]), RULES)
    assert [error.stage for error in deal.errors] == ["not found"]


def test_a_play_of_nothing_is_invented() -> None:
    more = replace(PLAYS[0], play_id=99, track=999, card="XX")
    assert _stages([*PLAYS, more]) == ["invented"]


def test_a_wrong_seat_costs_the_points() -> None:
    winner = TRUTH.plays[0].seat
    other: Seat = "E" if winner.value in "SN" else "N"
    plays = [replace(p, seat=other) if p.trick == 1 else p for p in PLAYS]
    (deal,) = compare(RECORDING.deals, _log(plays), RULES)
    assert deal.points_right == (deal.right == 40)


RATCHET = {"easy": (1.0, 1.0), "normal": (0.998, 0.97), "hard": (0.99, 0.85)}
"""Plays right, deals wholly right: the targets of the design, on seeds of the tests' own."""


@pytest.mark.parametrize("level", RATCHET)
def test_the_scribe_follows_simulated_deals_as_well_as_it_must(level: str) -> None:
    tally = evaluate_level(level, range(500, 540), ScribeOptions(rules=RULES))
    plays, deals = RATCHET[level]
    assert tally.right >= plays * tally.plays, tally.failures
    assert tally.wholly_right >= deals * tally.deals, tally.failures


def test_the_rest_laid_down_is_seen_as_that_with_the_dealer_s_card_among_it() -> None:
    _, claims = evaluate_situations(range(9050, 9080), ScribeOptions(rules=RULES))
    assert claims.deals == 30
    assert claims.wholly_right >= 0.95 * claims.deals, claims.failures


def test_the_report_names_seeds_levels_and_stages() -> None:
    tally = evaluate_level("easy", range(3), ScribeOptions(rules=RULES))
    text = report([tally], range(3))
    assert "seeds 0 to 2" in text
    assert all(word in text for word in ("| easy |", "wrong seat", "p written"))


@pytest.mark.parametrize(
    "wrong",
    [
        ["--deals", "0"],
        ["--first-seed", "-1"],
        ["--rules", "whist"],
        ["--out", "/nowhere/report.md"],
        ["--out", "/tmp"],
    ],
)
def test_what_cannot_be_done_is_said_before_the_work_begins(
    wrong: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(["--level", "easy", *wrong])
    assert stopped.value.code == 2
    assert wrong[0] in capsys.readouterr().err
