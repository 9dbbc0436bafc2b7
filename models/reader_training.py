"""Training of the reader (`models.reader_network`) on upright crops of single cards."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
import torch
from torch import nn
from torch.nn import functional

from models.loop import Batch, device
from models.reader_network import CardReader, Outputs
from vision.crop import at_crop_size, jolted
from vision.errors import UserError
from vision.labels import CARDS, INDEX, OTHER

SMOOTHING = 0.02
"""Label smoothing: a few training crops show no index at all, and must not be learnt by heart."""

CORNERS_ALONE, WHOLE_ALONE = 0.5, 0.25
"""Weights of the losses of either look on its own: the corners must not leave courts to the other."""

GREY_ODDS = 0.06
"""How often a crop loses its colours: black-and-white pictures, and suits that must be told by shape."""

ASKEW_ODDS, ASKEW_DEGREES = 0.4, 8.0
"""How often, and by how much (standard deviation), a crop lies as under a box that is badly turned: the
greatest single cause of misread photographs before it was trained for."""


SIDEWAYS_ODDS = 0.06
"""How often a crop is cut along the wrong side, and must be read as no card. Of a half covered card, and of
one seen steeply, the box does not say which side is the short one: the reader looks at both, and the wrong
look must not be sure of anything."""


@dataclass(frozen=True, slots=True)
class CropSet:
    """Crops in shards: images (n, h, w, 3) uint8 BGR, labels (n,)."""

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
        out = jolted(crop, rng, ASKEW_DEGREES, 0.08, 0.042, bend=0.035, turn=turn)
    else:
        out = jolted(crop, rng, 1.5, 0.025, 0.0125, turn=turn)
    if rng.random() < 0.5:
        gain, lift = np.exp(rng.normal(0, 0.15)), rng.normal(0, 10)
        out = np.clip(out * np.float32(gain) + np.float32(lift), 0, 255).astype(np.uint8)
    if rng.random() < GREY_ODDS:
        out = cv2.cvtColor(cv2.cvtColor(out, cv2.COLOR_BGR2GRAY), cv2.COLOR_GRAY2BGR)
    if rng.random() < 0.12:  # a finger, a chip, a highlight over part of it
        h = int(rng.integers(height // 14, height * 2 // 5))
        w = int(rng.integers(width // 10, width // 2))
        y, x = int(rng.integers(0, height - h)), int(rng.integers(0, width - w))
        out[y : y + h, x : x + w] = rng.integers(0, 256, 3)
    return out


def sideways(crop: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """The crop as cut from the same box with its sides taken for one another."""
    turned = np.rot90(crop, 1 if rng.random() < 0.5 else 3)
    return cv2.resize(turned, (crop.shape[1], crop.shape[0]), interpolation=cv2.INTER_LINEAR)


class ReaderData:
    """Batches of shaken crops, some of them sideways."""

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
            crops = (at_crop_size(self.crops.images[s][i]) for s, i in rows)
            images = [shaken(crop, rng, self.askew_odds) for crop in crops]
            labels = np.array([self.crops.labels[s][i] for s, i in rows], np.int64)
            for k in np.flatnonzero(rng.random(len(rows)) < SIDEWAYS_ODDS):
                images[k] = sideways(images[k], rng)
                labels[k] = INDEX[OTHER] if labels[k] < len(CARDS) else labels[k]
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


def new_reader(base: Path | None = None, scale: str = "n") -> CardReader:
    """A reader over `vision.labels.LABELS`, from scratch or from a checkpoint.

    Of a checkpoint that is a plain Ultralytics classifier the look at the whole card is taken.
    """
    model = CardReader(scale)
    if base is not None:
        kept = torch.load(base, map_location="cpu", weights_only=False)["model"].float()
        if isinstance(kept, CardReader):
            model.load_state_dict(kept.state_dict())
        else:
            model.whole.load(kept)
    return model


def reader_loss(
    model: nn.Module, batch: Batch, smoothing: float = SMOOTHING
) -> tuple[torch.Tensor, dict[str, float]]:
    """Cross-entropy with a little smoothing, of both looks together and of each on its own."""
    inputs = batch["img"].to(device()).float().div_(255)
    out: Outputs = model(inputs.contiguous(memory_format=torch.channels_last))
    labels = batch["cls"].to(device())
    both, corners, whole = (
        functional.cross_entropy(logits.float(), labels, label_smoothing=smoothing)
        for logits in (out.logits, out.corners, out.whole)
    )
    loss = both + CORNERS_ALONE * corners + WHOLE_ALONE * whole
    figures = {"loss": both, "corners": corners, "whole": whole}
    right = (out.logits.argmax(1) == labels).float().mean()
    return loss, {k: round(float(v.detach()), 4) for k, v in {**figures, "right": right}.items()}
