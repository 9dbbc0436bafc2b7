"""Reader crops cut as the finder boxes cards, not as they lie: what the reader meets at a table.

A reader trained on true quads, shaken, reads cards under the finder's own boxes 6 points worse than under the
true ones (529 cards of made scenes): a half covered card is boxed by what shows, a steep one askew, and a
finder's errors go together in ways no shaking has. So it is trained on the finder's proposals too, as the
second stage of any two-stage detector is. What the finder takes for a card and is none becomes `other`.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np

from datasets.build import CROPS_A_SHARD, write_shard
from datasets.crops import corners_seen
from models.at_table import Framed, drawn_frames
from models.evaluate import Photograph, one_to_one, overlaps
from models.finder_training import SceneSet
from vision.crop import rectify
from vision.finder import Finder
from vision.geometry import angle_difference, as_quad, iou, long_angle
from vision.labels import BACK, INDEX, OTHER
from vision.reader import nearly_square, sideways
from vision.types import Image, Quad

Crops = list[tuple[Image, int]]
"""Upright crops with their labels, indices into `vision.labels.LABELS`."""

LEAST_P = 0.25
"""Weaker proposals than a table's count here: they are the badly lying ones there is most to learn from."""

SAME_CARD, NO_CARD = 0.4, 0.1
"""Overlap (IoU) with a true card from which on a proposal is that card, and up to which it is none."""

READABLE = 0.6
"""So much of an index corner must show: a card without one is not learnt by heart."""


@dataclass(frozen=True, slots=True)
class Cut:
    """What was cut out of how many pictures."""

    pictures: int
    cards: int
    others: int


def proposals(
    image: Image, quads: Sequence[Quad], labels: Sequence[int], finder: Finder
) -> Iterator[tuple[Image, int]]:
    """Crops and labels of what the finder proposes in a scene whose cards lie lowest first."""
    readable = _readable(image.shape[:2], quads, labels)
    for found in finder.find(image, threshold=LEAST_P):
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


def of_scenes(scenes: SceneSet, finder: Finder) -> Iterator[Crops]:
    """The crops of each scene; `scenes` as loaded with labels for classes."""
    for jpeg, quads, known in zip(scenes.jpeg, scenes.quads, scenes.classes, strict=True):
        image = np.asarray(cv2.imdecode(np.frombuffer(jpeg, np.uint8), cv2.IMREAD_COLOR), np.uint8)
        lying = [as_quad(quad) for quad in quads]
        yield list(proposals(image, lying, [int(x) for x in known], finder))


def of_photographs(
    photographs: Sequence[Photograph], finder: Finder, seed: int = 1
) -> Iterator[Crops]:
    """The crops of each photograph as a camera above a table shows it. What lies on no label is `other`
    where all cards are labelled."""
    rng = np.random.default_rng(seed)
    for photograph in photographs:
        crops: Crops = []
        for frame in drawn_frames(photograph, rng):
            crops += _in_frame(frame, finder)
        yield crops


def _in_frame(frame: Framed, finder: Finder) -> Iterator[tuple[Image, int]]:
    """As `proposals`, by labels that have boxes and no quads: which sides of a nearly square box are a
    card's short ones is not known, and it teaches nothing."""
    image = frame.image()
    quads = [found.quad for found in finder.find(image, threshold=LEAST_P)]
    shares = overlaps(frame.cards, quads, image)
    own = {j: i for i, j in one_to_one(shares).items()}
    inside = frame.holds(np.mean(quads, axis=1)) if quads else ()
    for j, quad in enumerate(quads):
        if j in own:
            if not nearly_square(quad):
                yield rectify(image, quad), INDEX[frame.cards[own[j]].label]
        elif frame.complete and inside[j] and all(line[j] <= NO_CARD for line in shares):
            yield rectify(image, quad), INDEX[OTHER]


def cut(pictures: Iterable[Crops], folder: Path) -> Iterator[Cut]:
    """Write `crops-NNNN.npz`, in the form of a built dataset, into `folder`; yields what was done so far."""
    folder.mkdir(parents=True, exist_ok=True)
    waiting: Crops = []
    shard = cards = others = 0
    for number, crops in enumerate(pictures, 1):
        waiting += crops
        none = sum(label == INDEX[OTHER] for _, label in crops)
        others += none
        cards += len(crops) - none
        if len(waiting) >= CROPS_A_SHARD:
            _write(waiting, folder / f"crops-{shard:04d}.npz")
            shard, waiting = shard + 1, []
        yield Cut(number, cards, others)
    if waiting:
        _write(waiting, folder / f"crops-{shard:04d}.npz")


def _write(crops: Crops, path: Path) -> None:
    images, labels = zip(*crops, strict=True)
    write_shard(path, images=np.stack(images), labels=np.array(labels, np.int16))
