"""Views of what the finder proposes, with the truth: what the verifier learns from.

From made scenes, whose truth is known, and from photographs with people's boxes. Weak proposals count too:
what the verifier is for is to tell the cards among them from the rest.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import cv2
import numpy as np

from datasets.build import write_shard
from models.evaluate import SAME_PLACE, Photograph, clipped, one_to_one, overlap, upright
from models.finder_training import SceneSet
from vision.errors import UserError
from vision.finder import BEST_LENGTH, Finder, Rows, quad_of_row, side_for
from vision.geometry import as_quad, iou
from vision.types import Image
from vision.verifier import VIEW_HEIGHT, VIEW_WIDTH, view

LEAST_P = 0.04
"""Of the finder alone. Below it lie one card in 200 and very many boxes of nothing."""

LOOKS = (0.6, 1.25)
"""Scenes are seen so many times their size."""
OTHER_LOOK = 0.5
"""A photograph is seen as the product sees it, and once at another scale, off by up to this logarithm."""

NEAR, NONE = 0.4, 0.2
"""Overlap (IoU) of a box that is no card's own: from `NEAR` to `SAME_PLACE` it teaches nothing. In
photographs people box what shows of a card, and leave cards out: there only what lies on no label, up to
`NONE`, and is weak, below `WEAK`, is taken for nothing."""
WEAK = 0.2

SCENES_A_SHARD = 500
NO_CARD, UP, DOWN = 0, 1, 2


@dataclass(frozen=True, slots=True)
class ViewSet:
    """Views (n, 88, 64, 3) uint8 BGR, the finder's probabilities (n,), kinds (n,): none, up, down."""

    views: np.ndarray
    p: np.ndarray
    kinds: np.ndarray

    def __len__(self) -> int:
        return len(self.kinds)


@dataclass(slots=True)
class _Shard:
    views: list[Image] = field(default_factory=list)
    p: list[float] = field(default_factory=list)
    kinds: list[int] = field(default_factory=list)

    def add(self, image: Image, row: np.ndarray, kind: int) -> None:
        self.views.append(view(image, quad_of_row(row)))
        self.p.append(float(row[5]))
        self.kinds.append(kind)

    def write(self, path: Path) -> None:
        write_shard(
            path,
            views=np.array(self.views, np.uint8).reshape(-1, VIEW_HEIGHT, VIEW_WIDTH, 3),
            p=np.array(self.p, np.float32),
            kinds=np.array(self.kinds, np.int8),
        )


def of_scenes(scenes: SceneSet, finder: Finder, folder: Path, seed: int = 1) -> Iterator[int]:
    """Write `views-NNNN.npz` of made scenes, loaded with faces for classes, into `folder`.

    Yields the number of scenes seen so far. Shards that are there are kept.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for start in range(0, len(scenes.jpeg), SCENES_A_SHARD):
        path = folder / f"views-{start // SCENES_A_SHARD:04d}.npz"
        stop = min(start + SCENES_A_SHARD, len(scenes.jpeg))
        if not path.exists():
            shard, rng = _Shard(), np.random.default_rng((seed, start))
            for i in range(start, stop):
                data = np.frombuffer(scenes.jpeg[i], np.uint8)
                image = np.asarray(cv2.imdecode(data, cv2.IMREAD_COLOR), np.uint8)
                look = max(image.shape[:2]) * np.exp(rng.uniform(*np.log(LOOKS)))
                rows = finder.proposals(image, LEAST_P, round(look))
                kinds = _kinds(rows, scenes.quads[i], scenes.classes[i])
                for row, kind in zip(rows, kinds, strict=True):
                    if kind is not None:
                        shard.add(image, row, kind)
                yield i + 1
            shard.write(path)
        yield stop


def _kinds(rows: Rows, quads: np.ndarray, classes: np.ndarray) -> list[int | None]:
    """What the proposals of a scene are; None for those that teach nothing."""
    boxes = [quad_of_row(row) for row in rows]
    overlaps = [[iou(as_quad(quad), box) for box in boxes] for quad in quads]
    own = {j: i for i, j in one_to_one(overlaps).items()}
    kinds: list[int | None] = []
    for j in range(len(boxes)):
        best = max((row[j] for row in overlaps), default=0.0)
        near = NEAR <= best < SAME_PLACE
        kinds.append(int(classes[own[j]]) + UP if j in own else None if near else NO_CARD)
    return kinds


def of_photographs(
    photographs: Sequence[Photograph], finder: Finder, folder: Path, seed: int = 1
) -> Iterator[int]:
    """Write `views-0000.npz` of photographs whose visible cards are all boxed into `folder`.

    Cards lying face up only; yields the number of photographs seen so far.
    """
    folder.mkdir(parents=True, exist_ok=True)
    shard, rng = _Shard(), np.random.default_rng(seed)
    for number, photograph in enumerate(photographs, 1):
        if photograph.complete:
            image = photograph.image()
            for side in _looks(image, finder, rng):
                _take(shard, photograph, image, finder.proposals(image, LEAST_P, side))
        yield number
    shard.write(folder / "views-0000.npz")


def _looks(image: Image, finder: Finder, rng: np.random.Generator) -> Iterator[int]:
    """At which sizes to look at a photograph, by how long its cards are."""
    found = finder.find_any_size(image)
    if not found:
        return
    lengths = [max(np.ptp(d.quad, axis=0)) for d in found]
    for factor in (1.0, float(np.exp(rng.uniform(-OTHER_LOOK, OTHER_LOOK)))):
        yield side_for(image, float(np.median(lengths)), BEST_LENGTH * factor)


def _take(shard: _Shard, photograph: Photograph, image: Image, rows: Rows) -> None:
    boxes = [clipped(upright(quad_of_row(row)), image) for row in rows]
    overlaps = [[overlap(card.box, box) for box in boxes] for card in photograph.cards]
    own = set(one_to_one(overlaps).values())
    for j, row in enumerate(rows):
        if j in own:
            shard.add(image, row, UP)
        elif row[5] < WEAK and max((line[j] for line in overlaps), default=0.0) < NONE:
            shard.add(image, row, NO_CARD)


def load_views(folder: Path) -> list[ViewSet]:
    """The shards `views-*.npz` of a folder, in their order.

    Raises:
        UserError: the folder holds none.
    """
    shards = []
    for path in sorted(folder.glob("views-*.npz")):
        kept = np.load(path)
        shards.append(ViewSet(kept["views"], kept["p"], kept["kinds"].astype(np.int64)))
    if not shards:
        raise UserError(f"no views in {folder}: run 'sueca models cut-views SCENES --out {folder}'")
    return shards
