"""Frames on their way to the pages: the newest only, and no slower than the camera."""

import json
import struct

import cv2
import numpy as np

from assistant.web.publisher import SHORTEST_GAP, WIDEST_PICTURE, Message, Publisher
from tests.assistant.games import QUAD, table_picture


def header(message: Message | None) -> dict:  # type: ignore[type-arg]
    assert message is not None
    (length,) = struct.unpack(">I", message.data[:4])
    found: dict = json.loads(message.data[4 : 4 + length])  # type: ignore[type-arg]
    return found


def picture(message: Message | None) -> np.ndarray:
    assert message is not None
    (length,) = struct.unpack(">I", message.data[:4])
    return cv2.imdecode(np.frombuffer(message.data[4 + length :], np.uint8), cv2.IMREAD_COLOR)


def test_before_the_first_frame_there_is_none() -> None:
    assert Publisher().latest() is None


def test_only_the_newest_frame_is_kept() -> None:
    publisher = Publisher()
    publisher.frame(table_picture(), 1.0)
    publisher.frame(table_picture(), 2.0)
    assert header(publisher.latest())["t"] == 2.0


def test_frames_that_come_too_fast_are_dropped() -> None:
    publisher = Publisher()
    publisher.frame(table_picture(), 1.0)
    publisher.frame(table_picture(), 1.0 + SHORTEST_GAP / 2)
    assert header(publisher.latest())["t"] == 1.0


def test_a_source_that_starts_again_is_not_waited_for() -> None:
    publisher = Publisher()
    publisher.frame(table_picture(), 100.0)
    publisher.frame(table_picture(), 0.0)
    assert header(publisher.latest())["t"] == 0.0


def test_wide_frames_are_scaled_down_and_say_their_own_size() -> None:
    publisher = Publisher()
    publisher.frame(table_picture(1920, 1080), 1.0)
    assert picture(publisher.latest()).shape == (540, WIDEST_PICTURE, 3)
    assert header(publisher.latest())["width"] == 1920


def test_a_jpeg_is_passed_on_as_it_is() -> None:
    jpeg = cv2.imencode(".jpg", table_picture())[1].tobytes()
    publisher = Publisher()
    publisher.frame(jpeg, 1.0)
    message = publisher.latest()
    assert message is not None
    assert message.data.endswith(jpeg)
    assert header(message)["width"] is None


def test_numpy_coordinates_are_taken() -> None:
    quad = tuple(map(tuple, np.array(QUAD, np.float32)))
    publisher = Publisher()
    publisher.frame(table_picture(), 1.0, [("7H", np.float32(0.5), quad, "up")])  # type: ignore[list-item]
    assert header(publisher.latest())["cards"][0]["quad"] == [list(point) for point in QUAD]


def test_a_status_keeps_the_last_picture() -> None:
    publisher = Publisher()
    publisher.frame(table_picture(), 1.0)
    publisher.status("waiting", 3.0)
    assert header(publisher.latest())["status"] == "waiting"
    assert picture(publisher.latest()).shape == (540, 960, 3)


def test_a_status_before_any_picture_is_said_alone() -> None:
    publisher = Publisher()
    publisher.status("waiting", 0.0)
    assert header(publisher.latest())["status"] == "waiting"
