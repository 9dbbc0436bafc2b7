"""Comparing readers that differ in one thing: each has the same budget."""

from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch", reason="needs the train extra (PyTorch)")
pytest.importorskip("ultralytics", reason="needs the train extra (Ultralytics)")

from models import factors
from models.factors import FACTORS, Factor, first
from models.loop import Recipe
from models.reader_training import CropSet
from vision.crop import CROP_HEIGHT, CROP_WIDTH


def crops(count: int, label: int, shard: int) -> CropSet:
    """`count` black crops in shards of `shard`."""
    sizes = [min(shard, count - start) for start in range(0, count, shard)]
    images = [np.zeros((n, CROP_HEIGHT, CROP_WIDTH, 3), np.uint8) for n in sizes]
    return CropSet(images, [np.full(n, label) for n in sizes])


def write(folder: Path, some: CropSet) -> Path:
    folder.mkdir(parents=True)
    for number, (images, labels) in enumerate(zip(some.images, some.labels, strict=True)):
        np.savez(folder / f"crops-{number:04d}.npz", images=images, labels=labels)
    return folder


def test_the_first_crops_of_a_set_run_on_over_its_shards() -> None:
    some = first(crops(10, 3, shard=4), 6)
    assert [len(labels) for labels in some.labels] == [4, 2, 0]
    assert [len(images) for images in some.images] == [4, 2, 0]


def test_real_photographs_take_the_place_of_made_crops_and_cost_no_more_steps(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[np.ndarray] = []

    def noted(model: object, data: factors.ReaderData, *_: object) -> object:
        seen.append(np.concatenate(data.crops.labels))
        return model

    monkeypatch.setattr(factors, "train", noted)
    made = write(tmp_path / "made", crops(20, 1, shard=8))
    real = write(tmp_path / "real", crops(30, 2, shard=3))
    factor = Factor("with real photographs", real=True)
    factors.trained(factor, made, real, tmp_path / "out", Recipe(1, 0.002), 1, None)
    assert np.bincount(seen[0]).tolist() == [0, 16, 4]


def test_a_variant_made_of_other_decks_is_left_out_where_there_are_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trained: list[Path] = []

    def noted(factor: Factor, data: Path, *_: object) -> object:
        trained.append(data)
        raise StopIteration

    nothing = factors.Pictures(np.zeros((0, 1, 1, 3), np.uint8), np.zeros(0))
    monkeypatch.setattr(factors, "at_truth", lambda *_: nothing)
    monkeypatch.setattr(factors, "one_a_card", lambda *_: nothing)
    monkeypatch.setattr(factors, "trained", noted)
    drawn = [factor for factor in FACTORS if factor.mix == "drawn"]
    places = (tmp_path / "data", tmp_path / "real", tmp_path / "dev.json")
    assert factors.measure(drawn, *places, tmp_path / "out", 1) == []
    with pytest.raises(StopIteration):
        factors.measure(drawn, *places, tmp_path / "out", 1, mixes=tmp_path / "mixes")
    assert trained == [tmp_path / "mixes" / "drawn"]
