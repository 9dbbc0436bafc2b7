"""`sueca watch` at a camera that needs waiting for, and at a disk that has gone: told, in one line.

Models, camera and page are stand-ins; everything between them is real.
"""

import contextlib
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from assistant.commands import watch as command
from assistant.events import CameraEvent, Noticed
from assistant.fold import Game
from assistant.journal import read_journal
from assistant.library import Library
from assistant.noticetext import troubles_now
from assistant.web.publisher import Publisher
from tests.assistant.games import played_deal, table_picture
from vision.errors import UserError
from vision.source_base import Item, SourceBase
from vision.types import Frame


class Camera(SourceBase):
    """Gives two frames, and is waited for in between."""

    live = True
    name = "camera 0"

    def __init__(self, notice: str | None = None) -> None:
        self.notice = notice
        self._tell: Callable[[], None] = lambda: None

    def on_waiting(self, tell: Callable[[], None]) -> None:
        self._tell = tell

    def __iter__(self) -> Iterator[Item]:
        image = np.asarray(table_picture(1280, 720))
        yield Frame(image, 0, 0.0)
        self._tell()
        yield Frame(image, 1, 5.0)


class Watched:
    """A run of the command at a stand-in camera."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
        self.camera = Camera()
        self.games = tmp_path / "games"
        self.statuses: list[str] = []
        self.sizes: list[tuple[int, int] | None] = []
        weights = SimpleNamespace(version="1")
        finder = SimpleNamespace(find_live=lambda image, window: (), all_weights=(weights,))
        reader = SimpleNamespace(read=lambda image, quads: (), weights=weights)
        monkeypatch.setattr(command, "Finder", lambda: finder)
        monkeypatch.setattr(command, "reader_for", lambda deck: reader)
        monkeypatch.setattr(command, "open_source", self._open)
        monkeypatch.setattr(command, "_page", self._page)

    def _open(self, spec: str, *, size: tuple[int, int] | None) -> Camera:
        self.sizes.append(size)
        return self.camera

    @contextlib.contextmanager
    def _page(self, *_: object) -> Iterator[command.Page]:
        publisher = Publisher()
        show = publisher._show
        publisher._show = lambda shot: (self.statuses.append(shot.status), show(shot))[1]  # type: ignore[method-assign]
        yield command.Page(publisher, "http://table")

    def run(self, as_json: bool = False, size: str | None = None, game: str | None = None) -> None:
        command.watch(
            "0", once=True, deck="", games=self.games, size=size, as_json=as_json, lang="en",
            going_on=game,
        )  # fmt: skip

    def keep(self, name: str, *events: CameraEvent) -> None:
        """A game that the program was killed in."""
        library = Library(self.games)
        library.create(name).apply(events)
        library.close()

    def kept(self, name: str) -> Game:
        return Library(self.games).look(name)


@pytest.fixture
def watched(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Watched:
    return Watched(monkeypatch, tmp_path)


def test_the_page_says_that_the_camera_is_waited_for_until_it_is_back(
    watched: Watched, capsys: pytest.CaptureFixture[str]
) -> None:
    watched.run()
    assert watched.statuses == ["following", "waiting", "following", "ended"]
    assert capsys.readouterr().err.splitlines() == [
        "sueca: no picture from camera 0 for 3 s, waiting for it: is it switched on and connected?"
    ]


def test_what_is_to_be_known_of_a_camera_is_said_once(
    watched: Watched, capsys: pytest.CaptureFixture[str]
) -> None:
    watched.camera = Camera("camera 0 gives 640x480")
    watched.run()
    assert capsys.readouterr().err.splitlines()[0] == "sueca: camera 0 gives 640x480"


@pytest.mark.parametrize("as_json", [False, True])
def test_a_full_disk_at_the_end_is_one_line_after_the_score(
    watched: Watched,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    as_json: bool,
) -> None:
    def full(*_: object, **__: object) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_text", full)
    with pytest.raises(UserError) as error:
        watched.run(as_json)
    assert "record.json" in str(error.value)
    assert "No space left on device" in str(error.value)
    assert "\n" not in str(error.value)
    out = capsys.readouterr().out
    assert json.loads(out)["deals"] == [] if as_json else "no card was seen" in out


def test_the_record_is_kept_and_nothing_half_written_beside_it(watched: Watched) -> None:
    watched.run()
    (kept,) = watched.games.iterdir()
    assert json.loads((kept / "record.json").read_text(encoding="utf-8"))["rules"] == "selminha"
    assert not list(kept.glob("*.part"))


@pytest.mark.parametrize(
    ("size", "asked"), [(None, None), ("1920x1080", (1920, 1080)), ("640X480", (640, 480))]
)
def test_a_camera_is_asked_for_the_size_given(
    watched: Watched, size: str | None, asked: tuple[int, int] | None
) -> None:
    watched.run(size=size)
    assert watched.sizes == [asked]


@pytest.mark.parametrize("size", ["", "wide", "1920", "0x720", "1920x1080p", "-1x5", "123456x7"])
def test_a_size_that_is_none_is_refused(watched: Watched, size: str) -> None:
    with pytest.raises(UserError, match="--size"):
        watched.run(size=size)
    assert watched.sizes == []


# --- Going on with a game -----------------------------------------------------------------------


def test_a_game_that_was_killed_is_gone_on_with_and_its_deals_are_counted_on(
    watched: Watched, capsys: pytest.CaptureFixture[str]
) -> None:
    whole = played_deal(1, rules="classica")
    watched.keep("friday", *whole, *played_deal(2, number=2, rules="classica", tricks=3))
    watched.run(game="friday")
    first, second = watched.kept("friday").deals
    assert (first.ended, second.ended) == ("complete", "stopped")
    kept = read_journal(watched.games / "friday" / "events.jsonl")
    assert kept is not None
    said = kept.header
    assert (said.first_deal, said.first_play_id, said.rules) == (3, 113, "classica")
    out = capsys.readouterr().out
    assert "(classica)" in out, "the match goes on under its own rules"
    assert "Trick 1:" not in out, "what was told before is not told again"


def test_a_trouble_with_the_picture_does_not_outlast_the_program_that_told_it(
    watched: Watched,
) -> None:
    watched.keep("friday", *played_deal(1), Noticed(99.0, "dark"))
    watched.run(game="friday")
    assert troubles_now(watched.kept("friday").notices) == ()


def test_no_game_of_that_name_is_one_line_with_the_latest(watched: Watched) -> None:
    with pytest.raises(UserError, match="there is none yet"):
        watched.run(game="friday")
    watched.keep("monday", *played_deal(1))
    with pytest.raises(UserError, match=r"no such game in .*; the latest is monday"):
        watched.run(game="friday")


@pytest.mark.parametrize(("tricks", "told"), [(3, True), (10, False)])
def test_at_the_camera_it_is_said_that_the_latest_game_broke_off(
    watched: Watched, capsys: pytest.CaptureFixture[str], tricks: int, told: bool
) -> None:
    watched.keep("friday", *played_deal(1, tricks=tricks))
    watched.run()
    assert ("--game 'friday' goes on with it" in capsys.readouterr().err) is told


def test_a_page_that_cannot_be_served_leaves_no_game_behind(
    watched: Watched, monkeypatch: pytest.MonkeyPatch
) -> None:
    @contextlib.contextmanager
    def taken(*_: object) -> Iterator[command.Page]:
        raise UserError("port 8765 is taken")
        yield

    monkeypatch.setattr(command, "_page", taken)
    with pytest.raises(UserError, match="taken"):
        watched.run()
    assert list(watched.games.iterdir()) == []
