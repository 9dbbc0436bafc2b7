"""Cameras and endless streams: the present, in true time, through unplugging and bad pictures.

No test waits for a clock: cameras, clocks and sleeps are the test's own.
"""

import threading
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from typing import Self

import av
import cv2
import numpy as np
import pytest

from vision.errors import UserError
from vision.events import SourceGap
from vision.live_sources import SIZE, CameraSource, Latest, Picture, StreamSource
from vision.source_base import Item, LiveTimer
from vision.sources import open_source
from vision.types import Frame, Image

LONG = 10.0
"""Seconds after which a test that hangs is given up."""


def picture(shade: int = 100) -> Image:
    return np.full((48, 64, 3), shade, dtype=np.uint8)


def frames(items: list[Item]) -> list[Frame]:
    return [item for item in items if isinstance(item, Frame)]


class FakeTime:
    """A clock that only sleeping moves on, and what else calls `pass_`."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now

    def pass_(self, seconds: float) -> None:
        self.now += seconds


Fault = Exception | None
"""What a failing read does: raise, or just give no picture (None)."""


class FakeCamera:
    """Gives `count` pictures, 0.1 s apart by the test's clock, then fails.

    `stamp` is the driver's time before the first, in seconds, None where it gives none;
    `tick` how many seconds its stamps move on with each picture. `stutters` are the numbers of
    those before which one read fails. A picture comes only when the test has asked for one, so
    that none is overtaken.
    """

    def __init__(
        self,
        count: int,
        stamp: float | None = 50.0,
        *,
        tick: float = 0.1,
        opened: bool = True,
        fault: Fault = None,
        stutters: tuple[int, ...] = (),
        granted: tuple[int, int] = SIZE,
    ) -> None:
        self._left, self._count, self._stamp, self._tick = count, count, stamp, tick
        self._open, self._fault, self._stutters = opened, fault, set(stutters)
        self._granted = granted
        self.was_set: list[tuple[int, float]] = []
        self.asked = threading.Semaphore(0)
        self.time = FakeTime()

    def isOpened(self) -> bool:
        return self._open

    def read(self) -> tuple[bool, Image | None]:
        number = self._count - self._left
        if number in self._stutters:
            self._stutters.remove(number)
            return self._fail()
        if self._left == 0:
            return self._fail()
        if not self.asked.acquire(timeout=LONG):
            return False, None
        self._left -= 1
        self.time.pass_(0.1)
        if self._stamp is not None:
            self._stamp += self._tick
        return True, picture(number)

    def _fail(self) -> tuple[bool, None]:
        if self._fault is not None:
            raise self._fault
        return False, None

    def get(self, prop: int) -> float:
        return {
            cv2.CAP_PROP_POS_MSEC: 1000 * (self._stamp or 0.0),
            cv2.CAP_PROP_FRAME_WIDTH: float(self._granted[0]),
            cv2.CAP_PROP_FRAME_HEIGHT: float(self._granted[1]),
            cv2.CAP_PROP_FPS: 30.0,
        }[prop]

    def set(self, prop: int, value: float) -> bool:
        self.was_set.append((prop, value))
        return True

    def release(self) -> None:
        self._open = False


def cameras(*given: FakeCamera | Exception) -> Callable[[int], FakeCamera]:
    """Opens each of those given in turn (or raises it), then none."""
    waiting = iter(given)

    def opened(index: int) -> FakeCamera:
        one = next(waiting, None)
        if isinstance(one, Exception):
            raise one
        return one or FakeCamera(0, opened=False)

    return opened


def taken(count: int, *given: FakeCamera | Exception) -> list[Item]:
    """The items up to the `count`-th frame of a camera that is, in turn, each of those given."""
    asked, time = threading.Semaphore(1), FakeTime()
    for camera in given:
        if isinstance(camera, FakeCamera):
            camera.asked, camera.time = asked, time
    sleeps = iter(range(200))

    def sleep(seconds: float) -> None:
        time.pass_(seconds)
        if next(sleeps, None) is None:
            source._closed.set()  # a test that fails must not hang

    got: list[Item] = []
    with CameraSource(0, opened=cameras(*given), clock=time, sleep=sleep) as source:
        for item in source:
            got.append(item)
            if len(frames(got)) == count:
                break
            if isinstance(item, Frame):
                asked.release()
    return got


# --- what is asked of a camera ---


def test_a_camera_is_asked_for_720_rows_in_a_format_that_usb_can_carry() -> None:
    camera = FakeCamera(1)
    CameraSource(0, opened=cameras(camera)).close()
    assert camera.was_set[0] == (cv2.CAP_PROP_FOURCC, cv2.VideoWriter.fourcc(*"MJPG"))
    assert dict(camera.was_set[1:]) == {
        cv2.CAP_PROP_FRAME_WIDTH: 1280,
        cv2.CAP_PROP_FRAME_HEIGHT: 720,
        cv2.CAP_PROP_FPS: 30,
    }


def test_a_camera_plugged_in_again_is_asked_again() -> None:
    first, second = FakeCamera(1), FakeCamera(1)
    taken(2, first, second)
    assert second.was_set == first.was_set != []


def test_a_camera_that_gives_small_pictures_is_remarked_on() -> None:
    source = CameraSource(0, opened=cameras(FakeCamera(1, granted=(640, 480))))
    source.close()
    assert source.notice is not None
    assert "640x480" in source.notice
    assert "\n" not in source.notice


@pytest.mark.parametrize(
    ("asked", "granted"), [(SIZE, SIZE), (SIZE, (1600, 1200)), ((640, 480), (640, 480))]
)
def test_a_camera_that_does_what_is_needed_or_asked_is_not(
    asked: tuple[int, int], granted: tuple[int, int]
) -> None:
    source = CameraSource(0, asked, cameras(FakeCamera(1, granted=granted)))
    source.close()
    assert source.notice is None


def test_no_camera_at_an_index_is_said() -> None:
    for opened in (cameras(), cameras(cv2.error("no such index"))):
        with pytest.raises(UserError) as error:
            CameraSource(7, opened=opened)
        assert "7" in str(error.value)
        assert "another index" in str(error.value)
        assert "\n" not in str(error.value)


# --- a camera's time ---


@pytest.mark.parametrize("camera", [FakeCamera(4, 50.0), FakeCamera(4, None)])
def test_a_cameras_time_is_its_own_or_else_the_clocks(camera: FakeCamera) -> None:
    times = [frame.t for frame in frames(taken(4, camera))]
    assert times == pytest.approx([0, 0.1, 0.2, 0.3])


def test_pictures_nobody_took_have_taken_their_time_all_the_same() -> None:
    """A follower at 10 pictures a second of a camera at 30 without stamps was in slow motion."""
    timer = LiveTimer(1.0)
    times = [timer.time(None, 100 + n / 30, False) for n in range(31)]
    assert times[::3] == pytest.approx([n / 10 for n in range(11)])


@pytest.mark.parametrize("tick", [0.04, 0.3])
def test_stamps_that_are_made_up_are_not_believed_for_long(tick: float) -> None:
    """25 a second by the stamps, 10 by the clock: never more than the second it takes to tell."""
    timer = LiveTimer(1.0)
    times = [timer.time(50 + tick * n, 100 + 0.1 * n, False) for n in range(200)]
    assert max(abs(t - 0.1 * n) for n, t in enumerate(times)) < 1 + tick
    assert times == sorted(set(times))


def test_stamps_that_stand_still_are_not_believed() -> None:
    timer = LiveTimer(1.0)
    times = [timer.time(50.0, 100 + 0.1 * n, False) for n in range(20)]
    assert times == pytest.approx([0.1 * n for n in range(20)])


def test_stamps_are_steadier_than_the_clock() -> None:
    timer = LiveTimer(1.0)
    late = [0.0, 0.3, 0.0, 0.5, 0.1]
    times = [timer.time(50 + 0.1 * n, 100 + 0.1 * n + late[n], False) for n in range(5)]
    assert times == pytest.approx([0, 0.1, 0.2, 0.3, 0.4])


# --- a camera that goes away ---


@pytest.mark.parametrize("stamp", [58.0, 55.0, 0.0, 5000.0, None])
def test_the_gap_of_an_unplugging_is_as_long_as_it_was(stamp: float | None) -> None:
    """Plugged in again, it may count from anywhere."""
    away = [FakeCamera(0, opened=False)] * 4
    got = taken(6, FakeCamera(3, 50.0), *away, FakeCamera(3, stamp))
    kinds = [type(item) for item in got]
    assert kinds == [Frame] * 3 + [SourceGap] + [Frame] * 3
    # half a second of failing reads, five attempts a second apart, and a picture's tenth
    back = 0.2 + 0.5 + 5 * 1.0 + 0.1
    times = [0, 0.1, 0.2, back, back, back + 0.1, back + 0.2]
    assert [item.t for item in got] == pytest.approx(times, abs=0.06)


@pytest.mark.parametrize("fault", [None, cv2.error("select() timeout")])
def test_a_camera_that_stutters_is_not_let_go(fault: Fault) -> None:
    got = taken(4, FakeCamera(4, fault=fault, stutters=(1, 3)))
    assert [type(item) for item in got] == [Frame] * 4


def test_a_camera_that_fails_loudly_is_waited_for_like_any_other() -> None:
    broken = FakeCamera(2, fault=cv2.error("device lost"))
    got = taken(4, broken, cv2.error("device busy"), FakeCamera(2))
    assert [type(item) for item in got] == [Frame, Frame, SourceGap, Frame, Frame]


def test_when_no_frame_comes_it_is_said_once_and_again_the_next_time() -> None:
    camera, told = FakeCamera(3), []
    source = CameraSource(0, opened=cameras(camera), patience=0.01)

    def waiting() -> None:
        told.append(len(got))
        threading.Timer(0.05, camera.asked.release).start()  # several patiences later

    got: list[Item] = []
    source.on_waiting(waiting)
    for item in source:
        got.append(item)
        if len(got) == 3:
            break
    source.close()
    assert told == [0, 1, 2]


# --- the thread that fetches ---


def test_a_fault_in_the_fetching_thread_ends_the_source(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It must not leave the follower waiting for ever."""
    heard: list[object] = []
    monkeypatch.setattr(threading, "excepthook", heard.append)

    def broken() -> Iterator[Picture]:
        yield Picture(picture, 0.0, False)
        raise RuntimeError("a fault of ours")

    latest = Latest(broken())  # type: ignore[arg-type]
    latest.stop()
    assert latest.wait(LONG)
    assert latest.take() is not None
    assert latest.wait(LONG)
    assert latest.take() is None
    assert len(heard) == 1


def test_a_camera_closed_before_or_while_it_is_followed_is_let_go() -> None:
    before, during = FakeCamera(1), FakeCamera(1)
    CameraSource(0, opened=cameras(before)).close()
    during.asked.release()
    with CameraSource(0, opened=cameras(during)) as source:
        next(iter(source))
    assert not before.isOpened()
    assert not during.isOpened()


# --- streams ---


def jpeg(shade: int) -> bytes:
    return cv2.imencode(".jpg", picture(shade))[1].tobytes()


def phone(path: Path, pictures: list[bytes]) -> str:
    """The URL of what a phone's camera app sends over HTTP, an endless row of JPEGs."""
    head = b"--xx\r\nContent-Type: image/jpeg\r\nContent-Length: %d\r\n\r\n"
    path.write_bytes(b"".join(head % len(data) + data + b"\r\n" for data in pictures))
    return f"file://{path}"


def shade(frame: Frame) -> int:
    """The number of a phone's picture, drawn as its shade in steps of 8."""
    return round(float(frame.image.mean()) / 8)


STEP = 0.02


class Phone:
    """A followed stream whose clock moves on by `STEP` seconds with each picture fetched.

    FFmpeg's own stamps of such a stream are 0.04 s apart; so short a step makes no gap where
    pictures are overtaken.

    Those after the first are fetched from `start` on. Before it is opened anew, `broken` is set and
    `mended` waited for.
    """

    def __init__(self, path: Path, pictures: list[bytes]) -> None:
        self.path = path
        self._fetched = count()
        self.start, self.broken, self.mended = (threading.Event() for _ in range(3))
        self.source = StreamSource(phone(path, pictures), clock=self._clock, sleep=self._sleep)
        self.items = iter(self.source)

    def _clock(self) -> float:
        number = next(self._fetched)
        assert number == 0 or self.start.wait(LONG)
        return number * STEP

    def _sleep(self, seconds: float) -> None:
        self.broken.set()
        assert self.mended.wait(LONG)

    def until(self, number: int) -> list[Item]:
        """The items up to the picture of that number."""
        got: list[Item] = []
        for item in self.items:
            got.append(item)
            if isinstance(item, Frame) and shade(item) == number:
                return got
        raise AssertionError(f"the stream ended before picture {number}")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.start.set()
        self.mended.set()
        self.source.close()


def test_a_phones_stream_has_no_end(tmp_path: Path) -> None:
    source = open_source(phone(tmp_path / "a.mjpg", [jpeg(8 * n) for n in range(4)]))
    source.close()
    assert source.live


def test_the_time_of_a_phones_stream_is_the_clocks(tmp_path: Path) -> None:
    """FFmpeg stamps its pictures 25 a second, whatever their rate."""
    with Phone(tmp_path / "a.mjpg", [jpeg(8 * n) for n in range(30)]) as followed:
        got = followed.until(0)
        followed.start.set()
        got += followed.until(29)
    assert [frame.t for frame in frames(got)] == pytest.approx(
        [shade(f) * STEP for f in frames(got)]
    )


def test_a_slow_follower_of_a_stream_sees_the_present(tmp_path: Path) -> None:
    with Phone(tmp_path / "a.mjpg", [jpeg(8 * n) for n in range(30)]) as followed:
        followed.until(0)
        followed.start.set()
        assert followed.broken.wait(LONG)  # all the others have come meanwhile
        rest = frames([next(followed.items)])
    assert [shade(frame) for frame in rest] == [29]


def test_a_corrupt_picture_costs_a_stream_no_more_than_itself(tmp_path: Path) -> None:
    pictures = [jpeg(8 * n) for n in range(30)]
    pictures[10] = pictures[10][:2] + bytes(300)
    with Phone(tmp_path / "a.mjpg", pictures) as followed:
        followed.start.set()
        got = followed.until(29)
        times = {shade(frame): frame.t for frame in frames(got)}
    assert not any(isinstance(item, SourceGap) for item in got)
    assert times[29] == pytest.approx(28 * STEP)  # the 29th picture fetched since it was opened


def test_a_stream_that_breaks_off_is_picked_up_again(tmp_path: Path) -> None:
    with Phone(tmp_path / "a.mjpg", [jpeg(8 * n) for n in range(4)]) as followed:
        followed.start.set()
        followed.until(3)
        assert followed.broken.wait(LONG)
        phone(followed.path, [jpeg(8 * n) for n in range(10, 14)])
        followed.mended.set()
        back, seen = next(followed.items), next(followed.items)
    assert isinstance(back, SourceGap)
    assert isinstance(seen, Frame)
    assert 10 <= shade(seen) <= 13


def test_a_stream_that_comes_in_pieces_is_spread_over_its_time(tmp_path: Path) -> None:
    """Or all but a few pictures of each piece would be overtaken at once."""
    with av.open(str(tmp_path / "a.m3u8"), "w", format="hls") as out:
        video = out.add_stream("mpeg2video", rate=25)
        video.width, video.height, video.pix_fmt = 64, 48, "yuv420p"
        for n in range(20):
            out.mux(video.encode(av.VideoFrame.from_ndarray(picture(8 * n), format="bgr24")))
        out.mux(video.encode(None))
    time = FakeTime()
    waited: list[float] = []

    def sleep(seconds: float) -> None:
        waited.append(seconds)
        time.pass_(seconds)

    url = f"file://{tmp_path / 'a.m3u8'}"
    source = StreamSource(url, clock=time, sleep=sleep)
    fetched = source._pictures()
    times = [next(fetched).t for _ in range(20)]
    fetched.close()
    assert times == pytest.approx([n / 25 for n in range(20)])
    assert waited == pytest.approx([0.04] * 19)
