"""The report of a measurement: figures as JSON, tables, a confusion matrix and a reliability plot."""

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import TypedDict

import cv2
import numpy as np

from models.evaluate import Measured
from models.figures import (
    BIN_COUNT,
    RANKS,
    Figures,
    by_card,
    by_size,
    by_source,
)
from models.remarks import WORDS, WithRemarks
from models.targets import (
    PHOTOGRAPHS,
    WORSE_THAN_AVERAGE,
    Checked,
    check,
    rank_targets,
    shortfalls,
    target_table,
)
from vision.labels import INDEX, LABELS
from vision.types import Image

CELL = 20

MAIN = (
    "cards", "finder_recall", "finder_precision", "read_at_truth", "cards_at_truth",
    "read_when_found", "other_when_other", "both", "ece",
)  # fmt: skip
"""The figures of the first table."""


class TargetDocument(TypedDict):
    """A target in the JSON report, all as fractions."""

    figure: str
    goal: float
    measured: float
    short: float


class Document(TypedDict):
    """The JSON report."""

    by_source: dict[str, Figures]
    by_card: dict[str, float | None]
    by_size: dict[str, Figures]
    targets: list[TargetDocument]
    with_remarks: dict[str, Figures] | None
    one_stage: dict[str, Figures] | None


def document(
    measured: Measured, one_stage: Measured | None = None, with_remarks: WithRemarks | None = None
) -> Document:
    """All figures, as `figures.json` and `--json` give them; `one_stage` of the same photographs,
    `with_remarks` heeded."""
    each = by_source(measured)
    return {
        "by_source": each,
        "by_card": by_card(measured),
        "by_size": by_size(measured),
        "targets": target_document(checked(each["all"])),
        "with_remarks": by_source(with_remarks.measured)
        if with_remarks and with_remarks.remarks
        else None,
        "one_stage": by_source(one_stage) if one_stage else None,
    }


def target_document(targets: list[Checked]) -> list[TargetDocument]:
    return [
        {"figure": c.target.figure, "goal": c.target.goal, "measured": c.measured, "short": c.short}
        for c in targets
    ]


def checked(figures: Figures) -> list[Checked]:
    """The targets for photographs, aces and courts with them, beside the figures."""
    return check(figures, (*PHOTOGRAPHS, *rank_targets(figures, "read_when_found")))


def write_report(
    measured: Measured,
    folder: Path,
    one_stage: Measured | None = None,
    with_remarks: WithRemarks | None = None,
    weights: str = "",
) -> None:
    """Write `figures.json`, `report.md`, `confusion.png` and `reliability.png` into `folder`.

    None of them shows any part of a photograph: the folder may be committed.
    """
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "figures.json").write_text(
        json.dumps(document(measured, one_stage, with_remarks), indent=1, ensure_ascii=False)
        + os.linesep
    )
    (folder / "report.md").write_text(text(measured, one_stage, with_remarks, weights) + "\n")
    cv2.imwrite(str(folder / "confusion.png"), confusion(measured))
    cv2.imwrite(str(folder / "reliability.png"), reliability(measured))


def text(
    measured: Measured,
    one_stage: Measured | None = None,
    with_remarks: WithRemarks | None = None,
    weights: str = "",
) -> str:
    """The report as Markdown; `weights` the versions of finder and reader."""
    each = by_source(measured)
    parts = [
        f"Written by `sueca models evaluate`; weights {weights or 'not said'}.",
        table(each, MAIN),
        "Targets of issue 4 (labels do not say how much of a card shows: all cards count, the issue asks for"
        " those at least half visible):",
        target_table(checked(each["all"])),
        "Sources that fall short, in points:",
        shortfalls({s: f for s, f in each.items() if s != "all"}, PHOTOGRAPHS),
        f"Aces and courts, read right when found; * more than {100 * WORSE_THAN_AVERAGE:.1f} point below"
        " the average:",
        rank_table(each, "read_when_found"),
        _size_table(measured),
        _card_table(measured),
    ]
    if with_remarks is not None and with_remarks.remarks:
        parts += _with_remarks(with_remarks)
    if one_stage is not None:
        parts += [
            "The same photographs seen by one network that finds and reads at once:",
            table(by_source(one_stage), ("cards", "finder_recall", "finder_precision",
                  "read_when_found", "both", "ece")),
        ]  # fmt: skip
    return "\n\n".join(parts)


def _with_remarks(with_remarks: WithRemarks) -> list[str]:
    """The figures where the labels remarked on are left out, and these labels."""
    each = by_source(with_remarks.measured)
    parts = [
        f"## With {len(with_remarks.remarks)} labels taken for what the pictures show them to be",
        "Every label whose box agrees with nothing found there by an overlap of 0.7 or more was looked at by"
        " eye; those that are plainly not of a whole card are listed (`models/remarks.py`). A label of a part"
        " of a card is met by a box that holds it, and stays missed where there is none; labels of cards less"
        " than half visible are left out; what is read under a quad that is not the card's does not count."
        " Labels that agree with what is found were not looked at, so these figures stand second.",
        table(each, MAIN),
        target_table(checked(each["all"])),
    ]
    for why, words in WORDS.items():
        listed = [r for r in with_remarks.remarks if r.why == why]
        if listed:
            names = "".join(f"\n- {r.image}, label {r.number}: {r.card}" for r in listed)
            parts.append(f"{len(listed)} of which {words}:\n{names}")
    return parts


def write_beside(out: Path, said: str, figures: Mapping[str, object]) -> None:
    """Write a report's text at `out` and its figures as JSON beside it."""
    out.write_text(said, encoding="utf-8")
    told = json.dumps(figures, indent=1, ensure_ascii=False)
    out.with_suffix(".json").write_text(told + os.linesep, encoding="utf-8")


def table(each: dict[str, Figures], columns: tuple[str, ...]) -> str:
    """Markdown: a row a source."""
    lines = ["| source | " + " | ".join(columns) + " |", "|---" * (len(columns) + 1) + "|"]
    for source, figures in each.items():
        cells = (_cell(figures[column]) for column in columns)
        lines.append(f"| {source} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def rank_table(each: dict[str, Figures], average: str) -> str:
    """Markdown: a row a source, how aces, kings, queens and jacks are read beside all cards."""
    columns = ("all cards", *RANKS)
    lines = ["| source | " + " | ".join(columns) + " |", "|---" * (len(columns) + 1) + "|"]
    for source, figures in each.items():
        behind = {
            one.target.figure for one in check(figures, rank_targets(figures, average)) if one.short
        }
        cells = [_cell(figures[name]) + "*" * (name in behind) for name in (average, *RANKS)]
        lines.append(f"| {source} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def _cell(value: float | int | None) -> str:
    return "–" if value is None else f"{value:.3f}" if isinstance(value, float) else str(value)


def _size_table(measured: Measured) -> str:
    lines = ["| longer side, px | cards | found | read when found |", "|---|---|---|---|"]
    for band, row in by_size(measured).items():
        cells = (str(row["cards"]), _cell(row["found"]), _cell(row["read"]))
        lines.append(f"| {band} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def _card_table(measured: Measured) -> str:
    ranks = "A765432KJQ"
    cards = by_card(measured)
    lines = ["| | " + " | ".join(ranks) + " |", "|---" * (len(ranks) + 1) + "|"]
    for suit in "SHDC":
        cells = ["–" if cards[r + suit] is None else f"{cards[r + suit]:.2f}" for r in ranks]
        lines.append(f"| {suit} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def confusion(measured: Measured) -> Image:
    """A picture of label (row) against reading (column), darker for more, labels at the sides."""
    counts = np.zeros((len(LABELS), len(LABELS)), int)
    for o in measured.outcomes:
        if o.found and o.read_found is not None:
            counts[INDEX[o.label], INDEX[o.read_found]] += 1
    side = (len(LABELS) + 2) * CELL
    image = np.full((side, side, 3), 255, np.uint8)
    totals = np.maximum(counts.sum(axis=1, keepdims=True), 1)
    for i in range(len(LABELS)):
        for j in range(len(LABELS)):
            if counts[i, j]:
                shade = int(235 * (1 - counts[i, j] / totals[i, 0]))
                colour = (shade, 235, shade) if i == j else (shade, shade, 235)
                y, x = (i + 2) * CELL, (j + 2) * CELL
                image[y : y + CELL, x : x + CELL] = colour
                _write(image, str(counts[i, j]), x + 1, y + 13)
        _write(image, LABELS[i][:3], 4, (i + 2) * CELL + 13)
        _write(image, LABELS[i][:3], (i + 2) * CELL, CELL + 12)
    return image


def reliability(measured: Measured, side: int = 480) -> Image:
    """Accuracy against confidence in bins; bars on the diagonal mean honest probabilities."""
    rows = [(o.p_found, o.read_found == o.label) for o in measured.outcomes if o.found]
    image = np.full((side + 60, side + 60, 3), 255, np.uint8)
    cv2.line(image, (40, side + 20), (40 + side, 20), (180, 180, 180), 1, cv2.LINE_AA)
    for b in range(BIN_COUNT):
        inside = [ok for p, ok in rows if min(int(p * BIN_COUNT), BIN_COUNT - 1) == b]
        if inside:
            height = round(side * sum(inside) / len(inside))
            x = 40 + b * side // BIN_COUNT
            corner = (x + side // BIN_COUNT - 3, side + 20)
            cv2.rectangle(image, (x + 2, side + 20 - height), corner, (150, 110, 40), -1)
            _write(image, str(len(inside)), x + 2, side + 14 - height)
    _write(image, "confidence", side // 2, side + 50)
    _write(image, "right", 2, 14)
    return image


def _write(image: Image, text: str, x: int, y: int) -> None:
    cv2.putText(image, text, (x, y), cv2.FONT_HERSHEY_SIMPLEX, 0.32, (20, 20, 20), 1, cv2.LINE_AA)
