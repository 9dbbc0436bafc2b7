"""A knocked camera: what the follower makes of it, scene by scene."""

from dataclasses import dataclass, replace

import cv2
import numpy as np
import pytest

from tests.vision.scenes import HEIGHT, TABLE, WIDTH, Rest, Scene, Sweep
from tests.vision.test_pipeline import TABLE_OF_SCENES, TRICK, gone, label, placed
from vision import events as ev
from vision import geometry, knock
from vision.geometry import Array
from vision.knock import Found, KnockWatch, Lost
from vision.motion import MotionGate
from vision.motion import register as real_register
from vision.pipeline import Follower
from vision.table import Table, table_from_corners, whole_picture
from vision.types import Image, Quad

NAMES = ["AS", "7S", "2H", "KS"]
SHIFT = (9.0, -6.0)
LATE = tuple(replace(act, t=act.t + 4.0) for act in TRICK)
"""Laid from 5 s on: until then the table is empty."""


@dataclass(frozen=True)
class Story:
    """What was made of a scene."""

    events: list[ev.TableEvent]
    follower: Follower
    shaking: list[float]

    @property
    def labels(self) -> list[str]:
        return [label(event) for event in placed(self.events)]

    @property
    def knocks(self) -> list[bool]:
        return [e.registered for e in self.events if isinstance(e, ev.CameraMoved)]

    @property
    def corners(self) -> Quad:
        assert self.follower.table is not None
        return self.follower.table.corners


def told(
    scene: Scene,
    table: Table | None = TABLE_OF_SCENES,
    marked: tuple[float, Quad] | None = None,
    away: tuple[float, float] | None = None,
) -> Story:
    """Follow a scene; `marked` by hand at a time, no frames come while the camera is `away`."""
    story = Story([], Follower(scene.find, scene.read, table), [])
    for frame in scene.frames():
        if away is not None and away[0] <= frame.t < away[1]:
            continue
        if away is not None and away[1] <= frame.t < away[1] + 1 / scene.fps:
            story.events.extend(story.follower.gap(ev.SourceGap(away[0], frame.t, frame.index)))
        story.events.extend(story.follower.step(frame))
        view = story.follower.view
        if view is not None and view.shaking:
            story.shaking.append(frame.t)
        if marked is not None and marked[0] <= frame.t < marked[0] + 1 / scene.fps:
            story.follower.calibrate(table_from_corners(marked[1], (WIDTH, HEIGHT)))
    story.events.extend(story.follower.finish())
    return story


def where_it_is(scene: Scene) -> Quad:
    """The true corners of the table at the scene's end."""
    return geometry.map_quad(scene.view(scene.length), TABLE)


def off(found: Quad, wanted: Quad) -> float:
    """Pixels by which the worst corner is off."""
    return float(np.abs(geometry.as_array(found) - geometry.as_array(wanted)).max())


def failing(monkeypatch: pytest.MonkeyPatch, times: int) -> None:
    """Registration fails so many times before it works."""
    left = iter(range(times))

    def register(before: Image, after: Image, widely: bool = False) -> Array | None:
        return None if next(left, None) is not None else real_register(before, after, widely)

    monkeypatch.setattr(knock, "register", register)


# --- a table that is not found again ---


def test_a_table_not_found_again_is_followed_where_it_was_after_a_while() -> None:
    story = told(Scene(LATE, 9.0, plain=True, knock=(2.0, SHIFT)))
    assert story.knocks == [False]
    assert story.labels == NAMES
    assert story.shaking
    assert max(story.shaking) < 5.5


def test_a_table_marked_by_hand_after_a_knock_is_followed_at_once() -> None:
    scene = Scene(LATE, 9.0, plain=True, knock=(2.5, SHIFT))
    truth = where_it_is(scene)
    story = told(scene, marked=(3.3, truth))
    assert story.labels == NAMES
    assert max(story.shaking) < 3.4
    assert off(story.corners, truth) < 0.1


def test_a_knock_does_not_count_again_for_a_table_marked_by_hand(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    failing(monkeypatch, 1)
    scene = Scene(LATE, 9.0, knock=(2.5, SHIFT))
    truth = where_it_is(scene)
    story = told(scene, marked=(3.3, truth))
    assert story.knocks == [False]
    assert off(story.corners, truth) < 0.1


def test_cards_that_lay_there_when_the_table_is_marked_after_a_knock_are_kept(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    failing(monkeypatch, 99)
    scene = Scene(TRICK[:2], 7.0, plain=True, knock=(3.5, SHIFT))
    story = told(scene, marked=(4.5, where_it_is(scene)))
    assert story.labels == NAMES[:2]
    assert gone(story.events) == []
    assert not any(isinstance(event, ev.CardMoved) for event in story.events)


def test_a_lost_table_is_found_in_the_background_and_no_card_comes_twice(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    failing(monkeypatch, 4)
    scene = Scene(TRICK, 12.0, knock=(5.2, SHIFT))
    story = told(scene)
    assert story.knocks == [False, True]
    found = [e.t for e in story.events if isinstance(e, ev.CameraMoved)][-1]
    assert max(story.shaking) < found - 1.0  # it was followed before that
    assert story.labels == NAMES
    assert gone(story.events) == []
    assert off(story.corners, where_it_is(scene)) < 1.5


def test_what_would_make_no_table_is_not_found(monkeypatch: pytest.MonkeyPatch) -> None:
    folded = np.array([[1.0, 0, 0], [0, 1, 0], [-1 / 300, 0, 1]])
    monkeypatch.setattr(knock, "register", lambda *_: folded)
    assert told(Scene([], 5.0, knock=(2.0, SHIFT))).knocks == [False]


def test_a_camera_back_at_another_resolution_is_not_compared_with_before() -> None:
    gate, watch = MotionGate(), KnockWatch()
    table = whole_picture((WIDTH, HEIGHT))
    happened = []
    for frame in Scene([], 6.0, knock=(2.0, SHIFT)).frames():
        large = frame.t > 2.2
        image = cv2.resize(frame.image, None, fx=2, fy=2) if large else frame.image
        motion = gate.step(np.asarray(image, np.uint8), frame.t)
        happened.append(watch.step(np.asarray(image, np.uint8), motion, table, ()))
    assert not any(isinstance(one, Found | Lost) for one in happened)
    assert not watch.shaking


# --- a camera that turns ---


def test_a_camera_that_turns_is_noticed_and_loses_no_card() -> None:
    scene = Scene(TRICK, 9.0, knock=(5.5, (0.0, 0.0)), turn=4.0, swing=0.0)
    story = told(scene)
    assert story.knocks == [True]
    assert story.labels == NAMES
    assert gone(story.events) == []
    assert off(story.corners, where_it_is(scene)) < 3


def test_a_camera_that_comes_back_turned_after_a_gap_is_noticed() -> None:
    scene = Scene(TRICK, 10.0, knock=(6.0, (12.0, 5.0)), turn=4.0, swing=0.0)
    story = told(scene, away=(5.5, 7.0))
    assert story.knocks == [True]
    assert story.labels == NAMES
    assert gone(story.events) == []
    assert off(story.corners, where_it_is(scene)) < 3


@pytest.mark.parametrize("plain", [False, True])
@pytest.mark.parametrize(
    "scene",
    [
        Scene(TRICK, 8.0, lamp_at=5.5),
        Scene(TRICK, 9.0, gain_drift=0.25, flicker=0.05),
        Scene([*TRICK, Rest("E", (300, 180), 5.5, 3.5)], 10.0),
        Scene([*TRICK, Sweep("E", 6.5)], 10.0),
    ],
    ids=["a lamp", "exposure", "an arm", "a sweep"],
)
def test_what_is_no_knock_is_not_called_one(scene: Scene, plain: bool) -> None:
    story = told(replace(scene, plain=plain))
    assert story.knocks == []
    assert story.shaking == []
    assert off(story.corners, TABLE) == 0


@pytest.mark.parametrize("seed", range(1, 6))
def test_cards_gathered_where_nothing_else_shows_are_no_knock(seed: int) -> None:
    """On a plain cloth the cards in the hand are most of what there is to see moving."""
    story = told(Scene([*TRICK, Sweep("E", 6.5)], 8.0, seed=seed, plain=True))
    assert story.knocks == []
    assert story.shaking == []


def test_after_a_gap_a_camera_that_stayed_is_taken_to_have_stayed() -> None:
    story = told(Scene([*TRICK, Sweep("E", 7.0)], 10.0), away=(5.5, 7.5))
    assert story.knocks == []
    assert off(story.corners, TABLE) == 0
