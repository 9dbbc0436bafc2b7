"""Suit pips and index letters as masks, from parametric outlines of our own.

A mask is a (height, width) uint8 array, 255 inside, anti-aliased, cropped to its shape.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

Mask = npt.NDArray[np.uint8]
Vec = tuple[float, float]

_PIP_PX = 420
_GLYPH_PX = 300


def bezier(p0: Vec, c0: Vec, c1: Vec, p1: Vec, n: int = 24) -> list[Vec]:
    """`n` points of a cubic Bezier curve, its end included and its start left out."""
    t = np.linspace(0.0, 1.0, n + 1)[1:, None]
    a, b, c, d = (np.array(p, float) for p in (p0, c0, c1, p1))
    pts = (1 - t) ** 3 * a + 3 * (1 - t) ** 2 * t * b + 3 * (1 - t) * t**2 * c + t**3 * d
    return [(float(x), float(y)) for x, y in pts]


def _ellipse(
    cx: float, cy: float, rx: float, ry: float, start: float = 0, stop: float = 360
) -> list[Vec]:
    a = np.radians(np.linspace(start, stop, 64))
    return [(float(cx + rx * np.cos(v)), float(cy + ry * np.sin(v))) for v in a]


def _mirrored(half: list[Vec]) -> list[Vec]:
    return half + [(-x, y) for x, y in reversed(half)]


@dataclass(frozen=True, slots=True)
class PipShape:
    """What makes one printer's pips differ from another's. All near 0 to 1, see `random`."""

    plump: float
    """How round the lobes of heart and spade are."""
    waist: float
    """How far the sides of heart and spade curve in towards the point."""
    cleft: float
    """How deep the heart's cleft is."""
    diamond_curve: float
    """How concave the diamond's sides are (0 straight)."""
    diamond_width: float
    club_radius: float
    club_spread: float
    stem: float
    """How wide the foot of spade and club is."""
    aspect: float
    """Width over height common to all."""

    @staticmethod
    def random(rng: np.random.Generator) -> "PipShape":
        u = rng.uniform
        return PipShape(
            plump=u(0.0, 1.0),
            waist=u(0.0, 1.0),
            cleft=u(0.15, 0.5),
            diamond_curve=u(0.0, 0.3) if rng.random() < 0.75 else 0.0,
            diamond_width=u(0.70, 0.92),
            club_radius=u(0.44, 0.52),
            club_spread=u(0.46, 0.54),
            stem=u(0.24, 0.5),
            aspect=u(0.84, 1.02),
        )


def _heart_half(s: PipShape) -> list[Vec]:
    """Right half from the point at the bottom (0, 1) up to the cleft."""
    wide = -0.42 - 0.1 * s.plump
    side = bezier(
        (0, 1), (0.12 + 0.25 * (1 - s.waist), 0.62), (1.0, 0.28 - 0.25 * s.waist), (1.0, wide)
    )
    over = bezier((1.0, wide), (1.0, -0.85 - 0.1 * s.plump), (0.72, -1.0), (0.5, -1.0))
    down = bezier((0.5, -1.0), (0.28, -1.0), (0.06, -0.92 + 0.2 * s.cleft), (0, -1 + s.cleft))
    return [(0.0, 1.0), *side, *over, *down]


def _stem(s: PipShape, top: float) -> list[Vec]:
    foot = bezier((0.05, top), (0.07, 0.7), (s.stem * 0.5, 0.93), (s.stem, 1.0))
    return _mirrored([(0.05, top), *foot, (0.0, 1.0)])


def _outlines(suit: str, s: PipShape) -> tuple[list[list[Vec]], float]:
    """Polygons whose union is the pip, and its width over height."""
    if suit == "H":
        return [_mirrored(_heart_half(s))], s.aspect
    if suit == "D":
        k = s.diamond_curve
        quarter = bezier((0, -1), (0.28 - 0.4 * k, -0.55), (0.72 - 0.9 * k, -0.2), (1, 0))
        lower = [(x, -y) for x, y in reversed(quarter[:-1])]
        return [_mirrored([(0.0, -1.0), *quarter, *lower, (0.0, 1.0)])], s.diamond_width * s.aspect
    if suit == "S":
        lobes = [(x, -y * 0.86 - 0.14) for x, y in _heart_half(s)]
        return [_mirrored(lobes), _stem(s, 0.3)], s.aspect
    r, d = s.club_radius, s.club_spread
    discs = [_ellipse(0, -1 + r, r, r), _ellipse(d, 0.16, r, r), _ellipse(-d, 0.16, r, r)]
    return [*discs, _ellipse(0, 0.0, 0.2, 0.26), _stem(s, 0.1)], 1.04 * s.aspect


def pip_mask(suit: str, shape: PipShape) -> Mask:
    """A large mask of the suit's pip, upright. `suit` is one of S H D C."""
    polygons, aspect = _outlines(suit, shape)
    every = np.concatenate([np.array(p) for p in polygons])
    low, high = every.min(0), every.max(0)
    big = np.array([_PIP_PX * aspect, _PIP_PX]) * 2
    canvas = np.zeros((round(big[1]), round(big[0])), np.uint8)
    for polygon in polygons:
        points = (np.array(polygon) - low) / (high - low) * (big - 1)
        cv2.fillPoly(canvas, [np.round(points).astype(np.int32)], 255)
    return fit(canvas, _PIP_PX)


def fit(mask: Mask, height: float, width: float | None = None) -> Mask:
    """The mask scaled to a height (and width, else in proportion), in pixels."""
    h, w = mask.shape
    size = (max(1, round(width or w * height / h)), max(1, round(height)))
    return cv2.resize(mask, size, interpolation=cv2.INTER_AREA).astype(np.uint8)


@dataclass(frozen=True, slots=True)
class FontShape:
    """A letter form: strokes of these skeletons drawn with a pen. Fractions of cap height."""

    width: float
    pen_x: float
    """Thickness of vertical strokes."""
    pen_y: float
    """Thickness of horizontal strokes."""
    round_pen: bool
    serif: float
    """Half length of the serifs, 0 for none."""
    slant: float
    crossed_seven: bool
    flat_three: bool
    open_four: bool

    @staticmethod
    def random(rng: np.random.Generator) -> "FontShape":
        u = rng.uniform
        pen = u(0.11, 0.22)
        serif = float(rng.random() < 0.5)
        return FontShape(
            width=u(0.48, 0.8),
            pen_x=pen,
            pen_y=pen * (u(0.3, 0.7) if serif and rng.random() < 0.7 else u(0.8, 1.0)),
            round_pen=bool(rng.random() < 0.35),
            serif=serif * u(0.09, 0.17),
            slant=u(0.0, 0.18) if rng.random() < 0.12 else 0.0,
            crossed_seven=bool(rng.random() < 0.12),
            flat_three=bool(rng.random() < 0.25),
            open_four=bool(rng.random() < 0.1),
        )


Strokes = list[Sequence[Vec]]


def _letter(char: str) -> tuple[Strokes, list[Vec]]:
    """Skeleton of a letter in the unit square (y down) and the ends that take serifs."""
    if char == "A":
        return [[(0, 1), (0.5, 0), (1, 1)], [(0.2, 0.66), (0.8, 0.66)]], [(0, 1), (1, 1)]
    if char == "K":
        arm, leg = [(0.95, 0), (0, 0.62)], [(0.32, 0.42), (1, 1)]
        return [[(0, 0), (0, 1)], arm, leg], [(0, 0), (0, 1), (0.95, 0), (1, 1)]
    if char == "Q":
        return [_ellipse(0.5, 0.5, 0.5, 0.5), [(0.52, 0.7), (1.0, 1.06)]], []
    if char == "J":
        hook = bezier((0.8, 0.68), (0.8, 1.12), (0.0, 1.12), (0.0, 0.7))
        return [[(0.8, 0), (0.8, 0.68), *hook]], [(0.8, 0)]
    if char == "V":
        return [[(0, 0), (0.5, 1), (1, 0)]], [(0, 0), (1, 0)]
    if char == "D":
        bow = bezier((0.35, 0), (1.2, 0.02), (1.2, 0.98), (0.35, 1))
        return [[(0, 0), (0.35, 0), *bow, (0, 1), (0, 0)]], [(0, 0), (0, 1)]
    upper = bezier((0.5, 0), (1.05, 0), (1.05, 0.52), (0.5, 0.52))
    if char == "R":
        return [[(0, 1), (0, 0), (0.5, 0), *upper, (0, 0.52)], [(0.42, 0.52), (1, 1)]], [
            (0, 0),
            (0, 1),
            (1, 1),
        ]
    lower = bezier((0.5, 0.5), (1.15, 0.5), (1.15, 1), (0.5, 1))
    return [[(0, 1), (0, 0), (0.5, 0), *upper, (0, 0.5)], [(0.5, 0.5), *lower, (0, 1)]], [
        (0, 0),
        (0, 1),
    ]


def _digit(char: str, font: FontShape) -> tuple[Strokes, list[Vec]]:
    bowl = _ellipse(0.5, 0.67, 0.5, 0.33)
    tail = bezier((0.0, 0.67), (0.0, 0.3), (0.3, 0.02), (0.85, 0.0))
    if char == "0":
        return [_ellipse(0.5, 0.5, 0.5, 0.5)], []
    if char == "1":
        return [[(0.15, 0.22), (0.55, 0), (0.55, 1)]], [(0.55, 1)]
    if char == "2":
        head = _ellipse(0.5, 0.29, 0.45, 0.29, 190, 360)
        down = bezier((0.95, 0.29), (0.95, 0.6), (0.2, 0.75), (0, 1))
        return [[*head, *down, (1, 1)]], []
    if char == "3":
        last = _ellipse(0.47, 0.7, 0.5, 0.3, -90, 165)
        if font.flat_three:
            return [[(0.05, 0), (0.92, 0), (0.42, 0.4), *last]], []
        return [[*_ellipse(0.47, 0.22, 0.42, 0.22, 195, 450), *last]], []
    if char == "4":
        if font.open_four:
            return [[(0.2, 0), (0.05, 0.62), (1, 0.62)], [(0.75, 0.3), (0.75, 1)]], []
        return [[(0.72, 1), (0.72, 0), (0, 0.7), (1, 0.7)]], [(0.72, 1)]
    if char == "5":
        belly = _ellipse(0.45, 0.67, 0.52, 0.33, -140, 155)
        return [[(0.9, 0), (0.14, 0), (0.06, 0.46), *belly]], []
    if char == "6":
        return [bowl, tail], []
    if char == "7":
        bar = [[(0.3, 0.5), (0.85, 0.5)]] if font.crossed_seven else []
        drop: Strokes = [[(0, 0), (0, 0.14)]] if font.serif else []
        return [[(0, 0), (1, 0), (0.35, 1)], *bar, *drop], []
    if char == "8":
        return [_ellipse(0.5, 0.235, 0.42, 0.235), _ellipse(0.5, 0.735, 0.5, 0.265)], []
    return [[(1 - x, 1 - y) for x, y in bowl], [(1 - x, 1 - y) for x, y in tail]], []


def _pen(x: float, y: float, rounded: bool) -> Mask:
    shape = cv2.MORPH_ELLIPSE if rounded else cv2.MORPH_RECT
    size = (max(1, round(x * _GLYPH_PX)), max(1, round(y * _GLYPH_PX)))
    return cv2.getStructuringElement(shape, size).astype(np.uint8)


def _glyph(char: str, font: FontShape) -> Mask:
    strokes, ends = _digit(char, font) if char.isdigit() else _letter(char)
    w, h = font.width * _GLYPH_PX, (1 - font.pen_y) * _GLYPH_PX
    pad = _GLYPH_PX // 2
    if char == "1":
        w *= 0.75
    canvas = np.zeros((_GLYPH_PX + 2 * pad, round(w) + 2 * pad + _GLYPH_PX // 4), np.uint8)
    serifs = np.zeros_like(canvas)

    def place(points: Sequence[Vec]) -> npt.NDArray[np.int32]:
        xy = np.array(points, float) * (w, h)
        xy[:, 0] += font.slant * (h - xy[:, 1])
        return np.round(xy + pad).astype(np.int32)

    for stroke in strokes:
        cv2.polylines(canvas, [place(stroke)], False, 255, 2)
    canvas = cv2.dilate(canvas, _pen(font.pen_x, font.pen_y, font.round_pen))
    if font.serif:
        for x, y in ends:
            a, b = place([(x, y)])[0]
            half = round((font.serif + font.pen_x / 2) * _GLYPH_PX)
            cv2.line(serifs, (int(a) - half, int(b)), (int(a) + half, int(b)), 255, 2)
        slab = font.pen_y if font.pen_y < font.pen_x * 0.7 else font.pen_y * 0.6
        canvas = np.maximum(canvas, cv2.dilate(serifs, _pen(0.02, slab, False)))
    return _crop(cv2.GaussianBlur(canvas, (5, 5), 0).astype(np.uint8))


def _crop(mask: Mask) -> Mask:
    ys, xs = np.nonzero(mask > 40)
    return mask[ys.min() : ys.max() + 1, xs.min() : xs.max() + 1]


def index_mask(text: str, font: FontShape) -> Mask:
    """A large mask of an index such as `A`, `R` or `10`, cropped; tens are set tight."""
    glyphs = [_glyph(char, font) for char in text]
    if len(glyphs) == 1:
        return glyphs[0]
    height = max(g.shape[0] for g in glyphs)
    gap = np.zeros((height, round(0.07 * _GLYPH_PX)), np.uint8)
    parts: list[Mask] = []
    for g in glyphs:
        narrow = fit(g, height, g.shape[1] * 0.72)
        parts += [narrow, gap]
    return np.hstack(parts[:-1]).astype(np.uint8)
