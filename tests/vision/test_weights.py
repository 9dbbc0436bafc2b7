"""Weights are loaded only if they are what the manifest says."""

import json
from pathlib import Path

import pytest

from vision.errors import UserError
from vision.finder import Finder
from vision.network import Network
from vision.reader import Reader
from vision.verifier import Verifier
from vision.weights import files_hash, load_weights, weights_folder


def folder_with(tmp_path: Path, content: bytes = b"weights") -> Path:
    (tmp_path / "reader.xml").write_bytes(content)
    entry = {
        "files": ["reader.xml"],
        "sha256": files_hash([tmp_path / "reader.xml"]),
        "temperature": 1.3,
        "threshold": 0.5,
    }
    (tmp_path / "manifest.json").write_text(json.dumps({"reader": entry}))
    return tmp_path


def test_whole_weights_are_loaded_with_their_version(tmp_path: Path) -> None:
    weights = load_weights("reader", folder_with(tmp_path))
    assert weights.temperature == 1.3
    assert weights.version == files_hash([tmp_path / "reader.xml"])[:12]


def test_an_altered_file_is_refused(tmp_path: Path) -> None:
    folder = folder_with(tmp_path)
    (folder / "reader.xml").write_bytes(b"other")
    with pytest.raises(UserError, match=r"has hash .* the manifest says"):
        load_weights("reader", folder)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    folder = folder_with(tmp_path)
    (folder / "reader.xml").unlink()
    with pytest.raises(UserError, match=r"reader\.xml is missing"):
        load_weights("reader", folder)


@pytest.mark.parametrize("text", ["{", "{}", '{"reader": 3}', '{"reader": {"files": []}}'])
def test_a_broken_manifest_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "manifest.json").write_text(text)
    with pytest.raises(UserError, match="does not describe"):
        load_weights("reader", tmp_path)


def test_no_manifest_is_said(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="no weights at"):
        load_weights("reader", tmp_path)


def test_a_file_that_is_no_model_is_refused(tmp_path: Path) -> None:
    (tmp_path / "reader.xml").write_bytes(b"nonsense")
    with pytest.raises(UserError, match="not a model"):
        Network(tmp_path / "reader.xml")


def test_a_model_of_another_kind_or_version_is_refused_in_one_line() -> None:
    ours = weights_folder()
    finder, verifier, reader = (
        load_weights(name, ours) for name in ("finder", "verifier", "reader")
    )
    for kind, another in (
        (Finder, reader),
        (Finder, verifier),
        (Verifier, reader),
        (Verifier, finder),
        (Reader, finder),
        (Reader, verifier),
    ):
        with pytest.raises(UserError, match=f"{another.model.name} is a model of another kind"):
            kind(another)


def test_a_model_that_gives_fewer_figures_than_are_read_is_refused() -> None:
    """As a verifier of before, which did not say how well a box lies."""
    verifier = load_weights("verifier", weights_folder())
    with pytest.raises(UserError, match="another kind or version"):
        Network(verifier.model, 2, (2,))
    Network(verifier.model, 2, (None,))


@pytest.mark.parametrize("name", ["finder", "verifier", "reader"])
def test_the_weights_that_come_with_the_program_are_whole(name: str) -> None:
    assert load_weights(name, weights_folder()).model.exists()
