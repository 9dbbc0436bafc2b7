"""Which weights to load, and whether they are the ones the manifest speaks of."""

import hashlib
import json
import os
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from vision.errors import UserError

MANIFEST = "manifest.json"


@dataclass(frozen=True, slots=True)
class Weights:
    """One exported model: its OpenVINO file, its hash, and what is needed to use its outputs.

    `version` is the first 12 digits of the SHA-256 over the model's files; it stamps every play.
    `temperature` divides the logits (calibration); 1 where the model has none.
    """

    model: Path
    version: str
    temperature: float
    threshold: float


def weights_folder() -> Path:
    """`$SUECA_WEIGHTS`, else the weights that come with the program."""
    given = os.environ.get("SUECA_WEIGHTS")
    if given:
        return Path(given)
    spec = find_spec("models")
    if spec is None or not spec.submodule_search_locations:
        raise UserError(
            "the models package is not installed: set SUECA_WEIGHTS to a weights folder"
        )
    return Path(next(iter(spec.submodule_search_locations))) / "weights"


def files_hash(files: list[Path]) -> str:
    """SHA-256 over the contents of the files, in the order given."""
    digest = hashlib.sha256()
    for path in files:
        digest.update(path.read_bytes())
    return digest.hexdigest()


def load_weights(name: str, folder: Path | None = None) -> Weights:
    """The weights called `name` (`finder`, `verifier`, `reader`), checked against the manifest.

    Raises:
        UserError: no manifest, no such model, a file missing, or a hash that differs.
    """
    folder = folder or weights_folder()
    path = folder / MANIFEST
    try:
        entry = json.loads(path.read_text())[name]
        files = [folder / file for file in entry["files"]]
        expected = str(entry["sha256"])
        temperature, threshold = float(entry["temperature"]), float(entry["threshold"])
    except FileNotFoundError as error:
        raise UserError(f"no weights at {path}: reinstall, or set SUECA_WEIGHTS") from error
    except (json.JSONDecodeError, KeyError, TypeError, ValueError) as error:
        raise UserError(
            f"{path} does not describe a '{name}' model: reinstall the weights"
        ) from error
    missing = [file for file in files if not file.exists()]
    if missing:
        raise UserError(f"the {name} model's file {missing[0]} is missing: reinstall the weights")
    found = files_hash(files)
    if found != expected:
        raise UserError(
            f"the {name} model at {files[0]} has hash {found[:12]}, the manifest says "
            f"{expected[:12]}: reinstall the weights"
        )
    return Weights(files[0], found[:12], temperature, threshold)


def named(name: str, folder: Path | None = None) -> bool:
    """Whether a folder's manifest speaks of a model called `name`; not whether it is whole."""
    try:
        return name in json.loads(((folder or weights_folder()) / MANIFEST).read_text())
    except (OSError, json.JSONDecodeError, TypeError):
        return False  # what is wrong with it is said where a model is loaded from it


def versions(*weights: Weights) -> str:
    """All models' versions, as logs and reports name them."""
    return "+".join(one.version for one in weights)
