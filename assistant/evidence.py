"""The pictures that prove a play: its crop, upright, and the whole frame it was read in.

They lie in a game's folder as `evidence/NAME.crop.jpg` and `evidence/NAME.frame.jpg`; the log
keeps NAME, the pointer. A picture once kept is never overwritten.
"""

import os
import re
from pathlib import Path
from typing import Literal

import cv2
import numpy as np

from vision.errors import UserError
from vision.types import Image, Quad

View = Literal["crop", "frame"]

CROP_SIZE = (240, 336)
"""Width and height of a kept crop in pixels: a card's 5:7, large enough to judge by eye."""

JPEG_QUALITY = 90
_NAME = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")


class EvidenceStore:
    """The evidence of one game, in `folder` (made when the first picture is kept)."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def keep(self, name: str, image: Image, quad: Quad) -> str:
        """Keep the crop of `quad` and the whole `image`; the pointer to both.

        `name` is lower-case letters, digits and single hyphens (`ValueError` otherwise); where it
        is taken the pointer gets a number. Raises `UserError` where it cannot be written.
        """
        if not _NAME.fullmatch(name):
            raise ValueError(f"expected a name of a-z, 0-9 and hyphens, got {name!r}")
        pointer = self._free(name)
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            _write(self._file(pointer, "crop"), upright_crop(image, quad))
            _write(self._file(pointer, "frame"), image)
        except OSError as error:
            raise UserError(
                f"{self._folder}: cannot keep a play's picture ({error.strerror}); "
                "free some disk space or check the folder's permissions"
            ) from error
        return pointer

    def path(self, pointer: str, view: View) -> Path | None:
        """Where the picture lies; None where there is none or `pointer` is no pointer."""
        if not _NAME.fullmatch(pointer):
            return None
        path = self._file(pointer, view)
        return path if path.is_file() else None

    def _file(self, pointer: str, view: View) -> Path:
        return self._folder / f"{pointer}.{view}.jpg"

    def _free(self, name: str) -> str:
        pointer, count = name, 1
        while self._file(pointer, "frame").exists():
            count += 1
            pointer = f"{name}-{count}"
        return pointer


def upright_crop(image: Image, quad: Quad) -> Image:
    """The card in `quad` (image pixels, short side first), rectified to `CROP_SIZE`."""
    width, height = CROP_SIZE
    corners = np.array([[0, 0], [width, 0], [width, height], [0, height]], dtype=np.float32)
    warp = cv2.getPerspectiveTransform(np.array(quad, dtype=np.float32), corners)
    return np.asarray(cv2.warpPerspective(image, warp, CROP_SIZE), dtype=np.uint8)


def _write(path: Path, image: Image) -> None:
    """Whole or not at all: a crash never leaves half a picture under its name."""
    ok, data = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, JPEG_QUALITY])
    if not ok:
        raise ValueError(f"cannot encode an image of shape {image.shape}")
    part = path.with_suffix(".part")
    part.write_bytes(data.tobytes())
    os.replace(part, path)
