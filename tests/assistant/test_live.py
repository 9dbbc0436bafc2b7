"""The live game: the log folded; a person's word outranks the camera's; undo is an event."""

import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assistant.events import (
    CameraEvent,
    DealEnded,
    DealerCorrected,
    DealStarted,
    Event,
    FlagRuled,
    PersonEvent,
    PlayCorrected,
    PlayersNamed,
    PlayRemoved,
    PlayRetracted,
    PlayRevised,
    PlaySeen,
    TrickGathered,
    TrumpCorrected,
    TrumpShown,
    Undone,
)
from assistant.fold import Game, Play, fold
from assistant.live import LiveGame
from assistant.log import Entry, GameLog
from tests.assistant.games import played_deal
from tests.assistant.test_log import ONE_OF_EACH


def live(tmp_path: Path, *events: CameraEvent) -> LiveGame:
    game = LiveGame(GameLog(tmp_path / "game.sqlite"), "models-1")
    game.apply(events)
    return game


def seen(play_id: int = 1, card: str = "6H", **changes: object) -> PlaySeen:
    values: dict[str, object] = {"t": 5.0, "seat": "S", "trick": 1, "played": 4.5, "p": 0.7}
    return PlaySeen(play_id=play_id, card=card, **{**values, **changes})  # type: ignore[arg-type]


def revised(play_id: int = 1, card: str = "6D", **changes: object) -> PlayRevised:
    values: dict[str, object] = {"t": 9.0, "seat": "S", "trick": 1, "played": 4.5, "p": 0.95}
    return PlayRevised(play_id=play_id, card=card, **{**values, **changes})  # type: ignore[arg-type]


def play(game: Game, play_id: int = 1) -> Play:
    found = game.play(play_id)
    assert found is not None
    return found


def test_a_whole_deal_is_forty_plays_in_order(tmp_path: Path) -> None:
    events = played_deal(1)
    deal = live(tmp_path, *events).game.deals[0]
    assert [p.card for p in deal.plays] == [e.card for e in events if isinstance(e, PlaySeen)]
    assert deal.ended == "complete"
    assert deal.gathered == frozenset(range(1, 11))


def test_a_game_reopened_after_a_crash_is_the_game_that_was(tmp_path: Path) -> None:
    before = live(tmp_path, *played_deal(2, tricks=6))  # never closed, as after a crash
    before.say(PlayersNamed(1.0, (("S", "Ana"),)))
    after = LiveGame(GameLog(tmp_path / "game.sqlite"))
    assert after.game == before.game
    assert after.next_play_id == 25


def test_a_later_reading_replaces_the_earlier(tmp_path: Path) -> None:
    game = live(tmp_path, seen(evidence="play-1"), revised())
    assert (play(game.game).card, play(game.game).p) == ("6D", 0.95)
    assert play(game.game).evidence == "play-1", "the picture stays"


def test_a_persons_card_outranks_what_the_camera_says_before_and_after(tmp_path: Path) -> None:
    game = live(tmp_path, seen())
    game.say(PlayCorrected(6.0, 1, card="AC"))
    game.apply([revised(card="6D", seat="E")])
    now = play(game.game)
    assert (now.card, now.p, now.camera_card) == ("AC", 1.0, "6D")
    assert now.seat == "E", "only what the person said is fixed"


def test_a_persons_seat_and_vaza_stay_too(tmp_path: Path) -> None:
    game = live(tmp_path, seen())
    game.say(PlayCorrected(6.0, 1, seat="N", trick=2))
    game.apply([revised(card="6D", seat="E", trick=1)])
    assert (play(game.game).seat, play(game.game).trick, play(game.game).card) == ("N", 2, "6D")


def test_the_camera_cannot_retract_what_a_person_has_confirmed(tmp_path: Path) -> None:
    game = live(tmp_path, seen())
    game.say(PlayCorrected(6.0, 1, card="6H"))
    game.apply([PlayRetracted(7.0, 1)])
    assert play(game.game).card == "6H"


def test_the_camera_retracts_its_own_play(tmp_path: Path) -> None:
    assert live(tmp_path, seen(), PlayRetracted(7.0, 1)).game.play(1) is None


def test_the_camera_cannot_bring_back_what_a_person_removed(tmp_path: Path) -> None:
    game = live(tmp_path, seen())
    game.say(PlayRemoved(6.0, 1))
    game.apply([revised()])
    assert game.game.play(1) is None


def test_a_persons_trump_and_dealer_outrank_the_cameras(tmp_path: Path) -> None:
    game = live(tmp_path, DealStarted(0, 1, "selminha", "S"), TrumpShown(1, "7D", "S", 0.8))
    game.say(TrumpCorrected(2, 1, "7H"))
    game.say(DealerCorrected(3, 1, "W"))
    game.apply([TrumpShown(4, "7D", "E", 0.9)])
    deal = game.game.deals[0]
    assert deal.trump is not None
    assert (deal.trump.card, deal.trump.p, deal.dealer) == ("7H", 1.0, "W")


def test_undo_takes_back_a_persons_latest_word_and_then_the_one_before(tmp_path: Path) -> None:
    game = live(tmp_path, seen())
    game.say(PlayCorrected(6.0, 1, card="AC"))
    game.say(PlayCorrected(7.0, 1, card="AS"))
    assert play(game.game).card == "AS"
    assert play(game.undo()).card == "AC"
    assert play(game.undo()).card == "6H"
    assert game.game.undoable is None
    assert play(game.undo()).card == "6H", "nothing is left to undo"


def test_undoing_a_correction_lets_the_cameras_later_reading_through(tmp_path: Path) -> None:
    game = live(tmp_path, seen())
    game.say(PlayCorrected(6.0, 1, card="AC"))
    game.apply([revised(card="6D")])
    assert play(game.undo()).card == "6D"


def test_undo_never_touches_what_the_camera_saw(tmp_path: Path) -> None:
    game = live(tmp_path, seen())
    game.say(Undone(6.0, entry=1))
    assert play(game.game).card == "6H"


def test_an_undo_can_be_undone(tmp_path: Path) -> None:
    game = live(tmp_path, seen())
    game.say(PlayCorrected(6.0, 1, card="AC"))
    game.undo()
    game.say(Undone(8.0, entry=3))
    assert play(game.game).card == "AC"


def test_undo_and_corrections_are_only_ever_added_to_the_log(tmp_path: Path) -> None:
    game = live(tmp_path, seen())
    game.say(PlayCorrected(6.0, 1, card="AC"))
    game.undo()
    kinds = [type(entry.event).__name__ for entry in game.entries]
    assert kinds == ["PlaySeen", "PlayCorrected", "Undone"]
    assert [entry.source for entry in game.entries] == ["camera", "person", "person"]
    assert [entry.model for entry in game.entries] == ["models-1", None, None]


def test_a_play_added_by_a_person_gets_a_number_no_camera_uses(tmp_path: Path) -> None:
    game = live(tmp_path, seen())
    game.add_play(1, 1, "E", "2C")
    game.add_play(1, 1, "N", "3C")
    assert [(p.play_id, p.seat, p.card) for p in game.game.deals[0].plays] == [
        (1, "S", "6H"),
        (-1, "E", "2C"),
        (-2, "N", "3C"),
    ]


def test_a_play_moved_in_time_moves_within_its_vaza(tmp_path: Path) -> None:
    game = live(tmp_path, seen(1, "6H", played=4.0), seen(2, "7H", played=5.0, seat="E"))
    game.apply([revised(1, "6H", played=5.5)])
    assert [p.play_id for p in game.game.deals[0].plays] == [2, 1]


def test_each_play_belongs_to_the_deal_it_was_seen_in(tmp_path: Path) -> None:
    game = live(tmp_path, *played_deal(1, number=1), *played_deal(2, number=2))
    game.apply([revised(1, "2C", trick=1)])  # a later thought on the first deal
    assert [len(deal.plays) for deal in game.game.deals] == [40, 40]


def test_the_latest_ruling_on_a_flag_comes_last(tmp_path: Path) -> None:
    game = live(tmp_path, *played_deal(1, tricks=2))
    game.say(FlagRuled(1, 1, "revoke:4,9", "upheld"))
    game.say(FlagRuled(2, 1, "revoke:4,9", "dismissed"))
    assert [r.ruling for r in game.game.deals[0].rulings] == ["upheld", "dismissed"]


def test_listeners_hear_of_every_change_until_they_leave(tmp_path: Path) -> None:
    game = live(tmp_path)
    heard: list[int] = []
    leave = game.subscribe(lambda now: heard.append(now.revision))
    game.apply([seen()])
    game.say(PlayRemoved(6.0, 1))
    leave()
    game.undo()
    assert heard == [1, 2]


def test_a_persons_word_bears_the_time_the_source_has_come_to(tmp_path: Path) -> None:
    game = live(tmp_path, seen(t=5.0))
    game.tick(42.0)
    game.undo()
    game.say(PlayRemoved(game.now, 1))
    assert game.entries[-1].event.t == 42.0


def test_a_camera_may_not_speak_for_a_person_nor_a_person_for_the_camera(tmp_path: Path) -> None:
    game = live(tmp_path)
    with pytest.raises(ValueError, match="expected a camera's event, got PlayRemoved"):
        game.apply([PlayRemoved(1.0, 1)])  # type: ignore[list-item]
    with pytest.raises(ValueError, match="expected a person's event, got PlaySeen"):
        game.say(seen())  # type: ignore[arg-type]
    assert game.entries == ()


# --- Properties: whatever the order, the fold holds ---------------------------------------------

EVENTS = st.lists(st.sampled_from(ONE_OF_EACH), max_size=40)


def numbered(events: list[Event]) -> tuple[Entry, ...]:
    return tuple(
        Entry(number, "person" if isinstance(event, PersonEvent) else "camera", None, event)
        for number, event in enumerate(events, start=1)
    )


@settings(deadline=None)  # a busy machine is no fault of the fold
@given(EVENTS)
def test_any_order_of_events_folds_without_an_error(events: list[Event]) -> None:
    game = fold(numbered(events))
    assert game.revision == len(events)


@settings(deadline=None)  # a busy machine is no fault of the fold
@given(EVENTS)
def test_correct_then_undo_is_the_identity(events: list[Event]) -> None:
    entries = numbered(events)
    said: list[Event] = [PlayCorrected(99.0, 1, card="2S", seat="W"), Undone(99.5, len(events) + 1)]
    before, after = fold(entries), fold(numbered([*events, *said]))
    assert (after.deals, after.names) == (before.deals, before.names)
    assert after.undoable == before.undoable


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 10_000), st.integers(1, 50))
def test_a_deal_taken_in_batches_is_the_deal_taken_at_once(seed: int, size: int) -> None:
    events = played_deal(seed)
    slowly, at_once = (LiveGame(GameLog(Path(":memory:"))) for _ in range(2))
    for start in range(0, len(events), size):
        slowly.apply(events[start : start + size])
    at_once.apply(events)
    assert slowly.game == at_once.game
    slowly.close()
    at_once.close()


def test_a_vaza_gathered_and_a_deal_ended_before_any_play_are_held(tmp_path: Path) -> None:
    game = live(tmp_path, TrickGathered(1.0, 1), DealEnded(2.0, 1, "stopped"))
    assert [(deal.number, deal.ended) for deal in game.game.deals] == [(1, "stopped")]


@pytest.fixture
def slow_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    """Writing takes so long that all who speak at once speak before the first is heard."""
    append = GameLog.append

    def late(*args: object, **more: object) -> object:
        time.sleep(0.02)
        return append(*args, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(GameLog, "append", late)


def test_of_people_who_add_plays_at_once_none_is_lost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = live(tmp_path, *played_deal(1, tricks=1))
    numbers = LiveGame._play_ids

    def slowly(game: LiveGame) -> list[int]:
        found = numbers(game)
        time.sleep(0.02)
        return found

    monkeypatch.setattr(LiveGame, "_play_ids", slowly)
    with ThreadPoolExecutor(8) as people:
        cards = ("2C", "3C", "4C", "5C", "6C", "7C", "QC", "JC")
        list(people.map(lambda card: game.add_play(1, 2, "S", card), cards))
    assert sorted(one.card for one in game.game.deals[0].plays[4:]) == sorted(cards)
    game.close()


def test_undoes_at_once_take_back_one_word_each(tmp_path: Path, slow_disk: None) -> None:
    game = live(tmp_path, *played_deal(1, tricks=1))
    for number in range(1, 9):
        game.say(PlayersNamed(0.0, (("S", f"Ana {number}"),)))
    with ThreadPoolExecutor(8) as people:
        list(people.map(lambda _: game.undo(), range(8)))
    assert game.game.undoable is None
    game.close()


def test_two_programs_at_one_game_know_of_each_others_words(tmp_path: Path) -> None:
    one = live(tmp_path, *played_deal(1, tricks=1))
    other = LiveGame(GameLog(tmp_path / "game.sqlite"))
    one.add_play(1, 2, "S", "2C")
    other.add_play(1, 2, "E", "3C")
    one.apply([seen(99, "4C", trick=3)])
    assert one.game == other.catch_up()
    assert [play.card for play in one.game.deals[0].plays[4:]] == ["2C", "3C", "4C"]
    other.undo()
    assert one.catch_up() == other.game
    one.close()
    other.close()
