"""Two cards, or one boxed twice: what is read there tells.

Of two cards white on white, of which the upper covers half of the lower, the finder's boxes may be as poor as
two boxes of one card. But no deck has a card twice.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from vision import geometry
from vision.evidence import Evidence
from vision.types import Detection, Quad, Reading

CROSSES = 0.25
"""Boxes that share more of both (IoU) may be one card."""
HARDLY = 0.05
"""A box is of another card only if what it lies across is read as its card with less than this p."""


@dataclass(frozen=True, slots=True)
class Boxed:
    """A box, the card that is surely read there (None: none is), and whether it is doubtful."""

    quad: Quad
    card: str | None
    doubtful: bool


def surely(reading: Reading | None) -> str | None:
    """The card that a reading surely says, None where it says none surely."""
    if reading is None:
        return None
    seen = Evidence()
    seen.add(reading)
    return seen.card()


def by_reading(found: Sequence[Detection], readings: Sequence[Reading]) -> list[int]:
    """Which of the detections, one reading each, are a card of their own."""
    pairs = zip(found, readings, strict=True)
    boxes = [Boxed(one.quad, surely(reading), one.doubtful) for one, reading in pairs]
    return believed(boxes, lambda i, card: readings[i].p(card))


def believed(boxes: Sequence[Boxed], p: Callable[[int, str], float]) -> list[int]:
    """Which boxes are a card of their own: those not doubtful, and of the others those surely read as a card
    that none they lie across is. `p(i, card)` tells how likely box `i` is of that card, 0 to 1."""
    kept = [i for i, box in enumerate(boxes) if not box.doubtful]
    for i, box in enumerate(boxes):
        if not box.doubtful or box.card is None:
            continue
        across = (k for k in kept if geometry.iou(boxes[k].quad, box.quad) > CROSSES)
        if all(p(k, box.card) < HARDLY for k in across):
            kept.append(i)
    return sorted(kept)
