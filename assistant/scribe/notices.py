"""What the log is told of the camera and the table besides plays."""

import math
from collections.abc import Collection
from dataclasses import dataclass, field

from assistant.events import Noticed, Seat
from vision.events import (
    CameraMoved,
    CardPlaced,
    ForeignCard,
    SameCardTwice,
    SourceGap,
    TableEvent,
    ViewTrouble,
)
from vision.types import Point

MIDDLE: Point = (0.5, 0.5)
"""Of the table, in its coordinates."""
FOREIGN_DECK = 3
"""So many foreign cards are no stray ones: somebody plays with a poker deck."""
PLAYED_WITHIN = 0.3
"""Of the table's side from its middle: what lies farther out was not played. Piles lie there, and a back
without a pattern may be taken for a face that is none of the 40 (so in 2 of 20 easy games followed)."""
MOST_FOREIGN = 16
"""Foreign cards told one by one: the twelve 8s, 9s and 10s and the jokers of a deck, and no more."""


@dataclass(slots=True)
class Notices:
    """Turns table events that are no plays into `Noticed`.

    `foreign` cards were told of so far; `unseen` did not come up in the last deal.
    """

    foreign: int = 0
    unseen: frozenset[str] = frozenset()
    _lay_there: set[int] = field(default_factory=set)
    """Tracks of what nobody was seen to lay: things of the table, prints of its cloth."""
    _told_foreign: set[int] = field(default_factory=set)

    def deal_over(self, t: float, unseen: Collection[str]) -> list[Noticed]:
        """A deal is over in which the cards `unseen` did not come up. One that does not come up in
        two deals running is not in the deck."""
        before, self.unseen = self.unseen, frozenset(unseen)
        return [Noticed(t, "card-lacking", card) for card in sorted(before & self.unseen)]

    def of(self, event: TableEvent) -> list[Noticed]:
        """What is to be noted because of `event`; nothing where it is the scribe's own matter."""
        match event:
            case CameraMoved():
                found = "found again" if event.registered else "not found again: set it up anew"
                kind = "camera-moved" if event.registered else "table-lost"
                return [Noticed(event.t, kind, f"the table was {found}")]
            case SourceGap():
                return [Noticed(event.t, "source-gap", "no pictures", since=event.since)]
            case ViewTrouble(over=False):
                return [Noticed(event.t, event.kind)]
            case ViewTrouble():
                return [Noticed(event.t, "trouble-over", event.kind)]
            case SameCardTwice():
                return [Noticed(event.t, "same-card-twice", event.label)]
            case CardPlaced(stirred=False):
                self._lay_there.add(event.track)
            case ForeignCard() if self._was_played(event):
                return self.foreign_card(event.t, event.track, event.centre)
        return []

    def _was_played(self, event: ForeignCard) -> bool:
        away = math.dist(event.centre, MIDDLE)
        return away < PLAYED_WITHIN and event.track not in self._lay_there

    def foreign_card(self, t: float, track: int, place: Point) -> list[Noticed]:
        """A card of none of the 40 was played, shown by `track`: told once, and when it makes a deck."""
        if track in self._told_foreign:
            return []
        self._told_foreign.add(track)
        self.foreign += 1
        if self.foreign > MOST_FOREIGN:
            return []
        noticed = [Noticed(t, "foreign-card", nearest_seat(place))]
        if self.foreign == FOREIGN_DECK:
            noticed.append(Noticed(t, "foreign-deck"))
        return noticed


def nearest_seat(place: Point) -> Seat:
    """The seat whose side of the table a point in table coordinates is nearest to."""
    dx, dy = place[0] - 0.5, place[1] - 0.5
    if abs(dy) >= abs(dx):
        return "S" if dy > 0 else "N"
    return "E" if dx > 0 else "W"
