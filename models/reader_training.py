"""Training of the reader: a YOLO nano classification network on upright crops of single cards."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch import nn
from torch.nn import functional
from ultralytics.nn.tasks import ClassificationModel

from models.loop import Batch, device
from vision.crop import jolted
from vision.errors import UserError
from vision.labels import LABELS

SMOOTHING = 0.02
"""Label smoothing: a few training crops show no index at all, and must not be learnt by heart."""


ASKEW_ODDS, ASKEW_DEGREES = 0.4, 8.0
"""How often, and by how much (standard deviation), a crop lies as under a box that is badly turned: the
greatest single cause of misread photographs before it was trained for."""


@dataclass(frozen=True, slots=True)
class CropSet:
    """Crops in shards: images (n, 144, 96, 3) uint8 BGR, labels (n,)."""

    images: list[np.ndarray]
    labels: list[np.ndarray]

    def __len__(self) -> int:
        return sum(len(shard) for shard in self.labels)


def load_crops(folder: Path) -> CropSet:
    """All `crops-*.npz` of a built dataset.

    Raises:
        UserError: the folder holds none.
    """
    images, labels = [], []
    for path in sorted(folder.glob("crops-*.npz")):
        shard = np.load(path)
        images.append(shard["images"])
        labels.append(shard["labels"])
    if not labels:
        raise UserError(f"no crops in {folder}: run 'sueca datasets build --out {folder}' first")
    return CropSet(images, labels)


def shaken(
    crop: np.ndarray, rng: np.random.Generator, askew_odds: float = ASKEW_ODDS
) -> np.ndarray:
    """The crop turned about, askew, its light changed, partly hidden; never mirrored."""
    height, width = crop.shape[:2]
    askew = rng.random() < askew_odds
    turn = 180.0 if rng.random() < 0.5 else 0.0
    if askew:
        out = jolted(crop, rng, ASKEW_DEGREES, 0.08, 4.0, bend=0.035, turn=turn)
    else:
        out = jolted(crop, rng, 1.5, 0.025, 1.2, turn=turn)
    if rng.random() < 0.5:
        gain, lift = np.exp(rng.normal(0, 0.15)), rng.normal(0, 10)
        out = np.clip(out * np.float32(gain) + np.float32(lift), 0, 255).astype(np.uint8)
    if rng.random() < 0.12:  # a finger, a chip, a highlight over part of it
        h, w = int(rng.integers(10, 60)), int(rng.integers(10, 45))
        y, x = int(rng.integers(0, height - h)), int(rng.integers(0, width - w))
        out[y : y + h, x : x + w] = rng.integers(0, 256, 3)
    return out


class ReaderData:
    """Batches of shaken crops."""

    def __init__(self, crops: CropSet, batch: int = 128, seed: int = 1, askew: bool = True) -> None:
        self.crops, self.batch, self.seed = crops, batch, seed
        self.askew_odds = ASKEW_ODDS if askew else 0.0
        self.index = np.array(
            [(s, i) for s, labels in enumerate(crops.labels) for i in range(len(labels))], np.int32
        )

    def __len__(self) -> int:
        return len(self.index) // self.batch

    def batches(self, epoch: int) -> Iterator[Batch]:
        rng = np.random.default_rng((self.seed, epoch))
        order = self.index[rng.permutation(len(self.index))]
        for start in range(0, len(self) * self.batch, self.batch):
            rows = order[start : start + self.batch]
            images = [shaken(self.crops.images[s][i], rng, self.askew_odds) for s, i in rows]
            labels = np.array([self.crops.labels[s][i] for s, i in rows], np.int64)
            yield {
                "img": to_input(np.stack([self.finished(image) for image in images])),
                "cls": torch.from_numpy(labels),
            }

    def finished(self, image: np.ndarray) -> np.ndarray:
        """What is done to a shaken crop last; here nothing."""
        return image


def to_input(images: np.ndarray) -> torch.Tensor:
    """(n, h, w, 3) uint8 BGR to (n, 3, h, w) uint8 RGB."""
    return torch.from_numpy(np.ascontiguousarray(images[..., ::-1].transpose(0, 3, 1, 2)))


def new_reader(base: Path | None = None, scale: str = "n") -> ClassificationModel:
    """A nano classifier over `vision.labels.LABELS`, from scratch or from an Ultralytics checkpoint."""
    model = ClassificationModel(f"yolo11{scale}-cls.yaml", ch=3, nc=len(LABELS), verbose=False)
    if base is not None:
        model.load(torch.load(base, map_location="cpu", weights_only=False)["model"].float())
    model.names = dict(enumerate(LABELS))
    return model


def outputs_of(model: nn.Module, inputs: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """(n, 42) logits and (n, 1280) features of (n, 3, h, w) crops scaled to 0-1."""
    x = inputs
    for layer in model.model[:-1]:  # a plain chain: the classifier has no skip layers
        x = layer(x)
    head = model.model[-1]
    features = head.pool(head.conv(x)).flatten(1)
    return head.linear(head.drop(features)), features


def reader_loss(
    model: nn.Module, batch: Batch, smoothing: float = SMOOTHING
) -> tuple[torch.Tensor, dict[str, float]]:
    """Cross-entropy with a little smoothing."""
    inputs = batch["img"].to(device()).float().div_(255)
    logits, _ = outputs_of(model, inputs.contiguous(memory_format=torch.channels_last))
    labels = batch["cls"].to(device())
    loss = functional.cross_entropy(logits.float(), labels, label_smoothing=smoothing)
    right = (logits.argmax(1) == labels).float().mean()
    return loss, {"loss": round(float(loss), 4), "right": round(float(right), 4)}
