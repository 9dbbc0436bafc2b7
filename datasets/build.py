"""`sueca datasets build`: training crops and scenes in shards, the same for the same seed.

A shard is written whole or not at all, so an interrupted build goes on where it stopped. Layout:

    OUT/crops-0003.npz   images (n, 192, 128, 3) uint8 BGR, labels (n,), pixels (n,) card length
    OUT/scenes-0003.npz  jpeg (bytes, uint8), ends (n,), counts (n,), quads (m, 4, 2),
                         classes (m,), labels (m,)
    OUT/manifest.json    seed, decks, packages with their licences, and the count and SHA-256 of every shard
"""

from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from functools import lru_cache
from importlib.util import find_spec
from multiprocessing import get_context
from pathlib import Path

import cv2
import numpy as np
from rich.console import Console
from rich.progress import Progress

from datasets import manifest as manifests
from datasets.art import RANKS_13, Deck, backgrounds, package_decks
from datasets.crops import make_crop
from datasets.drawn_art import drawn_as_art
from datasets.manifest import File, Manifest
from datasets.packages import used
from datasets.scenes import make_scene
from vision.errors import UserError

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

COMPOSING = ("all", "composed")
"""Those in which decks are put together with the letters of typefaces, which takes Pillow."""

NO_PILLOW = "Pillow is not installed: pip install 'sueca-a-mesa[train]' (see docs/training.md)"

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
    from datasets.compose import compose_deck, swapped_courts  # needs Pillow: see NO_PILLOW

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
    part = target.with_suffix(".part")  # not .npz: half a shard must not pass for one
    with part.open("wb") as file:
        np.savez(file, **arrays)
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

    `decks` is one of `DECKS`. More pictures of the same seed may be asked for than were before: a last shard
    that was smaller is built anew. What was built of a kind of which none are asked for now stays.

    Raises:
        UserError: the folder cannot be written, holds a dataset of another seed, of other decks or of more
            pictures, or no card art is installed.
    """
    known = manifests.read(folder)
    asked = {"crops": crops, "scenes": scenes}
    wanted = [
        *shards_of("scenes", scenes, SCENES_A_SHARD, decks),
        *shards_of("crops", crops, CROPS_A_SHARD, decks),
    ]
    counts = {path.name: manifests.count_of(path) for path in manifests.shards_in(folder)}
    _same_dataset(folder, known, seed, decks, any_shards=bool(counts))
    _no_fewer(folder, counts, wanted, asked)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UserError(f"cannot write the dataset to {folder}: {error.strerror}") from error
    if decks in COMPOSING and not find_spec("PIL"):
        raise UserError(NO_PILLOW)
    backgrounds()
    missing = [s for s in wanted if counts.get(s.name) != s.count]
    manifest = Manifest(
        seed,
        decks,
        {kind: n or (known.asked.get(kind, 0) if known else 0) for kind, n in asked.items()},
        {"composed": COMPOSED_A_SHARD, "drawn": DRAWN_A_SHARD},
        _decks_used(decks),
        used(decks),
        _kept(folder, known, counts, {s.name for s in missing}),
    )
    manifests.write(folder, manifest)
    with (
        Progress(console=Console(stderr=True)) as progress,
        ProcessPoolExecutor(jobs, mp_context=SPAWN) as pool,
    ):
        task = progress.add_task("building", total=sum(s.count for s in missing))
        futures = [pool.submit(_work, folder, shard, seed) for shard in missing]
        for future in as_completed(futures):
            shard = future.result()
            manifest.files[shard.name] = manifests.file_of(folder / shard.name, shard.count)
            manifests.write(folder, manifest)
            progress.advance(task, shard.count)
    return folder / manifests.NAME


def _same_dataset(
    folder: Path, known: Manifest | None, seed: int, decks: str, *, any_shards: bool
) -> None:
    """Refuse to go on with a dataset that was begun otherwise: its shards would be taken for these."""
    if known and known.made_of != decks:
        raise UserError(
            f"{folder} holds pictures made of {known.made_of} decks: choose another --out"
        )
    if known and known.seed is not None and known.seed != seed:
        raise UserError(
            f"{folder} holds pictures of seed {known.seed}: go on with --seed {known.seed},"
            " or choose another --out"
        )
    if any_shards and (known is None or known.seed is None):
        raise UserError(
            f"{folder} holds pictures and nothing that says of which seed: choose another --out"
        )


def _no_fewer(
    folder: Path, counts: dict[str, int | None], wanted: list[Shard], asked: dict[str, int]
) -> None:
    """Refuse to call a dataset smaller than it is: who trains on the folder takes all that lies there."""
    for kind, total in asked.items():
        there = {name: n or 0 for name, n in counts.items() if manifests.kind_of(name) == kind}
        sizes = {s.name: s.count for s in wanted if s.kind == kind}
        if total and any(n > sizes.get(name, 0) for name, n in there.items()):
            raise UserError(
                f"{folder} holds {sum(there.values())} {kind} already,"
                f" of a larger build than --{kind} {total}: ask for no fewer, or choose another --out"
            )


def _kept(
    folder: Path, known: Manifest | None, counts: dict[str, int | None], missing: set[str]
) -> dict[str, File]:
    """What is there and stays, as the manifest has it: a file is hashed when it has been built, so that
    `sueca datasets check` tells whether it was altered since."""
    files = {}
    for name, count in counts.items():
        if name in missing or count is None:
            continue
        built = known.files.get(name) if known else None
        same = built is not None and built.count == count
        files[name] = built if built and same else manifests.file_of(folder / name, count)
    return files


def _decks_used(made_of: str) -> list[dict[str, str]]:
    """Every package deck, and whether it is trained on; none where all decks are drawn."""
    if made_of == "drawn":
        return []
    return [
        {"name": d.name, "artist": d.artist, "use": "held out" if d.held_out else "train"}
        for d in package_decks()
    ]
