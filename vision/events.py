"""Table events: what the tracker saw happen on the table, in the order it became known.

Positions are in table coordinates: the unit square, x to the right and y down as seen in the
calibrated view, so that seat S is at y = 1, E at x = 1, N at y = 0 and W at x = 0.
Times are seconds from the start of the source.
"""

from dataclasses import dataclass
from typing import Literal

from vision.types import Face, Point, Quad


@dataclass(frozen=True, slots=True)
class CardPlaced:
    """A card has come to rest. Sent once a track, when it has settled and was read.

    `t` when the track settled; `first_seen` when any part of it was first detected.
    `centre` the card's centre; `angle` of its long side, radians in [0, pi), 0 along +x.
    `entry` where the motion that brought it began (where on the table or its edge, a point
    possibly outside the unit square), None where that was not seen.
    `log_probs` the accumulated, tempered evidence over `vision.labels.LABELS`.
    `announced` the time of the frame by which it was known (`t` and `frame`: when it came to rest).
    `stirred` whether its place was seen to change shortly before it was first seen: not so of what
    lay there when the source began, nor of a print of the cloth that is taken for a card.
    """

    track: int
    t: float
    frame: int
    first_seen: float
    face: Face
    centre: Point
    angle: float
    entry: Point | None
    quad: Quad
    log_probs: tuple[float, ...]
    announced: float | None = None
    stirred: bool = True


@dataclass(frozen=True, slots=True)
class CardReread:
    """More evidence on a placed card; `log_probs` replaces what was said before."""

    track: int
    t: float
    frame: int
    face: Face
    log_probs: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class CardMoved:
    """A placed card slid and came to rest again."""

    track: int
    t: float
    frame: int
    centre: Point
    angle: float
    quad: Quad


@dataclass(frozen=True, slots=True)
class CardCovered:
    """A placed card is hidden, by another card or a hand, and is believed to lie there still."""

    track: int
    t: float
    frame: int


@dataclass(frozen=True, slots=True)
class CardUncovered:
    """A covered card is seen again."""

    track: int
    t: float
    frame: int


@dataclass(frozen=True, slots=True)
class CardGone:
    """A placed card has left its place. `exit` where the motion that took it was last seen."""

    track: int
    t: float
    frame: int
    exit: Point | None


@dataclass(frozen=True, slots=True)
class TableCleared:
    """No face-up card lies in the play area any more."""

    t: float
    frame: int


@dataclass(frozen=True, slots=True)
class CameraMoved:
    """The camera was knocked; `registered` says whether the table was found again."""

    t: float
    frame: int
    registered: bool


@dataclass(frozen=True, slots=True)
class SourceGap:
    """No frames came between `since` and `t`."""

    since: float
    t: float
    frame: int


Trouble = Literal[
    "dark", "overexposed", "blurred", "mirrored", "no-table", "no-cards", "small-cards"
]
"""What may be wrong with a picture: `no-table` neither a table's edge nor a card is in it,
`no-cards` a table but no card so far, `small-cards` cards too few pixels long to be read."""


@dataclass(frozen=True, slots=True)
class ViewTrouble:
    """Something has been wrong with the picture for a while, or (`over`) is right again."""

    t: float
    frame: int
    kind: Trouble
    over: bool = False


@dataclass(frozen=True, slots=True)
class ForeignCard:
    """A thing found as a card lies open to view and is none of the 40: an 8, 9, 10, a joker, or
    no card at all. Sent once a track, after its `CardPlaced`; `centre` in table coordinates."""

    track: int
    t: float
    frame: int
    centre: Point


@dataclass(frozen=True, slots=True)
class SameCardTwice:
    """Two cards lie side by side, in full view, and both are surely read as `label`."""

    tracks: tuple[int, int]
    t: float
    frame: int
    label: str


TableEvent = (
    CardPlaced
    | CardReread
    | CardMoved
    | CardCovered
    | CardUncovered
    | CardGone
    | TableCleared
    | CameraMoved
    | SourceGap
    | ViewTrouble
    | ForeignCard
    | SameCardTwice
)
