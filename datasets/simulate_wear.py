"""Cards that have been played with for years: rubbed, creased, stained, nicked, and bent by hands.

The state of a deck comes from a random stream of its own, so that a seed's game, room and camera are
the same with new cards and with old ones.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from datasets.simulate_level import Level
from vision.labels import BACK, CARDS

Image = npt.NDArray[np.uint8]
Floats = npt.NDArray[np.float64]

_DIRT = (120.0, 135.0, 150.0)  # of a white card's edge after a thousand shuffles, BGR
_PAPER = (215.0, 220.0, 225.0)  # where the ink of a printed back has gone
_STAIN = (60.0, 95.0, 140.0)  # coffee
_YELLOWED = np.array([0.12, 0.06, 0.03])  # light lost by blue, green and red in old paper
_CORNER_MM = 26.0  # a turned-up corner is bent along a line this far from it, along both sides
_RELIEF = 1.8  # how strongly a slope towards or away from the lamp shows


@dataclass(frozen=True, slots=True)
class Condition:
    """How one card has fared: `worn` 0 (new) to 1; the arch of its long side and the height of one
    turned-up corner (0 to 3, clockwise), mm; `seed` of its scratches."""

    worn: float = 0.0
    arch: float = 0.0
    lift: float = 0.0
    corner: int = 0
    seed: tuple[int, ...] = (0,)

    @property
    def flat(self) -> bool:
        return self.arch <= 0.0 and self.lift <= 0.0


NEW = Condition()


def conditions(seed: int, level: Level) -> Mapping[str, Condition]:
    """The state of every card of a deck, the back's among them; empty where all are as new."""
    if level.worn[1] <= 0:
        return {}
    rng = np.random.default_rng([seed, 91])
    worn, arch = rng.uniform(*level.worn), rng.uniform(*level.bent)
    found = {}
    for number, label in enumerate((*CARDS, BACK)):
        found[label] = Condition(
            worn=float(min(1.0, worn * rng.uniform(0.4, 1.3))),
            arch=float(arch * rng.uniform(0.0, 1.0)),
            lift=float(arch * rng.uniform(0.5, 1.5)) if rng.random() < level.dog_eared else 0.0,
            corner=int(rng.integers(4)),
            seed=(seed, 92, number),
        )
    return found


def wear(texture: Image, condition: Condition) -> Image:
    """A card's picture, BGRA premultiplied, as it looks after years of play."""
    if condition.worn <= 0:
        return texture
    rng, a = np.random.default_rng(list(condition.seed)), condition.worn
    h, w = texture.shape[:2]
    alpha = texture[..., 3].copy()
    colour = texture[..., :3].astype(np.float32) * (1 - a * _YELLOWED).astype(np.float32)
    bright = float(colour.mean()) > 110
    edge = _PAPER if not bright else _DIRT
    # With a rim of nothing: a small picture of a card may be opaque to its very corners.
    solid = np.pad((alpha > 127).astype(np.uint8), 1)
    inside = cv2.distanceTransform(solid, cv2.DIST_L2, 3)[1:-1, 1:-1]
    grain = cv2.resize(rng.random((h // 3 + 2, w // 3 + 2)).astype(np.float32), (w, h))
    _blend(colour, alpha, 0.6 * a * np.exp(-inside / (0.035 * w)) * grain, edge)
    speckle = cv2.resize(rng.random((h // 2 + 2, w // 2 + 2)).astype(np.float32), (w, h))
    _blend(colour, alpha, 0.5 * a * np.clip(3 * speckle - 2, 0, 1), _PAPER if bright else edge)
    for _ in range(int(rng.poisson(0.7 * a))):
        spot = np.zeros((h, w), np.float32)
        at = (int(rng.integers(w)), int(rng.integers(h)))
        cv2.circle(spot, at, max(2, round(w * rng.uniform(0.08, 0.22))), 1.0, -1)
        _blend(colour, alpha, 0.3 * a * cv2.GaussianBlur(spot, (0, 0), w * 0.03), _STAIN)
    for _ in range(int(rng.poisson(1.2 * a))):
        _crease(colour, alpha, rng, a)
    for _ in range(int(rng.poisson(1.5 * a))):
        _nick(colour, alpha, rng)
    return np.dstack([np.clip(colour, 0, 255).astype(np.uint8), alpha])


def _blend(
    colour: npt.NDArray[np.float32],
    alpha: Image,
    share: npt.NDArray[np.float32],
    ink: tuple[float, float, float],
) -> None:
    """Move premultiplied colours towards an ink by a share (height, width), in place."""
    target = np.array(ink, np.float32) * (alpha[..., None].astype(np.float32) / 255)
    colour += (target - colour) * share[..., None].astype(np.float32)


def _crease(
    colour: npt.NDArray[np.float32], alpha: Image, rng: np.random.Generator, a: float
) -> None:
    """A fold across the card: a dark line with a light one beside it."""
    h, w = alpha.shape
    if rng.random() < 0.6:
        y0, y1 = rng.uniform(0.1, 0.9, 2) * h
        ends = ((0.0, float(y0)), (float(w), float(y1 * 0.4 + y0 * 0.6)))
    else:
        x0, y0 = rng.uniform(0.2, 0.6) * w, rng.uniform(0.15, 0.45) * h
        ends = ((float(x0), 0.0), (0.0, float(y0)))
    for shift, ink in ((0, (90.0, 95.0, 100.0)), (1, (250.0, 250.0, 250.0))):
        line = np.zeros((h, w), np.uint8)
        points = [(round(x * 16), round((y + shift) * 16)) for x, y in ends]
        cv2.line(line, points[0], points[1], 255, 1, cv2.LINE_AA, 4)
        _blend(colour, alpha, (0.25 + 0.3 * a) * line.astype(np.float32) / 255, ink)


def _nick(colour: npt.NDArray[np.float32], alpha: Image, rng: np.random.Generator) -> None:
    """A bit of the edge broken out."""
    h, w = alpha.shape
    side, along = int(rng.integers(4)), float(rng.uniform(0.1, 0.9))
    at = [(along * w, 0), (w - 1, along * h), (along * w, h - 1), (0, along * h)][side]
    hole = np.zeros((h, w), np.uint8)
    cv2.circle(hole, (round(at[0]), round(at[1])), max(1, round(0.018 * h)), 255, -1, cv2.LINE_AA)
    keep = 1 - hole.astype(np.float32) / 255
    colour *= keep[..., None]
    alpha[:] = np.round(alpha * keep).astype(np.uint8)


def bend(
    texture: Image,
    condition: Condition,
    size_mm: tuple[float, float],
    per_mm: Floats,
    to_lamp: Floats,
) -> Image:
    """A picture (with an empty rim for what rises over its outline) of the card as it curls.

    `per_mm` (2,): how far a point of the picture moves, in its own pixels, for each millimetre that
    it lies above the table; `to_lamp` (2,): the lamp's direction across and down the card, per unit
    of its height. `size_mm` is that of the whole picture with its rim.
    """
    h, w = texture.shape[:2]
    mm_x, mm_y = size_mm[0] / w, size_mm[1] / h
    xs, ys = np.meshgrid(np.arange(w, dtype=np.float32), np.arange(h, dtype=np.float32))
    rows, columns = np.flatnonzero(texture[..., 3].any(1)), np.flatnonzero(texture[..., 3].any(0))
    top, bottom, left, right = rows[0], rows[-1], columns[0], columns[-1]
    along = np.clip((ys - top) / max(1, bottom - top), 0, 1)
    height = condition.arch * 4 * along * (1 - along)
    if condition.lift > 0:
        x0 = left if condition.corner in (0, 3) else right
        y0 = top if condition.corner < 2 else bottom
        away = np.abs(xs - x0) * mm_x + np.abs(ys - y0) * mm_y
        height = height + condition.lift * np.clip(1 - away / _CORNER_MM, 0, 1) ** 2
    height = height.astype(np.float32)
    map_x = (xs - height * per_mm[0]).astype(np.float32)
    map_y = (ys - height * per_mm[1]).astype(np.float32)
    out = cv2.remap(texture, map_x, map_y, cv2.INTER_LINEAR)
    slope_y, slope_x = np.gradient(height)
    facing = -(slope_x / mm_x * to_lamp[0] + slope_y / mm_y * to_lamp[1])
    shade = np.clip(1 + _RELIEF * facing, 0.72, 1.12)[..., None]
    out[..., :3] = np.minimum(out[..., :3] * shade, out[..., 3:]).astype(np.uint8)
    return np.asarray(out, np.uint8)
