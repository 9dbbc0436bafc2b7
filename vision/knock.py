"""A knocked camera: noticing it, waiting for it to hang still, finding the table again."""

from dataclasses import dataclass

import numpy as np

from vision import geometry
from vision.geometry import Array
from vision.motion import Gray, Motion, picture_shift, register
from vision.types import Image

_SHAKE = 0.4
"""Small pixels between two frames beyond which the whole picture moves (1.6 pixels at 720p)."""
_CREEP = 0.6
"""Small pixels from the reference beyond which the camera has moved without being caught at it."""
_SUSPICIOUS = 0.04
"""Phase correlation is only asked when at least this share of the picture moves."""
_CALM = 0.35
"""Seconds without a shift before the table is looked for again."""
_REFERENCE_EVERY = 2.0
"""Seconds between reference pictures, taken only when nothing moves."""
_QUIET = 0.01
_RETRY = 0.7
"""Seconds between attempts to find the table again."""
_NEGLIGIBLE = 0.0012
"""Corners moved less than this part of the picture's width: nothing needs to follow."""


@dataclass(frozen=True, slots=True)
class Knock:
    """What came of a knock: `matrix` (3, 3) from old pixels to new, None when not found again."""

    matrix: Array | None


class KnockWatch:
    """Watches for the whole picture moving. Feed every frame."""

    def __init__(self) -> None:
        self._reference: Image | None = None
        self._reference_gray: Gray | None = None
        self._reference_at = -np.inf
        self._previous: Gray | None = None
        self._shaken_at: float | None = None
        self._tried_at = -np.inf
        self._reported = False

    @property
    def shaking(self) -> bool:
        """Whether places in the picture mean nothing just now."""
        return self._shaken_at is not None

    def step(self, image: Image, motion: Motion) -> Knock | None:
        """Take in a frame; a `Knock` when the table was found again or first not found."""
        previous, self._previous = self._previous, motion.gray
        if previous is None or previous.shape != motion.gray.shape:
            self._refer(image, motion)
            return None
        moving = float(motion.moving.mean())
        if moving > _SUSPICIOUS and picture_shift(previous, motion.gray) > _SHAKE:
            self._shaken_at = motion.t
        if self._shaken_at is None:
            self._watch(image, motion, moving)
            return None
        if motion.t - self._shaken_at < _CALM or motion.t - self._tried_at < _RETRY:
            return None
        return self._recover(image, motion)

    def _watch(self, image: Image, motion: Motion, moving: float) -> None:
        """While all is calm: take references, and notice a camera that crept away."""
        if moving > _QUIET or motion.t - self._reference_at < _REFERENCE_EVERY:
            return
        assert self._reference_gray is not None
        if picture_shift(self._reference_gray, motion.gray) > _CREEP:
            self._shaken_at = motion.t
            return
        self._refer(image, motion)

    def _refer(self, image: Image, motion: Motion) -> None:
        self._reference, self._reference_gray = image, motion.gray
        self._reference_at = motion.t

    def _recover(self, image: Image, motion: Motion) -> Knock | None:
        assert self._reference is not None
        self._tried_at = motion.t
        matrix = register(self._reference, image)
        if matrix is None:
            if self._reported:
                return None
            self._reported = True
            return Knock(None)
        self._shaken_at = None
        reported, self._reported = self._reported, False
        self._refer(image, motion)
        if not reported and _stays(matrix, image):
            return None
        return Knock(matrix)


def _stays(matrix: Array, image: Image) -> bool:
    height, width = image.shape[:2]
    corners = [(0.0, 0.0), (width, 0.0), (width, height), (0.0, height)]
    moved = geometry.map_points(matrix, corners) - geometry.as_array(corners)
    return bool(np.abs(moved).max() < _NEGLIGIBLE * width)
