"""What lies under and about the cards: cloths, wood, photographs, and white things that are no card."""

import cv2
import numpy as np

from datasets.cloths import chip, printed, printed_thing
from datasets.photo import Picture, Rng, smooth_field
from vision.types import Image


def cloth(rng: Rng, side: int) -> Picture:
    """A plain, striped, checked, woven or grained surface in any colour, light ones included."""
    base = np.float32(rng.integers(20, 250, 3))
    if rng.random() < 0.3:  # green or blue baize, dark or white tablecloth
        base = np.float32(
            [(40, 95, 30), (90, 50, 25), (30, 30, 30), (240, 242, 245)][int(rng.integers(4))]
        )
        base = base + np.float32(rng.normal(0, 12, 3))
    picture = np.empty((side, side, 3), np.float32)
    picture[:] = base
    other = base + np.float32(rng.normal(0, 60, 3))
    kind = rng.random()
    y, x = np.mgrid[0:side, 0:side].astype(np.float32)
    angle, period = rng.uniform(0, np.pi), rng.uniform(6, 90)
    along = (x * np.cos(angle) + y * np.sin(angle)) / period
    across = (y * np.cos(angle) - x * np.sin(angle)) / period
    if kind < 0.2:
        picture = picture + (other - base) * ((along % 1) < rng.uniform(0.2, 0.6))[..., None]
    elif kind < 0.35:
        check = ((along % 1) < 0.5).astype(np.float32) + ((across % 1) < 0.5)
        picture = picture + (other - base) * (check / 2)[..., None]
    elif kind < 0.55:  # wood: rings stretched along one axis
        grain = np.sin(along * 6 + 5 * smooth_field(rng, side, side, 5) + 0.3 * across)
        picture = picture + (other - base) * 0.4 * grain[..., None]
    elif kind < 0.65:  # printed dots
        dots = np.hypot((along % 1) - 0.5, (across % 1) - 0.5) < rng.uniform(0.1, 0.4)
        picture = picture + (other - base) * dots[..., None]
    grain = rng.standard_normal((side, side, 1), np.float32) * np.float32(rng.uniform(0, 14))
    # In single precision whatever was computed: OpenCV draws what is laid on a double into a copy.
    return np.clip(picture + grain, 0, 255).astype(np.float32)


PRINTED, PLAIN = 0.22, 0.28
"""How many tables have a printed and a plain or woven top; the rest are photographs. The flowered cloth
of a followed video showed what a finder makes of prints it never saw: a hundred cards that were none."""


def surface(rng: Rng, side: int, photographs: Image) -> Picture:
    """(side, side, 3): a cloth, a print or a photograph; `photographs` is (n, s, s, 3), s >= side."""
    kind = rng.random()
    if kind < PRINTED:
        return printed(rng, side)
    if kind < PRINTED + PLAIN or len(photographs) == 0:
        return cloth(rng, side)
    whole = photographs[int(rng.integers(len(photographs)))]
    size = int(rng.integers(side // 2, whole.shape[0] + 1))
    y, x = (int(rng.integers(whole.shape[0] - size + 1)) for _ in range(2))
    part = whole[y : y + size, x : x + size]
    part = np.rot90(part, int(rng.integers(4)))
    return cv2.resize(np.ascontiguousarray(part), (side, side)).astype(np.float32)


SKIN = ((120, 150, 215), (95, 125, 190), (70, 100, 160), (50, 75, 120), (35, 50, 85))


def hand(picture: Picture, rng: Rng, size: float, at: tuple[float, float] | None = None) -> None:
    """Draw a forearm, palm and fingers, `size` pixels wide at the palm, coming from outside."""
    height, width = picture.shape[:2]
    tone = np.float32(SKIN[int(rng.integers(len(SKIN)))]) * rng.uniform(0.8, 1.15)
    angle = rng.uniform(0, 2 * np.pi)
    forward = np.float32([np.cos(angle), np.sin(angle)])
    side = np.float32([-forward[1], forward[0]])
    palm = np.float32(at if at else (rng.uniform(0, width), rng.uniform(0, height)))

    def stroke(start: np.ndarray, end: np.ndarray, thick: float, shade: np.ndarray) -> None:
        points = tuple(tuple(int(v) for v in p) for p in (start, end))
        cv2.line(picture, *points, tuple(float(v) for v in shade), max(1, int(thick)), cv2.LINE_AA)

    sleeve = np.float32(rng.integers(10, 240, 3)) if rng.random() < 0.7 else tone
    stroke(palm - forward * size * 6, palm - forward * size * 1.6, size * 0.95, sleeve)
    stroke(palm - forward * size * 1.6, palm, size * 0.75, tone)
    stroke(palm, palm + forward * size * 0.25, size, tone)
    for i in range(4):
        root = palm + forward * size * 0.4 + side * size * (i - 1.5) * 0.27
        reach = size * rng.uniform(0.45, 0.95)
        tip = root + forward * reach + side * size * rng.uniform(-0.15, 0.15)
        stroke(root, tip, size * 0.22, tone * rng.uniform(0.92, 1.05))
        if rng.random() < 0.6:
            stroke(tip, tip, size * 0.1, np.minimum(tone * 1.15 + 15, 255))
    thumb = palm + side * size * 0.5
    stroke(palm, thumb + forward * size * 0.45 + side * size * 0.25, size * 0.26, tone * 0.96)


def clutter(picture: Picture, rng: Rng, size: float, photographs: Image) -> None:
    """Draw one thing that is no card: chip, paper, phone, coaster, coin, glass, packet, pen, book.

    `size` is about a card's length in pixels.
    """
    height, width = picture.shape[:2]
    centre = (rng.uniform(0, width), rng.uniform(0, height))
    shade = tuple(float(v) for v in rng.integers(0, 256, 3))
    kind = rng.random()
    if kind < 0.08:
        chip(picture, rng, centre, size * rng.uniform(0.12, 0.5))
        return
    if kind < 0.3:  # coins, coasters, glasses seen from above
        radius = max(3, int(size * rng.uniform(0.1, 0.7)))
        point = (int(centre[0]), int(centre[1]))
        cv2.circle(picture, point, radius, shade, -1, cv2.LINE_AA)
        for _ in range(int(rng.integers(0, 4))):
            ring = tuple(float(v) for v in rng.integers(0, 256, 3))
            inner = max(1, int(radius * rng.uniform(0.3, 1)))
            cv2.circle(picture, point, inner, ring, int(rng.integers(1, 5)), cv2.LINE_AA)
        return
    aspect = rng.uniform(0.08, 1.0) if rng.random() < 0.7 else rng.uniform(0.6, 0.8)
    long = size * rng.uniform(0.4, 2.6)
    box = cv2.boxPoints((centre, (long, long * aspect), float(rng.uniform(0, 180))))
    if kind < 0.65:  # white paper, score pad, napkin
        shade = tuple(float(v) for v in np.clip(rng.normal(235, 14) + rng.normal(0, 5, 3), 0, 255))
    cv2.fillConvexPoly(picture, box.astype(np.int32), shade, cv2.LINE_AA)
    _print_on(picture, rng, box.astype(np.float32), photographs)


def score_pad(picture: Picture, rng: Rng, centre: tuple[float, float], long: float) -> None:
    """The paper that lies where Sueca is played: ruled or plain, a cross, bolinhas in its quarters.

    Half of it, one side of the cross, looks more like a card than any other thing.
    """
    side = 120
    pad = np.empty((side, round(side * rng.uniform(0.6, 0.95)), 3), np.float32)
    pad[:] = np.clip(rng.normal(232, 14) + rng.normal(0, 6, 3), 0, 255)
    height, width = pad.shape[:2]
    if rng.random() < 0.7:
        ruled = tuple(float(v) for v in np.clip(rng.normal((215, 195, 180), 15), 0, 255))
        for y in range(int(rng.integers(4, 20)), height, int(rng.integers(6, 14))):
            cv2.line(pad, (0, y), (width, y), ruled, 1, cv2.LINE_AA)
    ink = tuple(float(v) for v in rng.integers(0, 140, 3))
    thick = int(rng.integers(1, 4))
    x, y = (int(part * rng.uniform(0.2, 0.8)) for part in (width, height))
    cv2.line(pad, (x, 4), (x, height - 4), ink, thick, cv2.LINE_AA)
    cv2.line(pad, (4, y), (width - 4, y), ink, thick, cv2.LINE_AA)
    for _ in range(int(rng.integers(0, 9))):
        spot = (int(rng.integers(6, width - 6)), int(rng.integers(6, height - 6)))
        filled = -1 if rng.random() < 0.2 else thick
        cv2.circle(pad, spot, int(rng.integers(2, 6)), ink, filled, cv2.LINE_AA)
    box = cv2.boxPoints((centre, (long * width / height, long), float(rng.uniform(0, 180))))
    _lay(picture, pad, box.astype(np.float32))


def _print_on(picture: Picture, rng: Rng, box: np.ndarray, photographs: Image) -> None:
    """Lines of writing, a title and a drawing, a picture, or nothing on a rectangle."""
    kind = rng.random()
    if kind < 0.22:
        return
    if kind < 0.45:
        _lay(picture, printed_thing(rng), box)
        return
    corner, right, down = box[0], box[1] - box[0], box[3] - box[0]
    if kind < 0.75:
        lines = int(rng.integers(2, 14))
        ink = tuple(float(v) for v in rng.integers(0, 130, 3))
        for i in range(lines):
            a = corner + right * 0.08 + down * ((i + 0.7) / (lines + 0.5))
            b = a + right * rng.uniform(0.2, 0.84)
            thick = max(1, int(np.linalg.norm(down) / lines / 4))
            cv2.line(picture, a.astype(int).tolist(), b.astype(int).tolist(), ink, thick)
        return
    if len(photographs):
        _lay(picture, photographs[int(rng.integers(len(photographs)))].astype(np.float32), box)


def _lay(picture: Picture, art: Picture, box: np.ndarray) -> None:
    """Lay a picture under four corners."""
    h, w = art.shape[:2]
    source = np.float32([[0, 0], [w, 0], [w, h], [0, h]])
    matrix = cv2.getPerspectiveTransform(source, box)
    size = (picture.shape[1], picture.shape[0])
    reach = np.linalg.norm(box[1] - box[0]) / w
    if reach < 0.5:  # average down first: warping alone would alias
        art = cv2.GaussianBlur(art, (0, 0), 0.4 / max(reach, 0.02))
    cv2.warpPerspective(art, matrix, size, dst=picture, borderMode=cv2.BORDER_TRANSPARENT)
