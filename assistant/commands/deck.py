"""`sueca deck …`: learn the deck of this table, list, choose and forget decks."""

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import cv2
import numpy as np
import typer
from rich.console import Console

from vision.decks import (
    choose_deck,
    chosen_deck,
    deck_names,
    deck_path,
    load_deck,
    remove_deck,
    save_deck,
)
from vision.errors import UserError
from vision.finder import Finder
from vision.images import load_image
from vision.labels import CARDS
from vision.learning import LearntCard, find_deck, make_deck
from vision.reader import Reader
from vision.types import Image

app = typer.Typer(no_args_is_help=True, help="Decks the program has learnt to read near-perfectly.")

COLUMNS = 10

JsonOption = Annotated[bool, typer.Option("--json", help="One JSON document on stdout.")]


@app.command()
def learn(
    photos: Annotated[list[Path], typer.Argument(help="Photographs that show all 40 cards.")],
    name: Annotated[str, typer.Option(help="What to call the deck.")],
    correct: Annotated[
        list[str] | None,
        typer.Option("--set", help="Put a card right: WRONG=RIGHT as the sheet names them, 3H=3D."),
    ] = None,
    sheet: Annotated[Path | None, typer.Option(help="Where the contact sheet goes.")] = None,
    yes: Annotated[bool, typer.Option(help="Keep it without asking.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Learn a deck from two to four photographs that together show its 40 cards, in any order."""
    deck_path(name)  # a name that cannot be is refused before anything slow
    target = sheet or Path(f"{name}.png")
    if not cv2.haveImageWriter(str(target)):
        raise UserError(f"--sheet {target}: no kind of picture; give a name such as {name}.png")
    images = [load_image(path) for path in photos]
    finder, reader = Finder(), Reader()
    found = find_deck(images, finder, reader)
    cards = corrected(found.cards, correct or [])
    if not cv2.imwrite(str(target), contact_sheet(cards)):
        raise UserError(f"{target} cannot be written: say where the sheet goes with --sheet")
    doubtful = [card.card for card in cards if card.doubtful]
    if found.again or found.strangers:
        _say(f"left out: {found.again} seen a second time, {found.strangers} no card of the 40")
    if doubtful:
        _say(f"look at {target}; least sure: {' '.join(doubtful)}")
    if not yes and not as_json and not typer.confirm(f"Are all cards right in {target}?"):
        raise UserError("nothing kept: put cards right with --set WRONG=RIGHT and run it again")
    path = save_deck(make_deck(name, [card.crop for card in cards], reader))
    if as_json:
        about = {"deck": name, "file": str(path), "sheet": str(target), "doubtful": doubtful}
        print(json.dumps({**about, "again": found.again, "strangers": found.strangers}))
    else:
        _say(f"learnt; follow a game with 'sueca watch … --deck {name}'")


def _say(what: str) -> None:
    """Tell a person; stdout is for what programs read."""
    Console(stderr=True, highlight=False, soft_wrap=True, markup=False).print(f"sueca: {what}")


@app.command(name="list")
def list_decks(as_json: JsonOption = False) -> None:
    """The decks learnt so far; a star marks the one chosen for this table. Tells which cannot be used."""
    names, chosen = deck_names(), chosen_deck()
    if as_json:
        unusable = [name for name in names if _fault(name) is not None]
        print(json.dumps({"decks": list(names), "chosen": chosen, "unusable": unusable}))
        return
    for name in names:
        fault = _fault(name)
        print("*" if name == chosen else " ", name, *([] if fault is None else [f"- {fault}"]))
    if not names:
        print("none yet")


def _fault(name: str) -> str | None:
    """Why a deck cannot be used, None where it can."""
    try:
        load_deck(name)
    except UserError as error:
        return str(error)
    return None


@app.command()
def choose(
    name: Annotated[str, typer.Argument(help="The deck of this table; '' for none.")],
    as_json: JsonOption = False,
) -> None:
    """Choose the deck that games are followed with where no --deck is given."""
    if name:
        load_deck(name)  # a damaged one is told now and not when a game begins
    choose_deck(name or None)
    if as_json:
        print(json.dumps({"chosen": chosen_deck()}))
    else:
        _say(f"games are followed with the deck {name}" if name else "no deck is chosen any more")


@app.command()
def remove(
    name: Annotated[str, typer.Argument(help="The deck to forget.")], as_json: JsonOption = False
) -> None:
    """Forget a deck."""
    remove_deck(name)
    if as_json:
        print(json.dumps({"removed": name}))
    else:
        _say(f"the deck {name} is forgotten")


def corrected(cards: Sequence[LearntCard], words: list[str]) -> list[LearntCard]:
    """The cards with names exchanged as a person said: `3H=3D` swaps what was called 3H and 3D.

    Each card is there once, so a wrong name always means two or more wrong names; swaps mend them.
    Raises `UserError` for what is no such word.
    """
    named = {card.card: card for card in cards}
    for word in words:
        wrong, _, right = word.upper().partition("=")
        if wrong not in named or right not in named:
            raise UserError(f"--set {word}: give two cards of the 40, as in 3H=3D")
        named[wrong], named[right] = named[right], named[wrong]
    return [replace(named[name], card=name) for name in CARDS]


def contact_sheet(cards: Sequence[LearntCard]) -> Image:
    """The 40 crops under their names, doubtful ones in red."""
    tiles = []
    for card in cards:
        label = np.full((22, card.crop.shape[1], 3), 255, np.uint8)
        colour = (0, 0, 220) if card.doubtful else (0, 120, 0)
        cv2.putText(label, card.card, (4, 17), cv2.FONT_HERSHEY_SIMPLEX, 0.55, colour, 2)
        tiles.append(np.vstack([label, card.crop]))
    rows = [np.hstack(tiles[i : i + COLUMNS]) for i in range(0, len(tiles), COLUMNS)]
    return np.vstack(rows)
