"""Pictures from files: whatever a phone or a person hands over, as upright BGR or a plain refusal."""

from pathlib import Path

import cv2
import numpy as np

from vision.errors import UserError
from vision.types import Image

SMALLEST = 16
"""Pixels: a picture with a shorter side can show no card."""

LARGEST = 100_000_000
"""Pixels: above this a file is taken for a mistake, not a photograph."""

_ENDS = {b"\xff\xd8": b"\xff\xd9", b"\x89P": b"IEND\xaeB`\x82"}
"""How a whole JPEG or PNG ends; OpenCV fills what is missing with grey and says nothing.

Anything may follow: phones append a clip ("motion photo") to the JPEG.
"""

# OpenCV's own complaints would stand beside our one line.
cv2.utils.logging.setLogLevel(cv2.utils.logging.LOG_LEVEL_SILENT)


def load_image(path: Path) -> Image:
    """The picture in a file, turned as its EXIF says, the first frame where it is animated.

    Raises:
        UserError: missing, not a picture, cut short, too small or too large.
    """
    if path.is_dir():
        raise UserError(f"{path} is a folder: name the pictures in it")
    try:
        data = path.read_bytes()
    except FileNotFoundError as error:
        raise UserError(f"no picture at {path}: check the name") from error
    except OSError as error:
        raise UserError(
            f"{path} cannot be read ({error.strerror}): check its permissions"
        ) from error
    return decode_image(data, str(path))


def decode_image(data: bytes, name: str) -> Image:
    """The picture in the bytes of a file, as `load_image`; `name` is what refusals call it.

    Raises:
        UserError: not a picture, cut short, too small or too large.
    """
    if not data:
        raise UserError(f"{name} is empty: copy the picture again")
    end = _ENDS.get(data[:2])
    if end is not None and data.find(end, _pixels_begin(data)) < 0:
        raise UserError(f"{name} is cut short: copy the picture again")
    try:
        image = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR)
    except cv2.error:
        image = None
    if image is None:
        raise UserError(f"{name} is not a picture this program can read: save it as JPEG or PNG")
    height, width = image.shape[:2]
    if min(height, width) < SMALLEST or height * width > LARGEST:
        raise UserError(f"{name} is {width} x {height} pixels: give a photograph of a table")
    return np.asarray(image, np.uint8)


def _pixels_begin(data: bytes) -> int:
    """Where a JPEG's headers end, its thumbnail (a JPEG of its own) with them; 0 for other files."""
    position = 2 if data[:2] == b"\xff\xd8" else 0
    while position and data[position : position + 1] == b"\xff":
        if data[position + 1 : position + 2] == b"\xda":
            return position
        position += 2 + int.from_bytes(data[position + 2 : position + 4], "big")
    return position
