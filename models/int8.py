"""The exported models with 8-bit weights and activations, and whether they are as good.

Post-training quantization by NNCF, an optional tool: `pip install nncf`. The numbers' ranges
are learnt on photographs; others are measured on.
"""

import shutil
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
import openvino

from models.evaluate import Photograph, measure
from models.figures import Figures, summary
from models.manifest import enter
from models.sight import TwoStages
from vision.crop import CROP_HEIGHT, CROP_WIDTH, both_ways_up, rectify
from vision.errors import UserError
from vision.finder import FINDER_SIDE, Finder, letterbox
from vision.reader import Reader
from vision.types import Image

HOLDS_WITHIN = 0.001
"""int8 is worth having where no figure falls by more than a tenth of a point (issue 4)."""

SAMPLES = 100
"""Pictures the ranges are learnt on; NNCF asks for a few hundred at most."""

SPREAD = 7
"""Every so many photographs are taken of: neighbours show the same table."""

ROUNDS = 20
FIGURES = ("finder_recall", "finder_precision", "read_when_found", "both")


@dataclass(frozen=True, slots=True)
class Row:
    """One pair of models: what they read right, and milliseconds a look of the finder and a card."""

    name: str
    figures: Figures
    finder_ms: float
    card_ms: float


def quantize(weights: Path, out: Path, photographs: Sequence[Photograph]) -> None:
    """Write finder and reader of a weights folder as int8 into `out`, ranges learnt on `photographs`.

    Raises:
        UserError: NNCF is not installed, or a model is missing.
    """
    try:
        import nncf
    except ImportError as error:
        raise UserError("NNCF is not installed: pip install nncf (see docs/training.md)") from error
    finder, reader = Finder.from_folder(weights), Reader.from_folder(weights)
    images = [photograph.image() for photograph in photographs[:SAMPLES]]
    samples = {
        "finder": [letterbox(image, FINDER_SIDE)[0][None] for image in images],
        "reader": [both_ways_up(crops) for image in images if (crops := _crops(image, finder))],
    }
    out.mkdir(parents=True, exist_ok=True)
    for name, model in (("finder", finder.weights), ("reader", reader.weights)):
        whole = openvino.Core().read_model(str(model.model))
        small = nncf.quantize(
            whole,
            nncf.Dataset(samples[name]),
            preset=nncf.QuantizationPreset.MIXED,  # SiLU is not symmetric
            subset_size=len(samples[name]),
        )
        openvino.save_model(small, out / f"{name}.xml")
        enter(name, out, model.temperature, model.threshold)
    if finder.verifier is not None:  # a seventh of the finder's time: it stays as it is
        kept = finder.verifier.weights
        for suffix in (".xml", ".bin"):
            shutil.copy(kept.model.with_suffix(suffix), out / f"verifier{suffix}")
        enter("verifier", out, kept.temperature, kept.threshold)


def _crops(image: Image, finder: Finder) -> list[Image]:
    return [rectify(image, found.quad) for found in finder.find_any_size(image)]


def compare(
    folders: Sequence[tuple[str, Path, Path]], photographs: Sequence[Photograph]
) -> list[Row]:
    """Each named pair of a finder's and a reader's weights folder, measured on the same photographs."""
    picture = photographs[0].image()
    crops = [cv2.resize(picture, (CROP_WIDTH, CROP_HEIGHT))] * 8
    rows = []
    for name, finder_folder, reader_folder in folders:
        finder, reader = Finder.from_folder(finder_folder), Reader.from_folder(reader_folder)
        measured = measure(photographs, TwoStages(finder, reader))
        rows.append(
            Row(
                name,
                summary(measured),
                _milliseconds(lambda f=finder: f.find(picture)),  # type: ignore[misc]
                _milliseconds(lambda r=reader: r.read_crops(crops)) / len(crops),  # type: ignore[misc]
            )
        )
    return rows


def _milliseconds(work: Callable[[], object]) -> float:
    times = []
    for _ in range(ROUNDS):
        start = time.perf_counter()
        work()
        times.append(1000 * (time.perf_counter() - start))
    return float(np.median(times))


def holds(rows: Sequence[Row]) -> list[str]:
    """The names of the rows, after the first, none of whose figures falls behind the first's."""
    first = rows[0]
    return [
        row.name
        for row in rows[1:]
        if all((row.figures[f] or 0.0) >= (first.figures[f] or 0.0) - HOLDS_WITHIN for f in FIGURES)
    ]


def report(measured: Sequence[tuple[str, Sequence[Row]]]) -> str:
    """Markdown: a table for each set of photographs, and which int8 models hold on all of them."""
    parts = [
        "# int8",
        "Written by `sueca models int8`. The finder looks at one photograph, 640 pixels wide; times are"
        " medians and depend on what else the machine does: compare rows, not machines.",
    ]
    for name, rows in measured:
        lines = ["| models | " + " | ".join(FIGURES) + " | finder, ms | card, ms |"]
        lines.append("|---" * (len(FIGURES) + 3) + "|")
        for row in rows:
            cells = [f"{row.figures[f] or 0.0:.4f}" for f in FIGURES]
            cells += [f"{row.finder_ms:.1f}", f"{row.card_ms:.2f}"]
            lines.append(f"| {row.name} | " + " | ".join(cells) + " |")
        parts += [f"{name}, {rows[0].figures['cards']} cards:", "\n".join(lines)]
    good = set.intersection(*(set(holds(rows)) for _, rows in measured))
    parts.append(
        f"Within {100 * HOLDS_WITHIN:.1f} point on every figure: {', '.join(sorted(good)) or 'none'}."
    )
    return "\n\n".join(parts) + "\n"
