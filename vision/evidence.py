"""Many readings of one card put together into one."""

import math
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from vision.labels import CARDS, LABELS
from vision.types import Reading

SURE = 0.9
"""A card read with this probability is taken for that card."""
_ANOTHER = 0.05
"""Two looks show two cards where one card is so much less likely to be read so twice than two are."""
_FLOOR = math.log(1e-4)
"""No single reading may rule a card out further than this: one confident slip must not decide."""
_MOST = 3.0
"""However many the frames, they count as no more than this many independent ones: they share the
card, the lamp and the angle."""


@dataclass(slots=True)
class Evidence:
    """The readings of one track.

    The mean log-probability counts as the square root of the weight seen, at most `_MOST` times:
    four frames are worth two independent ones, nine and more are worth three.
    """

    weight: float = 0.0
    count: int = 0
    _total: npt.NDArray[np.float64] = field(default_factory=lambda: np.zeros(len(LABELS)))

    def add(self, reading: Reading, weight: float = 1.0) -> None:
        """Take in a reading; `weight` 0 to 1 says how well the card was seen."""
        logs = np.maximum(np.asarray(reading.log_probs), _FLOOR)
        self._total += weight * logs
        self.weight += weight
        self.count += 1

    def log_probs(self) -> tuple[float, ...]:
        """Normalised log-probabilities over `LABELS`; uniform before the first reading."""
        if self.weight <= 0:
            return (-math.log(len(LABELS)),) * len(LABELS)
        strength = min(math.sqrt(self.weight), _MOST) if self.weight > 1 else self.weight
        logs = self._relative(strength)
        logs = logs - math.log(float(np.exp(logs).sum()))
        return tuple(float(x) for x in logs)

    def typical(self) -> float:
        """How sure a single reading is of the likeliest label: many alike make it no surer."""
        if self.weight <= 0:
            return 0.0
        return float(1 / np.exp(self._relative(1.0)).sum())

    def _relative(self, strength: float) -> npt.NDArray[np.float64]:
        """The mean log-probabilities of what was read, so often told, relative to the likeliest label's."""
        logs = self._total / self.weight * strength
        return np.asarray(logs - logs.max())

    def best(self) -> tuple[str, float]:
        """The likeliest label and its probability."""
        logs = self.log_probs()
        first = max(range(len(LABELS)), key=logs.__getitem__)
        return LABELS[first], math.exp(logs[first])

    def card(self) -> str | None:
        """The card that all that was read surely says, None where it says none or none surely."""
        if not self.count:
            return None
        label, p = self.best()
        return label if p >= SURE and label in CARDS else None

    def another(self, reading: Reading) -> bool:
        """Whether `reading` surely is of another card than all that was read before.

        The likelihood ratio of one card read twice to two cards, each card as likely: the sum over the cards
        of p·q over their equal chance 1/n. Backs and what is no card tell nothing.
        """
        if not self.count or reading.best not in CARDS:
            return False
        n = len(CARDS)
        known = np.exp(np.maximum(self.log_probs()[:n], _FLOOR))
        seen = np.exp(np.maximum(reading.log_probs[:n], _FLOOR))
        one = float(np.dot(known, seen) / known.sum() / seen.sum())
        return one * n < _ANOTHER
