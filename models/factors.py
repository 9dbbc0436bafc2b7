"""What decides how well the reader reads: one thing changed at a time, the same budget for each.

Every variant is trained on from the same reader, on the same few made crops for the same number of steps,
and read on real photographs: the cards of `shared/real/train` cut under self-labelled boxes, and those of
`dev` under their true quads. Budgets are far smaller than that of the committed weights, so only the
differences count. Without a reader to begin with all start from nothing, and it takes some thousand steps
until they tell anything: after 300 steps of 128 crops 41 cards in 100 are right.
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Literal

import cv2
import numpy as np
import torch
from torch import nn

from models.evaluate import load_photographs
from models.loop import Recipe, train
from models.reader_network import CardReader, Outputs
from models.reader_training import (
    SMOOTHING,
    CropSet,
    ReaderData,
    load_crops,
    new_reader,
    reader_loss,
    to_input,
)
from models.training import REAL_SHARE
from vision.crop import CROP_HEIGHT, CROP_WIDTH, rectify
from vision.labels import CARDS, INDEX
from vision.reader import turned

Look = Literal["logits", "whole", "corners"]
"""Both looks of the reader together, or one of them alone (`models.reader_network.Outputs`)."""

LOOKS: tuple[tuple[str, Look], ...] = (
    ("the whole card's look alone", "whole"),
    ("the corners' look alone", "corners"),
)

BATCH = 256
"""Crops read at once."""


@dataclass(frozen=True, slots=True)
class Factor:
    """One variant: what it changes (`name`) and the settings it is trained with."""

    name: str
    size: tuple[int, int] = (CROP_WIDTH, CROP_HEIGHT)
    scale: str = "n"
    smoothing: float = SMOOTHING
    askew: bool = True
    corners: bool = True
    real: bool = False
    mix: str = ""
    """The folder of crops to train on instead, in that of the mixes."""


FACTORS = (
    Factor("as committed"),
    Factor("crops of 96 x 144", size=(96, 144)),
    Factor("made of package decks only", mix="packages"),
    Factor("made of composed decks only", mix="composed"),
    Factor("made of drawn decks only", mix="drawn"),
    Factor("with real photographs (one crop in five)", real=True),
    Factor("no askew crops in training", askew=False),
    Factor("no label smoothing", smoothing=0.0),
    Factor("label smoothing 0.1", smoothing=0.1),
    Factor("without the look at the corners", corners=False),
    Factor("a network twice as wide (s)", scale="s"),
)

RATE = 0.002
WARMUP_STEPS = 50
"""A budget of some hundred steps must not be spent on warming up."""


@dataclass(frozen=True, slots=True)
class Pictures:
    """Crops to measure on: (n, 192, 128, 3) uint8 BGR and (n,) labels."""

    images: np.ndarray
    labels: np.ndarray


class _SizedData(ReaderData):
    """Training crops of another size."""

    def __init__(self, crops: CropSet, factor: Factor, seed: int) -> None:
        super().__init__(crops, seed=seed, askew=factor.askew)
        self.size = factor.size

    def finished(self, image: np.ndarray) -> np.ndarray:
        return sized(image, self.size)


class _WholeOnly(CardReader):
    """The reader that is one classifier of whole cards."""

    def forward(self, crops: torch.Tensor) -> Outputs:
        out = super().forward(crops)
        return Outputs(out.whole, out.whole, out.whole, out.features)


def sized(image: np.ndarray, size: tuple[int, int]) -> np.ndarray:
    """The picture at (width, height) `size`."""
    if (image.shape[1], image.shape[0]) == size:
        return image
    return cv2.resize(image, size, interpolation=cv2.INTER_AREA)


def at_truth(manifest: Path, degrees: float = 0.0) -> Pictures:
    """The cards of labelled photographs that have a true quad, cut under it, turned by `degrees`."""
    images, labels = [], []
    for photograph in load_photographs(manifest):
        cards = [c for c in photograph.cards if c.quad is not None and c.label in CARDS]
        if not cards:
            continue
        picture = photograph.image()
        for card in cards:
            assert card.quad is not None
            images.append(rectify(picture, turned(card.quad, degrees)))
            labels.append(INDEX[card.label])
    return Pictures(np.stack(images), np.array(labels))


def one_a_card(folder: Path, crops_a_card: int) -> Pictures:
    """One crop of every self-labelled card of the 40."""
    crops = load_crops(folder)
    images = np.concatenate(crops.images)[::crops_a_card]
    labels = np.concatenate(crops.labels)[::crops_a_card].astype(int)
    of_40 = labels < len(CARDS)
    return Pictures(images[of_40], labels[of_40])


@torch.no_grad()
def logits(
    model: nn.Module, images: np.ndarray, size: tuple[int, int], look: Look = "logits"
) -> np.ndarray:
    """(n, 42) logits of crops read one way up, of both looks together or of one alone."""
    model.eval()
    out = []
    for start in range(0, len(images), BATCH):
        some = np.stack([sized(image, size) for image in images[start : start + BATCH]])
        out.append(getattr(model(to_input(some).float().div_(255)), look).float().numpy())
    return np.concatenate(out)


def both_ways(
    model: nn.Module, images: np.ndarray, size: tuple[int, int], look: Look = "logits"
) -> np.ndarray:
    """(n, 42) logits, the mean of both ways up, as the product reads."""
    turned_over = np.ascontiguousarray(images[:, ::-1, ::-1])
    return (logits(model, images, size, look) + logits(model, turned_over, size, look)) / 2


def share_right(found: np.ndarray, pictures: Pictures) -> float:
    """How many are read right, among the 40 and `other` and `back`."""
    return round(float((found.argmax(axis=1) == pictures.labels).mean()), 4)


def first(crops: CropSet, count: int) -> CropSet:
    """The first `count` crops of a set."""
    images: list[np.ndarray] = []
    labels: list[np.ndarray] = []
    for some, named in zip(crops.images, crops.labels, strict=True):
        left = count - sum(len(part) for part in labels)
        images.append(some[:left])
        labels.append(named[:left])
    return CropSet(images, labels)


def trained(
    factor: Factor, data: Path, real: Path, out: Path, recipe: Recipe, seed: int, base: Path | None
) -> nn.Module:
    """One variant, trained from `base` or from nothing; resumed where it was left."""
    torch.manual_seed(seed)
    crops = load_crops(data)
    if factor.real:
        part = round(len(crops) * REAL_SHARE)
        made, extra = first(crops, len(crops) - part), first(load_crops(real), part)
        crops = CropSet(made.images + extra.images, made.labels + extra.labels)
    model = new_reader(base, factor.scale) if factor.corners else _WholeOnly(factor.scale)
    loss = partial(reader_loss, smoothing=factor.smoothing)
    return train(model, _SizedData(crops, factor, seed), loss, recipe, out)


def measure(
    factors: Sequence[Factor],
    data: Path,
    real: Path,
    dev: Path,
    out: Path,
    epochs: int,
    seed: int = 1,
    mixes: Path | None = None,
    base: Path | None = None,
    report: Callable[[str], None] = print,
) -> list[dict[str, float | str]]:
    """Train and read every variant; rows of name, share right on both sets, and parameters. Rows are kept
    in `out/factors.json` as they come, and a variant that has its row is not trained again. Those made of
    other decks are left out where there is no folder of `mixes`, other networks where there is a `base`."""
    out.mkdir(parents=True, exist_ok=True)
    kept = out / "factors.json"
    rows: list[dict[str, float | str]] = json.loads(kept.read_text()) if kept.exists() else []
    true, boxed = at_truth(dev), one_a_card(real, 3)
    if base is not None and not rows:
        rows.append(
            _row("the reader all others are trained on from", new_reader(base), true, boxed)
        )
    for factor in factors:
        done = any(row["name"] == factor.name for row in rows)
        another = not factor.corners or factor.scale != "n"
        if done or (factor.mix and mixes is None) or (another and base is not None):
            continue
        crops = mixes / factor.mix if mixes is not None and factor.mix else data
        folder = out / factor.name.replace(" ", "-")
        rate = RATE if base is None else RATE / 2
        recipe = Recipe(epochs, rate, warmup_steps=WARMUP_STEPS)
        model = trained(factor, crops, real, folder, recipe, seed, base)
        parameters = sum(p.numel() for p in model.parameters())
        row = _row(factor.name, model, true, boxed, factor.size)
        rows.append({**row, "parameters": parameters})
        if factor == FACTORS[0]:
            rows += _reading_variants(model, true, boxed, dev)
        kept.write_text(json.dumps(rows, indent=1))
        report(f"{factor.name}: {rows[-1]}")
    return rows


def _row(
    name: str,
    model: nn.Module,
    true: Pictures,
    boxed: Pictures,
    size: tuple[int, int] = (CROP_WIDTH, CROP_HEIGHT),
    look: Look = "logits",
) -> dict[str, float | str]:
    """What a network reads right on both sets."""
    return {
        "name": name,
        "dev, true quads": share_right(both_ways(model, true.images, size, look), true),
        "train, boxes": share_right(both_ways(model, boxed.images, size, look), boxed),
    }


def _reading_variants(
    model: nn.Module, true: Pictures, boxed: Pictures, dev: Path
) -> list[dict[str, float | str]]:
    """The same network read in other ways: one way up only, and under several turns."""
    size = (CROP_WIDTH, CROP_HEIGHT)
    turns = [both_ways(model, at_truth(dev, d).images, size) for d in (-7.0, 7.0)]
    straight = both_ways(model, true.images, size)
    return [
        {
            "name": "read one way up only",
            "dev, true quads": share_right(logits(model, true.images, size), true),
            "train, boxes": share_right(logits(model, boxed.images, size), boxed),
        },
        {
            "name": "mean of three crops, turned by -7, 0 and 7 degrees",
            "dev, true quads": share_right((straight + turns[0] + turns[1]) / 3, true),
            "train, boxes": "–",
        },
        *(_row(name, model, true, boxed, size, look) for name, look in LOOKS),
    ]


def table(rows: Sequence[dict[str, float | str]]) -> str:
    """Markdown: a row a variant."""
    head = "| changed | dev, true quads | train, boxes | parameters |\n|---|---|---|---|"
    lines = [
        f"| {r['name']} | {r['dev, true quads']} | {r['train, boxes']} | {r.get('parameters', '')} |"
        for r in rows
    ]
    return "\n".join([head, *lines])


def report(rows: Sequence[dict[str, float | str]], epochs: int, from_nothing: bool) -> str:
    """The committed page."""
    begun = "from nothing" if from_nothing else "on from one and the same reader"
    return f"""# What decides how well cards are read

Written by `sueca models factors --epochs {epochs}`. Each reader is trained {begun} for {epochs} passes
over equally many crops and differs from the one as committed in one thing only; the rows below that one
without parameters read with the same network in another way. Share of cards read right: on
`shared/real/dev` at the true quads, and on `shared/real/train` under self-labelled boxes (the row trained
with real photographs has seen part of these).

{table(rows)}
"""
