"""Bringing a scribe back to where the program ended, from the journal and the log.

The scribe has no clock and draws no lots: fed the same events it says the same again, with the same
numbers of plays. What it says is compared with the log all the same, so that a game is never gone on
with by a scribe that has seen another.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from assistant.events import CameraEvent, Event, PlaySeen, TrumpShown
from assistant.journal import Kept, SourceEnded
from assistant.log import Entry
from assistant.scribe.scribe import Scribe
from vision.errors import UserError


@dataclass(frozen=True, slots=True)
class Replayed:
    """A scribe that has seen all a journal tells of, and what it said that the log lacks: a crash
    may fall between the two."""

    scribe: Scribe
    unwritten: tuple[CameraEvent, ...]


def replay(kept: Kept, entries: Sequence[Entry]) -> Replayed:
    """Feed a scribe anew. Raises `UserError` where the log, `entries`, does not say what it says."""
    scribe = kept.header.scribe()
    said: list[CameraEvent] = []
    for line in kept.lines:
        said += scribe.finish() if isinstance(line, SourceEnded) else scribe.feed(line)
    logged = [
        entry.event
        for entry in entries
        if entry.source == "camera" and entry.number > kept.header.entries
    ]
    if [_plain(event) for event in logged] != [_plain(event) for event in said[: len(logged)]]:
        raise UserError("what was seen and what was written down do not agree")
    return Replayed(scribe, tuple(said[len(logged) :]))


def _plain(event: Event) -> Event:
    """The event without what a session adds: where its picture is."""
    if isinstance(event, PlaySeen | TrumpShown):
        return replace(event, evidence=None, quad=None, frame=None)
    return event
