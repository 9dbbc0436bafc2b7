"""Drawn decks (`datasets.drawn`) in the form the package decks have (`datasets.art`)."""

import cv2
import numpy as np

from datasets.art import FACE_WIDTH, RANKS_13, SHEET_SUITS, Deck
from datasets.drawn import JOKER, draw_deck


def drawn_as_art(seed: int, width: int = FACE_WIDTH) -> Deck:
    """The deck `draw_deck(seed)` gives, as BGRA faces `width` pixels wide."""
    drawn = draw_deck(seed)
    height = round(drawn.alpha.shape[0] * width / drawn.alpha.shape[1])

    def face(image: np.ndarray) -> np.ndarray:
        rgba = np.dstack([image, drawn.alpha])
        return cv2.resize(rgba, (width, height), interpolation=cv2.INTER_AREA)

    faces = {r + s: face(drawn.faces[r + s]) for s in SHEET_SUITS for r in RANKS_13}
    faces["JOKER"] = face(drawn.faces[JOKER])
    return Deck(drawn.name, "own", faces, (face(drawn.back),))
