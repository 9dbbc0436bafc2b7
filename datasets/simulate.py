"""A simulated game on a simulated table: a video, and the exact truth about it as JSON.

Everything follows from the options: the same options give the same video and the same truth.
Nothing of the truth is in the video, its name or its metadata.
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from assistant.sueca import Seat as RuleSeat
from assistant.sueca import preset
from datasets.drawn import JOKER, Deck
from datasets.simulate_describe import Options, Told, describe
from datasets.simulate_director import Director
from datasets.simulate_frames import FrameTruths
from datasets.simulate_game import PACKS, PlayedDeal, play_deals
from datasets.simulate_level import LEVELS
from datasets.simulate_render import Renderer
from datasets.simulate_scene import Scene, build_scene
from datasets.simulate_truth import Performance, PlayTruth
from datasets.simulate_video import Image, Sensor, Writer, open_writer
from datasets.simulate_wear import conditions
from datasets.simulate_world import Room
from vision.errors import UserError

__all__ = ["PACKS", "Options", "build_scene", "perform", "render", "simulate"]

Progress = Callable[[int, int], None]
"""Called with frames done and frames in all."""

_HIDDEN_SHARE = 0.01  # a card with less than this under a hand counts as fully visible


def perform(options: Options, room: Room) -> tuple[list[PlayedDeal], Performance]:
    """The game of a seed, and all its movement."""
    rules = preset(options.rules)
    dealer = RuleSeat(options.dealer) if options.dealer else None
    revoker = RuleSeat(options.revoke) if options.revoke else None
    hurrier = RuleSeat(options.out_of_turn) if options.out_of_turn else None
    misdealt = RuleSeat(options.misdeal) if options.misdeal else None
    played = play_deals(
        options.seed, rules, options.deals, dealer, revoker, hurrier, misdealt, options.pack
    )
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
        due = [play for play in self._waiting if play.t_release <= t]
        for play in due:
            move = self._actors[f"{play.deal}:{play.card}"].move_at(t)
            if move is None or renderer.uncovered(move.at(t), cover, _HIDDEN_SHARE):
                self._waiting.remove(play)
                self.visible[play.deal, play.card] = t


@dataclass(slots=True)
class Delivery:
    """Hands frames to the file as the camera's cable does: some never come, some come twice."""

    writer: Writer
    rng: np.random.Generator
    chance: float
    last: Image | None = None
    lost: int = 0

    def send(self, picture: Image, t: float) -> None:
        fate = float(self.rng.random())
        if self.last is not None and fate < self.chance:
            self.lost += 1
            return
        if self.last is not None and fate < 2 * self.chance:
            picture = self.last
            self.lost += 1
        self.writer.write(picture, t)
        self.last = picture


def knocked(scene: Scene, options: Options, performance: Performance) -> Scene:
    """The scene with the camera knocked at some time, where the level's chance says so."""
    rng = np.random.default_rng([options.seed, 71])
    if rng.random() < LEVELS[options.level].knock:
        return scene.knocked_at(performance.duration * rng.uniform(0.3, 0.7), options.seed)
    return scene


def render(
    options: Options,
    deck: Deck,
    path: Path,
    progress: Progress | None = None,
    frames: FrameTruths | None = None,
) -> dict[str, object]:
    """Write the video to `path` and return the truth as JSON values; every frame's into `frames`."""
    level = LEVELS[options.level]
    scene = build_scene(options.seed, options.level, options.size, options.surface)
    played, performance = perform(options, scene.room)
    scene = knocked(scene, options, performance)
    scene = scene.upside_down if options.upside_down else scene
    rng = np.random.default_rng([options.seed, 81])
    worn = conditions(options.seed, level)
    renderer = Renderer(deck, scene.room, scene.light, scene.arms, worn, frames is not None)
    sensor = Sensor(scene.faults, options.size, rng)
    watcher = _Watcher(performance.plays, performance)
    count = int(performance.duration * options.fps)
    pixels = options.size[0] * options.size[1] / (1280 * 720)
    bit_rate = options.bit_rate or int(level.bit_rate * pixels * options.fps / 15)
    view = None
    with open_writer(path, options.size, options.fps, bit_rate) as writer:
        delivery = Delivery(writer, rng, level.dropped)
        for index in range(count):
            t = index / options.fps
            if view is not scene.view_at(t):
                view = scene.view_at(t)
                renderer.see(view.camera, scene.empty(view.camera), scene.things)
            shot = renderer.frame(t, performance.cards, performance.hands, scene.shutter)
            watcher.look(t, renderer, shot.cover)
            if frames is not None:
                frames.add(t, shot, renderer, performance.cards)
            delivery.send(sensor.capture(shot.picture, index, t), t)
            if progress:
                progress(index + 1, count)
    told = Told(played, performance, scene, watcher.visible, delivery.lost)
    return describe(options, deck, told)


def simulate(options: Options, deck: Deck, video: Path, progress: Progress | None = None) -> Path:
    """Write the video and, beside it, its truth as `NAME.truth.json`; returns the latter's path.

    With `options.frames` also the truth of every frame, as `NAME.frames.npz`.

    Raises:
        UserError: a poker deck is asked for and this one has no joker.
    """
    if options.pack == "poker" and JOKER not in deck.faces:
        raise UserError(f"deck {deck.name} has no joker for --pack poker: give another with --deck")
    if options.frames and options.pack != "sueca":
        raise ValueError(
            f"expected the 40 cards in a truth of every frame, got pack {options.pack}"
        )
    frames = FrameTruths() if options.frames else None
    truth = render(options, deck, video, progress, frames)
    if frames is not None:
        frames.save(video.with_suffix(".frames.npz"))
    path = video.with_suffix(".truth.json")
    path.write_text(json.dumps(truth, indent=1) + "\n", encoding="utf-8")
    return path
