"""What years of play do to a card's face: scratches, thumbs, and the ways it no longer lies flat.

For training pictures; the simulated videos wear their decks by `datasets.simulate_wear`.
"""

import cv2
import numpy as np

from datasets.art import Rgba
from datasets.photo import Rng

ODDS_CORNER, ODDS_SIDEWAYS = 0.2, 0.2
"""Of bent cards: those with one corner up, and those bent along their length instead of across it."""
CREASE, ARCH = 0.02, 0.8
"""How far, in half cards, the light takes to change: along a crease and over an arch."""
BENT_AWAY, BENT_TOWARDS = (0.5, 0.95), (1.0, 1.12)
"""The light on the part that is turned from the lamp and on the other. The videos' darkest is 0.72."""
CREASES, CREASE_WIDE = 4, (0.004, 0.015)
"""How many creases a card has at most, and how wide each is in card lengths."""
CREASE_INK, CREASE_DEEP, ODDS_BARE = (30, 150), (0.4, 0.95), 0.25
"""How dark the dirt in a crease is and how much of it there is, and how often it is rubbed bare instead: what
parts a white card in two is a line as dark as that between two cards."""


def worn(face: Rgba, rng: Rng) -> Rgba:
    """Scratches, dirt and bent-in light on a face."""
    picture = face[..., :3].astype(np.float32)
    height, width = picture.shape[:2]
    for _ in range(int(rng.integers(1, 6))):
        a, b = (tuple(int(v) for v in rng.integers(0, (width, height))) for _ in range(2))
        tone = float(rng.uniform(90, 255))
        cv2.line(picture, a, b, (tone, tone, tone), 1, cv2.LINE_AA)
    bend = np.cos(np.linspace(0, np.pi * rng.uniform(0.5, 2), height) + rng.uniform(0, 3))
    picture *= (1 + 0.12 * rng.random() * bend)[:, None, None]
    return np.dstack([np.clip(picture, 0, 255).astype(np.uint8), face[..., 3]])


def dulled(face: Rgba, rng: Rng) -> Rgba:
    """A face darker and yellower than its deck's others: thumbed for years, or turned from the lamp."""
    tint = rng.uniform(0.45, 0.95) * np.exp(np.float32([-0.12, -0.03, 0.0]) * rng.random())
    picture = face[..., :3].astype(np.float32) * tint.astype(np.float32)
    return np.dstack([np.clip(picture, 0, 255).astype(np.uint8), face[..., 3]])


def curled(face: Rgba, rng: Rng) -> Rgba:
    """A face that does not lie flat: its sides bow by up to a twenty-fifth of its width."""
    height, width = face.shape[:2]
    y, x = np.mgrid[0:height, 0:width].astype(np.float32)
    bow_x, bow_y = rng.normal(0, 0.016, 2) * width
    bent_x = x + np.float32(bow_x) * ((2 * y / height - 1) ** 2 - 0.5)
    bent_y = y + np.float32(bow_y) * ((2 * x / width - 1) ** 2 - 0.5)
    return cv2.remap(face, bent_x, bent_y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_CONSTANT)


def bent(face: Rgba, rng: Rng) -> Rgba:
    """A face that stands up in an arch, along a crease or at a corner: of its two parts one is turned to the
    lamp and one away, and its sides bow."""
    height, width = face.shape[:2]
    y, x = np.mgrid[-1 : 1 : height * 1j, -1 : 1 : width * 1j].astype(np.float32)
    kind = rng.random()
    if kind < ODDS_CORNER:
        across = (x * rng.choice([-1, 1]) + y * rng.choice([-1, 1])) / 2 - rng.uniform(0.4, 0.75)
    else:
        heading = rng.normal(0, 0.2) + (np.pi / 2 if kind < ODDS_CORNER + ODDS_SIDEWAYS else 0.0)
        across = y * np.cos(heading) + x * np.sin(heading) - rng.normal(0, 0.15)
    edge = np.exp(rng.uniform(*np.log((CREASE, ARCH))))
    towards = (1 + np.tanh(across / edge)) / 2
    dark, light = rng.uniform(*BENT_AWAY), rng.uniform(*BENT_TOWARDS)
    shade = (light + (dark - light) * towards).astype(np.float32)[..., None]
    lit = np.clip(face[..., :3].astype(np.float32) * shade, 0, 255).astype(np.uint8)
    return curled(np.dstack([lit, face[..., 3]]), rng)


def creased(face: Rgba, rng: Rng) -> Rgba:
    """A face that has been folded: thin lines from side to side, or off a corner, dirty or rubbed bare, with
    the light on the edge of the fold beside them."""
    height, width = face.shape[:2]
    picture = face[..., :3].astype(np.float32)
    for _ in range(int(rng.integers(1, CREASES + 1))):
        start, end = _fold(rng, width, height)
        wide = height * float(np.exp(rng.uniform(*np.log(CREASE_WIDE))))
        tone = 255.0 if rng.random() < ODDS_BARE else float(rng.uniform(*CREASE_INK))
        deep = rng.uniform(*CREASE_DEEP)
        for shift, ink in ((0.0, tone), (wide, 255.0)):
            line = np.zeros((height, width), np.uint8)
            a, b = (tuple(round(16 * v) for v in (x, y + shift)) for x, y in (start, end))
            cv2.line(line, a, b, 255, max(1, round(wide)), cv2.LINE_AA, 4)
            share = (deep / 255) * line.astype(np.float32)[..., None]
            picture += (np.float32(ink) - picture) * share
            deep *= rng.random()  # the light on the edge is weaker than the dirt in the fold
    return np.dstack([picture.astype(np.uint8), face[..., 3]])


def _fold(rng: Rng, width: int, height: int) -> tuple[tuple[float, float], tuple[float, float]]:
    """The ends of a fold: across the card mostly, along it, or off one of its corners."""
    kind = rng.random()
    if kind < ODDS_CORNER:
        x, y = rng.uniform(0.15, 0.7) * width, rng.uniform(0.1, 0.5) * height
        right, below = rng.random(2) < 0.5
        side, end = float(width * right), float(height * below)
        return (abs(side - x), end), (side, abs(end - y))
    at, lean = rng.uniform(0.1, 0.9), rng.normal(0, 0.1)
    if kind < ODDS_CORNER + ODDS_SIDEWAYS:
        return ((at - lean) * width, 0.0), ((at + lean) * width, float(height))
    return (0.0, (at - lean) * height), (float(width), (at + lean) * height)
