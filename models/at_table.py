"""Labelled photographs as a camera above a table would show them, seen and read as a live frame is.

Nobody has filmed a game for us, and people photograph cards from near. So each photograph is shrunk until its
cards are as long as on a whole table, laid into a 720p frame and taken through a cheap camera once more; what
is right of these frames tells how real cards of unseen decks are read live, at which size.
"""

import itertools
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TypedDict

import cv2
import numpy as np

from datasets.photo import Rng, blur, sensor
from models.evaluate import Box, Measured, Photograph, longer_side, measure
from models.figures import Figures, by_source
from models.remarks import Heeding
from models.report import table
from models.sight import Sight
from vision.labels import CARDS
from vision.types import Image, Window

WIDTH, HEIGHT = 1280, 720
"""Pixels of the frame."""

WHOLE, TABLE = Window(0, 0, WIDTH, HEIGHT), Window(240, 0, 1040, HEIGHT)
"""Where the edges of a table are seen nothing else is looked at, and that from nearer
(`vision.table.Table.window`): here a square one as high as the frame, with a little round it."""

LENGTHS = (110, 90, 70)
"""How long cards are, pixels. 90 is what the README asks for; a whole table from 1.5 m gives 45 to 70."""
WINDOWS = (TABLE, WHOLE)

DRAWN_LENGTHS = (45.0, 160.0)
FRAMES_A_PHOTOGRAPH = 3
"""What is learnt from: any length within these, so often a photograph."""

SOFTNESS, SEVERITY = 1.0, 0.6
"""Of the camera (`datasets.photo`): up to a pixel's blur, a sensor as most webcams have."""

SURE = 0.9
"""A wrong reading with more is surely wrong: no second look and no person is asked."""

SURROUNDINGS = 40.0
"""Round the photograph lies its mirror image, blurred (sigma, pixels) until no card is left, and less so near
its edges: a patch of carpet that ends sharply would be a card's back."""


_BLURS = (0.5, 1, 2, 4, 8, 16, 24, SURROUNDINGS)
_SOFT = 6.0
"""From this sigma on a quarter of the pixels each way will do."""


@dataclass(frozen=True, slots=True)
class Framed(Photograph):
    """A photograph in a camera's frame; its labels are the frame's. `area` is where in it the photograph
    lies."""

    frame: Image
    area: Box

    def image(self) -> Image:
        return self.frame

    def holds(self, points: np.ndarray) -> np.ndarray:
        """Which of (n, 2) points lie in the photograph, not in what was put round it: (n,) bool."""
        inside = (points >= self.area[:2]) & (points <= self.area[2:])
        return np.asarray(inside.all(axis=1))


def framed(photograph: Photograph, length: float, seed: int = 1, window: Window = WHOLE) -> Framed:
    """A frame in which the photograph lies within `window` and its cards are `length` pixels long.

    That is the median of the boxes' longer sides. Where the cards would be larger than they are, or the
    picture than the window, they are as long as may be.

    The same photograph, length and seed give the same frame. Quads are dropped: the finder's are read.
    """
    rng = np.random.default_rng((seed, round(length), zlib.crc32(photograph.path.name.encode())))
    image = photograph.image()
    height, width = image.shape[:2]
    across = window.right - window.left
    scale = min(length / typical_length(photograph, image), across / width, HEIGHT / height, 1.0)
    size = (max(1, round(width * scale)), max(1, round(height * scale)))
    small = cv2.resize(image, size, interpolation=cv2.INTER_AREA)
    x = window.left + int(rng.integers(across - size[0] + 1))
    y = int(rng.integers(HEIGHT - size[1] + 1))
    return Framed(
        photograph.path,
        photograph.source,
        tuple(replace(c, box=_moved(c.box, scale, x, y), quad=None) for c in photograph.cards),
        photograph.complete,
        _camera(_surrounded(small, x, y), rng),
        (x, y, x + size[0], y + size[1]),
    )


def drawn_frames(
    photograph: Photograph, rng: Rng, count: int = FRAMES_A_PHOTOGRAPH
) -> Iterator[Framed]:
    """The photograph in frames with cards of some lengths in `DRAWN_LENGTHS`, for training."""
    for length in np.exp(rng.uniform(*np.log(DRAWN_LENGTHS), count)):
        yield framed(photograph, float(length), int(rng.integers(2**31)))


def _surrounded(small: Image, x: int, y: int) -> Image:
    """The picture in a frame, its upper left corner at (x, y)."""
    height, width = small.shape[:2]
    below, right = HEIGHT - height - y, WIDTH - width - x
    mirrored = cv2.copyMakeBorder(small, y, below, x, right, cv2.BORDER_REFLECT)
    frame = mirrored.copy()
    outside = np.full((HEIGHT, WIDTH), 255, np.uint8)
    outside[y : y + height, x : x + width] = 0
    away = cv2.distanceTransform(outside, cv2.DIST_L2, 5)
    for sigma in _BLURS:
        there = (away > sigma).astype(np.uint8)
        frame = np.asarray(cv2.copyTo(_blurred(mirrored, sigma), there, frame), np.uint8)
    return frame


def _blurred(image: Image, sigma: float) -> Image:
    if sigma < _SOFT:
        return np.asarray(cv2.GaussianBlur(image, (0, 0), sigma), np.uint8)
    height, width = image.shape[:2]
    quarter = cv2.resize(image, (width // 4, height // 4), interpolation=cv2.INTER_AREA)
    soft = cv2.GaussianBlur(quarter, (0, 0), sigma / 4)
    return np.asarray(cv2.resize(soft, (width, height)), np.uint8)


def typical_length(photograph: Photograph, image: Image) -> float:
    """The median of the longer sides of what is labelled, pixels; of the picture where nothing is."""
    sides = [longer_side(card) for card in photograph.cards]
    return float(np.median(sides)) if sides else float(max(image.shape[:2]))


def _moved(box: Box, scale: float, x: int, y: int) -> Box:
    x1, y1, x2, y2 = box
    return (x1 * scale + x, y1 * scale + y, x2 * scale + x, y2 * scale + y)


def _camera(frame: Image, rng: Rng) -> Image:
    """The frame through a lens and a sensor. Its light is the photograph's own."""
    return sensor(blur(frame.astype(np.float32), rng, SOFTNESS * SEVERITY), rng, SEVERITY)


@dataclass(frozen=True, slots=True)
class AtLength:
    """What was seen of cards so long in that part of the frame: as labelled, and with the remarks heeded."""

    length: float
    window: Window
    measured: Measured
    heeded: Measured


def at_lengths(
    photographs: Sequence[Photograph],
    looking_at: Callable[[Window], Sight],
    lengths: Iterable[float] = LENGTHS,
    windows: Iterable[Window] = WINDOWS,
) -> Iterator[AtLength]:
    """The photographs seen at each length, where the table is known and in the whole frame."""
    for window, length in itertools.product(windows, lengths):
        heeding = Heeding()
        frames = (framed(photograph, length, window=window) for photograph in photographs)
        measured = measure(frames, looking_at(window), heeding.note)
        yield AtLength(length, window, measured, heeding.measured().measured)


MAIN = (
    "cards", "finder_recall", "finder_precision", "read_when_found", "both", "ece", "surely_wrong",
)  # fmt: skip
"""The figures of every table."""


class Document(TypedDict):
    """The JSON report: by length of the cards and width of what is looked at in pixels (`90 in 800`) the
    figures of every source, labels as they stand and with the remarks on them heeded."""

    as_labelled: dict[str, dict[str, Figures]]
    with_remarks: dict[str, dict[str, Figures]]


def document(seen: Sequence[AtLength]) -> Document:
    """All figures, as the JSON beside the report and `--json` give them."""
    return {
        "as_labelled": {_name(one): _figures(one.measured) for one in seen},
        "with_remarks": {_name(one): _figures(one.heeded) for one in seen},
    }


def _name(one: AtLength) -> str:
    return f"{one.length:g} in {one.window.right - one.window.left}"


def text(seen: Sequence[AtLength], weights: str) -> str:
    """The report as Markdown; `weights` the versions of the networks."""
    said = document(seen)
    parts = [
        "# Real cards at the size of a table's",
        f"Written by `sueca models evaluate-at-table`; weights {weights}. Labelled photographs of real cards,"
        f" shrunk until these are so many pixels long, laid into a frame {HEIGHT} pixels high and taken"
        " through a webcam's blur, noise, sharpening and compression once more; then seen and read once, as"
        f" a single frame of a live game is. In {TABLE.right - TABLE.left}: as where the edges of a square"
        " table are seen that fills the height of the frame, for only the table is looked at; in"
        f" {WIDTH}: the whole frame, as where no edge is seen. A game reads each card five times or more."
        f" `surely_wrong`: read wrong with a p above {SURE}.",
        "All sources, labels as they stand:",
        _all_sources(said["as_labelled"]),
        "With the remarks on labels heeded (`models/remarks.py`):",
        _all_sources(said["with_remarks"]),
    ]
    for name, each in said["with_remarks"].items():
        parts += [f"## {name} pixels, by source, remarks heeded", table(each, MAIN)]
    return "\n\n".join(parts) + "\n"


def _all_sources(each: dict[str, dict[str, Figures]]) -> str:
    return table({name: figures["all"] for name, figures in each.items()}, MAIN)


def _figures(measured: Measured) -> dict[str, Figures]:
    return {
        source: figures
        | {"surely_wrong": surely_wrong(measured, None if source == "all" else source)}
        for source, figures in by_source(measured).items()
    }


def surely_wrong(measured: Measured, source: str | None = None) -> int:
    """How many cards of the 40 are read wrong with a p above `SURE`."""
    return sum(
        o.found and o.label in CARDS and o.read_found != o.label and o.p_found > SURE
        for o in measured.outcomes
        if source in (None, o.source)
    )
