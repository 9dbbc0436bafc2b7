"""What the page draws over a frame: the cards that are believed to lie there, and what is amiss."""

from dataclasses import dataclass

from vision.events import Trouble
from vision.types import Face, Quad


@dataclass(frozen=True, slots=True)
class SeenCard:
    """A card as the page draws it: `quad` in image pixels; `label` and `p` None until read."""

    track: int
    label: str | None
    p: float | None
    quad: Quad
    face: Face
    hidden: bool
    settled: bool


@dataclass(frozen=True, slots=True)
class FrameView:
    """What is believed to lie on the table in one frame; `table` its corners in image pixels."""

    t: float
    frame: int
    table: Quad
    cards: tuple[SeenCard, ...]
    shaking: bool
    troubles: tuple[Trouble, ...] = ()
