"""What a network of the finder's shape says, as rows of boxes, and which of them are one card."""

import math
from collections.abc import Callable

import cv2
import numpy as np
import numpy.typing as npt

from vision.geometry import Inscribed, contains, parallelogram
from vision.network import Array
from vision.types import Quad

STRIDES = (8, 16, 32)
BINS = 16
"""A card's middle and half its ellipse's axes are given as distributions over this many steps of a stride."""
SIDES, TURNS = 4, 4
"""Two numbers for the middle and two for the half axes; cosine and sine of twice the direction, and of four
times the turn."""
MIDDLE = (BINS - 1) / 2
"""Steps that say the middle is where it is seen from: it may lie left of there and above too."""

Rows = npt.NDArray[np.float64]
"""(n, 8): x, y, w, h in pixels, direction of w in radians, p, class, turn. An oriented box each, the one
about the ellipse inscribed in the card, and how the card's sides run (`vision.geometry.Inscribed`)."""

SAME_CARD = 0.5
CROSSED = 0.35
PARALLEL = math.radians(8)
"""Boxes that share more than `SAME_CARD` are one card. A card seen twice is mostly seen once askew, and
two real cards that lie across each other share little, so boxes that differ by more than `PARALLEL` are
one already from `CROSSED` on. Chosen on `shared/real/train`: cards fanned out by a third of their width
stay apart."""

BOTH_CARDS = 0.7
"""Two cards of which the lower one shows by half share a third at most. Boxes that share more than `CROSSED`,
however they lie, are verified to be two only where the worse is worth this much (probability of being a card,
times the overlap to be expected with it). Chosen on made scenes and a third of `shared/real/train`: of
parallel boxes a quarter fewer are nothing, of crossed cards as many stay."""

AGREE, NEAR = 0.65, 0.35
"""Boxes that share more than `AGREE` differ in nothing that matters. Their middles are then not farther apart
than `NEAR` of their longer side."""

MOST_CARDS = 200
"""Nearly four decks of 52: what shows more is no table but a pattern, and reading it would
take minutes. The surest are kept."""

PART_OF = 0.4
"""Less than this of the area of the card it lies on is no card: those of a picture are about of one size."""

_SAME_BOX = 0.1
"""Pixels, and radians, by which two proposals of one box differ at most."""


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


def figures(classes: int) -> tuple[int, int, int]:
    """How wide the three outputs are that `decode` takes."""
    return SIDES * BINS, classes, TURNS


def decode(boxes: Array, scores: Array, turns: Array, shape: tuple[int, int], limit: float) -> Rows:
    """Network outputs to rows in network pixels, p >= `limit`.

    `boxes` (SIDES * BINS, n) logits of where the middle is and of half the axes (`MIDDLE`), `scores`
    (classes, n) logits, `turns` (TURNS, n) cosine and sine of twice the direction, then of four times the
    turn (`models.finder_network` says why).
    """
    logit = math.log(limit / (1 - limit))
    best = scores.max(axis=0)
    keep = np.flatnonzero(best > logit)
    points, strides = _anchors(shape)
    points, strides = points[keep], strides[keep]
    bins = boxes[:, keep].reshape(SIDES, BINS, -1)
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


def shifted(rows: Rows, left: float, top: float) -> Rows:
    """Rows of a part of a picture, in the picture itself."""
    rows = rows.copy()
    rows[:, :2] += left, top
    return rows


def mirrored(rows: Rows, width: int) -> Rows:
    """Rows found in a picture's mirror image, in the picture itself, which is `width` pixels wide."""
    rows = rows.copy()
    rows[:, 0] = width - rows[:, 0]
    rows[:, 4], rows[:, 7] = math.pi - rows[:, 4], -rows[:, 7]
    return rows


def turned_back(rows: Rows, width: int) -> Rows:
    """Rows found in a picture turned anticlockwise by a quarter, in the picture itself, `width` pixels
    wide."""
    back = rows.copy()
    back[:, 0], back[:, 1] = width - rows[:, 1], rows[:, 0]
    back[:, 4] += math.pi / 2
    return back


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


def surest_places(rows: Rows, others: Rows) -> Rows:
    """Of both one row of all that agree on a card, the surest, with the p of the surest of `rows` that agrees
    with it: where a card lies the others may know better, whether one lies there they may not say.
    """
    if not len(rows):
        return rows
    places = agreed(np.concatenate([rows, others]))
    places[:, 5] = [_p_of(place, rows) for place in places]
    return np.asarray(places[places[:, 5] > 0])


def _p_of(place: npt.NDArray[np.float64], rows: Rows) -> float:
    """The p of the surest row that agrees with a box; 0 where none does."""
    apart = np.hypot(rows[:, 0] - place[0], rows[:, 1] - place[1])
    near = rows[apart < NEAR * place[2:4].max()]
    surest_first = near[np.argsort(-near[:, 5], kind="stable")]
    return next((float(row[5]) for row in surest_first if shared(row, place) > AGREE), 0.0)


def chosen(rows: Rows, worth: npt.NDArray[np.float64]) -> tuple[Rows, Rows]:
    """One row a card by what each is worth (0-1), the most first, for at most `MOST_CARDS` cards; and those
    that may be another card each, or one of these boxed askew."""
    order = np.argsort(-worth, kind="stable")
    rows, worth = rows[order], worth[order]

    def one_card(later: int, kept: int) -> bool:
        most = SAME_CARD if worth[later] >= BOTH_CARDS else CROSSED
        return shared(rows[later], rows[kept]) > most

    kept = _first_of_each(rows, one_card)

    def crossing(row: npt.NDArray[np.float64]) -> bool:
        return CROSSED < max(shared(row, one) for one in kept) <= SAME_CARD

    poor = rows[worth < BOTH_CARDS]
    doubtful = poor[np.array([crossing(row) for row in poor], bool)]
    return kept, _first_of_each(
        doubtful, lambda later, first: shared(doubtful[later], doubtful[first]) > CROSSED
    )


def _one_a_card(rows: Rows) -> Rows:
    """Of rows on the same card the first, for at most `MOST_CARDS` cards."""
    return _first_of_each(rows, lambda later, kept: _same_card(rows[later], rows[kept]))


def _first_of_each(rows: Rows, one_card: Callable[[int, int], bool]) -> Rows:
    """The rows that are `one_card` with none kept before them, at most `MOST_CARDS`."""
    kept: list[int] = []
    for i in range(len(rows)):
        if not any(one_card(i, k) for k in kept):
            kept.append(i)
        if len(kept) == MOST_CARDS:
            break
    return rows[kept]


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


def quad_of_row(row: npt.NDArray[np.float64]) -> Quad:
    """The card of one row: a parallelogram, as a card seen aslant is."""
    x, y, w, h, direction, _, _, turn = row.tolist()
    if h > w:
        w, h, direction = h, w, direction + math.pi / 2
    return parallelogram(Inscribed((x, y), w, h, direction, turn))


def _same_card(a: npt.NDArray[np.float64], b: npt.NDArray[np.float64]) -> bool:
    """Whether two rows are one card, by what they share and how they are turned."""
    turn = abs(_direction(a) - _direction(b)) % math.pi
    limit = SAME_CARD if min(turn, math.pi - turn) < PARALLEL else CROSSED
    return shared(a, b) > limit


def shared(a: npt.NDArray[np.float64], b: npt.NDArray[np.float64]) -> float:
    """Intersection over union of the boxes of two rows.

    Not `geometry.iou`, which makes two quads first and takes nine times as long: this is asked of every
    two boxes of a frame.
    """
    if math.hypot(a[0] - b[0], a[1] - b[1]) > (max(a[2:4]) + max(b[2:4])) / 2:
        return 0.0
    if np.abs(a[:5] - b[:5]).max() < _SAME_BOX:
        return 1.0  # OpenCV's intersection of boxes that all but coincide is now and then empty
    first, second = (((r[0], r[1]), (r[2], r[3]), math.degrees(r[4])) for r in (a, b))
    kind, corners = cv2.rotatedRectangleIntersection(first, second)
    if kind == cv2.INTERSECT_NONE or corners is None:
        return 0.0
    common = cv2.contourArea(cv2.convexHull(corners))
    return float(common / (a[2] * a[3] + b[2] * b[3] - common))


def _direction(rows: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """The directions of the longer axes of (..., 8) rows, radians."""
    return np.asarray(rows[..., 4] + (np.pi / 2) * (rows[..., 3] > rows[..., 2]))
