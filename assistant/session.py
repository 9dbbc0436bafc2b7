"""A game being followed: source → table events → plays → log, with the pictures that prove them.

The joint of the whole flow. It adds nothing of its own to what the stages say, except the evidence:
the frame in which a card was announced is kept until the play it became is written. What the scribe
is fed is in the journal before the log has what follows from it.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from assistant.events import CameraEvent, DealEnded, PlaySeen, TableMarked, TrumpShown
from assistant.evidence import EvidenceStore
from assistant.journal import Journal, SourceEnded
from assistant.live import LiveGame
from assistant.rejoin import Rejoin
from assistant.scribe.scribe import Scribe
from vision.events import CardMoved, CardPlaced, SourceGap, TableEvent
from vision.pipeline import Follower
from vision.table import table_from_corners
from vision.types import Frame, Image, Quad
from vision.view import FrameView

FRAMES_KEPT = 16
"""Cards whose picture is kept in memory until a play is made of them: four vazas' worth."""

Item = Frame | SourceGap
OnFrame = Callable[[Frame, FrameView | None], None]


@dataclass(frozen=True, slots=True)
class _Picture:
    """A card as it lay when it was announced."""

    image: Image
    quad: Quad
    frame: int


class Session:
    """Follows one game from a source into a `LiveGame`.

    With a `rejoin` it goes on with a deal in the middle, which the scribe knows as far as it was seen.
    """

    def __init__(
        self,
        follower: Follower,
        scribe: Scribe,
        game: LiveGame,
        evidence: EvidenceStore | None,
        journal: Journal | None = None,
        rejoin: Rejoin | None = None,
    ) -> None:
        self._follower, self._scribe = follower, scribe
        self._game, self._evidence = game, evidence
        self._journal, self._rejoin = journal, rejoin
        self._pictures: dict[int, _Picture] = {}
        self._marked: TableMarked | None = None

    def run(self, source: Iterable[Item], on_frame: OnFrame) -> None:
        """Follow until the source ends; `on_frame` is called after each frame, with its time in the
        game."""
        if self._rejoin:
            self._take(self._rejoin.begin())
        for item in source:
            if isinstance(item, SourceGap):
                self._take(self._joined(self._follower.gap(item), item.t))
                continue
            events = self._joined(self._follower.step(item), item.t)
            for event in events:
                if isinstance(event, CardPlaced | CardMoved):
                    self._picture(event, item.image)
            self._take(events)
            t = self._rejoin.time(item.t) if self._rejoin else item.t
            self._game.tick(t)
            self._calibrate()
            on_frame(replace(item, t=t), self._follower.view)
        self.finish()

    def finish(self) -> None:
        """The source has ended or was stopped: write what was still waited for."""
        self._take(self._joined(self._follower.finish(), 0.0))
        if self._journal:
            self._journal.append([SourceEnded()])
        self._log(self._scribe.finish())

    def _joined(self, events: Sequence[TableEvent], t: float) -> Sequence[TableEvent]:
        """The events of a frame at `t`, in the game's times and with the game's tracks."""
        return self._rejoin.take(events, t) if self._rejoin else events

    def _calibrate(self) -> None:
        """Take the table as a person has marked it on the page since the last frame."""
        marked = self._game.game.table
        if marked is not None and marked is not self._marked:
            self._follower.calibrate(table_from_corners(marked.corners, marked.size))
        self._marked = marked

    def _picture(self, event: CardPlaced | CardMoved, image: Image) -> None:
        self._pictures.pop(event.track, None)
        self._pictures[event.track] = _Picture(image, event.quad, event.frame)
        while len(self._pictures) > FRAMES_KEPT:
            del self._pictures[next(iter(self._pictures))]

    def _take(self, events: Sequence[TableEvent]) -> None:
        if self._journal:
            self._journal.append(events)
        written: list[CameraEvent] = []
        for place, event in enumerate(events):
            written += self._scribe.settle(event)
            written = self._renewed(written, events[place:])
            written += self._scribe.take_in(event)
            written = self._renewed(written, events[place + 1 :])
        self._log(written)

    def _renewed(self, written: list[CameraEvent], rest: Sequence[TableEvent]) -> list[CameraEvent]:
        """Where a deal is over: log it and begin the journal anew with the `rest` of the events, or
        it would grow all evening. Returns what is still to be logged."""
        over = any(isinstance(event, DealEnded) for event in written)
        if self._journal is None or not over or not self._scribe.between_deals:
            return written
        self._log(written)
        self._journal.renew(self._scribe.carried, self._game.game.revision, rest)
        return []

    def _log(self, events: list[CameraEvent]) -> None:
        if events:
            self._game.apply([self._proved(event) for event in events])

    def _proved(self, event: CameraEvent) -> CameraEvent:
        """The event with a pointer to its picture, where there is one."""
        if not isinstance(event, PlaySeen | TrumpShown) or event.track is None:
            return event
        picture = self._pictures.get(event.track)
        if picture is None or self._evidence is None:
            return event
        name = f"play-{event.play_id}" if isinstance(event, PlaySeen) else "trump"
        pointer = self._evidence.keep(name, picture.image, picture.quad)
        return replace(event, evidence=pointer, quad=picture.quad, frame=picture.frame)
