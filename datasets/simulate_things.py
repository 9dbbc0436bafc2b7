"""Things other than cards on a simulated table: what a card finder must leave alone."""

from collections.abc import Callable
from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from datasets.simulate_world import OUTWARD, SEATS, Pose, Room

Image = npt.NDArray[np.uint8]
Colour = tuple[float, float, float]

_PX_PER_MM = 2.0
_CLEAR_OF_PLAY_MM = 170.0
_CLEAR_OF_PILES_MM = 92.0
_TRIES = 250


@dataclass(frozen=True, slots=True)
class Thing:
    """A thing lying on the table: BGRA premultiplied picture, size in mm, where, how tall."""

    picture: Image
    width: float
    height: float
    pose: Pose
    tall: float


def _canvas(width: float, height: float) -> Image:
    return np.zeros((round(height * _PX_PER_MM), round(width * _PX_PER_MM), 4), np.uint8)


def _rounded(width: float, height: float, radius: float, colour: Colour) -> Image:
    picture = _canvas(width, height)
    h, w = picture.shape[:2]
    r, ink = round(radius * _PX_PER_MM), (*colour, 255.0)
    cv2.rectangle(picture, (r, 0), (w - 1 - r, h - 1), ink, -1)
    cv2.rectangle(picture, (0, r), (w - 1, h - 1 - r), ink, -1)
    for x in (r, w - 1 - r):
        for y in (r, h - 1 - r):
            cv2.circle(picture, (x, y), r, ink, -1, cv2.LINE_AA)
    return picture


def _phone(rng: np.random.Generator) -> tuple[Image, float, float, float]:
    w, h = rng.uniform(68, 78), rng.uniform(140, 162)
    picture = _rounded(w, h, 9, (30, 28, 26))
    screen = rng.uniform(10, 70, 3)
    end = (picture.shape[1] - 7, picture.shape[0] - 7)
    cv2.rectangle(picture, (6, 6), end, (*screen.tolist(), 255.0), -1)
    cv2.line(picture, (20, 30), (end[0] - 40, end[1] - 120), (110, 105, 100, 255), 18, cv2.LINE_AA)
    return picture, w, h, 8.0


def _paper(rng: np.random.Generator) -> tuple[Image, float, float, float]:
    """A score pad: the white rectangle most like a card."""
    w, h = rng.uniform(70, 105), rng.uniform(95, 148)
    picture = _rounded(w, h, 0.5, (232, 238, 240))
    for y in range(24, picture.shape[0] - 10, 16):
        cv2.line(picture, (8, y), (picture.shape[1] - 8, y), (215, 195, 180, 255), 1)
    middle = picture.shape[1] // 2
    cv2.line(picture, (middle, 12), (middle, picture.shape[0] - 12), (70, 60, 60, 255), 2)
    cv2.line(picture, (16, 44), (picture.shape[1] - 16, 44), (70, 60, 60, 255), 2)
    for _ in range(int(rng.integers(1, 6))):
        x, y = (
            int(rng.integers(20, picture.shape[1] - 20)),
            int(rng.integers(60, picture.shape[0] - 20)),
        )
        cv2.circle(picture, (x, y), 7, (120, 60, 40, 255), 2, cv2.LINE_AA)
    return picture, w, h, 0.5


def _packet(rng: np.random.Generator) -> tuple[Image, float, float, float]:
    w, h = 55.0, 86.0
    picture = _rounded(w, h, 1.5, tuple(rng.uniform(190, 240, 3).tolist()))  # type: ignore[arg-type]
    ink = (*rng.uniform(20, 200, 3).tolist(), 255.0)
    cv2.rectangle(picture, (0, 0), (picture.shape[1], picture.shape[0] // 3), ink, -1)
    cv2.rectangle(picture, (18, 90), (picture.shape[1] - 18, 130), ink, 3)
    return picture, w, h, 22.0


def _coaster(rng: np.random.Generator) -> tuple[Image, float, float, float]:
    d = rng.uniform(85, 100)
    ink = tuple(rng.uniform(60, 225, 3).tolist())
    if rng.random() < 0.5:
        return _rounded(d, d, 6, ink), d, d, 2.0  # type: ignore[arg-type]
    picture = _canvas(d, d)
    c = picture.shape[0] // 2
    cv2.circle(picture, (c, c), c - 1, (*ink, 255), -1, cv2.LINE_AA)
    cv2.circle(picture, (c, c), round(c * 0.8), (*[v * 0.8 for v in ink], 255), 4, cv2.LINE_AA)
    return picture, d, d, 2.0


def _glass(rng: np.random.Generator) -> tuple[Image, float, float, float]:
    d = rng.uniform(62, 82)
    picture = _canvas(d, d)
    c = picture.shape[0] // 2
    drink = [(40, 70, 140), (30, 40, 90), (60, 160, 210), (150, 160, 150)][int(rng.integers(4))]
    cv2.circle(picture, (c, c), c - 1, (205, 210, 205, 255), -1, cv2.LINE_AA)
    cv2.circle(picture, (c, c), round(c * 0.88), (*drink, 255), -1, cv2.LINE_AA)
    cv2.ellipse(
        picture, (c, c), (round(c * 0.7),) * 2, 0, 200, 260, (235, 235, 235, 255), 4, cv2.LINE_AA
    )
    return picture, d, d, 90.0


def _coin(rng: np.random.Generator) -> tuple[Image, float, float, float]:
    d = rng.uniform(19, 26)
    picture = _canvas(d, d)
    c = picture.shape[0] // 2
    metal = [(90, 150, 190), (160, 170, 175), (70, 105, 160)][int(rng.integers(3))]
    cv2.circle(picture, (c, c), c - 1, (*metal, 255), -1, cv2.LINE_AA)
    cv2.circle(picture, (c, c), round(c * 0.72), (*[v * 0.8 for v in metal], 255), 2, cv2.LINE_AA)
    return picture, d, d, 2.0


def _pen(rng: np.random.Generator) -> tuple[Image, float, float, float]:
    w, h = 10.0, rng.uniform(130, 150)
    return _rounded(w, h, 4, tuple(rng.uniform(20, 190, 3).tolist())), w, h, 8.0  # type: ignore[arg-type]


_KINDS: tuple[Callable[[np.random.Generator], tuple[Image, float, float, float]], ...] = (
    _phone, _paper, _packet, _coaster, _glass, _coin, _pen,
)  # fmt: skip


def pile_spot(room: Room, seat: str) -> tuple[float, float]:
    """Where a seat's face-down pile lies: at the player's right, near the edge. mm."""
    known = next(s for s in SEATS if s == seat)
    across = room.half_width if known in "SN" else room.half_height
    return room.point(known, room.edge(known) - 78, 0.62 * across)


def scatter(rng: np.random.Generator, room: Room, count: int) -> list[Thing]:
    """Up to `count` things where players would put them: off the play and off the piles."""
    taken = [(*pile_spot(room, seat), _CLEAR_OF_PILES_MM) for seat in SEATS]
    for seat in SEATS:
        taken.append((*room.point(seat, room.edge(seat) - 85, -112), _CLEAR_OF_PILES_MM))
        dx, dy = OUTWARD[seat]
        taken.append((dx * room.edge(seat), dy * room.edge(seat), 70.0))
    taken.append((0.0, 0.0, _CLEAR_OF_PLAY_MM))
    things: list[Thing] = []
    for _ in range(_TRIES):
        if len(things) == count:
            break
        picture, w, h, tall = _KINDS[int(rng.integers(len(_KINDS)))](rng)
        radius = max(w, h) / 2
        x = rng.uniform(-1, 1) * (room.half_width - radius * 0.6)
        y = rng.uniform(-1, 1) * (room.half_height - radius * 0.6)
        if all(np.hypot(x - ox, y - oy) > clear + radius * 0.5 for ox, oy, clear in taken):
            things.append(Thing(picture, w, h, Pose(x, y, rng.uniform(0, 2 * np.pi)), tall))
            taken.append((x, y, radius))
    return things
