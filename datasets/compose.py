"""Decks put together at random: court art of package decks, suit shapes and index letters of fonts.

No package holds a Portuguese-printed deck, and a reader that has seen thirty printers' art learns those
printers. So most training cards are composed: a card stock, a set of suit shapes, a pip layout, index
letters (A K Q J, A R D V, 1 R D V, A K D B) in some face, size and place, and courts out of any deck.
Needs Pillow (with the `train` extra) for the fonts.
"""

from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt
from PIL import Image as PilImage
from PIL import ImageDraw, ImageFont

from datasets.art import FACE_WIDTH, RANKS_13, SHEET_SUITS, Deck, Rgba
from vision.errors import UserError

Image3 = npt.NDArray[np.float32]

Mask = npt.NDArray[np.float32]
"""(height, width), 0-1: how much ink lies there."""

FONT_FOLDERS = (
    "/usr/share/fonts/opentype/urw-base35",
    "/usr/share/fonts/opentype/linux-libertine",
    "/usr/share/fonts/opentype/freefont",
    "/usr/share/fonts/truetype/freefont",
    "/usr/share/fonts/truetype/dejavu",
    "/usr/share/fonts/truetype/liberation2",
    "/usr/share/fonts/truetype/liberation",
)
NO_INDEX_FONTS = (
    "Symbol",
    "D050000L",
    "Z003",
    "Initials",
    "Italic",
    "Oblique",
    "_K",
    "Keyboard",
    "Math",
)
SUIT_GLYPHS = {"S": "\u2660", "C": "\u2663", "H": "\u2665", "D": "\u2666"}

LETTERS = (
    {"A": "A", "K": "K", "Q": "Q", "J": "J"},
    {"A": "A", "K": "R", "Q": "D", "J": "V"},
    {"A": "1", "K": "R", "Q": "D", "J": "V"},
    {"A": "A", "K": "K", "Q": "D", "J": "B"},
)
LETTER_ODDS = (0.55, 0.25, 0.12, 0.08)

STRANGE_COURTS = 0.8
"""In this many composed decks a king's picture may stand under any index: a reader that trusts pictures
takes the queens of a printer it never saw for kings, with their Q in plain sight."""

MIRRORED, RECOLOURED, CUT_OUT = 0.5, 0.5, 0.3
"""Of strange courts so many are mirrored, dyed anew, and only a turned part of a court."""

CORNER = (0.27, 0.32)
"""Width and height of a court's corners with its indices, as parts of the card's."""

# Pip places on a unit card (x, y, upside down), upper half; the lower half mirrors it.
_COL, _MID = (0.27, 0.73), 0.5
_TOP, _BOTTOM = 0.17, 0.83


def _pair(y: float) -> list[tuple[float, float]]:
    return [(_COL[0], y), (_COL[1], y)]


PIPS: dict[str, list[tuple[float, float]]] = {
    "2": [(_MID, _TOP), (_MID, _BOTTOM)],
    "3": [(_MID, _TOP), (_MID, 0.5), (_MID, _BOTTOM)],
    "4": [*_pair(_TOP), *_pair(_BOTTOM)],
    "5": [*_pair(_TOP), (_MID, 0.5), *_pair(_BOTTOM)],
    "6": [*_pair(_TOP), *_pair(0.5), *_pair(_BOTTOM)],
    "7": [*_pair(_TOP), (_MID, 0.335), *_pair(0.5), *_pair(_BOTTOM)],
    "8": [*_pair(_TOP), (_MID, 0.335), *_pair(0.5), (_MID, 0.665), *_pair(_BOTTOM)],
    "9": [*_pair(_TOP), *_pair(0.39), (_MID, 0.5), *_pair(0.61), *_pair(_BOTTOM)],
    "10": [
        *_pair(_TOP), (_MID, 0.28), *_pair(0.39), *_pair(0.61), (_MID, 0.72), *_pair(_BOTTOM),
    ],
}  # fmt: skip


@lru_cache(maxsize=1)
def _fonts() -> tuple[str, ...]:
    paths = [p for folder in FONT_FOLDERS for p in sorted(Path(folder).glob("*.[ot]tf"))]
    if not paths:
        raise UserError(
            "no fonts found: install fonts-urw-base35 and fonts-dejavu to build datasets"
        )
    return tuple(str(p) for p in paths)


@lru_cache(maxsize=4096)
def glyph(font: str, text: str) -> Mask | None:
    """The ink of a text, trimmed, 120 px font size; None where the font lacks it."""
    face = ImageFont.truetype(font, 120)
    box = face.getbbox(text)
    if box[2] - box[0] < 8 or box[3] - box[1] < 8:
        return None
    canvas = PilImage.new("L", (box[2] - box[0] + 8, box[3] - box[1] + 8))
    ImageDraw.Draw(canvas).text((4 - box[0], 4 - box[1]), text, 255, font=face)
    ink = np.asarray(canvas, np.float32) / 255
    rows, cols = np.where(ink > 0.3)
    if len(rows) < 60:
        return None
    return ink[rows.min() : rows.max() + 1, cols.min() : cols.max() + 1]


@lru_cache(maxsize=1)
def suit_sets() -> tuple[dict[str, Mask], ...]:
    """Suit shapes of every font that draws all four filled and different."""
    found = []
    for font in _fonts():
        if any(word in font for word in ("Italic", "Oblique")):
            continue
        masks = {s: glyph(font, g) for s, g in SUIT_GLYPHS.items()}
        if any(m is None for m in masks.values()):
            continue
        shapes = {s: m for s, m in masks.items() if m is not None}
        fill = min(float(m.mean()) for m in shapes.values())
        same = {m.shape for m in shapes.values()}
        if fill > 0.38 and (len(same) > 1 or not np.allclose(shapes["S"], shapes["H"])):
            found.append(shapes)
    return tuple(found)


def pips_of(deck: Deck) -> dict[str, Mask] | None:
    """The suit shapes of a package deck, cut out of the middle of its twos' upper pip."""
    shapes: dict[str, Mask] = {}
    for suit in SHEET_SUITS:
        face = deck.faces.get(f"2{suit}")
        if face is None:
            return None
        height, width = face.shape[:2]
        part = face[
            int(height * 0.04) : int(height * 0.42), int(width * 0.3) : int(width * 0.7), :3
        ]
        paper = np.median(part.reshape(-1, 3), axis=0)
        ink = np.clip(np.abs(part.astype(np.float32) - paper).max(axis=2) / 120, 0, 1)
        count, labels, stats, _ = cv2.connectedComponentsWithStats((ink > 0.5).astype(np.uint8))
        if count < 2:
            return None
        best = 1 + int(stats[1:, cv2.CC_STAT_AREA].argmax())
        x, y, w, h, area = stats[best]
        if area < 250 or w > part.shape[1] * 0.95:
            return None
        shapes[suit] = np.where(labels[y : y + h, x : x + w] == best, ink[y : y + h, x : x + w], 0)
    return shapes


@dataclass(frozen=True, slots=True)
class Style:
    """All that is chosen once for a composed deck; lengths in pixels of a face FACE_WIDTH wide."""

    height: int
    paper: tuple[int, int, int]
    inks: dict[str, tuple[int, int, int]]
    shapes: dict[str, Mask]
    font: str
    letters: dict[str, str]
    index_height: int
    index_stretch: float
    suit_height: int
    margin_x: int
    margin_y: int
    four_corners: bool
    beside: bool
    pip_height: int
    ace_height: int
    pip_spread: float
    frame: bool
    index_box: bool
    court_pips: bool


def _draw_style(rng: np.random.Generator, shapes: dict[str, Mask]) -> Style:
    fonts = [f for f in _fonts() if not any(word in f for word in NO_INDEX_FONTS)]
    tone = int(rng.integers(232, 256))
    warm = int(rng.integers(0, 22)) if rng.random() < 0.5 else 0
    red = (int(rng.integers(0, 70)), int(rng.integers(0, 60)), int(rng.integers(170, 256)))
    dark = int(rng.integers(0, 60))
    black = (dark, dark, dark)
    inks = {"S": black, "C": black, "H": red, "D": red}
    if rng.random() < 0.06:
        inks |= {"C": (40, 120, 20), "D": (190, 90, 10)}
    jumbo = rng.random() < 0.2
    index_height = int(rng.integers(48, 90) if jumbo else rng.integers(22, 50))
    return Style(
        height=round(FACE_WIDTH * rng.uniform(1.36, 1.58)),
        paper=(max(0, tone - warm), max(0, tone - warm // 3), tone),
        inks=inks,
        shapes=shapes,
        font=fonts[int(rng.integers(len(fonts)))],
        letters=LETTERS[int(rng.choice(len(LETTERS), p=LETTER_ODDS))],
        index_height=index_height,
        index_stretch=float(rng.uniform(0.75, 1.25)),
        suit_height=round(index_height * rng.uniform(0.5, 1.0)),
        margin_x=int(rng.integers(7, 20)),
        margin_y=int(rng.integers(8, 26)),
        four_corners=rng.random() < 0.35,
        beside=rng.random() < 0.1,
        pip_height=int(rng.integers(36, 72)),
        ace_height=int(rng.integers(50, 200)),
        pip_spread=float(rng.uniform(0.8, 1.1)),
        frame=rng.random() < 0.6,
        index_box=rng.random() < 0.7,
        court_pips=rng.random() < 0.7,
    )


def _ink(face: Image3, mask: Mask, x: float, y: float, colour: tuple[int, int, int]) -> None:
    """Blend `mask` in `colour` with its centre at (x, y), clipped to the face."""
    h, w = mask.shape
    left, top = round(x - w / 2), round(y - h / 2)
    x1, y1 = max(left, 0), max(top, 0)
    x2, y2 = min(left + w, face.shape[1]), min(top + h, face.shape[0])
    if x2 <= x1 or y2 <= y1:
        return
    part = mask[y1 - top : y2 - top, x1 - left : x2 - left, None]
    face[y1:y2, x1:x2] = face[y1:y2, x1:x2] * (1 - part) + np.float32(colour) * part


def _sized(mask: Mask, height: float, stretch: float = 1.0) -> Mask:
    width = max(2, round(mask.shape[1] * height / mask.shape[0] * stretch))
    return cv2.resize(mask, (width, max(2, round(height))), interpolation=cv2.INTER_AREA)


def _draw_indices(face: Image3, style: Style, rank: str, suit: str) -> None:
    """Rank and suit in two or four corners; drawn on the top, then on the turned face."""
    letter = glyph(style.font, style.letters.get(rank, rank))
    if letter is None:
        return
    letter = _sized(letter, style.index_height, style.index_stretch * (0.75 if rank == "10" else 1))
    pip = _sized(style.shapes[suit], style.suit_height)
    colour = style.inks[suit]
    column = max(letter.shape[1], pip.shape[1]) / 2
    for turned in (False, True):
        view = face[::-1, ::-1] if turned else face
        for right in (False, True) if style.four_corners else (False,):
            x = style.margin_x + column
            x = view.shape[1] - x if right else x
            y = style.margin_y + letter.shape[0] / 2
            if style.index_box:
                depth = style.margin_y + letter.shape[0] + 8 + pip.shape[0]
                reach = round(style.margin_x + 2 * column + 3)
                columns = slice(view.shape[1] - reach, None) if right else slice(0, reach)
                view[: round(depth), columns] = style.paper
            _ink(view, letter, x, y, colour)
            if style.beside:
                shift = letter.shape[1] / 2 + 5 + pip.shape[1] / 2
                _ink(view, pip, x - shift if right else x + shift, y, colour)
            else:
                _ink(view, pip, x, y + letter.shape[0] / 2 + 6 + pip.shape[0] / 2, colour)


def _draw_pips(face: Image3, style: Style, rank: str, suit: str) -> None:
    height, width = face.shape[:2]
    shape = style.shapes[suit]
    if rank == "A":
        _ink(face, _sized(shape, style.ace_height), width / 2, height / 2, style.inks[suit])
        return
    pip = _sized(shape, style.pip_height)
    for px, py in PIPS[rank]:
        x = width * (0.5 + (px - 0.5) * style.pip_spread)
        y = height * (0.5 + (py - 0.5) * min(style.pip_spread, 1.02))
        _ink(face, pip[::-1] if py > 0.51 else pip, x, y, style.inks[suit])


def _draw_court(face: Image3, style: Style, art: Rgba, suit: str, rng: np.random.Generator) -> None:
    """The middle of another deck's court, with or without a frame and corner pips."""
    height, width = face.shape[:2]
    cut_x, cut_y = rng.uniform(0.13, 0.2), rng.uniform(0.06, 0.11)
    h, w = art.shape[:2]
    middle = art[int(h * cut_y) : int(h * (1 - cut_y)), int(w * cut_x) : int(w * (1 - cut_x))]
    inner_w, inner_h = round(width * (1 - 2 * cut_x)), round(height * (1 - 2 * cut_y))
    middle = cv2.resize(middle, (inner_w, inner_h), interpolation=cv2.INTER_AREA)
    x, y = (width - inner_w) // 2, (height - inner_h) // 2
    alpha = middle[..., 3:].astype(np.float32) / 255
    part = face[y : y + inner_h, x : x + inner_w]
    # Multiplied, so that white art takes the tint of the card stock.
    part[:] = part * (1 - alpha) + middle[..., :3] * np.float32(style.paper) / 255 * alpha
    if style.frame:
        line = tuple(float(v) for v in rng.integers(0, 120, 3))
        cv2.rectangle(face, (x, y), (x + inner_w, y + inner_h), line, int(rng.integers(1, 4)))
    if style.court_pips:
        pip = _sized(style.shapes[suit], style.pip_height * 0.9)
        for turned in (False, True):
            view = face[::-1, ::-1] if turned else face
            _ink(view, pip, x + pip.shape[1] * 0.65, y + pip.shape[0] * 0.75, style.inks[suit])


def rounded_alpha(height: int, width: int, radius: int) -> npt.NDArray[np.uint8]:
    """(height, width) alpha of a card with rounded corners."""
    alpha = np.zeros((height, width), np.uint8)
    cv2.rectangle(alpha, (radius, 0), (width - radius - 1, height - 1), 255, -1)
    cv2.rectangle(alpha, (0, radius), (width - 1, height - radius - 1), 255, -1)
    for x in (radius, width - radius - 1):
        for y in (radius, height - radius - 1):
            cv2.circle(alpha, (x, y), radius, 255, -1, cv2.LINE_AA)
    return alpha


def _any_court(rng: np.random.Generator, sources: list[Deck], suit: str) -> Rgba | None:
    """A court of any rank and deck, altered at random: only the index tells what the card is."""
    deck = sources[int(rng.integers(len(sources)))]
    art = deck.faces.get("KQJ"[int(rng.integers(3))] + suit)
    if art is None:
        return None
    if rng.random() < MIRRORED:
        art = art[:, ::-1]
    if rng.random() < RECOLOURED:
        colours = art[..., :3].astype(np.float32)
        dyed = 255 - (255 - colours)[..., rng.permutation(3)] * np.float32(rng.uniform(0.4, 1, 3))
        art = np.dstack([dyed.astype(np.uint8), art[..., 3]])
    if rng.random() < CUT_OUT:
        height, width = art.shape[:2]
        h, w = (round(side * rng.uniform(0.35, 0.6)) for side in (height, width))
        y, x = int(rng.integers(height - h)), int(rng.integers(width - w))
        art = np.rot90(art[y : y + h, x : x + w], int(rng.integers(4)))
    return np.ascontiguousarray(art)


def swapped_courts(deck: Deck, seed: int, sources: list[Deck]) -> Deck:
    """A printed deck whose courts keep their corners and show pictures of other courts.

    Same arguments, same deck. `sources` give the pictures.
    """
    rng = np.random.default_rng((seed, 78))
    faces = dict(deck.faces)
    for suit in SHEET_SUITS:
        for rank in "KQJ":
            face, art = deck.faces.get(rank + suit), _any_court(rng, sources, suit)
            if face is None or art is None:
                continue
            height, width = face.shape[:2]
            other = cv2.resize(art, (width, height), interpolation=cv2.INTER_AREA)
            edge, depth = round(width * CORNER[0]), round(height * CORNER[1])
            rim = round(width * 0.05)
            new = face.copy()
            for rows, columns in (
                (slice(rim, height - rim), slice(edge, width - edge)),
                (slice(depth, height - depth), slice(rim, width - rim)),
            ):
                new[rows, columns, :3] = other[rows, columns, :3]
            faces[rank + suit] = new
    return replace(deck, name=f"{deck.name}-swapped-{seed}", faces=faces)


def compose_deck(seed: int, sources: list[Deck]) -> Deck:
    """A deck nobody prints. `sources` gives courts, backs and some suit shapes; none held out.

    Same seed and sources, same deck.
    """
    rng = np.random.default_rng((seed, 77))
    sets = suit_sets()
    shapes: dict[str, Mask] | None = None
    if rng.random() < 0.6:
        shapes = pips_of(sources[int(rng.integers(len(sources)))])
    style = _draw_style(rng, shapes or sets[int(rng.integers(len(sets)))])
    courts = sources[int(rng.integers(len(sources)))]
    strange = rng.random() < STRANGE_COURTS
    whole_ace = rng.random() < 0.3
    alpha = rounded_alpha(style.height, FACE_WIDTH, int(rng.integers(6, 18)))
    faces: dict[str, Rgba] = {}
    for suit in SHEET_SUITS:
        for rank in RANKS_13:
            face = np.empty((style.height, FACE_WIDTH, 3), np.float32)
            face[:] = style.paper
            art = courts.faces.get(rank + suit)
            ornate = rank == "A" and suit == "S" and whole_ace
            if strange and rank in "KQJ":
                art = _any_court(rng, sources, suit)
            if art is not None and (rank in "KQJ" or ornate):
                _draw_court(face, style, art, suit, rng)
            elif rank not in "KQJ":
                _draw_pips(face, style, rank, suit)
            _draw_indices(face, style, rank, suit)
            if rng.random() < 0.02:
                cv2.rectangle(
                    face, (1, 1), (FACE_WIDTH - 2, style.height - 2), (90.0, 90.0, 90.0), 1
                )
            faces[rank + suit] = np.dstack([np.clip(face, 0, 255).astype(np.uint8), alpha])
    return Deck(f"composed-{seed}", "composed", faces, courts.backs)
