"""A simulated game on a simulated table: a video, and the exact truth about it as JSON.

Everything follows from the options: the same options give the same video and the same truth.
Nothing of the truth is in the video, its name or its metadata.
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from assistant.sueca import Seat as RuleSeat
from assistant.sueca import fold, preset
from datasets.drawn import Deck
from datasets.simulate_director import Director, Performance, PlayTruth
from datasets.simulate_game import PlayedDeal, play_deals
from datasets.simulate_level import LEVELS, Level, LevelName
from datasets.simulate_look import SKINS, Arm, Light, empty_table, make_arm
from datasets.simulate_render import Renderer
from datasets.simulate_video import Faults, Image, Sensor, open_writer
from datasets.simulate_world import SEATS, Camera, Floats, Room, Seat, aim

Progress = Callable[[int, int], None]
"""Called with frames done and frames in all."""

_HIDDEN_SHARE = 0.01  # a card with less than this under a hand counts as fully visible


@dataclass(frozen=True, slots=True)
class Options:
    """What to simulate. `size` (width, height) pixels; `rules` the name of a preset for four.

    `revoke`: the seat that revokes once in every deal. `dealer`: of the first deal, else random.
    `bit_rate` bits/s, else by level. `frames`: put every frame's face-up cards into the truth.
    """

    seed: int = 1
    level: LevelName = "easy"
    rules: str = "selminha"
    deals: int = 1
    size: tuple[int, int] = (1280, 720)
    fps: float = 15.0
    revoke: Seat | None = None
    dealer: Seat | None = None
    surface: str | None = None
    bit_rate: int | None = None
    frames: bool = False


@dataclass(frozen=True, slots=True)
class Scene:
    """What the camera looks at, all drawn from the seed."""

    room: Room
    camera: Camera
    light: Light
    arms: dict[Seat, Arm]
    surface: str
    faults: Faults
    shutter: float


def _camera(rng: np.random.Generator, level: Level, room: Room, size: tuple[int, int]) -> Camera:
    return aim(
        room,
        size,
        tilt=rng.uniform(*level.tilt),
        towards=rng.uniform(0, 2 * np.pi),
        roll=rng.uniform(-level.roll, level.roll),
        distance=rng.uniform(1150, 1500),
        fill=rng.uniform(0.95, 0.985),
        shift=(rng.uniform(-0.04, 0.04), 0.0),
    )


def build_scene(options: Options) -> Scene:
    """The room, camera, light and people of a seed."""
    level = LEVELS[options.level]
    rng = np.random.default_rng([options.seed, 31])
    left = tuple(seat for seat in SEATS if rng.random() < 0.12)
    half = rng.uniform(305, 345)
    room = Room(half * rng.uniform(1.0, 1.25), half, left)
    camera = _camera(rng, level, room, options.size)
    tone = rng.uniform(0.94, 1.06, 3)
    light = Light(
        x=rng.uniform(-300, 300),
        y=rng.uniform(-300, 300),
        z=rng.uniform(1000, 1800),
        uneven=rng.uniform(*level.uneven),
        shadow=rng.uniform(0.3, 0.6),
        colour=(float(tone[0]), float(tone[1]), float(tone[2])),
        glare=rng.uniform(*level.glare),
    )
    arms: dict[Seat, Arm] = {}
    for seat in SEATS:
        skin = SKINS[int(rng.integers(len(SKINS)))]
        sleeve = tuple(float(v) for v in rng.uniform(25, 200, 3))
        arms[seat] = make_arm(rng, skin, (sleeve[0], sleeve[1], sleeve[2]), seat in left)
    surface = options.surface or level.surfaces[int(rng.integers(len(level.surfaces)))]
    scale = options.size[1] / 720
    faults = Faults(
        blur=rng.uniform(*level.blur) * scale,
        noise=rng.uniform(*level.noise),
        drift=level.drift * rng.uniform(0.5, 1.0),
        flicker=level.flicker * rng.uniform(0.3, 1.0),
        flicker_hz=rng.uniform(0.5, 3.0),
    )
    return Scene(room, camera, light, arms, surface, faults, rng.uniform(*level.exposure))


def perform(options: Options, room: Room) -> tuple[list[PlayedDeal], Performance]:
    """The game of a seed, and all its movement."""
    rules = preset(options.rules)
    dealer = RuleSeat(options.dealer) if options.dealer else None
    revoker = RuleSeat(options.revoke) if options.revoke else None
    played = play_deals(options.seed, rules, options.deals, dealer, revoker)
    director = Director(np.random.default_rng([options.seed, 41]), LEVELS[options.level], room)
    for number, deal in enumerate(played):
        director.perform(deal, number)
    return played, director.performance()


class _Watcher:
    """Notes when each played card was first fully visible."""

    def __init__(self, plays: Sequence[PlayTruth], performance: Performance) -> None:
        self._waiting = list(plays)
        self._actors = {actor.name: actor for actor in performance.cards}
        self.visible: dict[tuple[int, str], float] = {}

    def look(self, t: float, renderer: Renderer, cover: Image) -> None:
        while self._waiting and self._waiting[0].t_release <= t:
            play = self._waiting[0]
            move = self._actors[f"{play.deal}:{play.card}"].move_at(t)
            if move is None or not renderer.uncovered(move.at(t), cover, _HIDDEN_SHARE):
                return
            self.visible[play.deal, play.card] = t
            self._waiting.pop(0)


def render(
    options: Options, deck: Deck, path: Path, progress: Progress | None = None
) -> dict[str, object]:
    """Write the video to `path` and return the truth as JSON values."""
    level = LEVELS[options.level]
    scene = build_scene(options)
    played, performance = perform(options, scene.room)
    rng = np.random.default_rng([options.seed, 51])
    empty = empty_table(rng, scene.surface, scene.room, scene.camera, scene.light)
    renderer = Renderer(deck, scene.room, scene.camera, scene.light, empty, scene.arms)
    sensor = Sensor(scene.faults, options.size, rng)
    watcher = _Watcher(performance.plays, performance)
    count = int(performance.duration * options.fps)
    pixels = options.size[0] * options.size[1] / (1280 * 720)
    bit_rate = options.bit_rate or int(level.bit_rate * pixels * options.fps / 15)
    frames: list[object] = []
    with open_writer(path, options.size, options.fps, bit_rate) as writer:
        for index in range(count):
            t = index / options.fps
            picture, cover = renderer.frame(t, performance.cards, performance.hands, scene.shutter)
            watcher.look(t, renderer, cover)
            if options.frames:
                frames.append(renderer.face_up(t, performance.cards))
            writer.write(sensor.capture(picture, index, t), t)
            if progress:
                progress(index + 1, count)
    truth = describe(options, deck, scene, played, performance, renderer, watcher.visible)
    if options.frames:
        truth["frames"] = frames
    return truth


def _points(quad: Floats) -> list[list[float]]:
    return [[round(float(x), 1), round(float(y), 1)] for x, y in quad]


def describe(
    options: Options,
    deck: Deck,
    scene: Scene,
    played: Sequence[PlayedDeal],
    performance: Performance,
    renderer: Renderer,
    visible: dict[tuple[int, str], float],
) -> dict[str, object]:
    """The truth: times in seconds, quads in image pixels, tricks numbered from 1."""
    corners = _points(scene.camera.project(scene.room.corners))
    deals = []
    for number, one in enumerate(played):
        state = fold(one.deal)
        plays = [
            {
                "seat": play.seat,
                "card": play.card,
                "trick": play.trick,
                "t_release": round(play.t_release, 3),
                "t_visible": round(visible.get((number, play.card), play.t_settled), 3),
                "t_settled": round(play.t_settled, 3),
                "quad": _points(renderer.quad(play.pose)),
            }
            for play in performance.plays
            if play.deal == number
        ]
        tricks = [
            {
                "leader": trick.leader.value,
                "winner": trick.winner.value,
                "cards": [card.text for card in trick.cards],
                "points": trick.points,
                "by": gather.by,
                "t_start": round(gather.t_start, 3),
                "t_end": round(gather.t_end, 3),
            }
            for trick, gather in zip(
                state.tricks, [g for g in performance.gathers if g.deal == number], strict=True
            )
        ]
        trump = next(t for t in performance.trumps if t.deal == number)
        deals.append(
            {
                "dealer": trump.dealer,
                "trump": trump.card,
                "trump_shown": {
                    "t_settled": round(trump.t_settled, 3),
                    "t_gone": round(trump.t_gone, 3),
                    "left_lying": trump.left_lying,
                    "quad": _points(renderer.quad(trump.pose)),
                },
                "plays": plays,
                "tricks": tricks,
                "points": {team.value: n for team, n in state.team_points.items()},
                "revokes": [
                    {"seat": r.seat.value, "trick": r.trick, "proved_in": r.proved_in}
                    for r in one.revokes
                ],
                "t_end": round(performance.ends[number], 3),
            }
        )
    return {
        "rules": options.rules,
        "level": options.level,
        "seed": options.seed,
        "deck": deck.name,
        "surface": scene.surface,
        "size": list(options.size),
        "fps": options.fps,
        "duration": round(performance.duration, 3),
        "table": {
            "corners": corners,
            "mm": [round(2 * scene.room.half_width, 1), round(2 * scene.room.half_height, 1)],
        },
        "card_mm": [deck.width_mm, deck.height_mm],
        "deals": deals,
        "extras": [asdict(extra) for extra in performance.extras],
    }


def simulate(options: Options, deck: Deck, video: Path, progress: Progress | None = None) -> Path:
    """Write the video and, beside it, its truth as `NAME.truth.json`; returns the latter's path."""
    truth = render(options, deck, video, progress)
    path = video.with_suffix(".truth.json")
    path.write_text(json.dumps(truth, indent=1) + "\n", encoding="utf-8")
    return path
