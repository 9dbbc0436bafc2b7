"""The games folder."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from assistant.library import Library
from tests.assistant.games import played_deal
from vision.errors import UserError


def test_a_game_created_is_found_again_with_all_it_held(tmp_path: Path) -> None:
    library = Library(tmp_path)
    library.create("friday").apply(played_deal(1, tricks=2))
    library.close()
    again = Library(tmp_path)
    assert again.names() == ("friday",)
    assert len(again.open("friday").game.deals[0].plays) == 8
    again.close()


def test_going_on_with_a_game_keeps_what_it_held(tmp_path: Path) -> None:
    library = Library(tmp_path)
    library.create("friday").apply(played_deal(1, tricks=2))
    assert len(library.create("friday").game.deals[0].plays) == 8
    library.close()


def test_a_game_is_opened_once(tmp_path: Path) -> None:
    library = Library(tmp_path)
    assert library.create("friday") is library.open("friday")
    library.close()


def test_a_taken_name_gets_a_number(tmp_path: Path) -> None:
    library = Library(tmp_path)
    assert library.begin("friday")[0] == "friday"
    assert library.begin("friday")[0] == "friday-2"
    assert library.begin("saturday")[0] == "saturday"
    library.close()


def test_programs_that_begin_a_game_at_once_get_a_name_each(tmp_path: Path) -> None:
    libraries = [Library(tmp_path) for _ in range(6)]
    with ThreadPoolExecutor(6) as programs:
        names = list(programs.map(lambda library: library.begin("friday")[0], libraries))
    assert sorted(names) == ["friday", *(f"friday-{number}" for number in range(2, 7))]
    for library in libraries:
        library.close()


def test_a_games_folder_that_cannot_be_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder")
    for folder in (tmp_path / "file", Path("/proc/nowhere")):
        with pytest.raises(UserError, match="--games") as refused:
            Library(folder).begin("friday")
        assert "\n" not in str(refused.value)


@pytest.mark.parametrize("name", ["", "..", "../x", "a/b", "a\\b", ".x", "x" * 101, "a\0"])
def test_a_name_that_could_leave_the_folder_is_refused(tmp_path: Path, name: str) -> None:
    library = Library(tmp_path / "games")
    with pytest.raises(UserError, match="cannot name a game"):
        library.create(name)
    with pytest.raises(KeyError):
        library.open(name)
    with pytest.raises(KeyError):
        library.evidence(name)
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_is_not_there_has_no_games(tmp_path: Path) -> None:
    assert Library(tmp_path / "none").names() == ()


def test_a_game_is_looked_at_without_keeping_it_open(tmp_path: Path) -> None:
    library = Library(tmp_path)
    library.create("friday").apply(played_deal(1, tricks=2))
    library.close()
    assert len(Library(tmp_path).look("friday").deals[0].plays) == 8
    with pytest.raises(KeyError):
        library.look("saturday")
