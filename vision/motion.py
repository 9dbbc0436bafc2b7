"""What moves and what has changed in the picture, at a width of 320 pixels.

Nothing here knows of cards. `MotionGate` compares each frame with the one before (what *moves*) and
with a background that slowly takes up whatever lies still (what has *changed*), after taking out
exposure drift and mains flicker.
"""

import math
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt

from vision import geometry
from vision.geometry import Array
from vision.types import Image, Quad

Gray = npt.NDArray[np.float32]
"""(height, width) brightness, 0 to 255, brought to the exposure of the first frame."""
Colour = npt.NDArray[np.float32]
"""(height, width, 3), BGR, otherwise as `Gray`."""
Mask = npt.NDArray[np.uint8]
"""(height, width), 0 or 1."""

SMALL_WIDTH = 320
_MOVING = 12.0
"""Grey levels between frames that are motion: above webcam noise after averaging 4 x 4 pixels."""
_CHANGED = 14.0
"""Grey levels from the background that are a change."""
_NOISE_SIGMAS = 5.0
"""Dark rooms are noisier: the thresholds are at least this many sigmas of the frame's noise."""
_MOVING_MEMORY = 0.1
"""Seconds a pixel counts as moving after it moved; bridges repeated frames and slow motion."""
_ABSORB_AFTER = 1.5
"""Seconds a changed pixel must lie still before the background takes it up."""
_LEARNING_RATE = 0.05
"""Share by which unchanged background follows the picture each frame."""
_GAIN_LIMITS = (0.5, 2.0)
_GAIN_PIXELS = 50
"""Fewer pixels neither black nor burnt out tell nothing of the exposure."""
_FLICKER_LIMIT = 28.0
"""Mains flicker moves a pixel by at most this many levels; more is something real."""
_FLICKER_DEPTH = 0.18
"""Part of its light by which a row may flicker between two frames."""
_FLICKER_PIXELS = 0.2
"""A row's flicker is only known with this part of its pixels unchanged."""


@dataclass(frozen=True, slots=True)
class Motion:
    """What one frame shows. Masks and `gray` are (h, w) at `SMALL_WIDTH`; `scale` is small pixels
    per image pixel. `moving_share` and `changed_share` are parts of the table's pixels."""

    t: float
    gray: Gray
    moving: Mask
    changed: Mask
    still: Mask
    scale: float
    moving_share: float
    changed_share: float
    still_share: float


class MotionGate:
    """Follows the picture. Feed every frame; the time comes from the frame."""

    def __init__(self) -> None:
        self._background: Colour | None = None
        self._previous: Colour | None = None
        self._moved_at: npt.NDArray[np.float64] | None = None
        self._inside: Mask | None = None
        self._scale = 1.0

    @property
    def background(self) -> Gray | None:
        """(h, w) what lies still, None before the first frame."""
        return None if self._background is None else _gray(self._background)

    def set_area(self, area: Mask) -> None:
        """The part of the small picture that is table, (h, w) 0 or 1."""
        self._inside = area

    def reset(self) -> None:
        """Forget the background (the camera moved); the next frame becomes it."""
        self._background = None
        self._previous = None
        self._moved_at = None

    def step(self, image: Image, t: float) -> Motion:
        """Take in a frame (h, w, 3) at `t` seconds."""
        small, self._scale = shrink(image)
        if self._background is None or self._background.shape != small.shape:
            self._start(small, t)
        assert self._background is not None
        assert self._previous is not None
        assert self._moved_at is not None
        colour = self._levelled(small)
        difference = _apart(colour, self._previous)
        limit = max(_MOVING, _NOISE_SIGMAS * _noise(difference))
        self._moved_at[difference > limit] = t
        moving = _opened((t - self._moved_at <= _MOVING_MEMORY).astype(np.uint8))
        change = _apart(colour, self._background)
        limit = max(_CHANGED, _NOISE_SIGMAS * _noise(change))
        changed = _opened(_closed((change > limit).astype(np.uint8)))
        self._learn(colour, changed, moving, t)
        self._previous = colour
        return self._report(t, _gray(colour), moving, changed)

    def absorb(self, quad: Quad) -> None:
        """Take what a quad (image pixels) shows now into the background: it is explained."""
        if self._background is None or self._previous is None:
            return
        place = _grown(quad_mask(quad, self._scale, self._background.shape)) == 1
        self._background[place] = self._previous[place]

    def _start(self, small: Colour, t: float) -> None:
        self._background = small.copy()
        self._previous = small
        shape = small.shape[:2]
        self._moved_at = np.full(shape, t - 2 * _MOVING_MEMORY, dtype=np.float64)
        if self._inside is None or self._inside.shape != shape:
            self._inside = np.ones(shape, dtype=np.uint8)

    def _levelled(self, small: Colour) -> Colour:
        """The frame at the exposure and white balance of the background, flicker taken out."""
        assert self._background is not None
        colour: Colour = small * _gains(small, self._background)
        # Mains flicker dims bands of rows: a row's own gain, from pixels nothing else has changed.
        now, then = colour[:, ::2, 1], self._background[:, ::2, 1]
        plain = np.abs(now - then) < _FLICKER_LIMIT
        gains = np.where(plain, then, 0).sum(axis=1) / np.maximum(
            np.where(plain, now, 0).sum(axis=1), 1
        )
        gains[plain.sum(axis=1) < _FLICKER_PIXELS * plain.shape[1]] = 1
        gains = np.clip(gains, 1 - _FLICKER_DEPTH, 1 + _FLICKER_DEPTH)
        smooth = np.asarray(cv2.blur(gains.reshape(-1, 1).astype(np.float32), (1, 3)))
        colour *= smooth.reshape(-1, 1, 1)
        return colour

    def _learn(self, colour: Colour, changed: Mask, moving: Mask, t: float) -> None:
        assert self._background is not None
        assert self._moved_at is not None
        rate = np.where((changed == 0) & (moving == 0), _LEARNING_RATE, 0).astype(np.float32)
        rate[(changed == 1) & (t - self._moved_at > _ABSORB_AFTER)] = 1
        self._background += rate[..., None] * (colour - self._background)

    def _report(self, t: float, gray: Gray, moving: Mask, changed: Mask) -> Motion:
        assert self._inside is not None
        pixels = max(1, int(self._inside.sum()))
        changed = changed & self._inside
        inside_moving = moving & self._inside
        still = _opened(changed & (1 - _grown(inside_moving)))
        return Motion(
            t=t,
            gray=gray,
            moving=moving,
            changed=changed,
            still=still,
            scale=self._scale,
            moving_share=float(inside_moving.sum()) / pixels,
            changed_share=float(changed.sum()) / pixels,
            still_share=float(still.sum()) / pixels,
        )


_CROSS = cv2.getStructuringElement(cv2.MORPH_CROSS, (3, 3))
_SQUARE = np.ones((3, 3), np.uint8)


def shrink(image: Image) -> tuple[Colour, float]:
    """The picture at `SMALL_WIDTH`, and small pixels per image pixel."""
    height, width = image.shape[:2]
    scale = SMALL_WIDTH / width
    size = (SMALL_WIDTH, max(8, round(height * scale)))
    # Skip pixels first where the picture is huge: averaging 1080p costs more than everything
    # else here together.
    step = max(1, width // (4 * SMALL_WIDTH))
    small = cv2.resize(image[::step, ::step], size, interpolation=cv2.INTER_AREA)
    return np.asarray(small, dtype=np.float32), scale


def _gray(colour: Colour) -> Gray:
    return np.asarray(cv2.cvtColor(colour, cv2.COLOR_BGR2GRAY), dtype=np.float32)


def _apart(a: Colour, b: Colour) -> Gray:
    """The greatest difference of a channel, a pixel: skin and wood may be equally bright."""
    blue, green, red = cv2.split(cv2.absdiff(a, b))
    return np.asarray(cv2.max(cv2.max(blue, green), red), dtype=np.float32)


def _gains(now: Colour, then: Colour) -> Colour:
    """(3,) factors that bring `now` to the exposure and white balance of `then`."""
    a, b = now[::3, ::3].reshape(-1, 3), then[::3, ::3].reshape(-1, 3)
    lit = ((a > 8) & (a < 250) & (b > 8) & (b < 250)).all(axis=1)
    if lit.sum() < _GAIN_PIXELS:
        return np.ones(3, dtype=np.float32)
    gains = np.median(b[lit] / a[lit], axis=0)
    return np.asarray(np.clip(gains, *_GAIN_LIMITS), dtype=np.float32)


def _opened(mask: npt.NDArray[np.uint8]) -> Mask:
    return np.asarray(cv2.morphologyEx(mask, cv2.MORPH_OPEN, _CROSS), dtype=np.uint8)


def _closed(mask: npt.NDArray[np.uint8]) -> Mask:
    return np.asarray(cv2.morphologyEx(mask, cv2.MORPH_CLOSE, _SQUARE), dtype=np.uint8)


def _grown(mask: npt.NDArray[np.uint8]) -> Mask:
    return np.asarray(cv2.dilate(mask, _SQUARE), dtype=np.uint8)


def quad_mask(quad: Quad, scale: float, shape: tuple[int, ...]) -> Mask:
    """(h, w) mask of a quad given in image pixels, drawn at `scale`."""
    mask = np.zeros(shape[:2], dtype=np.uint8)
    points = np.round(np.asarray(quad) * scale - 0.5).astype(np.int32)
    cv2.fillConvexPoly(mask, points, 1)
    return mask


def _noise(difference: Gray) -> float:
    """Sigma of the noise in an absolute difference, from its median (robust to what moved)."""
    return float(np.median(difference[::4, ::4])) / 0.6745


# --- a knocked camera ---------------------------------------------------------------------------

_SHIFT_RESPONSE = 0.05
"""Phase correlation less sure than this says nothing."""
_LEAST_SHIFT = 0.25
"""Small pixels below which a shift can't be told from noise."""
_BLOCK = 20
"""Side of the squares, small pixels, that vote on whether they moved with the whole."""
_TEXTURE = 4.0
"""Mean slope, grey levels a pixel, from which a square shows whether it moved."""
_BETTER = 0.75
"""A square agrees when shifting leaves less than this part of its difference."""
_BUSY = 0.1
"""A square with so much of it covered by what moves about tells nothing of the camera."""
_AGREEING = 0.55
"""Part of the textured squares that must agree: a sweep of cards is no knock."""
_REGISTER_WIDTH = 960
_FEATURES = 1500
_MATCH_RATIO = 0.8
_INLIERS = 25
_INLIER_SHARE = 0.3
_REPROJECTION = 2.5
"""Pixels, at the registration's width, within which a matched point agrees."""
_WIDE = 0.15
"""Points spread over a smaller part of the picture (a card or two on a plain cloth) say where the
camera turned, moved and zoomed to, not how it tilted: a projection fitted to them runs wild by
hundreds of pixels at the table's corners."""
_ZOOM = (0.8, 1.25)
"""No knock brings a camera nearer or farther by more than this: points were taken for others."""
_TURN = math.radians(40)
"""...or turns it further: two cards that look alike were taken for each other."""


def picture_shift(before: Gray, after: Gray, busy: Mask | None = None) -> float:
    """How far the whole picture moved between two frames, small pixels; 0 where it did not.

    Most of the textured squares must agree with the shift: cards and arms that move together over
    a plain table make a strong correlation too. Where something was about already (`busy`, (h, w) 1 there)
    nothing is said: all that shows of a plain table may be the cards that a hand is gathering.
    """
    window = cv2.createHanningWindow((before.shape[1], before.shape[0]), cv2.CV_32F)
    # Copies: OpenCV 5 applies the window to its arguments in place.
    (dx, dy), response = cv2.phaseCorrelate(before.copy(), after.copy(), window)
    shift = float(np.hypot(dx, dy))
    if response < _SHIFT_RESPONSE or shift < _LEAST_SHIFT:
        return 0.0
    matrix = np.array([[1, 0, dx], [0, 1, dy]], dtype=np.float64)
    size = (before.shape[1], before.shape[0])
    shifted = cv2.warpAffine(before, matrix, size, borderMode=cv2.BORDER_REPLICATE)
    slope = cv2.absdiff(before[1:, 1:], before[:-1, 1:]) + cv2.absdiff(
        before[1:, 1:], before[1:, :-1]
    )
    textured = _blocks(slope) > _TEXTURE
    if busy is not None:
        textured &= _blocks(busy[1:, 1:]) < _BUSY
    unshifted = _blocks(cv2.absdiff(after, before)[1:, 1:])
    agree = _blocks(cv2.absdiff(after, shifted)[1:, 1:]) < _BETTER * unshifted
    if not textured.any() or agree[textured].mean() < _AGREEING:
        return 0.0
    return shift


def _blocks(values: npt.NDArray[Any]) -> Gray:
    """Means of `values` over squares of `_BLOCK` pixels."""
    size = (values.shape[1] // _BLOCK, values.shape[0] // _BLOCK)
    return np.asarray(cv2.resize(values, size, interpolation=cv2.INTER_AREA), dtype=np.float32)


def register(before: Image, after: Image, widely: bool = False) -> Array | None:
    """The (3, 3) projection that takes pixels of `before` to those of `after`.

    None when too little of the two pictures agrees, or only on what no knock does; where `widely`
    is asked, also when what agrees is only a small part of them. Both are (h, w, 3) of the same size.
    """
    scale = min(1.0, _REGISTER_WIDTH / before.shape[1])
    points = []
    for image in (before, after):
        gray = cv2.cvtColor(image, cv2.COLOR_BGR2GRAY)
        points.append(cv2.resize(gray, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA))
    orb = cv2.ORB.create(nfeatures=_FEATURES, fastThreshold=8)
    (keys_a, found_a), (keys_b, found_b) = (orb.detectAndCompute(p, None) for p in points)
    if found_a is None or found_b is None or len(keys_b) < 2:
        return None
    pairs = cv2.BFMatcher(cv2.NORM_HAMMING).knnMatch(found_a, found_b, k=2)
    good = [m[0] for m in pairs if len(m) == 2 and m[0].distance < _MATCH_RATIO * m[1].distance]
    if len(good) < _INLIERS:
        return None
    source = np.array([keys_a[m.queryIdx].pt for m in good])
    target = np.array([keys_b[m.trainIdx].pt for m in good])
    matrix = _fitted(source, target, points[0].size, widely)
    if matrix is None:
        return None
    up = np.diag([scale, scale, 1.0])
    result = np.linalg.inv(up) @ matrix @ up
    result = np.asarray(result / result[2, 2], dtype=np.float64)
    return result if _as_a_knock(result, before.shape[1], before.shape[0]) else None


def _fitted(source: Array, target: Array, picture: int, widely: bool) -> Array | None:
    """The (3, 3) projection from `source` to `target`, both (n, 2), in pictures of `picture`
    pixels; None where too few of the points agree on one, or too near each other (`widely`)."""
    cv2.setRNGSeed(0)  # the same video gives the same game, bit for bit
    matrix, inliers = cv2.findHomography(source, target, cv2.RANSAC, _REPROJECTION)
    needed = max(_INLIERS, _INLIER_SHARE * len(source))
    if matrix is None or inliers.sum() < needed:
        return None
    hull = cv2.convexHull(source[inliers.ravel() == 1].astype(np.float32))
    if cv2.contourArea(hull) >= _WIDE * picture:
        return np.asarray(matrix, dtype=np.float64)
    if widely:
        return None
    rigid, inliers = cv2.estimateAffinePartial2D(
        source, target, method=cv2.RANSAC, ransacReprojThreshold=_REPROJECTION
    )
    if rigid is None or inliers.sum() < needed:
        return None
    return np.vstack([np.asarray(rigid, dtype=np.float64), [0.0, 0.0, 1.0]])


def _as_a_knock(matrix: Array, width: int, height: int) -> bool:
    """Whether a camera that was knocked may see a picture of this size so: not mirrored, not
    folded over, about as large and as upright as before. `matrix` (3, 3) takes pixels to pixels."""
    corners = geometry.as_quad([(0, 0), (width, 0), (width, height), (0, height)])
    depths = np.column_stack([corners, np.ones(4)]) @ matrix[2]
    if (depths <= 0).any() or not geometry.is_convex(geometry.map_quad(matrix, corners)):
        return False
    x, y = width / 2, height / 2
    here, right, below = geometry.map_points(matrix, [(x, y), (x + 1, y), (x, y + 1)])
    (ax, ay), (bx, by) = right - here, below - here
    zoom = math.sqrt(max(0.0, ax * by - ay * bx))
    return _ZOOM[0] <= zoom <= _ZOOM[1] and abs(math.atan2(ay, ax)) <= _TURN
