"""How cards are read at a simulated table without pixels: honestly, but for the faults asked for."""

import math
import random

from datasets.eventsim_statistics import Statistics
from vision.labels import BACK, CARDS, INDEX, LABELS, OTHER

_CLEAN = 26.0
"""Expected log-likelihood ratio between a clean card and any other: no chance of a misreading."""
_HARD = (0.8, 7.0)
"""The same for a hard crop and the card it resembles most (nats), drawn evenly between these."""
_ASKEW = (0.3, 4.0)
"""The same for a box that lies askew on a card, between what it is taken for and the card or nothing: on hard
videos one in three such readings is sure (p above 0.9)."""
_HABIT = (2.0, 8.0)
"""The same for two courts that a deck's art makes alike."""
_HARD_ERRORS = 0.125
"""Share of hard crops whose likeliest label is wrong: measured, see the tests."""


def _resemblances() -> dict[str, tuple[tuple[str, float], ...]]:
    """For each card the labels it may be taken for, with how much less readily (nats)."""
    alike = {frozenset(pair) for pair in ("KQ", "QJ", "KJ", "A4", "23", "56", "67")}
    near: dict[str, tuple[tuple[str, float], ...]] = {}
    for card in CARDS:
        found = []
        for other in CARDS:
            same_colour = (card[1] in "SC") == (other[1] in "SC")
            if other != card and other[0] == card[0]:
                found.append((other, 0.0 if same_colour else 4.0))
            elif other[1] == card[1] and frozenset((card[0], other[0])) in alike:
                found.append((other, 1.5))
        near[card] = tuple(found)
    return near


_RESEMBLANCES = _resemblances()


class Reader:
    """Draws readings whose probabilities are honest, but for the faults the statistics name.

    A log-likelihood ratio with mean m and variance 2m under the truth is what an honest reader
    reports; how small m is says how hard the crop is.
    """

    def __init__(self, statistics: Statistics, rng: random.Random) -> None:
        self._statistics = statistics
        self._rng = rng
        self._hard = min(1.0, (1 - statistics.top1 - statistics.blunder) / _HARD_ERRORS)
        self._habit: dict[str, tuple[str, float]] = {}

    def new_deck(self) -> None:
        """Now and then a deck's art makes two courts look alike: one bias for all their readings.

        The bias is honest for any one reading (mean -m, variance 2m under the truth), but the two
        cards share it, so that their readings together say no more than one of them alone.
        """
        self._habit = {}
        rng = self._rng
        for suit in "SHDC" if self._statistics.court_habit else "":
            if rng.random() >= self._statistics.court_habit:
                continue
            one, two = rng.sample("KQJ", 2)
            mean = rng.uniform(*_HABIT)
            bias = rng.gauss(-mean, math.sqrt(2 * mean))
            self._habit[one + suit] = (two + suit, bias)
            self._habit[two + suit] = (one + suit, bias)

    def read_phantom(self, habit: str) -> tuple[float, ...]:
        """Log-probabilities for a print on the cloth that looks a little like the card `habit`."""
        rng = self._rng
        ratios = [-9 + rng.gauss(0, 2) for _ in LABELS]
        ratios[INDEX[OTHER]] = 0.0
        ratios[INDEX[habit]] = rng.gauss(-0.5, 2)
        return self._said(ratios)

    def read(self, card: str, hard: bool = False) -> tuple[float, ...]:
        """Log-probabilities over `LABELS` for one look at a card; `hard` for a half-hidden one."""
        rng = self._rng
        ratios = [-_CLEAN + rng.gauss(0, 2) for _ in LABELS]
        ratios[INDEX[card]] = 0.0
        if rng.random() < self._statistics.blunder:
            other = rng.choice(_RESEMBLANCES[card])[0]
            ratios[INDEX[other]] = rng.uniform(2.0, 5.0)
        elif hard or rng.random() < self._hard:
            mean = rng.uniform(*_HARD)
            for other, extra in (*_RESEMBLANCES[card], (OTHER, 3.0)):
                expected = mean + extra + rng.uniform(0, 3)
                ratios[INDEX[other]] = rng.gauss(-expected, math.sqrt(2 * expected))
        if card in self._habit:
            other, bias = self._habit[card]
            ratios[INDEX[other]] = max(ratios[INDEX[other]], bias + rng.gauss(0, 0.3))
        return self._said(ratios)

    def read_alike(self, card: str) -> tuple[float, ...]:
        """Log-probabilities for a box that lies askew on a card and shows something of another."""
        ratios = [-_CLEAN + self._rng.gauss(0, 2) for _ in LABELS]
        mean = self._rng.uniform(*_ASKEW)
        ratios[INDEX[self._rng.choice(_RESEMBLANCES[card])[0]]] = 0.0
        for label in (card, OTHER):
            ratios[INDEX[label]] = self._rng.gauss(-mean, math.sqrt(2 * mean))
        return self._said(ratios)

    def read_nothing(self) -> tuple[float, ...]:
        """Log-probabilities for something that is no card of the deck."""
        rng = self._rng
        ratios = [-9 + rng.gauss(0, 2) for _ in LABELS]
        ratios[INDEX[OTHER]] = 0.0
        ratios[rng.randrange(len(CARDS))] = rng.gauss(-3.5, 2)
        return self._said(ratios)

    def read_back(self) -> tuple[float, ...]:
        """Log-probabilities for the back of a card."""
        ratios = [-_CLEAN] * len(LABELS)
        ratios[INDEX[BACK]] = 0.0
        return self._said(ratios)

    def _said(self, ratios: list[float]) -> tuple[float, ...]:
        factor = self._statistics.overconfident
        weights = [math.exp(max(ratio * factor, -60.0)) for ratio in ratios]
        floor = 2e-5 * sum(weights) / len(weights)
        total = sum(weights) + floor * len(weights)
        return tuple(math.log((weight + floor) / total) for weight in weights)
