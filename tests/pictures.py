"""Photographs for tests: cards of a drawn deck laid on a cloth, and the odd ways files hold pictures."""

import struct
import zlib
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path

import cv2
import numpy as np

from datasets.art import Deck
from datasets.crops import card_quad, warp_card
from datasets.drawn_art import drawn_as_art
from vision.types import Image

DECK_SEED = 3
CLOTH = (62, 92, 44)
"""A green cloth, BGR."""

Place = tuple[float, float, float]
"""Middle of a card (x, y) in pixels and how far it is turned, radians."""


@lru_cache(maxsize=1)
def deck() -> Deck:
    return drawn_as_art(DECK_SEED)


def cloth(height: int, width: int, seed: int = 1) -> Image:
    """An empty table, a little grainy."""
    grain = np.random.default_rng(seed).normal(0, 3, (height, width, 1))
    return np.clip(np.full((height, width, 3), CLOTH) + grain, 0, 255).astype(np.uint8)


def photograph(
    cards: Mapping[str, Place], length: float, height: int = 480, width: int = 640
) -> Image:
    """(height, width, 3) BGR: the cards, each `length` pixels long, on the cloth."""
    picture = cloth(height, width).astype(np.float32)
    for card, (x, y, angle) in cards.items():
        face = deck().faces[card]
        warp_card(
            picture, face, card_quad((x, y), length, face.shape[0] / face.shape[1], angle), length
        )
    soft = cv2.GaussianBlur(picture, (0, 0), 0.6)
    return np.clip(soft, 0, 255).astype(np.uint8)


def cmyk_jpeg(image: Image) -> bytes:
    """The picture as a four-ink JPEG, as print shops send them (inks inverted, as Adobe writes them).

    Made of four grey JPEGs, one a component, each in a scan of its own: OpenCV writes no CMYK.
    """
    rgb = image[..., ::-1]
    black = rgb.max(axis=2)
    inks = [np.where(black > 0, rgb[..., i] * 255.0 / np.maximum(black, 1), 255) for i in range(3)]
    greys = [np.uint8(plane) for plane in [*inks, black]]
    parts = [_grey_parts(plane) for plane in greys]
    height, width = image.shape[:2]
    adobe = b"\xff\xee\x00\x0eAdobe\x00\x64\x00\x00\x00\x00\x00"
    frame = struct.pack(">BHHB", 8, height, width, 4)
    frame += b"".join(bytes([i + 1, 0x11, 0]) for i in range(4))
    data = (
        b"\xff\xd8" + adobe + parts[0][0] + b"\xff\xc0" + struct.pack(">H", 2 + len(frame)) + frame
    )
    for i, (_, scan) in enumerate(parts):
        data += b"\xff\xda" + struct.pack(">HBBBBBB", 8, 1, i + 1, 0, 0, 63, 0) + scan
    return data + b"\xff\xd9"


def _grey_parts(plane: np.ndarray) -> tuple[bytes, bytes]:
    """Of a grey JPEG: its tables as they stand, and the coded data of its one scan."""
    data = cv2.imencode(".jpg", plane)[1].tobytes()
    at, tables = 2, b""
    while data[at + 1] != 0xDA:
        size = 2 + int.from_bytes(data[at + 2 : at + 4], "big")
        if data[at + 1] in (0xDB, 0xC4):
            tables += data[at : at + size]
        at += size
    at += 2 + int.from_bytes(data[at + 2 : at + 4], "big")
    return tables, data[at:-2]


def palette_png(image: Image, colours: int = 64) -> bytes:
    """The picture as a PNG with a palette, its colours coarsened to four steps a channel."""
    steps = image.astype(np.uint8) >> 6
    index = (steps[..., 2] << 4) | (steps[..., 1] << 2) | steps[..., 0]
    palette = bytes(
        85 * step for i in range(colours) for step in ((i >> 4) & 3, (i >> 2) & 3, i & 3)
    )
    height, width = index.shape
    rows = b"".join(b"\0" + row.tobytes() for row in index)
    return (
        b"\x89PNG\r\n\x1a\n"
        + _chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 3, 0, 0, 0))
        + _chunk(b"PLTE", palette)
        + _chunk(b"IDAT", zlib.compress(rows))
        + _chunk(b"IEND", b"")
    )


def _chunk(kind: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


def png_header(width: int, height: int) -> bytes:
    """A tiny PNG that says it is as large as told: what a decompression bomb looks like."""
    return (
        b"\x89PNG\r\n\x1a\n"
        + _chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))
        + _chunk(b"IDAT", zlib.compress(bytes(1000)))
        + _chunk(b"IEND", b"")
    )


def turned_by_exif(jpeg: bytes, orientation: int) -> bytes:
    """A JPEG with an EXIF block of one entry, its orientation."""
    tiff = b"II*\0\x08\0\0\0\x01\0\x12\x01\x03\0\x01\0\0\0" + bytes([orientation]) + bytes(7)
    body = b"Exif\0\0" + tiff
    return jpeg[:2] + b"\xff\xe1" + struct.pack(">H", len(body) + 2) + body + jpeg[2:]


def write_animation(path: Path, frames: Sequence[Image]) -> None:
    """A GIF, WebP or PNG of several frames, as the name ends."""
    animation = cv2.Animation()
    animation.frames = list(frames)
    animation.durations = np.full(len(frames), 100, np.int32)
    assert cv2.imwriteanimation(str(path), animation)
