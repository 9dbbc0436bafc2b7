"""Printed cloths: flowers, leaves, tartans, lattices, tiles, newsprint and card-like patches.

A finder that has only seen plain tables takes a printed flower for a card. So many training tables are
covered with prints of random motifs in random repeats, and whatever is printed there is no card.
"""

from collections.abc import Callable

import cv2
import numpy as np
import numpy.typing as npt

from datasets.photo import Picture, Rng, smooth_field

Tile = npt.NDArray[np.uint8]
"""(size, size), 0-255: how much of one ink lies there."""

_MOST_MOTIFS = 500
"""More motifs than this on one table cost time and teach nothing."""


def _ink(rng: Rng, ground: np.ndarray) -> np.ndarray:
    """A colour that can be told from `ground`; often white, red or black, as a card's are."""
    if rng.random() < 0.35:
        plain = ((245, 245, 245), (35, 30, 190), (25, 25, 25))
        return np.float32(plain[int(rng.integers(3))]) + np.float32(rng.normal(0, 8, 3))
    for _ in range(4):
        colour = np.float32(rng.integers(0, 256, 3))
        if np.abs(colour - ground).max() > 50:
            break
    return colour


def _outline(radii: np.ndarray, angles: np.ndarray, size: int) -> np.ndarray:
    """Polar to pixel points round the middle of a tile, as `cv2.fillPoly` takes them."""
    reach = size * 0.48 * radii / max(float(radii.max()), 1e-6)
    points = np.stack([reach * np.cos(angles), reach * np.sin(angles)], axis=1) + size / 2
    return (points * 8).astype(np.int32)


def _flower(rng: Rng, size: int) -> Tile:
    """Petals as a wave round a circle: with few, a clover; with many, a daisy."""
    angles = np.linspace(0, 2 * np.pi, 120, endpoint=False)
    petals, depth = int(rng.integers(3, 13)), rng.uniform(0.1, 0.6)
    radii = 1 + depth * np.cos(petals * angles + rng.uniform(0, 7)) ** int(rng.integers(1, 4))
    tile = np.zeros((size, size), np.uint8)
    cv2.fillPoly(tile, [_outline(radii, angles, size)], 255, cv2.LINE_AA, 3)
    if rng.random() < 0.5:
        middle, radius = (size // 2, size // 2), max(1, int(size * rng.uniform(0.05, 0.2)))
        cv2.circle(tile, middle, radius, 0, -1, cv2.LINE_AA)
    return tile


def _leaf(rng: Rng, size: int) -> Tile:
    """A pointed oval, sometimes with its rib."""
    tile = np.zeros((size, size), np.uint8)
    width = rng.uniform(0.15, 0.5) * size
    y = np.linspace(-0.48, 0.48, 40) * size
    x = width / 2 * np.cos(y / size * np.pi) ** rng.uniform(0.7, 2)
    points = np.concatenate([np.stack([x, y], 1), np.stack([-x[::-1], y[::-1]], 1)]) + size / 2
    cv2.fillPoly(tile, [(points * 8).astype(np.int32)], 255, cv2.LINE_AA, 3)
    if rng.random() < 0.5:
        cv2.line(tile, (size // 2, 0), (size // 2, size), 0, max(1, size // 30), cv2.LINE_AA)
    return tile


def _star(rng: Rng, size: int) -> Tile:
    """A star, diamond or polygon."""
    corners = int(rng.integers(2, 9))
    angles = np.arange(corners * 2) * np.pi / corners
    radii = np.where(np.arange(corners * 2) % 2, rng.uniform(0.3, 1.0), 1.0)
    tile = np.zeros((size, size), np.uint8)
    cv2.fillPoly(tile, [_outline(radii, angles, size)], 255, cv2.LINE_AA, 3)
    return tile


def _heart(rng: Rng, size: int) -> Tile:
    """Hearts and spades, as printed on the cloths of those who like cards."""
    t = np.linspace(0, 2 * np.pi, 90, endpoint=False)
    x = 16 * np.sin(t) ** 3
    y = -(13 * np.cos(t) - 5 * np.cos(2 * t) - 2 * np.cos(3 * t) - np.cos(4 * t))
    points = np.stack([x, y], 1) / 36 * size + size / 2
    tile = np.zeros((size, size), np.uint8)
    cv2.fillPoly(tile, [(points * 8).astype(np.int32)], 255, cv2.LINE_AA, 3)
    if rng.random() < 0.5:  # turned over and given a stem it is a spade
        tile = tile[::-1].copy()
        stem = np.array([[0.5, 0.5], [0.36, 0.98], [0.64, 0.98]]) * size
        cv2.fillPoly(tile, [(stem * 8).astype(np.int32)], 255, cv2.LINE_AA, 3)
    return tile


def _patch(rng: Rng, size: int) -> Tile:
    """A rectangle of a card's or a tile's shape, filled or framed."""
    tile = np.zeros((size, size), np.uint8)
    aspect = rng.uniform(0.4, 1.0)
    w, h = int(size * 0.46 * aspect), int(size * 0.46)
    low, high = (size // 2 - w, size // 2 - h), (size // 2 + w, size // 2 + h)
    thick = -1 if rng.random() < 0.5 else max(1, int(size * rng.uniform(0.02, 0.1)))
    cv2.rectangle(tile, low, high, 255, thick, cv2.LINE_AA)
    return tile


def _ring(rng: Rng, size: int) -> Tile:
    """A dot or rings."""
    tile = np.zeros((size, size), np.uint8)
    for radius in np.linspace(0.45, 0.1, int(rng.integers(1, 4))):
        thick = -1 if rng.random() < 0.4 else max(1, int(size * rng.uniform(0.02, 0.12)))
        cv2.circle(tile, (size // 2, size // 2), int(size * radius), 255, thick, cv2.LINE_AA)
    return tile


def _letter(rng: Rng, size: int) -> Tile:
    """A letter or figure, as on printed sacks and advertising cloths."""
    tile = np.zeros((size, size), np.uint8)
    text = "AKQJRDVB1234567890&SMEO"[int(rng.integers(23))]
    face, thick = int(rng.choice([0, 2, 3, 4])), max(1, size // 12)
    cv2.putText(tile, text, (size // 6, size * 5 // 6), face, size / 32, 255, thick, cv2.LINE_AA)
    return tile


_MOTIFS: tuple[Callable[[Rng, int], Tile], ...] = (
    _flower, _flower, _leaf, _star, _heart, _patch, _ring, _letter,
)  # fmt: skip


def _bunch(rng: Rng, size: int, ground: np.ndarray) -> list[tuple[Tile, np.ndarray]]:
    """One printed thing: a motif or several in their own inks, one over another."""
    layers = []
    for _ in range(int(rng.integers(1, 5))):
        tile = _MOTIFS[int(rng.integers(len(_MOTIFS)))](rng, size)
        middle = (size / 2, size / 2)
        scale = rng.uniform(0.3, 1.0)
        matrix = cv2.getRotationMatrix2D(middle, rng.uniform(0, 360), scale)
        matrix[:, 2] += rng.normal(0, size * 0.16 * (1.05 - scale), 2)
        layers.append((cv2.warpAffine(tile, matrix, (size, size)), _ink(rng, ground)))
    return layers


def _stamp(picture: Picture, bunch: list[tuple[Tile, np.ndarray]], x: int, y: int) -> None:
    """Print a bunch with its corner at (x, y), cut at the picture's edges."""
    height, width = picture.shape[:2]
    size = bunch[0][0].shape[0]
    x1, y1, x2, y2 = max(x, 0), max(y, 0), min(x + size, width), min(y + size, height)
    if x2 <= x1 or y2 <= y1:
        return
    area = picture[y1:y2, x1:x2]
    for tile, ink in bunch:
        part = tile[y1 - y : y2 - y, x1 - x : x2 - x, None].astype(np.float32) / 255
        area[:] = area * (1 - part) + ink * part


def repeat(rng: Rng, side: int) -> Picture:
    """A print of one to three bunches in a straight, staggered or loose repeat."""
    ground = np.float32(rng.integers(20, 250, 3))
    if rng.random() < 0.3:
        ground = np.float32(rng.normal(238, 8, 3))
    picture = np.empty((side, side, 3), np.float32)
    picture[:] = ground
    size = int(np.exp(rng.uniform(np.log(14), np.log(170))))
    step = max(size * rng.uniform(0.7, 2.4), side / np.sqrt(_MOST_MOTIFS))
    bunches = [_bunch(rng, size, ground) for _ in range(int(rng.integers(1, 4)))]
    loose = step * rng.choice([0.0, 0.08, 0.4])
    shift = rng.choice([0.0, 0.5])
    turn = rng.random() < 0.4
    for row in range(-1, int(side / step) + 2):
        for column in range(-1, int(side / step) + 2):
            x, y = (column + shift * (row % 2)) * step, row * step
            x, y = x + rng.normal(0, loose + 1e-9), y + rng.normal(0, loose + 1e-9)
            bunch = bunches[int(rng.integers(len(bunches)))]
            if turn:
                quarter = int(rng.integers(4))
                bunch = [(np.rot90(tile, quarter), ink) for tile, ink in bunch]
            _stamp(picture, bunch, round(x), round(y))
    return picture


def tartan(rng: Rng, side: int) -> Picture:
    """Stripes of many widths crossing, each half over the other: gingham, tartan, kitchen cloth."""
    ground = np.float32(rng.integers(20, 250, 3))
    picture = np.empty((side, side, 3), np.float32)
    picture[:] = ground
    period = max(8, int(np.exp(rng.uniform(np.log(10), np.log(200)))))
    bands = [
        (_ink(rng, ground), rng.uniform(0, 1), rng.uniform(0.03, 0.5), rng.uniform(0.25, 0.8))
        for _ in range(int(rng.integers(1, 5)))
    ]
    phase = np.arange(side) / period
    for ink, start, width, strength in bands:
        band = (((phase - start) % 1) < width).astype(np.float32) * strength
        for part in (band[None, :, None], band[:, None, None]):
            picture = picture * (1 - part) + ink * part
    return picture


def lattice(rng: Rng, side: int) -> Picture:
    """Lozenges, bricks or tiles with their joints, each of its own shade."""
    ground, joint = np.float32(rng.integers(20, 250, 3)), np.float32(rng.integers(0, 256, 3))
    cell = np.exp(rng.uniform(np.log(16), np.log(190)))
    aspect = rng.uniform(0.4, 2.2)
    y, x = np.mgrid[0:side, 0:side].astype(np.float32)
    row = y / (cell * aspect)
    column = x / cell + rng.choice([0.0, 0.5]) * np.floor(row)
    number = np.floor(row) * 57 + np.floor(column) * 131
    shade = np.sin(number * 12.9898) * 43758.5453 % 1
    spread = rng.choice([0.0, 15.0, 90.0])
    picture = ground + ((shade - 0.5) * spread)[..., None]
    if rng.random() < 0.3:  # a chessboard
        odd = (np.floor(row) + np.floor(column)) % 2
        picture = np.where(odd[..., None] > 0, picture, _ink(rng, ground))
    edge = np.minimum(row % 1 * aspect, column % 1) * cell
    return np.where((edge < rng.uniform(0, 5))[..., None], joint, picture).astype(np.float32)


def newsprint(rng: Rng, side: int) -> Picture:
    """Columns of lines of print, headings and picture boxes: a newspaper or a placemat."""
    paper = np.float32(rng.normal(225, 14)) + np.float32(rng.normal(0, 5, 3))
    picture = np.empty((side, side, 3), np.float32)
    picture[:] = paper
    width, leading = int(rng.integers(60, 220)), int(rng.integers(5, 22))
    for left in range(4, side, width + 10):
        y = int(rng.integers(0, 40))
        while y < side:
            ink = tuple(float(v) for v in np.float32([1, 1, 1]) * rng.uniform(10, 110))
            if rng.random() < 0.05:
                tall = int(rng.integers(30, 140))
                shade = tuple(float(v) for v in rng.integers(30, 220, 3))
                cv2.rectangle(picture, (left, y), (left + width, y + tall), shade, -1)
                y += tall + leading
                continue
            heavy = rng.random() < 0.08
            x = left
            while x < left + width - 6:
                word = int(rng.integers(4, 30))
                end = min(x + word, left + width)
                cv2.line(picture, (x, y), (end, y), ink, max(1, leading // (2 if heavy else 4)))
                x = end + 4
            y += leading * (2 if heavy else 1)
    return picture


_PRINTS: tuple[Callable[[Rng, int], Picture], ...] = (
    repeat, repeat, repeat, tartan, lattice, newsprint,
)  # fmt: skip


def printed(rng: Rng, side: int) -> Picture:
    """(side, side, 3): a printed surface, turned by any angle, with the unevenness of cloth."""
    large = int(side * 1.45) + 2
    flat = _PRINTS[int(rng.integers(len(_PRINTS)))](rng, large)
    matrix = cv2.getRotationMatrix2D((large / 2, large / 2), rng.uniform(0, 360), 1.0)
    matrix[:, 2] -= (large - side) / 2
    picture = cv2.warpAffine(flat, matrix, (side, side), borderMode=cv2.BORDER_REFLECT)
    fold = 1 + 0.08 * rng.random() * smooth_field(rng, side, side, int(rng.integers(2, 7)))
    grain = rng.standard_normal((side, side, 1), np.float32) * np.float32(rng.uniform(0, 8))
    return np.clip(picture * fold[..., None] + grain, 0, 255).astype(np.float32)


def chip(picture: Picture, rng: Rng, centre: tuple[float, float], radius: float) -> None:
    """Draw a gaming chip: marks round its edge, rings, something printed in its middle."""
    middle = (int(centre[0]), int(centre[1]))
    ground = np.float32(rng.integers(20, 250, 3))
    ink, label = (tuple(float(v) for v in _ink(rng, ground)) for _ in range(2))
    reach = max(3, int(radius))
    cv2.circle(picture, middle, reach, tuple(float(v) for v in ground), -1, cv2.LINE_AA)
    marks, start = int(rng.integers(4, 13)), rng.uniform(0, 360)
    for i in range(marks):
        a = start + i * 360 / marks
        thick = max(1, reach // 4)
        axes = (reach - thick // 2, reach - thick // 2)
        cv2.ellipse(picture, middle, axes, 0, a, a + 180 / marks, ink, thick, cv2.LINE_AA)
    inner = max(1, int(reach * rng.uniform(0.4, 0.75)))
    cv2.circle(picture, middle, inner, label, -1, cv2.LINE_AA)
    if inner > 3:
        _stamp(picture, _bunch(rng, 2 * inner, np.float32(label)), *(v - inner for v in middle))


_WORDS = (
    "SUECA",
    "Café",
    "MENU",
    "vinho",
    "Bica",
    "Super",
    "Bock",
    "CASA",
    "2,50",
    "REAL",
    "Jornal",
)


def printed_thing(rng: Rng) -> Picture:
    """(300, 200, 3): a packet, leaflet, beer mat or business card: titles, small print, drawings."""
    ground = np.float32(rng.integers(20, 250, 3))
    if rng.random() < 0.4:
        ground = np.float32(rng.normal(240, 6, 3))
    picture = np.empty((300, 200, 3), np.float32)
    picture[:] = ground
    for _ in range(int(rng.integers(0, 4))):
        size = int(rng.integers(30, 150))
        x, y = int(rng.integers(-20, 180)), int(rng.integers(-20, 270))
        _stamp(picture, _bunch(rng, size, ground), x, y)
    page = np.clip(picture, 0, 255).astype(np.uint8)
    for _ in range(int(rng.integers(1, 7))):
        word = "".join(_WORDS[int(rng.integers(len(_WORDS)))][: int(rng.integers(1, 7))])
        scale, thick = float(np.exp(rng.uniform(-0.9, 1.2))), int(rng.integers(1, 6))
        ink = tuple(float(v) for v in _ink(rng, ground))
        at = (int(rng.integers(-10, 140)), int(rng.integers(20, 300)))
        cv2.putText(page, word, at, int(rng.integers(0, 5)), scale, ink, thick, cv2.LINE_AA)
    return page.astype(np.float32)
