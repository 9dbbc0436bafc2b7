"""How well the exported models read real photographs: per source, per card, per size, with calibration.

Needs no PyTorch: what is measured is what runs. The photographs lie outside the repository
(`../shared/real`), and where they are absent there is nothing to measure.
"""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np

from vision.errors import UserError
from vision.finder import Finder
from vision.labels import BACK, CARDS, INDEX, OTHER
from vision.reader import Reader
from vision.types import Detection, Image, Quad, Reading

SAME_PLACE = 0.5
"""Intersection over union of upright boxes at which a detection is the card of a label."""

BIN_COUNT = 15
"""Bins of the expected calibration error, equally wide."""

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
        image = cv2.imread(str(self.path), cv2.IMREAD_COLOR)
        if image is None:
            raise UserError(
                f"{self.path} cannot be read as an image: check the copy of shared/real"
            )
        return image


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
                clockwise_card(entry["quad"]) if entry.get("quad") else None,
            )
            for entry in boxed
        )
        complete = not record.get("incomplete") and len(boxed) == len(record["labels"])
        photographs.append(
            Photograph(folder / record["image"], record["source_repo"], cards, complete)
        )
    return photographs


def clockwise_card(points: Sequence[Sequence[float]]) -> Quad:
    """Corners in order round the card as a quad: clockwise, a short side first."""
    quad = [(float(x), float(y)) for x, y in points]
    area = sum(
        quad[i][0] * quad[(i + 1) % 4][1] - quad[(i + 1) % 4][0] * quad[i][1] for i in range(4)
    )
    if area < 0:
        quad.reverse()
    sides = [float(np.hypot(*np.subtract(quad[i], quad[(i + 1) % 4]))) for i in range(4)]
    if sides[0] + sides[2] > sides[1] + sides[3]:
        quad = quad[1:] + quad[:1]
    return (quad[0], quad[1], quad[2], quad[3])


def upright(quad: Quad) -> Box:
    """The upright box round a quad."""
    xs, ys = zip(*quad, strict=True)
    return (min(xs), min(ys), max(xs), max(ys))


def overlap(a: Box, b: Box) -> float:
    """Intersection over union of two upright boxes."""
    w = min(a[2], b[2]) - max(a[0], b[0])
    h = min(a[3], b[3]) - max(a[1], b[1])
    if w <= 0 or h <= 0:
        return 0.0
    shared = w * h
    total = (a[2] - a[0]) * (a[3] - a[1]) + (b[2] - b[0]) * (b[3] - b[1])
    return shared / (total - shared)


def clipped(box: Box, image: Image) -> Box:
    """The part of a box inside the picture: labels stop at the edge, found cards do not."""
    height, width = image.shape[:2]
    return (max(0.0, box[0]), max(0.0, box[1]), min(width, box[2]), min(height, box[3]))


def matched(cards: Sequence[Labelled], found: Sequence[Detection], image: Image) -> dict[int, int]:
    """Which detection is which card, best overlaps first, one to one: card index to detection's."""
    boxes = [clipped(upright(d.quad), image) for d in found]
    pairs = sorted(
        (
            (overlap(card.box, box), i, j)
            for i, card in enumerate(cards)
            for j, box in enumerate(boxes)
        ),
        reverse=True,
    )
    taken: dict[int, int] = {}
    used: set[int] = set()
    for share, i, j in pairs:
        if share < SAME_PLACE:
            break
        if i not in taken and j not in used:
            taken[i] = j
            used.add(j)
    return taken


def _said(reading: Reading | None) -> tuple[str | None, float]:
    if reading is None:
        return None, 0.0
    return reading.best, float(np.exp(max(reading.log_probs)))


def measure_one(
    photograph: Photograph, finder: Finder, reader: Reader
) -> tuple[list[Outcome], int, int]:
    """Outcomes of one photograph, the detections made, and those that lie on no labelled card."""
    image = photograph.image()
    found = finder.find_any_size(image)
    pairs = matched(photograph.cards, found, image)
    true_quads = {i: c.quad for i, c in enumerate(photograph.cards) if c.quad is not None}
    at_truth = dict(zip(true_quads, reader.read(image, list(true_quads.values())), strict=True))
    order = list(pairs)
    at_found = dict(
        zip(order, reader.read_askew(image, [found[pairs[i]].quad for i in order]), strict=True)
    )
    outcomes = []
    for i, card in enumerate(photograph.cards):
        truth, p_truth = _said(at_truth.get(i))
        said, p_said = _said(at_found.get(i))
        size = max(card.box[2] - card.box[0], card.box[3] - card.box[1])
        outcomes.append(
            Outcome(
                photograph.source, photograph.path.name, card.label, size,
                i in pairs, truth, p_truth, said, p_said,
            )
        )  # fmt: skip
    invented = len(found) - len(pairs) if photograph.complete else 0
    return outcomes, len(found), invented


def measure(photographs: Iterable[Photograph], finder: Finder, reader: Reader) -> Measured:
    """Run both models over photographs."""
    outcomes: list[Outcome] = []
    detections: dict[str, int] = {}
    invented: dict[str, int] = {}
    for photograph in photographs:
        some, made, extra = measure_one(photograph, finder, reader)
        outcomes += some
        detections[photograph.source] = detections.get(photograph.source, 0) + made
        invented[photograph.source] = invented.get(photograph.source, 0) + extra
    return Measured(tuple(outcomes), detections, invented)


def calibration_error(right: Sequence[bool], p: Sequence[float], bins: int = BIN_COUNT) -> float:
    """Expected calibration error: mean gap between confidence and accuracy over equal-width bins,
    weighted by their counts (Guo et al., 2017)."""
    if not right:
        return 0.0
    hits, sure = np.asarray(right, float), np.asarray(p, float)
    which = np.minimum((sure * bins).astype(int), bins - 1)
    gaps = [
        abs(hits[which == b].mean() - sure[which == b].mean()) * (which == b).sum()
        for b in range(bins)
        if (which == b).any()
    ]
    return float(sum(gaps) / len(hits))


def share(flags: Iterable[bool]) -> float | None:
    """The share of true flags; None of an empty list."""
    listed = list(flags)
    return round(sum(listed) / len(listed), 4) if listed else None


def summary(measured: Measured, source: str | None = None) -> dict[str, float | int | None]:
    """The figures of one source, or of all."""
    rows = [o for o in measured.outcomes if source in (None, o.source)]
    of_40 = [o for o in rows if o.label in INDEX and o.label not in (BACK, OTHER)]
    truth = [o for o in of_40 if o.read_at_truth is not None]
    extra = sum(n for s, n in measured.invented.items() if source in (None, s))
    hits = sum(o.found for o in rows)
    return {
        "cards": len(rows),
        "finder_recall": share(o.found for o in rows),
        "finder_precision": round(hits / (hits + extra), 4) if hits + extra else None,
        "read_at_truth": share(o.read_at_truth == o.label for o in truth),
        "cards_at_truth": len(truth),
        "read_when_found": share(o.read_found == o.label for o in of_40 if o.found),
        "other_when_other": share(
            o.read_found == OTHER for o in rows if o.found and o.label == OTHER
        ),
        "both": share(o.read_found == o.label for o in of_40),
        "ece": round(
            calibration_error(
                [o.read_found == o.label for o in rows if o.found],
                [o.p_found for o in rows if o.found],
            ),
            4,
        ),
    }


def figures(measured: Measured) -> dict[str, dict[str, float | int | None]]:
    """The figures of every source, and of all under `all`."""
    sources = sorted({o.source for o in measured.outcomes})
    return {source: summary(measured, source) for source in sources} | {"all": summary(measured)}


def table(measured: Measured) -> str:
    """Markdown: a row a source, and one for all."""
    sources = [*sorted({o.source for o in measured.outcomes}), None]
    first = summary(measured)
    lines = [
        "| source | " + " | ".join(first) + " |",
        "|---" * (len(first) + 1) + "|",
    ]
    for source in sources:
        figures = summary(measured, source).values()
        cells = [
            "–" if v is None else f"{v:.3f}" if isinstance(v, float) else str(v) for v in figures
        ]
        lines.append(f"| {source or 'all'} | " + " | ".join(cells) + " |")
    return "\n".join(lines)
