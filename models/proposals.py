"""Reader crops cut as the finder boxes cards, not as they lie: what the reader meets at a table.

A reader trained on true quads, shaken, reads cards under the finder's own boxes 6 points worse than under the
true ones (529 cards of made scenes): a half covered card is boxed by what shows, a steep one askew, and a
finder's errors go together in ways no shaking has. So it is trained on the finder's proposals too, as the
second stage of any two-stage detector is. What the finder takes for a card and is none becomes `other`.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np

from datasets.build import CROPS_A_SHARD, write_shard
from datasets.crops import corners_seen
from models.finder_training import SceneSet
from vision.crop import rectify
from vision.finder import Finder
from vision.geometry import angle_difference, as_quad, iou, long_angle
from vision.labels import BACK, INDEX, OTHER
from vision.reader import sideways
from vision.types import Image, Quad

LEAST_P = 0.25
"""Weaker proposals than a table's count here: they are the badly lying ones there is most to learn from."""

SAME_CARD, NO_CARD = 0.4, 0.1
"""Overlap (IoU) with a true card from which on a proposal is that card, and up to which it is none."""

READABLE = 0.6
"""So much of an index corner must show: a card without one is not learnt by heart."""


@dataclass(frozen=True, slots=True)
class Cut:
    """What was cut out of how many scenes."""

    scenes: int
    cards: int
    others: int


def proposals(
    image: Image, quads: Sequence[Quad], labels: Sequence[int], finder: Finder
) -> Iterator[tuple[Image, int]]:
    """Crops and labels of what the finder proposes in a scene whose cards lie lowest first."""
    readable = _readable(image.shape[:2], quads, labels)
    for found in finder.find(image, LEAST_P):
        overlaps = [iou(found.quad, quad) for quad in quads]
        best = int(np.argmax(overlaps)) if overlaps else -1
        if best >= 0 and overlaps[best] >= SAME_CARD:
            if readable[best]:
                yield rectify(image, _as_lying(found.quad, quads[best])), labels[best]
        elif best < 0 or overlaps[best] <= NO_CARD:
            yield rectify(image, found.quad), INDEX[OTHER]


def _readable(shape: tuple[int, int], quads: Sequence[Quad], labels: Sequence[int]) -> list[bool]:
    """Which cards show an index corner, by the cards that lie on them; backs need none."""
    over = np.zeros(shape, np.float32)
    shows = []
    for quad, label in zip(reversed(quads), reversed(labels), strict=True):
        corners = np.array(quad)
        shows.append(label == INDEX[BACK] or corners_seen(over, corners) >= READABLE)
        cv2.fillConvexPoly(over, np.round(corners).astype(np.int32), 1.0)
    return shows[::-1]


def _as_lying(box: Quad, card: Quad) -> Quad:
    """The box, its short sides those along the card's: where it is nearly square it does not say."""
    if angle_difference(long_angle(box), long_angle(card)) <= np.pi / 4:
        return box
    return sideways(box)


def cut(scenes: SceneSet, finder: Finder, folder: Path) -> Iterator[Cut]:
    """Write `crops-NNNN.npz`, in the form of a built dataset, into `folder`; yields what was done so far.

    `scenes` as loaded with labels for classes.
    """
    folder.mkdir(parents=True, exist_ok=True)
    images: list[Image] = []
    labels: list[int] = []
    shard = cards = others = 0
    for number, (jpeg, quads, known) in enumerate(
        zip(scenes.jpeg, scenes.quads, scenes.classes, strict=True), 1
    ):
        image = cv2.imdecode(np.frombuffer(jpeg, np.uint8), cv2.IMREAD_COLOR)
        lying = [as_quad(quad) for quad in quads]
        for crop, label in proposals(image, lying, [int(x) for x in known], finder):
            images.append(crop)
            labels.append(label)
            others += label == INDEX[OTHER]
            cards += label != INDEX[OTHER]
        if len(images) >= CROPS_A_SHARD or (images and number == len(scenes.jpeg)):
            write_shard(
                folder / f"crops-{shard:04d}.npz",
                images=np.stack(images),
                labels=np.array(labels, np.int16),
            )
            shard, images, labels = shard + 1, [], []
        yield Cut(number, cards, others)
