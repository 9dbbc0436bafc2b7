"""Photographs of a deck whose cards are grey rectangles, and models that read the greys."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import cast

import numpy as np

from vision.crop import CROP_HEIGHT, CROP_WIDTH
from vision.finder import Finder
from vision.labels import INDEX, LABELS, OTHER
from vision.reader import Reader
from vision.types import Detection, Image

WIDTH, HEIGHT, GAP, COLUMNS = 60, 90, 20, 10
FIRST_GREY, STEP = 20, 5

STRANGER = OTHER
"""An 8, a 9, a 10 or a joker among the cards."""


def grey(label: str) -> int:
    return FIRST_GREY + STEP * INDEX[label]


def photograph(*cards: str) -> Image:
    """(height, width, 3): the cards in rows on black, upright."""
    rows = max(1, -(-len(cards) // COLUMNS))
    image = np.zeros((GAP + rows * (HEIGHT + GAP), GAP + COLUMNS * (WIDTH + GAP), 3), np.uint8)
    for n, card in enumerate(cards):
        x, y = _corner(n)
        image[y : y + HEIGHT, x : x + WIDTH] = grey(card)
    return image


def _corner(n: int) -> tuple[int, int]:
    return GAP + n % COLUMNS * (WIDTH + GAP), GAP + n // COLUMNS * (HEIGHT + GAP)


def crop_of(card: str) -> Image:
    return np.full((CROP_HEIGHT, CROP_WIDTH, 3), grey(card), np.uint8)


class GreyFinder:
    """Finds the rectangles of `photograph`, whatever size the picture has been brought to."""

    def find_any_size(self, image: Image) -> list[Detection]:
        scale = image.shape[1] / (GAP + COLUMNS * (WIDTH + GAP))
        found = []
        for n in range(60):
            x, y = (v * scale for v in _corner(n))
            w, h = WIDTH * scale, HEIGHT * scale
            middle = image[round(y + h / 2) : round(y + h / 2) + 1, round(x + w / 2)]
            if middle.size and middle.mean() > FIRST_GREY / 2:
                quad = ((x, y), (x + w, y), (x + w, y + h), (x, y + h))
                found.append(Detection(quad, 0.9, "up"))
        return found


@dataclass(frozen=True, slots=True)
class _Version:
    version: str = "greys-1"


@dataclass(slots=True)
class GreyReader:
    """Reads the grey in the middle of a crop, surely, but for what it is told to mistake.

    `mistakes`: of a card, the card it is taken for and how likely (the rest is the right one's).
    """

    mistakes: Mapping[str, tuple[str, float]] = field(default_factory=dict)
    weights: _Version = _Version()
    profile: object = None

    def look(self, crops: Sequence[Image]) -> tuple[np.ndarray, np.ndarray]:
        p = np.full((len(crops), len(LABELS)), 1e-5, np.float32)
        features = np.zeros((len(crops), len(LABELS)), np.float32)
        for row, crop in enumerate(crops):
            shade = float(np.median(crop[60:84, 40:56]))
            label = LABELS[int(np.clip(round((shade - FIRST_GREY) / STEP), 0, len(LABELS) - 1))]
            wrong, part = self.mistakes.get(label, (label, 0.0))
            p[row, INDEX[label]] = 0.97 * (1 - part)
            p[row, INDEX[wrong]] += 0.97 * part
            features[row, INDEX[label]] = 1
        return np.log(p / p.sum(axis=1, keepdims=True)), features


def finder() -> Finder:
    return cast(Finder, GreyFinder())


def reader(mistakes: Mapping[str, tuple[str, float]] | None = None) -> Reader:
    return cast(Reader, GreyReader(mistakes or {}))
