"""One table, watched by one run of the program after another: what tests of going on are written with.

The vision is a stand-in that tells a story's events; from there on all is real: session, scribe,
journal, log and fold.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from assistant.chronicle import scored_game
from assistant.commands.going_on import Start, begun, gone_on
from assistant.fold import Game
from assistant.library import Library
from assistant.live import LiveGame
from assistant.scribe import ScribeOptions
from assistant.session import Session
from vision.events import (
    CardGone,
    CardMoved,
    CardPlaced,
    CardReread,
    SourceGap,
    TableCleared,
    TableEvent,
)
from vision.table import Table
from vision.types import Frame
from vision.view import FrameView

FIRST = 6.0
"""Seconds into a run when the story goes on."""
NAME = "friday"


class PowerCut(Exception):
    """Ends a run as nothing else does: nobody is told."""


class Vision:
    """Tells, frame by frame, the events it was given."""

    view: FrameView | None = None

    def __init__(self, events: Sequence[TableEvent], seconds: float) -> None:
        self._events, self._seconds = list(events), seconds

    def frames(self, power_cut: bool) -> Iterator[Frame]:
        image = np.zeros((8, 8, 3), np.uint8)
        times = [known(event) for event in self._events]
        for index, t in enumerate(sorted({0.0, self._seconds, *times})):
            yield Frame(image, index, t)
        if power_cut:
            raise PowerCut

    def step(self, frame: Frame) -> tuple[TableEvent, ...]:
        told = tuple(event for event in self._events if known(event) <= frame.t)
        self._events = [event for event in self._events if known(event) > frame.t]
        return told

    def gap(self, gap: SourceGap) -> tuple[TableEvent, ...]:
        return (gap,)

    def finish(self) -> tuple[TableEvent, ...]:
        return ()

    def calibrate(self, table: Table) -> None:
        pass


class Evening:
    """A game kept in a folder, and the runs of the program that follow it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.remarks: list[str] = []
        self.rejoined: list[bool] = []

    @property
    def journal(self) -> Path:
        return self.folder / NAME / "events.jsonl"

    def run(
        self,
        events: Sequence[TableEvent],
        power_cut: bool = False,
        seconds: float = FIRST - 0.5,
        dealer: str | None = None,
    ) -> Game:
        """Follow these events from the first, for so many `seconds` at least, and end by a power cut
        or as Ctrl-C does."""
        library = Library(self.folder)
        game = library.create(NAME)
        start = self._start(library.journal(NAME), game, dealer)
        vision = Vision(events, seconds)
        session = Session(vision, start.scribe, game, None, start.journal, start.rejoin)  # type: ignore[arg-type]
        try:
            session.run(vision.frames(power_cut), lambda frame, view: None)
        except PowerCut:
            assert power_cut
        start.journal.close()
        self.rejoined.append(start.rejoin is not None)
        now = game.game
        library.close()
        return now

    def _start(self, path: Path, game: LiveGame, dealer: str | None) -> Start:
        options = replace(ScribeOptions(), dealer=dealer)
        if not game.entries:
            return begun(path, game, options)
        start = gone_on(path, game, options, None)
        self.remarks += [start.remark] if start.remark else []
        return start

    def game(self) -> LiveGame:
        """The game for a person to say a word in; `close` the library's when done."""
        return Library(self.folder).open(NAME)


def known(event: TableEvent) -> float:
    """When an event is told."""
    announced = event.announced if isinstance(event, CardPlaced) else None
    return event.t if announced is None else announced


def resumed(
    events: Sequence[TableEvent], cut: int, swept: bool = False, aside: float = 0.015
) -> list[TableEvent]:
    """What another run sees of a story after its first `cut` events.

    Times and tracks begin anew; what lies there is seen for the first time, a little `aside` of
    where it lay, unless it was `swept` up meanwhile.
    """
    lying: dict[int, CardPlaced] = {}
    for event in events[:cut]:
        if isinstance(event, CardPlaced):
            lying[event.track] = event
        elif isinstance(event, CardReread):
            lying[event.track] = replace(lying[event.track], log_probs=event.log_probs)
        elif isinstance(event, CardMoved):
            lying[event.track] = replace(lying[event.track], centre=event.centre)
        elif isinstance(event, CardGone):
            lying.pop(event.track, None)
    if swept:
        lying = {track: card for track, card in lying.items() if card.face == "down"}
    seen: list[TableEvent] = []
    tracks: dict[int, int] = {}
    for n, card in enumerate(lying.values(), 1):
        tracks[card.track] = n
        x, y = card.centre
        seen.append(
            replace(
                card, track=n, t=0.4, frame=6, first_seen=0.0, announced=0.8 + n / 15, entry=None,
                stirred=False, centre=(x + aside, y - aside),
            )
        )  # fmt: skip
    since = min((_began(event) for event in events[cut:]), default=0.0) - FIRST
    return seen + list(_anew(events[cut:], since, tracks))


def _began(event: TableEvent) -> float:
    return event.first_seen if isinstance(event, CardPlaced) else event.t


def _anew(
    events: Sequence[TableEvent], since: float, tracks: dict[int, int]
) -> Iterator[TableEvent]:
    for event in events:
        t = event.t - since
        if isinstance(event, CardPlaced):
            track = tracks[event.track] = len(tracks) + 1
            yield replace(event, track=track, t=t, first_seen=event.first_seen - since)
        elif isinstance(event, CardReread | CardMoved | CardGone):
            if event.track in tracks:
                yield replace(event, track=tracks[event.track], t=t)
        elif isinstance(event, TableCleared):
            yield replace(event, t=t)


def plays(game: Game, deal: int = -1) -> list[tuple[str, str, int]]:
    """Seat, card and vaza of a deal's plays."""
    return [(play.seat, play.card, play.trick) for play in game.deals[deal].plays]


def score(game: Game) -> list[object]:
    """What the rules make of the deals."""
    return [
        (deal.state.points, deal.game_points, deal.state.complete)
        for deal in scored_game(game).deals
    ]
