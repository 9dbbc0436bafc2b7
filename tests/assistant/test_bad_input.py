"""What a user meets when something is wrong: one line that names it and says what to do, status 2."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from assistant import cli
from vision.weights import weights_folder

SAMPLE = Path(__file__).parents[2] / "datasets" / "samples" / "sample.mp4"


def run(
    arguments: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> tuple[int, str]:
    """Exit status and stderr of `sueca ARGUMENTS…`."""
    monkeypatch.setattr(sys, "argv", ["sueca", *arguments])
    with pytest.raises(SystemExit) as ended:
        cli.main()
    return int(ended.value.code or 0), capsys.readouterr().err


@pytest.fixture
def refused(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path):  # type: ignore[no-untyped-def]
    """Runs a command that must be refused, and gives the one line it says."""

    def one_line(*arguments: str) -> str:
        status, said = run(list(arguments), monkeypatch, capsys)
        assert status == 2
        lines = said.strip().splitlines()
        assert len(lines) == 1, said
        assert "Traceback" not in said
        return lines[0]

    return one_line


def watch(source: object, tmp_path: Path) -> list[str]:
    return ["watch", str(source), "--headless", "--games", str(tmp_path / "games")]


def test_a_missing_video_is_named(refused, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    said = refused(*watch(tmp_path / "gone.mp4", tmp_path))
    assert "gone.mp4" in said
    assert "check" in said


def test_a_file_that_is_no_video_is_named(refused, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    path = tmp_path / "letter.mp4"
    path.write_text("Dear Ana,")
    assert "letter.mp4" in refused(*watch(path, tmp_path))


def test_a_video_cut_short_is_named(refused, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    path = tmp_path / "half.mp4"
    path.write_bytes(SAMPLE.read_bytes()[:20_000])
    assert "half.mp4" in refused(*watch(path, tmp_path))


def test_a_video_of_nothing_that_breaks_off_leaves_no_game_behind(refused, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    pictures = tmp_path / "pictures"
    pictures.mkdir()
    cv2.imwrite(str(pictures / "1.png"), np.full((90, 160, 3), 120, np.uint8))
    (pictures / "2.png").write_text("no picture")
    assert "2.png" in refused(*watch(pictures, tmp_path))
    assert list((tmp_path / "games").iterdir()) == []


def test_no_camera_at_that_index_is_said(refused, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    assert "9" in refused(*watch(9, tmp_path))


def test_an_empty_folder_is_named(refused, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    (tmp_path / "pictures").mkdir()
    assert "pictures" in refused(*watch(tmp_path / "pictures", tmp_path))


def test_a_model_with_the_wrong_hash_is_refused(refused, tmp_path: Path, monkeypatch) -> None:  # type: ignore[no-untyped-def]
    ours = weights_folder()
    for path in ours.iterdir():
        if path.suffix in {".xml", ".bin", ".json"}:
            (tmp_path / path.name).write_bytes(path.read_bytes())
    with (tmp_path / "reader.bin").open("ab") as model:
        model.write(b"\0")
    monkeypatch.setenv("SUECA_WEIGHTS", str(tmp_path))
    said = refused(*watch(SAMPLE, tmp_path))
    assert "hash" in said
    assert "reader" in said


def test_no_model_at_all_is_said(refused, tmp_path: Path, monkeypatch) -> None:  # type: ignore[no-untyped-def]
    monkeypatch.setenv("SUECA_WEIGHTS", str(tmp_path))
    assert "no weights" in refused("read", str(tmp_path / "a.jpg"))


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("--rules", "bridge"),
        ("--dealer", "Q"),
        ("--trump", "7X"),
        ("--trump", "9D"),
        ("--trump", "10H"),
        ("--players", "Ana,Rui"),
    ],
)
def test_an_option_that_makes_no_sense_is_named(
    refused, tmp_path: Path, option: str, value: str
) -> None:  # type: ignore[no-untyped-def]
    assert value in refused(*watch(tmp_path / "any.mp4", tmp_path), option, value)


def test_a_table_file_that_is_none_is_named(refused, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    (tmp_path / "table.json").write_text(json.dumps({"corners": 3}))
    said = refused(*watch(SAMPLE, tmp_path), "--table", str(tmp_path / "table.json"))
    assert "table.json" in said


def test_a_picture_that_is_none_is_named(refused, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    (tmp_path / "a.jpg").write_text("no picture")
    assert "a.jpg" in refused("read", str(tmp_path / "a.jpg"))


def test_a_number_too_long_for_any_time_is_named(refused, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    path = tmp_path / "long.json"
    play = '{"seat": "S", "card": "AH", "t": 1' + "0" * 400 + "}"
    path.write_text(
        '{"rules": "selminha", "deals": [{"dealer": "W", "trump": "7D", "plays": [' + play + "]}]}"
    )
    said = refused("score", str(path))
    assert "line 1, column" in said
    assert "a number of 401 digits" in said


def test_a_games_folder_that_is_a_file_is_named(refused, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    (tmp_path / "games").write_text("no folder")
    assert "not a folder" in refused("serve", "--games", str(tmp_path / "games"), "--port", "-1")


def test_a_damaged_deck_is_named_when_it_is_chosen(refused, tmp_path: Path, monkeypatch) -> None:  # type: ignore[no-untyped-def]
    monkeypatch.setenv("SUECA_DECKS", str(tmp_path))
    (tmp_path / "casa.npz").write_bytes(b"half of it")
    assert "casa.npz" in refused("deck", "choose", "casa")


@pytest.mark.parametrize("sheet", ["sheet", "sheet.txt", "folder/"])
def test_a_contact_sheet_that_is_no_picture_is_named_before_anything_slow(  # type: ignore[no-untyped-def]
    refused, tmp_path: Path, sheet: str
) -> None:
    photo = str(tmp_path / "none.jpg")
    assert "--sheet" in refused("deck", "learn", photo, "--name", "x", "--sheet", sheet)


def test_a_photographs_name_with_brackets_is_told_as_it_is(
    tmp_path: Path, monkeypatch, capsys
) -> None:  # type: ignore[no-untyped-def]
    path = tmp_path / "x[" / "b][red]cloth.png"
    path.parent.mkdir()
    cv2.imwrite(str(path), np.full((300, 400, 3), 90, np.uint8))
    monkeypatch.setattr(sys, "argv", ["sueca", "read", str(path)])
    with pytest.raises(SystemExit):
        cli.main()
    assert capsys.readouterr().out == f"{path}: no card\n"


def sueca(*arguments: str, **how: Any) -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-m", "assistant.cli", *arguments]
    return subprocess.run(command, stderr=subprocess.PIPE, timeout=60, check=False, **how)


def test_a_terminal_without_hearts_is_no_reason_to_end(tmp_path: Path) -> None:
    (tmp_path / "r.sueca").write_text("7D\nAH 2D 5H 2H\n")
    env = os.environ | {"PYTHONIOENCODING": "ascii"}
    done = sueca("score", str(tmp_path / "r.sueca"), env=env, stdout=subprocess.PIPE)
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"A? 2? 5? 2?" in done.stdout


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here")
def test_a_full_disk_behind_the_output_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "r.sueca").write_text("7D\nAH 2D 5H 2H\n")
    with open("/dev/full", "w") as full:
        done = sueca("score", str(tmp_path / "r.sueca"), stdout=full)
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1
    assert b"No space left on device" in done.stderr


def test_a_photograph_to_be_followed_is_sent_to_read(refused, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    path = tmp_path / "a.JPG"
    cv2.imwrite(str(path), np.zeros((300, 400, 3), np.uint8))
    assert "sueca read" in refused(*watch(path, tmp_path))


@pytest.mark.parametrize("name", ["\udcff", "a\x1b[2J", "a\nb", "x" * 25])
def test_a_players_name_that_cannot_be_written_is_named(refused, tmp_path: Path, name: str) -> None:  # type: ignore[no-untyped-def]
    said = refused(*watch(tmp_path / "any.mp4", tmp_path), "--players", f"{name},Rui,Eva,Zé")
    assert "--players" in said
