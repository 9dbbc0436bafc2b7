"""How the simulated room looks: table tops, floors, light, hands and things left on the table.

Everything is made from noise and polygons; there is no picture of anybody's in it.
"""

from collections.abc import Callable
from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from datasets.simulate_world import SEATS, Camera, HandShape, Room

Image = npt.NDArray[np.uint8]
Floats32 = npt.NDArray[np.float32]
Colour = tuple[float, float, float]

TEXTURE_PX_PER_MM = 1.6
_FLOOR_HALF_MM = (1900.0, 1300.0)
_FLOOR_DEPTH_MM = 720.0
_FLOOR_MM_PER_PX = 2.2
HAND_PX_PER_MM = 1.5
HAND_WIDTH_MM, HAND_LENGTH_MM = 190.0, 620.0


def noise(
    rng: np.random.Generator, height: int, width: int, cell: float, squeeze: float = 1.0
) -> Floats32:
    """Smooth noise in about [-1, 1] of grain `cell` pixels; `squeeze` stretches it along x."""
    rows, columns = max(2, round(height / cell)), max(2, round(width / (cell * squeeze)))
    coarse = rng.normal(0, 0.6, (rows, columns)).astype(np.float32)
    return cv2.resize(coarse, (width, height), interpolation=cv2.INTER_CUBIC).astype(np.float32)


def _tint(value: Floats32, dark: Colour, light: Colour) -> Floats32:
    v = np.clip(value, 0, 1)[..., None]
    return (np.array(dark, np.float32) * (1 - v) + np.array(light, np.float32) * v).astype(
        np.float32
    )


def _wood(rng: np.random.Generator, h: int, w: int) -> Floats32:
    tones: list[tuple[Colour, Colour]] = [
        ((30, 55, 95), (75, 115, 165)),
        ((25, 35, 60), (50, 75, 115)),
        ((110, 150, 185), (150, 190, 220)),
        ((45, 70, 120), (90, 140, 190)),
    ]
    dark, light = tones[int(rng.integers(len(tones)))]
    ys = np.arange(h, dtype=np.float32)[:, None]
    wave = noise(rng, h, w, 60, 14) * 40 + noise(rng, h, w, 18, 20) * 6
    rings = 0.5 + 0.5 * np.sin((ys + wave) * rng.uniform(0.08, 0.2))
    value = 0.55 * rings + 0.25 * noise(rng, h, w, 2, 30) + 0.3 * noise(rng, h, w, 120) + 0.25
    planks = int(rng.integers(1, 7))
    for k in range(1, planks):
        y = h * k // planks
        value[y - 1 : y + 2] -= 0.5
        value[y:] += rng.uniform(-0.08, 0.08)
    return _tint(value.astype(np.float32), dark, light)


def _felt(rng: np.random.Generator, h: int, w: int) -> Floats32:
    colours: list[Colour] = [
        (60, 110, 30),
        (50, 90, 25),
        (110, 70, 25),
        (40, 35, 110),
        (90, 90, 95),
        (70, 50, 60),
    ]
    base = colours[int(rng.integers(len(colours)))]
    value = 0.5 + 0.12 * noise(rng, h, w, 1.6) + 0.1 * noise(rng, h, w, 140)
    return _tint(value, tuple(0.7 * c for c in base), tuple(1.3 * c for c in base))  # type: ignore[arg-type]


def _gingham(rng: np.random.Generator, h: int, w: int) -> Floats32:
    inks: list[Colour] = [(60, 50, 190), (150, 90, 40), (70, 130, 60), (110, 110, 110)]
    ink = np.array(inks[int(rng.integers(len(inks)))], np.float32)
    cell = int(rng.integers(22, 46))
    xs = (np.arange(w) // cell % 2).astype(np.float32)[None, :]
    ys = (np.arange(h) // cell % 2).astype(np.float32)[:, None]
    depth = ((xs + ys) / 2 * rng.uniform(0.5, 0.9))[..., None]
    paper = np.array([225, 230, 235], np.float32)
    weave = 1 + 0.05 * noise(rng, h, w, 1.5)[..., None]
    return ((paper * (1 - depth) + ink * depth) * weave).astype(np.float32)


def _plain(rng: np.random.Generator, h: int, w: int) -> Floats32:
    colours: list[Colour] = [
        (200, 205, 210),
        (150, 170, 190),
        (140, 120, 100),
        (90, 120, 160),
        (120, 140, 110),
    ]
    base = colours[int(rng.integers(len(colours)))]
    folds = 0.06 * noise(rng, h, w, 260) + 0.04 * noise(rng, h, w, 90, 4)
    value = 0.5 + 0.1 * noise(rng, h, w, 1.5) + folds
    for at in (0.25, 0.5, 0.75):  # creases from the ironed cloth
        column = round(w * at)
        value[:, column - 2 : column + 1] -= 0.05
    return _tint(
        value.astype(np.float32), tuple(0.82 * c for c in base), tuple(1.12 * c for c in base)
    )  # type: ignore[arg-type]


def _flowers(rng: np.random.Generator, h: int, w: int) -> Floats32:
    """An oilcloth with a printed repeat, the hardest of backgrounds for a card finder."""
    base = _plain(rng, h, w)
    inks = [(70, 60, 190), (60, 140, 70), (40, 170, 220), (150, 80, 60)]
    step = int(rng.integers(70, 130))
    for j, y in enumerate(range(0, h, step)):
        for x in range((j % 2) * step // 2, w, step):
            ink = inks[int(rng.integers(len(inks)))]
            for k in range(5):
                a = k * 2 * np.pi / 5
                centre = (int(x + 9 * np.cos(a)), int(y + 9 * np.sin(a)))
                cv2.circle(base, centre, 7, ink, -1, cv2.LINE_AA)
            cv2.circle(base, (x, y), 5, (60, 200, 230), -1, cv2.LINE_AA)
    return base


def _marble(rng: np.random.Generator, h: int, w: int) -> Floats32:
    veins = np.abs(noise(rng, h, w, 150) + 0.4 * noise(rng, h, w, 40))
    value = 0.75 - 0.5 * np.exp(-veins * 9) + 0.1 * noise(rng, h, w, 200)
    light = float(rng.uniform(150, 215))
    return _tint(value.astype(np.float32), (0.6 * light,) * 3, (1.1 * light,) * 3)


_Surface = Callable[[np.random.Generator, int, int], Floats32]
SURFACES: dict[str, _Surface] = {
    "felt": _felt,
    "wood": _wood,
    "plain": _plain,
    "gingham": _gingham,
    "marble": _marble,
    "flowers": _flowers,
}


def table_top(rng: np.random.Generator, surface: str, room: Room) -> Image:
    """The table's surface from above at `TEXTURE_PX_PER_MM`, with its rim."""
    h = round(2 * room.half_height * TEXTURE_PX_PER_MM)
    w = round(2 * room.half_width * TEXTURE_PX_PER_MM)
    top = np.clip(SURFACES[surface](rng, h, w), 0, 255).astype(np.uint8)
    if rng.random() < 0.6:
        rim = round(rng.uniform(6, 22) * TEXTURE_PX_PER_MM)
        ink = tuple(float(v) for v in top.mean((0, 1)) * rng.uniform(0.35, 0.7))
        cv2.rectangle(top, (0, 0), (w - 1, h - 1), ink, 2 * rim)
        cv2.rectangle(top, (rim, rim), (w - 1 - rim, h - 1 - rim), (20, 20, 20), 1, cv2.LINE_AA)
    return top


def _floor(rng: np.random.Generator, camera: Camera) -> Image:
    """The floor under the table, fixed to the room and not to the picture."""
    w, h = (
        round(2 * _FLOOR_HALF_MM[0] / _FLOOR_MM_PER_PX),
        round(2 * _FLOOR_HALF_MM[1] / _FLOOR_MM_PER_PX),
    )
    kind = int(rng.integers(3))
    base = float(rng.uniform(45, 150))
    if kind == 0:
        picture = _wood(rng, h, w)
    elif kind == 1:
        picture = _tint(0.5 + 0.1 * noise(rng, h, w, 3), (base,) * 3, (base * 1.3,) * 3)
        cell = int(rng.integers(90, 200))
        for x in range(0, w, cell):
            cv2.line(picture, (x, 0), (x, h), (base * 0.6,) * 3, 3)
        for y in range(0, h, cell):
            cv2.line(picture, (0, y), (w, y), (base * 0.6,) * 3, 3)
    else:
        tint = rng.uniform(0.8, 1.1, 3) * base
        picture = _tint(0.5 + 0.2 * noise(rng, h, w, 2), tuple(tint * 0.7), tuple(tint * 1.2))
    floor = np.clip(cv2.GaussianBlur(picture, (0, 0), 1.5), 0, 255).astype(np.uint8)
    a, b = _FLOOR_HALF_MM
    there = np.array([[-a, -b], [a, -b], [a, b], [-a, b]])
    seen = camera.project(np.column_stack([there, np.full(4, -_FLOOR_DEPTH_MM)]))
    source = np.array([[0, 0], [w, 0], [w, h], [0, h]], np.float32)
    to_image = cv2.getPerspectiveTransform(source, seen.astype(np.float32))
    out = cv2.warpPerspective(floor, to_image, camera.size, borderMode=cv2.BORDER_REFLECT)
    return np.asarray(out, np.uint8)


def _people(rng: np.random.Generator, floor: Image, room: Room, camera: Camera) -> None:
    """Knees and chair seats: blurred shapes at the four sides, below the table top."""
    for seat in SEATS:
        x, y = room.point(seat, room.edge(seat) + 130, float(rng.uniform(-40, 40)))
        long, short = (150, 210) if seat in "EW" else (210, 150)
        a = np.linspace(0, 2 * np.pi, 48)
        ring = np.column_stack([x + long * np.cos(a), y + short * np.sin(a), np.full(48, -250.0)])
        shade = rng.uniform(20, 90) + rng.uniform(-20, 20, 3)
        points = np.round(camera.project(ring)).astype(np.int32)
        cv2.fillPoly(floor, [points], tuple(float(v) for v in shade), cv2.LINE_AA)
    cv2.GaussianBlur(floor, (0, 0), 3, dst=floor)


@dataclass(frozen=True, slots=True)
class Light:
    """A lamp over the table: position (mm), how uneven its light is, how dark its shadows are."""

    x: float
    y: float
    z: float
    uneven: float
    shadow: float
    colour: Colour
    glare: float
    """Strength of its reflection on glossy cards, grey levels; 0 for none."""
    glare_mm: float
    """Radius of that reflection on the table."""

    def field(self, camera: Camera) -> Floats32:
        """(height, width, 1): how bright a white card is at every pixel, about 1 at the best."""
        w, h = camera.size
        spot = camera.project(np.array([[self.x, self.y, 0.0]]))[0]
        xs, ys = np.meshgrid(np.arange(w, dtype=np.float32), np.arange(h, dtype=np.float32))
        far = np.hypot(xs - spot[0], ys - spot[1]) / np.hypot(w, h)
        return (1.0 - self.uneven * far**1.4)[..., None].astype(np.float32)

    def reflection(self, camera: Camera) -> Image:
        """(height, width): the lamp mirrored in whatever is glossy, grey levels to add."""
        w, h = camera.size
        eye = camera.position
        share = eye[2] / (eye[2] + self.z)
        at = (1 - share) * eye[:2] + share * np.array([self.x, self.y])
        spot = camera.project(np.array([[*at, 0.0], [at[0] + self.glare_mm, at[1], 0.0]]))
        radius = float(np.linalg.norm(spot[1] - spot[0]))
        xs, ys = np.meshgrid(np.arange(w, dtype=np.float32), np.arange(h, dtype=np.float32))
        far = np.hypot(xs - spot[0, 0], ys - spot[0, 1]) / radius
        return (self.glare * np.exp(-(far**2))).astype(np.uint8)


def empty_table(
    rng: np.random.Generator, surface: str, room: Room, camera: Camera, light: Light
) -> Image:
    """The picture with nothing on the table: room, table and its shadow on the floor, lit."""
    floor = _floor(rng, camera)
    _people(rng, floor, room, camera)
    corners = camera.project(room.corners)
    under = camera.project(room.corners * 1.04 - (0, 0, 420.0))
    shade = np.zeros(floor.shape[:2], np.uint8)
    cv2.fillPoly(shade, [np.round(under).astype(np.int32)], 255)
    dark = cv2.GaussianBlur(shade, (0, 0), 14).astype(np.float32)[..., None] / 255
    picture = floor.astype(np.float32) * (1 - 0.5 * dark)
    top = table_top(rng, surface, room)
    th, tw = top.shape[:2]
    source = np.array([[0, 0], [tw, 0], [tw, th], [0, th]], np.float32) - 0.5
    to_image = cv2.getPerspectiveTransform(source, corners.astype(np.float32))
    warped = cv2.warpPerspective(top, to_image, camera.size, flags=cv2.INTER_AREA)
    mask = np.zeros(floor.shape[:2], np.uint8)
    cv2.fillPoly(mask, [np.round(corners * 16).astype(np.int32)], 255, cv2.LINE_AA, 4)
    alpha = mask[..., None].astype(np.float32) / 255
    picture = picture * (1 - alpha) + warped * alpha
    picture *= light.field(camera) * np.array(light.colour, np.float32)
    return np.clip(picture, 0, 255).astype(np.uint8)


@dataclass(frozen=True, slots=True)
class Arm:
    """One player's arm as pictures (BGRA, premultiplied) pointing up, fingertips at the top.

    `under` is everything below a held card, `over` the thumb on it, `flat` a hand pressed down.
    The fingertips are at the middle of the width and `TIP_MM` below the upper edge.
    """

    under: Image
    over: Image
    flat: Image

    def layer(self, shape: HandShape) -> Image:
        return self.under if shape == "pinch" else self.flat


TIP_MM = 20.0
SKINS: tuple[Colour, ...] = (
    (150, 180, 225), (130, 165, 215), (110, 145, 200), (80, 110, 165), (55, 80, 125), (40, 55, 90),
)  # fmt: skip


def _capsules(parts: list[tuple[float, float, float, float, float]]) -> Image:
    """A mask of thick lines (x0, y0, x1, y1, width) in mm, x from the middle of the picture."""
    w, h = round(HAND_WIDTH_MM * HAND_PX_PER_MM), round(HAND_LENGTH_MM * HAND_PX_PER_MM)
    mask = np.zeros((h, w), np.uint8)
    k = HAND_PX_PER_MM
    for x0, y0, x1, y1, width in parts:
        a = (round((x0 + HAND_WIDTH_MM / 2) * k), round((y0 + TIP_MM) * k))
        b = (round((x1 + HAND_WIDTH_MM / 2) * k), round((y1 + TIP_MM) * k))
        cv2.line(mask, a, b, 255, round(width * k), cv2.LINE_AA)
    return mask


def _shaded(mask: Image, colour: Colour, rng: np.random.Generator, depth: float) -> Floats32:
    """A rounded, lit solid from a mask: BGRA, not premultiplied."""
    inside = cv2.distanceTransform((mask > 127).astype(np.uint8), cv2.DIST_L2, 3)
    bulge = np.clip(inside / (depth * HAND_PX_PER_MM), 0, 1)
    bulge = np.sqrt(bulge * (2 - bulge))
    grain = 1 + 0.03 * noise(rng, *mask.shape, 5) + 0.03 * noise(rng, *mask.shape, 40)
    value = (0.62 + 0.42 * bulge) * grain
    picture = np.empty((*mask.shape, 4), np.float32)
    picture[..., :3] = value[..., None] * np.array(colour, np.float32)
    picture[..., 3] = mask
    return picture


def _over(below: Floats32, above: Floats32) -> Floats32:
    out = below.copy()
    # Only where there is anything above: a nail on an arm is a thousandth of the picture.
    x, y, w, h = cv2.boundingRect((above[..., 3] > 0).astype(np.uint8))
    part, over = out[y : y + h, x : x + w], above[y : y + h, x : x + w]
    a = over[..., 3:] / 255
    part *= 1 - a
    part[..., :3] += over[..., :3] * a
    part[..., 3:] += 255 * a
    return out


def _premultiplied(picture: Floats32) -> Image:
    return np.clip(picture, 0, 255).astype(np.uint8)


def make_arm(rng: np.random.Generator, skin: Colour, sleeve: Colour, mirrored: bool) -> Arm:
    """A forearm with a sleeve and a hand, in three layers; `mirrored` for a left hand."""
    cuff = float(rng.uniform(190, 420))
    wide = float(rng.uniform(0.85, 1.15))

    def limb(fingers: list[tuple[float, float, float, float, float]], palm_top: float) -> Floats32:
        palm = [
            (-16 * wide, palm_top + 22, -14 * wide, palm_top + 68, 46 * wide),
            (16 * wide, palm_top + 20, 12 * wide, palm_top + 68, 44 * wide),
            (0, palm_top + 60, 0, palm_top + 120, 58 * wide),
            (0, palm_top + 110, 0, 600, 62 * wide),
            (0, palm_top + 200, 0, 640, 78 * wide),
        ]
        picture = _shaded(_capsules(palm), skin, rng, 26)
        picture[..., :3] *= picture[..., 3:] / 255
        for finger in fingers:
            picture = _over(picture, _shaded(_capsules([finger]), skin, rng, 8))
            x, y = finger[2], finger[3]
            nail = _capsules([(x, y - 4, x, y + 3, finger[4] * 0.5)])
            paler: Colour = (min(255, skin[0] * 1.15 + 15), skin[1] * 1.08, skin[2] * 1.05)
            picture = _over(picture, _shaded(nail, paler, rng, 4))
        cloth = [(0, cuff, 0, 640, 96 * wide), (0, cuff + 60, 0, 640, 104 * wide)]
        return _over(picture, _shaded(_capsules(cloth), sleeve, rng, 34))

    w = 17 * wide
    bent = [
        (-20 * wide, 66, -14, 34, w),
        (22 * wide, 62, 16, 30, w),
        (0, 60, 0, 16, w),
        (34 * wide, 70, 30, 46, w * 0.9),
    ]
    thumb = (-34 * wide, 84, -8, 22, 20 * wide)
    pinch = limb(bent, 56)
    spread = [
        (-30 * wide, 62, -38, 8, w), (-10 * wide, 56, -13, -6, w), (10 * wide, 58, 12, -4, w),
        (28 * wide, 66, 36, 16, w * 0.9), (-36 * wide, 96, -70, 52, 20 * wide),
    ]  # fmt: skip
    flat = limb(spread, 54)
    over = _shaded(_capsules([thumb]), skin, rng, 9)
    over[..., :3] *= over[..., 3:] / 255
    layers = [_premultiplied(p) for p in (pinch, over, flat)]
    if mirrored:
        layers = [np.ascontiguousarray(p[:, ::-1]) for p in layers]
    return Arm(*layers)
