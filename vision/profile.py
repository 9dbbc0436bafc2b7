"""Deck profiles: what one deck's cards look like to the reader, so that this deck is read near-perfectly.

A profile holds a prototype for each card: the mean direction of the reader's features over slightly
different views of that card, seen from the middle of all the deck's features. What the views of one and the
same card differ in (blur, light, a box that lies off) tells no card from another and is left out of the
comparison. When a profile is in use, the probability that a crop is *one of the deck's cards* stays the
reader's; which of them it is, is judged by the reader and the prototypes together.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import cv2
import numpy as np
import numpy.typing as npt

from vision.crop import jolted
from vision.labels import CARDS, INDEX
from vision.network import Array
from vision.types import Image

SHARPNESS = 10.0
"""How much a prototype's likeness (cosine) counts, in nats. Chosen together with `WAVERING` by the greatest
likelihood of 3,674 cards of drawn:613 to drawn:636, most of them blurred, and of 386 of `shared/real/train`:
76.6 nats lost in all, 78.3 with 5, 78.4 with 15; 96.8 with 5 and nothing left out."""

WAVERING = 32
"""Directions of the features in which the views of one card differ most, left out of the comparison. 8 lose
77.3 nats of those, 64 lose 79.8 at best, and from 64 on cards of photographs are misread that were not."""

FEWEST = 8
"""Of so many directions at most one is left out, where features are short."""

VIEWS = 12
"""Views of a card that its prototype is the mean of."""

ASKEW = 0.3
"""Share of the views that lie as under a box that is badly turned."""


@dataclass(frozen=True, slots=True)
class DeckProfile:
    """What the reader of version `model` sees in the `cards` of one deck.

    `prototypes` (k, d) float32, rows of length 1 in the order of `cards`; `middle` (d,) float32, what is
    taken from features before they are compared; `wavering` (w, d) float32, the directions then left out of
    them, at right angles to one another and each of length 1.
    """

    name: str
    model: str
    middle: Array = field(repr=False)
    prototypes: Array = field(repr=False)
    wavering: Array = field(repr=False)
    cards: tuple[str, ...] = CARDS

    def __post_init__(self) -> None:
        expected = (len(self.cards), *self.middle.shape)
        if self.middle.ndim != 1 or self.prototypes.shape != expected:
            raise ValueError(f"expected {expected} prototypes, got {self.prototypes.shape}")
        if self.wavering.ndim != 2 or self.wavering.shape[1:] != self.middle.shape:
            size = len(self.middle)
            raise ValueError(f"expected (w, {size}) directions, got {self.wavering.shape}")
        numbers = (self.middle, self.prototypes, self.wavering)
        if not all(np.isfinite(one).all() for one in numbers):
            raise ValueError("the prototypes hold numbers that are none")

    def likeness(self, features: Array) -> Array:
        """(n, k) cosines of (n, d) features with the prototypes."""
        steady = _without(features - self.middle, self.wavering)
        return np.asarray(unit(steady) @ self.prototypes.T, np.float32)

    def sharpen(self, log_probs: Array, features: Array, sharpness: float = SHARPNESS) -> Array:
        """(n, 42) log-probabilities, those of the deck's cards judged anew by (n, d) features."""
        columns = [INDEX[card] for card in self.cards]
        cards = log_probs[:, columns]
        one_of_them = _log_sum(cards)
        joint = cards + sharpness * self.likeness(features)
        sharpened = log_probs.copy()
        sharpened[:, columns] = joint + (one_of_them - _log_sum(joint))[:, None]
        return sharpened


def profile_of(
    name: str, model: str, features: npt.NDArray[np.float32], cards: tuple[str, ...] = CARDS
) -> DeckProfile:
    """The profile that (k, v, d) features of v views of each of `cards` give."""
    middle = np.asarray(features.mean(axis=(0, 1)), np.float32)
    wavering = _wavering(features)
    prototypes = unit(unit(_without(features - middle, wavering)).mean(axis=1))
    return DeckProfile(name, model, middle, prototypes, wavering, cards)


def _wavering(features: npt.NDArray[np.float32]) -> Array:
    """(w, d) directions in which (k, v, d) features of v views of k cards differ most within a card."""
    size = features.shape[2]
    spread = (features - features.mean(axis=1, keepdims=True)).reshape(-1, size)
    _, much, directions = np.linalg.svd(spread, full_matrices=False)
    none = len(spread) * np.finfo(np.float32).eps * np.abs(features).max(initial=0)
    count = min(WAVERING, size // FEWEST, int((much > none).sum()))
    return np.asarray(directions[:count], np.float32)


def _without(features: npt.NDArray[np.float32], directions: Array) -> Array:
    """(…, d) features less what of them lies in (w, d) directions."""
    return np.asarray(features - (features @ directions.T) @ directions, np.float32)


def unit(features: npt.NDArray[np.float32]) -> Array:
    """The features at length 1, along the last axis."""
    length = np.linalg.norm(features, axis=-1, keepdims=True)
    return np.asarray(features / np.maximum(length, 1e-9), np.float32)


def _log_sum(values: Array) -> Array:
    top = values.max(axis=1)
    return np.asarray(top + np.log(np.exp(values - top[:, None]).sum(axis=1)), np.float32)


def stack_views(crops: Sequence[Image], seed: int = 0) -> list[Image]:
    """All views of all crops, `VIEWS` a crop, in order."""
    rng = np.random.default_rng(seed)
    return [view for crop in crops for view in views(crop, rng)]


def views(crop: Image, rng: np.random.Generator, count: int = VIEWS) -> list[Image]:
    """The crop, and as other frames might show it: shifted, turned, blurred, darker, far smaller.

    Which end is up needs no views: the reader reads every crop both ways up.
    """
    return [crop, *(_coarse(_moved(crop, rng), rng) for _ in range(count - 1))]


def _moved(crop: Image, rng: np.random.Generator) -> Image:
    """As under a box that lies a little, sometimes badly, off."""
    if rng.random() < ASKEW:
        return jolted(crop, rng, 5.0, 0.05, 0.03, bend=0.025)
    return jolted(crop, rng, 1.5, 0.025, 0.015)


def _coarse(crop: Image, rng: np.random.Generator) -> Image:
    """As far away as a whole table's cards lie, in other light, with a camera's noise."""
    height, width = crop.shape[:2]
    scale = float(rng.uniform(0.3, 1.0))
    small = cv2.resize(crop, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    if rng.random() < 0.5:
        small = cv2.GaussianBlur(small, (0, 0), float(rng.uniform(0.3, 1.0)))
    noisy = small.astype(np.float32) + rng.normal(0, rng.uniform(0, 6), small.shape)
    view = cv2.resize(
        np.clip(noisy, 0, 255).astype(np.uint8), (width, height), interpolation=cv2.INTER_LINEAR
    )
    gains = np.exp(rng.normal(0, 0.2)) * np.exp(rng.normal(0, 0.06, 3))
    lit = view.astype(np.float32) * gains.astype(np.float32) + np.float32(rng.normal(0, 8))
    return np.asarray(np.clip(lit, 0, 255), np.uint8)
