"""Proposing a table again where the first picture showed none.

A camera may wake up black, or someone lean over the table just then: the picture itself then stands
for the table, and would for the whole game.
"""

import math

from vision import geometry
from vision.health import look_at
from vision.motion import Motion
from vision.table import Table, propose_table
from vision.types import Image

_EVERY = 1.0
"""Seconds between proposals."""
_STILL = 0.01
"""With a larger part of the picture moving, somebody is leaning over the table."""
_AGREES = 0.02
"""Corners of two proposals within this part of the picture's width are of one table, not of an arm
that lay there for a moment."""


class Proposals:
    """Looks for a table's edge until one is found twice alike. Feed every frame."""

    def __init__(self) -> None:
        self._tried_at = -math.inf
        self._last: Table | None = None

    def step(self, image: Image, motion: Motion) -> Table | None:
        """Take in a frame; a table as soon as one is found."""
        if motion.t - self._tried_at < _EVERY or float(motion.moving.mean()) > _STILL:
            return None
        self._tried_at = motion.t
        before, self._last = self._last, None
        if look_at(image).fault is not None:
            return None
        table = propose_table(image)
        if table.whole_picture:
            return None
        self._last = table
        return table if before is not None and _alike(before, table) else None


def _alike(a: Table, b: Table) -> bool:
    if a.image_size != b.image_size:
        return False
    apart = geometry.as_array(a.corners) - geometry.as_array(b.corners)
    return bool(abs(apart).max() < _AGREES * a.image_size[0])
