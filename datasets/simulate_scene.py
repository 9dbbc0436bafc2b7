"""What a seed makes of a level: the room, the people, the light and the camera."""

from dataclasses import dataclass, replace

import numpy as np

from datasets.simulate_level import LEVELS, Level, LevelName
from datasets.simulate_look import SKINS, Arm, Image, Light, empty_table, make_arm
from datasets.simulate_things import Thing, scatter
from datasets.simulate_video import Faults
from datasets.simulate_world import SEATS, Camera, Room, Seat, aim

_JOLT_S = 0.07  # a knocked camera shakes about this long at each of its swings
_JOLTS = (1.6, 0.5, 1.2)  # its swings, in terms of where it comes to rest


@dataclass(frozen=True, slots=True)
class View:
    """The camera as it stands from `t` seconds on; `still` False while it shakes."""

    t: float
    camera: Camera
    still: bool = True


@dataclass(frozen=True, slots=True)
class Scene:
    """What the camera looks at, and how. `views` in order of time, the first from 0."""

    room: Room
    views: tuple[View, ...]
    light: Light
    arms: dict[Seat, Arm]
    surface: str
    things: tuple[Thing, ...]
    faults: Faults
    shutter: float
    seed: int

    def view_at(self, t: float) -> View:
        return next(view for view in reversed(self.views) if view.t <= t)

    def empty(self, camera: Camera) -> Image:
        """The table with nothing on it from this camera; the same table every time."""
        rng = np.random.default_rng([self.seed, 51])
        return empty_table(rng, self.surface, self.room, camera, self.light)

    @property
    def upside_down(self) -> "Scene":
        """The same scene with the camera hung the other way round."""
        views = (replace(view, camera=view.camera.upside_down) for view in self.views)
        return replace(self, views=tuple(views))

    def knocked_at(self, t: float, seed: int) -> "Scene":
        """The same scene with the camera knocked at `t` seconds."""
        rng = np.random.default_rng([seed, 61])
        before = self.views[-1].camera
        turn = rng.choice([-1.0, 1.0], 3) * rng.uniform(
            (0.004, 0.004, 0.008), (0.014, 0.014, 0.035)
        )
        swings = [
            View(t + k * _JOLT_S, before.turned(*(turn * j)), False) for k, j in enumerate(_JOLTS)
        ]
        rest = View(t + len(_JOLTS) * _JOLT_S, before.turned(*turn))
        return replace(self, views=(*self.views, *swings, rest))


def _light(rng: np.random.Generator, level: Level) -> Light:
    tone = rng.uniform(0.94, 1.06, 3)
    return Light(
        x=rng.uniform(-300, 300),
        y=rng.uniform(-300, 300),
        z=rng.uniform(1000, 1800),
        uneven=rng.uniform(*level.uneven),
        shadow=rng.uniform(0.3, 0.6),
        colour=(float(tone[0]), float(tone[1]), float(tone[2])),
        glare=rng.uniform(*level.glare),
        glare_mm=rng.uniform(50, 130),
    )


def _faults(rng: np.random.Generator, level: Level, scale: float) -> Faults:
    return Faults(
        blur=rng.uniform(*level.blur) * scale,
        sharpen=rng.uniform(0, level.sharpen),
        noise=rng.uniform(*level.noise),
        drift=level.drift * rng.uniform(0.5, 1.0),
        flicker=level.flicker * rng.uniform(0.3, 1.0),
        mains_hz=50.0 + 0.02 * (rng.uniform(0.5, 3.0) - 1.75),
    )


def build_scene(
    seed: int,
    level_name: LevelName,
    size: tuple[int, int],
    surface: str | None = None,
    people: bool = True,
) -> Scene:
    """The scene of a seed at a level; `size` (width, height) pixels.

    Without `people` there are no arms, which are slow to make: for single pictures of cards that lie.
    """
    level = LEVELS[level_name]
    rng = np.random.default_rng([seed, 31])
    left = tuple(seat for seat in SEATS if rng.random() < 0.12)
    half = rng.uniform(305, 345)
    room = Room(half * rng.uniform(1.0, 1.25), half, left)
    camera = aim(
        room,
        size,
        tilt=rng.uniform(*level.tilt),
        towards=rng.uniform(0, 2 * np.pi),
        roll=rng.uniform(-level.roll, level.roll),
        distance=rng.uniform(1150, 1500),
        fill=rng.uniform(*level.fill),
        shift=(rng.uniform(-0.04, 0.04), 0.0),
    )
    light = _light(rng, level)
    arms: dict[Seat, Arm] = {}
    for seat in SEATS if people else ():
        skin = SKINS[int(rng.integers(len(SKINS)))]
        sleeve = tuple(float(v) for v in rng.uniform(25, 200, 3))
        arms[seat] = make_arm(rng, skin, (sleeve[0], sleeve[1], sleeve[2]), seat in left)
    chosen = level.surfaces[int(rng.integers(len(level.surfaces)))]
    things = scatter(rng, room, int(rng.integers(level.objects[0], level.objects[1] + 1)))
    faults = _faults(rng, level, size[1] / 720)
    return Scene(
        room=room,
        views=(View(0.0, camera),),
        light=light,
        arms=arms,
        surface=surface or chosen,
        things=tuple(things),
        faults=faults,
        shutter=rng.uniform(*level.exposure),
        seed=seed,
    )
