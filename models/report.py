"""The report of a measurement: figures as JSON, a table, a confusion matrix and a reliability plot."""

import json
import os
from pathlib import Path

import cv2
import numpy as np

from models.evaluate import BIN_COUNT, Measured, figures, share, table
from vision.labels import INDEX, LABELS, OTHER
from vision.types import Image

CELL = 20
SIZES = ((0, 60), (60, 100), (100, 200), (200, 400), (400, 10_000))
"""Bands of the longer side of a card's box, pixels."""


def write_report(measured: Measured, folder: Path) -> None:
    """Write `figures.json`, `report.md`, `confusion.png` and `reliability.png` into `folder`."""
    folder.mkdir(parents=True, exist_ok=True)
    document = {
        "by_source": figures(measured),
        "by_card": by_card(measured),
        "by_size": by_size(measured),
    }
    (folder / "figures.json").write_text(
        json.dumps(document, indent=1, ensure_ascii=False) + os.linesep
    )
    (folder / "report.md").write_text(
        "\n\n".join([table(measured), _size_table(measured), _card_table(measured)]) + "\n"
    )
    cv2.imwrite(str(folder / "confusion.png"), confusion(measured))
    cv2.imwrite(str(folder / "reliability.png"), reliability(measured))


def by_card(measured: Measured) -> dict[str, float | None]:
    """How often each label is read right where it was found."""
    return {
        label: share(
            o.read_found == label for o in measured.outcomes if o.found and o.label == label
        )
        for label in LABELS
    }


def by_size(measured: Measured) -> dict[str, dict[str, float | int | None]]:
    """Found, and read right when found, by the size of the card in the picture."""
    bands: dict[str, dict[str, float | int | None]] = {}
    for low, high in SIZES:
        rows = [o for o in measured.outcomes if low <= o.size < high]
        cards = [o for o in rows if o.found and o.label != OTHER]
        bands[f"{low}-{high}"] = {
            "cards": len(rows),
            "found": share(o.found for o in rows),
            "read": share(o.read_found == o.label for o in cards),
        }
    return bands


def _size_table(measured: Measured) -> str:
    lines = ["| longer side, px | cards | found | read when found |", "|---|---|---|---|"]
    for band, row in by_size(measured).items():
        lines.append(f"| {band} | {row['cards']} | {row['found']} | {row['read']} |")
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
