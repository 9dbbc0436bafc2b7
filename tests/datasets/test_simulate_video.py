"""The video shows what the truth says, and says nothing else."""

import json
from dataclasses import replace
from pathlib import Path

import av
import cv2
import numpy as np
import pytest
import typer
from typer.testing import CliRunner

from assistant.sueca import Card, Deal, Play, Seat, fold, preset
from datasets import cli
from datasets.drawn import JOKER, Deck, table_deck
from datasets.simulate import Options, simulate
from datasets.simulate_frames import FrameTruths
from datasets.simulate_samples import SAMPLE
from datasets.simulate_video import Faults, Sensor
from vision.errors import UserError
from vision.labels import CARDS

SMALL = (960, 540)


def frames_at(video: Path, times: list[float]) -> list[np.ndarray]:
    """The first frame at or after each time, BGR; times ascending."""
    found: list[np.ndarray] = []
    with av.open(str(video)) as container:
        for frame in container.decode(video=0):
            while len(found) < len(times) and frame.time >= times[len(found)] - 1e-6:
                found.append(frame.to_ndarray(format="bgr24"))
            if len(found) == len(times):
                break
    return found


def looks(picture: np.ndarray) -> np.ndarray:
    """A card's picture as a vector of mean 0 and length 1, so that products are correlations."""
    small = cv2.resize(picture, (60, 84), interpolation=cv2.INTER_AREA).astype(float).ravel()
    small -= small.mean()
    return small / np.linalg.norm(small)


class Judge:
    """Says which of the 40 cards of a deck a quad of a frame looks most like, either way up."""

    def __init__(self, deck: Deck) -> None:
        faces = [deck.faces[card] for card in CARDS]
        self.known = np.stack([looks(f) for f in faces] + [looks(f[::-1, ::-1]) for f in faces])

    def card(self, frame: np.ndarray, quad: list[list[float]]) -> str:
        target = np.array([[0, 0], [120, 0], [120, 168], [0, 168]], np.float32)
        to_card = cv2.getPerspectiveTransform(np.array(quad, np.float32), target)
        seen = looks(cv2.warpPerspective(frame, to_card, (120, 168)))
        return CARDS[int(np.argmax(self.known @ seen)) % len(CARDS)]


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A small easy video with its truth: one render for all tests here."""
    video = tmp_path_factory.mktemp("video") / "game.mp4"
    options = Options(
        seed=6, level="easy", size=SMALL, fps=10.0, revoke="W", bit_rate=600_000, frames=True
    )
    truth = json.loads(simulate(options, table_deck(6), video).read_text())
    return video, truth


def test_every_card_is_seen_in_its_quad_when_the_truth_says_it_is_fully_visible(made):
    video, truth = made
    judge, plays = Judge(table_deck(6)), truth["deals"][0]["plays"]
    when = [max(p["t_visible"], p["t_settled"]) for p in plays]
    order = np.argsort(when)
    frames = frames_at(video, [when[k] for k in order])
    for frame, k in zip(frames, order, strict=True):
        assert judge.card(frame, plays[k]["quad"]) == plays[k]["card"]


def test_the_trump_card_is_seen_while_it_is_shown(made):
    video, truth = made
    shown = truth["deals"][0]["trump_shown"]
    (frame,) = frames_at(video, [(shown["t_settled"] + shown["t_gone"]) / 2])
    assert Judge(table_deck(6)).card(frame, shown["quad"]) == truth["deals"][0]["trump"]


def test_the_truth_agrees_with_the_rules(made):
    deal = made[1]["deals"][0]
    plays = tuple(Play(Seat(p["seat"]), Card.parse(p["card"])) for p in deal["plays"])
    state = fold(
        Deal(preset(made[1]["rules"]), Seat(deal["dealer"]), Card.parse(deal["trump"]), plays)
    )
    assert [t.winner.value for t in state.tricks] == [t["winner"] for t in deal["tricks"]]
    assert {team.value: n for team, n in state.team_points.items()} == deal["points"]
    assert [b.claim.trick for b in state.broken][:1] == [r["trick"] for r in deal["revokes"]]


def test_every_frame_says_what_is_seen_in_it_and_how_much(made):
    video, truth = made
    frames = FrameTruths.load(video.with_suffix(".frames.npz"))
    assert len(frames) == int(truth["duration"] * truth["fps"])
    for play in truth["deals"][0]["plays"]:
        index = next(k for k, t in enumerate(frames.times) if t >= play["t_visible"])
        (there,) = [one for one in frames[index] if one.card == play["card"]]
        assert there.face_up
        assert there.visible > 0.95
        if not there.moving:
            assert np.abs(there.quad - np.array(play["quad"])).max() < 0.1


def test_a_card_under_others_is_said_to_show_less(made):
    video, truth = made
    frames = FrameTruths.load(video.with_suffix(".frames.npz"))
    end = truth["deals"][0]["tricks"][-1]["t_end"]
    index = next(k for k, t in enumerate(frames.times) if t >= end + 0.3)
    piled = [one for one in frames[index] if not one.face_up]
    assert piled
    assert min(one.visible for one in piled) < 0.5
    assert max(one.visible for one in piled) > 0.95


def test_mains_light_leaves_bands_that_drift():
    faults = Faults(blur=0, sharpen=0, noise=0, drift=0, flicker=0.05, mains_hz=50.01)
    sensor = Sensor(faults, (320, 240), np.random.default_rng(1))
    grey = np.full((240, 320, 3), 180, np.uint8)
    one, later = (sensor.capture(grey, k, k / 15)[:, 0, 0].astype(int) for k in (0, 1))
    assert 8 <= np.ptp(one) <= 20
    assert np.abs(one - later).max() > 4
    assert abs(int(one.mean()) - 180) <= 2


def test_the_same_options_give_the_same_bytes(tmp_path):
    options = Options(seed=9, level="hard", size=(320, 240), fps=5.0)
    for name in ("one.mp4", "two.mp4"):
        simulate(options, table_deck(1), tmp_path / name)
    assert (tmp_path / "one.mp4").read_bytes() == (tmp_path / "two.mp4").read_bytes()
    assert (tmp_path / "one.truth.json").read_text() == (tmp_path / "two.truth.json").read_text()


def test_the_file_tells_nothing_but_how_it_is_coded(made):
    with av.open(str(made[0])) as container:
        tags = {**container.metadata, **container.streams.video[0].metadata}
    assert set(tags) <= {
        "major_brand", "minor_version", "compatible_brands", "encoder",
        "language", "handler_name", "vendor_id",
    }  # fmt: skip


def test_the_bundled_sample_is_small_and_shows_its_truth():
    assert SAMPLE.stat().st_size <= 8_000_000
    truth = json.loads(SAMPLE.with_suffix(".truth.json").read_text())
    judge, plays = Judge(table_deck(21, "ARDV")), truth["deals"][0]["plays"]
    chosen = plays[::7]
    frames = frames_at(SAMPLE, [max(p["t_visible"], p["t_settled"]) for p in chosen])
    for frame, play in zip(frames, chosen, strict=True):
        assert judge.card(frame, play["quad"]) == play["card"]


def run(*arguments: str):
    app = typer.Typer()
    app.command()(cli.simulate)
    return CliRunner().invoke(app, list(arguments))


def test_the_command_writes_video_and_truth_and_names_both_as_json(tmp_path):
    out = tmp_path / "game.mp4"
    result = run(str(out), "--size", "320x240", "--fps", "5", "--deck", "drawn:3:ARDV", "--json")
    assert result.exit_code == 0
    assert json.loads(result.stdout) == {
        "video": str(out), "truth": str(tmp_path / "game.truth.json"),
    }  # fmt: skip
    assert json.loads((tmp_path / "game.truth.json").read_text())["deck"] == "drawn-3-ARDV"


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["game.avi"], "expected a name that ends in .mp4"),
        (["no/such/folder/game.mp4"], "no such folder; make it first"),
        (["folder.mp4"], "is a folder; name a video in it"),
        (["game.mp4", "--level", "devilish"], "choose one of easy, normal, hard"),
        (["game.mp4", "--size", "big"], "give width x height as 1280x720"),
        (["game.mp4", "--size", "641x480"], "even numbers"),
        (["game.mp4", "--deck", "drawn:x"], "after drawn: comes a number"),
        (["game.mp4", "--deck", "drawn:1:XYZ"], "letters are one of AKQJ"),
        (["game.mp4", "--deck", "nowhere"], "no such deck"),
        (["game.mp4", "--rules", "bridge"], "choose one of selminha"),
        (["game.mp4", "--revoke", "X"], "choose one of S, E, N, W"),
    ],
)
def test_a_wrong_option_is_one_line_that_says_what_to_give(tmp_path, monkeypatch, arguments, says):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder.mp4").mkdir()
    result = run(*arguments)
    assert isinstance(result.exception, UserError)
    assert says in str(result.exception)
    assert "\n" not in str(result.exception)


@pytest.fixture(scope="module")
def turned(tmp_path_factory):
    """The same game as `made`, seen by a camera that hangs upside down."""
    video = tmp_path_factory.mktemp("turned") / "game.mp4"
    options = Options(
        seed=6, level="easy", size=SMALL, fps=10.0, revoke="W", bit_rate=600_000, upside_down=True
    )
    return video, json.loads(simulate(options, table_deck(6), video).read_text())


def test_upside_down_the_same_cards_lie_at_the_opposite_seats(made, turned):
    (_, plain), (video, truth) = made, turned
    across = dict(zip("SENW", "NWSE", strict=True))
    mine, other = plain["deals"][0], truth["deals"][0]
    assert other["dealer"] == across[mine["dealer"]]
    assert [revoke["seat"] for revoke in other["revokes"]] == ["E"]
    for one, there in zip(mine["plays"], other["plays"], strict=True):
        assert (there["card"], there["seat"]) == (one["card"], across[one["seat"]])
        assert np.allclose(
            np.array(SMALL) - 1 - np.array(one["quad"]), np.array(there["quad"]), atol=0.11
        )
    assert truth["table"]["corners"][0][0] < SMALL[0] / 2
    judge, plays = Judge(table_deck(6)), other["plays"][:4]
    when = [max(p["t_visible"], p["t_settled"]) for p in plays]
    for frame, play in zip(frames_at(video, sorted(when)), plays, strict=True):
        assert judge.card(frame, play["quad"]) == play["card"]


def test_a_poker_deck_needs_jokers(tmp_path):
    deck = table_deck(6)
    faces = {name: face for name, face in deck.faces.items() if name != JOKER}
    with pytest.raises(UserError, match="has no joker"):
        simulate(Options(seed=1, pack="poker"), replace(deck, faces=faces), tmp_path / "a.mp4")
