"""Labelled photographs with upright boxes as training data: the models themselves tell how cards lie.

The real photographs of `shared/real/train` carry boxes, not quads. The finder proposes many oriented
boxes a card, some askew; of those that fill a labelled box, the one under which the reader sees the
labelled card best is stretched to the box and taken as the truth, if the reader is fairly sure. A
photograph with any card left over is not used for the finder (a card without its label would teach it to
overlook cards), but its other cards serve the reader.
"""

import math
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np

from models.evaluate import Box, Labelled, Photograph, clipped, overlap, upright
from vision.crop import rectify
from vision.finder import Finder
from vision.labels import BACK, INDEX
from vision.reader import TURNS, Reader, nearly_square, sideways, turned
from vision.types import Image, Quad

LEAST_P = 0.1
"""Weak proposals count here: the label already says that a card is there."""

FILLS = 0.72
"""Overlap of a proposal's upright box with the labelled one from which on it is considered."""

CONFIRMED = 0.5
"""The reader's probability of the labelled card from which on a proposal is believed."""

SIDES = (416, 640)
MOST = 6
"""Proposals looked at for one card, the best fitting first, each also turned by `vision.reader.TURNS`:
that of a card seen aslant may lie askew."""

SCENE_SIDE = 512
PADDING = (114, 114, 114)
CROPS_A_CARD = 3
"""Each card is cut out this often, each time a little differently, as a finder would."""


@dataclass(frozen=True, slots=True)
class SelfLabelled:
    """What a folder of photographs gave: how many cards and photographs could be used."""

    photographs: int
    whole: int
    cards: int
    used: int


def stretched(quad: Quad, box: Box) -> Quad:
    """The quad moved and stretched along the picture's axes so that `box` is its upright box."""
    x1, y1, x2, y2 = upright(quad)
    kx, ky = (box[2] - box[0]) / max(x2 - x1, 1e-6), (box[3] - box[1]) / max(y2 - y1, 1e-6)
    a, b, c, d = ((box[0] + (x - x1) * kx, box[1] + (y - y1) * ky) for x, y in quad)
    return (a, b, c, d)


def quads_of(
    photograph: Photograph, image: Image, finder: Finder, reader: Reader
) -> list[Quad | None]:
    """A quad for each labelled card, None where no proposal is confirmed by the reader."""
    proposed = [d.quad for side in SIDES for d in finder.candidates(image, LEAST_P, side)]
    boxes = [clipped(upright(quad), image) for quad in proposed]
    return [
        _confirmed(
            card,
            [(overlap(box, card.box), q) for box, q in zip(boxes, proposed, strict=True)],
            image,
            reader,
        )
        for card in photograph.cards
    ]


def _confirmed(
    card: Labelled, fitting: list[tuple[float, Quad]], image: Image, reader: Reader
) -> Quad | None:
    """The proposal under which the labelled card is read best, stretched to its box."""
    likely = sorted((f for f in fitting if f[0] >= FILLS), reverse=True)[:MOST]
    quads = [
        quad if clipped(upright(quad), image) != upright(quad) else stretched(quad, card.box)
        for _, proposed in likely
        for quad in (turned(proposed, degrees) for degrees in TURNS)
    ]
    quads += [sideways(quad) for quad in quads if nearly_square(quad)]
    # Not `read`: it does not say along which side a nearly square quad was read.
    readings = reader.read_crops([rectify(image, quad) for quad in quads])
    sure = [reading.log_probs[INDEX[card.label]] for reading in readings]
    if not sure or math.exp(max(sure)) < CONFIRMED:
        return None
    return quads[sure.index(max(sure))]


def _padded(image: Image) -> tuple[Image, float]:
    scale = SCENE_SIDE / max(image.shape[:2])
    small = cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    height, width = small.shape[:2]
    square = np.full((SCENE_SIDE, SCENE_SIDE, 3), PADDING, np.uint8)
    square[:height, :width] = small
    return square, scale


def _shaken(quad: Quad, rng: np.random.Generator) -> Quad:
    corners = np.array(quad)
    length = float(np.linalg.norm(corners[1] - corners[2]))
    corners = corners + rng.normal(0, 0.012 * length, 2) + rng.normal(0, 0.006 * length, (4, 2))
    a, b, c, d = ((float(x), float(y)) for x, y in corners)
    return (a, b, c, d)


def self_label(
    photographs: list[Photograph], finder: Finder, reader: Reader, folder: Path, seed: int = 1
) -> SelfLabelled:
    """Write `scenes-real.npz` and `crops-real.npz`, in the form of a built dataset, into `folder`."""
    rng = np.random.default_rng(seed)
    jpeg, all_quads, classes, shown, counts = [], [], [], [], []
    crops, labels, pixels = [], [], []
    cards = used = 0
    for photograph in photographs:
        image = photograph.image()
        quads = quads_of(photograph, image, finder, reader)
        cards += len(quads)
        for card, quad in zip(photograph.cards, quads, strict=True):
            if quad is None:
                continue
            used += 1
            for _ in range(CROPS_A_CARD):
                crops.append(rectify(image, _shaken(quad, rng)))
                labels.append(INDEX[card.label])
                pixels.append(max(card.box[2] - card.box[0], card.box[3] - card.box[1]))
        if photograph.complete and all(quad is not None for quad in quads):
            square, scale = _padded(image)
            jpeg.append(cv2.imencode(".jpg", square, [cv2.IMWRITE_JPEG_QUALITY, 95])[1].ravel())
            all_quads += [np.float32(quad) * scale for quad in quads]
            classes += [int(card.label == BACK) for card in photograph.cards]
            shown += [INDEX[card.label] for card in photograph.cards]
            counts.append(len(quads))
    folder.mkdir(parents=True, exist_ok=True)
    np.savez(
        folder / "scenes-real.npz",
        jpeg=np.concatenate(jpeg),
        ends=np.cumsum([len(d) for d in jpeg]),
        quads=np.stack(all_quads),
        classes=np.array(classes),
        labels=np.array(shown),
        counts=np.array(counts),
    )
    np.savez(
        folder / "crops-real.npz",
        images=np.stack(crops),
        labels=np.array(labels, np.int16),
        pixels=np.array(pixels, np.float32),
    )
    return SelfLabelled(len(photographs), len(jpeg), cards, used)
