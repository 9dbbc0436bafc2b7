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

SAME_CARD = 0.65
"""Boxes that share more than this are one card: cards fanned out by a sixth of their length share 0.6."""

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
        limit = self.weights.threshold if threshold is None else threshold
        inputs, scale = letterbox(image, self.side)
        boxes, scores, angles = self._network(inputs[None])
        rows, columns = inputs.shape[:2]
        found = decode(boxes[0], scores[0], angles[0], (rows, columns), limit)
        return distinct(_to_image(found, scale))


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


def distinct(rows: npt.NDArray[np.float64], same: float = SAME_CARD) -> list[Detection]:
    """One detection a card: of boxes that overlap more than `same`, the surest stays."""
    if not len(rows):
        return []
    rects = [((r[0], r[1]), (r[2], r[3]), math.degrees(r[4])) for r in rows]
    kept = cv2.dnn.NMSBoxesRotated(rects, rows[:, 5].tolist(), 0.0, same)
    return [
        Detection(box_quad(*rows[i][:5]), float(rows[i][5]), FACES[int(rows[i][6])])
        for i in np.asarray(kept).ravel()
    ]


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
