"""The manifest of a built dataset: of which seed and decks it is, out of which packages, and what was built.

It is written before the first shard and after each, so that an interrupted build is known for what it is.
"""

import hashlib
import json
import os
import zipfile
from dataclasses import asdict, dataclass, field
from pathlib import Path

import numpy as np

from vision.errors import UserError
from vision.labels import LABELS

NAME = "manifest.json"

KINDS = {"crops": "labels", "scenes": "counts"}
"""The kinds of shard, and the array of each that has one element a picture."""


@dataclass(frozen=True, slots=True)
class File:
    """A shard as it was built: how many pictures are in it, and the SHA-256 of the file."""

    count: int
    sha256: str


@dataclass(frozen=True, slots=True)
class Manifest:
    """What a dataset is. `asked`: how many pictures of each of `KINDS`; `new_decks`: how many composed and
    drawn decks go into each shard, where it has any; `files`: what is built so far.

    Manifests of before it was written down say no seed or nothing of what was asked: `seed` None, `asked`
    empty.
    """

    seed: int | None
    made_of: str
    asked: dict[str, int] = field(default_factory=dict)
    new_decks: dict[str, int] = field(default_factory=dict)
    decks: list[dict[str, str]] = field(default_factory=list)
    packages: list[dict[str, str]] = field(default_factory=list)
    files: dict[str, File] = field(default_factory=dict)


def read(folder: Path) -> Manifest | None:
    """The manifest of a folder; None where there is none.

    Raises:
        UserError: it cannot be read, or is none.
    """
    path = folder / NAME
    try:
        said = json.loads(path.read_text(encoding="utf-8"))
        return Manifest(
            seed=said.get("seed"),
            made_of=str(said.get("made_of", "all")),
            asked={kind: int(n) for kind, n in said.get("asked", {}).items()},
            new_decks=said.get("new_decks_a_shard", {}),
            decks=said.get("decks", []),
            packages=said.get("packages", []),
            files={
                name: File(int(one["count"]), str(one["sha256"]))
                for name, one in said.get("files", {}).items()
            },
        )
    except FileNotFoundError:
        return None
    except OSError as error:
        raise UserError(f"cannot read {path}: {error.strerror}") from error
    except (ValueError, AttributeError, KeyError, TypeError) as error:
        raise UserError(
            f"{path} is no manifest of a dataset: build into another --out, or delete this folder"
        ) from error


def write(folder: Path, manifest: Manifest) -> Path:
    """Write the manifest, whole or not at all; its path."""
    said = {
        "seed": manifest.seed,
        "made_of": manifest.made_of,
        "asked": manifest.asked,
        "labels": list(LABELS),
        "new_decks_a_shard": manifest.new_decks,
        "decks": manifest.decks,
        "packages": manifest.packages,
        "files": {name: asdict(one) for name, one in sorted(manifest.files.items())},
    }
    target = folder / NAME
    part = target.with_suffix(".part")
    part.write_text(json.dumps(said, indent=1, ensure_ascii=False) + os.linesep, encoding="utf-8")
    part.replace(target)
    return target


def shards_in(folder: Path) -> list[Path]:
    """The shards of a folder, crops first."""
    return [path for kind in KINDS for path in sorted(folder.glob(f"{kind}-*.npz"))]


def kind_of(name: str) -> str:
    """`crops` of `crops-0003.npz`."""
    return name.partition("-")[0]


def count_of(path: Path) -> int | None:
    """How many pictures a shard holds; None of a file that cannot be read."""
    try:
        with np.load(path) as shard:
            return len(shard[KINDS[kind_of(path.name)]])
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile):
        return None


def file_of(path: Path, count: int) -> File:
    """A shard of `count` pictures as the manifest keeps it."""
    with path.open("rb") as file:
        return File(count, hashlib.file_digest(file, "sha256").hexdigest())


def differences(folder: Path, manifest: Manifest) -> list[str]:
    """All in which a folder is not what its manifest says, a line each."""
    there = {path.name: path for path in shards_in(folder)}
    lines = []
    for name, built in sorted(manifest.files.items()):
        if name not in there:
            lines.append(f"{name}: in the manifest, but not in the folder")
            continue
        count = count_of(there[name])
        if count is None:
            continue  # whoever looks into the shards says so
        if count != built.count:
            lines.append(f"{name}: {count} pictures, {built.count} in the manifest")
        elif file_of(there[name], count) != built:
            lines.append(f"{name}: not the file that was built: its hash is not the manifest's")
    lines += [f"{name}: not in the manifest" for name in there if name not in manifest.files]
    for kind, asked in manifest.asked.items():
        built_so_far = sum(f.count for name, f in manifest.files.items() if kind_of(name) == kind)
        if built_so_far < asked:
            lines.append(
                f"{built_so_far} of {asked} {kind} are built: run the same"
                " 'sueca datasets build' again"
            )
    return lines
