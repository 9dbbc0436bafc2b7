"""Videos as PyAV opens them, from files and from URLs. The one module that knows PyAV."""

from collections.abc import Iterator

import av
import av.error
import numpy as np

from vision.errors import UserError
from vision.types import Image

_BAD_PACKETS = 50
"""Undecodable packets in a row after which a video is given up."""
_FALLBACK_FPS = 30.0
"""Where a video declares no rate."""
_NO_STAMPS = 0x80
"""FFmpeg's `AVFMT_NOTIMESTAMPS`; PyAV gives a format's flags as a plain number."""
_SEGMENTED = {"hls", "dash"}
"""Formats that hand over a live stream in pieces of several seconds."""


class Container:
    """An open video: its first video stream's pictures, and what it declares about them."""

    def __init__(self, address: str, timeout: float | None = None) -> None:
        """Open a path or URL; `timeout` is how many seconds the network may take for a step.

        Raises UserError where it is none, damaged, not there, or without pictures.
        """
        try:
            self._container = av.open(address, timeout=timeout)
        except (av.error.FFmpegError, OSError, ValueError):
            raise UserError(
                f"{address} can't be read as a video: it is none, damaged, or not there; "
                "try it in a video player"
            ) from None
        if not self._container.streams.video:
            self._container.close()
            raise UserError(f"{address} holds no video: give a recording with pictures")
        self._stream = self._container.streams.video[0]

    @property
    def fps(self) -> float:
        """Pictures a second, as declared."""
        return float(self._stream.average_rate or _FALLBACK_FPS)

    @property
    def finite(self) -> bool:
        """Whether it has an end: a recording has, a camera's stream has not."""
        return bool(self._container.duration)

    @property
    def stamped(self) -> bool:
        """Whether its pictures carry times: where they do not (`mpjpeg`), FFmpeg makes up some."""
        return not self._container.format.flags & _NO_STAMPS

    @property
    def segmented(self) -> bool:
        """Whether seconds of it come at once."""
        return self._container.format.name in _SEGMENTED

    @property
    def duration(self) -> float | None:
        """Seconds of pictures declared, None where that is not said.

        Of the pictures alone: sound often runs on for a while.
        """
        stream = self._stream
        if stream.duration is not None and stream.time_base is not None:
            return float(stream.duration * stream.time_base)
        end = _seconds(stream.metadata.get("DURATION", ""))
        if end is not None:
            # Matroska's tag tells when the last picture ends, not how long they last.
            return end - float((stream.start_time or 0) * (stream.time_base or 0))
        if self._container.duration is None or len(self._container.streams) > 1:
            return None
        return float(self._container.duration) / av.time_base

    def use_threads(self, count: int) -> None:
        """Decode in `count` threads, at the cost of as many pictures' delay."""
        self._stream.thread_type = "AUTO"
        self._stream.codec_context.thread_count = count

    def pictures(self) -> Iterator[av.VideoFrame]:
        """Decoded pictures to the end, or to where it breaks off; damaged packets are skipped,
        within reason."""
        bad = 0
        packets = self._container.demux(self._stream)
        while True:
            try:
                packet = next(packets)
            except (StopIteration, av.error.FFmpegError):
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

    def close(self) -> None:
        """Close it. Not while another thread reads from it."""
        self._container.close()


def to_bgr(picture: av.VideoFrame) -> Image:
    """The picture upright: phones write it as the sensor lies, and how far to turn it."""
    image = np.asarray(picture.to_ndarray(format="bgr24"), dtype=np.uint8)
    quarters = round(picture.rotation / 90) % 4  # counter-clockwise, as rot90 turns
    return np.ascontiguousarray(np.rot90(image, quarters)) if quarters else image


def _seconds(text: str) -> float | None:
    """Of Matroska's `00:01:02.500000000`; None for anything else."""
    try:
        hours, minutes, seconds = text.split(":")
        return 3600 * int(hours) + 60 * int(minutes) + float(seconds)
    except ValueError:
        return None
