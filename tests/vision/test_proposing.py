"""A table that the first picture does not show."""

from dataclasses import replace

import cv2
import numpy as np
import pytest

from tests.vision.scenes import HEIGHT, TABLE, WIDTH, Scene
from tests.vision.test_knock import LATE, NAMES, off, told
from tests.vision.test_pipeline import TRICK
from vision.pipeline import Follower
from vision.table import propose_table


@pytest.mark.parametrize("plain", [False, True])
def test_a_camera_that_wakes_up_black_finds_the_table_later(plain: bool) -> None:
    scene = Scene(LATE, 9.0, plain=plain, black_until=1.5)
    story = told(scene, table=None)
    assert story.labels == NAMES
    assert off(story.corners, TABLE) < 8


def test_a_body_over_the_table_in_the_first_picture_does_not_cost_the_table() -> None:
    scene = Scene(LATE[:1], 6.0)
    follower = Follower(scene.find, scene.read)
    for frame in scene.frames():
        if frame.t < 1.5:
            cv2.ellipse(frame.image, (320, 360), (130, 165), 0, 0, 360, (70, 50, 120), -1)
        follower.step(frame)
        if frame.index == 0:
            assert follower.table is not None
            assert follower.table.whole_picture
    assert off(follower.table.corners, TABLE) < 8


def test_a_table_seen_from_the_first_is_not_proposed_again() -> None:
    scene = Scene(TRICK, 4.0)
    story = told(scene, table=None)
    first = next(Scene(TRICK, 4.0).frames())  # with the same noise
    assert story.corners == propose_table(first.image).corners


def test_once_a_card_is_known_the_picture_stays_the_table() -> None:
    bare = [replace(act, t=act.t - 1.0) for act in TRICK[:1]]
    scene = Scene(bare, 6.0, black_until=0.0)
    follower = Follower(scene.find, scene.read)
    for frame in scene.frames():
        image = frame.image
        if frame.t < 1.0:  # no edge to be seen before the card is known
            image = np.ascontiguousarray(image[60:300, 160:480])
            image = np.asarray(cv2.resize(image, (WIDTH, HEIGHT)), np.uint8)
        follower.step(replace(frame, image=image))
    assert follower.table is not None
    assert follower.table.whole_picture
