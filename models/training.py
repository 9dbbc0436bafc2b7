"""What `sueca models train` runs: data, network, loop, and the checkpoint that is kept."""

import datetime
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import torch
from torch import nn

from models.finder_training import FinderData, SceneSet, finder_loss, load_scenes, new_finder
from models.loop import Recipe, repeats, train
from models.reader_training import CropSet, ReaderData, load_crops, new_reader, reader_loss
from models.verifier_training import VerifierData, new_verifier, train_set, verifier_loss, weigh
from models.views import load_views
from vision.labels import LABELS

FINDER_BATCH, READER_BATCH, VERIFIER_BATCH = 24, 128, 256

REAL_SHARE = 0.2
"""Of a mixed training set this much is real photographs, repeated as needed: one deck among very many."""


TASKS = {"reader": "classify", "verifier": "classify"}
"""What Ultralytics calls what the networks do; the others find oriented boxes."""


@dataclass(frozen=True, slots=True)
class Job:
    """One training run, as given on the command line."""

    data: Path
    out: Path
    epochs: int
    rate: float
    batch: int
    base: Path | None
    real: Path | None
    seed: int


def _keep(model: nn.Module, job: Job, name: str) -> Path:
    """Save the averaged network as an Ultralytics checkpoint, for those who train on; its path."""
    kept = {
        "model": model.half(),
        "train_args": {"task": TASKS.get(name, "obb"), "epochs": job.epochs},
        "date": datetime.datetime.now(datetime.UTC).isoformat(),
        "license": "AGPL-3.0-or-later",
    }
    path = job.out / f"{name}.pt"
    torch.save(kept, path)
    return path


def joined(made: SceneSet, real: SceneSet, part: float) -> SceneSet:
    """Made scenes with real ones repeated among them."""
    times = repeats(len(made.jpeg), len(real.jpeg), part)
    return SceneSet(
        made.jpeg + real.jpeg * times,
        made.quads + real.quads * times,
        made.classes + real.classes * times,
    )


def train_finder(job: Job) -> Path:
    """Train the finder on the scenes of `job.data`."""
    return _train_boxes(job, "finder", new_finder(job.base), "classes")


def train_one_stage(job: Job) -> Path:
    """Train one network to find and read at once, on the scenes of `job.data`: what the two stages are
    compared with."""
    return _train_boxes(job, "one-stage", new_finder(job.base, LABELS), "labels")


def _train_boxes(
    job: Job, name: str, model: nn.Module, classes: Literal["classes", "labels"]
) -> Path:
    scenes = load_scenes(job.data, classes)
    if job.real is not None:
        scenes = joined(scenes, load_scenes(job.real, classes), REAL_SHARE)
    data = FinderData(scenes, job.batch or FINDER_BATCH, job.seed)
    recipe = Recipe(job.epochs, job.rate)
    return _keep(train(model, data, finder_loss, recipe, job.out), job, name)


def train_reader(job: Job) -> Path:
    """Train the reader on the crops of `job.data`."""
    model = new_reader(job.base)
    crops = load_crops(job.data)
    if job.real is not None:
        real = load_crops(job.real)
        times = repeats(len(crops), len(real), REAL_SHARE)
        crops = CropSet(crops.images + real.images * times, crops.labels + real.labels * times)
    data = ReaderData(crops, job.batch or READER_BATCH, job.seed)
    recipe = Recipe(job.epochs, job.rate)
    return _keep(train(model, data, reader_loss, recipe, job.out), job, "reader")


def train_verifier(job: Job) -> Path:
    """Train the verifier on the views of `job.data`; on the last its word and the finder's are weighed."""
    real = load_views(job.real) if job.real is not None else []
    learnt, held_back = train_set(load_views(job.data), real, REAL_SHARE)
    data = VerifierData(learnt, job.batch or VERIFIER_BATCH, job.seed)
    model = train(
        new_verifier(job.base), data, verifier_loss, Recipe(job.epochs, job.rate), job.out
    )
    weigh(model, held_back)
    return _keep(model, job, "verifier")


RUN: dict[str, Callable[[Job], Path]] = {
    "finder": train_finder,
    "verifier": train_verifier,
    "reader": train_reader,
    "one-stage": train_one_stage,
}
"""By name; each gives the path of the checkpoint it wrote."""
