"""`sueca datasets build` and `check`: one seed, one dataset, however often the build was interrupted."""

import json
import shutil
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from datasets import art, build, packages
from datasets.cli import app
from datasets.manifest import File, Manifest, read, write
from vision.crop import CROP_HEIGHT, CROP_WIDTH
from vision.errors import UserError

CROPS, SCENES, SEED = 6, 2, 1
NAMES = ["crops-0000.npz", "scenes-0000.npz"]
TRAINING_PAGE = Path(__file__).parents[2] / "docs" / "training.md"


@pytest.fixture(scope="module", autouse=True)
def two_photographs(tmp_path_factory: pytest.TempPathFactory):
    """A cache with two squares to lie under cards: what is installed here makes no difference."""
    cache = tmp_path_factory.mktemp("cache")
    squares = np.random.default_rng(0).integers(0, 255, (2, 640, 640, 3), np.uint8)
    np.save(cache / "backgrounds-1600-640.npy", squares)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SUECA_CACHE", str(cache))
        yield


def built(out: Path, *more: str) -> dict[str, object]:
    """What a build of drawn decks says; an option given again counts."""
    options = {"--crops": CROPS, "--scenes": SCENES, "--seed": SEED, "--decks": "drawn"}
    words = [str(word) for pair in options.items() for word in pair]
    result = CliRunner().invoke(app, ["build", "--out", str(out), *words, *more, "--json"])
    if result.exception:
        raise result.exception
    return json.loads(result.stdout)


def faults(folder: Path) -> list[str]:
    """What `check` finds; its exit status is 1 where it finds anything."""
    result = CliRunner().invoke(app, ["check", str(folder), "--json"])
    if not result.stdout:
        raise result.exception
    said = json.loads(result.stdout)
    assert result.exit_code == (1 if said["faults"] else 0)
    return said["faults"]


@pytest.fixture(scope="module")
def first(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A dataset built by two processes; only to be looked at."""
    folder = tmp_path_factory.mktemp("first") / "data"
    built(folder, "--jobs", "2")
    return folder


@pytest.fixture
def data(first: Path, tmp_path: Path) -> Path:
    """A copy of it, to do things to."""
    return Path(shutil.copytree(first, tmp_path / "data"))


def shard(folder: Path, name: str, count: int) -> None:
    """A shard of so many blank crops."""
    images = np.zeros((count, CROP_HEIGHT, CROP_WIDTH, 3), np.uint8)
    np.savez(folder / name, images=images, labels=np.full(count, 41), pixels=np.ones(count))


def test_a_build_writes_its_shards_and_a_manifest_of_them(first: Path) -> None:
    assert sorted(path.name for path in first.iterdir()) == [NAMES[0], "manifest.json", NAMES[1]]
    manifest = read(first)
    assert manifest is not None
    assert (manifest.seed, manifest.made_of) == (SEED, "drawn")
    assert manifest.asked == {"crops": CROPS, "scenes": SCENES}
    assert [manifest.files[name].count for name in NAMES] == [CROPS, SCENES]
    with np.load(first / NAMES[0]) as crops:
        assert crops["images"].shape == (CROPS, CROP_HEIGHT, CROP_WIDTH, 3)
    with np.load(first / NAMES[1]) as scenes:
        assert len(scenes["counts"]) == SCENES
        assert scenes["counts"].sum() == len(scenes["quads"])


def test_one_process_builds_the_same_bytes_as_two_in_place_of_what_is_gone_or_cut_short(
    first: Path, data: Path
) -> None:
    whole = (first / NAMES[0]).read_bytes()
    (data / NAMES[0]).write_bytes(whole[: len(whole) // 2])
    (data / NAMES[1]).unlink()
    assert f"{NAMES[0]}: cannot be read" in faults(data)
    built(data, "--jobs", "1")
    for name in (*NAMES, "manifest.json"):
        assert (data / name).read_bytes() == (first / name).read_bytes()


def test_an_interrupted_build_goes_on_with_what_is_missing(first: Path, data: Path) -> None:
    (data / NAMES[1]).unlink()
    (data / "scenes-0000.part").write_bytes(b"half a shard")
    before = (data / NAMES[0]).stat().st_mtime_ns
    built(data)
    assert (data / NAMES[0]).stat().st_mtime_ns == before
    assert (data / NAMES[1]).read_bytes() == (first / NAMES[1]).read_bytes()
    assert faults(data) == []


def test_asked_for_more_a_smaller_last_shard_is_built_anew_and_begins_alike(data: Path) -> None:
    with np.load(data / NAMES[0]) as small:
        images = small["images"]
    built(data, "--crops", str(CROPS + 2))
    with np.load(data / NAMES[0]) as grown:
        assert len(grown["labels"]) == CROPS + 2
        assert np.array_equal(grown["images"][:CROPS], images)
    assert faults(data) == []


def test_another_kind_alone_may_be_added_later(data: Path) -> None:
    built(data, "--crops", "0")
    manifest = read(data)
    assert manifest is not None
    assert manifest.asked == {"crops": CROPS, "scenes": SCENES}
    assert sorted(manifest.files) == NAMES


@pytest.mark.parametrize(
    ("more", "says"),
    [
        (["--seed", "2", "--crops", "60"], "holds pictures of seed 1: go on with --seed 1, or"),
        (["--crops", "5"], "holds 6 crops already, of a larger build than --crops 5: ask for"),
        (["--scenes", "1"], "holds 2 scenes already, of a larger build than --scenes 1: ask for"),
        (["--decks", "packages"], "holds pictures made of drawn decks"),
    ],
)
def test_a_folder_of_another_dataset_is_refused_and_left_as_it_is(
    data: Path, more: list[str], says: str
) -> None:
    before = {path.name: path.read_bytes() for path in data.iterdir()}
    with pytest.raises(UserError) as refused:
        built(data, *more)
    assert says in str(refused.value)
    assert str(data) in str(refused.value)
    assert str(refused.value).endswith("choose another --out")
    assert "\n" not in str(refused.value)
    assert {path.name: path.read_bytes() for path in data.iterdir()} == before


def test_the_seed_is_known_before_the_first_shard_is_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def power_cut(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(build, "ProcessPoolExecutor", power_cut)
    with pytest.raises(KeyboardInterrupt):
        build.build(tmp_path, CROPS, SCENES, SEED, decks="drawn")
    with pytest.raises(UserError, match="holds pictures of seed 1"):
        build.build(tmp_path, CROPS, SCENES, SEED + 1, decks="drawn")
    assert faults(tmp_path) == [
        f"0 of {n} {kind} are built: run the same 'sueca datasets build' again"
        for kind, n in (("crops", CROPS), ("scenes", SCENES))
    ]


def test_pictures_of_a_seed_that_nobody_knows_are_not_gone_on_with(tmp_path: Path) -> None:
    shard(tmp_path, NAMES[0], 2)
    with pytest.raises(UserError, match="nothing that says of which seed: choose another --out"):
        build.build(tmp_path, CROPS, 0, decks="drawn")


def test_a_manifest_that_is_none_is_refused_in_a_line(tmp_path: Path) -> None:
    (tmp_path / "manifest.json").write_text('{"files": {"crops-0000.npz": 3}}')
    with pytest.raises(UserError, match=r"manifest\.json is no manifest of a dataset: build into"):
        build.build(tmp_path, CROPS, 0, decks="drawn")


def test_a_dataset_as_built_has_no_faults(first: Path) -> None:
    assert faults(first) == []


def test_check_says_in_what_the_files_differ_from_the_manifest(tmp_path: Path) -> None:
    files = {f"crops-000{i}.npz": File(3, "0" * 64) for i in range(3)}
    write(tmp_path, Manifest(SEED, "drawn", files=files))
    shard(tmp_path, "crops-0000.npz", 3)
    shard(tmp_path, "crops-0001.npz", 2)
    shard(tmp_path, "crops-0003.npz", 3)
    assert faults(tmp_path) == [
        "crops-0000.npz: not the file that was built: its hash is not the manifest's",
        "crops-0001.npz: 2 pictures, 3 in the manifest",
        "crops-0002.npz: in the manifest, but not in the folder",
        "crops-0003.npz: not in the manifest",
    ]


def test_a_file_altered_since_it_was_built_is_told_after_more_was_built_too(data: Path) -> None:
    shard(data, NAMES[0], CROPS)
    built(data, "--scenes", "0")
    assert faults(data) == [
        f"{NAMES[0]}: not the file that was built: its hash is not the manifest's"
    ]


def test_the_manifest_names_the_packages_used_their_licences_and_where_each_says_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(packages, "DEBIAN_DOCS", tmp_path)
    monkeypatch.setenv("SUECA_NPM", str(tmp_path / "npm"))
    for name in ("gnome-cards-data", "mate-backgrounds", "fonts-dejavu"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "copyright").touch()
    (tmp_path / "npm" / "x_svg-cards-4.0.2.tgz" / "package").mkdir(parents=True)
    names = {made_of: [p["name"] for p in packages.used(made_of)] for made_of in build.DECKS}
    decks = ["Debian gnome-cards-data", "npm svg-cards"]
    assert names == {
        "all": [*decks, "Debian mate-backgrounds", "Debian fonts-dejavu"],
        "packages": [*decks, "Debian mate-backgrounds"],
        "composed": [*decks, "Debian mate-backgrounds", "Debian fonts-dejavu"],
        "drawn": ["Debian mate-backgrounds"],
    }
    assert packages.used("all")[1] == {
        "name": "npm svg-cards",
        "gives": "decks",
        "licence": "LGPL-2.1",
        "found": str(tmp_path / "npm" / "x_svg-cards-4.0.2.tgz" / "package"),
    }


@pytest.mark.parametrize("package", packages.PACKAGES, ids=lambda package: package.name)
def test_packages_and_licences_are_those_of_the_training_page(package: packages.Package) -> None:
    source, _, name = package.name.partition(" ")
    rows = [line for line in TRAINING_PAGE.read_text().splitlines() if line.startswith("|")]
    (row,) = [line for line in rows if f"`{name}`" in line]
    assert row.startswith(f"| {source} ")
    assert row.endswith(f"| {package.licence} |")


def test_where_nothing_is_installed_drawn_decks_lie_on_cloths_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SUECA_CACHE", str(tmp_path))
    monkeypatch.setattr(art, "WALLPAPERS", ())
    monkeypatch.setattr(art, "UFO_TEXTURES", tmp_path / "none")
    assert art.backgrounds().shape == (0, 640, 640, 3)
    assert list(tmp_path.iterdir()) == []
