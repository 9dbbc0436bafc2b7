"""The ratchet on recorded table events of bad decks and of a camera upside down: what is wrong is said, and
nothing is written down that nobody played.

Recorded by `sueca models evaluate-bad-input` on 2026-11-30, with decks of artists no model was trained on.
"""

from pathlib import Path

import pytest

from assistant.events import Noticed
from assistant.scribe import ScribeOptions
from models import recorded
from models.bad_input import KINDS, judge, proved_revokes
from models.following import write_down

FOLDER = Path(__file__).parent / "recorded" / "bad"
VIDEOS = sorted(path.name.removesuffix(".events.gz") for path in FOLDER.glob("*.events.gz"))
LEAST_RIGHT = {
    "normal-1051-tigullio-poker-deck": 32,
    "normal-1051-tigullio-two-decks": 29,
    "normal-1051-tigullio-one-twice": 39,
    "normal-1051-tigullio-upside-down": 40,
    "normal-1051-tigullio-card-missing": 77,
}
"""Plays right of those that may be written down."""


def kind_of(video: str) -> str:
    return next(kind for kind in KINDS if video.endswith(kind))


def test_there_is_a_video_of_every_kind() -> None:
    assert {kind_of(video) for video in VIDEOS} == set(KINDS)
    assert set(LEAST_RIGHT) == set(VIDEOS)


@pytest.mark.parametrize("video", VIDEOS)
def test_what_is_wrong_is_said_and_nothing_invented(video: str) -> None:
    recording = recorded.read(FOLDER / f"{video}.events.gz")
    log = write_down(recording.events, ScribeOptions())
    judged = judge(recording.deals, log)
    kinds = {event.kind for event in log if isinstance(event, Noticed)}
    wanted = KINDS[kind_of(video)]
    assert kinds & wanted if wanted else not kinds
    assert judged.right >= LEAST_RIGHT[video]
    # What a notice says to be worked out of the cards that are missing is told as unsure; nothing else is.
    assert [one for one in judged.invented if not one.worked_out] == []
    assert proved_revokes(log) == ()
