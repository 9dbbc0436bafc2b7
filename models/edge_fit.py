"""Where a card's edges run inside a box a person drew round it: labels say where it lies, not how.

A convex quadrilateral touches each side of its upright box with one corner, so that four numbers tell all
those a box allows. The one whose sides lie best on edges of the picture is found by trying a grid of
parallelograms and sliding the corners of the best.
"""

import itertools
import math

import cv2
import numpy as np
import numpy.typing as npt

from models.evaluate import Box
from vision.geometry import as_quad, begun, is_convex, side_lengths
from vision.types import Image, Quad

Corners = npt.NDArray[np.float64]
"""(4, 2): the corners that touch the top, the right, the bottom and the left of the box."""

CARD_SIDE = 160.0
"""Pixels of the longer side of the box when its edges are looked at: finer than that is print and noise."""
BLUR = 1.2
CAP = 30.0
"""Grey levels a pixel above which an edge is no better: a pip must not outweigh a side."""
POINTS = 24
ROUNDED = 0.1
"""This part of a side at either end is the round of a corner."""

STARTS = (0.0, 0.12, 0.25, 0.38, 0.5, 0.62, 0.75, 0.88, 1.0)
REFINED = 6
STEPS = (0.06, 0.03, 0.015, 0.008)
SLACK = 0.03
"""Boxes are drawn by hand: a corner may lie inside or outside of one by this part of its side."""

RATIOS = (1.1, 2.1)
"""Longer sides to shorter ones, of cards seen from anywhere but very low."""
SKEW = 25.0
"""Grey levels that opposite corners' not lying opposite costs, for all of a side: cards are parallelograms
but for a little perspective."""


def fitted(image: Image, box: Box) -> tuple[Quad, float] | None:
    """The quad (short sides first) in `box` whose sides lie best on edges, and how well: the mean edge
    under its weakest side, grey levels a pixel. None where the box leaves no such card.

    `image` BGR; `box` in its pixels.
    """
    patch, scale, shift = _patch(image, box)
    x1, y1, x2, y2 = ((v - o) * scale for v, o in zip(box, (*shift, *shift), strict=True))
    low, size = np.array([x1, y1]), np.array([x2 - x1, y2 - y1])
    if size.min() < 8:
        return None
    edges = _Edges(patch)
    tried = [_start(a, b) for a, b in itertools.product(STARTS, STARTS)]
    ranked = sorted(tried, key=lambda at: -edges.worth(low + at * size))[:REFINED]
    best = max((_slid(at, low, size, edges) for at in ranked), key=lambda pair: pair[1])
    corners, worth = low + best[0] * size, best[1]
    if worth <= 0:
        return None
    quad = as_quad(corners / scale + shift)
    short, long = side_lengths(quad)
    if short > long:
        quad = begun(quad, 1)
    return quad, float(edges.along(corners).min())


def _patch(image: Image, box: Box) -> tuple[npt.NDArray[np.float32], float, tuple[float, float]]:
    """The picture about the box in grey, blurred, its scale and where it starts."""
    x1, y1, x2, y2 = box
    margin = 0.12 * max(x2 - x1, y2 - y1)
    left, top = max(0, int(x1 - margin)), max(0, int(y1 - margin))
    part = image[top : int(y2 + margin) + 1, left : int(x2 + margin) + 1]
    scale = min(1.0, CARD_SIDE / max(x2 - x1, y2 - y1))
    small = cv2.resize(part, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    gray = cv2.GaussianBlur(cv2.cvtColor(small, cv2.COLOR_BGR2GRAY), (0, 0), BLUR)
    return gray.astype(np.float32), scale, (float(left), float(top))


def _start(a: float, b: float) -> Corners:
    """A parallelogram in the unit square: its top corner at `a` from the left, its right one at `b`."""
    return np.array([[a, 0.0], [1.0, b], [1 - a, 1.0], [0.0, 1 - b]])


class _Edges:
    """How strong the picture's edges are under the sides of a quadrilateral."""

    def __init__(self, gray: npt.NDArray[np.float32]) -> None:
        self._dx = cv2.Scharr(gray, cv2.CV_32F, 1, 0) / 32
        self._dy = cv2.Scharr(gray, cv2.CV_32F, 0, 1) / 32

    def along(self, corners: Corners) -> npt.NDArray[np.float64]:
        """(4,) mean edges across each side, capped, in grey levels a pixel."""
        ends = np.roll(corners, -1, axis=0)
        side = ends - corners
        lengths = np.maximum(np.linalg.norm(side, axis=1), 1e-6)
        normal = np.stack([-side[:, 1], side[:, 0]], axis=1) / lengths[:, None]
        t = np.linspace(ROUNDED, 1 - ROUNDED, POINTS)
        points = (corners[:, None] + t[None, :, None] * side[:, None]).astype(np.float32)
        dx, dy = (
            cv2.remap(d, points[..., 0], points[..., 1], cv2.INTER_LINEAR)
            for d in (self._dx, self._dy)
        )
        across = np.abs(dx * normal[:, :1] + dy * normal[:, 1:])
        return np.asarray(np.minimum(across, CAP).mean(axis=1), float)

    def worth(self, corners: Corners) -> float:
        """How likely these are a card's corners; 0 and less where they cannot be."""
        quad = as_quad(corners)
        sides = sorted(side_lengths(quad))
        if not is_convex(quad) or not RATIOS[0] <= sides[1] / max(sides[0], 1e-6) <= RATIOS[1]:
            return 0.0
        askew = np.linalg.norm(corners[0] + corners[2] - corners[1] - corners[3]) / sides[1]
        along = np.sort(self.along(corners))
        # A side may lie on another white card and show no edge at all.
        return float(along[1:].mean() + 0.5 * along[0] - SKEW * max(0.0, askew - 0.05))


def _slid(at: Corners, low: Corners, size: Corners, edges: _Edges) -> tuple[Corners, float]:
    """The corners slid to where they are worth most, in parts of the box, and what they are worth."""
    best, worth = at.copy(), edges.worth(low + at * size)
    for step in STEPS:
        moved = True
        while moved:
            moved = False
            for corner, axis, sign in itertools.product(range(4), (0, 1), (-1, 1)):
                trial = best.copy()
                trial[corner, axis] += sign * step
                if not _within(trial, corner):
                    continue
                value = edges.worth(low + trial * size)
                if value > worth + 1e-6 and math.isfinite(value):
                    best, worth, moved = trial, value, True
    return best, worth


def _within(corners: Corners, corner: int) -> bool:
    """Whether a corner stays on its side of the box, give or take."""
    x, y = corners[corner]
    off = (y, 1 - x, 1 - y, x)[corner]
    return bool(abs(off) <= SLACK and min(x, y) >= -SLACK and max(x, y) <= 1 + SLACK)
