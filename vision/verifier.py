"""The verifier: a closer look at every box the finder proposes. Is it a card, which side of it shows, and how
well does the box lie?

The finder sees a 720p frame halved and all of it at once; half a score pad's cross, or the picture inside a
back it does not know, look enough like a card there. The verifier sees one box at a time, upright, at the
frame's own resolution and with what lies around it: as the second stage of a two-stage detector does (Ren et
al., 2015, "Faster R-CNN").
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from vision.crop import rectify
from vision.network import Network
from vision.types import Image, Quad
from vision.weights import Weights

VIEW_WIDTH, VIEW_HEIGHT = 64, 88
"""Pixels of a view."""

AROUND = 0.22
"""Of a view's sides this part is what lies around the box: a card ends there, half a pad goes on."""

FACE_SURE = 1.5
"""Logit of one side against the other from which on the verifier's word outweighs the finder's."""

WAYS, LIVE_WAYS = 4, 2
"""A view is seen as it is, turned by half, and both in the mirror: cards are cards whichever way, and what is
said of them is averaged. On a live table two of them must do."""

_FIGURES = 3
"""Of each view: a card or none, down or up, how well the box lies."""

_LEAST = 1e-6
"""Probabilities are kept so far from 0 and 1 that their logits are finite."""

Numbers = npt.NDArray[np.float64]


class Verdicts(NamedTuple):
    """Of n boxes: (n,) probabilities of being a card, (n,) logits of lying face down rather than up, and
    (n,) overlaps (IoU) to be expected with the card it is.
    """

    p: Numbers
    down: Numbers
    overlap: Numbers


class Verifier:
    """Verifies boxes. One instance a thread."""

    def __init__(self, weights: Weights) -> None:
        """Load the network."""
        self.weights = weights
        self._network = Network(weights.model, 2, (_FIGURES,))

    def verify(
        self, image: Image, quads: Sequence[Quad], p: Numbers, ways: int = LIVE_WAYS
    ) -> Verdicts:
        """What the boxes are, `p` (n,) being what the finder gives them; at least one.

        Every view is seen in the first so many of the four `WAYS`.
        """
        views = np.stack([view(image, quad) for quad in quads])
        ways_round = (views, views[:, ::-1, ::-1], views[:, :, ::-1], views[:, ::-1])[:ways]
        logits = np.tile(logit(p).astype(np.float32), ways)
        outputs = self._network(np.concatenate(ways_round), logits)[0].astype(float)
        outputs = outputs.reshape(ways, len(views), -1).mean(axis=0)
        return Verdicts(_sigmoid(outputs[:, 0]), outputs[:, 1], _sigmoid(outputs[:, 2]))


def view(image: Image, quad: Quad) -> Image:
    """(88, 64, 3) BGR: the box upright and what lies around it."""
    return rectify(image, quad, VIEW_WIDTH, VIEW_HEIGHT, AROUND)


def _sigmoid(logits: Numbers) -> Numbers:
    return np.asarray(1 / (1 + np.exp(-logits)))


def logit(p: Numbers) -> Numbers:
    """Logarithm of the odds."""
    p = np.clip(p, _LEAST, 1 - _LEAST)
    return np.asarray(np.log(p / (1 - p)))
