"""The finder: every card on the table as an oriented box, from one frame."""

import math
from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt

from vision.network import Array, Network
from vision.types import Detection, Face, Image, Quad
from vision.weights import Weights, load_weights

FINDER_SIDE = 640
"""Longer side of the picture the network sees, pixels: a 720p frame halved, cards of 45-200 px there."""

STRIDES = (8, 16, 32)
BINS = 16
"""Distances to a box's sides are given as distributions over this many steps of a stride."""

FACES: tuple[Face, ...] = ("up", "down")

SAME_CARD = 0.5
CROSSED = 0.35
PARALLEL = math.radians(8)
"""Boxes that share more than `SAME_CARD` are one card. A card seen twice is mostly seen once askew, and
two real cards that lie across each other share little, so boxes that differ by more than `PARALLEL` are
one already from `CROSSED` on. Chosen on `shared/real/train`: cards fanned out by a third of their width
stay apart."""

MOST_CARDS = 200
"""Nearly four decks of 52: what shows more is no table but a pattern, and reading it would
take minutes. The surest are kept."""

FIRST_SIDE = 416
BEST_LENGTH = 90.0
"""A photograph's cards may be of any size. It is first seen at `FIRST_SIDE`, then so that its cards are
about `BEST_LENGTH` pixels long there, where the finder was trained most and finds best."""

SIDES = (256, 1280)
GOOD_ENOUGH = 1.35
"""Within this factor of the best length the first look is kept."""

_GREY = 114


class Finder:
    """Finds cards. One instance a thread."""

    def __init__(self, weights: Weights | None = None, side: int = FINDER_SIDE) -> None:
        """Load and check the weights; raises `UserError` if they are missing or altered."""
        self.weights = weights or load_weights("finder")
        self.side = side
        self._network = Network(self.weights.model)

    @classmethod
    def from_folder(cls, folder: Path, side: int = FINDER_SIDE) -> "Finder":
        return cls(load_weights("finder", folder), side)

    def find(self, image: Image, threshold: float | None = None) -> list[Detection]:
        """Cards in a BGR frame of any size, surest first.

        Quads are oriented rectangles of whole cards, covered parts included, in pixels of `image`.
        `threshold` overrides the manifest's.
        """
        return self._find(image, self.side, threshold)

    def find_any_size(self, image: Image, threshold: float | None = None) -> list[Detection]:
        """As `find`, for photographs whose cards may be of any size: looks once or twice."""
        first = self._find(image, FIRST_SIDE, threshold)
        if not first:
            return self._find(image, self.side, threshold)
        length = float(np.median(_lengths(first))) * FIRST_SIDE / max(image.shape[:2])
        factor = BEST_LENGTH / max(length, 1.0)
        if 1 / GOOD_ENOUGH < factor < GOOD_ENOUGH:
            return first
        side = round(min(max(FIRST_SIDE * factor, SIDES[0]), SIDES[1]))
        second = self._find(image, side, threshold)
        return second if sum(d.p for d in second) > sum(d.p for d in first) else first

    def candidates(self, image: Image, threshold: float, side: int) -> list[Detection]:
        """Everything the network proposes, many boxes a card: for labelling, where a person's box
        already says where the card is."""
        return [_detection(row) for row in self._rows(image, side, threshold)]

    def _find(self, image: Image, side: int, threshold: float | None) -> list[Detection]:
        limit = self.weights.threshold if threshold is None else threshold
        return distinct(self._rows(image, side, limit))

    def _rows(self, image: Image, side: int, limit: float) -> npt.NDArray[np.float64]:
        inputs, scale = letterbox(image, side)
        boxes, scores, angles = self._network(inputs[None])
        rows, columns = inputs.shape[:2]
        return _to_image(decode(boxes[0], scores[0], angles[0], (rows, columns), limit), scale)


def _lengths(found: list[Detection]) -> list[float]:
    """The long sides of detections, pixels."""
    return [math.dist(d.quad[1], d.quad[2]) for d in found]


def letterbox(image: Image, side: int) -> tuple[Image, float]:
    """The image with its longer side at most `side`, padded to multiples of 32, and the scale used.

    Smaller pictures are not enlarged beyond twice their size.
    """
    height, width = image.shape[:2]
    scale = min(side / max(height, width), 2.0)
    h, w = max(1, round(height * scale)), max(1, round(width * scale))
    method = cv2.INTER_AREA if scale < 1 else cv2.INTER_LINEAR
    small = cv2.resize(image, (w, h), interpolation=method)
    padded = np.full((-(-h // 32) * 32, -(-w // 32) * 32, 3), _GREY, np.uint8)
    padded[:h, :w] = small
    return padded, scale


def _anchors(shape: tuple[int, int]) -> tuple[Array, Array]:
    """(n, 2) anchor points in strides and (n,) strides for a network input of (height, width)."""
    points, strides = [], []
    for stride in STRIDES:
        h, w = shape[0] // stride, shape[1] // stride
        y, x = np.meshgrid(np.arange(h) + 0.5, np.arange(w) + 0.5, indexing="ij")
        points.append(np.stack([x.ravel(), y.ravel()], axis=1))
        strides.append(np.full(h * w, stride))
    return (
        np.concatenate(points).astype(np.float32),
        np.concatenate(strides).astype(np.float32),
    )


def decode(
    boxes: Array, scores: Array, angles: Array, shape: tuple[int, int], limit: float
) -> npt.NDArray[np.float64]:
    """Network outputs to rows (x, y, w, h, angle, p, class) in network pixels, p >= `limit`.

    `boxes` (4 * BINS, n) distances as logits, `scores` (2, n) logits, `angles` (1, n) radians.
    """
    logit = math.log(limit / (1 - limit))
    best = scores.max(axis=0)
    keep = np.flatnonzero(best > logit)
    points, strides = _anchors(shape)
    points, strides = points[keep], strides[keep]
    bins = boxes[:, keep].reshape(4, BINS, -1)
    bins = np.exp(bins - bins.max(axis=1, keepdims=True))
    steps = np.arange(BINS, dtype=np.float32)[None, :, None]
    left, top, right, bottom = (bins * steps).sum(axis=1) / bins.sum(axis=1)
    angle = angles[0, keep]
    fx, fy = (right - left) / 2, (bottom - top) / 2
    cos, sin = np.cos(angle), np.sin(angle)
    x = (points[:, 0] + fx * cos - fy * sin) * strides
    y = (points[:, 1] + fx * sin + fy * cos) * strides
    w, h = (left + right) * strides, (top + bottom) * strides
    p = 1 / (1 + np.exp(-best[keep]))
    return np.stack([x, y, w, h, angle, p, scores[:, keep].argmax(axis=0)], axis=1).astype(float)


def _to_image(rows: npt.NDArray[np.float64], scale: float) -> npt.NDArray[np.float64]:
    rows = rows.copy()
    rows[:, :4] /= scale
    return rows


def distinct(rows: npt.NDArray[np.float64]) -> list[Detection]:
    """One detection a card, surest first: of boxes on the same card the surest stays.

    `rows` as of `decode`, in image pixels.
    """
    if not len(rows):
        return []
    rects = [((r[0], r[1]), (r[2], r[3]), math.degrees(r[4])) for r in rows]
    # The many boxes that agree go first and fast; what is left is compared by angle too.
    few = np.asarray(cv2.dnn.NMSBoxesRotated(rects, rows[:, 5].tolist(), 0.0, 0.65)).ravel()
    kept: list[int] = []
    for i in few:
        if all(not _same_card(rows[i], rows[k]) for k in kept):
            kept.append(int(i))
        if len(kept) == MOST_CARDS:
            break
    return [_detection(rows[i]) for i in kept]


def _detection(row: npt.NDArray[np.float64]) -> Detection:
    return Detection(box_quad(*row[:5]), float(row[5]), FACES[int(row[6])])


def _same_card(a: npt.NDArray[np.float64], b: npt.NDArray[np.float64]) -> bool:
    """Whether two rows of `decode` are one card, by what they share and how they are turned."""
    if math.hypot(a[0] - b[0], a[1] - b[1]) > (max(a[2:4]) + max(b[2:4])) / 2:
        return False
    turn = abs(_direction(a) - _direction(b)) % math.pi
    limit = SAME_CARD if min(turn, math.pi - turn) < PARALLEL else CROSSED
    first, second = (((r[0], r[1]), (r[2], r[3]), math.degrees(r[4])) for r in (a, b))
    kind, corners = cv2.rotatedRectangleIntersection(first, second)
    if kind == cv2.INTERSECT_NONE or corners is None:
        return False
    shared = cv2.contourArea(cv2.convexHull(corners))
    return bool(shared > limit * (a[2] * a[3] + b[2] * b[3] - shared))


def _direction(row: npt.NDArray[np.float64]) -> float:
    """The angle of a box's long side, radians."""
    return float(row[4] + (math.pi / 2 if row[3] > row[2] else 0.0))


def box_quad(x: float, y: float, w: float, h: float, angle: float) -> Quad:
    """An oriented box as a quad: clockwise, starting with a short side."""
    if w > h:
        w, h, angle = h, w, angle + math.pi / 2
    cos, sin = math.cos(angle), math.sin(angle)
    ax, ay, bx, by = cos * w / 2, sin * w / 2, -sin * h / 2, cos * h / 2
    return (
        (x - ax - bx, y - ay - by),
        (x + ax - bx, y + ay - by),
        (x + ax + bx, y + ay + by),
        (x - ax + bx, y - ay + by),
    )
