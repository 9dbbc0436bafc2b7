"""The pixel-free simulator's readings: as honest as its statistics say."""

import math
import random
from dataclasses import replace

import pytest

from datasets.eventsim import EASY, HARD
from datasets.eventsim_reading import Reader
from datasets.eventsim_statistics import Statistics
from vision.labels import LABELS


class TestTheReader:
    N = 4000

    def _read(self, statistics: Statistics) -> list[tuple[float, bool]]:
        """For many readings: the probability of the likeliest card, and whether it is right."""
        reader = Reader(statistics, random.Random(7))
        rng = random.Random(8)
        found = []
        for _ in range(self.N):
            card = rng.choice(LABELS[:40])
            log_probs = reader.read(card)
            best = max(range(len(LABELS)), key=log_probs.__getitem__)
            found.append((math.exp(log_probs[best]), LABELS[best] == card))
        return found

    @pytest.mark.parametrize("top1", [0.98, 0.995])
    def test_it_is_right_as_often_as_the_statistics_say(self, top1: float) -> None:
        right = sum(ok for _, ok in self._read(replace(EASY, top1=top1))) / self.N
        assert abs(right - top1) < 3.5 * math.sqrt(top1 * (1 - top1) / self.N)

    def test_its_doubts_are_honest(self) -> None:
        doubtful = [pair for pair in self._read(replace(EASY, top1=0.9)) if pair[0] < 0.95]
        said = sum(p for p, _ in doubtful) / len(doubtful)
        right = sum(ok for _, ok in doubtful) / len(doubtful)
        assert len(doubtful) > 200
        assert abs(said - right) < 0.06

    def test_every_reading_is_a_distribution(self) -> None:
        reader = Reader(HARD, random.Random(1))
        for log_probs in (reader.read("7H"), reader.read_nothing(), reader.read_back()):
            assert len(log_probs) == len(LABELS)
            assert math.isclose(sum(map(math.exp, log_probs)), 1.0, rel_tol=1e-9)

    def test_what_lies_askew_is_read_as_another_card_and_surely_one_time_in_three(self) -> None:
        reader = Reader(HARD, random.Random(2))
        found = [reader.read_alike("7C") for _ in range(self.N)]
        sure = sum(max(log_probs) > math.log(0.9) for log_probs in found) / self.N
        as_itself = sum(LABELS[log_probs.index(max(log_probs))] == "7C" for log_probs in found)
        assert sure == pytest.approx(1 / 3, abs=0.1)
        assert as_itself / self.N < 0.25
