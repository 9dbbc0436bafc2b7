"""Followed videos kept as table events: read back as seen, and what the tracker made of them."""

from dataclasses import replace
from pathlib import Path

import pytest

from assistant.scribe import ScribeOptions
from datasets.eventsim import EASY, HARD, Recording, simulate_deal
from models import recorded
from models.following import compare, write_down
from models.following_videos import delays_of
from models.tracker_figures import measured, simulated, table
from vision.errors import UserError
from vision.events import CardPlaced

RECORDING = simulate_deal(5, EASY)


def right(recording: Recording) -> int:
    options = ScribeOptions()
    log = write_down(recording.events, options)
    return sum(deal.right for deal in compare(recording.deals, log, options.rules))


def test_a_recording_is_read_back_as_it_was_but_for_rounding(tmp_path: Path) -> None:
    path = tmp_path / "easy-5.events.gz"
    recorded.write(RECORDING, path)
    again = recorded.read(path)
    assert (again.deals, again.seed) == (RECORDING.deals, RECORDING.seed)
    for one, other in zip(again.events, RECORDING.events, strict=True):
        if isinstance(one, CardPlaced) and isinstance(other, CardPlaced):
            assert one.log_probs == pytest.approx(other.log_probs, abs=0.001)
            one, other = (replace(e, log_probs=()) for e in (one, other))
        assert type(one) is type(other)
    assert right(again) == right(RECORDING) == 40


def test_the_same_recording_gives_the_same_bytes(tmp_path: Path) -> None:
    for name in ("a", "b"):
        recorded.write(RECORDING, tmp_path / name)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


@pytest.mark.parametrize("content", [b"", b"no gzip", b"\x1f\x8b\x08\x00half"])
def test_what_is_no_recording_is_said_to_be_none(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "broken.events.gz"
    path.write_bytes(content)
    with pytest.raises(UserError, match="not a recording"):
        recorded.read(path)


def test_the_tracker_s_figures_are_those_the_simulator_was_told() -> None:
    told = replace(HARD, miss=0.05, entry_missing=0.4, top1=0.9, blunder=0.0)
    figures = measured([simulate_deal(seed, told) for seed in range(30)])
    assert figures is not None
    assert figures.plays == 1200
    assert figures.missed == pytest.approx(0.05, abs=0.03)
    assert figures.entry_missing == pytest.approx(0.4, abs=0.06)
    assert figures.first == pytest.approx(0.9, abs=0.04)
    assert "| plays without a track |" in table({"hard": figures})


@pytest.mark.parametrize("level", ["easy", "normal", "hard"])
def test_a_level_without_pixels_sends_what_its_videos_sent(level: str) -> None:
    # Measured on the videos of docs/following-video.md (easy 800, normal 800, hard 1,320 plays).
    videos = {
        "easy": (0.0, 0.0, 0.0, 0.18),
        "normal": (0.0, 0.005, 0.0, 0.18),
        "hard": (0.0015, 0.078, 0.005, 0.19),
    }
    missed, twice, entry_missing, median = videos[level]
    figures = simulated(level)
    assert figures is not None
    assert figures.missed == pytest.approx(missed, abs=0.002)
    assert figures.twice == pytest.approx(twice, abs=0.02)
    assert figures.entry_missing == pytest.approx(entry_missing, abs=0.005)
    assert figures.median == pytest.approx(median, abs=0.08)


def test_of_nothing_there_are_no_figures() -> None:
    assert measured([]) is None


def test_a_delay_counts_from_coming_to_rest_until_the_frame_is_computed() -> None:
    from assistant.events import PlaySeen

    play = {"seat": "S", "card": "7H", "t_settled": 10.0, "t_visible": 9.8}
    truth = {"deals": [{"plays": [play], "t_end": 60.0}]}
    seen = PlaySeen(t=10.2, play_id=1, seat="S", card="7H", trick=1, played=10.0, p=0.9, track=1)
    early = replace(seen, t=2.0)  # the same card from the same seat, in the deal before
    ((delay, late),) = delays_of(truth, [early, seen], [0.0, 0.05])
    assert (delay, late) == pytest.approx((0.2, 0.05))
