"""What every source of frames is, whatever it comes from, and how the time of its frames is told."""

from collections.abc import Callable, Iterator
from types import TracebackType
from typing import Protocol, Self

from vision.events import SourceGap
from vision.types import Frame, Image

LONG_PAUSE = 1.0
"""Seconds without a frame that are told as a gap; webcams stutter for less."""
_LEAST_STEP = 0.001
"""Seconds between two frames at least: a clock may be coarser than a camera is fast."""

Item = Frame | SourceGap


class Source(Protocol):
    """Frames in order of time, and the gaps between them. A context manager."""

    @property
    def name(self) -> str: ...

    @property
    def live(self) -> bool:
        """Whether frames come as they are taken, so that those not fetched in time are lost."""
        ...

    @property
    def notice(self) -> str | None:
        """One line a person should read before the source is followed; None where all is well."""
        ...

    def on_waiting(self, tell: Callable[[], None]) -> None:
        """Call `tell` whenever frames stay away, on the thread that waits for them.

        It is called once for each time they stay away; the next frame says that it is over.
        """
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


class SourceBase:
    """What sources have in common: most need no closing, say nothing and never wait."""

    notice: str | None = None

    def on_waiting(self, tell: Callable[[], None]) -> None:
        """Nothing: only a live source waits."""

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


class FileTimer:
    """Turns a file's pictures with their own times into frames that start at 0 and only go on.

    No clock has a part in it: the same file gives the same times.
    """

    def __init__(self, fps: float) -> None:
        self._step = 1 / fps
        self._base: float | None = None
        self._last: float | None = None
        self.count = 0

    def items(self, image: Image, stamp: float | None) -> Iterator[Item]:
        """The frame of a picture stamped in seconds, after the gap before it if there was one."""
        t = self._time(stamp)
        if self._last is not None and t - self._last > max(LONG_PAUSE, 1.5 * self._step):
            yield SourceGap(self._last, t, self.count)
        self._last = t
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


class LiveTimer:
    """The time of a live source's pictures, in seconds from the first.

    Their own stamps are the steadiest, but drivers and demuxers invent them where they have none
    (a nominal rate, whatever the real one). So the stamps are believed only as long as they go on
    and keep within `lag` seconds of the clock; from then on, and while the source is away, the time
    is when a picture came.
    """

    def __init__(self, lag: float) -> None:
        self._lag = lag
        self._last: tuple[float | None, float] | None = None
        self._drift = 0.0
        self._believed = True
        self._t = 0.0

    @property
    def early(self) -> float:
        """How many seconds the latest picture came before it was due, by its stamp."""
        return self._drift

    def time(self, stamp: float | None, clock: float, fresh: bool) -> float:
        """The time of a picture with its `stamp` that came at `clock`, both in seconds.

        `fresh` where the source was opened anew for it: its stamps may count from anywhere then.
        """
        last, self._last = self._last, (stamp, clock)
        if fresh or last is None:
            self._drift, self._believed = 0.0, True
        if last is not None:
            self._t += max(self._step(last, stamp, clock, fresh), _LEAST_STEP)
        return self._t

    def _step(
        self, last: tuple[float | None, float], stamp: float | None, clock: float, fresh: bool
    ) -> float:
        """Seconds from the picture before."""
        passed = clock - last[1]
        if fresh or not self._believed or stamp is None or last[0] is None:
            return passed
        step = stamp - last[0]
        drift = self._drift + step - passed
        if step <= 0 or abs(drift) > self._lag:
            # What the stamps were wrong by till now is put right with this step.
            self._believed, self._drift, passed = False, 0.0, passed - self._drift
            return passed
        self._drift = drift
        return step
