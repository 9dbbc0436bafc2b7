"""Single simulated pictures of a deck: photographs to learn it from, and overhead stills to read it in.

A learning photograph is what a person takes: a part of the deck laid out in rows on a table, seen by a
telephone held a little aslant. A still is what the camera over the table sees: vazas of cards at any angle.
Both come from the simulator's own table, light and camera, and from a seed alone.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np

from datasets.drawn import Deck
from datasets.simulate_level import LEVELS, LevelName
from datasets.simulate_render import Renderer
from datasets.simulate_scene import Scene, build_scene
from datasets.simulate_video import Sensor
from datasets.simulate_world import Floats, Pose, Room, aim
from vision.types import Image, Quad

PHONE = (1600, 1200)
OVERHEAD = (1280, 720)

COLUMNS = 5
SPACING = 1.25
"""From one card laid out to the next, in card widths and heights."""

CROOKED = 0.06
"""Radians (standard deviation) by which a card laid out in a row lies askew."""

VAZAS = ((-190.0, 20.0), (0.0, -20.0), (190.0, 10.0))
"""Where the vazas of a still lie, mm from the middle of the table."""


@dataclass(frozen=True, slots=True)
class Shown:
    """A card of a picture, its quad in pixels, and the share of it that no other card covers."""

    card: str
    quad: Quad
    visible: float


@dataclass(frozen=True, slots=True)
class Picture:
    """A simulated picture and the face-up cards in it, lowest first."""

    image: Image
    cards: tuple[Shown, ...]


def photographs(deck: Deck, cards: Sequence[str], seed: int, count: int = 3) -> list[Picture]:
    """`count` photographs that together show `cards` once each, in an order of the seed's."""
    rng = np.random.default_rng([seed, 91])
    order = [cards[i] for i in rng.permutation(len(cards))]
    share = -(-len(order) // count)
    scene = build_scene(seed, "easy", PHONE, people=False)
    parts = [order[i : i + share] for i in range(0, len(order), share)]
    return [_photograph(deck, part, scene, rng) for part in parts]


def _photograph(
    deck: Deck, cards: Sequence[str], scene: Scene, rng: np.random.Generator
) -> Picture:
    rows = -(-len(cards) // COLUMNS)
    across, down = deck.width_mm * SPACING, deck.height_mm * SPACING
    room = Room(across * (COLUMNS / 2 + 0.2), down * (rows / 2 + 0.15))
    camera = aim(
        room,
        PHONE,
        tilt=rng.uniform(0.1, 0.4),
        towards=rng.uniform(0, 2 * np.pi),
        roll=rng.normal(0, 0.04),
        distance=rng.uniform(700, 1000),
        fill=rng.uniform(0.85, 0.95),
    )
    table = replace(scene, room=Room(room.half_width + 150, room.half_height + 150))
    faults = replace(scene.faults, blur=rng.uniform(0.4, 1.2), noise=rng.uniform(1, 3))
    poses = [
        Pose(
            across * (i % COLUMNS - (COLUMNS - 1) / 2) + rng.normal(0, 3),
            down * (i // COLUMNS - (rows - 1) / 2) + rng.normal(0, 3),
            -np.pi / 2 + rng.normal(0, CROOKED) + np.pi * int(rng.integers(2)),
        )
        for i in range(len(cards))
    ]
    renderer = Renderer(deck, table.room, scene.light, {})
    renderer.see(camera, table.empty(camera))
    sensor = Sensor(faults, PHONE, rng)
    return _taken(renderer, sensor, list(zip(cards, poses, strict=True)), 0, 88)


def overhead(
    deck: Deck, cards: Sequence[str], seed: int, level: LevelName, rounds: int = 1
) -> Iterator[Picture]:
    """Stills of one table of a level in which each of `cards` lies `rounds` times."""
    rng = np.random.default_rng([seed, 93])
    scene = build_scene(seed, level, OVERHEAD, people=False)
    camera = scene.views[0].camera
    renderer = Renderer(deck, scene.room, scene.light, {})
    renderer.see(camera, scene.empty(camera), scene.things)
    sensor = Sensor(scene.faults, OVERHEAD, rng)
    size = 4 * len(VAZAS)
    for number in range(rounds):
        order = [cards[i] for i in rng.permutation(len(cards))]
        for start in range(0, len(order), size):
            lying = [
                (card, _thrown(rng, level, VAZAS[i // 4], i % 4))
                for i, card in enumerate(order[start : start + size])
            ]
            yield _taken(renderer, sensor, lying, number * len(cards) + start, 70)


def _thrown(
    rng: np.random.Generator, name: LevelName, middle: tuple[float, float], seat: int
) -> Pose:
    """Where a card of a vaza comes to lie: towards its player, at any angle the level allows."""
    level = LEVELS[name]
    towards = seat * np.pi / 2
    out, aside = 0.75 * rng.uniform(*level.landing), rng.normal(0, level.aside * 0.5)
    x = middle[0] + out * np.cos(towards) - aside * np.sin(towards)
    y = middle[1] + out * np.sin(towards) + aside * np.cos(towards)
    return Pose(x, y, towards + rng.normal(0, level.spin))


def _taken(
    renderer: Renderer, sensor: Sensor, lying: list[tuple[str, Pose]], index: int, quality: int
) -> Picture:
    """The picture of cards lying on the table, lowest first, through the sensor and as JPEG."""
    picture = renderer.empty.copy()
    for card, pose in lying:
        renderer.lay_card(picture, card, [pose])
    captured = sensor.capture(picture, index, index / 7)
    _, data = cv2.imencode(".jpg", captured, [cv2.IMWRITE_JPEG_QUALITY, quality])
    image = np.asarray(cv2.imdecode(data, cv2.IMREAD_COLOR), np.uint8)
    quads = [_quad(renderer.quad(pose)) for _, pose in lying]
    parts = visible_parts(quads, image.shape[:2])
    shown = zip((card for card, _ in lying), quads, parts, strict=True)
    return Picture(image, tuple(Shown(*one) for one in shown))


def visible_parts(quads: Sequence[Quad], shape: tuple[int, int]) -> list[float]:
    """Which part of each quad shows, the later ones lying on the earlier."""
    over = np.zeros(shape, np.uint8)
    parts: list[float] = []
    for quad in reversed(quads):
        mask = np.zeros(shape, np.uint8)
        cv2.fillConvexPoly(mask, np.array(quad).round().astype(np.int32), 1)
        parts.append(float((mask & ~over & 1).sum()) / max(1, int(mask.sum())))
        over |= mask
    return parts[::-1]


def _quad(points: Floats) -> Quad:
    a, b, c, d = ((float(x), float(y)) for x, y in points)
    return (a, b, c, d)
