"""Pictures from files: whatever a phone or a person hands over, as upright BGR or a plain refusal."""

import os
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

import cv2
import numpy as np

from vision.errors import UserError
from vision.picture_header import cut_short, declared_size
from vision.types import Image

SMALLEST = 40
"""Pixels: a card less wide than this cannot be read, so a picture with a shorter side shows none."""

LONGEST = 32_766
"""Pixels: OpenCV warps no picture with a longer side."""

LARGEST = 100_000_000
"""Pixels: above this a file is taken for a mistake, not a photograph."""

LARGEST_FILE = 500_000_000
"""Bytes: above this a file is no photograph, and reading it would fill the memory."""

_MADE_UP = ("Corrupt JPEG", "Premature end")
"""What libjpeg says where it put something in place of data it could not read. None of 368
photographs looked at of `shared/real` makes it say so. (Libpng's warnings are mostly of colour profiles.)"""

_STDERR = threading.Lock()

# OpenCV's own complaints would stand beside our one line.
cv2.utils.logging.setLogLevel(cv2.utils.logging.LOG_LEVEL_SILENT)


def load_image(path: Path) -> Image:
    """The picture in a file, turned as its EXIF says, the first frame where it is animated.

    Grey, 16-bit, palette and CMYK pictures come as 8-bit BGR; transparency is left out.

    Raises:
        UserError: missing, not a picture, cut short, damaged, too small or too large.
    """
    return decode_image(_bytes_of(path), str(path))


def decode_image(data: bytes, name: str) -> Image:
    """The picture in the bytes of a file, as `load_image`; `name` is what refusals call it.

    Raises:
        UserError: not a picture, cut short, damaged, too small or too large.
    """
    if not data:
        raise UserError(f"{name} is empty: copy the picture again")
    size = declared_size(data)
    if size is not None:
        _check_size(name, *size)
    if cut_short(data):
        raise UserError(f"{name} is cut short: copy the picture again")
    image, complaint = _decoded(data)
    if image is None and size is not None:
        raise UserError(f"{name} is damaged: copy the picture again")
    if image is None:
        raise UserError(f"{name} is not a picture this program can read: save it as JPEG or PNG")
    if any(word in complaint for word in _MADE_UP):
        # No card in what the decoder made up can be trusted.
        raise UserError(f"{name} is damaged: copy the picture again")
    height, width = image.shape[:2]
    _check_size(name, width, height)
    return image


def _bytes_of(path: Path) -> bytes:
    """What a file holds. Raises `UserError` where that is not to be had, or endless."""
    if path.is_dir():
        raise UserError(f"{path} is a folder: name the pictures in it")
    try:
        size = path.stat().st_size
        if not path.is_file():
            raise UserError(f"{path} is not a file: save the picture and name that")
        if size > LARGEST_FILE:
            raise UserError(f"{path} has {size >> 20} MB: give a photograph of a table")
        return path.read_bytes()
    except FileNotFoundError as error:
        raise UserError(f"no picture at {path}: check the name") from error
    except OSError as error:
        raise UserError(
            f"{path} cannot be read ({error.strerror}): check its permissions"
        ) from error


def _check_size(name: str, width: int, height: int) -> None:
    if min(width, height) < SMALLEST or max(width, height) > LONGEST or width * height > LARGEST:
        raise UserError(f"{name} is {width} x {height} pixels: give a photograph of a table")


def _decoded(data: bytes) -> tuple[Image | None, str]:
    """The picture as BGR, None if it is none, and what the decoder complained of."""
    with _overheard() as said:
        try:
            image = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR)
        except cv2.error:
            image = None
        said.seek(0)
        complaint = said.read().decode(errors="replace").strip()
    return (None if image is None else np.asarray(image, np.uint8)), complaint


@contextmanager
def _overheard() -> Iterator[IO[bytes]]:
    """What the C libraries under OpenCV write to stderr meanwhile: they know no other way to say
    that a JPEG or PNG is damaged. One picture at a time: stderr is the whole process's."""
    with _STDERR, tempfile.TemporaryFile() as said:
        stderr = os.dup(2)
        os.dup2(said.fileno(), 2)
        try:
            yield said
        finally:
            os.dup2(stderr, 2)
            os.close(stderr)
