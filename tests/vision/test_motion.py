"""What moves and what has changed, in spite of noise, drift, flicker and knocks."""

from itertools import pairwise

import cv2
import numpy as np
import pytest

from tests.vision.scenes import HEIGHT, WIDTH, Lay, Rest, Scene, Sweep
from vision import geometry
from vision.motion import Motion, MotionGate, picture_shift, register, shrink
from vision.types import Image


def motions(scene: Scene) -> list[Motion]:
    gate = MotionGate()
    return [gate.step(frame.image, frame.t) for frame in scene.frames()]


def textured(seed: int = 5) -> Image:
    rng = np.random.default_rng(seed)
    rough = rng.integers(0, 255, (45, 80, 3)).astype(np.uint8)
    return np.asarray(cv2.resize(rough, (1280, 720), interpolation=cv2.INTER_CUBIC), np.uint8)


@pytest.mark.parametrize(
    "scene",
    [
        Scene([], 2.0, grain=2),
        Scene([], 2.0, grain=6),
        Scene([], 2.0, gain_drift=0.2),
        Scene([], 2.0, flicker=0.07),
        Scene([], 2.0, grain=5, gain_drift=0.15, flicker=0.05),
    ],
    ids=["webcam", "dark", "exposure", "flicker", "all"],
)
def test_an_empty_table_does_not_move(scene: Scene) -> None:
    for motion in motions(scene):
        assert motion.moving_share < 0.001
        assert motion.changed_share < 0.001


def test_a_hand_moves_and_a_card_lies_still() -> None:
    scene = Scene([Lay("S", "AS", (320, 220), 1.0)], 2.0)
    seen = motions(scene)
    bringing = next(m for m in seen if m.t >= 0.85)
    lying = next(m for m in seen if m.t >= 1.8)
    assert bringing.moving_share > 0.01
    assert lying.moving_share == 0
    card = geometry.area(scene.lying(1.8)[0].quad) / (WIDTH * HEIGHT)
    assert lying.still_share == pytest.approx(card, rel=0.3)


def test_what_lies_long_enough_becomes_background() -> None:
    last = motions(Scene([Lay("S", "AS", (320, 220), 0.5)], 4.0))[-1]
    assert last.changed_share < 0.001


def test_repeated_frames_do_not_freeze_motion() -> None:
    scene = Scene([Lay("S", "AS", (320, 220), 1.0)], 1.0)
    frames = list(scene.frames())
    gate = MotionGate()
    for frame in frames[:-1]:
        before = gate.step(frame.image, frame.t)
    again = gate.step(frames[-2].image, frames[-2].t + 1 / 15)
    assert again.moving_share > 0.5 * before.moving_share


def test_a_shifted_picture_is_a_shake() -> None:
    a, _ = shrink(textured())
    b, _ = shrink(np.roll(textured(), 8, axis=1))
    assert picture_shift(a[..., 1].copy(), b[..., 1].copy()) == pytest.approx(2, abs=0.3)


def test_the_pictures_given_are_not_written_to() -> None:
    a, b = (shrink(np.roll(textured(), s, axis=1))[0][..., 1].copy() for s in (0, 8))
    kept = a.copy()
    picture_shift(a, b)
    assert (a == kept).all()


def test_a_sweep_of_cards_is_no_shake() -> None:
    acts = [
        Lay("S", "AS", (320, 220), 0.5),
        Lay("E", "7S", (370, 180), 0.6),
        Lay("W", "KS", (270, 185), 0.7),
        Sweep("E", 2.4),
    ]
    seen = motions(Scene(acts, 2.5))
    assert not any(picture_shift(a.gray, b.gray) for a, b in pairwise(seen))


def test_a_resting_arm_is_no_shake() -> None:
    seen = motions(Scene([Rest("E", (300, 180), 0.6, 0.4)], 1.8))
    assert not any(picture_shift(a.gray, b.gray) for a, b in pairwise(seen))


def test_a_knock_is_undone_to_the_pixel() -> None:
    turn = cv2.getRotationMatrix2D((640.0, 360.0), 2.5, 1.01)
    turn[:, 2] += (14, -9)
    before = textured()
    after = cv2.warpAffine(before, turn, (1280, 720))
    found = register(before, np.asarray(after, np.uint8))
    assert found is not None
    corners = np.array([(300.0, 100.0), (1000.0, 100.0), (1000.0, 600.0), (300.0, 600.0)])
    wanted = corners @ turn[:, :2].T + turn[:, 2]
    assert geometry.map_points(found, corners) == pytest.approx(wanted, abs=1.0)


def test_two_different_pictures_are_not_registered() -> None:
    assert register(textured(1), textured(2)) is None
