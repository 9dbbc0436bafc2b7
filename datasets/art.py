"""Card art, suit shapes and textures out of installed packages, rasterised into a cache folder.

Nothing from here is committed: the art stays the packages' (`docs/training.md` lists the packages and
their licences). Where a package is absent its decks are simply missing, and the build says so.
"""

import hashlib
import os
import subprocess
import zipfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt

from vision.errors import UserError
from vision.types import Image

Rgba = npt.NDArray[np.uint8]
"""(height, width, 4), BGRA."""

FACE_WIDTH = 250
"""Pixels; an index is then 20-40 px high, finer than any camera in use here shows it."""

RANKS_13 = ("A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K")
SHEET_SUITS = ("C", "D", "H", "S")

GNOME_CARDS = Path("/usr/share/aisleriot/cards")
KDE_CARDS = Path("/usr/share/carddecks")
UFO_TEXTURES = Path("/usr/share/games/ufoai/base/0textures.pk3")
WALLPAPERS = (Path("/usr/share/backgrounds"), Path("/usr/share/wallpapers"))

ARTIST = {
    "bellot": "bellot", "ancient_french": "bellot", "paris": "paris", "svg-cards": "bellot",
    "anglo": "anglo", "gnomangelo": "anglo", "anglo_bitmap": "anglo", "gnomangelo_bitmap": "anglo",
    "anglo_poker": "kennard", "heruka": "kennard", "ornamental": "nicu", "white": "nicu",
    "tigullio": "tigullio", "lattmann": "lattmann",
}  # fmt: skip
"""Decks that share an artist go to the same side of the split. Unlisted decks are their own."""

HELD_OUT_ARTISTS = frozenset({"tigullio", "lattmann", "aguilar"})
"""Never trained or tuned on: they measure what an unseen deck does."""

NOT_FRENCH = frozenset({"swiss-xvii", "Ancient_Egyptians"})
"""Decks whose suits are not the four French ones, or hardly so: shown to the reader as `other`."""

SKIP = frozenset({"german", "future", "anglo_bitmap", "gnomangelo_bitmap"})
"""Other suit signs, landscape cards, and mosaics in which nobody could read a court."""


@dataclass(frozen=True, slots=True)
class Deck:
    """Faces by label (`7H`, `10S`, also `JOKER`), each BGRA `FACE_WIDTH` wide, and its backs."""

    name: str
    artist: str
    faces: dict[str, Rgba] = field(repr=False)
    backs: tuple[Rgba, ...] = field(repr=False)

    @property
    def held_out(self) -> bool:
        return self.artist in HELD_OUT_ARTISTS

    @property
    def french(self) -> bool:
        """Whether its suits are the four French ones."""
        return self.name.removeprefix("kde-") not in NOT_FRENCH


def cache_dir() -> Path:
    """Where rasterised art and built datasets live: `$SUECA_CACHE` or `~/.cache/sueca`."""
    path = Path(os.environ.get("SUECA_CACHE", Path.home() / ".cache" / "sueca"))
    path.mkdir(parents=True, exist_ok=True)
    return path


def _rasterise(svg: Path, width: int, element: str | None = None) -> Rgba | None:
    """Rasterise an SVG (or one element of it) `width` pixels wide through the cache."""
    key = hashlib.sha1(f"{svg}|{svg.stat().st_size}|{width}|{element}".encode()).hexdigest()
    target = cache_dir() / "art" / f"{key}.png"
    if not target.exists():
        target.parent.mkdir(parents=True, exist_ok=True)
        command = ["rsvg-convert", "--unlimited", "-w", str(width)]
        command += ["-i", element] if element else []
        try:
            done = subprocess.run(
                [*command, str(svg), "-o", str(target)], capture_output=True, text=True, check=False
            )
        except FileNotFoundError as error:
            raise UserError(
                "rsvg-convert not found: install Debian's librsvg2-bin to build datasets"
            ) from error
        if done.returncode:
            target.unlink(missing_ok=True)
            return None
    return _as_bgra(cv2.imread(str(target), cv2.IMREAD_UNCHANGED))


def _as_bgra(image: Image | None) -> Rgba | None:
    if image is None:
        return None
    if image.ndim == 2:
        image = cv2.cvtColor(image, cv2.COLOR_GRAY2BGR)
    if image.shape[2] == 3:
        image = cv2.cvtColor(image, cv2.COLOR_BGR2BGRA)
    return image


def _to_face(image: Rgba) -> Rgba:
    """Trim the transparent margin and bring a card picture to `FACE_WIDTH`."""
    rows, cols = np.where(image[..., 3] > 128)
    image = image[rows.min() : rows.max() + 1, cols.min() : cols.max() + 1]
    height = round(image.shape[0] * FACE_WIDTH / image.shape[1])
    return cv2.resize(image, (FACE_WIDTH, height), interpolation=cv2.INTER_AREA)


def _sheet_deck(svg: Path) -> Deck | None:
    """A GNOME deck: 13 columns A…K by rows C D H S, then jokers and the back."""
    sheet = _rasterise(svg, FACE_WIDTH * 13)
    if sheet is None:
        return None
    height, width = sheet.shape[0] / 5, sheet.shape[1] / 13

    def cell(row: int, column: int) -> Rgba:
        return sheet[
            round(row * height) : round((row + 1) * height),
            round(column * width) : round((column + 1) * width),
        ]

    faces = {
        rank + suit: _to_face(cell(row, column))
        for row, suit in enumerate(SHEET_SUITS)
        for column, rank in enumerate(RANKS_13)
    }
    faces["JOKER"] = _to_face(cell(4, 0))
    return Deck(svg.stem, ARTIST.get(svg.stem, svg.stem), faces, (_to_face(cell(4, 2)),))


_KDE_RANK = {"A": "1", "J": "jack", "Q": "queen", "K": "king"}
_WORD_SUIT = {"C": "club", "D": "diamond", "H": "heart", "S": "spade"}


def _kde_deck(svg: Path) -> Deck | None:
    """A KDE deck: one element a card, `7_heart`, `king_spade`, `back`."""
    name = svg.stem.replace("-international", "")
    faces: dict[str, Rgba] = {}
    for suit, word in _WORD_SUIT.items():
        for rank in RANKS_13:
            image = _rasterise(svg, FACE_WIDTH, f"{_KDE_RANK.get(rank, rank)}_{word}")
            if image is not None:
                faces[rank + suit] = _to_face(image)
    back = _rasterise(svg, FACE_WIDTH, "back")
    if len(faces) < 40:
        return None
    return Deck(
        f"kde-{name}", ARTIST.get(name, name), faces, (_to_face(back),) if back is not None else ()
    )


def npm_root() -> Path:
    """Where npm packages lie unpacked: `$SUECA_NPM` or a folder of the cache."""
    return Path(os.environ.get("SUECA_NPM", cache_dir() / "npm"))


def _heruka_decks() -> Iterator[Deck]:
    """The CC0 decks of npm `@heruka_urgyen/react-playing-cards`, one SVG a card."""
    for folder in sorted(npm_root().glob("*react-playing-cards*/**/images/*color*")):
        faces: dict[str, Rgba] = {}
        for svg in sorted(folder.glob("*.svg")):
            image = _rasterise(svg, FACE_WIDTH)
            if image is None:
                continue
            rank, suit = svg.stem[:-1].replace("T", "10"), svg.stem[-1]
            faces["JOKER" if suit == "J" and rank in {"1", "2"} else rank + suit] = _to_face(image)
        back = _rasterise(folder.parent / "back.svg", FACE_WIDTH)
        if len(faces) >= 52:
            backs = (_to_face(back),) if back is not None else ()
            yield Deck(f"heruka-{folder.name}", "kennard", faces, backs)


def _svg_cards_deck() -> Iterator[Deck]:
    """npm `svg-cards` (Bellot's art), from its own PNGs."""
    words = {"A": "1", "J": "jack", "Q": "queen", "K": "king"}
    for folder in sorted(npm_root().glob("*svg-cards*/**/png/2x")):
        faces: dict[str, Rgba] = {}
        for suit, word in _WORD_SUIT.items():
            for rank in RANKS_13:
                png = folder / f"{word}_{words.get(rank, rank)}.png"
                image = _as_bgra(cv2.imread(str(png), cv2.IMREAD_UNCHANGED))
                if image is not None:
                    faces[rank + suit] = _to_face(image)
        backs = [_as_bgra(cv2.imread(str(p), -1)) for p in sorted(folder.glob("back*.png"))]
        if len(faces) >= 52:
            yield Deck(
                "svg-cards", "bellot", faces, tuple(_to_face(b) for b in backs if b is not None)
            )


def _aguilar_deck() -> Iterator[Deck]:
    """Held out: npm `@younestouati/playing-cards-standard-deck` (Aguilar's vector cards)."""
    numbers = {"A": "1", "J": "11", "Q": "12", "K": "13"}
    root = next(iter(sorted(npm_root().glob("*playing-cards-standard-deck*/package"))), None)
    if root is None:
        return
    by_stem = {p.stem.lower(): p for p in sorted(root.glob("cards/*.svg"))}
    faces: dict[str, Rgba] = {}
    for suit in SHEET_SUITS:
        for rank in RANKS_13:
            svg = by_stem.get(f"{numbers.get(rank, rank)}{suit}".lower())
            image = _rasterise(svg, FACE_WIDTH) if svg else None
            if image is not None:
                faces[rank + suit] = _to_face(image)
    if len(faces) >= 40:
        yield Deck("aguilar", "aguilar", faces, ())


def package_decks() -> list[Deck]:
    """Every deck the installed packages hold, in a fixed order, held-out artists included.

    Raises:
        UserError: no deck package is installed.
    """
    decks: list[Deck] = []
    with ThreadPoolExecutor(2) as pool:
        sheets = sorted(p for p in GNOME_CARDS.glob("*.svgz") if p.stem not in SKIP)
        kde = sorted(p for p in KDE_CARDS.glob("*/*.svgz") if p.stem not in SKIP)
        for deck in (*pool.map(_sheet_deck, sheets), *pool.map(_kde_deck, kde)):
            if deck is not None:
                decks.append(deck)
    decks += [*_heruka_decks(), *_svg_cards_deck(), *_aguilar_deck()]
    if not decks:
        raise UserError(
            f"no card decks under {GNOME_CARDS}: install Debian's gnome-cards-data to build datasets"
        )
    return decks


def _texture_files() -> Iterator[tuple[str, bytes]]:
    """Surface textures (not normal or specular maps) of the ufoai package, name and bytes."""
    if not UFO_TEXTURES.exists():
        return
    with zipfile.ZipFile(UFO_TEXTURES) as pack:
        for name in sorted(pack.namelist()):
            stem, _, suffix = name.rpartition(".")
            if suffix in {"jpg", "png"} and not stem.endswith(("_nm", "_sm", "_pls", "_gm", "_rm")):
                yield name, pack.read(name)


def backgrounds(limit: int = 1600, side: int = 640) -> npt.NDArray[np.uint8]:
    """Photographs and textures to lie under cards: (n, side, side, 3) BGR, through the cache.

    Squares are cut from the middle of each picture; small textures are tiled up. Where no package with
    pictures is installed there are none, and nothing is kept: cloths are made without.
    """
    target = cache_dir() / f"backgrounds-{limit}-{side}.npy"
    if target.exists():
        return np.load(target, mmap_mode="r")
    squares: list[Image] = []
    for folder in WALLPAPERS:
        for path in sorted(folder.glob("**/*")):
            if path.suffix in {".jpg", ".png"} and path.stat().st_size > 60_000:
                image = cv2.imread(str(path), cv2.IMREAD_COLOR)
                if image is not None:
                    squares += _squares(image, side)
    for _, data in _texture_files():
        image = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR)
        if image is not None and min(image.shape[:2]) >= 128:
            squares.append(_tiled(image, side))
    if not squares:
        return np.zeros((0, side, side, 3), np.uint8)
    rng = np.random.default_rng(0)
    order = rng.permutation(len(squares))[:limit]
    stack = np.stack([squares[i] for i in order])
    np.save(target, stack)
    return stack


def _squares(image: Image, side: int) -> list[Image]:
    """Up to two squares of a photograph: the whole middle, and a detail."""
    height, width = image.shape[:2]
    short = min(height, width)
    y, x = (height - short) // 2, (width - short) // 2
    whole = cv2.resize(
        image[y : y + short, x : x + short], (side, side), interpolation=cv2.INTER_AREA
    )
    detail = image[y : y + side, x : x + side]
    return [whole, detail] if detail.shape[:2] == (side, side) else [whole]


def _tiled(image: Image, side: int) -> Image:
    repeat = max(1, -(-side // min(image.shape[:2])))
    return np.ascontiguousarray(np.tile(image, (repeat, repeat, 1))[:side, :side])
