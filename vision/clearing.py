"""Whether the table is clear: no face-up card lies in the play area any more."""

import math

_ALONE_FOR = 2.0
"""Seconds a card must outlast all that came after it to be one that stays (the dealer's trump)."""
_TRICK = 3
"""Cards that came after it and went: less is a card taken back, not a table cleared."""


class Clearing:
    """Tells once when the table has become clear. Feed every frame that was followed."""

    def __init__(self) -> None:
        self._lying: frozenset[int] = frozenset()
        self._came: set[int] = set()
        self._alone_since = math.inf
        self._cleared = True

    def step(self, t: float, lying: frozenset[int]) -> bool:
        """Whether it is just now known to be clear; `lying` the face-up tracks in play at `t`.

        A card that outlasts a trick that came after it stays there (the dealer's trump, shown and
        left lying) and does not count.
        """
        if lying != self._lying:
            self._came |= lying - self._lying
            self._cleared = self._cleared and not lying - self._lying
            self._alone_since, self._lying = t, lying
        passed = sum(track > min(lying, default=0) for track in self._came - lying)
        stays = len(lying) == 1 and passed >= _TRICK and t - self._alone_since > _ALONE_FOR
        if self._cleared or (lying and not stays):
            return False
        self._cleared = True
        self._came = set(lying)
        return True
