"""`sueca datasets build`: training crops and scenes in shards, the same for the same seed.

A shard is written whole or not at all, so an interrupted build goes on where it stopped. Layout:

    OUT/crops-0003.npz   images (n, 192, 128, 3) uint8 BGR, labels (n,), pixels (n,) card length
    OUT/scenes-0003.npz  jpeg (bytes, uint8), ends (n,), counts (n,), quads (m, 4, 2),
                         classes (m,), labels (m,)
    OUT/manifest.json    counts, seed, decks, packages and the SHA-256 of every shard
"""

import hashlib
import json
import os
from collections.abc import Callable, Iterable
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from functools import lru_cache
from multiprocessing import get_context
from pathlib import Path

import cv2
import numpy as np
from rich.console import Console
from rich.progress import Progress

from datasets.art import RANKS_13, Deck, backgrounds, package_decks
from datasets.compose import compose_deck, swapped_courts
from datasets.crops import make_crop
from datasets.drawn_art import drawn_as_art
from datasets.scenes import make_scene
from vision.errors import UserError
from vision.labels import LABELS

CROPS_A_SHARD = 4000
SCENES_A_SHARD = 500
SCENE_JPEG_QUALITY = 94

SPAWN = get_context("spawn")
"""Forked children of a process in which OpenCV has run threads hang."""

COMPOSED_A_SHARD, DRAWN_A_SHARD = 11, 5
REPEATS = 5
"""A composed or drawn deck counts this often, so that about two crops in five come from package decks (half
of them with their courts' pictures swapped), two from composed ones and one from drawn ones."""

DECKS = ("all", "packages", "composed", "drawn")
"""What a dataset may be made of: the mix that the weights are trained on, or one kind of deck, to tell what
each is worth (`models.factors`). The package decks alone are as published, courts in their places."""

DRAWN_SEED_BASE = 1_000_000
"""Training decks are drawn from seeds the simulator's own decks never use."""


@dataclass(frozen=True, slots=True)
class Shard:
    """One unit of work: which kind, its number, how many pictures, and of which of `DECKS`."""

    kind: str
    number: int
    count: int
    decks: str = "all"

    @property
    def name(self) -> str:
        return f"{self.kind}-{self.number:04d}.npz"


@lru_cache(maxsize=1)
def _train_packages() -> list[Deck]:
    return [deck for deck in package_decks() if not deck.held_out]


def deck_mix(seed: int, number: int, kind: str = "all") -> list[Deck]:
    """The decks of one shard, of one of `DECKS`; a deck listed twice is drawn twice as often. None is held
    out."""
    if kind not in DECKS:
        raise KeyError(kind)
    first = (seed * 1000 + number) * 100
    if kind == "packages":
        return _train_packages()
    if kind == "drawn":
        return _drawn(first)
    french = [d for d in _train_packages() if d.french and len(d.faces) >= len(RANKS_13) * 4]
    composed = [compose_deck(first + i, french) for i in range(COMPOSED_A_SHARD)]
    if kind == "composed":
        return composed
    swapped = [swapped_courts(deck, first + i, french) for i, deck in enumerate(french)]
    return _train_packages() + swapped + (composed + _drawn(first)) * REPEATS


def _drawn(first: int) -> list[Deck]:
    return [drawn_as_art(DRAWN_SEED_BASE + first + i) for i in range(DRAWN_A_SHARD)]


def write_shard(target: Path, **arrays: np.ndarray) -> None:
    """Write `target` (.npz), whole or not at all."""
    part = target.with_suffix(".part.npz")
    np.savez(part, **arrays)
    part.replace(target)


def _build_crops(target: Path, shard: Shard, seed: int) -> None:
    decks, photographs = deck_mix(seed, shard.number, shard.decks), backgrounds()
    rng = np.random.default_rng((seed, 1, shard.number))
    crops = [make_crop(rng, decks, photographs) for _ in range(shard.count)]
    write_shard(
        target,
        images=np.stack([c.image for c in crops]),
        labels=np.array([c.label for c in crops], np.int16),
        pixels=np.array([c.pixels for c in crops], np.float32),
    )


def _build_scenes(target: Path, shard: Shard, seed: int) -> None:
    decks, photographs = deck_mix(seed, shard.number, shard.decks), backgrounds()
    rng = np.random.default_rng((seed, 2, shard.number))
    scenes = [make_scene(rng, decks, photographs) for _ in range(shard.count)]
    quality = [cv2.IMWRITE_JPEG_QUALITY, SCENE_JPEG_QUALITY]
    data = [cv2.imencode(".jpg", s.image, quality)[1].ravel() for s in scenes]
    write_shard(
        target,
        jpeg=np.concatenate(data),
        ends=np.cumsum([len(d) for d in data]),
        quads=np.concatenate([s.quads for s in scenes]),
        classes=np.concatenate([s.classes for s in scenes]),
        labels=np.concatenate([s.labels for s in scenes]),
        counts=np.array([len(s.quads) for s in scenes]),
    )


_BUILDERS: dict[str, Callable[[Path, Shard, int], None]] = {
    "crops": _build_crops,
    "scenes": _build_scenes,
}


def _work(folder: Path, shard: Shard, seed: int) -> Shard:
    cv2.setNumThreads(1)
    _BUILDERS[shard.kind](folder / shard.name, shard, seed)
    return shard


def shards_of(kind: str, total: int, size: int, decks: str = "all") -> list[Shard]:
    """`total` pictures cut into shards of `size`, the last one smaller."""
    return [
        Shard(kind, number, min(size, total - number * size), decks)
        for number in range(-(-total // size))
    ]


def build(
    folder: Path, crops: int, scenes: int, seed: int = 1, jobs: int = 2, decks: str = "all"
) -> Path:
    """Build what is missing of a dataset and return its manifest's path.

    `decks` is one of `DECKS`.

    Raises:
        UserError: the folder cannot be written or holds a dataset made of other decks, or no card art is
            installed.
    """
    _same_decks(folder / "manifest.json", decks)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UserError(f"cannot write the dataset to {folder}: {error.strerror}") from error
    wanted = [
        *shards_of("scenes", scenes, SCENES_A_SHARD, decks),
        *shards_of("crops", crops, CROPS_A_SHARD, decks),
    ]
    missing = [s for s in wanted if not (folder / s.name).exists()]
    backgrounds()
    package_decks()
    with (
        Progress(console=Console(stderr=True)) as progress,
        ProcessPoolExecutor(jobs, mp_context=SPAWN) as pool,
    ):
        task = progress.add_task("building", total=sum(s.count for s in missing))
        futures = [pool.submit(_work, folder, shard, seed) for shard in missing]
        for future in as_completed(futures):
            progress.advance(task, future.result().count)
    return write_manifest(folder, wanted, seed, decks)


def _same_decks(manifest: Path, decks: str) -> None:
    """Refuse to go on with a dataset that was begun with other decks: its shards would be taken for these."""
    try:
        known = json.loads(manifest.read_text()).get("made_of", "all")
    except (OSError, ValueError):
        return  # none yet, or none that says anything: every shard that is there is kept
    if known != decks:
        raise UserError(
            f"{manifest.parent} holds pictures made of {known} decks: choose another --out"
        )


def write_manifest(folder: Path, shards: Iterable[Shard], seed: int, made_of: str = "all") -> Path:
    """Write `manifest.json`: what was built, out of what, and the hash of every file."""
    decks = [
        {"name": d.name, "artist": d.artist, "use": "held out" if d.held_out else "train"}
        for d in package_decks()
    ]
    files = {
        shard.name: {
            "count": shard.count,
            "sha256": hashlib.sha256((folder / shard.name).read_bytes()).hexdigest(),
        }
        for shard in shards
    }
    manifest = {
        "seed": seed,
        "made_of": made_of,
        "labels": list(LABELS),
        "decks": decks,
        "composed_a_shard": COMPOSED_A_SHARD,
        "drawn_a_shard": DRAWN_A_SHARD,
        "licences": "card art and textures: as the packages say (docs/training.md); not to be committed",
        "files": files,
    }
    target = folder / "manifest.json"
    part = target.with_suffix(".part")
    part.write_text(json.dumps(manifest, indent=1, ensure_ascii=False) + os.linesep)
    part.replace(target)
    return target
