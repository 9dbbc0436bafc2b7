"""The reader: which card lies under a quad, as a probability for each label."""

import math
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from vision.crop import both_ways_up, rectify
from vision.geometry import begun, side_lengths
from vision.labels import CARDS, LABELS
from vision.network import Array, Network
from vision.profile import DeckProfile
from vision.types import Image, Quad, Reading
from vision.weights import Weights, load_weights

TURNS = (0.0, -7.0, 7.0, -14.0, 14.0)
"""Degrees. On shared/real/train reading under the best of these turns is right for 93 cards in 100, where
reading under the finder's own box is for 87 (first weights)."""


SQUARE = 1.3
"""A box whose longer sides are shorter than so many times the others may be cut along the wrong ones: it
takes in what shows of a half covered card, or a card seen steeply. Cards themselves are 1.4 to 1.6."""

LOG_SURE = math.log(0.9)
"""A card read less surely than this is looked at along the other sides too, whatever its shape: the box may
run round a strip of it. Chosen on `shared/real/train` (782 found cards: 0.977 to 0.981 right, mean negative
log-likelihood 0.091 to 0.066; 3 looks in 100 more) and on made scenes, where it makes no difference."""

AT_ONCE = 40
"""Crops that go through the network together. More are no faster, and the memory grows with them: 3,000
at once, a carpet of 600 cards under five turns, took 6 GB."""


class Reader:
    """Reads cards. One instance a thread."""

    def __init__(self, weights: Weights | None = None, profile: DeckProfile | None = None) -> None:
        """Load and check the weights; raises `UserError` if they are missing or altered.

        With a `profile` the cards of that deck are read by their likeness to it too; it may be set to
        another deck's at any time.
        """
        self.weights = weights or load_weights("reader")
        self.profile = profile
        self._network = Network(self.weights.model, 2, (len(LABELS), None))

    @classmethod
    def from_folder(cls, folder: Path) -> "Reader":
        return cls(load_weights("reader", folder))

    def read(self, image: Image, quads: Sequence[Quad]) -> list[Reading]:
        """One reading a quad, in order; `image` is the full-resolution BGR frame.

        A quad that is nearly square, or not surely read, is read along its other sides too, and what looks
        more like one of the 40 counts.
        """
        readings = self.read_crops([rectify(image, quad) for quad in quads])
        again = [
            i
            for i, (quad, reading) in enumerate(zip(quads, readings, strict=True))
            if nearly_square(quad) or max(reading.log_probs) < LOG_SURE
        ]
        others = self.read_crops([rectify(image, sideways(quads[i])) for i in again])
        for i, other in zip(again, others, strict=True):
            readings[i] = _most_like_a_card((readings[i], other))
        return readings

    def read_askew(self, image: Image, quads: Sequence[Quad]) -> list[Reading]:
        """As `read`, for single photographs, where a steeply seen card's box may be badly turned.

        Each card is read under its quad turned by each of `TURNS`, and the turn under which it looks
        most like one of the 40 counts. A followed table needs none of it: there a card is read often.
        """
        if not quads:
            return []
        turned_quads = [turned(quad, degrees) for quad in quads for degrees in TURNS]
        readings = self.read(image, turned_quads)
        return [
            _most_like_a_card(readings[i : i + len(TURNS)])
            for i in range(0, len(readings), len(TURNS))
        ]

    def read_crops(self, crops: Sequence[Image]) -> list[Reading]:
        """Readings of upright crops (`vision.crop.rectify`), each (192, 128, 3) BGR.

        Each crop is read both ways up and the two are averaged, so that a card's reading does not
        depend on which end points where.
        """
        if not crops:
            return []
        log_probs, features = self.look(crops)
        profile = self.profile  # once: another thread may choose another deck
        if profile is not None:
            log_probs = profile.sharpen(log_probs, features)
        return [Reading(tuple(row)) for row in log_probs.tolist()]

    def look(self, crops: Sequence[Image]) -> tuple[Array, Array]:
        """(n, 42) log-probabilities and (n, d) features of one or more crops, without any profile."""
        parts = [self._run(crops[i : i + AT_ONCE]) for i in range(0, len(crops), AT_ONCE)]
        log_probs, features = (np.concatenate(arrays) for arrays in zip(*parts, strict=True))
        return log_probs, features

    def _run(self, crops: Sequence[Image]) -> tuple[Array, Array]:
        logits, features = self._network(*both_ways_up(crops))
        return log_softmax(logits / self.weights.temperature), features


def nearly_square(quad: Quad) -> bool:
    """Whether the box leaves open which are the card's short sides."""
    a, b = side_lengths(quad)
    return max(a, b) < SQUARE * min(a, b)


def sideways(quad: Quad) -> Quad:
    """The same box with its sides taken for one another."""
    return begun(quad, 1)


def _most_like_a_card(readings: Sequence[Reading]) -> Reading:
    """The reading that is surest of one of the 40."""
    return max(readings, key=lambda reading: max(reading.log_probs[: len(CARDS)]))


def turned(quad: Quad, degrees: float) -> Quad:
    """The quad turned about its middle, clockwise as seen."""
    x0, y0 = sum(x for x, _ in quad) / 4, sum(y for _, y in quad) / 4
    cos, sin = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    a, b, c, d = (
        (x0 + (x - x0) * cos - (y - y0) * sin, y0 + (x - x0) * sin + (y - y0) * cos)
        for x, y in quad
    )
    return (a, b, c, d)


def log_softmax(logits: Array) -> Array:
    """Log-probabilities of (n, k) logits."""
    shifted = logits - logits.max(axis=1, keepdims=True)
    total = np.exp(shifted).sum(axis=1, keepdims=True)
    return np.asarray(shifted - np.log(total), np.float32)
