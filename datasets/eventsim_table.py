"""What a tracker would tell of a simulated table: what comes and goes, and what is taken for a card."""

import math
import random
from dataclasses import dataclass, field

from datasets.eventsim_reading import Reader
from datasets.eventsim_statistics import Statistics
from vision.events import CardGone, CardPlaced, TableEvent
from vision.labels import BACK, OTHER
from vision.types import Point, Quad

_FRAMES_PER_SECOND = 15
_CARD_HALF = (0.035, 0.055)
_STIRRED = 0.3
"""Share of prints found again of which it seems that their place had changed: a hand was there."""
_CLOTH_PRINTS = 6
"""At most so many prints of a cloth are ever taken for cards."""
_OTHERS_SHARE = 0.4
"""Of a track's readings, those of a card that came to lie exactly on its own."""


@dataclass(slots=True)
class Lying:
    """A card, or what is taken for one, on the table now; `told` when it was first announced,
    `late` where that was long after it came."""

    track: int
    centre: Point
    card: str
    told: float
    late: bool = False


@dataclass(slots=True)
class Phantom:
    """A print of the cloth that looks like the card `habit`; `lying` while it is taken for one."""

    centre: Point
    habit: str
    lying: Lying


@dataclass(slots=True)
class TrackedTable:
    """What goes on: the clock, the cards on the table, the events so far."""

    statistics: Statistics
    rng: random.Random
    reader: Reader
    t: float = 1.0
    next_track: int = 1
    events: list[TableEvent] = field(default_factory=list)
    phantoms: list[Phantom] | None = None

    def frame(self, t: float) -> int:
        return round(t * _FRAMES_PER_SECOND)

    def put(
        self,
        label: str,
        centre: Point,
        at: float,
        entry: Point | None = None,
        settle: float | None = None,
        hard: bool = False,
        phantom: str | None = None,
        stirred: bool = True,
        like: Lying | None = None,
        log_probs: tuple[float, ...] | None = None,
    ) -> Lying:
        """A card begins to come into sight at `at`; it is announced once it has settled.

        `phantom` names the card that a print of the cloth looks like; `stirred` whether its place
        was seen to change; `like` is another track of the same card, read as that was; `log_probs` how
        it is read, where that is not for the reader to say.
        """
        rng = self.rng
        settle = rng.uniform(*self.statistics.settle) if settle is None else settle
        track, self.next_track = self.next_track, self.next_track + 1
        if log_probs is None:
            log_probs = self._read(label, hard, phantom, like)
        t = at + settle
        self.events.append(
            CardPlaced(
                track=track,
                t=t,
                frame=self.frame(t),
                first_seen=at,
                face="down" if label == BACK else "up",
                centre=centre,
                angle=rng.uniform(0, math.pi),
                entry=entry,
                quad=quad_at(centre),
                log_probs=log_probs,
                stirred=stirred,
            )
        )
        return Lying(track, centre, label, t)

    def _read(
        self, label: str, hard: bool, phantom: str | None, like: Lying | None
    ) -> tuple[float, ...]:
        if like is not None:
            return self._read_of(like.track)
        if phantom is not None:
            return self.reader.read_phantom(phantom)
        if label == OTHER:
            return self.reader.read_nothing()
        if label == BACK:
            return self.reader.read_back()
        return self.reader.read(label, hard)

    def lay_cloth(self) -> None:
        """Before the first frame: the cloth's prints that will be taken for cards."""
        rng = self.rng
        self.phantoms = []
        for _ in range(_CLOTH_PRINTS if self.statistics.phantoms else 0):
            if rng.random() >= self.statistics.phantoms / _CLOTH_PRINTS:
                continue
            centre = (rng.uniform(0.1, 0.9), rng.uniform(0.1, 0.9))
            rank = rng.choice("KQJ") if rng.random() < 0.6 else rng.choice("A765432")
            habit = rank + rng.choice("SHDC")
            lying = self.put(
                OTHER, centre, 0.0, settle=rng.uniform(0.2, 0.8), phantom=habit, stirred=False
            )
            self.phantoms.append(Phantom(centre, habit, lying))

    def flicker(self) -> None:
        """Now and then a print is no longer taken for a card, and soon is again."""
        rng = self.rng
        for phantom in self.phantoms or ():
            if rng.random() >= self.statistics.phantom_flickers:
                continue
            gone = self.t + rng.uniform(0.2, 2.0)
            self.take(phantom.lying, gone, None)
            phantom.lying = self.put(
                OTHER,
                phantom.centre,
                gone + rng.uniform(0.2, 4.0),
                settle=rng.uniform(0.2, 0.8),
                phantom=phantom.habit,
                stirred=rng.random() < _STIRRED,
            )

    def mixed(self, track: int, log_probs: tuple[float, ...]) -> tuple[float, ...]:
        """What a track is read as once some of its readings were of another card."""
        pairs = zip(self._read_of(track), log_probs, strict=True)
        logs = [(1 - _OTHERS_SHARE) * old + _OTHERS_SHARE * new for old, new in pairs]
        total = math.log(sum(math.exp(log) for log in logs))
        return tuple(log - total for log in logs)

    def _read_of(self, track: int) -> tuple[float, ...]:
        for event in reversed(self.events):
            if isinstance(event, CardPlaced) and event.track == track:
                return event.log_probs
        raise LookupError(f"no track {track}")

    def take(self, card: Lying, at: float, exit_point: Point | None) -> None:
        self.events.append(CardGone(card.track, at, self.frame(at), exit_point))


def quad_at(centre: Point) -> Quad:
    x, y = centre
    w, h = _CARD_HALF
    return ((x - w, y - h), (x + w, y - h), (x + w, y + h), (x - w, y + h))
