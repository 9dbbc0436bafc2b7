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
from assistant.web.publisher import Publisher
from tests.assistant.games import table_picture
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
        finder = SimpleNamespace(find=lambda image: (), weights=weights)
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

    def run(self, as_json: bool = False, size: str | None = None) -> None:
        command.watch(
            "0", once=True, deck="", games=self.games, size=size, as_json=as_json, lang="en"
        )


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
