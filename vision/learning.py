"""Learning a deck: which card is which in a few photographs that show all 40, each once."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.optimize import linear_sum_assignment

from vision.crop import rectify
from vision.errors import UserError
from vision.finder import Finder
from vision.labels import CARDS, INDEX
from vision.profile import VIEWS, DeckProfile, load_profile, prototypes_of, stack_views
from vision.reader import Reader
from vision.types import Image, Quad
from vision.weights import load_weights

DOUBTFUL = 0.8
"""A card that the reader alone gives less than this is shown to the person for a second look."""


@dataclass(frozen=True, slots=True)
class LearntCard:
    """A card of the deck as it was found: `photo` counts from 0; `p` the reader's own probability
    that this crop is that card, before the others were considered."""

    card: str
    photo: int
    quad: Quad
    crop: Image
    p: float

    @property
    def doubtful(self) -> bool:
        return self.p < DOUBTFUL


def find_deck(photographs: Sequence[Image], finder: Finder, reader: Reader) -> list[LearntCard]:
    """The 40 cards in photographs that show each once, in the order of `CARDS`.

    One card once: of all ways to give the 40 names to the crops, the likeliest is taken.

    Raises:
        UserError: fewer than 40 cards are seen.
    """
    places: list[tuple[int, Quad]] = []
    crops: list[Image] = []
    for number, image in enumerate(photographs):
        for detection in finder.find_any_size(image):
            if detection.face == "up":
                places.append((number, detection.quad))
                crops.append(rectify(image, detection.quad))
    if len(crops) < len(CARDS):
        raise UserError(
            f"{len(crops)} cards are seen in the photographs, 40 are needed: "
            "lay out all of them, none covered, and photograph them again"
        )
    log_probs, _ = reader.look(crops)
    rows, columns = linear_sum_assignment(-log_probs[:, : len(CARDS)].astype(float))
    found = []
    for crop, card in zip(rows, columns, strict=True):
        photo, quad = places[crop]
        p = float(np.exp(log_probs[crop, card]))
        found.append(LearntCard(CARDS[card], photo, quad, crops[crop], p))
    return sorted(found, key=lambda learnt: INDEX[learnt.card])


def make_profile(name: str, cards: Sequence[LearntCard], reader: Reader) -> DeckProfile:
    """A profile of 40 cards in the order of `CARDS`."""
    _, features = reader.look(stack_views([card.crop for card in cards]))
    return DeckProfile(
        name, reader.weights.version, prototypes_of(features.reshape(len(cards), VIEWS, -1))
    )


def reader_for(deck: str | None) -> Reader:
    """The reader, with the profile of a learnt deck where one is named.

    Raises:
        UserError: the weights or the profile are missing or do not belong together.
    """
    weights = load_weights("reader")
    profile = load_profile(deck, weights.version) if deck is not None else None
    return Reader(weights, profile)
