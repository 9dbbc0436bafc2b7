"""Readings made up for tests."""

import math

from vision.labels import LABELS
from vision.types import Reading


def reading(label: str, p: float) -> Reading:
    """`label` with probability `p`, all others alike."""
    rest = math.log((1 - p) / (len(LABELS) - 1))
    return Reading(tuple(math.log(p) if name == label else rest for name in LABELS))
