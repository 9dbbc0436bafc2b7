"""What the stages of the vision flow hand on to each other. All frozen, all without vendor types."""

import math
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from vision.labels import INDEX, LABELS

Image = npt.NDArray[np.uint8]
"""(height, width, 3), BGR."""

Point = tuple[float, float]
Quad = tuple[Point, Point, Point, Point]
"""Four corners of a whole card in image pixels, clockwise as seen in the image (y down), starting
at a corner of a short side: 0-1 and 2-3 are the short sides. Which of the two ends is 'up' is not
known; corners may lie outside the image where the card does."""

Face = Literal["up", "down"]


class Window(NamedTuple):
    """A part of a picture, pixels: columns `left` up to `right`, rows `top` up to `bottom`."""

    left: int
    top: int
    right: int
    bottom: int


@dataclass(frozen=True, slots=True)
class Frame:
    """One picture of a source. `t` is seconds from the start of the source: what the
    source says, and never a clock's, except where a live one's stamps cannot be believed."""

    image: Image
    index: int
    t: float


@dataclass(frozen=True, slots=True)
class Detection:
    """A card found in a frame: where it lies, which side shows, how sure the finder is (0-1).

    One that is `doubtful` lies across a surer one, and may be the same card boxed askew: only what is read
    there can tell (`vision.doubtful`).
    """

    quad: Quad
    p: float
    face: Face
    doubtful: bool = False


@dataclass(frozen=True, slots=True)
class Reading:
    """What the reader sees in one crop: a log-probability for each of `vision.labels.LABELS`."""

    log_probs: tuple[float, ...]

    def __post_init__(self) -> None:
        if len(self.log_probs) != len(LABELS):
            raise ValueError(f"expected {len(LABELS)} log-probabilities, got {len(self.log_probs)}")

    @property
    def best(self) -> str:
        return LABELS[max(range(len(LABELS)), key=self.log_probs.__getitem__)]

    def p(self, label: str) -> float:
        """The probability of a label, 0 to 1."""
        return math.exp(self.log_probs[INDEX[label]])
