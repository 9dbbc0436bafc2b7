"""`sueca read IMAGE…`: the cards in photographs."""

import json
import math
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, TypedDict

import typer
from rich.console import Console
from rich.text import Text

from vision.finder import Finder
from vision.images import load_image
from vision.labels import BACK, LABELS, OTHER
from vision.learning import reader_for
from vision.photograph import look
from vision.reader import Reader
from vision.types import Quad

ALTERNATIVE = 0.02
"""Other cards at least this likely are named beside the likeliest."""


class CardDocument(TypedDict):
    """One card of the JSON output, as the design fixes it."""

    card: str
    p: float
    face: str
    quad: list[list[float]]
    alternatives: list[list[object]]


@dataclass(frozen=True, slots=True)
class ReadCard:
    """A card in a photograph: `card` a label of `vision.labels.LABELS`, `p` that it is right,
    other labels with theirs, and its quad in pixels."""

    card: str
    p: float
    alternatives: tuple[tuple[str, float], ...]
    quad: Quad

    @property
    def face(self) -> str:
        return "down" if self.card == BACK else "up"

    def document(self) -> CardDocument:
        return {
            "card": self.card,
            "p": round(self.p, 4),
            "face": self.face,
            "quad": [[round(x, 1), round(y, 1)] for x, y in self.quad],
            "alternatives": [[card, round(p, 4)] for card, p in self.alternatives],
        }


def read_image(path: Path, finder: Finder, reader: Reader) -> list[ReadCard]:
    """The cards in one photograph, from the top of the picture down; `other` for no card of the 40."""
    image = load_image(path)
    cards = []
    for detection, reading in look(image, finder, reader):
        ranked = sorted(zip(reading.log_probs, LABELS, strict=True), reverse=True)
        likely = [(label, math.exp(value)) for value, label in ranked]
        rest = tuple((label, p) for label, p in likely[1:6] if p >= ALTERNATIVE)
        cards.append(ReadCard(likely[0][0], likely[0][1], rest, detection.quad))
    return sorted(cards, key=lambda c: (min(y for _, y in c.quad), min(x for x, _ in c.quad)))


def read(
    images: Annotated[list[Path], typer.Argument(help="Photographs of cards on a table.")],
    deck: Annotated[str | None, typer.Option(help="A deck learnt with 'sueca deck learn'.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON document on stdout.")] = False,
) -> None:
    """Read the cards in photographs."""
    finder, reader = Finder(), reader_for(deck)
    document = []
    out = Console(highlight=False, soft_wrap=True)
    for path in images:
        cards = read_image(path, finder, reader)
        document.append({"image": str(path), "cards": [card.document() for card in cards]})
        if not as_json:
            # Not rich's markup: a file's name may hold brackets.
            out.print(Text.assemble((str(path), "bold"), f": {_sentence(cards) or 'no card'}"))
    if as_json:
        typer.echo(json.dumps(document, ensure_ascii=False))


def _sentence(cards: list[ReadCard]) -> str:
    """`7♥ 99.8%, Q♠ 61% (or K♠ 30%), a back`, the surer the plainer."""
    return ", ".join(_phrase(card) for card in cards)


def _phrase(card: ReadCard) -> str:
    if card.card == BACK:
        return "a back"
    if card.card == OTHER:
        return "something else"
    doubts = [f"{_name(c)} {p:.0%}" for c, p in card.alternatives if c not in (BACK, OTHER)]
    return f"{_name(card.card)} {card.p:.1%}" + (f" (or {', '.join(doubts)})" if doubts else "")


def _name(card: str) -> str:
    return card[:-1] + {"S": "♠", "H": "♥", "D": "♦", "C": "♣"}[card[-1]]
