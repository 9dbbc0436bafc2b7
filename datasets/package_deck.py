"""A package deck (`datasets.art`) as the simulator takes decks, so that games can be dealt with any."""

import cv2
import numpy as np

from datasets.art import Deck as ArtDeck
from datasets.art import package_decks
from datasets.drawn import CARD_WIDTH_PX, JOKER, Deck
from vision.errors import UserError
from vision.labels import BACK, CARDS

HEIGHT_MM = 88.0
PLAIN_BACK = (120, 60, 30)
"""BGR, for a package that holds no back."""


def package_deck(name: str) -> Deck:
    """The installed deck of that name, `aguilar` or `tigullio` say.

    Raises:
        UserError: no such deck is installed; the message lists those that are.
    """
    decks = {deck.name: deck for deck in package_decks()}
    if name not in decks:
        raise UserError(f"no deck called {name}: installed are {', '.join(sorted(decks))}")
    return _as_drawn(decks[name])


def _as_drawn(deck: ArtDeck) -> Deck:
    """The same faces on one size, without alpha of their own: corners as of the first card."""
    first = deck.faces[CARDS[0]]
    size = (CARD_WIDTH_PX, round(first.shape[0] * CARD_WIDTH_PX / first.shape[1]))

    def face(image: np.ndarray) -> np.ndarray:
        part = image[..., 3:].astype(np.float32) / 255
        flat = image[..., :3] * part + 255 * (1 - part)
        return cv2.resize(flat.astype(np.uint8), size, interpolation=cv2.INTER_CUBIC)

    faces = {label: face(image) for label, image in deck.faces.items()}
    if "JOKER" in faces:  # not every package prints one
        faces[JOKER] = faces.pop("JOKER")
    faces[BACK] = face(deck.backs[0]) if deck.backs else np.full_like(faces[CARDS[0]], PLAIN_BACK)
    alpha = cv2.resize(first[..., 3], size, interpolation=cv2.INTER_LINEAR)
    return Deck(deck.name, faces, alpha, HEIGHT_MM * size[0] / size[1], HEIGHT_MM)
