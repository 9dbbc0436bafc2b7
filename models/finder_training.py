"""Training of the finder: a YOLO nano oriented-box model for cards face up and face down.

Of the one-stage network too, which differs in its classes alone: a label each instead of a face.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Literal

import cv2
import numpy as np
import torch
from torch import nn

from models.finder_network import CardFinder
from models.loop import Batch, device
from vision.errors import UserError
from vision.geometry import area, as_quad, covered, inscribed

FINDER_SIDE = 320
"""Pixels of a training window. The network is run on larger pictures: it has no fixed size."""

ZOOM = (0.6, 1.35)
"""How much a scene is shrunk or enlarged before a window is cut from it."""
STRETCH, STRETCH_ODDS = 0.22, 0.4
"""Standard deviation of the logarithm by which a window is drawn out along some direction, and how often:
what a seat at the table does to a card, and what people do to pictures they put on the net."""

CLASSES = ("up", "down")
INSIDE = 0.35
"""A card with less of itself than this inside the window is not asked for."""
LEAST_AREA = 16.0
"""Square pixels of a card in a window; what is smaller is a speck."""

GAINS = SimpleNamespace(box=7.5, cls=0.5, dfl=1.5, angle=1.5, epochs=1)


@dataclass(frozen=True, slots=True)
class SceneSet:
    """Scenes with their boxes: JPEG bytes, and (n, 4, 2) quads and (n,) classes for each."""

    jpeg: list[bytes]
    quads: list[np.ndarray]
    classes: list[np.ndarray]

    def first(self, count: int) -> "SceneSet":
        """Only so many of them; all for 0."""
        return SceneSet(*(part[: count or None] for part in (self.jpeg, self.quads, self.classes)))


def load_scenes(folder: Path, classes: Literal["classes", "labels"] = "classes") -> SceneSet:
    """All `scenes-*.npz` of a built dataset, their cards by face (`classes`) or by `labels`.

    Raises:
        UserError: the folder holds none, or scenes of before labels were written.
    """
    scenes = SceneSet([], [], [])
    for path in sorted(folder.glob("scenes-*.npz")):
        shard = np.load(path)
        if classes not in shard:
            raise UserError(f"{path} does not say which cards it shows: build the scenes again")
        data, starts = shard["jpeg"], np.concatenate([[0], shard["ends"][:-1]])
        scenes.jpeg.extend(data[a:b].tobytes() for a, b in zip(starts, shard["ends"], strict=True))
        cuts = np.cumsum(shard["counts"])[:-1]
        scenes.quads.extend(np.split(shard["quads"], cuts))
        scenes.classes.extend(np.split(shard[classes], cuts))
    if not scenes.jpeg:
        raise UserError(f"no scenes in {folder}: run 'sueca datasets build --out {folder}' first")
    return scenes


def window(
    image: np.ndarray, quads: np.ndarray, rng: np.random.Generator, side: int = FINDER_SIDE
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """A random turned, scaled and now and then stretched window: image, its quads, and which of them lie
    enough inside.

    Turned by any angle but never mirrored.
    """
    source = image.shape[0]
    zoom = float(np.exp(rng.uniform(*np.log(ZOOM))))
    angle = float(rng.choice([0, 90, 180, 270])) + float(rng.normal(0, 12))
    matrix = cv2.getRotationMatrix2D((0, 0), angle, zoom)
    if rng.random() < STRETCH_ODDS:
        matrix[:, :2] = _stretch(rng) @ matrix[:, :2]
    spare = max(0.0, source * zoom - side) / 2
    middle = side / 2 + rng.uniform(-spare, spare, 2)
    matrix[:, 2] = middle - matrix[:, :2] @ np.full(2, source / 2)
    flags = cv2.INTER_AREA if zoom < 0.8 else cv2.INTER_LINEAR
    out = cv2.warpAffine(image, matrix, (side, side), flags=flags, borderValue=(114, 114, 114))
    moved = quads @ matrix[:, :2].T + matrix[:, 2]
    keep = np.zeros(len(moved), bool)
    frame = as_quad([[0, 0], [side, 0], [side, side], [0, side]])
    for i, corners in enumerate(moved):
        quad = as_quad(corners)
        keep[i] = area(quad) > LEAST_AREA and covered(quad, frame) > INSIDE
    return out, moved, keep


def _stretch(rng: np.random.Generator) -> np.ndarray:
    """(2, 2): longer along one direction and as much shorter across it."""
    factor, direction = math.exp(rng.normal(0, STRETCH)), rng.uniform(0, math.pi)
    along = np.array([math.cos(direction), math.sin(direction)])
    across = np.array([-along[1], along[0]])
    return np.asarray(factor * np.outer(along, along) + np.outer(across, across) / factor)


def label_box(quad: np.ndarray, side: int) -> tuple[float, float, float, float, float, float]:
    """What the network shall say of a (4, 2) quad in a window of `side` pixels.

    As `vision.geometry.inscribed` says it: middle and axes as parts of the window, direction of the longer
    axis and turn in radians.
    """
    (x, y), long, short, direction, turn = inscribed(as_quad(quad))
    return x / side, y / side, long / side, short / side, direction, turn


class FinderData:
    """Batches of windows, labels as Ultralytics' oriented-box loss wants them."""

    def __init__(self, scenes: SceneSet, batch: int = 24, seed: int = 1) -> None:
        self.scenes, self.batch, self.seed = scenes, batch, seed

    def __len__(self) -> int:
        return len(self.scenes.jpeg) // self.batch

    def batches(self, epoch: int) -> Iterator[Batch]:
        rng = np.random.default_rng((self.seed, epoch))
        order = rng.permutation(len(self.scenes.jpeg))
        for start in range(0, len(self) * self.batch, self.batch):
            yield self._batch(order[start : start + self.batch], rng)

    def _batch(self, indices: np.ndarray, rng: np.random.Generator) -> Batch:
        images, owners, classes, boxes = [], [], [], []
        for i, index in enumerate(indices):
            data = np.frombuffer(self.scenes.jpeg[index], np.uint8)
            image = cv2.imdecode(data, cv2.IMREAD_COLOR)
            out, quads, keep = window(image, self.scenes.quads[index], rng)
            images.append(out[..., ::-1])
            for quad, card_class in zip(quads[keep], self.scenes.classes[index][keep], strict=True):
                boxes.append(label_box(quad, FINDER_SIDE))
                owners.append(i)
                classes.append(int(card_class))
        said = torch.tensor(boxes, dtype=torch.float32).reshape(-1, 6)
        stacked = torch.from_numpy(np.ascontiguousarray(np.stack(images).transpose(0, 3, 1, 2)))
        return {
            "img": stacked,
            "batch_idx": torch.tensor(owners, dtype=torch.float32),
            "cls": torch.tensor(classes, dtype=torch.float32),
            "bboxes": said[:, :5],
            "turns": said[:, 5],
        }


def new_finder(base: Path | None = None, classes: Sequence[str] = CLASSES) -> CardFinder:
    """A nano oriented-box network, from scratch or from a checkpoint; of one with another head (Ultralytics'
    own, other classes) whatever fits is taken."""
    model = CardFinder(len(classes))
    if base is not None:
        model.load(torch.load(base, map_location="cpu", weights_only=False)["model"].float())
    model.args = GAINS
    model.names = dict(enumerate(classes))
    return model


def finder_loss(model: nn.Module, batch: Batch) -> tuple[torch.Tensor, dict[str, float]]:
    """Ultralytics' loss on a batch of windows; the parts are logged as means a picture."""
    images = batch["img"].to(device()).float().div_(255)
    images = images.contiguous(memory_format=torch.channels_last)
    # The boxes' arithmetic (distances, ProbIoU) is not safe in bf16: only the network runs in it.
    predictions = model(images)
    with torch.autocast(device().type, enabled=False):
        predictions = {k: _as_float(v) for k, v in predictions.items()}
        total, parts = model.loss(batch, predictions)
    return total.sum() / len(images), {k: round(float(v), 4) for k, v in parts.items()}


def _as_float(value: torch.Tensor | list[torch.Tensor]) -> torch.Tensor | list[torch.Tensor]:
    return [v.float() for v in value] if isinstance(value, list) else value.float()
