"""`sueca datasets check`: bad labels found before they are learnt, and contact sheets to look at."""

from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np

from datasets import manifest as manifests
from datasets.build import CROPS_A_SHARD
from vision.errors import UserError
from vision.labels import LABELS
from vision.types import Image

BLANK = 3.0
"""A crop whose pixels vary less than this (standard deviation) shows nothing."""

FACE_COLOURS = ((0, 200, 0), (0, 0, 220))


@dataclass(frozen=True, slots=True)
class Checked:
    """What a dataset holds, and all that is wrong with it, a line each."""

    crops: int
    scenes: int
    boxes: int
    labels: dict[str, int]
    faults: tuple[str, ...]


def check(folder: Path) -> Checked:
    """Look through every shard of a dataset, and compare them with its manifest where it has one.

    Raises:
        UserError: the folder holds neither shards nor the manifest of an interrupted build.
    """
    manifest = manifests.read(folder)
    faults = manifests.differences(folder, manifest) if manifest else []
    unreadable = {p for p in manifests.shards_in(folder) if manifests.count_of(p) is None}
    faults += [f"{path.name}: cannot be read" for path in sorted(unreadable)]
    crop_paths, scene_paths = (
        [p for p in paths if p not in unreadable]
        for paths in _shards(folder, allow_none=manifest is not None)
    )
    labels: Counter[str] = Counter()
    crops = scenes = boxes = 0
    for path in crop_paths:
        shard = np.load(path)
        images, numbers = shard["images"], shard["labels"]
        crops += len(numbers)
        labels.update(LABELS[i] for i in numbers if 0 <= i < len(LABELS))
        faults += _crop_faults(path.name, images, numbers)
    for path in scene_paths:
        shard = np.load(path)
        scenes += len(shard["counts"])
        boxes += len(shard["quads"])
        faults += _scene_faults(path.name, shard)
    missing = [label for label in LABELS if not labels[label]] if crops >= CROPS_A_SHARD else []
    faults += [f"no crop shows {label}" for label in missing]
    return Checked(crops, scenes, boxes, dict(labels), tuple(faults))


def _shards(folder: Path, allow_none: bool = False) -> tuple[list[Path], list[Path]]:
    crops, scenes = sorted(folder.glob("crops-*.npz")), sorted(folder.glob("scenes-*.npz"))
    if not crops and not scenes and not allow_none:
        raise UserError(f"no dataset in {folder}: run 'sueca datasets build --out {folder}' first")
    return crops, scenes


def _crop_faults(name: str, images: np.ndarray, numbers: np.ndarray) -> list[str]:
    faults = []
    if len(images) != len(numbers):
        faults.append(f"{name}: {len(images)} images but {len(numbers)} labels")
    for i in np.flatnonzero((numbers < 0) | (numbers >= len(LABELS))):
        faults.append(f"{name}: crop {i} has label {numbers[i]}")
    cards = np.flatnonzero(numbers < len(LABELS) - 2)
    flat = [int(i) for i in cards if images[i].std() < BLANK]
    # A card lost in the dark or in glare happens; a tenth of them is a fault of the recipe.
    if len(flat) > len(cards) / 10:
        faults.append(
            f"{name}: {len(flat)} of {len(cards)} cards show nothing, such as crop {flat[0]}"
        )
    return faults


def _scene_faults(name: str, shard: np.lib.npyio.NpzFile) -> list[str]:
    faults = []
    quads, classes = shard["quads"], shard["classes"]
    if len(quads) != len(classes) or shard["counts"].sum() != len(quads):
        return [
            f"{name}: {len(quads)} boxes, {len(classes)} classes, {shard['counts'].sum()} counted"
        ]
    if not np.isfinite(quads).all():
        faults.append(f"{name}: a corner is not a number")
    x, y = quads[..., 0], quads[..., 1]
    area = ((x * np.roll(y, -1, axis=1)) - (np.roll(x, -1, axis=1) * y)).sum(axis=1) / 2
    for i in np.flatnonzero(area <= 0):
        faults.append(f"{name}: box {i} is mirrored or has no area")
    for i in np.flatnonzero(~np.isin(classes, (0, 1))):
        faults.append(f"{name}: box {i} has class {classes[i]}")
    return faults


def crop_sheet(folder: Path, columns: int = 20, rows: int = 8, seed: int = 0) -> Image:
    """Random crops with their labels written on them, (rows * 144, columns * 96, 3)."""
    paths, _ = _shards(folder)
    rng = np.random.default_rng(seed)
    shard = np.load(paths[int(rng.integers(len(paths)))])
    images, numbers = shard["images"], shard["labels"]
    picked = rng.permutation(len(numbers))[: rows * columns]
    tiles = []
    for i in picked:
        tile = images[i].copy()
        text = LABELS[int(numbers[i])]
        cv2.putText(tile, text, (2, 140), cv2.FONT_HERSHEY_SIMPLEX, 0.4, (255, 0, 255), 1)
        tiles.append(tile)
    return _sheet(tiles, columns)


def scene_sheet(folder: Path, columns: int = 6, rows: int = 4, seed: int = 0) -> Image:
    """Random scenes with their boxes drawn on them: green face up, red face down."""
    _, paths = _shards(folder)
    rng = np.random.default_rng(seed)
    shard = np.load(paths[int(rng.integers(len(paths)))])
    starts = np.concatenate([[0], shard["ends"][:-1]])
    firsts = np.concatenate([[0], np.cumsum(shard["counts"])[:-1]])
    tiles = []
    for i in rng.permutation(len(starts))[: rows * columns]:
        image = cv2.imdecode(shard["jpeg"][starts[i] : shard["ends"][i]], cv2.IMREAD_COLOR)
        for j in range(firsts[i], firsts[i] + shard["counts"][i]):
            colour = FACE_COLOURS[int(shard["classes"][j])]
            cv2.polylines(image, [shard["quads"][j].astype(np.int32)], True, colour, 2)
        tiles.append(cv2.resize(image, (320, 320), interpolation=cv2.INTER_AREA))
    return _sheet(tiles, columns)


def _sheet(tiles: list[Image], columns: int) -> Image:
    while len(tiles) % columns:
        tiles.append(np.zeros_like(tiles[0]))
    lines = [np.hstack(tiles[i : i + columns]) for i in range(0, len(tiles), columns)]
    return np.vstack(lines)
