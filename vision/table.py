"""The table: where it lies in the picture, and which side of it each seat has.

Table coordinates are the unit square, x right and y down as seen from above: the table's north-west
corner is (0, 0), its south-east (1, 1). Seat S sits at y = 1, E at x = 1, N at y = 0, W at x = 0
unless `sides` says otherwise.
"""

import json
import math
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt

from vision import geometry
from vision.errors import UserError
from vision.geometry import Array
from vision.types import Image, Point, Quad, Window

SEATS = ("S", "E", "N", "W")
"""Seats in the order of the sides: bottom, right, top, left of the picture."""

_FILE_VERSION = 1
_PROPOSAL_WIDTH = 320
"""The table's outline is looked for at this width: fine enough for an edge, free of cloth grain."""
_SMALLEST_TABLE = 0.2
"""A table covers at least this part of the picture, or it is not the table the camera is for."""
_WHOLE_PICTURE = 0.96
"""An outline covering this part of the picture shows no edge: the table goes on beyond it."""
_BEST_FILL = 0.9
"""A table seen from above fills its own outline; less means the outline is of something else."""
_AS_GOOD = 0.04
"""Outlines filled alike to within this are equally good."""
_CORNER_OUTSIDE = 0.05
"""What a corner outside the picture costs an outline, in parts of its fill."""
_ROUND = 0.06
"""Of the table's width and height so much is looked at round it: half a card's length, for those that stick
out, and so that a card at the edge has a table behind it."""
_OUT_OF_PICTURE = 0.5
"""A corner may lie outside the picture by this part of its size, not further."""


@dataclass(frozen=True)
class Table:
    """A calibrated table.

    `corners` in image pixels: north-west, north-east, south-east, south-west. `image_size` the
    (width, height) they were marked in. `play_area` a convex polygon in table coordinates where
    face-up cards count. `sides` the seats at bottom, right, top, left. `whole_picture` says that
    no table edge was seen and the picture itself stands for the table.

    Raises ValueError when the corners are no convex quad, or the sides not the four seats.
    """

    corners: Quad
    image_size: tuple[int, int]
    play_area: tuple[Point, ...] = geometry.UNIT_SQUARE
    sides: tuple[str, str, str, str] = SEATS
    whole_picture: bool = field(default=False)

    def __post_init__(self) -> None:
        if not geometry.is_convex(self.corners):
            raise ValueError("expected the table's four corners in order round it")
        if sorted(self.sides) != sorted(SEATS):
            raise ValueError(f"expected the seats S, E, N, W, one a side, got {self.sides}")

    @cached_property
    def to_table(self) -> Array:
        """(3, 3) projection from image pixels to the unit square."""
        return geometry.homography(self.corners, geometry.UNIT_SQUARE)

    @cached_property
    def to_image(self) -> Array:
        """(3, 3) projection from the unit square to image pixels."""
        return geometry.homography(geometry.UNIT_SQUARE, self.corners)

    def quad_to_table(self, quad: Quad) -> Quad:
        """A quad of image pixels in table coordinates, its corners in the same order."""
        return geometry.map_quad(self.to_table, quad)

    def quad_to_image(self, quad: Quad) -> Quad:
        """A quad in table coordinates in image pixels, its corners in the same order."""
        return geometry.map_quad(self.to_image, quad)

    @cached_property
    def window(self) -> Window:
        """The part of the picture in which cards of the game lie: the table and a little round it. The whole
        picture where the table lies outside it."""
        xs, ys = zip(*self.corners, strict=True)
        across, down = max(xs) - min(xs), max(ys) - min(ys)
        width, height = self.image_size
        window = Window(
            max(0, math.floor(min(xs) - _ROUND * across)),
            max(0, math.floor(min(ys) - _ROUND * down)),
            min(width, math.ceil(max(xs) + _ROUND * across)),
            min(height, math.ceil(max(ys) + _ROUND * down)),
        )
        seen = window.left < window.right and window.top < window.bottom
        return window if seen else Window(0, 0, width, height)

    def in_play(self, point: Point) -> bool:
        """Whether a point in table coordinates lies in the play area."""
        return geometry.contains(self.play_area, point)

    def seat_at(self, point: Point) -> str:
        """The seat whose side of the table a point in table coordinates is nearest to."""
        x, y = point[0] - 0.5, point[1] - 0.5
        bottom, right, top, left = self.sides
        if abs(x) > abs(y):
            return right if x > 0 else left
        return bottom if y > 0 else top

    def moved(self, motion: Array) -> "Table":
        """The table after the picture moved by a (3, 3) projection, old pixels to new.

        Raises ValueError when the projection turns it into no table.
        """
        return replace(self, corners=geometry.map_quad(motion, self.corners))

    def resized(self, width: int, height: int) -> "Table":
        """The same table in pictures of another size from the same camera."""
        sx, sy = width / self.image_size[0], height / self.image_size[1]
        corners = geometry.as_quad([(x * sx, y * sy) for x, y in self.corners])
        return replace(self, corners=corners, image_size=(width, height))

    def save(self, path: Path) -> None:
        """Write the table file (JSON)."""
        document = {
            "version": _FILE_VERSION,
            "corners": self.corners,
            "image_size": self.image_size,
            "play_area": self.play_area,
            "sides": self.sides,
            "whole_picture": self.whole_picture,
        }
        path.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")


def load_table(path: Path) -> Table:
    """Read a table file. Raises UserError, naming the file, when it is missing or is none."""
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
        if document["version"] != _FILE_VERSION:
            raise ValueError(f"version {document['version']} is not {_FILE_VERSION}")
        width, height = (int(n) for n in document["image_size"])
        if min(width, height) < 1:
            raise ValueError(f"a picture of {width} x {height} pixels is none")
        play_area = tuple((float(x), float(y)) for x, y in document["play_area"])
        if len(play_area) < 3 or not np.isfinite(play_area).all():
            raise ValueError("expected a play area of three points or more")
        bottom, right, top, left = (str(seat) for seat in document["sides"])
        return Table(
            corners=geometry.as_quad(document["corners"]),
            image_size=(width, height),
            play_area=play_area,
            sides=(bottom, right, top, left),
            whole_picture=bool(document["whole_picture"]),
        )
    except FileNotFoundError:
        raise UserError(f"no table file at {path}: mark the table on the page first") from None
    except (OSError, KeyError, TypeError, ValueError, OverflowError, RecursionError) as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise UserError(
            f"{path} is not a table file ({reason}): mark the table again on the page"
        ) from None


def table_from_corners(corners: Quad, image_size: tuple[int, int]) -> Table:
    """The table with four corners marked by hand, in any order, in image pixels.

    Raises UserError when they are no convex quadrilateral of a sensible size.
    """
    ordered = geometry.order_table(corners)
    width, height = image_size
    slack = _OUT_OF_PICTURE * max(width, height)
    inside = all(-slack <= x <= width + slack and -slack <= y <= height + slack for x, y in ordered)
    if not inside or not geometry.is_convex(ordered):
        raise UserError(f"the corners {corners} make no table: mark its four corners, none twice")
    if geometry.area(ordered) < 0.01 * width * height:
        raise UserError(f"the corners {corners} lie too near each other: mark the whole table")
    return Table(corners=ordered, image_size=image_size)


def whole_picture(image_size: tuple[int, int]) -> Table:
    """The picture itself as the table."""
    w, h = float(image_size[0]), float(image_size[1])
    return Table(((0.0, 0.0), (w, 0.0), (w, h), (0.0, h)), image_size, whole_picture=True)


def propose_table(image: Image) -> Table:
    """The table in a picture, from its edges; the picture itself when no edge is seen.

    The outline is that of the region around the middle that looks like one surface: its colours
    are learnt from the middle, and cards and hands lying on it are closed over.
    `Table.whole_picture` says when nothing better than the picture was found.
    """
    height, width = image.shape[:2]
    scale = min(1.0, _PROPOSAL_WIDTH / width)
    small: Image = np.asarray(
        cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA), dtype=np.uint8
    )
    best: Quad | None = None
    best_score = 0.0
    for mask in _surfaces(small):
        quad = _outline(mask)
        if quad is None:
            continue
        score = _score(mask, quad)
        # Lenient masks come last and reach out to the very edge: as good is better.
        if score > 0 and score >= best_score - _AS_GOOD:
            best, best_score = quad, max(score, best_score)
    if best is None:
        return whole_picture((width, height))
    corners = geometry.as_quad([((x + 0.5) / scale, (y + 0.5) / scale) for x, y in best])
    return Table(corners=geometry.order_table(corners), image_size=(width, height))


Mask = npt.NDArray[np.uint8]


def _surfaces(small: Image) -> list[Mask]:
    """Masks (0 or 255) of what could be the table top, from strict to lenient."""
    lab = cv2.cvtColor(cv2.GaussianBlur(small, (0, 0), 1.2), cv2.COLOR_BGR2LAB).astype(np.float32)
    height, width = lab.shape[:2]
    middle = lab[height // 4 : 3 * height // 4, width // 4 : 3 * width // 4].reshape(-1, 3)
    # The commonest colour of the middle, not its mean: cards lie there too.
    bins = (middle // 12).astype(np.int64)
    keys = bins[:, 0] * 10_000 + bins[:, 1] * 100 + bins[:, 2]
    values, counts = np.unique(keys, return_counts=True)
    colour = np.median(middle[keys == values[np.argmax(counts)]], axis=0)
    # Lightness counts half: lamps shade a table more than they colour it.
    distance = np.sqrt((((lab - colour) * (0.5, 1.0, 1.0)) ** 2).sum(axis=2))
    masks = []
    for limit in (8.0, 12.0, 18.0, 26.0):
        mask = np.where(distance < limit, 255, 0).astype(np.uint8)
        opened = cv2.morphologyEx(mask, cv2.MORPH_OPEN, np.ones((5, 5), np.uint8))
        masks.append(_filled_middle(np.asarray(opened, dtype=np.uint8)))
    return masks


def _filled_middle(mask: Mask) -> Mask:
    """The largest region of a mask, its holes and bays (cards, hands) closed."""
    count, labels, stats, _ = cv2.connectedComponentsWithStats(mask)
    if count < 2:
        return np.zeros_like(mask)
    largest = 1 + int(np.argmax(stats[1:, cv2.CC_STAT_AREA]))
    region = np.where(labels == largest, 255, 0).astype(np.uint8)
    contours, _ = cv2.findContours(region, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    filled = np.zeros_like(mask)
    cv2.drawContours(filled, contours, -1, 255, cv2.FILLED)
    return filled


def _outline(mask: Mask) -> Quad | None:
    """The quadrilateral round a region: its hull's sides dropped one by one at the least cost."""
    contours, _ = cv2.findContours(mask, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)
    if not contours:
        return None
    hull = cv2.convexHull(max(contours, key=cv2.contourArea))
    hull = cv2.approxPolyDP(hull, 0.004 * cv2.arcLength(hull, True), True).reshape(-1, 2)
    polygon = [(float(x), float(y)) for x, y in hull]
    while len(polygon) > 4:
        reduced = _without_cheapest_side(polygon)
        if reduced is None:
            return None
        polygon = reduced
    if len(polygon) != 4:
        return None
    quad = geometry.clockwise(polygon)
    return quad if geometry.is_convex(quad) else None


def _without_cheapest_side(polygon: list[Point]) -> list[Point] | None:
    """Extend the two neighbours of one side until they meet, where that adds the least area."""
    best: tuple[float, list[Point]] | None = None
    n = len(polygon)
    for i in range(n):
        before, a, b, after = (polygon[(i + k) % n] for k in (-1, 0, 1, 2))
        meet = _meeting(before, a, after, b)
        if meet is None:
            continue
        added = geometry.area((a, meet, b))
        rest = [polygon[(i + 2 + k) % n] for k in range(n - 2)]
        if best is None or added < best[0]:
            best = (added, [meet, *rest])
    return None if best is None else best[1]


def _meeting(a: Point, b: Point, c: Point, d: Point) -> Point | None:
    """Where the line from a beyond b meets the line from c beyond d."""
    rx, ry, sx, sy = b[0] - a[0], b[1] - a[1], d[0] - c[0], d[1] - c[1]
    cross = rx * sy - ry * sx
    if abs(cross) < 1e-9:
        return None
    t = ((c[0] - a[0]) * sy - (c[1] - a[1]) * sx) / cross
    u = ((c[0] - a[0]) * ry - (c[1] - a[1]) * rx) / cross
    if t < 1 or u < 1:
        return None
    return (a[0] + t * rx, a[1] + t * ry)


def _score(mask: Mask, quad: Quad) -> float:
    """How well a region is the quad: the fill, 0 where it is too small or fills it badly."""
    height, width = mask.shape
    frame: Quad = ((0.0, 0.0), (width, 0.0), (width, height), (0.0, height))
    inside = geometry.intersection_area(quad, frame)
    slack = _OUT_OF_PICTURE * max(width, height)
    if any(not -slack <= x <= width + slack for x, _ in quad):
        return 0.0
    if any(not -slack <= y <= height + slack for _, y in quad):
        return 0.0
    if inside < _SMALLEST_TABLE * width * height:
        return 0.0
    fill = cv2.countNonZero(mask) / inside
    if fill < _BEST_FILL or inside > _WHOLE_PICTURE * width * height:
        return 0.0
    # A surface that runs out of the picture is more often the floor's than the table's.
    outside = sum(not (2 < x < width - 3 and 2 < y < height - 3) for x, y in quad)
    return min(fill, 1.0) - _CORNER_OUTSIDE * outside
