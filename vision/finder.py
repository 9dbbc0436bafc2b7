"""The finder: every card on the table as a parallelogram, from one frame."""

import math
from collections.abc import Callable
from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt

from vision.geometry import Inscribed, contains, parallelogram
from vision.network import Array, Network
from vision.types import Detection, Face, Image, Quad
from vision.verifier import FACE_SURE, Verifier
from vision.weights import Weights, load_weights, named

FINDER_SIDE = 640
"""Longer side of the picture the network sees, pixels: a 720p frame halved, cards of 45-200 px there."""

STRIDES = (8, 16, 32)
BINS = 16
"""A card's middle and half its ellipse's axes are given as distributions over this many steps of a stride."""
MIDDLE = (BINS - 1) / 2
"""Steps that say the middle is where it is seen from: it may lie left of there and above too."""

FACES: tuple[Face, ...] = ("up", "down")

Rows = npt.NDArray[np.float64]
"""(n, 8): x, y, w, h in pixels, direction of w in radians, p, class, turn. An oriented box each, the one
about the ellipse inscribed in the card, and how the card's sides run (`vision.geometry.Inscribed`)."""

PROPOSED = 0.05
"""Boxes with at least this p of the finder's own are worth the verifier's look."""

SAME_CARD = 0.5
CROSSED = 0.35
PARALLEL = math.radians(8)
"""Boxes that share more than `SAME_CARD` are one card. A card seen twice is mostly seen once askew, and
two real cards that lie across each other share little, so boxes that differ by more than `PARALLEL` are
one already from `CROSSED` on. Chosen on `shared/real/train`: cards fanned out by a third of their width
stay apart."""

AGREE = 0.65
"""Boxes that share more than this differ in nothing that matters."""

MOST_CARDS = 200
"""Nearly four decks of 52: what shows more is no table but a pattern, and reading it would
take minutes. The surest are kept."""

FIRST_SIDE = 416
BEST_LENGTH = 90.0
"""A photograph's cards may be of any size. It is first seen at `FIRST_SIDE`, then so that its cards are
about `BEST_LENGTH` pixels long there, where the finder was trained most and finds best."""

SIDES = (128, 1280)
GOOD_ENOUGH = 1.35
"""Within this factor of the best length the first look is kept."""

CLOSE_UP_SIDE = 192
CLOSE_UP_MARGIN = 0.3
CLOSE_UP, CLOSE_UP_SURE = 0.6, 0.8
"""For cards that fill the picture it is also seen small, with a grey margin of this part of its side round
it: the network was trained on cards with a table about them. If the surest thing found there has a p of
more than `CLOSE_UP_SURE` and is longer than `CLOSE_UP` of the picture, the picture is a close-up. (By the
area that a look explains as cards, one large false box outweighs fifteen small cards.)"""

PART_OF = 0.4
"""Less than this of the area of the card it lies on is no card: those of a picture are about of one size."""

_SAME_BOX = 0.1
"""Pixels, and radians, by which two proposals of one box differ at most."""

_GREY = 114


class Finder:
    """Finds cards, and verifies each where a verifier comes along. One instance a thread."""

    def __init__(
        self,
        weights: Weights | None = None,
        side: int = FINDER_SIDE,
        verifier: Verifier | None = None,
    ) -> None:
        """Load and check the weights; raises `UserError` if they are missing or altered.

        Without any the program's own are loaded, with the verifier that comes with them.
        """
        if weights is None:
            weights, verifier = load_weights("finder"), _verifier(None)
        self.weights = weights
        self.verifier = verifier
        self.side = side
        self._network = Network(self.weights.model)

    @classmethod
    def from_folder(cls, folder: Path, side: int = FINDER_SIDE) -> "Finder":
        """The finder of a weights folder, with its verifier if the manifest names one."""
        return cls(load_weights("finder", folder), side, _verifier(folder))

    @property
    def all_weights(self) -> tuple[Weights, ...]:
        """Of every network that has a say in what is found."""
        return (self.weights,) if self.verifier is None else (self.weights, self.verifier.weights)

    @property
    def threshold(self) -> float:
        """The least probability of a detection, as the manifest has it."""
        return self.all_weights[-1].threshold

    def find(self, image: Image, threshold: float | None = None) -> list[Detection]:
        """Cards in a BGR frame of any size, surest first.

        Quads are parallelograms of whole cards, covered parts included, in pixels of `image`.
        `threshold` overrides the manifest's.
        """
        return _detections(self._cards(image, self.side, threshold))

    def find_any_size(self, image: Image, threshold: float | None = None) -> list[Detection]:
        """As `find`, for photographs whose cards may be of any size: looks two or three times."""
        limit = self.threshold if threshold is None else threshold
        if self.verifier is None:
            rows = any_size(lambda seen, side: self.proposals(seen, limit, side), image)
            return _detections(whole_cards(rows))
        least, sure = min(PROPOSED, limit), self.weights.threshold
        # Which look counts is the finder's own affair: the verifier may take a whole table, seen small
        # in the look for close-ups, for one card.
        rows = any_size(
            lambda seen, side: agreed(self._rows(seen, side, least)),
            image,
            said=lambda rows: distinct_rows(rows[rows[:, 5] >= sure]),
        )
        return _detections(whole_cards(verified(rows, image, self.verifier, limit)))

    def candidates(self, image: Image, threshold: float, side: int) -> list[Detection]:
        """Everything the network proposes, many boxes a card: for labelling, where a person's box
        already says where the card is."""
        return _detections(self._rows(image, side, threshold))

    def proposals(self, image: Image, threshold: float, side: int) -> Rows:
        """One box a card, by the finder's own word: what a verifier is trained to verify."""
        return distinct_rows(self._rows(image, side, threshold))

    def _cards(self, image: Image, side: int, threshold: float | None) -> Rows:
        limit = self.threshold if threshold is None else threshold
        if self.verifier is None:
            return self.proposals(image, limit, side)
        rows = agreed(self._rows(image, side, min(PROPOSED, limit)))
        return verified(rows, image, self.verifier, limit)

    def _rows(self, image: Image, side: int, limit: float) -> Rows:
        return proposed(self._network, image, side, limit)


def _verifier(folder: Path | None) -> Verifier | None:
    """Of the weights in a folder, if their manifest names one."""
    return Verifier(load_weights("verifier", folder)) if named("verifier", folder) else None


def verified(rows: Rows, image: Image, verifier: Verifier, limit: float) -> Rows:
    """One row a card that the verifier takes for one with p >= `limit`, surest first, with its p and faces.

    Of boxes on the same card it chooses too: the one that lies best looks most like a card.
    """
    if not len(rows):
        return rows
    verdicts = verifier.verify(image, [quad_of_row(row) for row in rows], rows[:, 5])
    rows = rows.copy()
    rows[:, 5] = verdicts.p
    sure = np.abs(verdicts.down) > FACE_SURE
    rows[sure, 6] = verdicts.down[sure] > 0
    order = np.argsort(-rows[:, 5], kind="stable")
    return _one_a_card(rows[order[rows[order, 5] >= limit]])


def proposed(network: Network, image: Image, side: int, limit: float) -> Rows:
    """All boxes, many a card, that a network of the finder's shape gives with p >= `limit`."""
    inputs, scale = letterbox(image, side)
    boxes, scores, turns = network(inputs[None])
    height, width = inputs.shape[:2]
    return scaled(decode(boxes[0], scores[0], turns[0], (height, width), limit), scale)


def any_size(
    look: Callable[[Image, int], Rows],
    image: Image,
    best_length: float = BEST_LENGTH,
    said: Callable[[Rows], Rows] = lambda rows: rows,
) -> Rows:
    """What `look(image, side)` finds in a photograph whose cards may be of any size, parts of cards too.

    First the whole picture at `FIRST_SIDE`, then so that the cards found are about `best_length` pixels
    long: the look with more and surer cards counts. A picture that is surely a close-up counts as that.
    Of a look's rows those that are `said` decide; all of them come along.
    """
    close = _close_up(look, image)
    told = said(close)
    longest = CLOSE_UP * max(image.shape[:2])
    if len(told) and told[0, 5] > CLOSE_UP_SURE and told[0, 2:4].max() > longest:
        return close
    first = look(image, FIRST_SIDE)
    told = said(first)
    if not len(told):
        first = look(image, FINDER_SIDE)
        return first if len(said(first)) else close
    side = side_for(image, float(np.median(told[:, 2:4].max(axis=1))), best_length)
    if FIRST_SIDE / GOOD_ENOUGH < side < FIRST_SIDE * GOOD_ENOUGH:
        return first
    second = look(image, side)
    return second if said(second)[:, 5].sum() > told[:, 5].sum() else first


def side_for(image: Image, length: float, wanted: float) -> int:
    """At which side, within `SIDES`, cards `length` pixels long in the image are about `wanted` long."""
    side = float(wanted / max(length, 1.0) * max(image.shape[:2]))
    return round(min(max(side, SIDES[0]), SIDES[1]))


def whole_cards(rows: Rows) -> Rows:
    """The rows, surest first, without those that are parts of a surer card: its picture or a pip."""
    kept: list[int] = []
    quads = [quad_of_row(row) for row in rows]
    for i, row in enumerate(rows):
        part = any(
            row[2] * row[3] < PART_OF * rows[k, 2] * rows[k, 3]
            and contains(quads[k], (float(row[0]), float(row[1])))
            for k in kept
        )
        if not part:
            kept.append(i)
    return rows[kept]


def _close_up(look: Callable[[Image, int], Rows], image: Image) -> Rows:
    """What is found in a picture of little more than one card."""
    height, width = image.shape[:2]
    scale = CLOSE_UP_SIDE / (1 + 2 * CLOSE_UP_MARGIN) / max(height, width)
    size = (max(1, round(width * scale)), max(1, round(height * scale)))
    method = cv2.INTER_AREA if scale < 1 else cv2.INTER_LINEAR
    margin = round(CLOSE_UP_MARGIN * max(size))
    small = cv2.copyMakeBorder(
        cv2.resize(image, size, interpolation=method),
        *(margin,) * 4,
        cv2.BORDER_CONSTANT,
        value=(_GREY,) * 3,
    )
    rows = look(np.asarray(small, np.uint8), CLOSE_UP_SIDE).copy()
    rows[:, :2] -= margin
    return scaled(rows, scale)


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


def decode(boxes: Array, scores: Array, turns: Array, shape: tuple[int, int], limit: float) -> Rows:
    """Network outputs to rows in network pixels, p >= `limit`.

    `boxes` (4 * BINS, n) logits of where the middle is and of half the axes (`MIDDLE`), `scores` (classes, n)
    logits, `turns` (4, n) cosine and sine of twice the direction, then of four times the turn
    (`models.finder_network` says why).
    """
    logit = math.log(limit / (1 - limit))
    best = scores.max(axis=0)
    keep = np.flatnonzero(best > logit)
    points, strides = _anchors(shape)
    points, strides = points[keep], strides[keep]
    bins = boxes[:, keep].reshape(4, BINS, -1)
    bins = np.exp(bins - bins.max(axis=1, keepdims=True))
    steps = np.arange(BINS, dtype=np.float32)[None, :, None]
    right, below, half_w, half_h = (bins * steps).sum(axis=1) / bins.sum(axis=1)
    cos2, sin2, cos4, sin4 = turns[:, keep]
    direction, turn = np.arctan2(sin2, cos2) / 2, np.arctan2(sin4, cos4) / 4
    x, y = (points[:, 0] + right - MIDDLE) * strides, (points[:, 1] + below - MIDDLE) * strides
    w, h = 2 * half_w * strides, 2 * half_h * strides
    p = 1 / (1 + np.exp(-best[keep]))
    face = scores[:, keep].argmax(axis=0)
    return np.stack([x, y, w, h, direction, p, face, turn], axis=1).astype(float)


def scaled(rows: Rows, scale: float) -> Rows:
    """Rows of a picture that was shrunk by `scale`, in pixels of the picture itself."""
    rows = rows.copy()
    rows[:, :4] /= scale
    return rows


def distinct_rows(rows: Rows) -> Rows:
    """One row a card, surest first: of boxes on the same card the surest stays.

    `rows` in image pixels; of more than `MOST_CARDS` the surest.
    """
    # The many boxes that agree go first and fast; what is left is compared by angle too.
    return _one_a_card(agreed(rows, most=len(rows)))


def agreed(rows: Rows, most: int = MOST_CARDS) -> Rows:
    """One row of all that agree on a card, the surest; those that lie otherwise stay. At most `most`."""
    if not len(rows):
        return rows
    rects = [((r[0], r[1]), (r[2], r[3]), math.degrees(r[4])) for r in rows]
    few = np.asarray(cv2.dnn.NMSBoxesRotated(rects, rows[:, 5].tolist(), 0.0, AGREE)).ravel()
    return np.asarray(rows[few[:most]])


def _one_a_card(rows: Rows) -> Rows:
    """Of rows on the same card the first, for at most `MOST_CARDS` cards."""
    kept: list[int] = []
    for i in range(len(rows)):
        if all(not _same_card(rows[i], rows[k]) for k in kept):
            kept.append(i)
        if len(kept) == MOST_CARDS:
            break
    return rows[kept]


def _detections(rows: Rows) -> list[Detection]:
    return [Detection(quad_of_row(row), float(row[5]), FACES[int(row[6])]) for row in rows]


def quad_of_row(row: npt.NDArray[np.float64]) -> Quad:
    """The card of one row: a parallelogram, as a card seen aslant is."""
    x, y, w, h, direction, _, _, turn = row.tolist()
    if h > w:
        w, h, direction = h, w, direction + math.pi / 2
    return parallelogram(Inscribed((x, y), w, h, direction, turn))


def _same_card(a: npt.NDArray[np.float64], b: npt.NDArray[np.float64]) -> bool:
    """Whether two rows are one card, by what they share and how they are turned.

    Not `geometry.iou`, which makes two quads first and takes nine times as long: this is asked of every
    two boxes of a frame.
    """
    if math.hypot(a[0] - b[0], a[1] - b[1]) > (max(a[2:4]) + max(b[2:4])) / 2:
        return False
    if np.abs(a[:5] - b[:5]).max() < _SAME_BOX:
        return True  # OpenCV's intersection of boxes that all but coincide is now and then empty
    turn = abs(_direction(a) - _direction(b)) % math.pi
    limit = SAME_CARD if min(turn, math.pi - turn) < PARALLEL else CROSSED
    first, second = (((r[0], r[1]), (r[2], r[3]), math.degrees(r[4])) for r in (a, b))
    kind, corners = cv2.rotatedRectangleIntersection(first, second)
    if kind == cv2.INTERSECT_NONE or corners is None:
        return False
    shared = cv2.contourArea(cv2.convexHull(corners))
    return bool(shared > limit * (a[2] * a[3] + b[2] * b[3] - shared))


def _direction(rows: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """The directions of the longer axes of (..., 8) rows, radians."""
    return np.asarray(rows[..., 4] + (np.pi / 2) * (rows[..., 3] > rows[..., 2]))
