"""A deck by the name a command line gives it."""

from pathlib import Path
from typing import get_args

from datasets.deck_folder import load_deck
from datasets.drawn import Deck, Letters, table_deck
from datasets.package_deck import package_deck
from vision.errors import UserError


def deck_named(text: str, seed: int = 0) -> Deck:
    """`drawn` (of that seed), `drawn:SEED`, `drawn:SEED:LETTERS`, `package:NAME`, or a folder of pictures.

    Raises:
        UserError: there is no such deck, or the folder lacks a card.
    """
    if text == "drawn":
        return table_deck(seed)
    if text.startswith("package:"):
        return package_deck(text.removeprefix("package:"))
    if not text.startswith("drawn:"):
        return load_deck(Path(text))
    number, _, letters = text.removeprefix("drawn:").partition(":")
    if not number.isdigit():
        raise UserError(f"--deck {text}: after drawn: comes a number, as in drawn:7")
    known = next((one for one in get_args(Letters) if one == letters), None)
    if letters and known is None:
        raise UserError(f"--deck {text}: letters are one of {', '.join(get_args(Letters))}")
    return table_deck(int(number), known)
