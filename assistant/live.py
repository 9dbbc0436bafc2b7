"""The one stateful object: append to the log, fold, publish.

Truth is the log alone; `game` is its fold, made anew after every batch. A camera calls `apply`,
a person's word comes through the other methods, each of which is one event and can be undone.
"""

import threading
from collections.abc import Callable, Iterable

from assistant.events import CameraEvent, Event, PersonEvent, PlayAdded, Seat, Source, Undone
from assistant.fold import Game, fold
from assistant.log import Entry, GameLog

Listener = Callable[[Game], None]


class LiveGame:
    """A game being followed or reviewed. Safe to use from several threads."""

    def __init__(self, log: GameLog, model: str | None = None) -> None:
        """Fold what `log` already holds; `model` is written with what the camera says."""
        self._log = log
        self._model = model
        self._lock = threading.Lock()
        self._entries: list[Entry] = list(log.entries())
        self._game = fold(self._entries)
        self._listeners: list[Listener] = []
        self._now = max((entry.event.t for entry in self._entries), default=0.0)

    @property
    def game(self) -> Game:
        """The game as it stands: frozen, so that a reader needs no lock."""
        return self._game

    @property
    def entries(self) -> tuple[Entry, ...]:
        """The whole log, oldest first."""
        with self._lock:
            return tuple(self._entries)

    @property
    def next_play_id(self) -> int:
        """A number no camera's play has had: where a source that is opened again counts on."""
        with self._lock:
            return max(self._play_ids()) + 1

    def subscribe(self, listener: Listener) -> Callable[[], None]:
        """Call `listener` with the game after every change, on the thread that made it.

        What is returned ends the subscription.
        """
        with self._lock:
            self._listeners.append(listener)

        def unsubscribe() -> None:
            with self._lock:
                self._listeners.remove(listener)

        return unsubscribe

    def apply(self, events: Iterable[CameraEvent]) -> Game:
        """Take what the camera saw. Raises `ValueError` on an event that only a person may make."""
        events = tuple(events)
        for event in events:
            if not isinstance(event, CameraEvent):
                raise ValueError(f"expected a camera's event, got {type(event).__name__}")
        return self._append(lambda: events, "camera")

    def tick(self, t: float) -> None:
        """The source has come to `t` seconds: the time that a person's next word will bear."""
        self._now = max(self._now, t)

    @property
    def now(self) -> float:
        """The latest time known, in seconds from the start of the source."""
        return self._now

    def say(self, event: PersonEvent) -> Game:
        """Take a person's word. Raises `ValueError` on an event that only a camera may make."""
        if not isinstance(event, PersonEvent):
            raise ValueError(f"expected a person's event, got {type(event).__name__}")
        return self._append(lambda: (event,), "person")

    def add_play(
        self, deal: int, trick: int, seat: Seat, card: str, played: float | None = None
    ) -> Game:
        """A person adds a play the camera missed, the latest of its vaza unless `played` says."""

        def added() -> tuple[Event, ...]:
            play_id = min(self._play_ids()) - 1
            when = self._now if played is None else played
            return (PlayAdded(self._now, play_id, deal, seat, card, trick, when),)

        return self._append(added, "person")

    def undo(self) -> Game:
        """Take back a person's latest word that still holds; nothing where there is none."""

        def undone() -> tuple[Event, ...]:
            undoable = self._game.undoable
            return () if undoable is None else (Undone(self._now, undoable),)

        return self._append(undone, "person")

    def undo_only(self, entry: int) -> bool:
        """Take back a person's word numbered `entry`; False where it is not the latest that holds."""
        taken = False

        def undone() -> tuple[Event, ...]:
            nonlocal taken
            taken = self._game.undoable == entry
            return (Undone(self._now, entry),) if taken else ()

        self._append(undone, "person")
        return taken

    def close(self) -> None:
        """Close the log."""
        self._log.close()

    def catch_up(self) -> Game:
        """Take in what another program has written to the log meanwhile."""
        return self._append(tuple, "person")

    def _append(self, make: Callable[[], tuple[Event, ...]], source: Source) -> Game:
        """Append the events that `make` makes of the game as it stands, under the lock: of two
        people who speak at once the second is to know of the first."""
        with self._lock:
            before = len(self._entries)
            self._take_in()
            events = make()
            if events:
                self._log.append(events, source, self._model if source == "camera" else None)
                self._take_in()
            game, listeners = self._game, tuple(self._listeners)
            changed = len(self._entries) > before
        if changed:
            for listener in listeners:
                listener(game)
        return game

    def _take_in(self) -> None:
        """Fold what the log holds beyond what is known, whoever wrote it."""
        last = self._entries[-1].number if self._entries else 0
        entries = self._log.entries(after=last)
        if entries:
            self._entries.extend(entries)
            self._game = fold(self._entries)
            self._now = max((self._now, *(entry.event.t for entry in entries)))

    def _play_ids(self) -> list[int]:
        """Every number a play ever had, those since retracted or removed among them, and 0."""
        return [0, *(getattr(entry.event, "play_id", 0) for entry in self._entries)]
