"""The log: an append-only table of events in SQLite (WAL), one file a game.

It is the only truth that is stored: the state of a game is the fold of its entries. Entries are
written in one durable transaction a batch, and the database itself refuses to change or delete
one, so a crash loses at most the batch being written.
"""

import contextlib
import json
import sqlite3
import threading
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

from pydantic import TypeAdapter, ValidationError

from assistant.events import CameraEvent, Event, PersonEvent, Source
from vision.errors import UserError

SCHEMA_VERSION = 1
BUSY_SECONDS = 5.0
"""How long a writer waits for another process that holds the file (a reader never blocks it)."""

_DAMAGED = (sqlite3.Error, UnicodeDecodeError)
"""What reading a damaged file raises: the latter where SQLite's own complaint quotes the damage."""

# Any: the adapters are of different types; what comes out is checked by `_decode`.
_ADAPTERS: dict[str, TypeAdapter[Any]] = {
    kind.__name__: TypeAdapter(kind) for kind in (*get_args(CameraEvent), *get_args(PersonEvent))
}

_SCHEMA = """
CREATE TABLE entries (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    source TEXT NOT NULL CHECK (source IN ('camera', 'person')),
    model  TEXT,
    kind   TEXT NOT NULL,
    body   TEXT NOT NULL
);
CREATE TRIGGER entries_never_change BEFORE UPDATE ON entries
BEGIN SELECT RAISE(ABORT, 'the log is append-only'); END;
CREATE TRIGGER entries_never_go BEFORE DELETE ON entries
BEGIN SELECT RAISE(ABORT, 'the log is append-only'); END;
"""


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of the log. `number` counts from 1; `model` the version of a camera's models."""

    number: int
    source: Source
    model: str | None
    event: Event


class GameLog:
    """The log of one game, open for reading and appending. Safe to use from several threads."""

    def __init__(self, path: Path) -> None:
        """Open `path`, creating it where it does not exist.

        Raises `UserError` where it cannot be opened, is no log, or is from a newer version.
        """
        self.path = path
        self._lock = threading.Lock()
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._db = sqlite3.connect(path, timeout=BUSY_SECONDS, check_same_thread=False)
        except (OSError, sqlite3.Error) as error:
            raise UserError(
                f"{path}: cannot open the game's log ({error}); check the folder"
            ) from error
        try:
            self._prepare()
        except _DAMAGED as error:
            self._db.close()
            raise UserError(
                f"{path}: not a readable game log ({error}); choose another game or restore a copy"
            ) from error
        except UserError:
            self._db.close()
            raise

    def _prepare(self) -> None:
        self._db.isolation_level = None
        self._db.execute("PRAGMA journal_mode = WAL")
        # FULL: an entry that was acknowledged survives a power cut, not only a crash of ours.
        self._db.execute("PRAGMA synchronous = FULL")
        self._db.execute("BEGIN IMMEDIATE")
        with _transaction(self._db):
            version = self._db.execute("PRAGMA user_version").fetchone()[0]
            tables = {row[0] for row in self._db.execute("SELECT name FROM sqlite_master")}
            if version == 0 and not tables:
                for statement in _statements(_SCHEMA):
                    self._db.execute(statement)
                self._db.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
            elif version != SCHEMA_VERSION or "entries" not in tables:
                raise UserError(
                    f"{self.path}: not a game log of version {SCHEMA_VERSION} (found {version}); "
                    "open it with the version of sueca that wrote it"
                )

    def append(
        self, events: Iterable[Event], source: Source, model: str | None = None
    ) -> tuple[Entry, ...]:
        """Write `events` in order, all or none, and give them their numbers.

        Raises `UserError` where the disk is full or the file cannot be written.
        """
        rows = [(event, type(event).__name__, _encode(event)) for event in events]
        if not rows:
            return ()
        entries = []
        try:
            with self._lock:
                self._db.execute("BEGIN IMMEDIATE")
                with _transaction(self._db):
                    for event, kind, body in rows:
                        cursor = self._db.execute(
                            "INSERT INTO entries (source, model, kind, body) VALUES (?, ?, ?, ?)",
                            (source, model, kind, body),
                        )
                        number = cursor.lastrowid or 0
                        entries.append(Entry(number, source, model, event))
        except sqlite3.Error as error:
            raise UserError(
                f"{self.path}: cannot write to the game's log ({error}); "
                "free some disk space or check the folder's permissions"
            ) from error
        return tuple(entries)

    def entries(self, after: int = 0) -> tuple[Entry, ...]:
        """The entries numbered above `after`, oldest first. Raises `UserError` on a broken one."""
        try:
            with self._lock:
                rows = self._db.execute(
                    "SELECT number, source, model, kind, body FROM entries"
                    " WHERE number > ? ORDER BY number",
                    (after,),
                ).fetchall()
        except _DAMAGED as error:
            raise UserError(f"{self.path}: the game's log is damaged ({error})") from error
        return tuple(
            Entry(number, source, model, self._decode(number, kind, body))
            for number, source, model, kind, body in rows
        )

    def _decode(self, number: int, kind: str, body: str) -> Event:
        try:
            event: Event = _ADAPTERS[kind].validate_json(body)
        except (KeyError, ValidationError) as error:
            raise UserError(
                f"{self.path}: entry {number} ({kind}) cannot be read; "
                "open the game with the version of sueca that wrote it"
            ) from error
        return event

    def close(self) -> None:
        """Close the file; everything appended is already on disk."""
        with self._lock:
            self._db.close()

    def __enter__(self) -> "GameLog":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _encode(event: Event) -> str:
    # Not dump_json: it writes null for infinity, which no later program could read back.
    plain = _ADAPTERS[type(event).__name__].dump_python(event, mode="json")
    return json.dumps(plain, ensure_ascii=False, separators=(",", ":"))


def _statements(script: str) -> list[str]:
    """Split so that a trigger's inner semicolon does not end it (executescript would commit)."""
    statements, pending = [], ""
    for line in script.splitlines():
        pending += line + "\n"
        if sqlite3.complete_statement(pending):
            statements.append(pending)
            pending = ""
    return statements


@contextlib.contextmanager
def _transaction(db: sqlite3.Connection) -> Iterator[None]:
    """Commit what was begun, or roll it back whatever was raised."""
    try:
        yield
    except BaseException:
        db.execute("ROLLBACK")
        raise
    db.execute("COMMIT")
