"""Two hours at the table: does memory stay flat, and does a frame cost as much at the end as it did?

Run by `make bench` (figures only) and by `make soak` (which fails where they are not flat). The frames
are small drawn ones, looped deal after deal through the tracker, the scribe and the log as quickly as
they go; stand-ins take the place of the two models, whose memory does not depend on what they see. With
`real=True` (a soak part of its own, `tests.soak.endurance_real`, half an hour) it is the bundled sample,
followed over and over by the real ones.
"""

import gc
import itertools
import os
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from assistant.live import LiveGame
from assistant.log import GameLog
from assistant.scribe import Scribe, ScribeOptions
from assistant.session import Session
from assistant.sueca import preset
from datasets.simulate_game import play_deals
from tests.bench.following import SAMPLE
from tests.vision.scenes import HEIGHT, TABLE, WIDTH, Lay, Scene, Sweep
from vision.events import SourceGap
from vision.finder import Finder
from vision.pipeline import Follower
from vision.reader import Reader
from vision.sources import open_source
from vision.table import table_from_corners
from vision.types import Frame

HOURS = 2.0
FPS = 5.0
"""Enough for the tracker; two hours are 36,000 frames then, some minutes' work."""
MOST_GROWTH_MB = 40.0
"""What may be added between the first tenth and the end: the log itself, which is kept in memory (a
kilobyte an entry, some eight thousand in two hours), and what the allocator leaves between."""
MOST_SLOWING = 2.0
"""Times as long that a frame may take in the last tenth as in the second: a log is folded whole."""
_PLACES = {"S": (320, 225), "E": (375, 180), "N": (318, 135), "W": (265, 185)}
_TRICK_S, _PLAY_S, _BETWEEN_DEALS_S = 5.6, 0.9, 9.0
_DEALS_DRAWN = 3
_EVERY = 2
"""Of the sample's 15 frames a second every other one is followed: two hours are 54,000 then."""
_SAMPLE_PAUSE_S = 10.0
"""Between two showings of the sample, as between deals."""


@dataclass(frozen=True, slots=True)
class Endurance:
    """`hours` followed; deals ended, deals that were played, and log entries by then; megabytes after the
    first tenth and at the end; computing milliseconds a frame in the second tenth and in the last."""

    hours: float
    deals: int
    expected: int
    entries: int
    warm_mb: float
    end_mb: float
    early_ms: float
    late_ms: float

    @property
    def growth_mb(self) -> float:
        return self.end_mb - self.warm_mb


def _memory_mb() -> float:
    """Of this process now, resident."""
    gc.collect()
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def _deal(seed: int) -> Scene:
    """One ordinary deal as a scene."""
    (played,) = play_deals(seed, preset("selminha"), 1)
    acts: list[Lay | Sweep] = []
    for number, play in enumerate(played.deal.plays):
        t = 1.0 + number // 4 * _TRICK_S + number % 4 * _PLAY_S
        seat = play.seat.value
        acts.append(Lay(seat, play.card.text, _PLACES[seat], t, 0.4 + number % 4))
        if number % 4 == 3:
            acts.append(Sweep("S", t + 1.7))
    return Scene(acts, 10 * _TRICK_S + _BETWEEN_DEALS_S, seed, misses=0.0)


class _Footage(Protocol):
    """What is followed: `deal_s` seconds a deal, at most."""

    deal_s: float

    def frames(self, hours: float) -> Iterator[Frame]:
        """So many hours of frames."""

    def follower(self) -> Follower:
        """What follows them."""


class _Table:
    """The deals' frames over and over, and the models' stand-ins for whichever is shown."""

    deal_s = 10 * _TRICK_S + _BETWEEN_DEALS_S

    def __init__(self) -> None:
        scenes = [_deal(seed) for seed in range(1, _DEALS_DRAWN + 1)]
        for scene in scenes:
            scene.fps = FPS
        self._drawn = [(scene, list(scene.frames())) for scene in scenes]
        self._scene = scenes[0]

    def frames(self, hours: float) -> Iterator[Frame]:
        index = 0
        while True:
            for scene, drawn in self._drawn:
                self._scene = scene
                for frame in drawn:
                    if index > hours * 3600 * FPS:
                        return
                    scene._now = frame.t
                    yield Frame(frame.image, index, index / FPS)
                    index += 1

    def follower(self) -> Follower:
        return Follower(
            lambda image, window: self._scene.find(image, window),
            lambda image, quads: self._scene.read(image, quads),
            table_from_corners(TABLE, (WIDTH, HEIGHT)),
        )


class _Sample:
    """The bundled sample over and over, and the real models."""

    def __init__(self) -> None:
        with open_source(str(SAMPLE)) as source:
            self.deal_s = max(item.t for item in source) + _SAMPLE_PAUSE_S

    def frames(self, hours: float) -> Iterator[Frame]:
        shown = 0
        for index in itertools.count():
            before = index * self.deal_s
            if before > hours * 3600:
                return
            with open_source(str(SAMPLE)) as source:
                for item in source:
                    if not isinstance(item, SourceGap) and item.index % _EVERY == 0:
                        yield Frame(item.image, shown, before + item.t)
                        shown += 1

    def follower(self) -> Follower:
        return Follower(Finder().find_live, Reader().read)


def endure(hours: float, real: bool = False) -> Endurance:
    """Follow so many hours and measure; `real`: the sample with the real models."""
    table: _Footage = _Sample() if real else _Table()
    last = hours * 3600
    marks: dict[str, tuple[float, int, float]] = {}
    with tempfile.TemporaryDirectory() as folder:
        game = LiveGame(GameLog(Path(folder) / "game.sueca"))
        session = Session(table.follower(), Scribe(ScribeOptions()), game, None)
        due = {"warm": 0.1, "early": 0.2, "late": 0.9, "end": 1.0}

        def watch(frame: Frame, view: object) -> None:
            for name, share in due.items():
                if name not in marks and frame.t >= share * last:
                    marks[name] = (time.process_time(), frame.index, _memory_mb())

        session.run(table.frames(hours), watch)
        deals = sum(deal.ended is not None for deal in game.game.deals)
        entries = len(game.entries)
        game.close()
    early, late = (_ms(marks[a], marks[b]) for a, b in (("warm", "early"), ("late", "end")))
    expected = int(last / table.deal_s)
    return Endurance(
        hours, deals, expected, entries, marks["warm"][2], marks["end"][2], early, late
    )


def _ms(one: tuple[float, int, float], other: tuple[float, int, float]) -> float:
    return 1000 * (other[0] - one[0]) / max(1, other[1] - one[1])


def tell(found: Endurance) -> str:
    """The figures in two lines."""
    return (
        f"{found.hours:g} hours at the table: {found.deals} of {found.expected} deals,"
        f" {found.entries} log entries\n"
        f"  memory {found.warm_mb:.0f} MB after a tenth, {found.end_mb:.0f} MB at the end"
        f" ({found.growth_mb:+.0f} MB; at most {MOST_GROWTH_MB:+.0f})\n"
        f"  a frame {found.early_ms:.1f} ms early, {found.late_ms:.1f} ms late"
    )


def main() -> None:
    """Print the figures."""
    print(tell(endure(HOURS)))


if __name__ == "__main__":
    main()
