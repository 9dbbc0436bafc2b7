"""The simulated room: where things are, how they move, and the camera that sees them.

Table coordinates are millimetres from the table's centre, x to the right and y down as the
camera sees them, z up from the table top. Angles are radians, 0 along +x, clockwise as seen.
"""

import bisect
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Seat = Literal["S", "E", "N", "W"]
SEATS: tuple[Seat, ...] = ("S", "E", "N", "W")

Ease = Literal["smooth", "brake", "steady"]
HandShape = Literal["pinch", "flat"]

OUTWARD: dict[Seat, tuple[float, float]] = {"S": (0, 1), "E": (1, 0), "N": (0, -1), "W": (-1, 0)}
"""From the centre of the table to the seat."""


@dataclass(frozen=True, slots=True)
class Pose:
    """Where a card's centre, or a hand's fingertips, are. `angle` is that of the long side.

    `turn` 0 is face up, 1 face down; between them the card is being turned about its long side.
    """

    x: float
    y: float
    angle: float = 0.0
    z: float = 0.0
    turn: float = 0.0


@dataclass(frozen=True, slots=True)
class Move:
    """A movement from one pose to another between `t0` and `t1` seconds; then it rests there.

    `order` is the height in the heap (later ones lie on top); `held_by` the seat whose fingers
    hold it; `bow` bends the path sideways by that many millimetres at its middle; `hidden` takes
    the thing out of sight when the move ends.
    """

    t0: float
    t1: float
    start: Pose
    end: Pose
    ease: Ease = "smooth"
    order: int = 0
    held_by: Seat | None = None
    bow: float = 0.0
    hidden: bool = False
    shape: HandShape = "pinch"

    def at(self, t: float) -> Pose:
        """The pose at time `t`, clamped to the move."""
        if t >= self.t1:
            return self.end
        u = max(0.0, (t - self.t0) / (self.t1 - self.t0))
        if self.ease == "smooth":
            u = u * u * (3 - 2 * u)
        elif self.ease == "brake":
            u = 1 - (1 - u) ** 2.2
        a, b = self.start, self.end
        side = self.bow * float(np.sin(np.pi * u))
        length = float(np.hypot(b.x - a.x, b.y - a.y)) or 1.0
        return Pose(
            a.x + (b.x - a.x) * u - side * (b.y - a.y) / length,
            a.y + (b.y - a.y) * u + side * (b.x - a.x) / length,
            a.angle + (b.angle - a.angle) * u,
            a.z + (b.z - a.z) * u,
            a.turn + (b.turn - a.turn) * u,
        )


@dataclass(slots=True)
class Actor:
    """A card or a hand with its moves in order of time."""

    name: str
    moves: list[Move] = field(default_factory=list)
    _starts: list[float] = field(default_factory=list)

    def add(self, move: Move) -> None:
        """Add a move; raises `ValueError` if it begins before the last one has ended."""
        if move.t0 < self.free_at - 1e-9:
            raise ValueError(f"{self.name}: move at {move.t0:.2f} s before {self.free_at:.2f} s")
        self.moves.append(move)
        self._starts.append(move.t0)

    def move_at(self, t: float) -> Move | None:
        """The move in progress, or the one whose end it rests at; None while out of sight."""
        k = bisect.bisect_right(self._starts, t) - 1
        if k < 0:
            return None
        move = self.moves[k]
        return None if move.hidden and t >= move.t1 else move

    @property
    def last(self) -> Pose:
        return self.moves[-1].end

    @property
    def free_at(self) -> float:
        return self.moves[-1].t1 if self.moves else 0.0


@dataclass(frozen=True, slots=True)
class Room:
    """The table's size and where the players' arms come from. Millimetres."""

    half_width: float
    half_height: float
    left_handed: tuple[Seat, ...] = ()

    def edge(self, seat: Seat) -> float:
        """Distance from the centre to the table's edge at a seat."""
        return self.half_height if seat in "SN" else self.half_width

    def point(self, seat: Seat, out: float, right: float) -> tuple[float, float]:
        """A point `out` mm from the centre towards a seat and `right` mm to that player's right."""
        dx, dy = OUTWARD[seat]
        return out * dx + right * dy, out * dy - right * dx

    def shoulder(self, seat: Seat) -> tuple[float, float]:
        """Where the forearm points back to (elbow and shoulder, seen from above)."""
        side = -110.0 if seat in self.left_handed else 110.0
        return self.point(seat, self.edge(seat) + 420, side)

    def home(self, seat: Seat) -> Pose:
        """Where a hand rests out of sight."""
        side = -60.0 if seat in self.left_handed else 60.0
        x, y = self.point(seat, self.edge(seat) + 330, side)
        return Pose(x, y, 0.0, 60.0)

    @property
    def corners(self) -> Floats:
        """(4, 3): the table's corners, clockwise from the upper left."""
        a, b = self.half_width, self.half_height
        return np.array([[-a, -b, 0], [a, -b, 0], [a, b, 0], [-a, b, 0]], float)


def outline(pose: Pose, width: float, height: float) -> Floats:
    """(4, 3): a card's corners in table coordinates, short side first, clockwise while face up.

    The first two corners are the top of the picture. A card being turned is seen narrower.
    """
    squeeze = abs(np.cos(np.pi * pose.turn))
    w, h = width / 2 * squeeze, height / 2
    local = np.array([[-w, -h], [w, -h], [w, h], [-w, h]])
    # The long side of an upright picture runs along -y: turn it to `angle`.
    a = pose.angle + np.pi / 2
    rotation = np.array([[np.cos(a), -np.sin(a)], [np.sin(a), np.cos(a)]])
    flat = local @ rotation.T + (pose.x, pose.y)
    return np.column_stack([flat, np.full(4, pose.z)])


@dataclass(frozen=True, slots=True)
class Camera:
    """A pinhole camera: `matrix` (3, 4) takes homogeneous table points to image pixels.

    It is `intrinsic` (3, 3) times the camera's pose; `size` is (width, height) in pixels.
    """

    matrix: Floats
    size: tuple[int, int]
    intrinsic: Floats

    def project(self, points: Floats) -> Floats:
        """(n, 3) table points to (n, 2) image pixels."""
        homogeneous = np.column_stack([points, np.ones(len(points))]) @ self.matrix.T
        return homogeneous[:, :2] / homogeneous[:, 2:]

    @property
    def position(self) -> Floats:
        """(3,): where it hangs, table millimetres."""
        return np.asarray(-np.linalg.solve(self.matrix[:, :3], self.matrix[:, 3]))

    @property
    def upside_down(self) -> "Camera":
        """The same camera hung the other way round: its picture is turned by half a circle."""
        w, h = self.size
        half = np.array([[-1.0, 0, w - 1], [0, -1.0, h - 1], [0, 0, 1.0]])
        return Camera(half @ self.matrix, self.size, half @ self.intrinsic)

    def turned(self, pitch: float, yaw: float, roll: float) -> "Camera":
        """The camera after a knock that turned it by small angles (radians) where it hangs."""
        turn = np.array([[1, -roll, yaw], [roll, 1, -pitch], [-yaw, pitch, 1.0]])
        u, _, vt = np.linalg.svd(turn)  # the nearest true rotation
        knock = self.intrinsic @ u @ vt @ np.linalg.inv(self.intrinsic)
        return Camera(knock @ self.matrix, self.size, self.intrinsic)


def aim(
    room: Room,
    size: tuple[int, int],
    tilt: float,
    towards: float,
    roll: float,
    distance: float,
    fill: float,
    shift: tuple[float, float] = (0.0, 0.0),
) -> Camera:
    """A camera `distance` mm from the table, leaning `tilt` rad from the vertical.

    `towards` is the direction (angle on the table) it leans to, `fill` the share of the picture
    that the table takes, `shift` how far off the middle the table is, as shares of the picture.
    """
    lean = np.array([np.cos(towards), np.sin(towards), 0.0])
    up = np.array([0.0, 0.0, 1.0])
    position = distance * (np.sin(tilt) * lean + np.cos(tilt) * up)
    forward = -position / np.linalg.norm(position)
    right = np.array([1.0, 0.0, 0.0]) - forward * forward[0]
    right /= np.linalg.norm(right)
    down = np.cross(right, forward)  # left-handed table axes: x right, y down, z up
    right, down = (
        np.cos(roll) * right + np.sin(roll) * down,
        np.cos(roll) * down - np.sin(roll) * right,
    )
    rotation = np.stack([right, down, forward])
    extrinsic = np.column_stack([rotation, -rotation @ position])
    seen = Camera(extrinsic, size, np.eye(3)).project(room.corners)
    low, high = seen.min(0), seen.max(0)
    focal = float(min(fill * size[0] / (high[0] - low[0]), fill * size[1] / (high[1] - low[1])))
    middle = np.array(size) * (0.5 + np.array(shift)) - focal * (low + high) / 2
    intrinsic = np.array([[focal, 0, middle[0]], [0, focal, middle[1]], [0, 0, 1.0]])
    return Camera(intrinsic @ extrinsic, size, intrinsic)
