"""A session joins camera and page: what a person marks on the page reaches the camera."""

from pathlib import Path

import numpy as np

from assistant.events import TableMarked
from assistant.live import LiveGame
from assistant.log import GameLog
from assistant.scribe.scribe import Scribe, ScribeOptions
from assistant.session import Session
from assistant.sueca import preset
from tests.assistant.games import table_picture
from vision.pipeline import Follower
from vision.table import table_from_corners
from vision.types import Frame
from vision.view import FrameView

CORNERS = ((230.0, 29.0), (1040.0, 10.0), (1052.0, 699.0), (245.0, 710.0))


def test_a_table_marked_while_a_game_is_followed_is_taken_from_then_on() -> None:
    follower = Follower(find=lambda image, window: (), read=lambda image, quads: ())
    game = LiveGame(GameLog(Path(":memory:")))
    session = Session(follower, Scribe(ScribeOptions(preset("selminha"))), game, None)
    tables = []

    def on_frame(frame: Frame, view: FrameView | None) -> None:
        tables.append(follower.table)
        if frame.index == 1:
            game.say(TableMarked(game.now, CORNERS, (1280, 720)))

    pictures = (table_picture(1280, 720) for _ in range(4))
    frames = [Frame(np.asarray(image), n, n / 15) for n, image in enumerate(pictures)]
    session.run(frames, on_frame)
    game.close()
    marked = table_from_corners(CORNERS, (1280, 720))
    assert tables[1] != marked
    assert tables[3] == marked
