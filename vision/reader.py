"""The reader: which card lies under a quad, as a probability for each label."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from vision.crop import rectify
from vision.network import Array, Network
from vision.types import Image, Quad, Reading
from vision.weights import Weights, load_weights


class Reader:
    """Reads cards. One instance a thread."""

    def __init__(self, weights: Weights | None = None) -> None:
        """Load and check the weights; raises `UserError` if they are missing or altered."""
        self.weights = weights or load_weights("reader")
        self._network = Network(self.weights.model)

    @classmethod
    def from_folder(cls, folder: Path) -> "Reader":
        return cls(load_weights("reader", folder))

    def read(self, image: Image, quads: Sequence[Quad]) -> list[Reading]:
        """One reading a quad, in order; `image` is the full-resolution BGR frame."""
        return self.read_crops([rectify(image, quad) for quad in quads])

    def read_crops(self, crops: Sequence[Image]) -> list[Reading]:
        """Readings of upright crops (`vision.crop.rectify`), each (144, 96, 3) BGR.

        Each crop is read both ways up and the two are averaged, so that a card's reading does not
        depend on which end points where.
        """
        if not crops:
            return []
        batch = np.stack([*crops, *(np.ascontiguousarray(c[::-1, ::-1]) for c in crops)])
        logits = self._network(batch)[0].reshape(2, len(crops), -1).mean(axis=0)
        return [
            Reading(tuple(row)) for row in log_softmax(logits / self.weights.temperature).tolist()
        ]


def log_softmax(logits: Array) -> Array:
    """Log-probabilities of (n, k) logits."""
    shifted = logits - logits.max(axis=1, keepdims=True)
    total = np.exp(shifted).sum(axis=1, keepdims=True)
    return np.asarray(shifted - np.log(total), np.float32)
