"""Cards that do not belong on a Sueca table: foreign ones, and the same card twice.

No pixels, no clock: what is believed of the lying cards goes in, frame by frame.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import combinations

from vision import geometry
from vision.events import ForeignCard, SameCardTwice
from vision.labels import BACK, OTHER
from vision.types import Quad

_FOREIGN_SURE, _FOREIGN_READINGS, _FOREIGN_SECONDS = 0.9, 5, 3.0
"""How surely, how often read and how long in full view a card is foreign: glare, a thumb or a card
half covered read as `other` too, but seldom for so long."""
_TWICE_SURE, _TWICE_READINGS, _TWICE_SECONDS = 0.97, 4, 1.5
"""The same for two cards that are alike: one card moved is found at both places for a moment."""
_APART = 0.1
"""Two cards lie side by side when they overlap by less than this (IoU)."""


@dataclass(frozen=True, slots=True)
class LyingCard:
    """A face-up card that was announced: its likeliest label and that label's probability, after
    how many readings, where it lies (table coordinates), and whether it is in full view now."""

    track: int
    label: str
    p: float
    readings: int
    quad: Quad
    in_view: bool


@dataclass(slots=True)
class StrangeCards:
    """Tells each strange card once. Feed every frame."""

    _foreign_since: dict[int, float] = field(default_factory=dict)
    _twice_since: dict[tuple[int, int], float] = field(default_factory=dict)
    _told: set[int | tuple[int, int]] = field(default_factory=set)

    def step(
        self, t: float, frame: int, cards: Sequence[LyingCard]
    ) -> list[ForeignCard | SameCardTwice]:
        """Take in the cards that lie at `t`."""
        said: list[ForeignCard | SameCardTwice] = []
        foreign = {card.track: card for card in cards if _foreign(card)}
        self._foreign_since = {one: self._foreign_since.get(one, t) for one in foreign}
        for track, since in self._foreign_since.items():
            if t - since >= _FOREIGN_SECONDS and track not in self._told:
                self._told.add(track)
                said.append(ForeignCard(track, t, frame, geometry.centre(foreign[track].quad)))
        sure = [card for card in cards if _sure(card)]
        twins = {
            (one.track, other.track): one.label
            for one, other in combinations(sure, 2)
            if one.label == other.label and geometry.iou(one.quad, other.quad) < _APART
        }
        self._twice_since = {pair: self._twice_since.get(pair, t) for pair in twins}
        for pair, since in self._twice_since.items():
            if t - since >= _TWICE_SECONDS and pair not in self._told:
                self._told.add(pair)
                said.append(SameCardTwice(pair, t, frame, twins[pair]))
        return said


def _foreign(card: LyingCard) -> bool:
    surely = card.p >= _FOREIGN_SURE and card.readings >= _FOREIGN_READINGS
    return card.label == OTHER and surely and card.in_view


def _sure(card: LyingCard) -> bool:
    surely = card.p >= _TWICE_SURE and card.readings >= _TWICE_READINGS
    return card.label not in (OTHER, BACK) and surely and card.in_view
