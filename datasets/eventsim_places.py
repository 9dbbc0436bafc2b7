"""Where cards come to lie at a simulated table, and from which side of it they come and go."""

import math
import random
from dataclasses import dataclass

from assistant.sueca import RuleSet, Seat
from datasets.eventsim_statistics import Statistics
from vision.types import Point

OUTWARD: tuple[Point, ...] = ((0.0, 1.0), (1.0, 0.0), (0.0, -1.0), (-1.0, 0.0))


@dataclass(frozen=True, slots=True)
class Places:
    """Draws places, in table coordinates."""

    rules: RuleSet
    statistics: Statistics
    rng: random.Random

    def place(self, seat: Seat, along: float, spread: float) -> Point:
        ux, uy = OUTWARD[seat.index]
        gauss = self.rng.gauss
        return (0.5 + along * ux + gauss(0, spread), 0.5 + along * uy + gauss(0, spread))

    def spot(self, seat: Seat) -> Point:
        return self.place(seat, self.statistics.along, self.statistics.spread)

    def edge(self, seat: Seat) -> Point:
        ux, uy = OUTWARD[seat.index]
        return (0.5 + 0.55 * ux, 0.5 + 0.55 * uy)

    def entry(self, seat: Seat) -> Point | None:
        rng, statistics = self.rng, self.statistics
        if rng.random() < statistics.entry_missing:
            return None
        if rng.random() < statistics.entry_wrong:
            seat = rng.choice(self.rules.seats)
        ux, uy = OUTWARD[seat.index]
        angle = math.atan2(uy, ux) + rng.gauss(0, statistics.entry_spread)
        return (0.5 + 0.55 * math.cos(angle), 0.5 + 0.55 * math.sin(angle))
