"""Cards and backs laid on plain noise tables, with their true quads: what the reader alone can do."""

import cv2
import numpy as np

from datasets.crops import card_quad, warp_card
from vision.geometry import as_quad
from vision.types import Image, Quad

TABLE = (40.0, 200.0)
"""Grey levels a table is plainly coloured with, each of B, G and R."""

GRAIN, NOISE = 4.0, 2.0
"""Of the table and of the sensor, grey levels (standard deviation)."""

LENS = 0.4
"""Blur of the picture, pixels (sigma): a sharp camera, so that nothing but the size is hard."""


def laid(face: np.ndarray, length: float, rng: np.random.Generator) -> tuple[Image, Quad]:
    """A picture of `face` (BGRA) at any angle, `length` pixels long, and where it lies."""
    side = int(length * 2) + 16
    table = rng.uniform(*TABLE, 3) + rng.normal(0, GRAIN, (side, side, 3))
    picture = table.clip(0, 255).astype(np.float32)
    x, y = side / 2 + rng.uniform(-0.5, 0.5, 2)
    quad = card_quad((x, y), length, face.shape[0] / face.shape[1], rng.uniform(0, 2 * np.pi))
    warp_card(picture, face, quad, length)
    picture = cv2.GaussianBlur(picture, (0, 0), LENS) + rng.normal(0, NOISE, picture.shape)
    return picture.clip(0, 255).astype(np.uint8), as_quad(quad)
