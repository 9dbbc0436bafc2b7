"""Deck profiles: what one deck's cards look like to the reader, so that this deck is read near-perfectly.

A profile holds a prototype for each of the 40 cards: the mean direction of the reader's features over
slightly different views of that card. When a profile is in use, the probability that a crop is *one of
the 40* stays the reader's; which of them it is, is judged by the reader and the prototypes together.
"""

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt

from vision.errors import UserError
from vision.labels import CARDS
from vision.network import Array
from vision.types import Image

SHARPNESS = 30.0
"""How much a prototype's likeness (cosine) counts, in nats: chosen on decks outside the reports."""

VIEWS = 10
"""Views of a card that its prototype is the mean of."""

_NAME = re.compile(r"[\w][\w .-]{0,59}")


@dataclass(frozen=True, slots=True)
class DeckProfile:
    """`prototypes` (40, d) float32, rows of length 1 in the order of `vision.labels.CARDS`;
    `model` the reader's version they belong to."""

    name: str
    model: str
    prototypes: Array = field(repr=False)

    def __post_init__(self) -> None:
        if self.prototypes.ndim != 2 or len(self.prototypes) != len(CARDS):
            raise ValueError(f"expected ({len(CARDS)}, d) prototypes, got {self.prototypes.shape}")

    def sharpen(self, log_probs: Array, features: Array) -> Array:
        """(n, 42) log-probabilities, those of the 40 cards judged anew by (n, d) features."""
        likeness = _unit(features) @ self.prototypes.T
        cards = log_probs[:, : len(CARDS)]
        one_of_40 = _log_sum(cards)
        joint = cards + SHARPNESS * likeness
        sharpened = joint - _log_sum(joint)[:, None] + one_of_40[:, None]
        return np.concatenate([sharpened, log_probs[:, len(CARDS) :]], axis=1)


def _unit(features: Array) -> Array:
    length = np.linalg.norm(features, axis=1, keepdims=True)
    return np.asarray(features / np.maximum(length, 1e-9), np.float32)


def _log_sum(values: Array) -> Array:
    top = values.max(axis=1)
    return np.asarray(top + np.log(np.exp(values - top[:, None]).sum(axis=1)), np.float32)


def prototypes_of(features: npt.NDArray[np.float32]) -> Array:
    """(40, d) prototypes of (40, v, d) features of v views a card."""
    return _unit(np.stack([_unit(views).mean(axis=0) for views in features]))


def views(crop: Image, rng: np.random.Generator, count: int = VIEWS) -> list[Image]:
    """The crop as other frames might show it: shifted, turned a little, blurred, darker, smaller."""
    height, width = crop.shape[:2]
    made = [crop]
    while len(made) < count:
        matrix = cv2.getRotationMatrix2D(
            (width / 2, height / 2), float(rng.normal(0, 1.5)), float(np.exp(rng.normal(0, 0.03)))
        )
        matrix = np.hstack([matrix[:, :2], matrix[:, 2:] + rng.normal(0, 1.5, (2, 1))])
        view = cv2.warpAffine(crop, matrix, (width, height), borderMode=cv2.BORDER_REPLICATE)
        scale = float(rng.uniform(0.4, 1.0))  # as far away as a whole table's cards lie
        small = cv2.resize(view, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
        view = cv2.resize(small, (width, height), interpolation=cv2.INTER_LINEAR)
        light = view.astype(np.float32) * float(np.exp(rng.normal(0, 0.2)))
        made.append(np.clip(light, 0, 255).astype(np.uint8))
    return made


def profiles_folder() -> Path:
    """`$SUECA_DECKS`, else a folder of the user's own."""
    return Path(os.environ.get("SUECA_DECKS", Path.home() / ".local" / "share" / "sueca" / "decks"))


def profile_path(name: str) -> Path:
    """Where the profile of that name lies. Raises `UserError` for what cannot be a name."""
    if not _NAME.fullmatch(name):
        raise UserError(f"{name!r} cannot name a deck: use letters, digits, spaces and hyphens")
    return profiles_folder() / f"{name}.npz"


def profile_names() -> tuple[str, ...]:
    """The decks learnt so far."""
    return tuple(sorted(path.stem for path in profiles_folder().glob("*.npz")))


def save_profile(profile: DeckProfile) -> Path:
    """Keep a profile under its name, whole or not at all."""
    path = profile_path(profile.name)
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_suffix(".part.npz")
    np.savez_compressed(
        part, prototypes=profile.prototypes.astype(np.float16), model=np.array(profile.model)
    )
    part.replace(path)
    return path


def load_profile(name: str, model: str) -> DeckProfile:
    """The profile of that name, made with the reader version `model`.

    Raises:
        UserError: there is none, it is damaged, or another reader made it.
    """
    path = profile_path(name)
    try:
        with np.load(path) as kept:
            prototypes, made_with = kept["prototypes"].astype(np.float32), str(kept["model"])
        profile = DeckProfile(name, made_with, _unit(prototypes))
    except FileNotFoundError as error:
        known = ", ".join(profile_names()) or "none yet"
        raise UserError(
            f"no deck called {name} (learnt: {known}): use 'sueca deck learn'"
        ) from error
    except (OSError, ValueError, KeyError) as error:
        raise UserError(
            f"{path} is damaged: learn the deck again with 'sueca deck learn'"
        ) from error
    if made_with != model:
        raise UserError(f"the deck {name} was learnt with another reader: learn it again")
    return profile


def remove_profile(name: str) -> None:
    """Forget a deck. Raises `UserError` where there is none of that name."""
    path = profile_path(name)
    if not path.exists():
        raise UserError(f"no deck called {name}: 'sueca deck list' shows those there are")
    path.unlink()


def stack_views(crops: Sequence[Image], seed: int = 0) -> list[Image]:
    """All views of all crops, `VIEWS` a crop, in order."""
    rng = np.random.default_rng(seed)
    return [view for crop in crops for view in views(crop, rng)]
