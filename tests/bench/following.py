"""How fast a video is followed: times real time, and where the time goes.

Run by `make bench`: the bundled sample, 720p at 15 frames/s, decoded, followed and written down.
"""

import resource
import time
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar

from assistant.scribe.scribe import Scribe, ScribeOptions
from vision.events import SourceGap
from vision.finder import Finder
from vision.pipeline import Follower
from vision.reader import Reader
from vision.sources import open_source

SAMPLE = Path(__file__).parents[2] / "datasets" / "samples" / "sample.mp4"
TARGET = 2.0
"""Times real time on two cores."""

Made = TypeVar("Made")


class Clock:
    """Adds up the time spent in each stage."""

    def __init__(self) -> None:
        self.spent: Counter[str] = Counter()

    def timed(self, name: str, work: Callable[..., Made]) -> Callable[..., Made]:
        def run(*given: object) -> Made:
            start = time.perf_counter()
            try:
                return work(*given)
            finally:
                self.spent[name] += time.perf_counter() - start  # type: ignore[assignment]

        return run


def follow(path: Path) -> tuple[float, float, Counter[str]]:
    """Seconds of video, seconds taken, and seconds a stage."""
    clock, scribe = Clock(), Scribe(ScribeOptions())
    finder, reader = Finder(), Reader()
    follower = Follower(clock.timed("finder", finder.find_live), clock.timed("reader", reader.read))
    step, feed = clock.timed("vision, all", follower.step), clock.timed("scribe", scribe.feed)
    seconds, start = 0.0, time.perf_counter()
    with open_source(str(path)) as source:
        for item in source:
            if isinstance(item, SourceGap):
                continue
            seconds = item.t
            events: Sequence[object] = step(item)
            for event in events:
                feed(event)
    return seconds, time.perf_counter() - start, clock.spent


def main() -> None:
    """Print the speed and the share of each stage."""
    seconds, taken, spent = follow(SAMPLE)
    print(f"following {SAMPLE.name}: {seconds:.0f} s of video in {taken:.0f} s")
    print(f"  {seconds / taken:.1f} x real time   (target {TARGET:.0f})")
    for name, part in sorted(spent.items(), key=lambda pair: -pair[1]):
        print(f"  {name:12} {part:6.1f} s   {100 * part / taken:.0f}%")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"  memory at most {peak:.0f} MB")


if __name__ == "__main__":
    main()
