"""Decks of our own, drawn in code: no printer's art, so anything made with them may be committed.

`draw_deck(seed)` gives a whole deck in a random but coherent style: suit pips, index letters in
the Anglo (A K Q J), Portuguese and French (A R D V, 1 R D V) or German (A K D B) manner, courts,
aces, paper and back. The same seed and style give the same deck, bit for bit.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Literal

import cv2
import numpy as np
import numpy.typing as npt

from datasets.drawn_courts import Canvas, Colour, CourtStyle, court, random_court_style, stamp
from datasets.drawn_shapes import FontShape, Mask, PipShape, fit, index_mask, pip_mask
from vision.labels import BACK, SUITS

Letters = Literal["AKQJ", "ARDV", "1RDV", "AKDB"]
Glyphs = Callable[[str], Mask]
"""Draws an index such as `A` or `10` as a cropped mask at least 200 px high."""

RANKS = ("A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K")
JOKER = "joker"
CARD_WIDTH_PX = 500
_JUMBO = 0.18  # an index higher than this pushes pips and court pictures aside


@dataclass(frozen=True, slots=True)
class Deck:
    """Card images by label: the 40 of `vision.labels.CARDS`, also `8S` `10S` …, `joker`, `back`.

    Every image is (height, width, 3) uint8 BGR and all have one size, upright; `alpha`
    (height, width) is 255 on the card and 0 outside its rounded corners. Sizes are millimetres.
    """

    name: str
    faces: Mapping[str, Canvas]
    alpha: Mask
    width_mm: float
    height_mm: float

    @property
    def back(self) -> Canvas:
        return self.faces[BACK]


@dataclass(frozen=True, slots=True)
class Style:
    """Everything that tells one drawn deck from another. Lengths are fractions of card width."""

    letters: Letters
    width_mm: float
    pips: PipShape
    font: FontShape
    courts: CourtStyle
    paper: Colour
    suit_colours: tuple[Colour, Colour, Colour, Colour]
    """Inks of S, H, D, C."""
    index_height: float
    index_x: float
    """Centre of the index column from the card's edge."""
    index_y: float
    """Top of the index from the card's edge."""
    index_pip: float
    """Height of the suit under the index; 0 for none."""
    pip_beside: bool
    """The suit stands beside the rank rather than under it."""
    four_corners: bool
    layout: Literal["standard", "single"]
    """`single`: one big pip for every number card, as on large-print decks."""
    pip_height: float
    column: float
    """How far the outer pip columns stand from the middle."""
    span: float
    """Distance from the first to the last pip row over card height."""
    ace_height: float
    ace_ornate: bool
    frame: float
    """Distance of a court's frame from the card's side; 0 for no frame."""
    court_kind: Literal["figure", "letter"]
    border: float
    """Distance of a thin line around the whole face; 0 for none."""
    corner: float
    """Radius of the card's corners."""


_INKS: dict[str, tuple[Colour, ...]] = {
    "black": ((25, 22, 20), (10, 10, 10), (40, 34, 30), (60, 35, 20)),
    "red": ((40, 30, 205), (30, 20, 180), (50, 40, 225), (45, 25, 160), (60, 60, 215)),
}


def _suit_colours(rng: np.random.Generator, dark: bool) -> tuple[Colour, Colour, Colour, Colour]:
    black = _INKS["black"][int(rng.integers(len(_INKS["black"])))]
    red = _INKS["red"][int(rng.integers(len(_INKS["red"])))]
    if dark:
        return (225, 225, 225), (70, 70, 235), (70, 70, 235), (225, 225, 225)
    if rng.random() < 0.04:
        return black, red, (200, 90, 20), (50, 120, 20)
    return black, red, red, black


def random_style(seed: int, letters: Letters | None = None) -> Style:
    """A style drawn at random; `letters` fixes the index letters."""
    rng = np.random.default_rng([seed, 1])
    u, chance = rng.uniform, lambda p: bool(rng.random() < p)
    kinds: tuple[Letters, ...] = ("AKQJ", "ARDV", "1RDV", "AKDB")
    drawn = kinds[int(rng.choice(4, p=[0.42, 0.3, 0.18, 0.1]))]
    dark = chance(0.03)
    tint = np.array([1.0, 0.4, 0.0]) * u(0, 22) + u(0, 8) + rng.uniform(0, 3, 3)
    paper = (35, 30, 30) if dark else tuple(int(252 - v) for v in tint)
    suits = _suit_colours(rng, dark)
    jumbo = chance(0.3)
    single = chance(0.1)
    four = chance(0.25)
    beside = chance(0.08) and not (jumbo or four)
    index = u(0.2, 0.3) if jumbo else u(0.1, 0.13 if beside else 0.17)
    font = FontShape.random(rng)
    glyph_width = index * (font.width + font.pen_x)
    return Style(
        letters=letters or drawn,
        width_mm=63.0 if chance(0.65) else 57.0,
        pips=PipShape.random(rng),
        font=font,
        courts=random_court_style(rng, suits[1], suits[0]),
        paper=(paper[0], paper[1], paper[2]),
        suit_colours=suits,
        index_height=index,
        index_x=max(u(0.075, 0.1), glyph_width / 2 + 0.025),
        index_y=u(0.04, 0.085),
        index_pip=0.0 if chance(0.02) else index * u(0.6, 0.95),
        pip_beside=beside,
        four_corners=four,
        layout="single" if single else "standard",
        pip_height=u(0.2, 0.27) if not jumbo else u(0.18, 0.22),
        column=u(0.19, 0.24) if not jumbo else u(0.16, 0.19),
        span=u(0.60, 0.68),
        ace_height=u(0.25, 0.7),
        ace_ornate=chance(0.5),
        frame=0.0 if chance(0.15) else u(0.14, 0.2),
        court_kind="letter" if chance(0.04 if not single else 0.5) else "figure",
        border=u(0.025, 0.05) if chance(0.08) else 0.0,
        corner=u(0.045, 0.075),
    )


_LETTER_RANKS: dict[str, dict[str, str]] = {
    "AKQJ": {},
    "ARDV": {"K": "R", "Q": "D", "J": "V"},
    "1RDV": {"A": "1", "K": "R", "Q": "D", "J": "V"},
    "AKDB": {"Q": "D", "J": "B"},
}


def printed(rank: str, letters: Letters) -> str:
    """What is printed on a card of this rank: `printed("K", "ARDV") == "R"`."""
    return _LETTER_RANKS[letters].get(rank, rank)


def _layout(rank: str) -> list[tuple[float, float]]:
    """Pip places: column (-1, 0, 1) and row (0 first … 1 last) of a number card."""
    n = int(rank)
    if n <= 3:
        return [(0, 0), (0, 1)] + [(0, 0.5)] * (n == 3)
    rows = [0.0, 1 / 3, 2 / 3, 1.0] if n >= 9 else [0.0, 0.5, 1.0] if n >= 6 else [0.0, 1.0]
    places: list[tuple[float, float]] = [(x, y) for y in rows for x in (-1.0, 1.0)]
    middle: dict[int, list[float]] = {
        5: [0.5],
        7: [0.25],
        8: [0.25, 0.75],
        9: [0.5],
        10: [1 / 6, 5 / 6],
    }
    return places + [(0.0, y) for y in middle.get(n, [])]


class _Press:
    """Prints the cards of one style."""

    def __init__(self, style: Style, seed: int, glyphs: Glyphs | None) -> None:
        self.style, self.seed = style, seed
        self.width = CARD_WIDTH_PX
        self.height = _height(style)
        self.pips = {suit: pip_mask(suit, style.pips) for suit in SUITS}
        draw = glyphs or (lambda text: index_mask(text, style.font))
        self.index = {rank: draw(printed(rank, style.letters)) for rank in RANKS}

    def blank(self) -> Canvas:
        face = np.full((self.height, self.width, 3), self.style.paper, np.uint8)
        if self.style.border:
            inset = round(self.style.border * self.width)
            ink = tuple(int(v * 0.55) for v in self.style.paper)
            corner = (self.width - inset, self.height - inset)
            cv2.rectangle(face, (inset, inset), corner, ink, 2, cv2.LINE_AA)
        return face

    def both(
        self, face: Canvas, mask: Mask, x: float, y: float, ink: Colour, all_four: bool = False
    ) -> None:
        """Stamp a mask centred at (x, y) and, upside down, at the opposite end."""
        w, h = self.width, self.height
        stamp(face, mask, (x, y), ink)
        stamp(face, mask, (w - x, h - y), ink, True)
        if all_four:
            stamp(face, mask, (w - x, y), ink)
            stamp(face, mask, (x, h - y), ink, True)

    def print_index(self, face: Canvas, rank: str, suit: str) -> None:
        s, w = self.style, self.width
        ink = s.suit_colours[SUITS.index(suit)]
        mask = fit(self.index[rank], s.index_height * w)
        limit = 2 * (s.index_x - 0.02) * w
        if mask.shape[1] > limit:
            mask = fit(mask, mask.shape[0], limit)
        x, y = s.index_x * w, s.index_y * w + mask.shape[0] / 2
        self.both(face, mask, x, y, ink, s.four_corners)
        if not s.index_pip:
            return
        pip = fit(self.pips[suit], s.index_pip * w)
        if pip.shape[1] > limit:
            pip = fit(pip, pip.shape[0] * limit / pip.shape[1])
        if s.pip_beside:
            x += mask.shape[1] / 2 + 0.03 * w + pip.shape[1] / 2
        else:
            y += mask.shape[0] / 2 + 0.03 * w + pip.shape[0] / 2
        self.both(face, pip, x, y, ink, s.four_corners)

    def number(self, rank: str, suit: str) -> Canvas:
        s, w, h = self.style, self.width, self.height
        face = self.blank()
        ink = s.suit_colours[SUITS.index(suit)]
        if s.layout == "single":
            pip = fit(self.pips[suit], 0.45 * w)
            stamp(face, pip, (w / 2, h / 2), ink)
        else:
            pip, columns = self._number_pip(suit)
            for column, row in _layout(rank):
                x = w / 2 + column * columns
                y = h / 2 + (row - 0.5) * s.span * h
                stamp(face, pip, (x, y), ink, turned=row > 0.5)
        self.print_index(face, rank, suit)
        return face

    def _number_pip(self, suit: str) -> tuple[Mask, float]:
        """A number card's pip and how far its outer columns stand off, clear of index and rows."""
        s, w = self.style, self.width
        rows = s.span * self.height / 3 * 0.97
        pip = fit(self.pips[suit], min(s.pip_height * w, rows))
        clear = 2 * s.index_x * w if s.index_height > _JUMBO else 1.8 * s.index_x * w
        if s.pip_beside:
            clear += s.index_pip * w
        columns = max(0.13 * w, min(s.column * w, w / 2 - clear - pip.shape[1] / 2))
        gap = 2 * columns * 0.94
        if pip.shape[1] > gap:
            pip = fit(pip, pip.shape[0] * gap / pip.shape[1])
        return pip, columns

    def ace(self, suit: str) -> Canvas:
        s, w, h = self.style, self.width, self.height
        face = self.blank()
        ink = s.suit_colours[SUITS.index(suit)]
        ornate = s.ace_ornate and suit == "S"
        height = (max(s.ace_height, 0.55) if ornate else s.ace_height) * w
        centre = (w / 2, h / 2)
        if ornate:
            _scrolls(face, centre, height, ink, np.random.default_rng([self.seed, 7]))
        stamp(face, fit(self.pips[suit], height), centre, ink)
        if ornate:
            stamp(face, fit(self.pips[suit], height * 0.72), centre, s.paper)
            stamp(face, fit(self.pips[suit], height * 0.58), centre, ink)
            stamp(face, fit(self.pips["D"], height * 0.2), centre, s.paper)
        self.print_index(face, "A", suit)
        return face

    def court(self, rank: str, suit: str) -> Canvas:
        s, w, h = self.style, self.width, self.height
        face = self.blank()
        ink = s.suit_colours[SUITS.index(suit)]
        rng = np.random.default_rng([self.seed, 3, RANKS.index(rank), SUITS.index(suit)])
        if s.court_kind == "letter":
            big = fit(self.index[rank], 0.42 * w)
            stamp(face, big, (w / 2, h / 2 - 0.02 * w), ink)
        else:
            inset_x = round((s.frame or 0.14) * w)
            inset_y = round((s.frame or 0.1) * w * (0.75 if s.frame else 1.0))
            size = (w - 2 * inset_x, h - 2 * inset_y)
            beside = s.index_pip * w if s.pip_beside else 0.0
            aside = max(0.0, 2 * s.index_x * w + beside - inset_x)
            picture = court(size, s.paper, rank, s.courts, self.pips[suit], ink, rng, aside)
            face[inset_y : inset_y + size[1], inset_x : inset_x + size[0]] = picture
            if s.frame:
                end = (w - inset_x, h - inset_y)
                cv2.rectangle(face, (inset_x, inset_y), end, s.courts.ink, 3, cv2.LINE_AA)
            self._clear_corners(face, aside + inset_x)
        self.print_index(face, rank, suit)
        return face

    def _clear_corners(self, face: Canvas, right: float) -> None:
        """Break a court's frame and picture where the index goes, as printers do."""
        s, w = self.style, self.width
        under = 0.0 if s.pip_beside else s.index_pip + 0.03
        x = round(min(right, 2 * s.index_x * w) + 3)
        if s.pip_beside:
            x += round(s.index_pip * w)
        y = round((s.index_y + s.index_height + under + 0.015) * w)
        inset = round(max(s.border * w + 3, 1))
        for corner in (face, face[::-1, ::-1]):
            corner[inset:y, inset:x] = s.paper
            if s.four_corners:
                corner[inset:y, w - x : w - inset] = s.paper

    def joker(self) -> Canvas:
        s, w, h = self.style, self.width, self.height
        rng = np.random.default_rng([self.seed, 5])
        face = self.blank()
        mask = fit(self.pips["S"], 0.3 * w)
        picture = court(
            (round(w * 0.7), round(h * 0.8)), s.paper, "J", s.courts, mask, s.paper, rng
        )
        y, x = round(h * 0.1), round(w * 0.15)
        face[y : y + picture.shape[0], x : x + picture.shape[1]] = picture
        star = np.zeros((200, 200), np.uint8)
        angles = np.arange(10) * np.pi / 5 - np.pi / 2
        radius = np.where(np.arange(10) % 2 == 0, 98, 42)
        points = np.stack([100 + radius * np.cos(angles), 100 + radius * np.sin(angles)], 1)
        cv2.fillPoly(star, [points.astype(np.int32)], 255, cv2.LINE_AA)
        self.both(face, fit(star, 0.13 * w), 0.1 * w, 0.12 * w, s.suit_colours[1])
        return face


def _scrolls(
    face: Canvas, centre: tuple[float, float], height: float, ink: Colour, rng: np.random.Generator
) -> None:
    """Curls around an ornate ace, mirrored left and right."""
    for _ in range(int(rng.integers(3, 7))):
        turns, size = rng.uniform(0.7, 1.6), rng.uniform(0.06, 0.14) * height
        x = rng.uniform(0.2, 0.42) * height
        y = rng.uniform(-0.55, 0.55) * height
        a = np.linspace(0, turns * 2 * np.pi, 60) + rng.uniform(0, 6)
        r = size * (1 - np.linspace(0, 0.85, 60))
        for side in (-1, 1):
            pts = np.stack(
                [centre[0] + side * (x + r * np.cos(a)), centre[1] + y + r * np.sin(a)], 1
            )
            cv2.polylines(face, [np.round(pts).astype(np.int32)], False, ink, 3, cv2.LINE_AA)


def _back(style: Style, seed: int, height: int) -> Canvas:
    """The back: a pattern in one or two inks inside a margin of paper, or right to the edge."""
    rng = np.random.default_rng([seed, 11])
    inks: tuple[Colour, ...] = (
        (150, 60, 20),
        (40, 25, 165),
        (50, 100, 30),
        (40, 40, 40),
        (110, 30, 90),
        (190, 130, 40),
    )
    ink = inks[int(rng.integers(len(inks)))]
    light = style.paper if sum(style.paper) > 300 else (200, 200, 200)
    w, h = CARD_WIDTH_PX, height
    pattern = np.full((h, w, 3), ink, np.uint8)
    step = int(rng.integers(18, 46))
    kind = int(rng.integers(5))
    for k in range(-h, w + h, step):
        if kind in (0, 1):
            cv2.line(pattern, (k, 0), (k + h, h), light, 2 + step // 9, cv2.LINE_AA)
            cv2.line(pattern, (k, 0), (k - h, h), light, 2 + step // 9, cv2.LINE_AA)
        if kind == 2:
            cv2.circle(pattern, (w // 2, h // 2), abs(k) + 1, light, 3 + step // 8, cv2.LINE_AA)
    ys, xs = np.mgrid[0:h, 0:w].astype(np.float32)
    if kind == 3:
        wave = np.sin(xs * (6.28 / step)) + np.sin(ys * (6.28 / step)) > rng.uniform(0.0, 0.8)
        pattern[wave] = light
    if kind == 4:
        ring = np.hypot((xs % step) - step / 2, (ys % step) - step / 2)
        pattern[(ring > step * 0.25) & (ring < step * 0.4)] = light
    if kind == 1:
        cv2.ellipse(pattern, (w // 2, h // 2), (w // 4, w // 4), 0, 0, 360, light, -1, cv2.LINE_AA)
        cv2.ellipse(pattern, (w // 2, h // 2), (w // 5, w // 5), 0, 0, 360, ink, -1, cv2.LINE_AA)
    margin = 0 if rng.random() < 0.2 else int(rng.integers(18, 45))
    back = np.full((h, w, 3), style.paper, np.uint8)
    back[margin : h - margin, margin : w - margin] = pattern[
        margin : h - margin, margin : w - margin
    ]
    if margin and rng.random() < 0.5:
        cv2.rectangle(back, (margin, margin), (w - margin, h - margin), ink, 5, cv2.LINE_AA)
    return back


def _height(style: Style) -> int:
    """Of a card in pixels."""
    return round(CARD_WIDTH_PX * 88 / style.width_mm)


def _alpha(style: Style, height: int) -> Mask:
    w, h, r = CARD_WIDTH_PX, height, round(style.corner * CARD_WIDTH_PX)
    alpha = np.zeros((h, w), np.uint8)
    cv2.rectangle(alpha, (r, 0), (w - 1 - r, h - 1), 255, -1)
    cv2.rectangle(alpha, (0, r), (w - 1, h - 1 - r), 255, -1)
    for x in (r, w - 1 - r):
        for y in (r, h - 1 - r):
            cv2.circle(alpha, (x, y), r, 255, -1, cv2.LINE_AA)
    return alpha


def draw_deck(
    seed: int,
    style: Style | None = None,
    *,
    letters: Letters | None = None,
    glyphs: Glyphs | None = None,
) -> Deck:
    """A whole deck from its seed.

    `style` overrides the random one; `letters` fixes only its index letters; `glyphs` draws the
    indices in place of our own stroke letters, for callers who have other typefaces.
    """
    style = style or random_style(seed, letters)
    if letters:
        style = replace(style, letters=letters)
    press = _Press(style, seed, glyphs)
    faces: dict[str, Canvas] = {}
    for suit in SUITS:
        faces["A" + suit] = press.ace(suit)
        for rank in RANKS[1:10]:
            faces[rank + suit] = press.number(rank, suit)
        for rank in RANKS[10:]:
            faces[rank + suit] = press.court(rank, suit)
    faces[JOKER] = press.joker()
    faces[BACK] = _back(style, seed, press.height)
    return Deck(
        name=f"drawn-{seed}-{style.letters}",
        faces=faces,
        alpha=_alpha(style, press.height),
        width_mm=style.width_mm,
        height_mm=88.0,
    )


def draw_back(seed: int) -> tuple[Canvas, Mask]:
    """The back and the alpha of `draw_deck(seed)`, without drawing its faces."""
    style = random_style(seed)
    height = _height(style)
    return _back(style, seed, height), _alpha(style, height)


def table_deck(seed: int, letters: Letters | None = None) -> Deck:
    """A drawn deck of the kind Sueca is played with: all pips, figures, white paper.

    The rarer styles of `draw_deck` (one pip a card, courts that are only a letter, black paper,
    four colours) are for training.
    """
    style = random_style(seed, letters)
    if style.letters == "AKDB":
        style = replace(style, letters="ARDV")
    black, red = _INKS["black"][seed % 4], _INKS["red"][seed % 5]
    style = replace(
        style, layout="standard", court_kind="figure", suit_colours=(black, red, red, black)
    )
    if max(style.paper) < 128:
        style = replace(style, paper=(236, 243, 246))
    return draw_deck(seed, style)


def contact_sheet(deck: Deck, columns: int = 14, card_width: int = 130) -> npt.NDArray[np.uint8]:
    """All cards of a deck side by side on grey, for looking at."""
    height = round(card_width * deck.height_mm / deck.width_mm)
    order = [rank + suit for suit in SUITS for rank in RANKS]
    for row in range(4):
        order.insert(14 * row + 13, JOKER if row % 2 else BACK)
    sheet = np.full((4 * (height + 8), columns * (card_width + 8), 3), 120, np.uint8)
    for k, label in enumerate(order):
        y, x = (k // columns) * (height + 8) + 4, (k % columns) * (card_width + 8) + 4
        size = (card_width, height)
        card = cv2.resize(deck.faces[label], size, interpolation=cv2.INTER_AREA).astype(np.float32)
        alpha = cv2.resize(deck.alpha, size, interpolation=cv2.INTER_AREA)[..., None] / 255.0
        part = sheet[y : y + height, x : x + card_width]
        part[:] = (card * alpha + part * (1 - alpha)).astype(np.uint8)
    return sheet
