"""Court stand-ins: double-ended figures put together from coloured shapes, none of them copied."""

from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from datasets.drawn_shapes import Mask, bezier, fit

Canvas = npt.NDArray[np.uint8]
Colour = tuple[int, int, int]
_SHIFT = 4  # fractional bits of cv2's fixed-point coordinates


@dataclass(frozen=True, slots=True)
class CourtStyle:
    """How a deck's courts are drawn: the palette is BGR, the ink its outline."""

    palette: tuple[Colour, ...]
    ink: Colour
    line: int
    skin: Colour
    slope: float
    """Slope of the line that parts the two halves; 0 is level."""
    outline_only: bool
    """Line art with flat tints rather than full patterns."""
    ornate: bool


def random_court_style(rng: np.random.Generator, red: Colour, black: Colour) -> CourtStyle:
    """A palette of three to five inks around the deck's own red and black."""
    pool: list[Colour] = [
        (40, 190, 240), (30, 150, 210), (160, 80, 30), (190, 120, 40), (60, 130, 50),
        (90, 60, 140), (70, 70, 70), (200, 190, 180), (30, 90, 170), (120, 40, 90),
    ]  # fmt: skip
    chosen = [pool[i] for i in rng.choice(len(pool), int(rng.integers(2, 5)), replace=False)]
    ink = black if rng.random() < 0.75 else (90, 40, 20)
    tone = rng.uniform(0.0, 1.0)
    return CourtStyle(
        palette=(red, (40, 190, 240) if rng.random() < 0.7 else chosen[0], *chosen),
        ink=ink,
        line=int(rng.integers(2, 5)),
        skin=(int(180 + 50 * tone), int(205 + 35 * tone), int(232 + 18 * tone)),
        slope=float(rng.uniform(-0.6, 0.6)) if rng.random() < 0.4 else 0.0,
        outline_only=bool(rng.random() < 0.2),
        ornate=bool(rng.random() < 0.5),
    )


class _Painter:
    """Filled, patterned and outlined polygons on a canvas, in units of the canvas width."""

    def __init__(self, canvas: Canvas, style: CourtStyle, rng: np.random.Generator) -> None:
        self.canvas, self.style, self.rng = canvas, style, rng
        self.unit = canvas.shape[1]

    def colour(self) -> Colour:
        return self.style.palette[int(self.rng.integers(len(self.style.palette)))]

    def points(self, shape: list[tuple[float, float]]) -> npt.NDArray[np.int32]:
        return np.round(np.array(shape) * self.unit * 2**_SHIFT).astype(np.int32)

    def shape(
        self, shape: list[tuple[float, float]], colour: Colour, pattern: bool = False
    ) -> None:
        pts = self.points(shape)
        if pattern and not self.style.outline_only:
            self._patterned(pts, colour)
        else:
            cv2.fillPoly(self.canvas, [pts], colour, cv2.LINE_AA, _SHIFT)
        cv2.polylines(
            self.canvas, [pts], True, self.style.ink, self.style.line, cv2.LINE_AA, _SHIFT
        )

    def line(
        self, shape: list[tuple[float, float]], thick: int = 0, ink: Colour | None = None
    ) -> None:
        pts, colour = self.points(shape), ink or self.style.ink
        cv2.polylines(
            self.canvas, [pts], False, colour, thick or self.style.line, cv2.LINE_AA, _SHIFT
        )

    def disc(self, x: float, y: float, r: float, colour: Colour, squash: float = 1.0) -> None:
        a = np.linspace(0, 2 * np.pi, 40)
        self.shape(
            [(x + r * float(np.cos(v)), y + r * squash * float(np.sin(v))) for v in a], colour
        )

    def _patterned(self, pts: npt.NDArray[np.int32], colour: Colour) -> None:
        mask = np.zeros(self.canvas.shape[:2], np.uint8)
        cv2.fillPoly(mask, [pts], 255, cv2.LINE_AA, _SHIFT)
        layer = np.full_like(self.canvas, colour)
        _pattern(layer, self.colour(), self.style.ink, self.rng)
        alpha = mask[..., None].astype(np.float32) / 255
        self.canvas[:] = (self.canvas * (1 - alpha) + layer * alpha).astype(np.uint8)


def _pattern(layer: Canvas, colour: Colour, ink: Colour, rng: np.random.Generator) -> None:
    h, w = layer.shape[:2]
    step = int(rng.integers(w // 22, w // 9))
    kind = int(rng.integers(5))
    if kind == 0:
        for x in range(0, w, step):
            cv2.line(layer, (x, 0), (x, h), colour, step // 2)
    elif kind == 1:
        for y in range(0, h, step):
            cv2.line(layer, (0, y), (w, y), colour, step // 3)
            cv2.line(layer, (0, y + step // 2), (w, y + step // 2), ink, 2)
    elif kind == 2:
        for y in range(0, h + w, step):
            cv2.line(layer, (0, y), (w, y - w), colour, step // 3, cv2.LINE_AA)
            cv2.line(layer, (0, y - w), (w, y), colour, step // 3, cv2.LINE_AA)
    elif kind == 3:
        for j, y in enumerate(range(0, h, step)):
            for x in range((j % 2) * step // 2, w, step):
                cv2.circle(layer, (x, y), max(2, step // 4), colour, -1, cv2.LINE_AA)
    else:
        for y in range(0, h + w, step):
            cv2.line(layer, (0, y), (w, y - w), colour, step // 2, cv2.LINE_AA)
            cv2.line(layer, (0, y + step // 3), (w, y + step // 3 - w), ink, 2, cv2.LINE_AA)


def _body(p: _Painter, middle: float) -> None:
    low = middle + 0.55
    lean = p.rng.uniform(-0.06, 0.06)
    p.shape(
        [(0.18, 0.62), (0.5 + lean, 0.5), (0.86, 0.62), (1.05, low), (-0.05, low)], p.colour(), True
    )
    p.shape([(0.0, low), (0.02, 0.82), (0.2, 0.6), (0.34, 0.72), (0.26, low)], p.colour(), True)
    p.shape([(1.0, low), (0.98, 0.82), (0.82, 0.6), (0.68, 0.72), (0.76, low)], p.colour(), True)
    p.shape([(0.4, 0.56), (0.6, 0.56), (0.57, low), (0.43, low)], p.colour(), True)
    p.shape([(0.32, 0.52), (0.68, 0.52), (0.74, 0.62), (0.5, 0.7), (0.26, 0.62)], p.colour(), True)
    if p.style.ornate:
        for k in range(4):
            p.disc(0.5, 0.72 + 0.09 * k, 0.022, p.colour())


def _head(p: _Painter, rank: str, face: float) -> None:
    hair: Colour = p.style.palette[1] if rank != "K" else (200, 205, 210)
    if p.rng.random() < 0.4:
        hair = (40, 60, 110)
    spread = {"K": 0.17, "Q": 0.19, "J": 0.16}[rank]
    p.shape(
        [(0.5 - spread, 0.28), (0.5 + spread, 0.28), (0.52 + spread, 0.5), (0.4 + spread, 0.53),
         (0.6 - spread, 0.53), (0.48 - spread, 0.5)], hair)  # fmt: skip
    p.disc(0.5, 0.37, 0.115, p.style.skin, 1.25)
    eye = 0.35
    for side in (-1, 1):
        x = 0.5 + side * 0.045 + face
        p.line([(x - 0.025, eye), (x, eye - 0.01), (x + 0.025, eye)])
        cv2.circle(
            p.canvas, (int(x * p.unit), int((eye + 0.008) * p.unit)), p.style.line, p.style.ink, -1
        )
    p.line([(0.5 + face, 0.36), (0.49 + face * 1.5, 0.41), (0.51 + face, 0.415)])
    p.line([(0.47 + face, 0.45), (0.5 + face, 0.455), (0.53 + face, 0.45)], ink=(50, 50, 190))
    if rank == "K":
        p.shape(
            [
                (0.4, 0.43),
                (0.46, 0.475),
                (0.54, 0.475),
                (0.6, 0.43),
                (0.58, 0.56),
                (0.5, 0.6),
                (0.42, 0.56),
            ],
            hair,
        )


def _headgear(p: _Painter, rank: str) -> None:
    main, trim = p.colour(), p.colour()
    if rank == "K":
        points: list[tuple[float, float]] = [(0.33, 0.27)]
        spikes = int(p.rng.integers(3, 6))
        for k in range(spikes):
            x = 0.31 + 0.38 * k / (spikes - 1)
            points += [(x, 0.06), (x + 0.19 / (spikes - 1), 0.16)]
        p.shape([*points[:-1], (0.67, 0.27)], main)
        p.shape([(0.33, 0.22), (0.67, 0.22), (0.66, 0.28), (0.34, 0.28)], trim)
    elif rank == "Q":
        arch = bezier((0.36, 0.28), (0.34, 0.08), (0.66, 0.08), (0.64, 0.28))
        p.shape([(0.36, 0.28), *arch], main, p.style.ornate)
        for k in range(5):
            p.disc(0.37 + 0.065 * k, 0.2 - 0.05 * (1 - abs(k - 2) / 2), 0.022, trim)
        p.shape([(0.36, 0.25), (0.64, 0.25), (0.63, 0.29), (0.37, 0.29)], trim)
    else:
        p.shape(
            [(0.3, 0.26), (0.36, 0.13), (0.62, 0.11), (0.72, 0.22), (0.68, 0.28)],
            main,
            p.style.ornate,
        )
        p.shape([(0.3, 0.25), (0.7, 0.25), (0.7, 0.29), (0.3, 0.29)], trim)
        if p.rng.random() < 0.7:
            feather = bezier((0.64, 0.2), (0.72, 0.02), (0.9, 0.05), (0.86, 0.2))
            p.shape([(0.64, 0.2), *feather], p.colour())


def _attribute(p: _Painter, rank: str) -> None:
    side = 0.1 if p.rng.random() < 0.5 else 0.9
    lean = p.rng.uniform(-0.05, 0.05)
    if rank == "Q":
        p.line([(side, 0.8), (side + lean, 0.42)], p.style.line + 2, (60, 120, 50))
        for k in range(6):
            a = k * np.pi / 3
            p.disc(
                side + lean + 0.035 * float(np.cos(a)),
                0.42 + 0.035 * float(np.sin(a)),
                0.03,
                p.colour(),
            )
        p.disc(side + lean, 0.42, 0.02, (40, 190, 240))
    elif rank == "K":
        p.shape(
            [
                (side - 0.02, 0.78),
                (side - 0.02 + lean, 0.2),
                (side + lean, 0.14),
                (side + 0.02 + lean, 0.2),
                (side + 0.02, 0.78),
            ],
            (215, 205, 195),
        )
        p.shape(
            [(side - 0.09, 0.74), (side + 0.09, 0.74), (side + 0.09, 0.78), (side - 0.09, 0.78)],
            p.colour(),
        )
    else:
        p.line([(side, 1.0), (side + lean, 0.2)], p.style.line + 4, (40, 80, 130))
        p.shape(
            [
                (side + lean, 0.12),
                (side + lean + 0.06, 0.26),
                (side + lean, 0.34),
                (side + lean - 0.06, 0.26),
            ],
            (210, 200, 190),
        )
    p.disc(side, 0.8, 0.05, p.style.skin)


def court(
    size: tuple[int, int],
    paper: Colour,
    rank: str,
    style: CourtStyle,
    pip: Mask,
    ink: Colour,
    rng: np.random.Generator,
    aside: float = 0.0,
) -> Canvas:
    """The inside of a court's frame: (height, width, 3) for `size` = (width, height).

    `rank` is K, Q or J in the project's letters; `pip` the suit's mask, set in the upper left of
    each half in the colour `ink`, `aside` pixels further in where a large index is in the way.
    """
    w, h = size
    canvas = np.full((h, w, 3), paper, np.uint8)
    p = _Painter(canvas, style, rng)
    _attribute(p, rank)
    _body(p, h / w / 2)
    _head(p, rank, float(rng.uniform(-0.02, 0.02)))
    _headgear(p, rank)
    xs, ys = np.meshgrid(np.arange(w) - w / 2, np.arange(h) - h / 2)
    upper = (ys < style.slope * xs)[..., None]
    both = np.where(upper, canvas, canvas[::-1, ::-1]).astype(np.uint8)
    edge = style.slope * w / 2
    ends = [(0, round(h / 2 - edge)), (w, round(h / 2 + edge))]
    cv2.line(both, ends[0], ends[1], style.ink, style.line + 1, cv2.LINE_AA)
    mask = fit(pip, w * float(rng.uniform(0.2, 0.28)))
    stamp(both, mask, (0.03 * w + aside + mask.shape[1] / 2, 0.03 * w + mask.shape[0] / 2), ink)
    stamp(
        both,
        mask,
        (0.97 * w - aside - mask.shape[1] / 2, h - 0.03 * w - mask.shape[0] / 2),
        ink,
        True,
    )
    return both


def stamp(
    canvas: Canvas, mask: Mask, centre: tuple[float, float], colour: Colour, turned: bool = False
) -> None:
    """Print a mask in one colour with its centre there, upside down if `turned`; clips."""
    if turned:
        mask = mask[::-1, ::-1]
    h, w = mask.shape
    x, y = round(centre[0] - w / 2), round(centre[1] - h / 2)
    x0, y0, x1, y1 = max(x, 0), max(y, 0), min(x + w, canvas.shape[1]), min(y + h, canvas.shape[0])
    if x0 >= x1 or y0 >= y1:
        return
    alpha = mask[y0 - y : y1 - y, x0 - x : x1 - x, None].astype(np.float32) / 255
    part = canvas[y0:y1, x0:x1]
    part[:] = (part * (1 - alpha) + np.array(colour, np.float32) * alpha + 0.5).astype(np.uint8)
