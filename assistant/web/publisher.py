"""Frames from the thread that follows the game to the pages that look on.

Only the newest frame is kept: a slow page skips, and the camera never waits for one.
"""

import asyncio
import json
import struct
import threading
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import NamedTuple

import cv2

from vision.types import Face, Image, Quad

WIDEST_PICTURE = 960
"""Pixels; wider frames are scaled down for the page. Its outlines keep the full resolution."""

JPEG_QUALITY = 75

SHORTEST_GAP = 0.08
"""Seconds of source time between pictures sent: twelve a second look live and leave the two cores
to the models."""


class SeenCard(NamedTuple):
    """A card to outline: its label, how sure, its quad in image pixels, which side shows."""

    label: str
    p: float
    quad: Quad
    face: Face


@dataclass(frozen=True, slots=True)
class Message:
    """A frame ready to be sent: header length (4 bytes, big-endian), JSON header, JPEG or nothing.

    `number` counts up from 1.
    """

    number: int
    data: bytes


@dataclass(frozen=True, slots=True)
class _Shot:
    """A frame as it was given."""

    picture: bytes | Image
    t: float
    cards: tuple[SeenCard, ...]
    status: str
    table: Quad | None


class Publisher:
    """Takes frames on any thread; wakes the pages' event loop. Encodes only while one looks on."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._shot: _Shot | None = None
        self._number = 0
        self._message: Message | None = None
        self._viewers: list[tuple[asyncio.AbstractEventLoop, asyncio.Event]] = []

    def latest(self) -> Message | None:
        """The newest frame, encoded when first asked for; None before the first."""
        with self._lock:
            shot, number, message = self._shot, self._number, self._message
        if shot is None or (message is not None and message.number == number):
            return message
        message = Message(number, _pack(shot))
        with self._lock:
            self._message = message
        return message

    def frame(
        self,
        picture: bytes | Image,
        t: float,
        cards: Iterable[SeenCard | tuple[str, float, Quad, Face]] = (),
        status: str = "following",
        table: Quad | None = None,
    ) -> None:
        """Show a frame of time `t` seconds: JPEG bytes or a (height, width, 3) BGR image.

        The image is kept, not copied: do not draw on it afterwards. Quads of `cards` and `table`
        are in its pixels. `status` is one of the page's keys (`following`, `waiting`, `ended`,
        `no-table`) or a text to show as it is. Frames faster than `SHORTEST_GAP` are dropped.
        """
        last = self._shot
        if last is not None and 0 <= t - last.t < SHORTEST_GAP and last.status == status:
            return
        self._show(_Shot(picture, t, tuple(SeenCard(*card) for card in cards), status, table))

    def status(self, status: str, t: float) -> None:
        """Say what the camera does while no frame comes; the last picture stays on the page."""
        last = self._shot
        self._show(replace(last, t=t, status=status) if last else _Shot(b"", t, (), status, None))

    def watch(self, loop: asyncio.AbstractEventLoop, wake: asyncio.Event) -> None:
        """Set `wake` on `loop` whenever there is a new frame."""
        with self._lock:
            self._viewers.append((loop, wake))

    def unwatch(self, wake: asyncio.Event) -> None:
        """End a `watch`."""
        with self._lock:
            self._viewers = [viewer for viewer in self._viewers if viewer[1] is not wake]

    def _show(self, shot: _Shot) -> None:
        with self._lock:
            self._shot = shot
            self._number += 1
            viewers = tuple(self._viewers)
        for loop, wake in viewers:
            if not loop.is_closed():
                loop.call_soon_threadsafe(wake.set)


def _pack(shot: _Shot) -> bytes:
    size, jpeg = None, shot.picture
    if not isinstance(jpeg, bytes):
        size, jpeg = (jpeg.shape[1], jpeg.shape[0]), _encode(jpeg)
    header = {
        "t": shot.t,
        "status": shot.status,
        "width": size and size[0],
        "height": size and size[1],
        "table": shot.table,
        "cards": [
            {"label": card.label, "p": card.p, "quad": card.quad, "face": card.face}
            for card in shot.cards
        ],
    }
    # default: coordinates and probabilities may still be numpy's numbers
    text = json.dumps(header, default=float).encode()
    return struct.pack(">I", len(text)) + text + jpeg


def _encode(image: Image) -> bytes:
    height, width = image.shape[:2]
    if width > WIDEST_PICTURE:
        size = (WIDEST_PICTURE, round(height * WIDEST_PICTURE / width))
        image = cv2.resize(image, size, interpolation=cv2.INTER_AREA)  # type: ignore[assignment]
    ok, data = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, JPEG_QUALITY])
    if not ok:
        raise ValueError(f"cannot encode an image of shape {image.shape}")
    return data.tobytes()
