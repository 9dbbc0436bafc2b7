"""The journal: the table events that the scribe was fed, so that it can be fed them again.

It lies beside a game's log as lines of JSON, the first of which says what the scribe was begun
with. A line is on the disk before anything that follows from it is in the log; a crash may cut the
last one. The log alone is the truth: without its journal a game loses nothing that was written.
"""

import contextlib
import json
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from assistant.events import Seat
from assistant.observed import ruleset
from assistant.scribe.carried import Carried
from assistant.scribe.scribe import Scribe, ScribeOptions
from vision.errors import UserError
from vision.eventjson import event_from_json, event_to_json
from vision.events import TableEvent

FORMAT = 1


@dataclass(frozen=True, slots=True)
class Header:
    """What the scribe was begun with; the log then held `entries` entries."""

    rules: str
    dealer: Seat | None
    trump: str | None
    first_deal: int
    first_play_id: int
    entries: int
    carried: Carried | None = None
    format: int = FORMAT

    def scribe(self) -> Scribe:
        """A scribe begun so. Raises `UserError` for rules this program does not know."""
        rules = ruleset(self.rules)
        options = ScribeOptions(rules, self.dealer, self.trump, self.first_deal, self.first_play_id)
        return Scribe(options, self.carried)


def header_of(options: ScribeOptions, entries: int) -> Header:
    """The header of a journal whose scribe begins with `options` after `entries` of the log."""
    return Header(
        options.rules.name,
        options.dealer,
        options.trump,
        options.first_deal,
        options.first_play_id,
        entries,
    )


@dataclass(frozen=True, slots=True)
class SourceEnded:
    """The source ended or was stopped, and the scribe was told to finish."""


Line = TableEvent | SourceEnded


@dataclass(frozen=True, slots=True)
class Kept:
    """A journal as it was read: its lines as far as they are whole, which is `size` bytes."""

    header: Header
    lines: tuple[Line, ...]
    size: int


_HEADER = TypeAdapter(Header)
_SOURCE_ENDED = '{"event":"SourceEnded"}'


def read_journal(path: Path) -> Kept | None:
    """What the journal there holds, None where there is none. Lines are read as far as they are whole.

    Raises `UserError` where it cannot be read or its header is none this program understands.
    """
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise UserError(f"{path}: cannot be read ({error.strerror})") from error
    whole = data.split(b"\n")[:-1]
    try:
        header = _HEADER.validate_python(json.loads(whole[0]))
    except (IndexError, ValueError, ValidationError) as error:
        raise UserError(f"{path}: damaged") from error
    if header.format != FORMAT:
        raise UserError(f"{path}: of another version ({header.format}; expected {FORMAT})")
    lines: list[Line] = []
    size = len(whole[0]) + 1
    for line in whole[1:]:
        try:
            lines.append(_line(line.decode()))
        except ValueError:
            break
        size += len(line) + 1
    return Kept(header, tuple(lines), size)


class Journal:
    """A journal open for writing."""

    def __init__(self, path: Path, header: Header, kept: Kept | None = None) -> None:
        """Begin a journal at `path`, in place of one that is there; or go on with what was `kept`.

        Raises `UserError`, as all that writes, where it cannot be written.
        """
        self._path, self._header = path, header
        with self._told():
            if kept is None:
                self._begin(())
            else:
                os.truncate(path, kept.size)
        with self._told():
            self._file = path.open("ab")

    def append(self, lines: Sequence[Line]) -> None:
        """Write `lines`; they are on the disk when this returns."""
        if not lines:
            return
        with self._told():
            self._file.write(_text(lines))
            self._file.flush()
            os.fsync(self._file.fileno())

    def renew(self, carried: Carried, entries: int, lines: Sequence[Line]) -> None:
        """A deal is over: go on with what the scribe `carried` over, and then `lines`, alone."""
        self._header = replace(self._header, carried=carried, entries=entries)
        self.close()
        with self._told():
            self._begin(lines)
            self._file = self._path.open("ab")

    def close(self) -> None:
        """Close the file; everything appended is on the disk."""
        self._file.close()

    def _begin(self, lines: Sequence[Line]) -> None:
        """Write a new file, whole or not at all."""
        part = self._path.with_suffix(".part")
        # Not the adapter's own JSON: it writes null for infinity.
        header = json.dumps(_HEADER.dump_python(self._header, mode="json"), ensure_ascii=False)
        with part.open("wb") as file:
            file.write(header.encode() + b"\n" + _text(lines))
            file.flush()
            os.fsync(file.fileno())
        os.replace(part, self._path)

    @contextlib.contextmanager
    def _told(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise UserError(
                f"{self._path}: cannot write down what is seen ({error.strerror}); "
                "free some disk space or check the folder's permissions"
            ) from error


def _text(lines: Sequence[Line]) -> bytes:
    return b"".join(_written(line).encode() + b"\n" for line in lines)


def _written(line: Line) -> str:
    return _SOURCE_ENDED if isinstance(line, SourceEnded) else event_to_json(line)


def _line(text: str) -> Line:
    return SourceEnded() if text == _SOURCE_ENDED else event_from_json(text)
