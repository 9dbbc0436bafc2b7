"""Frames as they are taken: from a camera, or from a URL without an end.

Either is read in a thread of its own, which keeps only the newest picture, so that a slow follower
sees the present; one that goes away is waited for and picked up again.
"""

import contextlib
import threading
import time
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Protocol, cast

import cv2

from vision.containers import Container, to_bgr
from vision.errors import UserError
from vision.events import SourceGap
from vision.source_base import LONG_PAUSE, Item, LiveTimer, SourceBase
from vision.types import Frame, Image

PATIENCE = 3.0
"""Seconds without a frame after which it is said that one is waited for."""
STREAM_TIMEOUT = 10.0
"""Seconds the network may take before a stream is given up and opened anew."""
SIZE = (1280, 720)
"""Pixels asked of a camera: cards of 90 pixels on a whole table. OpenCV's own 640x480 makes them
42, too few to be read; 1920x1080 costs the two cores more than twice the pixels and many webcams
half their rate."""
_FEWEST_ROWS = 720
"""Pixels: a camera that gives fewer rows is remarked on."""
_FPS = 30.0
"""Pictures a second asked of a camera."""
_RETRY = 1.0
"""Seconds between attempts to open a camera or stream that went away."""
_STUTTER = 0.5
"""Seconds that reading from a camera may fail before it is taken to be gone."""
_READ_AGAIN = 0.05
"""Seconds between attempts to read from a camera that stutters."""
_DRIVER_LAG = 1.0
"""Seconds a camera's stamps may be off the clock: drivers buffer a few pictures, never so long."""

Clock = Callable[[], float]
Sleep = Callable[[float], object]


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture as it was fetched. `image` makes it: those that nobody takes are never made.

    `t` in seconds from the first; `fresh` where the source was opened anew for it.
    """

    image: Callable[[], Image]
    t: float
    fresh: bool


class Latest:
    """Fetches in a thread and keeps only the newest picture."""

    def __init__(self, pictures: Generator[Picture]) -> None:
        self._pictures = pictures
        self._ready = threading.Condition()
        self._item: Picture | None = None
        self._ended = False
        self._thread = threading.Thread(target=self._work, daemon=True)
        self._thread.start()

    def wait(self, timeout: float) -> bool:
        """Whether `take` has an answer within `timeout` seconds."""
        with self._ready:
            return self._ready.wait_for(lambda: self._item is not None or self._ended, timeout)

    def take(self) -> Picture | None:
        """The newest picture not yet taken; None when there will be no more. `wait` for it."""
        with self._ready:
            item, self._item = self._item, None
            return item

    def stop(self) -> None:
        """Wait for the thread, which the end of the pictures ends; not for ever."""
        self._thread.join(timeout=2 * _RETRY)

    def _work(self) -> None:
        try:
            with contextlib.closing(self._pictures):
                for item in self._pictures:
                    self._keep(item)
        finally:
            # Whatever ended it: who waits for the next picture must not wait for ever.
            with self._ready:
                self._ended = True
                self._ready.notify()

    def _keep(self, item: Picture) -> None:
        with self._ready:
            # A reopening must not be lost with a picture nobody took.
            fresh = item.fresh or (self._item is not None and self._item.fresh)
            self._item = replace(item, fresh=fresh)
            self._ready.notify()


class LiveSource(SourceBase):
    """What a camera and a stream have in common; see `_pictures` for what they must do."""

    live = True

    def __init__(self, name: str, clock: Clock, sleep: Sleep | None, patience: float) -> None:
        self.name = name
        self._closed = threading.Event()
        self._clock = clock
        self._sleep = sleep or self._closed.wait  # so that closing need not wait for a sleeper
        self._patience = patience
        self._waiting: Callable[[], None] | None = None
        self._latest: Latest | None = None

    def on_waiting(self, tell: Callable[[], None]) -> None:
        """Call `tell` once whenever no frame has come for `PATIENCE` seconds."""
        self._waiting = tell

    def close(self) -> None:
        self._closed.set()
        if self._latest is None:
            self._release()
        else:
            self._latest.stop()

    def __iter__(self) -> Iterator[Item]:
        self._latest = latest = Latest(self._pictures())
        last: float | None = None
        count = 0
        try:
            while (picture := self._take(latest)) is not None:
                if last is not None and (picture.fresh or picture.t - last > LONG_PAUSE):
                    yield SourceGap(last, picture.t, count)
                yield Frame(picture.image(), count, picture.t)
                last = picture.t
                count += 1
        finally:
            self.close()

    def _take(self, latest: Latest) -> Picture | None:
        told = False
        while not latest.wait(self._patience):
            if self._waiting is not None and not told:
                self._waiting()
            told = True
        return latest.take()

    def _pictures(self) -> Generator[Picture]:
        """Fetch till closed, on the fetching thread, which lets go of the device at the end."""
        raise NotImplementedError

    def _release(self) -> None:
        """Let go of the device or connection."""
        raise NotImplementedError


class StreamSource(LiveSource):
    """A URL without an end. One that breaks off is opened again and the gap told."""

    def __init__(
        self,
        url: str,
        container: Container | None = None,
        clock: Clock = time.monotonic,
        sleep: Sleep | None = None,
        patience: float = PATIENCE,
    ) -> None:
        """`container` where it is open already. Raises UserError where there is no video."""
        super().__init__(url, clock, sleep, patience)
        self._container = container or Container(url, timeout=STREAM_TIMEOUT)

    def _release(self) -> None:
        self._container.close()

    def _pictures(self) -> Generator[Picture]:
        timer = LiveTimer(STREAM_TIMEOUT)
        fresh = False
        try:
            while not self._closed.is_set():
                stamped, segmented = self._container.stamped, self._container.segmented
                for picture in self._container.pictures():
                    stamp = picture.time if stamped else None
                    t = timer.time(stamp, self._clock(), fresh)
                    if segmented and timer.early > 0:
                        # Or most of a piece would be overtaken, and then none come for seconds.
                        self._sleep(timer.early)
                    yield Picture(partial(to_bgr, picture), t, fresh)
                    fresh = False
                    if self._closed.is_set():
                        return
                fresh = True
                self._reopen()
        finally:
            self._release()

    def _reopen(self) -> None:
        self._container.close()
        while not self._closed.is_set():
            self._sleep(_RETRY)
            with contextlib.suppress(UserError):
                self._container = Container(self.name, timeout=STREAM_TIMEOUT)
                return


class Capture(Protocol):
    """What is used of `cv2.VideoCapture`."""

    def isOpened(self) -> bool: ...
    def read(self) -> tuple[bool, Image | None]: ...
    def get(self, prop: int) -> float: ...
    def set(self, prop: int, value: float) -> bool: ...
    def release(self) -> None: ...


def _open_camera(index: int) -> Capture:
    # OpenCV's own types allow for more kinds of picture than a camera gives.
    return cast(Capture, cv2.VideoCapture(index))


class CameraSource(LiveSource):
    """A camera by its index. One that goes away is waited for and the gap told."""

    def __init__(
        self,
        index: int,
        size: tuple[int, int] = SIZE,
        opened: Callable[[int], Capture] = _open_camera,
        clock: Clock = time.monotonic,
        sleep: Sleep | None = None,
        patience: float = PATIENCE,
    ) -> None:
        """`size` is the width and height asked for, in pixels. Raises UserError where there is no
        camera of that index."""
        super().__init__(f"camera {index}", clock, sleep, patience)
        self._index, self._size, self._open = index, size, opened
        capture = self._opened()
        if capture is None:
            raise UserError(
                f"no camera at index {index}: plug it in, or try another index (0, 1, 2)"
            )
        self._capture = capture
        self.notice = self._too_small()

    def _opened(self) -> Capture | None:
        """The camera, asked for our size; None where there is none (now)."""
        try:
            capture = self._open(self._index)
        except cv2.error:  # an index that OpenCV takes for none
            return None
        if not capture.isOpened():
            capture.release()
            return None
        with contextlib.suppress(cv2.error):  # it gives what it can
            # The format first: uncompressed, USB carries 720p at a few pictures a second only.
            capture.set(cv2.CAP_PROP_FOURCC, cv2.VideoWriter.fourcc(*"MJPG"))
            capture.set(cv2.CAP_PROP_FRAME_WIDTH, self._size[0])
            capture.set(cv2.CAP_PROP_FRAME_HEIGHT, self._size[1])
            capture.set(cv2.CAP_PROP_FPS, _FPS)
        return capture

    def _too_small(self) -> str | None:
        """What to say where the camera grants fewer rows than are needed and were asked for."""
        width = round(self._capture.get(cv2.CAP_PROP_FRAME_WIDTH))
        rows = round(self._capture.get(cv2.CAP_PROP_FRAME_HEIGHT))
        if not 0 < rows < min(_FEWEST_ROWS, self._size[1]):
            return None
        return (
            f"{self.name} gives {width}x{rows}, not the {self._size[0]}x{self._size[1]} asked for: "
            "cards may be too small to read; move it closer or use another camera"
        )

    def _release(self) -> None:
        self._capture.release()

    def _pictures(self) -> Generator[Picture]:
        timer = LiveTimer(_DRIVER_LAG)
        fresh = False
        try:
            while not self._closed.is_set():
                read = self._read()
                if read is None:
                    fresh = True
                    self._reopen()
                    continue
                image, stamp = read
                t = timer.time(stamp, self._clock(), fresh)
                yield Picture(partial(_same, image), t, fresh)
                fresh = False
        finally:
            self._release()

    def _read(self) -> tuple[Image, float | None] | None:
        """The next picture and the driver's stamp in seconds; None where the camera is gone."""
        until = self._clock() + _STUTTER
        while self._capture.isOpened() and not self._closed.is_set():
            with contextlib.suppress(cv2.error):  # a failed read like any other
                ok, image = self._capture.read()
                if ok and image is not None:
                    stamp = self._capture.get(cv2.CAP_PROP_POS_MSEC) / 1000
                    return image, stamp if stamp > 0 else None
            if self._clock() >= until:
                return None
            self._sleep(_READ_AGAIN)
        return None

    def _reopen(self) -> None:
        """Wait a while and try once."""
        self._capture.release()
        self._sleep(_RETRY)
        self._capture = self._opened() or self._capture


def _same(image: Image) -> Image:
    return image
