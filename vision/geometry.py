"""Quads, homographies and the mapping of points: pure functions on plain points.

A quad is `vision.types.Quad`: clockwise as seen (y down), starting at a corner of a short side.
Arrays of points are float64 of shape (n, 2); homographies are float64 of shape (3, 3).
"""

import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from vision.types import Point, Quad

Array = npt.NDArray[np.float64]

UNIT_SQUARE: Quad = ((0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0))
"""The table: north-west, north-east, south-east, south-west."""

_FLAT = 1e-9
"""Below this (square pixels, or the denominator of a projection) a shape has no area."""


def as_array(points: Iterable[Point]) -> Array:
    """(n, 2) float64 of any points, or of a quad."""
    return np.asarray(list(points), dtype=np.float64).reshape(-1, 2)


def as_quad(points: npt.ArrayLike) -> Quad:
    """The quad with the four corners of `points` (4, 2), in the order given; see `order_quad`.

    Raises ValueError on another shape or a number that is not finite.
    """
    array = np.asarray(points, dtype=np.float64)
    if array.shape != (4, 2):
        raise ValueError(f"expected four corners of shape (4, 2), got {array.shape}")
    if not np.isfinite(array).all():
        raise ValueError("expected finite corners")
    a, b, c, d = ((float(x), float(y)) for x, y in array)
    return (a, b, c, d)


def signed_area(points: Iterable[Point]) -> float:
    """Shoelace area of a polygon; positive when clockwise as seen (y down)."""
    p = list(points)
    # Plain floats: the tracker asks this of every two cards of every frame, and NumPy takes longer to
    # start than four products take.
    return sum(x1 * y2 - x2 * y1 for (x1, y1), (x2, y2) in zip(p, p[1:] + p[:1], strict=True)) / 2


def area(points: Iterable[Point]) -> float:
    """Area of a polygon, whichever way round its corners run."""
    return abs(signed_area(points))


def centre(quad: Quad) -> Point:
    """The mean of the corners."""
    return (sum(x for x, _ in quad) / 4, sum(y for _, y in quad) / 4)


def side_lengths(quad: Quad) -> tuple[float, float]:
    """Mean lengths of sides 0-1 and 2-3 (short ones of a card) and of sides 1-2 and 3-0."""
    a, b, c, d = quad
    return ((math.dist(a, b) + math.dist(c, d)) / 2, (math.dist(b, c) + math.dist(d, a)) / 2)


def long_angle(quad: Quad) -> float:
    """Direction of the sides 1-2 and 3-0 (the long ones), radians in [0, pi), 0 along +x."""
    a, b, c, d = quad
    dx = (c[0] - b[0]) + (d[0] - a[0])
    dy = (c[1] - b[1]) + (d[1] - a[1])
    angle = math.atan2(dy, dx) % math.pi
    return 0.0 if angle >= math.pi else angle


def angle_difference(a: float, b: float) -> float:
    """Smallest turn between two directions without sense (modulo pi), in [0, pi/2]."""
    turn = abs(a - b) % math.pi
    return min(turn, math.pi - turn)


def clockwise(points: Iterable[Point]) -> Quad:
    """Four corners in any order as a quad running clockwise round their middle (y down).

    The first corner is the one nearest the top left in angle; use `order_quad` for a card.
    """
    array = as_array(points)
    middle = array.mean(axis=0)
    angles = np.arctan2(array[:, 1] - middle[1], array[:, 0] - middle[0])
    ordered = array[np.argsort(angles, kind="stable")]
    # atan2 starts at -pi (left) and runs clockwise on a y-down image.
    return as_quad(ordered)


def begun(quad: Quad, k: int) -> Quad:
    """The same quad, begun `k` corners later (of any sign or size)."""
    k %= len(quad)
    a, b, c, d = (*quad[k:], *quad[:k])
    return (a, b, c, d)


def order_quad(points: Iterable[Point]) -> Quad:
    """Four corners of a card in any order as a `Quad`: clockwise, side 0-1 a short side.

    Of the two ends the one whose first corner comes first (top, then left) is chosen, so equal
    cards give equal quads. Raises ValueError unless there are four finite corners.
    """
    quad = clockwise(points)
    short, long = side_lengths(quad)
    if short > long:
        quad = begun(quad, 1)
    turned = begun(quad, 2)
    return quad if (quad[0][1], quad[0][0]) <= (turned[0][1], turned[0][0]) else turned


def order_table(points: Iterable[Point]) -> Quad:
    """Four corners of a table in any order: north-west, north-east, south-east, south-west.

    The rotation chosen is the one whose first corner is nearest the top left of their bounds.
    """
    quad = clockwise(points)
    first = min(range(4), key=lambda i: (quad[i][0] + quad[i][1], quad[i][1]))
    return begun(quad, first)


def nearest_rectangle(quad: Quad) -> tuple[Point, float, float, float]:
    """The rectangle whose corners are nearest (least squares) to the quad's: what a box can say of a card.

    Returns its middle, the lengths of its sides along 0-1 and along 1-2, and the direction of the
    latter in radians in [0, pi). The smallest rectangle about a card seen aslant may lie up to 45 degrees
    off it; this one stays with its sides. A closed form: with mean side vectors s and l, the direction u of
    the short side that maximises (s.u)^2 + (l.v)^2, v across u, is the first eigenvector of a 2 x 2 matrix.
    """
    a, b, c, d = quad
    sx, sy = (b[0] - a[0] + c[0] - d[0]) / 2, (b[1] - a[1] + c[1] - d[1]) / 2
    lx, ly = (c[0] - b[0] + d[0] - a[0]) / 2, (c[1] - b[1] + d[1] - a[1]) / 2
    fx, fy = ly, -lx
    angle = math.atan2(2 * (sx * sy + fx * fy), sx * sx + fx * fx - sy * sy - fy * fy) / 2
    ux, uy = math.cos(angle), math.sin(angle)
    direction = (angle + math.pi / 2) % math.pi
    return centre(quad), abs(sx * ux + sy * uy), abs(fx * ux + fy * uy), direction


def rectangle(middle: Point, short: float, long: float, angle: float) -> Quad:
    """The card of the given sides whose long side points along `angle` (radians, 0 along +x)."""
    ux, uy = math.cos(angle) * long / 2, math.sin(angle) * long / 2
    vx, vy = -math.sin(angle) * short / 2, math.cos(angle) * short / 2
    x, y = middle
    return order_quad(
        (
            (x - ux - vx, y - uy - vy),
            (x + ux - vx, y + uy - vy),
            (x + ux + vx, y + uy + vy),
            (x - ux + vx, y - uy + vy),
        )
    )


class Inscribed(NamedTuple):
    """The ellipse that touches a parallelogram's sides at their middles, and how the sides run round it.

    A way to say a parallelogram in which nothing ever jumps: whichever corner it starts at and whichever
    of its sides are longer, the ellipse is the same, and so is `turn` modulo a right angle.
    """

    middle: Point
    long: float
    """The longer axis from end to end; of a rectangle its long side."""
    short: float
    direction: float
    """Of the longer axis, radians in [-pi/2, pi/2]."""
    turn: float
    """Of the sides before the ellipse was drawn out of a circle, radians modulo pi/2; of a rectangle their
    direction."""


def inscribed(quad: Quad) -> Inscribed:
    """Of the parallelogram whose sides are the means of the quad's opposite ones.

    Its half sides as columns of a matrix A map the unit circle to the ellipse: axes and direction are those
    of A A', `turn` is the angle of the rotation in the polar decomposition of A (for 2 x 2 a closed form).
    """
    a, b, c, d = quad if signed_area(quad) > 0 else quad[::-1]
    sx, sy = (b[0] - a[0] + c[0] - d[0]) / 4, (b[1] - a[1] + c[1] - d[1]) / 4
    lx, ly = (c[0] - b[0] + d[0] - a[0]) / 4, (c[1] - b[1] + d[1] - a[1]) / 4
    xx, yy, xy = sx * sx + lx * lx, sy * sy + ly * ly, sx * sy + lx * ly
    half, apart = (xx + yy) / 2, math.hypot((xx - yy) / 2, xy)
    return Inscribed(
        centre(quad),
        2 * math.sqrt(half + apart),
        2 * math.sqrt(max(0.0, half - apart)),
        math.atan2(2 * xy, xx - yy) / 2,
        math.atan2(sy - lx, sx + ly),
    )


def parallelogram(ellipse: Inscribed) -> Quad:
    """The parallelogram about the ellipse, as a card's quad: the inverse of `inscribed`."""
    (x, y), long, short, direction, turn = ellipse
    cos, sin = math.cos(direction), math.sin(direction)
    mean, spread = (long + short) / 4, (long - short) / 4
    xx, yy = mean + spread * (cos * cos - sin * sin), mean - spread * (cos * cos - sin * sin)
    xy = 2 * spread * cos * sin
    c, s = math.cos(turn), math.sin(turn)
    sx, sy, lx, ly = xx * c + xy * s, xy * c + yy * s, xy * c - xx * s, yy * c - xy * s
    return order_quad(
        (
            (x - sx - lx, y - sy - ly),
            (x + sx - lx, y + sy - ly),
            (x + sx + lx, y + sy + ly),
            (x - sx + lx, y - sy + ly),
        )
    )


def is_convex(quad: Quad) -> bool:
    """Whether the quad has an area and no dent or crossing."""
    turns = []
    for i in range(4):
        (ax, ay), (bx, by), (cx, cy) = quad[i], quad[(i + 1) % 4], quad[(i + 2) % 4]
        turns.append((bx - ax) * (cy - by) - (by - ay) * (cx - bx))
    return all(t > _FLAT for t in turns) or all(t < -_FLAT for t in turns)


def intersection_area(a: Sequence[Point], b: Sequence[Point]) -> float:
    """Area shared by two convex polygons, which may run either way round.

    Sutherland and Hodgman's clipping (1974). Not `cv2.intersectConvexConvex`: for polygons that all but
    coincide, as a card's boxes in two still frames do, that one now and then answers zero.
    """
    for axis in (0, 1):
        ours, theirs = [p[axis] for p in a], [p[axis] for p in b]
        if max(ours) <= min(theirs) or max(theirs) <= min(ours):
            return 0.0
    sense = math.copysign(1.0, signed_area(b))
    rest = list(a)
    for (x1, y1), (x2, y2) in zip(b, (*b[1:], b[0]), strict=True):
        sides = [sense * ((x2 - x1) * (y - y1) - (y2 - y1) * (x - x1)) for x, y in rest]
        rest = _clipped(rest, sides)
        if not rest:
            return 0.0
    return area(rest)


def _clipped(points: list[Point], sides: list[float]) -> list[Point]:
    """The part of a polygon with `sides` >= 0, one value a corner, linear between corners."""
    kept: list[Point] = []
    for i, ((x, y), side) in enumerate(zip(points, sides, strict=True)):
        (px, py), before = points[i - 1], sides[i - 1]
        if (side >= 0) != (before >= 0):
            part = before / (before - side)
            kept.append((px + (x - px) * part, py + (y - py) * part))
        if side >= 0:
            kept.append((x, y))
    return kept


def iou(a: Sequence[Point], b: Sequence[Point]) -> float:
    """Intersection over union of two convex polygons, 0 to 1; 0 when either has no area."""
    shared = intersection_area(a, b)
    union = area(a) + area(b) - shared
    return min(1.0, shared / union) if union > _FLAT**2 and shared > 0 else 0.0


def covered(a: Sequence[Point], by: Sequence[Point]) -> float:
    """The part of convex polygon `a` that lies within convex polygon `by`, 0 to 1."""
    whole = area(a)
    return min(1.0, intersection_area(a, by) / whole) if whole > _FLAT**2 else 0.0


def contains(polygon: Sequence[Point], point: Point) -> bool:
    """Whether a convex polygon holds a point (its border counts)."""
    sign = 0.0
    for (ax, ay), (bx, by) in zip(polygon, (*polygon[1:], polygon[0]), strict=True):
        turn = (bx - ax) * (point[1] - ay) - (by - ay) * (point[0] - ax)
        if turn != 0.0:
            if sign * turn < 0:
                return False
            sign = turn
    return True


def grow(quad: Quad, factor: float) -> Quad:
    """The quad scaled about its centre; 1.1 is a tenth larger each way."""
    cx, cy = centre(quad)
    return as_quad([(cx + (x - cx) * factor, cy + (y - cy) * factor) for x, y in quad])


def homography(source: Quad, target: Quad) -> Array:
    """The (3, 3) projection that takes the corners of `source` to those of `target`.

    Raises ValueError when either has a dent, a crossing or no area.
    """
    if not (is_convex(source) and is_convex(target)):
        raise ValueError("expected two convex quads, got one with a dent, a crossing or no area")
    rows = []
    right = []
    # Solved by numpy in float64: cv2.getPerspectiveTransform rounds its input to float32.
    for (x, y), (u, v) in zip(source, target, strict=True):
        rows.append([x, y, 1, 0, 0, 0, -u * x, -u * y])
        rows.append([0, 0, 0, x, y, 1, -v * x, -v * y])
        right += [u, v]
    solved = np.linalg.solve(np.array(rows, dtype=np.float64), np.array(right, dtype=np.float64))
    return np.append(solved, 1.0).reshape(3, 3)


def at_scale(matrix: Array, scale: float) -> Array:
    """A (3, 3) projection between pictures as the one between the same pictures `scale` times as large."""
    up = np.diag([scale, scale, 1.0])
    return np.asarray(up @ matrix @ np.linalg.inv(up))


def map_points(matrix: Array, points: npt.ArrayLike) -> Array:
    """Points (n, 2) through a homography (3, 3), as (n, 2)."""
    p = np.asarray(points, dtype=np.float64).reshape(-1, 2)
    projected = np.column_stack([p, np.ones(len(p))]) @ matrix.T
    scale = projected[:, 2:]
    scale = np.where(np.abs(scale) < _FLAT, _FLAT, scale)
    mapped: Array = projected[:, :2] / scale
    return mapped


def map_point(matrix: Array, point: Point) -> Point:
    """One point through a homography."""
    (x, y) = map_points(matrix, [point])[0]
    return (float(x), float(y))


def map_quad(matrix: Array, quad: Quad) -> Quad:
    """A quad through a homography, its corners in the same order."""
    return as_quad(map_points(matrix, quad))
