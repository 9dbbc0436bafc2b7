"""What a scribe is told of a deal before it sees any of it, and by which times deals are told apart."""

import math
from dataclasses import dataclass

AT_ONCE = 0.5
"""A card seen this soon after the source began lay there before: the deal was under way."""
COUNTING_SECONDS = 20.0
"""How long after a deal cards turned up may still be its own, looked at or counted."""
DEALING_SECONDS = 6.0
"""Nobody gathers, shuffles and deals forty cards faster."""


@dataclass(frozen=True, slots=True)
class Circumstances:
    """What the scribe was told: seats 0-3 and a suit 0-3, -1 where unknown; `step` the direction.

    `ended` when the last deal did: for a while its cards may be looked at and counted.
    """

    step: int = 1
    dealer: int = -1
    trump: int = -1
    ended: float = -math.inf
