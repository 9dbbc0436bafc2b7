"""What moves and what has changed, in spite of noise, drift, flicker and knocks."""

from itertools import pairwise

import cv2
import numpy as np
import pytest

from tests.vision.scenes import HEIGHT, WIDTH, Lay, Rest, Scene, Sweep
from vision import geometry
from vision.geometry import Array
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


# --- registering where there is little to see ---


def cards_on_cloth(*cards: tuple[int, int, int]) -> Image:
    """A plain cloth with the same drawn card at each (x, y), turned by quarters."""
    image = np.full((720, 1280, 3), (60, 100, 50), np.uint8)
    card = np.full((70, 100, 3), 235, np.uint8)
    rng = np.random.default_rng(4)
    for x, y in rng.integers((8, 8), (92, 62), (14, 2)):
        cv2.circle(card, (int(x), int(y)), 4, (40, 30, 170), -1, cv2.LINE_AA)
    cv2.putText(card, "7A", (20, 50), cv2.FONT_HERSHEY_SIMPLEX, 1.3, (20, 20, 20), 3, cv2.LINE_AA)
    for x, y, turn in cards:
        turned = np.rot90(card, turn)
        image[y : y + turned.shape[0], x : x + turned.shape[1]] = turned
    return image


def knocked(
    image: Image, turn: float, shift: tuple[float, float], seed: int
) -> tuple[Image, Array]:
    """The picture after a knock, with noise, and the (3, 3) matrix of the knock."""
    matrix = cv2.getRotationMatrix2D((640.0, 360.0), turn, 1.0)
    matrix[:, 2] += shift
    moved = cv2.warpAffine(image, matrix, (1280, 720), borderMode=cv2.BORDER_REPLICATE)
    return grainy(np.asarray(moved, np.uint8), seed), np.vstack([matrix, [0.0, 0.0, 1.0]])


def grainy(image: Image, seed: int) -> Image:
    noise = np.random.default_rng(seed).normal(0, 3, image.shape)
    return np.clip(image + noise, 0, 255).astype(np.uint8)


CORNERS = np.array([(226.0, 33.0), (942.0, 42.0), (978.0, 666.0), (206.0, 678.0)])
"""Of a table, far from the cards: what is found has to hold out there."""


@pytest.mark.parametrize(
    "cards",
    [((600, 300, 0),), ((560, 300, 0), (700, 330, 1)), ((300, 200, 1), (840, 480, 1))],
    ids=["one card", "two alike, near", "two alike, far"],
)
@pytest.mark.parametrize(("turn", "shift"), [(0.0, (20, 10)), (2.0, (30, -15)), (0.0, (45, 25))])
@pytest.mark.parametrize("seed", [1, 2])
def test_a_plain_cloth_with_a_card_or_two_is_registered_well_or_not_at_all(
    cards: tuple[tuple[int, int, int], ...], turn: float, shift: tuple[float, float], seed: int
) -> None:
    before = cards_on_cloth(*cards)
    after, truth = knocked(before, turn, shift, seed)
    found = register(grainy(before, seed + 100), after)
    if found is not None:
        wanted = geometry.map_points(truth, CORNERS)
        assert geometry.map_points(found, CORNERS) == pytest.approx(wanted, abs=8)


def test_one_card_on_a_plain_cloth_is_enough_to_register_by() -> None:
    before = cards_on_cloth((600, 300, 0))
    assert register(grainy(before, 1), knocked(before, 2.0, (30, -15), 2)[0]) is not None


@pytest.mark.parametrize(
    ("turn", "zoom"), [(0.0, 1.4), (0.0, 0.7), (60.0, 1.0), (180.0, 1.0)], ids=str
)
def test_what_no_knock_does_is_not_found(turn: float, zoom: float) -> None:
    matrix = cv2.getRotationMatrix2D((640.0, 360.0), turn, zoom)
    after = cv2.warpAffine(textured(), matrix, (1280, 720))
    assert register(textured(), np.asarray(after, np.uint8)) is None


def test_a_mirrored_picture_is_not_found() -> None:
    assert register(textured(), np.ascontiguousarray(textured()[:, ::-1])) is None
