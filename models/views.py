"""Views of what the finder proposes, with the truth: what the verifier learns from.

From made scenes, whose truth is known, and from photographs with people's boxes. Weak proposals count too:
what the verifier is for is to tell the cards among them from the rest.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import cv2
import numpy as np

from datasets.build import write_shard
from models.at_table import drawn_frames
from models.evaluate import SAME_PLACE, Photograph, one_to_one, overlaps
from models.finder_training import SceneSet
from vision.any_size import BEST_LENGTH, side_for
from vision.boxes import Rows, distinct_rows, quad_of_row
from vision.errors import UserError
from vision.finder import FINDER_SIDE, Finder
from vision.geometry import as_quad, iou
from vision.types import Image
from vision.verifier import VIEW_HEIGHT, VIEW_WIDTH, view

LEAST_P = 0.04
"""Of the finder alone. Below it lie one card in 200 and very many boxes of nothing."""

LOOKS, LOOKS_A_SCENE = (0.6, 1.25), 2
"""Scenes are seen so many times their size, and so often: weak proposals differ from look to look."""
OTHER_LOOK = 0.5
"""A photograph is seen as the product sees it, and once at another scale, off by up to this logarithm."""

NEAR, NONE = 0.4, 0.2
"""Overlap (IoU) of a box that is no card's own: from `NEAR` to `SAME_PLACE` it teaches nothing. In
photographs people box what shows of a card, and leave cards out: there only what lies on no label, up to
`NONE`, and is weak, below `WEAK`, is taken for nothing."""
WEAK = 0.2

SURELY_NONE = 1.01
"""At a table's size the finder takes cloths for backs with any p. Of 93 boxes with 0.2 and more that lie on
no label, in every 12th photograph of `train`, all were looked at and none was a card."""

SCENES_A_SHARD = 500
NO_CARD, UP, DOWN = 0, 1, 2
UNTOLD = -1
"""The kind of a box that lies neither well enough on a card nor far enough off; only its overlap teaches."""


@dataclass(frozen=True, slots=True)
class ViewSet:
    """Views (n, 88, 64, 3) uint8 BGR, the finder's probabilities (n,), kinds (n,): none, up, down, untold.

    `overlaps` (n,) with the card that a box lies on most (IoU); NaN where a card's quad is not known.
    `surest` (n,): whether the finder itself would have taken this box of those on one card.
    """

    views: np.ndarray
    p: np.ndarray
    kinds: np.ndarray
    overlaps: np.ndarray
    surest: np.ndarray

    def __len__(self) -> int:
        return len(self.kinds)


@dataclass(slots=True)
class _Shard:
    views: list[Image] = field(default_factory=list)
    p: list[float] = field(default_factory=list)
    kinds: list[int] = field(default_factory=list)
    overlaps: list[float] = field(default_factory=list)
    surest: list[bool] = field(default_factory=list)

    def add(
        self, image: Image, row: np.ndarray, kind: int, lies: float = math.nan, surest: bool = True
    ) -> None:
        self.views.append(view(image, quad_of_row(row)))
        self.p.append(float(row[5]))
        self.kinds.append(kind)
        self.overlaps.append(lies)
        self.surest.append(surest)

    def write(self, path: Path) -> None:
        write_shard(
            path,
            views=np.array(self.views, np.uint8).reshape(-1, VIEW_HEIGHT, VIEW_WIDTH, 3),
            p=np.array(self.p, np.float32),
            kinds=np.array(self.kinds, np.int8),
            overlaps=np.array(self.overlaps, np.float32),
            surest=np.array(self.surest, bool),
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
                for factor in np.exp(rng.uniform(*np.log(LOOKS), LOOKS_A_SCENE)):
                    rows = finder.to_verify(image, LEAST_P, round(max(image.shape[:2]) * factor))
                    truths = _truths(rows, scenes.quads[i], scenes.classes[i])
                    alone = {tuple(row) for row in distinct_rows(rows)}
                    for row, truth in zip(rows, truths, strict=True):
                        shard.add(image, row, *truth, tuple(row) in alone)
                yield i + 1
            shard.write(path)
        yield stop


def _truths(rows: Rows, quads: np.ndarray, classes: np.ndarray) -> Iterator[tuple[int, float]]:
    """Of every box of a scene its kind, and its overlap with the card that it lies on most."""
    cards = [as_quad(quad) for quad in quads]
    for row in rows:
        box = quad_of_row(row)
        overlaps = [iou(card, box) for card in cards]
        best = max(overlaps, default=0.0)
        if best >= SAME_PLACE:
            yield int(classes[overlaps.index(best)]) + UP, best
        else:
            yield UNTOLD if best >= NEAR else NO_CARD, best


def of_photographs(
    photographs: Sequence[Photograph], finder: Finder, folder: Path, seed: int = 1
) -> Iterator[int]:
    """Write `views-0000.npz` of photographs whose visible cards are all boxed into `folder`.

    From near, as they were taken, and as a camera above a table shows them. Cards lying face up only; yields
    the number of photographs seen so far.
    """
    folder.mkdir(parents=True, exist_ok=True)
    shard, rng = _Shard(), np.random.default_rng(seed)
    for number, photograph in enumerate(photographs, 1):
        if photograph.complete:
            image = photograph.image()
            for side in _looks(image, finder, rng):
                _take(shard, photograph, image, finder.proposals(image, LEAST_P, side), WEAK)
            for frame in drawn_frames(photograph, rng):
                image = frame.image()
                rows = finder.proposals(image, LEAST_P, FINDER_SIDE)
                _take(shard, frame, image, rows[frame.holds(rows[:, :2])], SURELY_NONE)
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


def _take(
    shard: _Shard, photograph: Photograph, image: Image, rows: Rows, most_none: float
) -> None:
    """Add what lies on labels, and of what lies on none the boxes with a p below `most_none`."""
    shares = overlaps(photograph.cards, [quad_of_row(row) for row in rows], image)
    own = set(one_to_one(shares).values())
    for j, row in enumerate(rows):
        if j in own:
            shard.add(image, row, UP)
        elif row[5] < most_none and max((line[j] for line in shares), default=0.0) < NONE:
            shard.add(image, row, NO_CARD)


def load_views(folder: Path) -> list[ViewSet]:
    """The shards `views-*.npz` of a folder, in their order.

    Raises:
        UserError: the folder holds none, or views of before it was told how well their boxes lie.
    """
    shards = []
    for path in sorted(folder.glob("views-*.npz")):
        kept = np.load(path)
        if missing := set(ViewSet.__slots__) - set(kept):
            raise UserError(
                f"{path} does not say {min(missing)}: delete it and cut the views again"
            )
        kinds = kept["kinds"].astype(np.int64)
        shards.append(ViewSet(kept["views"], kept["p"], kinds, kept["overlaps"], kept["surest"]))
    if not shards:
        raise UserError(f"no views in {folder}: run 'sueca models cut-views SCENES --out {folder}'")
    return shards
