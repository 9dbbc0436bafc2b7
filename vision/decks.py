"""The decks a table has learnt: small files, listed, removable, one of them chosen for the table.

A file keeps the 40 crops the deck was learnt from beside its profile. A profile belongs to one version of the
reader; with another version it is made anew from the crops, and nobody has to photograph the deck again.
"""

import contextlib
import os
import re
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt

from vision.crop import at_crop_size
from vision.errors import UserError
from vision.labels import CARDS
from vision.profile import DeckProfile
from vision.types import Image

FORMAT = 2
"""Of the files. Files of format 1 held no crops and cannot be used with any other reader."""

MADE_OTHERWISE = ""
"""In place of the reader's version: no reader has it, so that the profile is made anew from the crops."""

CHOSEN = "chosen.txt"
"""The file that names the deck chosen for this table."""

JPEG_QUALITY = 92
"""Of the crops kept: a file is then about 400 kB."""

_NAME = re.compile(r"[\w][\w .-]{0,59}")


@dataclass(frozen=True, slots=True)
class KeptDeck:
    """A learnt deck: its 40 crops, (192, 128, 3) BGR in the order of `CARDS`, and its profile."""

    name: str
    crops: tuple[Image, ...] = field(repr=False)
    profile: DeckProfile = field(repr=False)


def decks_folder() -> Path:
    """`$SUECA_DECKS`, else a folder of the user's own."""
    return Path(os.environ.get("SUECA_DECKS", Path.home() / ".local" / "share" / "sueca" / "decks"))


def deck_path(name: str) -> Path:
    """Where the deck of that name lies. Raises `UserError` for what cannot be a name."""
    if not _NAME.fullmatch(name) or name != name.strip():
        raise UserError(f"{name!r} cannot name a deck: use letters, digits, spaces and hyphens")
    return decks_folder() / f"{name}.npz"


def deck_names() -> tuple[str, ...]:
    """The decks learnt so far."""
    found = (path.stem for path in decks_folder().glob("*.npz"))
    return tuple(sorted(name for name in found if not name.endswith(".part")))


def save_deck(deck: KeptDeck) -> Path:
    """Keep a deck under its name, whole or not at all.

    Raises:
        UserError: it cannot be a name, or the folder cannot be written to.
    """
    path = deck_path(deck.name)
    pictures = [_packed(crop) for crop in deck.crops]
    part = path.with_suffix(".part.npz")
    with _writable(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        np.savez(
            part,
            format=np.array(FORMAT),
            model=np.array(deck.profile.model),
            middle=deck.profile.middle.astype(np.float16),
            prototypes=deck.profile.prototypes.astype(np.float16),
            wavering=deck.profile.wavering.astype(np.float16),
            lengths=np.array([len(picture) for picture in pictures]),
            pictures=np.concatenate(pictures),
        )
        part.replace(path)
    return path


def load_deck(name: str) -> KeptDeck:
    """The deck of that name; its profile may be another reader version's.

    Raises:
        UserError: there is none, it is damaged, foreign, or of an older program.
    """
    path = deck_path(name)
    try:
        with path.open("rb") as file, np.load(file) as kept:  # numpy leaves a damaged file open
            version = int(kept["format"]) if "format" in kept else 1
            if version != FORMAT:
                raise UserError(
                    f"{path} is of another version of the program: learn the deck again with "
                    "'sueca deck learn'"
                )
            crops = _unpacked(kept["pictures"], kept["lengths"])
            profile = _unpacked_profile(name, kept)
    except FileNotFoundError as error:
        known = ", ".join(deck_names()) or "none yet"
        raise UserError(
            f"no deck called {name} (learnt: {known}): use 'sueca deck learn'"
        ) from error
    except (OSError, ValueError, KeyError, TypeError, EOFError, zipfile.BadZipFile) as error:
        raise UserError(
            f"{path} is damaged: learn the deck again with 'sueca deck learn'"
        ) from error
    return KeptDeck(name, crops, profile)


def _unpacked_profile(name: str, kept: Mapping[str, npt.NDArray[np.generic]]) -> DeckProfile:
    """The profile in a file. One without `wavering` is of no reader there is, so that it is made anew."""
    middle, prototypes = (kept[part].astype(np.float32) for part in ("middle", "prototypes"))
    if "wavering" not in kept:
        return DeckProfile(name, MADE_OTHERWISE, middle, prototypes, middle[None][:0])
    wavering = kept["wavering"].astype(np.float32)
    return DeckProfile(name, str(kept["model"]), middle, prototypes, wavering)


def remove_deck(name: str) -> None:
    """Forget a deck. Raises `UserError` where there is none of that name, or it cannot be removed."""
    path = deck_path(name)
    if not path.exists():
        raise UserError(f"no deck called {name}: 'sueca deck list' shows those there are")
    if chosen_deck() == name:
        choose_deck(None)
    with _writable(path):
        path.unlink()


def chosen_deck() -> str | None:
    """The deck chosen for this table, or None."""
    try:
        name = (decks_folder() / CHOSEN).read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError):
        return None
    return name if name in deck_names() else None


def choose_deck(name: str | None) -> None:
    """Choose the deck that games are followed with from now on; None chooses none.

    Raises:
        UserError: there is no deck of that name, or the choice cannot be written.
    """
    path = decks_folder() / CHOSEN
    if name is None:
        with _writable(path):
            path.unlink(missing_ok=True)
        return
    if not deck_path(name).exists():
        raise UserError(f"no deck called {name}: 'sueca deck list' shows those there are")
    with _writable(path):
        path.write_text(name + "\n", encoding="utf-8")


@contextlib.contextmanager
def _writable(path: Path) -> Iterator[None]:
    """Raises `UserError` in place of `OSError`."""
    try:
        yield
    except OSError as error:
        raise UserError(
            f"{path} cannot be written ({error.strerror}): set SUECA_DECKS to a folder of yours"
        ) from error


def _packed(crop: Image) -> Image:
    done, data = cv2.imencode(".jpg", crop, [cv2.IMWRITE_JPEG_QUALITY, JPEG_QUALITY])
    if not done:
        raise ValueError(f"a crop of shape {crop.shape} cannot be kept as JPEG")
    return np.asarray(data, np.uint8).ravel()


def _unpacked(pictures: Image, lengths: Sequence[int]) -> tuple[Image, ...]:
    """The crops out of their joined JPEGs. Raises `ValueError` where they are not 40 crops."""
    ends = np.cumsum(lengths)
    if len(ends) != len(CARDS) or int(ends[-1]) != len(pictures):
        raise ValueError(f"expected {len(CARDS)} pictures, got {len(ends)}")
    crops = []
    for data in np.split(pictures, ends[:-1]):
        crop = cv2.imdecode(data, cv2.IMREAD_COLOR) if len(data) else None
        if crop is None:
            raise ValueError("a picture of a card cannot be read")
        crops.append(at_crop_size(np.asarray(crop, np.uint8)))
    return tuple(crops)
