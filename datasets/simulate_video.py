"""The camera's own faults, and the video file: the only module that knows PyAV."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

import av
import cv2
import numpy as np
import numpy.typing as npt

Image = npt.NDArray[np.uint8]

_TIME_BASE = 90_000
_READOUT_S = 0.022  # from the first row to the last, as small sensors take


@dataclass(frozen=True, slots=True)
class Faults:
    """What a webcam does to a picture. `noise` in grey levels, `blur` in pixels (sigma).

    `sharpen` is the weight of an unsharp mask; `drift` and `flicker` are shares of brightness. Lamps
    flicker at twice `mains_hz`; rows are exposed one after another, so it shows as bands that drift.
    """

    blur: float
    sharpen: float
    noise: float
    drift: float
    flicker: float
    mains_hz: float


class Sensor:
    """Applies the faults, the same for the same seed and frame number."""

    def __init__(self, faults: Faults, size: tuple[int, int], rng: np.random.Generator) -> None:
        self.faults, self.size = faults, size
        w, h = size
        field = rng.normal(0, faults.noise, (h + 97, w + 131, 1))
        colour = rng.normal(0, faults.noise * 0.5, (h + 97, w + 131, 3))
        both = field + colour
        self._plus = np.clip(np.round(both), 0, 255).astype(np.uint8)
        self._minus = np.clip(np.round(-both), 0, 255).astype(np.uint8)
        self._phases = rng.uniform(0, 2 * np.pi, 4)
        self._periods = rng.uniform(7, 31, 4)
        self._offsets = rng.integers(0, (97, 131), (4096, 2))

    def capture(self, picture: Image, index: int, t: float) -> Image:
        """A new picture as the sensor delivers it."""
        f = self.faults
        out = cv2.GaussianBlur(picture, (0, 0), f.blur) if f.blur > 0.25 else picture
        if f.sharpen:
            out = cv2.addWeighted(out, 1 + f.sharpen, cv2.blur(out, (3, 3)), -f.sharpen, 0)
        if f.drift or f.flicker:
            waves = np.sin(2 * np.pi * t / self._periods + self._phases)
            gain = 1 + f.drift * waves[3] + f.flicker
            gains = gain * (1 + 0.4 * f.drift * waves[:3])
            ramp = np.arange(256)[:, None, None] * gains[None, None, :]
            out = cv2.LUT(out, np.clip(ramp, 0, 255).astype(np.uint8).reshape(1, 256, 3))
        if f.flicker:
            out = cv2.multiply(out, self._bands(t), scale=1 / 255)
        if f.noise:
            w, h = self.size
            y, x = self._offsets[index % len(self._offsets)]
            out = cv2.add(out, self._plus[y : y + h, x : x + w])
            out = cv2.subtract(out, self._minus[y : y + h, x : x + w])
        return out

    def _bands(self, t: float) -> Image:
        """(height, width, 3): 255 in the rows exposed while the lamps were brightest."""
        w, h = self.size
        when = t + _READOUT_S * np.arange(h) / h
        wave = np.sin(2 * np.pi * 2 * self.faults.mains_hz * when)
        rows = np.round(255 * (1 + self.faults.flicker * wave) / (1 + self.faults.flicker))
        return np.repeat(rows.astype(np.uint8), w * 3).reshape(h, w, 3)


class Writer:
    """Writes H.264; frames may come at any times, each later than the one before."""

    def __init__(
        self,
        container: av.container.OutputContainer,
        size: tuple[int, int],
        fps: float,
        bit_rate: int,
    ) -> None:
        self._container = container
        stream = container.add_stream("libx264", rate=Fraction(fps).limit_denominator(1001))
        stream.width, stream.height = size
        stream.pix_fmt = "yuv420p"
        stream.bit_rate = bit_rate
        stream.codec_context.time_base = Fraction(1, _TIME_BASE)
        stream.codec_context.thread_count = 1  # the file must not depend on the machine's cores
        stream.options = {"preset": "veryfast", "g": str(round(fps * 8)), "bf": "0"}
        self._stream = stream

    def write(self, picture: Image, t: float) -> None:
        """Append a (height, width, 3) BGR picture shown from `t` seconds."""
        yuv = cv2.cvtColor(picture, cv2.COLOR_BGR2YUV_I420)
        frame = av.VideoFrame.from_ndarray(yuv, format="yuv420p")
        frame.pts = round(t * _TIME_BASE)
        frame.time_base = Fraction(1, _TIME_BASE)
        self._container.mux(self._stream.encode(frame))

    def finish(self) -> None:
        self._container.mux(self._stream.encode(None))


@contextmanager
def open_writer(path: Path, size: tuple[int, int], fps: float, bit_rate: int) -> Iterator[Writer]:
    """A video file at `path`, without any metadata of ours in it."""
    with av.open(str(path), "w", format="mp4", options={"movflags": "faststart"}) as container:
        writer = Writer(container, size, fps, bit_rate)
        yield writer
        writer.finish()
