"""The picture of a training run: every logged part of the loss against the steps, smoothed."""

import json
from collections.abc import Sequence
from pathlib import Path

import cv2
import numpy as np

from vision.types import Image

Point = tuple[int, float]

NO_CURVES = frozenset({"step", "of", "s", "rate"})
"""What a line of the log says besides the parts of the loss."""

SMOOTHING = 0.6
"""How much of the last point is in the next of a smoothed curve: a line tells of one batch in 50."""

WIDTH, HEIGHT = 720, 440
LEFT, RIGHT, TOP, BOTTOM = 60, 120, 20, 40
"""Margins: numbers to the left and below, names of curves to the right."""

TICKS = 5
MOST_HIGH = 1.25
"""The axis reaches a quarter over the highest smoothed value; a first batch far above it is cut off."""

GREY, INK = (225, 225, 225), (20, 20, 20)
COLOURS = ((180, 105, 30), (40, 120, 230), (60, 150, 50), (170, 60, 150), (40, 40, 200))


def curves(log: str) -> dict[str, list[Point]]:
    """The points (step, value) of every part of the loss in the text of a `log.jsonl`.

    A run that was interrupted goes on from its checkpoint and logs again what came after: then what was
    logged first from there on is no part of the run. A line cut short is passed over.
    """
    lines: list[dict[str, float]] = []
    for text in log.splitlines():
        try:
            line = json.loads(text)
        except ValueError:
            continue
        if "step" in line:
            lines = [one for one in lines if one["step"] < line["step"]] + [line]
    parts: dict[str, list[Point]] = {}
    for line in lines:
        for name, value in line.items():
            if name not in NO_CURVES and np.isfinite(value):
                parts.setdefault(name, []).append((int(line["step"]), float(value)))
    return parts


def smoothed(points: Sequence[Point]) -> list[Point]:
    """The points with each value drawn towards those before it."""
    out: list[Point] = []
    for step, value in points:
        last = out[-1][1] if out else value
        out.append((step, SMOOTHING * last + (1 - SMOOTHING) * value))
    return out


def draw(parts: dict[str, list[Point]]) -> Image:
    """The curves on axes with numbers, `(HEIGHT, WIDTH, 3)` BGR; each as logged, pale, and smoothed."""
    image = np.full((HEIGHT, WIDTH, 3), 255, np.uint8)
    even = {name: smoothed(points) for name, points in parts.items()}
    last = max(points[-1][0] for points in parts.values())
    high = MOST_HIGH * max(value for points in even.values() for _, value in points) or 1.0
    across, down = WIDTH - LEFT - RIGHT, HEIGHT - TOP - BOTTOM

    def place(step: float, value: float) -> tuple[int, int]:
        part = min(max(value / high, 0.0), 1.0)
        return LEFT + round(across * step / last), TOP + round(down * (1 - part))

    for k in range(TICKS + 1):
        step, value = last * k / TICKS, high * k / TICKS
        cv2.line(image, place(0, value), place(last, value), GREY, 1)
        cv2.line(image, place(step, 0), place(step, high), GREY, 1)
        _write(image, f"{value:.3g}", (8, place(0, value)[1] + 4), INK)
        _write(image, f"{step:.0f}", (place(step, 0)[0] - 12, HEIGHT - BOTTOM + 18), INK)
    _write(image, "step", (LEFT + across + 40, HEIGHT - BOTTOM + 18), INK)
    for k, name in enumerate(parts):
        ink = COLOURS[k % len(COLOURS)]
        pale = tuple(170 + c // 3 for c in ink)
        for points, colour, thick in ((parts[name], pale, 1), (even[name], ink, 2)):
            way = np.array([[place(*point) for point in points]], np.int32)
            cv2.polylines(image, way, False, colour, thick, cv2.LINE_AA)
        _write(image, name, (LEFT + across + 16, TOP + 16 + 18 * k), ink)
    return image


def _write(image: Image, text: str, at: tuple[int, int], ink: tuple[int, int, int]) -> None:
    cv2.putText(image, text, at, cv2.FONT_HERSHEY_SIMPLEX, 0.4, ink, 1, cv2.LINE_AA)


def plot(log: Path, target: Path) -> None:
    """Draw the curves of a `log.jsonl` into `target` (PNG); nothing where nothing is logged yet."""
    parts = curves(log.read_text())
    if parts:
        cv2.imwrite(str(target), draw(parts))
