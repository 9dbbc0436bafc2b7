"""Where frames come from: a camera, a video file, a URL, a folder of pictures.

The one module that knows OpenCV's capture and PyAV. A frame's time is what its source says (the
presentation time of a video frame, the driver's time stamp of a camera's), never a clock's.
"""

import re
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import TracebackType
from typing import Protocol, Self, cast

import av
import av.error
import cv2
import numpy as np

from vision.errors import UserError
from vision.events import SourceGap
from vision.types import Frame, Image

_GAP = 1.0
"""Seconds without a frame that are told as a gap; webcams stutter for less."""
_RETRY = 1.0
"""Seconds between attempts to open a camera or stream that went away."""
_SHORT = 1.0
"""A file that ends this many seconds before the length it declares is incomplete."""
_BAD_PACKETS = 50
"""Undecodable packets in a row after which a file is given up."""
_FOLDER_FPS = 1.0
"""Pictures in a folder are taken to be this many a second."""
_CAMERA_FPS = 30.0
"""Where a camera gives no time stamps and no rate."""
_STREAM_TIMEOUT = 10.0
_PICTURES = {".jpg", ".jpeg", ".png", ".bmp", ".webp", ".tif", ".tiff"}

Item = Frame | SourceGap


class Source(Protocol):
    """Frames in order of time, and the gaps between them. A context manager."""

    @property
    def name(self) -> str: ...

    @property
    def live(self) -> bool:
        """Whether frames come as they are taken, so that those not fetched in time are lost."""
        ...

    def __iter__(self) -> Iterator[Item]: ...

    def close(self) -> None: ...

    def __enter__(self) -> Self: ...

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None: ...


def open_source(spec: str, *, fps: float | None = None) -> Source:
    """The source a user means by `spec`: a camera's index, a URL, a video file or a folder.

    `fps` is the rate of a folder's pictures. Raises UserError, in one line, when there is none
    such; a camera that goes away later is waited for.
    """
    if re.fullmatch(r"\d+", spec):
        return CameraSource(int(spec))
    if re.match(r"[a-z][a-z0-9+.-]+://", spec, re.IGNORECASE):
        return StreamSource(spec)
    path = Path(spec)
    if path.is_dir():
        return FolderSource(path, fps or _FOLDER_FPS)
    if not path.exists():
        raise UserError(f"no file, folder or camera called {spec}: check the name")
    return VideoSource(path)


class _Closing:
    """The context manager shared by all sources."""

    def close(self) -> None:
        """Nothing to close, unless a source says otherwise."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


class FolderSource(_Closing):
    """The pictures of a folder in the natural order of their names, `fps` a second."""

    live = False

    def __init__(self, path: Path, fps: float = _FOLDER_FPS) -> None:
        self.name = str(path)
        self._fps = fps
        self._files = sorted(
            (file for file in path.iterdir() if file.suffix.lower() in _PICTURES), key=_natural
        )
        if not self._files:
            raise UserError(
                f"no pictures in {path}: it should hold {', '.join(sorted(_PICTURES))} files"
            )

    def __iter__(self) -> Iterator[Item]:
        size: tuple[int, ...] | None = None
        for index, file in enumerate(self._files):
            image = cv2.imdecode(np.fromfile(file, dtype=np.uint8), cv2.IMREAD_COLOR)
            if image is None:
                raise UserError(f"{file} is not a picture or is damaged: remove or replace it")
            if size is not None and image.shape != size:
                raise UserError(
                    f"{file} is {image.shape[1]}x{image.shape[0]}, the pictures before it "
                    f"{size[1]}x{size[0]}: a folder must hold pictures of one camera"
                )
            size = image.shape
            yield Frame(np.asarray(image, dtype=np.uint8), index, index / self._fps)


def _natural(path: Path) -> list[tuple[int, str]]:
    """`frame10` after `frame9`."""
    parts = re.split(r"(\d+)", path.name.lower())
    return [(int(part), "") if part.isdigit() else (-1, part) for part in parts]


class VideoSource(_Closing):
    """A video file; times are its frames' presentation times, from 0."""

    live = False

    def __init__(self, path: Path) -> None:
        self.name = str(path)
        self._container = _open_container(str(path), str(path))
        self._stream = self._container.streams.video[0]
        self._stream.thread_type = "AUTO"
        # Two threads keep up with 1080p and leave the models their cores.
        self._stream.codec_context.thread_count = 2

    @property
    def duration(self) -> float | None:
        """Seconds the file declares, None where it does not."""
        if self._container.duration is None:
            return None
        return float(self._container.duration) / av.time_base

    def close(self) -> None:
        self._container.close()

    def __iter__(self) -> Iterator[Item]:
        timer = _Timer(float(self._stream.average_rate or _CAMERA_FPS))
        last = 0.0
        for picture in self._pictures():
            for item in timer.items(_to_bgr(picture), picture.time):
                last = item.t
                yield item
        if timer.count == 0:
            raise UserError(f"{self.name} holds no readable pictures: it is damaged or no video")
        declared = self.duration
        if declared is not None and last < declared - _SHORT:
            raise UserError(
                f"{self.name} ends at {last:.1f} s of {declared:.1f} s: the file is incomplete, "
                "copy it again"
            )

    def _pictures(self) -> Iterator[av.VideoFrame]:
        """Decoded pictures; damaged packets are skipped, within reason."""
        bad = 0
        packets = self._container.demux(self._stream)
        while True:
            try:
                packet = next(packets)
            except StopIteration:
                return
            except av.error.FFmpegError:
                return
            try:
                pictures = packet.decode()
            except av.error.FFmpegError:
                bad += 1
                if bad > _BAD_PACKETS:
                    return
                continue
            if pictures:
                bad = 0
            for picture in pictures:
                if isinstance(picture, av.VideoFrame):
                    yield picture


class _Timer:
    """Turns pictures with their source's own times into frames that start at 0 and only go on."""

    def __init__(self, fps: float) -> None:
        self._step = 1 / fps
        self._base: float | None = None
        self._last: float | None = None
        self._broken = False
        self.count = 0

    def restart(self) -> None:
        """The source was opened anew: there is a gap, however long its stamps say it was."""
        self._broken = True

    def items(self, image: Image, stamp: float | None) -> Iterator[Item]:
        """The frame of a picture, after the gap before it if there was one."""
        t = self._time(stamp)
        if self._last is not None:
            long = t - self._last > max(_GAP, 1.5 * self._step)
            if long or self._broken:
                yield SourceGap(self._last, t, self.count)
        self._last, self._broken = t, False
        yield Frame(image, self.count, t)
        self.count += 1

    def _time(self, stamp: float | None) -> float:
        following = 0.0 if self._last is None else self._last + self._step
        if stamp is None:
            return following
        if self._base is None:
            self._base = stamp - following
        t = stamp - self._base
        if self._last is not None and t <= self._last:
            # A stamp that goes back is a new count, not a journey in time.
            self._base = stamp - following
            t = following
        return t


class StreamSource(_Closing):
    """A URL. A finite one is a video; an endless one that breaks off is opened again."""

    live = True

    def __init__(self, url: str, sleep: Callable[[float], None] = time.sleep) -> None:
        self.name = url
        self._sleep = sleep
        self._closed = False
        self._container = _open_container(url, url, timeout=_STREAM_TIMEOUT)

    def close(self) -> None:
        self._closed = True
        self._container.close()

    def __iter__(self) -> Iterator[Item]:
        stream = self._container.streams.video[0]
        timer = _Timer(float(stream.average_rate or _CAMERA_FPS))
        while not self._closed:
            finite = self._container.duration is not None
            try:
                for picture in self._container.decode(video=0):
                    yield from timer.items(_to_bgr(picture), picture.time)
                if finite:
                    return
            except av.error.FFmpegError:
                pass  # broken off: told as a gap once it is back
            timer.restart()
            if not self._reopen():
                return

    def _reopen(self) -> bool:
        self._container.close()
        while not self._closed:
            self._sleep(_RETRY)
            try:
                self._container = _open_container(self.name, self.name, timeout=_STREAM_TIMEOUT)
            except UserError:
                continue
            return True
        return False


class Capture(Protocol):
    """What is used of `cv2.VideoCapture`."""

    def isOpened(self) -> bool: ...
    def read(self) -> tuple[bool, Image | None]: ...
    def get(self, prop: int) -> float: ...
    def release(self) -> None: ...


def _open_camera(index: int) -> Capture:
    # OpenCV's own types allow for more kinds of picture than a camera gives.
    return cast(Capture, cv2.VideoCapture(index))


class CameraSource(_Closing):
    """A camera by its index. Of the frames waiting only the latest is handed on; a camera that
    goes away is waited for and the gap told."""

    live = True

    def __init__(
        self,
        index: int,
        opened: Callable[[int], Capture] = _open_camera,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self.name = f"camera {index}"
        self._index = index
        self._open = opened
        self._sleep = sleep
        self._closed = threading.Event()
        self._capture = opened(index)
        if not self._capture.isOpened():
            self._capture.release()
            raise UserError(
                f"no camera at index {index}: plug it in, or try another index (0, 1, 2)"
            )

    def close(self) -> None:
        self._closed.set()

    def __iter__(self) -> Iterator[Item]:
        fps = self._capture.get(cv2.CAP_PROP_FPS)
        timer = _Timer(fps if 1 <= fps <= 240 else _CAMERA_FPS)
        latest = _Latest(self._fetch)
        try:
            while not self._closed.is_set():
                fetched = latest.take()
                if fetched is None:
                    return
                image, stamp, fresh = fetched
                if fresh:
                    timer.restart()
                yield from timer.items(image, stamp)
        finally:
            self._closed.set()
            latest.stop()
            self._capture.release()

    def _fetch(self) -> tuple[Image, float | None, bool] | None:
        """The next picture, its time stamp and whether the camera was opened anew for it."""
        fresh = False
        while not self._closed.is_set():
            ok, image = self._capture.read()
            if ok and image is not None:
                stamp = self._capture.get(cv2.CAP_PROP_POS_MSEC) / 1000
                return image, stamp if stamp > 0 else None, fresh
            fresh = True
            self._capture.release()
            self._sleep(_RETRY)
            self._capture = self._open(self._index)
        return None


class _Latest:
    """Fetches in a thread and keeps only the newest, so that a slow follower sees the present."""

    def __init__(self, fetch: Callable[[], tuple[Image, float | None, bool] | None]) -> None:
        self._fetch = fetch
        self._ready = threading.Condition()
        self._item: tuple[Image, float | None, bool] | None = None
        self._ended = False
        self._thread = threading.Thread(target=self._work, daemon=True)
        self._thread.start()

    def take(self) -> tuple[Image, float | None, bool] | None:
        """The newest picture not yet taken; None when there will be no more."""
        with self._ready:
            self._ready.wait_for(lambda: self._item is not None or self._ended)
            item, self._item = self._item, None
            return item

    def stop(self) -> None:
        self._thread.join(timeout=2 * _RETRY)

    def _work(self) -> None:
        while True:
            item = self._fetch()
            with self._ready:
                if item is None:
                    self._ended = True
                else:
                    # A reopening must not be lost with a picture nobody took.
                    fresh = item[2] or (self._item is not None and self._item[2])
                    self._item = (item[0], item[1], fresh)
                self._ready.notify()
            if item is None:
                return


def _open_container(
    path: str, name: str, timeout: float | None = None
) -> av.container.InputContainer:
    try:
        container = av.open(path, timeout=timeout)
    except (av.error.FFmpegError, OSError, ValueError):
        raise UserError(
            f"{name} can't be read as a video: it is none, damaged, or not there; "
            "try it in a video player"
        ) from None
    if not container.streams.video:
        container.close()
        raise UserError(f"{name} holds no video: give a recording with pictures")
    return container


def _to_bgr(picture: av.VideoFrame) -> Image:
    return np.asarray(picture.to_ndarray(format="bgr24"), dtype=np.uint8)
