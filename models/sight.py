"""Two ways to see a table, so that both can be measured alike: finder and reader, or one network for all.

The product uses the two stages; the one stage exists to keep that choice one of evidence.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from vision.any_size import any_size
from vision.boxes import Rows, distinct_rows, figures, quad_of_row, whole_cards
from vision.doubtful import by_reading
from vision.finder import Finder, proposed
from vision.labels import LABELS
from vision.network import Network
from vision.photograph import look
from vision.reader import Reader
from vision.types import Image, Quad, Reading, Window
from vision.weights import Weights

ONE_STAGE_LENGTH = 140.0
"""Pixels: one network must read a card where it finds it, so it is shown cards half as large again as the
finder is (`vision.any_size.BEST_LENGTH`)."""


@dataclass(frozen=True, slots=True)
class Seen:
    """A card seen in a picture: where, as which of `vision.labels.LABELS`, and how surely (0-1)."""

    quad: Quad
    label: str
    p: float


class Sight(Protocol):
    """Sees cards in pictures."""

    def see(self, image: Image) -> list[Seen]:
        """All cards of a BGR photograph of any size."""
        ...

    def read(self, image: Image, quads: Sequence[Quad]) -> list[Reading]:
        """The cards under given quads; nothing where it can read only what it finds itself."""
        ...


class TwoStages:
    """The product's way, as `sueca read` does it."""

    def __init__(self, finder: Finder, reader: Reader) -> None:
        self.finder, self.reader = finder, reader

    def see(self, image: Image) -> list[Seen]:
        return [
            _seen(found.quad, reading) for found, reading in look(image, self.finder, self.reader)
        ]

    def read(self, image: Image, quads: Sequence[Quad]) -> list[Reading]:
        return self.reader.read(image, quads)


class Live(TwoStages):
    """A single frame of a game, looked at in a part of it: found and read once, as `vision.pipeline` does."""

    def __init__(self, finder: Finder, reader: Reader, window: Window) -> None:
        super().__init__(finder, reader)
        self.window = window

    def see(self, image: Image) -> list[Seen]:
        found = self.finder.find_live(image, self.window)
        readings = self.reader.read(image, [one.quad for one in found])
        return [_seen(found[i].quad, readings[i]) for i in by_reading(found, readings)]


def _seen(quad: Quad, reading: Reading) -> Seen:
    return Seen(quad, reading.best, math.exp(max(reading.log_probs)))


class OneStage:
    """A finder with a class for each label (`sueca models train one-stage`)."""

    def __init__(self, weights: Weights) -> None:
        self.weights = weights
        self._network = Network(weights.model, outputs=figures(len(LABELS)))

    def see(self, image: Image) -> list[Seen]:
        return [
            Seen(quad_of_row(row), LABELS[int(row[6])], float(row[5]))
            for row in whole_cards(any_size(self._look, image, ONE_STAGE_LENGTH).rows)
        ]

    def read(self, image: Image, quads: Sequence[Quad]) -> list[Reading]:
        return []

    def _look(self, image: Image, side: int) -> Rows:
        return distinct_rows(proposed(self._network, image, side, self.weights.threshold))
