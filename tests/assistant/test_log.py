"""The log: what was recorded is never lost, never changed, and comes back as it went in."""

import math
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import get_args

import pytest

from assistant.events import (
    AccusationMade,
    CameraEvent,
    CountingChosen,
    DealEnded,
    DealerCorrected,
    DealStarted,
    Event,
    FlagRuled,
    Noticed,
    PersonEvent,
    PlayAdded,
    PlayCorrected,
    PlayersNamed,
    PlayRemoved,
    PlayRetracted,
    PlayRevised,
    PlaySeen,
    TableMarked,
    TrickGathered,
    TrumpCorrected,
    TrumpShown,
    Undone,
)
from assistant.log import GameLog
from tests.assistant.games import QUAD, played_deal
from vision.errors import UserError

ONE_OF_EACH: tuple[Event, ...] = (
    DealStarted(0.0, 1, "selminha", "W"),
    TrumpShown(1.5, "7D", "W", 0.98, (("7H", 0.02),), 3, 45, QUAD, "trump-1"),
    PlaySeen(
        12.3, 1, "S", "AH", 1, 11.9, 0.71, (("AD", 0.2), ("4H", 0.09)), 7, 180, QUAD, "play-1"
    ),
    PlayRevised(13.0, 1, "S", "AD", 1, 11.9, 0.9, (("AH", 0.1),)),
    PlayRetracted(14.0, 1),
    TrickGathered(15.0, 1, "N"),
    DealEnded(200.0, 1, "source-ended"),
    Noticed(60.0, "source-gap", "no frames", since=58.5),
    PlayCorrected(61.0, 1, card="AH"),
    PlayAdded(62.0, -1, 1, "E", "2C", 2, 30.25),
    PlayRemoved(63.0, 1),
    TrumpCorrected(64.0, 1, "7H"),
    DealerCorrected(65.0, 1, "E"),
    PlayersNamed(66.0, (("S", "Ana"), ("W", "Zé"))),
    TableMarked(66.5, QUAD, (1280, 720)),
    CountingChosen(67.0, "end"),
    FlagRuled(68.0, 1, "revoke:4,9", "dismissed"),
    AccusationMade(69.0, 1, "S", "E", 3),
    Undone(70.0, 12),
)


def test_the_example_holds_one_of_each_kind() -> None:
    kinds = {*get_args(CameraEvent), *get_args(PersonEvent)}
    assert {type(event) for event in ONE_OF_EACH} == kinds


def test_every_kind_of_event_comes_back_equal_after_reopening(tmp_path: Path) -> None:
    with GameLog(tmp_path / "game.sqlite") as log:
        log.append(ONE_OF_EACH, "camera", "finder-1 reader-2")
    with GameLog(tmp_path / "game.sqlite") as log:
        entries = log.entries()
    assert tuple(entry.event for entry in entries) == ONE_OF_EACH
    assert [entry.number for entry in entries] == list(range(1, len(ONE_OF_EACH) + 1))
    assert {entry.source for entry in entries} == {"camera"}
    assert {entry.model for entry in entries} == {"finder-1 reader-2"}


def test_only_the_entries_after_a_number_are_read(tmp_path: Path) -> None:
    with GameLog(tmp_path / "game.sqlite") as log:
        log.append(ONE_OF_EACH, "camera")
        assert [entry.number for entry in log.entries(after=16)] == [17, 18, 19]


def test_numbers_go_on_after_reopening(tmp_path: Path) -> None:
    with GameLog(tmp_path / "game.sqlite") as log:
        log.append(ONE_OF_EACH[:2], "camera")
    with GameLog(tmp_path / "game.sqlite") as log:
        (entry,) = log.append(ONE_OF_EACH[2:3], "camera")
    assert entry.number == 3


@pytest.mark.parametrize("statement", ["DELETE FROM entries", "UPDATE entries SET body = '{}'"])
def test_the_file_itself_refuses_to_change_or_lose_an_entry(tmp_path: Path, statement: str) -> None:
    with GameLog(tmp_path / "game.sqlite") as log:
        log.append(ONE_OF_EACH, "camera")
    db = sqlite3.connect(tmp_path / "game.sqlite")
    try:
        with pytest.raises(sqlite3.IntegrityError, match="append-only"):
            db.execute(statement)
    finally:
        db.close()


def test_a_batch_that_fails_midway_leaves_nothing_of_itself(tmp_path: Path) -> None:
    class Unknown:
        pass

    with GameLog(tmp_path / "game.sqlite") as log:
        log.append(ONE_OF_EACH[:1], "camera")
        with pytest.raises(KeyError):
            log.append([ONE_OF_EACH[1], Unknown()], "camera")  # type: ignore[list-item]
        assert len(log.entries()) == 1


def test_what_was_appended_survives_a_process_killed_at_once(tmp_path: Path) -> None:
    script = (
        "import os, sys; from pathlib import Path\n"
        "from assistant.log import GameLog\n"
        "from tests.assistant.games import played_deal\n"
        "GameLog(Path(sys.argv[1])).append(played_deal(3), 'camera')\n"
        "os.kill(os.getpid(), 9)\n"
    )
    path = tmp_path / "game.sqlite"
    killed = subprocess.run([sys.executable, "-c", script, str(path)], check=False)
    assert killed.returncode == -9
    with GameLog(path) as log:
        assert tuple(entry.event for entry in log.entries()) == played_deal(3)


def test_the_log_is_kept_in_wal_so_that_a_reader_never_blocks_the_game(tmp_path: Path) -> None:
    path = tmp_path / "game.sqlite"
    with GameLog(path) as writer, GameLog(path) as reader:
        writer.append(ONE_OF_EACH, "camera")
        assert len(reader.entries()) == len(ONE_OF_EACH)
    db = sqlite3.connect(path)
    assert db.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    db.close()


def test_a_file_that_is_no_log_is_refused_in_one_line_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "game.sqlite"
    path.write_bytes(b"not a database at all" * 100)
    with pytest.raises(UserError, match=r"game\.sqlite: not a readable game log") as refused:
        GameLog(path)
    assert "\n" not in str(refused.value)
    assert path.read_bytes() == b"not a database at all" * 100


def test_another_programs_database_is_refused_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "game.sqlite"
    db = sqlite3.connect(path)
    db.execute("CREATE TABLE recipes (name TEXT)")
    db.close()
    with pytest.raises(UserError, match="not a game log"):
        GameLog(path)
    db = sqlite3.connect(path)
    assert db.execute("SELECT name FROM sqlite_master").fetchall() == [("recipes",)]
    db.close()


def test_a_log_of_a_newer_version_is_refused_with_what_to_do(tmp_path: Path) -> None:
    path = tmp_path / "game.sqlite"
    GameLog(path).close()
    db = sqlite3.connect(path)
    db.execute("PRAGMA user_version = 99")
    db.close()
    with pytest.raises(UserError, match=r"found 99.*version of sueca that wrote it"):
        GameLog(path)


def test_an_entry_of_an_unknown_kind_is_named(tmp_path: Path) -> None:
    path = tmp_path / "game.sqlite"
    GameLog(path).close()
    db = sqlite3.connect(path)
    db.execute("INSERT INTO entries (source, kind, body) VALUES ('camera', 'Sneeze', '{}')")
    db.commit()
    db.close()
    with GameLog(path) as log, pytest.raises(UserError, match=r"entry 1 \(Sneeze\)"):
        log.entries()


def test_a_folder_that_cannot_be_made_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(UserError, match="cannot open the game's log"):
        GameLog(tmp_path / "file" / "game.sqlite")


@pytest.mark.parametrize("word", [b"BEFORE", b"entries_never_go", b"AUTOINCREMENT", b"camera"])
def test_a_log_with_garbage_anywhere_is_one_line(tmp_path: Path, word: bytes) -> None:
    path = tmp_path / "game.sqlite"
    with GameLog(path) as log:
        log.append(ONE_OF_EACH, "camera")
    whole = path.read_bytes()
    path.write_bytes(whole.replace(word, word[:2] + b"\xec\xff" + word[4:]))
    with pytest.raises(UserError) as refused, GameLog(path) as log:
        log.entries()
    assert "\n" not in str(refused.value)
    assert str(path) in str(refused.value)


def test_a_number_that_is_none_does_not_make_the_log_unreadable(tmp_path: Path) -> None:
    seen = PlaySeen(math.inf, 1, "S", "AH", 1, math.inf, 0.5)
    with GameLog(tmp_path / "game.sqlite") as log:
        log.append([seen], "camera")
        assert [entry.event for entry in log.entries()] == [seen]
