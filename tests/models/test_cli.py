"""`sueca models`: what is refused before the long work begins, and what is said as JSON."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from models import following_videos
from models.cli import app
from models.following_results import FollowedVideo, Made
from vision.errors import UserError


def refused(*arguments: str) -> str:
    """The one line a command ends with."""
    result = CliRunner().invoke(app, arguments)
    assert isinstance(result.exception, UserError), result.output
    return str(result.exception)


@pytest.mark.parametrize(
    "command",
    [
        ("evaluate", "--failures"),
        ("evaluate-held-out", "--out"),
        ("evaluate-held-out", "--failures"),
        ("evaluate-following", "--out"),
        ("evaluate-bad-input", "--out"),
        ("evaluate-learning", "--out"),
        ("int8", "--out", "x", "--train-photographs", "x.json", "x.json", "--report"),
    ],
)
def test_a_report_that_could_not_be_written_is_refused_at_once(
    command: tuple[str, ...], tmp_path: Path
) -> None:
    said = refused(*command, str(tmp_path / "nowhere" / "report.md"))
    assert "there is no folder" in said
    assert "\n" not in said
    assert "it is a folder" in refused(*command, str(tmp_path))


@pytest.mark.parametrize(
    ("option", "value", "what_to_give"),
    [
        ("--level", "silly", "choose one of easy, normal, hard"),
        ("--seeds", "7", "the first and the last"),
        ("--seeds", "9-7", "the first and the last"),
        ("--deck", "drawn:x", "a number, as in drawn:7"),
        ("--deck", "nowhere", "a folder of pictures"),
    ],
)
def test_games_that_cannot_be_made_are_refused_in_a_line(
    option: str, value: str, what_to_give: str, tmp_path: Path
) -> None:
    given = {"--level": "easy", "--seeds": "7-7", "--videos": str(tmp_path), option: value}
    said = refused("evaluate-following", *(word for pair in given.items() for word in pair))
    assert what_to_give in said
    assert "\n" not in said


def test_a_kind_of_bad_input_that_there_is_none_of_is_refused_in_a_line() -> None:
    said = refused("evaluate-bad-input", "--kind", "tarot")
    assert "choose one of poker-deck, two-decks" in said
    assert "\n" not in said


def test_what_was_followed_is_told_as_json(monkeypatch: pytest.MonkeyPatch) -> None:
    one = FollowedVideo(Made("easy", 7, "drawn:500", 1), (), (0.2,), 90, 3.0, 6.0)
    monkeypatch.setattr(following_videos, "run", lambda *_: [one])
    result = CliRunner().invoke(app, ["evaluate-following", "--json", "--seeds", "7-7"])
    told = json.loads(result.stdout)
    assert told["videos"][0]["made"]["seed"] == 7
    assert "+" in told["weights"]
