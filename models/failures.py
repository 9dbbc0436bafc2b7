"""One contact sheet of what went wrong: cards misread, cards missed, cards invented.

It shows parts of the pictures measured on. Those of `shared/real` and of the held-out artists belong to
others, so a sheet is written only where it is asked for and is no part of a committed report.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from typing import Literal

import cv2
import numpy as np

from models.evaluate import Looked
from vision.errors import UserError
from vision.types import Image, Quad

Kind = Literal["misread", "missed", "invented"]

COLOURS: dict[Kind, tuple[int, int, int]] = {
    "misread": (30, 30, 210),
    "missed": (190, 90, 20),
    "invented": (20, 130, 220),
}
"""BGR, of the caption and of the outline."""

TILE, CAPTION = 120, 30
COLUMNS = 10
MOST_TILES = 60
"""So that a sheet is looked at, and stays well under a megabyte."""

SURROUNDINGS = 0.3
"""What is shown about a card, as a part of its longer side: whether it is covered, askew or no card."""

JPEG_QUALITY = 82


@dataclass(frozen=True, slots=True)
class Failure:
    """One thing that went wrong: `tile` (120, 120, 3) BGR, `group` the source or deck."""

    kind: Kind
    group: str
    words: str
    tile: Image


class Failures:
    """Collects failures while pictures are at hand; only tiles are kept."""

    def __init__(self) -> None:
        self.all: list[Failure] = []

    def add(self, kind: Kind, group: str, words: str, image: Image, quad: Quad) -> None:
        """Keep the part of `image` about `quad`; `words` such as `7H > 6H 58%`."""
        self.all.append(Failure(kind, group, words, tile_of(image, quad, COLOURS[kind])))

    def note(self, looked: Looked) -> None:
        """Keep what went wrong with one photograph."""
        group, image = looked.photograph.source, looked.image
        for i, outcome in enumerate(looked.outcomes):
            if not outcome.found:
                x1, y1, x2, y2 = looked.photograph.cards[i].box
                box: Quad = ((x1, y1), (x2, y1), (x2, y2), (x1, y2))
                self.add("missed", group, outcome.label, image, box)
            elif outcome.read_found != outcome.label:
                words = f"{outcome.label} > {outcome.read_found} {outcome.p_found:.0%}"
                self.add("misread", group, words, image, looked.seen[looked.pairs[i]].quad)
        for one in looked.invented:
            self.add("invented", group, f"{one.label} {one.p:.0%}", image, one.quad)

    def write(self, path: Path) -> None:
        """Write the contact sheet, a JPEG or PNG as the name ends.

        Raises:
            UserError: it cannot be written there.
        """
        try:
            done = cv2.imwrite(str(path), sheet(self.all), [cv2.IMWRITE_JPEG_QUALITY, JPEG_QUALITY])
        except cv2.error as error:
            raise UserError(f"{path}: give the sheet a name that ends in .jpg or .png") from error
        if not done:
            raise UserError(f"cannot write {path}: is there such a folder?")


def tile_of(image: Image, quad: Quad, colour: tuple[int, int, int]) -> Image:
    """The square part of a picture about a quad, with its outline, (TILE, TILE, 3); grey beyond the edge."""
    points = np.array(quad, float)
    low, high = points.min(axis=0), points.max(axis=0)
    reach = max(1.0, float((high - low).max())) * (0.5 + SURROUNDINGS)
    corner = (low + high) / 2 - reach
    scale = TILE / (2 * reach)
    # Large cards are averaged down, as in `vision.crop.rectify`.
    finer = max(1, min(8, round(1 / scale)))
    matrix = np.array([[scale, 0, -corner[0] * scale], [0, scale, -corner[1] * scale]]) * finer
    tile = cv2.warpAffine(image, matrix, (TILE * finer, TILE * finer), borderValue=(150, 150, 150))
    tile = cv2.resize(tile, (TILE, TILE), interpolation=cv2.INTER_AREA)
    outline = ((points - corner) * scale).round().astype(np.int32)
    cv2.polylines(tile, [outline], True, colour, 1, cv2.LINE_AA)
    return np.asarray(tile, np.uint8)


def chosen(failures: Sequence[Failure], most: int = MOST_TILES) -> list[Failure]:
    """At most so many, every kind and every source having its turn, sorted by kind and source."""
    rows: dict[tuple[str, str], list[Failure]] = {}
    for failure in failures:
        rows.setdefault((failure.kind, failure.group), []).append(failure)
    turns = [f for turn in zip_longest(*rows.values()) for f in turn if f is not None]
    kinds = list(COLOURS)
    return sorted(turns[:most], key=lambda f: (kinds.index(f.kind), f.group))


def sheet(failures: Sequence[Failure]) -> Image:
    """The tiles of `chosen` under one another, each with what happened and where it is from."""
    tiles = [_captioned(failure) for failure in chosen(failures)]
    blank = np.full((TILE + CAPTION, TILE, 3), 255, np.uint8)
    count = max(1, -(-len(tiles) // COLUMNS)) * COLUMNS
    tiles += [blank] * (count - len(tiles))
    rows = [np.hstack(tiles[i : i + COLUMNS]) for i in range(0, count, COLUMNS)]
    return np.vstack(rows)


def _captioned(failure: Failure) -> Image:
    caption = np.full((CAPTION, TILE, 3), 255, np.uint8)
    first = f"{failure.kind} {failure.words}" if failure.kind != "misread" else failure.words
    source = failure.group.rpartition("/")[2][:19]
    for line, (words, colour) in enumerate(
        ((first, COLOURS[failure.kind]), (source, (110, 110, 110)))
    ):
        at = (2, 12 + 13 * line)
        cv2.putText(caption, words, at, cv2.FONT_HERSHEY_SIMPLEX, 0.34, colour, 1, cv2.LINE_AA)
    framed = failure.tile.copy()
    cv2.rectangle(framed, (0, 0), (TILE - 1, TILE - 1), (255, 255, 255), 1)
    return np.vstack([framed, caption])
