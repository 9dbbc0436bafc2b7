"""Frames from cameras, files and folders; what goes wrong is one line a person can act on."""

import threading
import time
from collections.abc import Callable, Iterator
from fractions import Fraction
from pathlib import Path

import av
import cv2
import numpy as np
import pytest

from vision.errors import UserError
from vision.events import SourceGap
from vision.sources import CameraSource, FolderSource, Item, VideoSource, open_source
from vision.types import Frame, Image


def picture(shade: int = 100, size: tuple[int, int] = (48, 64)) -> Image:
    return np.full((*size, 3), shade, dtype=np.uint8)


def write_video(path: Path, stamps: list[int], rate: int = 10) -> Path:
    """A video with a picture at each stamp (in frames of `rate`)."""
    with av.open(str(path), "w") as out:
        stream = out.add_stream("mpeg4", rate=rate)
        stream.width, stream.height, stream.pix_fmt = 64, 48, "yuv420p"
        stream.codec_context.time_base = Fraction(1, rate)
        for stamp in stamps:
            frame = av.VideoFrame.from_ndarray(picture(stamp % 250), format="bgr24")
            frame.pts, frame.time_base = stamp, Fraction(1, rate)
            out.mux(stream.encode(frame))
        out.mux(stream.encode(None))
    return path


def frames(items: Iterator[Item] | list[Item]) -> list[Frame]:
    return [item for item in items if isinstance(item, Frame)]


def one_line(error: pytest.ExceptionInfo[UserError], *words: str) -> bool:
    text = str(error.value)
    return "\n" not in text and all(word in text for word in words)


# --- files ---


def test_a_videos_times_are_its_own(tmp_path: Path) -> None:
    path = write_video(tmp_path / "a.mp4", [0, 1, 2, 4, 7])
    with open_source(str(path)) as source:
        got = frames(list(source))
    assert [frame.t for frame in got] == pytest.approx([0, 0.1, 0.2, 0.4, 0.7])
    assert [frame.index for frame in got] == [0, 1, 2, 3, 4]
    assert got[0].image.shape == (48, 64, 3)
    assert not source.live


def test_the_same_video_gives_the_same_frames(tmp_path: Path) -> None:
    path = write_video(tmp_path / "a.mp4", list(range(20)))
    with open_source(str(path)) as one, open_source(str(path)) as two:
        for a, b in zip(frames(list(one)), frames(list(two)), strict=True):
            assert a.t == b.t
            assert (a.image == b.image).all()


def test_a_hole_in_a_video_is_told(tmp_path: Path) -> None:
    path = write_video(tmp_path / "a.mp4", [0, 1, 2, 32, 33])
    with open_source(str(path)) as source:
        gaps = [item for item in source if isinstance(item, SourceGap)]
    assert [(gap.since, gap.t) for gap in gaps] == [(pytest.approx(0.2), pytest.approx(3.2))]


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(UserError) as error:
        open_source(str(tmp_path / "none.mp4"))
    assert one_line(error, "none.mp4", "check the name")


@pytest.mark.parametrize("content", [b"", b"no video at all", bytes(range(256)) * 40])
def test_what_is_no_video_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "fake.mp4"
    path.write_bytes(content)
    with pytest.raises(UserError) as error, open_source(str(path)) as source:
        list(source)
    assert one_line(error, "fake.mp4")


def test_sound_alone_is_no_video(tmp_path: Path) -> None:
    path = tmp_path / "sound.wav"
    with av.open(str(path), "w") as out:
        stream = out.add_stream("pcm_s16le", rate=8000, layout="mono")
        sound = np.zeros((1, 800), dtype=np.int16)
        frame = av.AudioFrame.from_ndarray(sound, format="s16", layout="mono")
        frame.sample_rate = 8000
        out.mux(stream.encode(frame))
        out.mux(stream.encode(None))
    with pytest.raises(UserError) as error:
        open_source(str(path))
    assert one_line(error, "sound.wav", "no video")


def test_a_cut_off_file_gives_what_it_has_and_then_says_so(tmp_path: Path) -> None:
    whole = write_video(tmp_path / "a.mkv", list(range(100)))
    cut = tmp_path / "cut.mkv"
    content = whole.read_bytes()
    cut.write_bytes(content[: len(content) // 2])
    got: list[Item] = []
    with VideoSource(cut) as source, pytest.raises(UserError) as error:
        got.extend(source)
    assert len(got) > 20
    assert one_line(error, "cut.mkv", "incomplete")


# --- folders ---


def folder_of(path: Path, *names: str) -> Path:
    for i, name in enumerate(names):
        cv2.imwrite(str(path / name), picture(40 * i))
    return path


def test_pictures_come_in_natural_order(tmp_path: Path) -> None:
    folder_of(tmp_path, "p1.png", "p2.png", "p10.png")
    got = frames(list(open_source(str(tmp_path), fps=4)))
    assert [int(frame.image[0, 0, 0]) for frame in got] == [0, 40, 80]
    assert [frame.t for frame in got] == [0, 0.25, 0.5]


def test_an_empty_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("nothing to see")
    with pytest.raises(UserError) as error:
        FolderSource(tmp_path)
    assert one_line(error, "no pictures", str(tmp_path))


def test_a_broken_picture_is_named(tmp_path: Path) -> None:
    folder_of(tmp_path, "a.png")
    (tmp_path / "b.png").write_bytes(b"not a picture")
    with pytest.raises(UserError) as error:
        list(FolderSource(tmp_path))
    assert one_line(error, "b.png")


def test_pictures_of_another_size_are_refused(tmp_path: Path) -> None:
    folder_of(tmp_path, "a.png")
    cv2.imwrite(str(tmp_path / "b.png"), picture(size=(20, 20)))
    with pytest.raises(UserError) as error:
        list(FolderSource(tmp_path))
    assert one_line(error, "b.png", "20x20")


# --- cameras ---


class FakeCamera:
    """Gives `count` pictures with time stamps from `start` seconds, then nothing.

    A picture comes only when the test has asked for one, so that none is overtaken.
    """

    def __init__(self, count: int, start: float, opened: bool = True) -> None:
        self._left, self._stamp, self._open = count, start, opened
        self.asked = threading.Semaphore(0)

    def isOpened(self) -> bool:
        return self._open

    def read(self) -> tuple[bool, Image | None]:
        if self._left == 0 or not self.asked.acquire(timeout=10):
            return False, None
        self._left -= 1
        self._stamp += 0.1
        return True, picture()

    def get(self, prop: int) -> float:
        return 1000 * self._stamp if prop == cv2.CAP_PROP_POS_MSEC else 10.0

    def release(self) -> None:
        self._open = False


def cameras(*given: FakeCamera) -> Callable[[int], FakeCamera]:
    waiting = iter(given)
    return lambda index: next(waiting, FakeCamera(0, 0, opened=False))


def taken(count: int, *given: FakeCamera) -> list[Item]:
    """The items up to the `count`-th frame of a camera that is, in turn, each of those given."""
    asked = threading.Semaphore(1)
    for camera in given:
        camera.asked = asked
    source = CameraSource(0, cameras(*given), sleep=lambda _: time.sleep(0.001))
    got: list[Item] = []
    for item in source:
        got.append(item)
        if len(frames(got)) == count:
            break
        if isinstance(item, Frame):
            asked.release()
    source.close()
    return got


def test_no_camera_at_an_index_is_said() -> None:
    with pytest.raises(UserError) as error:
        CameraSource(7, cameras(FakeCamera(0, 0, opened=False)))
    assert one_line(error, "7", "another index")


def test_a_camera_that_goes_away_is_waited_for_and_the_gap_told() -> None:
    got = taken(6, FakeCamera(3, 50.0), FakeCamera(0, 0, opened=False), FakeCamera(3, 58.0))
    kinds = [type(item) for item in got]
    assert kinds == [Frame] * 3 + [SourceGap] + [Frame] * 3
    assert [item.t for item in got] == pytest.approx([0, 0.1, 0.2, 8.0, 8.0, 8.1, 8.2])


def test_a_camera_that_counts_anew_goes_on_in_time() -> None:
    """Replugged, it may start its stamps at zero: how long it was away is not known."""
    got = taken(4, FakeCamera(2, 50.0), FakeCamera(2, 0.0))
    times = [frame.t for frame in frames(got)]
    assert times == sorted(set(times))
    assert any(isinstance(item, SourceGap) for item in got)
