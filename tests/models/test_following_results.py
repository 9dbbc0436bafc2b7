"""An evaluation that was broken off goes on where it stopped."""

from dataclasses import replace
from pathlib import Path

import pytest

from models import following_videos
from models.following import FollowedDeal, PlayError
from models.following_results import FollowedVideo, Made, keep, kept, result_path
from vision.errors import UserError

DEAL = FollowedDeal(
    seed=7,
    plays=40,
    right=39,
    errors=(PlayError("misread", "7H by S in 2 written as 7D by S in 2 (p 0.9)"),),
    points_right=False,
    revokes=1,
    revokes_missed=0,
    revokes_invented=0,
    revokes_invented_surely=0,
    sure=((0.9, False), (1.0, True)),
    seconds=30.5,
)
MADE = Made("hard", 7, "package:bellot")
VIDEO = FollowedVideo(MADE, (DEAL,), (0.1, 0.3), 1500, 31.0, 100.0)


def test_a_result_is_read_back_as_it_was_written(tmp_path: Path) -> None:
    path = result_path(tmp_path, MADE, "abc+def")
    assert kept(path) is None
    keep(VIDEO, path)
    assert kept(path) == VIDEO
    assert [file.name for file in path.parent.iterdir()] == [path.name]


def test_a_deck_from_a_folder_is_named_as_the_folder_is(tmp_path: Path) -> None:
    assert Made("easy", 3, str(tmp_path / "ours")).name == "easy-3-ours"


def test_other_weights_and_other_games_have_results_of_their_own(tmp_path: Path) -> None:
    paths = {
        result_path(tmp_path, made, weights)
        for made in (MADE, replace(MADE, deals=3), replace(MADE, level="easy"))
        for weights in ("abc+def", "abc+xyz")
    }
    assert len(paths) == 6


def test_a_file_that_is_no_result_is_said_in_one_line(tmp_path: Path) -> None:
    path = tmp_path / "broken.json"
    path.write_text('{"made": 3}')
    with pytest.raises(UserError, match="delete it"):
        kept(path)


@pytest.fixture
def followed(monkeypatch: pytest.MonkeyPatch) -> list[Made]:
    """What is followed anew, in place of the minutes that a video takes."""
    asked: list[Made] = []

    def follow(made: Made) -> FollowedVideo:
        asked.append(made)
        return replace(VIDEO, made=made)

    monkeypatch.setattr(following_videos, "weights_version", lambda folder: "abc+def")
    monkeypatch.setattr(following_videos, "_begin", lambda work: None)
    monkeypatch.setattr(following_videos, "_one", follow)
    return asked


def test_only_what_is_left_is_followed(tmp_path: Path, followed: list[Made]) -> None:
    keep(VIDEO, result_path(tmp_path, MADE, "abc+def"))
    other = replace(MADE, seed=8)
    done = following_videos.run([other, MADE], tmp_path, tmp_path)
    assert [video.made for video in done] == [other, MADE]
    assert followed == [other]


def test_everything_is_followed_anew_when_asked(tmp_path: Path, followed: list[Made]) -> None:
    keep(VIDEO, result_path(tmp_path, MADE, "abc+def"))
    following_videos.run([MADE], tmp_path, tmp_path, again=True)
    assert followed == [MADE]


def test_the_report_says_how_far_probabilities_are_to_be_believed() -> None:
    text = following_videos.report([VIDEO], "abc+def", jobs=2)
    assert "## Reliability" in text
    assert "Expected calibration error" in text
    assert "misread: 7H by S in 2" in text
    assert "2 at a time" in text
