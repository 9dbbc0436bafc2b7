"""What the exported models make of labelled photographs, card by card; `models.figures` sums it up.

Needs no PyTorch: what is measured is what runs. The photographs lie outside the repository
(`../shared/real`), and where they are absent there is nothing to measure.
"""

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from models.sight import Seen, Sight
from vision.errors import UserError
from vision.geometry import order_quad
from vision.images import load_image
from vision.labels import BACK, CARDS, OTHER
from vision.types import Image, Quad, Reading

SAME_PLACE = 0.5
"""Intersection over union of upright boxes at which a detection is the card of a label."""

Box = tuple[float, float, float, float]


@dataclass(frozen=True, slots=True)
class Labelled:
    """A card a person labelled: what the reader should say, its box, its quad where known."""

    label: str
    box: Box
    quad: Quad | None


@dataclass(frozen=True, slots=True)
class Photograph:
    """One labelled photograph. `complete` is false where some visible cards carry no label."""

    path: Path
    source: str
    cards: tuple[Labelled, ...]
    complete: bool

    def image(self) -> Image:
        """The picture; raises `UserError` where it cannot be read."""
        return load_image(self.path)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one labelled card.

    `found` whether a detection lies there; `read_at_truth` what is read under the true quad (None
    where only a box is known), `read_found` what is read under the detection; with probabilities.
    `size` the longer side of the card's box in pixels.
    """

    source: str
    image: str
    label: str
    size: float
    found: bool
    read_at_truth: str | None
    p_at_truth: float
    read_found: str | None
    p_found: float


@dataclass(frozen=True, slots=True)
class Measured:
    """All outcomes of a run, and the detections that lie on no labelled card, by source."""

    outcomes: tuple[Outcome, ...]
    detections: dict[str, int]
    invented: dict[str, int]


def expected_label(card: str) -> str:
    """What the reader should say of a label of the photographs: 8, 9, 10 and jokers are `other`."""
    if card == "BACK":
        return BACK
    return card if card in CARDS else OTHER


def load_photographs(manifest: Path, limit: int = 0) -> list[Photograph]:
    """The photographs of `dev.json` or `train.json`; labels without a box are left out.

    Raises:
        UserError: there is no such file.
    """
    try:
        records = json.loads(manifest.read_text())
    except FileNotFoundError as error:
        raise UserError(f"no photographs at {manifest}: shared/ is not here") from error
    folder = manifest.parent / manifest.stem
    photographs = []
    for record in records[: limit or None]:
        boxed = [entry for entry in record["labels"] if entry.get("box")]
        cards = tuple(
            Labelled(
                expected_label(entry["card"]),
                tuple(entry["box"]),
                order_quad(entry["quad"]) if entry.get("quad") else None,
            )
            for entry in boxed
        )
        complete = not record.get("incomplete") and len(boxed) == len(record["labels"])
        photographs.append(
            Photograph(folder / record["image"], record["source_repo"], cards, complete)
        )
    return photographs


def longer_side(card: Labelled) -> float:
    """Of the label's box, pixels."""
    x1, y1, x2, y2 = card.box
    return max(x2 - x1, y2 - y1)


def upright(quad: Quad) -> Box:
    """The upright box round a quad."""
    xs, ys = zip(*quad, strict=True)
    return (min(xs), min(ys), max(xs), max(ys))


def overlap(a: Box, b: Box) -> float:
    """Intersection over union of two upright boxes."""
    common = shared(a, b)
    return common / (shared(a, a) + shared(b, b) - common) if common else 0.0


def shared(a: Box, b: Box) -> float:
    """The area that two upright boxes have in common; of a box with itself, its own."""
    w = min(a[2], b[2]) - max(a[0], b[0])
    h = min(a[3], b[3]) - max(a[1], b[1])
    return max(0.0, w) * max(0.0, h)


def clipped(box: Box, image: Image) -> Box:
    """The part of a box inside the picture: labels stop at the edge, found cards do not."""
    height, width = image.shape[:2]
    return (max(0.0, box[0]), max(0.0, box[1]), min(width, box[2]), min(height, box[3]))


def matched(cards: Sequence[Labelled], found: Sequence[Quad], image: Image) -> dict[int, int]:
    """Which quad is which card, best overlaps first, one to one: card index to quad's."""
    return one_to_one(overlaps(cards, found, image))


def overlaps(cards: Sequence[Labelled], found: Sequence[Quad], image: Image) -> list[list[float]]:
    """Of every label with every quad in the picture, a row a label."""
    boxes = [clipped(upright(quad), image) for quad in found]
    return [[overlap(card.box, box) for box in boxes] for card in cards]


def one_to_one(overlaps: Sequence[Sequence[float]]) -> dict[int, int]:
    """Pairs of the rows and columns of a table, the greatest overlap first, none below `SAME_PLACE`.

    A second box on a card is no card, and a box on two cards finds one.
    """
    places = sorted(
        ((share, i, j) for i, row in enumerate(overlaps) for j, share in enumerate(row)),
        reverse=True,
    )
    taken: dict[int, int] = {}
    used: set[int] = set()
    for share, i, j in places:
        if share < SAME_PLACE:
            break
        if i not in taken and j not in used:
            taken[i] = j
            used.add(j)
    return taken


@dataclass(frozen=True, slots=True)
class Looked:
    """One photograph as it was seen: which of `seen` is which card, and what became of every card."""

    photograph: Photograph
    image: Image
    seen: tuple[Seen, ...]
    pairs: dict[int, int]
    outcomes: tuple[Outcome, ...]

    @property
    def invented(self) -> tuple[Seen, ...]:
        """What was seen where no card is labelled; nothing where not all cards are labelled."""
        if not self.photograph.complete:
            return ()
        used = set(self.pairs.values())
        return tuple(one for j, one in enumerate(self.seen) if j not in used)


def look_at(photograph: Photograph, sight: Sight) -> Looked:
    """See one photograph and compare it with its labels."""
    image = photograph.image()
    seen = tuple(sight.see(image))
    pairs = matched(photograph.cards, [one.quad for one in seen], image)
    true_quads = {i: c.quad for i, c in enumerate(photograph.cards) if c.quad is not None}
    at_truth = dict(zip(true_quads, sight.read(image, list(true_quads.values())), strict=False))
    outcomes = tuple(
        _outcome(photograph, card, seen[pairs[i]] if i in pairs else None, at_truth.get(i))
        for i, card in enumerate(photograph.cards)
    )
    return Looked(photograph, image, seen, pairs, outcomes)


def _outcome(
    photograph: Photograph, card: Labelled, seen: Seen | None, at_truth: Reading | None
) -> Outcome:
    return Outcome(
        source=photograph.source,
        image=photograph.path.name,
        label=card.label,
        size=longer_side(card),
        found=seen is not None,
        read_at_truth=at_truth.best if at_truth else None,
        p_at_truth=float(np.exp(max(at_truth.log_probs))) if at_truth else 0.0,
        read_found=seen.label if seen else None,
        p_found=seen.p if seen else 0.0,
    )


class Tally:
    """Adds up what was seen photograph by photograph; the pictures are not kept."""

    def __init__(self) -> None:
        self._outcomes: list[Outcome] = []
        self._detections: dict[str, int] = {}
        self._invented: dict[str, int] = {}

    def add(self, looked: Looked) -> None:
        self._outcomes += looked.outcomes
        source = looked.photograph.source
        self._detections[source] = self._detections.get(source, 0) + len(looked.seen)
        self._invented[source] = self._invented.get(source, 0) + len(looked.invented)

    def measured(self) -> Measured:
        return Measured(tuple(self._outcomes), dict(self._detections), dict(self._invented))


def measure(
    photographs: Iterable[Photograph],
    sight: Sight,
    on_look: Callable[[Looked], None] = lambda looked: None,
) -> Measured:
    """See every photograph; `on_look` may keep pictures of what went wrong, or count them otherwise."""
    tally = Tally()
    for photograph in photographs:
        looked = look_at(photograph, sight)
        on_look(looked)
        tally.add(looked)
    return tally.measured()
