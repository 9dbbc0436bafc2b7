"""Backs that no package prints: a paper margin, a frame, and a pattern that looks the same upside down.

Decks differ most in their backs, and a finder that knows few takes the pattern of a new one for a face.
"""

from collections.abc import Callable

import cv2
import numpy as np

from datasets.art import Rgba
from datasets.photo import Picture, Rng
from vision.types import Image

PAPER_MEAN, PAPER_SPREAD = 240.0, 10.0
MARGINS, NO_MARGIN = (0.02, 0.12), 0.25
"""A printed margin as a part of the width, and how often the pattern runs to the edge instead."""

Field = np.ndarray


def made_back(rng: Rng, like: Rgba, photographs: Image) -> Rgba:
    """A back with the outline of the face `like` (height, width, 4), of a deck of its own."""
    height, width = like.shape[:2]
    paper = np.clip(rng.normal(PAPER_MEAN, PAPER_SPREAD) + rng.normal(0, 4, 3), 0, 255)
    inks = [_ink(rng) for _ in range(2)]
    light = paper if rng.random() < 0.7 else np.clip(inks[0] + rng.normal(0, 70, 3), 0, 255)
    back = np.empty((height, width, 3), np.float32)
    back[:] = paper
    margin = 0 if rng.random() < NO_MARGIN else max(1, round(width * rng.uniform(*MARGINS)))
    inner = back[margin : height - margin, margin : width - margin]
    inner[:] = _filled(rng, inner.shape[0], inner.shape[1], (inks[0], light, inks[1]), photographs)
    if rng.random() < 0.5:
        _frame(rng, back, margin, inks[1])
    return np.dstack([np.clip(back, 0, 255).astype(np.uint8), like[..., 3]])


def _ink(rng: Rng) -> np.ndarray:
    """A printer's colour, mostly a strong one."""
    hue, strength, value = int(rng.integers(180)), int(rng.integers(90, 256)), rng.integers(40, 230)
    if rng.random() < 0.15:
        strength = 0
    pixel = np.uint8([[[hue, strength, value]]])
    return np.asarray(cv2.cvtColor(pixel, cv2.COLOR_HSV2BGR)[0, 0], np.float32)


def _filled(
    rng: Rng,
    height: int,
    width: int,
    inks: tuple[np.ndarray, np.ndarray, np.ndarray],
    photos: Image,
) -> Picture:
    """The pattern: ground, figure and a medallion or two in three colours, or a printed picture."""
    if len(photos) and rng.random() < 0.15:
        photo = photos[int(rng.integers(len(photos)))]
        picture = cv2.resize(photo, (width, height)).astype(np.float32)
    else:
        ink, light, other = inks
        figure = _PATTERNS[int(rng.integers(len(_PATTERNS)))](rng, height, width)[..., None]
        picture = ink + (light - ink) * figure.astype(np.float32)
        if rng.random() < 0.3:
            second = _PATTERNS[int(rng.integers(len(_PATTERNS)))](rng, height, width)[..., None]
            picture = np.where(second, other * (1 - figure) + picture * figure, picture)
    if rng.random() < 0.35:
        _medallion(rng, picture, inks)
    if rng.random() < 0.75:  # a back looks the same either way up
        picture = picture.copy()
        picture[height - height // 2 :] = picture[: height // 2][::-1, ::-1]
    return np.asarray(picture, np.float32)


def _grid(rng: Rng, height: int, width: int, turned: bool) -> tuple[Field, Field]:
    """Two coordinates in periods of a pattern, along the sides or across them."""
    y, x = np.mgrid[0:height, 0:width].astype(np.float32)
    period = width * rng.uniform(0.05, 0.4)
    stretch = rng.choice([1.0, rng.uniform(0.6, 1.6)])
    u, v = (x - width / 2) / period, (y - height / 2) / period / stretch
    return ((u + v) / 2**0.5, (u - v) / 2**0.5) if turned else (u, v)


def _chequers(rng: Rng, height: int, width: int) -> Field:
    u, v = _grid(rng, height, width, bool(rng.random() < 0.6))
    return (np.floor(u) + np.floor(v)) % 2 == 0


def _lattice(rng: Rng, height: int, width: int) -> Field:
    u, v = _grid(rng, height, width, bool(rng.random() < 0.7))
    thick = rng.uniform(0.1, 0.4)
    return ((u % 1) < thick) | ((v % 1) < thick)


def _dots(rng: Rng, height: int, width: int) -> Field:
    u, v = _grid(rng, height, width, bool(rng.random() < 0.5))
    far = np.hypot((u % 1) - 0.5, (v % 1) - 0.5)
    size = rng.uniform(0.15, 0.45)
    return (far < size) & (far > size * rng.choice([0.0, rng.uniform(0.3, 0.8)]))


def _stars(rng: Rng, height: int, width: int) -> Field:
    """Blossoms, crosses, diamonds and drops in rows, every other one upside down now and then."""
    u, v = _grid(rng, height, width, bool(rng.random() < 0.3))
    du, dv = (u % 1) - 0.5, (v % 1) - 0.5
    around, far = np.arctan2(dv, du), np.hypot(du, dv)
    petals, depth = int(rng.integers(1, 9)), rng.uniform(0.1, 0.7)
    return far < rng.uniform(0.2, 0.45) * (1 + depth * np.cos(petals * around)) / (1 + depth)


def _waves(rng: Rng, height: int, width: int) -> Field:
    u, v = _grid(rng, height, width, bool(rng.random() < 0.3))
    return ((v + rng.uniform(0.1, 0.6) * np.sin(u * 2 * np.pi * rng.uniform(0.3, 1))) % 1) < 0.5


def _rosettes(rng: Rng, height: int, width: int) -> Field:
    """Rays and rings about the middle, or about two middles."""
    y, x = np.mgrid[0:height, 0:width].astype(np.float32)
    middle = height * rng.choice([0.5, rng.uniform(0.2, 0.35)])
    around, far = np.arctan2(y - middle, x - width / 2), np.hypot(y - middle, x - width / 2) / width
    rays = np.cos(int(rng.integers(3, 40)) * around)
    rings = np.cos(far * 2 * np.pi * rng.uniform(1, 12) + rng.uniform(0, 2) * rays)
    return rings + rng.choice([0.0, 1.0]) * rays > rng.uniform(-0.4, 0.4)


def _scrolls(rng: Rng, height: int, width: int) -> Field:
    """Curls: the level lines of a sum of a few waves, mirrored left and right."""
    y, x = np.mgrid[0:height, 0:width].astype(np.float32) / width
    x = np.abs(x - 0.5)
    total = np.zeros((height, width), np.float32)
    for _ in range(5):
        a, b, phase = *rng.normal(0, 18, 2), rng.uniform(0, 7)
        total += np.sin(a * x + b * y + phase).astype(np.float32)
    return np.sin(total * rng.uniform(1, 4)) > rng.uniform(-0.5, 0.5)


_PATTERNS: tuple[Callable[[Rng, int, int], Field], ...] = (
    _chequers, _lattice, _dots, _stars, _waves, _rosettes, _scrolls,
)  # fmt: skip


def _medallion(rng: Rng, picture: Picture, inks: tuple[np.ndarray, np.ndarray, np.ndarray]) -> None:
    """An oval, a shield or a band with a word-like mark in the middle."""
    height, width = picture.shape[:2]
    middle, reach = (width // 2, height // 2), rng.uniform(0.12, 0.4) * width
    axes = (int(reach) + 1, int(reach * rng.uniform(0.6, 1.6)) + 1)
    for k, part in enumerate((1.0, rng.uniform(0.6, 0.92), rng.uniform(0.2, 0.55))):
        shade = tuple(float(c) for c in inks[(k + 1) % 3])
        size = (max(1, int(axes[0] * part)), max(1, int(axes[1] * part)))
        cv2.ellipse(picture, middle, size, 0, 0, 360, shade, -1, cv2.LINE_AA)


def _frame(rng: Rng, back: Picture, margin: int, ink: np.ndarray) -> None:
    """One or two lines round the pattern."""
    height, width = back.shape[:2]
    shade = tuple(float(c) for c in ink)
    for _ in range(int(rng.integers(1, 3))):
        inset = margin + int(rng.integers(0, max(2, width // 12)))
        end = (width - 1 - inset, height - 1 - inset)
        cv2.rectangle(back, (inset, inset), end, shade, int(rng.integers(1, 5)), cv2.LINE_AA)
