"""From the log's deals to the rules' deals, and back to the log's numbers."""

from pathlib import Path

import pytest

from assistant.events import DealStarted, Event, PlaySeen
from assistant.fold import Game
from assistant.live import LiveGame
from assistant.log import GameLog
from assistant.observed import matches_of, record_of
from tests.assistant.games import played_deal
from vision.errors import UserError


def game_of(*events: Event) -> Game:
    game = LiveGame(GameLog(Path(":memory:")))
    game.apply(events)  # type: ignore[arg-type]
    game.close()
    return game.game


def without(events: tuple[Event, ...], *play_ids: int) -> tuple[Event, ...]:
    return tuple(e for e in events if not (isinstance(e, PlaySeen) and e.play_id in play_ids))


@pytest.mark.parametrize("seed", range(5))
def test_a_legal_deal_has_no_flags_and_all_the_points(seed: int) -> None:
    (match,) = matches_of(game_of(*played_deal(seed)))
    (deal,) = match.deals
    assert match.scored.deals[0].flags == ()
    assert sum(deal.state.points) == 120
    assert deal.numbers == tuple(range(1, 11))


def test_a_play_that_was_missed_does_not_shift_the_vazas_after_it() -> None:
    events = played_deal(1)
    whole = matches_of(game_of(*events))[0].deals[0].state
    lacking = matches_of(game_of(*without(events, 7)))[0].deals[0].state
    assert [len(trick.plays) for trick in lacking.tricks] == [4, 3] + [4] * 8
    assert [t.cards for t in lacking.tricks[2:]] == [t.cards for t in whole.tricks[2:]]


def test_a_vaza_that_was_missed_whole_keeps_the_numbers_of_those_after_it() -> None:
    (match,) = matches_of(game_of(*without(played_deal(1), 5, 6, 7, 8)))
    deal = match.deals[0]
    assert deal.numbers == (1, 3, 4, 5, 6, 7, 8, 9, 10)
    assert deal.trick_number(2) == 3


def test_a_renuncia_is_proved_in_the_record_of_the_log() -> None:
    record = record_of(game_of(*played_deal(11, revoke=True)))
    flags = [flag for flag in record.deals[0].flags if flag.kind == "revoke"]
    assert [(flag.status, flag.seats) for flag in flags] == [("proved", ["E"])]


def test_an_open_vaza_waits_for_its_cards() -> None:
    events = without(played_deal(1, tricks=1), 4)[:-1]  # nor was it gathered
    state = matches_of(game_of(*events))[0].deals[0].state
    assert (len(state.tricks), len(state.table)) == (0, 3)


def test_a_game_without_deals_has_an_empty_record() -> None:
    record = record_of(game_of())
    assert (record.rules, record.deals, record.match["NS"]) == ("selminha", [], 0)


def test_rules_there_are_not_are_named_in_one_line() -> None:
    with pytest.raises(UserError, match="'poker'"):
        matches_of(game_of(DealStarted(0, 1, "poker", "W")))
