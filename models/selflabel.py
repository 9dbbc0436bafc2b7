"""Labelled photographs with upright boxes as training data: the models themselves tell how cards lie.

The real photographs of `shared/real/train` carry boxes, not quads. In each box the quad is looked for
whose sides lie on edges of the picture (`models.edge_fit`); it is believed where the edges are strong, or
where a proposal of the finder lies the same way, and if the reader sees the labelled card there. A
photograph with any card left over is not used for the finder (a card without its label would teach it to
overlook cards), but its other cards serve the reader.

The reader alone does not tell: it was trained to read cards that are cut out askew, and of ten boxes it is
as sure under the worst as under the best. Labels chosen by it lay 10 degrees askew, and so did what the
finder learnt from them.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np

from datasets.build import write_shard
from models.edge_fit import fitted
from models.evaluate import Labelled, Photograph, clipped, longer_side, overlap, upright
from vision.crop import rectify
from vision.finder import Finder
from vision.geometry import angle_difference, long_angle
from vision.labels import BACK, INDEX
from vision.reader import Reader, sideways
from vision.types import Image, Quad

LEAST_P = 0.1
"""Weak proposals count here: the label already says that a card is there."""

FILLS = 0.72
"""Overlap of a proposal's upright box with the labelled one from which on it is considered."""

CONFIRMED = 0.5
"""The reader's probability of the labelled card from which on a quad is believed."""

SIDES = (416, 640)
"""Pixels of the longer side at which the finder looks at a photograph for proposals."""

STRONG, WEAK = 8.0, 3.0
"""Grey levels a pixel under a quad's weakest side: from the one on it is believed by itself (of 124 cards
of made scenes 19 in 20 of these lay within 3.4 degrees), from the other on where a proposal agrees."""
AGREED = math.radians(5)

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


def quads_of(
    photograph: Photograph, image: Image, finder: Finder, reader: Reader
) -> list[Quad | None]:
    """A quad for each labelled card, None where none is believed."""
    proposed = [d.quad for side in SIDES for d in finder.candidates(image, LEAST_P, side)]
    boxes = [clipped(upright(quad), image) for quad in proposed]
    found: list[Quad | None] = []
    for card in photograph.cards:
        fit = fitted(image, card.box)
        filling = [
            quad
            for quad, box in zip(proposed, boxes, strict=True)
            if overlap(box, card.box) >= FILLS
        ]
        if fit is not None and believed(*fit, filling):
            found.append(_confirmed(card, fit[0], image, reader))
        else:
            found.append(None)
    return found


def believed(quad: Quad, edge: float, proposed: Sequence[Quad]) -> bool:
    """Whether the edges under the quad, or the finder, say enough that the card lies so."""
    if edge >= STRONG:
        return True
    # Either side of a card seen steeply may be the longer one: angles of sides are compared, not of cards.
    turns = (angle_difference(long_angle(quad), long_angle(other)) for other in proposed)
    return edge >= WEAK and any(min(turn, math.pi / 2 - turn) <= AGREED for turn in turns)


def _confirmed(card: Labelled, quad: Quad, image: Image, reader: Reader) -> Quad | None:
    """The quad, its short sides first, if the labelled card is read there along either side."""
    ways = (quad, sideways(quad))
    # Not `read`: it does not say along which side a quad was read.
    readings = reader.read_crops([rectify(image, way) for way in ways])
    sure = [reading.log_probs[INDEX[card.label]] for reading in readings]
    return ways[sure.index(max(sure))] if math.exp(max(sure)) >= CONFIRMED else None


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
                pixels.append(longer_side(card))
        if photograph.complete and all(quad is not None for quad in quads):
            square, scale = _padded(image)
            jpeg.append(cv2.imencode(".jpg", square, [cv2.IMWRITE_JPEG_QUALITY, 95])[1].ravel())
            all_quads += [np.float32(quad) * scale for quad in quads]
            classes += [int(card.label == BACK) for card in photograph.cards]
            shown += [INDEX[card.label] for card in photograph.cards]
            counts.append(len(quads))
    folder.mkdir(parents=True, exist_ok=True)
    write_shard(
        folder / "scenes-real.npz",
        jpeg=np.concatenate(jpeg),
        ends=np.cumsum([len(d) for d in jpeg]),
        quads=np.stack(all_quads),
        classes=np.array(classes),
        labels=np.array(shown),
        counts=np.array(counts),
    )
    write_shard(
        folder / "crops-real.npz",
        images=np.stack(crops),
        labels=np.array(labels, np.int16),
        pixels=np.array(pixels, np.float32),
    )
    return SelfLabelled(len(photographs), len(jpeg), cards, used)
