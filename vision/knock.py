"""A knocked camera: noticing it, waiting for it to hang still, finding the table again."""

from collections.abc import Iterable
from dataclasses import dataclass

import cv2
import numpy as np

from vision import geometry
from vision.geometry import Array
from vision.motion import Gray, Mask, Motion, picture_shift, quad_mask, register
from vision.table import Table
from vision.types import Image, Quad

_SHAKE = 0.4
"""Small pixels between two frames beyond which the whole picture moves (1.6 pixels at 720p)."""
_CREEP = 0.6
"""Small pixels from the reference beyond which the camera has moved without being caught at it."""
_SUSPICIOUS = 0.04
"""Phase correlation is only asked when at least this share of the picture moves."""
_STIRRED = 0.1
"""After so much of the picture has moved at once, more than an arm, it is compared with the
reference as soon as it is quiet: a camera that turns makes no shift."""
_CALM = 0.35
"""Seconds without a shift before the table is looked for again."""
_REFERENCE_EVERY = 2.0
"""Seconds between reference pictures, taken only when nothing moves."""
_QUIET = 0.01
_RETRY = 0.7
"""Seconds between attempts to find the table again, and between comparisons with the reference."""
_NEGLIGIBLE = 0.0012
"""Corners moved less than this part of the picture's width: nothing needs to follow."""
_TURNED = 0.004
"""Corners of a picture that seemed still moved by this part of its width: the camera did move."""
_DIFFERS = 12.0
"""Grey levels from the reference that noise does not make."""
_EDGE = 20.0
"""Slope, grey levels a small pixel, of an edge: it tells at once whether it has moved."""
_EDGES_NEEDED = 150
"""Small pixels on edges below which a picture is too plain to compare with: the outline of a table
has a thousand."""
_UNLIKE = 0.25
"""With a smaller part of the edges (cards aside) differing from the reference it shows the same
view: a camera that turns moves nearly all of them, an arm that rests there hides some."""
_EXPLAINED = 0.25
"""A knock takes away at least this part of the difference: lamps and people make some too, which no
movement of the picture undoes. Not more: edges drawn anew after a turn differ by themselves."""
_DOUBTED_FOR = 5.0
"""Seconds after a gap in which a camera may still be waking up and show nothing to compare."""
_GO_ON_AFTER = 2.0
"""Seconds of calm in which a table is not found again before it is taken to be where it was: a game
followed with a table a little off is better than none."""
_BACKGROUND = 2.0
"""Seconds between attempts while following goes on."""
_REFERENCE_LASTS = 30.0
"""Seconds for which a lost table is still looked for by the old picture: two tricks later other
cards lie there, and a person may have moved the table itself."""
_CARD_SLACK = 1.3
"""A card and its shadow, in parts of the card's size."""


@dataclass(frozen=True, slots=True)
class Found:
    """The table was found again: `matrix` (3, 3) takes old pixels to new, `table` is where it lies
    now. Cards last seen at `since` seconds or later were seen where the picture has them now; inf
    where none was followed after the knock."""

    matrix: Array
    table: Table
    since: float


@dataclass(frozen=True, slots=True)
class Lost:
    """The table was not found again. Said once, at the first attempt."""


@dataclass(frozen=True, slots=True)
class GoesOn:
    """Places in the picture mean something again, though it is not known how they moved: the table
    is taken to lie where it was."""


Knock = Found | Lost | GoesOn


class KnockWatch:
    """Watches for the whole picture moving. Feed every frame."""

    def __init__(self) -> None:
        self._reference: Image | None = None
        self._reference_gray: Gray | None = None
        self._reference_free: Mask | None = None
        self._reference_at = -np.inf
        self._previous: Motion | None = None
        self._compared_at = -np.inf
        self._stirred_at: float | None = None
        self._doubted_at: float | None = None
        self._in_doubt = False
        self._shaken_at: float | None = None
        self._tried_at = -np.inf
        self._lost_at: float | None = None
        self._followed_since = np.inf

    @property
    def shaking(self) -> bool:
        """Whether places in the picture mean nothing just now."""
        return self._shaken_at is not None

    @property
    def seen_since(self) -> float:
        """Cards last seen at this time (seconds) or later were seen in the picture as it is now:
        all of them, -inf, unless a knock is not got over yet."""
        return self._followed_since if self.shaking or self._lost_at is not None else -np.inf

    def doubt(self) -> None:
        """No frames came for a while: the camera may come back looking from elsewhere."""
        self._in_doubt, self._doubted_at = True, None

    def step(
        self, image: Image, motion: Motion, table: Table, cards: Iterable[Quad]
    ) -> Knock | None:
        """Take in a frame, the table and the quads (image pixels) of cards that are believed to lie
        on it, both as before this frame."""
        previous, self._previous = self._previous, motion
        if self._reference is None or self._reference.shape != image.shape:
            return self._begin(image, motion, cards)
        assert previous is not None
        moving = float(motion.moving.mean())
        # While the camera still swings all of the picture is in motion, and speaks of the camera.
        busy = None if self.shaking else previous.changed
        if moving > _SUSPICIOUS and picture_shift(previous.gray, motion.gray, busy) > _SHAKE:
            self._shaken_at = motion.t
        if self._shaken_at is not None:
            return self._wait(image, motion, table, cards)
        if self._lost_at is not None:
            return self._look_back(image, motion, table, cards, moving)
        self._watch(image, motion, cards, moving)
        return None

    def _begin(self, image: Image, motion: Motion, cards: Iterable[Quad]) -> Knock | None:
        """The first picture, or the first of another size: nothing from before compares with it."""
        blind = self.shaking
        self._settle(image, motion, _free(cards, motion))
        return GoesOn() if blind else None

    # --- while all is calm ---

    def _watch(self, image: Image, motion: Motion, cards: Iterable[Quad], moving: float) -> None:
        """Take references, and notice a camera that crept away, turned, or came back elsewhere."""
        if moving > _STIRRED and self._stirred_at is None:
            self._stirred_at = motion.t
        waited = motion.t - self._reference_at >= _REFERENCE_EVERY
        due = waited or self._in_doubt or self._stirred_at is not None
        if moving > _QUIET or not due or motion.t - self._compared_at < _RETRY:
            return
        self._compared_at = motion.t
        free = _free(cards, motion)
        moved = self._moved(image, motion, free)
        if moved:
            # What was followed since may have been seen from where the camera is now.
            self._followed_since = self._suspected_since()
            self._shaken_at = motion.t
            return
        if moved is None and self._in_doubt:
            self._doubted_at = motion.t if self._doubted_at is None else self._doubted_at
            if motion.t - self._doubted_at < _DOUBTED_FOR:
                return
        self._settle(image, motion, free)

    def _suspected_since(self) -> float:
        """When cards may first have been seen from where the camera is now; inf: not yet."""
        if self._in_doubt:
            return np.inf if self._doubted_at is None else self._doubted_at
        return self._reference_at if self._stirred_at is None else self._stirred_at

    def _moved(self, image: Image, motion: Motion, free: Mask) -> bool | None:
        """Whether the camera looks from elsewhere than in the reference; None where that cannot be
        told. `free` (h, w) is 1 where no card lies."""
        assert self._reference is not None
        assert self._reference_gray is not None
        assert self._reference_free is not None
        free = free & self._reference_free
        if picture_shift(self._reference_gray, motion.gray, 1 - free) > _CREEP:
            return True
        unlike = _unlike(self._reference_gray, motion.gray, free)
        if unlike < _UNLIKE:
            return False
        matrix = register(self._reference, image)
        if matrix is None:
            return None
        if _stays(matrix, image, _TURNED):
            return False
        small = geometry.at_scale(matrix, motion.scale)
        size = (free.shape[1], free.shape[0])
        turned = np.asarray(cv2.warpPerspective(self._reference_gray, small, size), np.float32)
        shown = np.asarray(cv2.warpPerspective(free, small, size), np.uint8) & free
        return _unlike(turned, motion.gray, shown) < (1 - _EXPLAINED) * unlike

    def _settle(self, image: Image, motion: Motion, free: Mask) -> None:
        """All is well, or past mending: what is seen now is what later pictures compare with, where
        no card lies (`free`, (h, w), 1 there)."""
        self._reference, self._reference_gray = image, motion.gray
        self._reference_free = free
        self._reference_at = motion.t
        self._stirred_at = self._doubted_at = self._shaken_at = self._lost_at = None
        self._in_doubt = False
        self._followed_since = np.inf

    # --- after a knock ---

    def _wait(
        self, image: Image, motion: Motion, table: Table, cards: Iterable[Quad]
    ) -> Knock | None:
        """Wait until the camera hangs still, then look for the table."""
        assert self._shaken_at is not None
        if motion.t - self._shaken_at < _CALM:
            return None
        if self._lost_at is not None:
            calm_since = max(self._shaken_at, self._lost_at)
            if motion.t - calm_since >= _GO_ON_AFTER:
                self._shaken_at, self._followed_since = None, motion.t
                return GoesOn()
        if motion.t - self._tried_at < _RETRY:
            return None
        found = self._find(image, motion, table, cards)
        if found is None and self._lost_at is None:
            self._lost_at = motion.t
            return Lost()
        if found is not None and found.table is table:
            return None
        return found

    def _look_back(
        self, image: Image, motion: Motion, table: Table, cards: Iterable[Quad], moving: float
    ) -> Knock | None:
        """The table was lost and is followed where it was: try on, while the old picture tells."""
        assert self._lost_at is not None
        if moving > _QUIET or motion.t - self._tried_at < _BACKGROUND:
            return None
        if motion.t - self._lost_at > _REFERENCE_LASTS:
            self._settle(image, motion, _free(cards, motion))
            return None
        # Cards have come and gone by now: where they alone agree, they may be other cards.
        return self._find(image, motion, table, cards, widely=True)

    def _find(
        self,
        image: Image,
        motion: Motion,
        table: Table,
        cards: Iterable[Quad],
        widely: bool = False,
    ) -> Found | None:
        """Look for the table by the reference; `table` itself comes back where it did not move."""
        assert self._reference is not None
        self._tried_at = motion.t
        matrix = register(self._reference, image, widely)
        if matrix is None:
            return None
        moved = table
        if self._lost_at is not None or not _stays(matrix, image, _NEGLIGIBLE):
            try:
                moved = table.moved(matrix)
            except ValueError:  # seen so it would be no table: points were taken for others
                return None
        found = Found(matrix, moved, self._followed_since)
        self._settle(image, motion, _free(cards, motion))
        return found


def _free(cards: Iterable[Quad], motion: Motion) -> Mask:
    """(h, w) 1 where no card lies: cards come and go while the view stays."""
    free = np.ones(motion.gray.shape, dtype=np.uint8)
    for quad in cards:
        grown = geometry.grow(quad, _CARD_SLACK)
        free &= 1 - quad_mask(grown, motion.scale, motion.gray.shape)
    return free


def _unlike(before: Gray, after: Gray, free: Mask) -> float:
    """The part of the free edges of `before`, 0 to 1, that differ in `after` whatever the exposure;
    0 where there are too few to tell."""
    across, down = np.diff(before, axis=1)[:-1], np.diff(before, axis=0)[:, :-1]
    edges = (np.abs(across) + np.abs(down) > _EDGE) & (free[:-1, :-1] == 1)
    then, now = before[:-1, :-1][edges], after[:-1, :-1][edges]
    if len(then) < _EDGES_NEEDED:
        return 0.0
    gain = float(np.median((then + 1) / (now + 1)))
    return float((np.abs(then - gain * now) > _DIFFERS).mean())


def _stays(matrix: Array, image: Image, within: float) -> bool:
    """Whether the picture's corners moved less than `within` parts of its width."""
    height, width = image.shape[:2]
    corners = [(0.0, 0.0), (width, 0.0), (width, height), (0.0, height)]
    moved = geometry.map_points(matrix, corners) - geometry.as_array(corners)
    return bool(np.abs(moved).max() < within * width)
