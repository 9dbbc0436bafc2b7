"""What a scribe carries over from one deal to the next: all of it, when no card is on the table.

A scribe begun with it goes on exactly as the one it was taken from.
"""

import math
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Turns:
    """What is known of how the cards go round the table: the seats (0-3, None where not known) of
    the cards since it was last clear, the latest `steps` from one player to the next, and whether
    it was `told` that they go the wrong way."""

    seats: tuple[int | None, ...] = ()
    steps: tuple[int, ...] = ()
    told: bool = False


@dataclass(frozen=True, slots=True)
class Carried:
    """`deal` is the number of the deal that is over, `now` the latest time known, `ended` when the
    deal did (-inf: nothing of it lies there to be counted), `blind` whether the picture is mirrored.

    `foreign` counts the foreign cards told of; `unseen` are the cards that did not come up in the
    deal.
    """

    deal: int
    next_play_id: int
    now: float
    ended: float = -math.inf
    blind: bool = False
    foreign: int = 0
    unseen: tuple[str, ...] = ()
    turns: Turns = field(default_factory=Turns)
