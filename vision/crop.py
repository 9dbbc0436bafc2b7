"""From a quad in a frame to the small upright crop the reader takes."""

from collections.abc import Sequence

import cv2
import numpy as np

from vision.types import Image, Quad

CROP_WIDTH, CROP_HEIGHT = 128, 192
"""Pixels. The index of a poker card is then about 18 px high: what a person needs to tell K from Q where
the picture is of no help. As long as the longest cards of a whole table at 720p."""

WHOLE_WIDTH, WHOLE_HEIGHT = 96, 144
"""The size at which the reader sees the whole card; pips and courts need no more."""

CORNER_WIDTH, CORNER_HEIGHT = 56, 80
"""The corner it looks at in full: a jumbo index under a box that lies off."""

_TURNED = -1
"""OpenCV's word for flipping both ways, which is half a turn."""

CROP_MARGIN = 0.03
"""Kept round the card, as a fraction of its sides: a quad that is a little tight cuts no index off."""


def rectify(
    image: Image,
    quad: Quad,
    width: int = CROP_WIDTH,
    height: int = CROP_HEIGHT,
    margin: float = CROP_MARGIN,
) -> Image:
    """The card under `quad` as an upright (height, width, 3) BGR crop.

    The quad starts at a corner of a short side and runs clockwise, so the crop is never mirrored; which
    of its two ends is up is not known. Large cards are averaged down, not point-sampled.
    """
    corners = np.asarray(quad, np.float32)
    dx, dy = width * margin, height * margin
    target = np.array(
        [[dx, dy], [width - dx, dy], [width - dx, height - dy], [dx, height - dy]], np.float32
    )
    long_side = max(
        float(np.linalg.norm(corners[1] - corners[2])),
        float(np.linalg.norm(corners[0] - corners[3])),
    )
    # Beyond twice the target, linear sampling skips pixels: sample finer, then average.
    factor = max(1, min(6, int(long_side / height)))
    # Half a pixel: corners are points, pixels are squares; so both ways up give the same crop turned.
    matrix = cv2.getPerspectiveTransform(corners, target * np.float32(factor) - np.float32(0.5))
    crop = cv2.warpPerspective(
        image,
        matrix,
        (width * factor, height * factor),
        flags=cv2.INTER_LINEAR,
        borderMode=cv2.BORDER_REPLICATE,
    )
    if factor > 1:
        crop = cv2.resize(crop, (width, height), interpolation=cv2.INTER_AREA)
    return np.asarray(crop, np.uint8)


def both_ways_up(crops: Sequence[Image]) -> tuple[Image, Image]:
    """What the reader's network takes of n crops of the size above.

    The whole cards (2n, 144, 96, 3), first as they are, then turned over; and two corners of each
    (2n, 80, 56, 3): first those at the top left, then those that are there when the card is turned over.
    """
    n = len(crops)
    # Drawn where they are wanted: to stack and join them afterwards took three times as long.
    wholes = np.empty((2 * n, WHOLE_HEIGHT, WHOLE_WIDTH, 3), np.uint8)
    corners = np.empty((2 * n, CORNER_HEIGHT, CORNER_WIDTH, 3), np.uint8)
    for i, crop in enumerate(crops):
        size = (WHOLE_WIDTH, WHOLE_HEIGHT)
        cv2.resize(crop, size, dst=wholes[i], interpolation=cv2.INTER_LINEAR)
        cv2.flip(wholes[i], _TURNED, dst=wholes[n + i])
        corners[i] = crop[:CORNER_HEIGHT, :CORNER_WIDTH]
        cv2.flip(crop[-CORNER_HEIGHT:, -CORNER_WIDTH:], _TURNED, dst=corners[n + i])
    return wholes, corners


def at_crop_size(crop: Image) -> Image:
    """A crop kept from when crops were of another size, at the size the reader takes; others as they are."""
    if crop.shape[:2] == (CROP_HEIGHT, CROP_WIDTH):
        return crop
    resized = cv2.resize(crop, (CROP_WIDTH, CROP_HEIGHT), interpolation=cv2.INTER_LINEAR)
    return np.asarray(resized, np.uint8)


def jolted(
    crop: Image,
    rng: np.random.Generator,
    degrees: float,
    zoom: float,
    shift: float,
    bend: float = 0.0,
    turn: float = 0.0,
) -> Image:
    """The crop as under a box that lies a little off, turned by `turn` degrees besides.

    The others are standard deviations: of the angle in degrees, of the size's logarithm, of the place and of
    each corner in crop widths (a steeply seen card is no rectangle).
    """
    height, width = crop.shape[:2]
    angle = turn + float(rng.normal(0, degrees))
    scale = float(np.exp(rng.normal(0, zoom)))
    matrix = np.vstack([cv2.getRotationMatrix2D((width / 2, height / 2), angle, scale), [0, 0, 1]])
    matrix[:2, 2] += rng.normal(0, shift * width, 2)
    if bend:
        corners = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32)
        moved = corners + rng.normal(0, bend * width, (4, 2)).astype(np.float32)
        matrix = cv2.getPerspectiveTransform(corners, moved) @ matrix
    out = cv2.warpPerspective(crop, matrix, (width, height), borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(out, np.uint8)
