"""The manifest of a weights folder: which files make a model, their hash, and its settings."""

import json
import os
from pathlib import Path

from vision.weights import MANIFEST, files_hash


def enter(name: str, folder: Path, temperature: float, threshold: float) -> None:
    """Enter a model's files, hash and settings into the folder's manifest."""
    path = folder / MANIFEST
    manifest = json.loads(path.read_text()) if path.exists() else {}
    files = [f"{name}.xml", f"{name}.bin"]
    manifest[name] = {
        "files": files,
        "sha256": files_hash([folder / file for file in files]),
        "temperature": round(temperature, 4),
        "threshold": threshold,
    }
    path.write_text(json.dumps(manifest, indent=1) + os.linesep)
