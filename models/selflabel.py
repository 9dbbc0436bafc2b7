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
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np

from datasets.build import write_shard
from models.at_table import HEIGHT, WIDTH, drawn_frames
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


class _Scenes:
    """Scenes of the finder being gathered, and written in the form of a built dataset."""

    def __init__(self) -> None:
        self._jpeg: list[np.ndarray] = []
        self._quads: list[np.ndarray] = []
        self._cards: list[Labelled] = []
        self._counts: list[int] = []

    def __len__(self) -> int:
        return len(self._jpeg)

    def add(self, image: Image, quads: np.ndarray, cards: Sequence[Labelled]) -> None:
        """A square picture, (n, 4, 2) quads in its pixels, and what was labelled there."""
        quality = [cv2.IMWRITE_JPEG_QUALITY, 95]
        self._jpeg.append(cv2.imencode(".jpg", image, quality)[1].ravel())
        self._quads.append(quads)
        self._cards += cards
        self._counts.append(len(cards))

    def write(self, target: Path) -> None:
        write_shard(
            target,
            jpeg=np.concatenate(self._jpeg),
            ends=np.cumsum([len(data) for data in self._jpeg]),
            quads=np.concatenate(self._quads),
            classes=np.array([int(card.label == BACK) for card in self._cards]),
            labels=np.array([INDEX[card.label] for card in self._cards]),
            counts=np.array(self._counts),
        )


def _from_afar(
    photograph: Photograph, image: Image, quads: np.ndarray, rng: np.random.Generator
) -> Iterator[tuple[Image, np.ndarray]]:
    """The photograph in frames of a camera above a table, halved as the finder sees them: the square of
    each that has the photograph in its middle, and the quads there."""
    for frame in drawn_frames(photograph, rng):
        left, top, right, _ = frame.area
        scale = (right - left) / image.shape[1]
        start = min(max((left + right) / 2 - HEIGHT / 2, 0), WIDTH - HEIGHT)
        square = frame.image()[:, round(start) : round(start) + HEIGHT]
        half = cv2.resize(square, (HEIGHT // 2, HEIGHT // 2), interpolation=cv2.INTER_AREA)
        yield half, (quads * scale + (left - round(start), top)) / 2


def self_label(
    photographs: list[Photograph], finder: Finder, reader: Reader, folder: Path, seed: int = 1
) -> SelfLabelled:
    """Write `scenes-real.npz`, `scenes-far.npz` (the same from afar) and `crops-real.npz`, in the form of a
    built dataset, into `folder`."""
    rng = np.random.default_rng(seed)
    near, far = _Scenes(), _Scenes()
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
            lying = np.float32(quads).reshape(-1, 4, 2)
            square, scale = _padded(image)
            near.add(square, lying * scale, photograph.cards)
            for half, there in _from_afar(photograph, image, lying, rng):
                far.add(half, there, photograph.cards)
    folder.mkdir(parents=True, exist_ok=True)
    near.write(folder / "scenes-real.npz")
    far.write(folder / "scenes-far.npz")
    write_shard(
        folder / "crops-real.npz",
        images=np.stack(crops),
        labels=np.array(labels, np.int16),
        pixels=np.array(pixels, np.float32),
    )
    return SelfLabelled(len(photographs), len(near), cards, used)
