"""What the tracker takes in and what it believes: sightings, tracks, and what becomes of them.

Everything is in table coordinates (unit square) and in seconds of the source.
"""

import math
from dataclasses import dataclass, field
from enum import Enum

from vision.evidence import Evidence
from vision.types import Face, Quad, Reading


@dataclass(frozen=True, slots=True)
class Sighting:
    """A detection in table coordinates, and what was read there, if it was looked at."""

    quad: Quad
    face: Face
    p: float
    reading: Reading | None = None


@dataclass(frozen=True, slots=True)
class Activity:
    """What the pixels say of a track's place: shares (0 to 1) of the part open to view.

    `moving` moved just now; `same` look as when the card was last confirmed there; `bare` as
    before it came; `reached`: a changed region over it reaches the table's border, as an arm does;
    `open` the part of the card on which no later card lies.
    """

    moving: float = 0.0
    same: float = 1.0
    bare: float = 0.0
    reached: bool = False
    open: float = 1.0


QUIET = Activity()


class State(Enum):
    NEW = "new"
    RESTING = "resting"
    SLIDING = "sliding"
    GONE = "gone"


class Change(Enum):
    SETTLED = "settled"
    MOVED = "moved"
    HIDDEN = "hidden"
    SEEN = "seen"
    GONE = "gone"
    DROPPED = "dropped"


@dataclass(slots=True)
class Track:
    """One card believed to lie (or to come to rest) at `quad`. Only the tracker writes to it.

    `glimpses` is what was read of it before it settled, in the `slow_looks` looks since `slow_since` seconds
    and `slow_frame` in which it hardly moved.
    """

    id: int
    quad: Quad
    first_seen: float
    rest_since: float
    rest_frame: int
    last_seen: float
    state: State = State.NEW
    settled_at: float = math.inf
    hits: int = 1
    misses: int = 0
    empty_looks: int = 0
    empty_since: float = math.inf
    unseen_since: float = math.inf
    hidden: bool = False
    p: float = 0.0
    up: float = 0.0
    down: float = 0.0
    slow_since: float = 0.0
    slow_frame: int = 0
    slow_looks: int = 1
    glimpses: Evidence = field(default_factory=Evidence)

    @property
    def face(self) -> Face:
        return "up" if self.up >= self.down else "down"

    @property
    def lies(self) -> bool:
        """Settled once and not gone."""
        return self.state in (State.RESTING, State.SLIDING)
