"""The seam between a run that broke off and the one that goes on with its deal.

A new run counts its seconds and its tracks from the start, and sees all that lies on the table for
the first time. Here its events are told as the same scribe would have been told them had the
program never ended: times and tracks go on, a card that lies where it lay keeps its track, and one
that lies there no more has gone meanwhile.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from vision.events import (
    CameraMoved,
    CardCovered,
    CardGone,
    CardMoved,
    CardPlaced,
    CardReread,
    CardUncovered,
    ForeignCard,
    SameCardTwice,
    SourceGap,
    TableCleared,
    TableEvent,
    Trouble,
    ViewTrouble,
)
from vision.labels import INDEX, OTHER
from vision.types import Point, Reading

PAUSE = 60.0
"""How many seconds the program is taken to have been away: nobody knows. It is longer than any time
by which the scribe tells one deal from the next, for anything may have happened meanwhile."""
RECOGNISED_WITHIN = 4.0
"""Seconds after which a card that lay there and was not seen again has gone: hands hide some of them
at first, and reading them takes a while."""
WHERE_IT_LAY = 0.1
"""A card that lies no farther (of the table's side) from where one lay may be that one: the table's
edges are not found twice in quite the same place."""
MAY_BE = 0.03
"""A card may be another that lay there if either reading gives the other's card this probability."""


@dataclass(slots=True)
class _Lying:
    """A card that lay face up when the run broke off."""

    centre: Point
    log_probs: tuple[float, ...]
    covered: bool = False


class Rejoin:
    """Tells the events of a new run as those of the old one going on."""

    def __init__(
        self, before: Sequence[TableEvent], now: float, troubles: Iterable[Trouble] = ()
    ) -> None:
        """`before` are the old run's events of the deal, `now` the latest time known; `troubles`
        with the picture were not over."""
        self._since = max([now, *(_known(event) for event in before)])
        self._tracks = max((track for event in before for track in _tracks(event)), default=0)
        self._troubles = tuple(troubles)
        self._lying, self._foreign = _left_lying(before)
        self._same: dict[int, int] = {}
        self._here: set[int] = set()

    def begin(self) -> tuple[TableEvent, ...]:
        """What is to be told before anything is seen: there was a gap, and troubles may be over."""
        t = self.time(0.0)
        over = [ViewTrouble(t, 0, trouble, over=True) for trouble in self._troubles]
        return (SourceGap(self._since, t, 0), *over)

    def time(self, t: float) -> float:
        """A time of the new run as one of the old."""
        return self._since + PAUSE + t

    def take(self, events: Iterable[TableEvent], t: float) -> tuple[TableEvent, ...]:
        """The events of the new run's frame at `t`, as those of the old."""
        out: list[TableEvent] = []
        for event in events:
            out += self._taken(_shifted(event, self.time(0.0), self._track))
        if self._lying and t > RECOGNISED_WITHIN:
            out += self._gone()
        return tuple(out)

    def _gone(self) -> list[TableEvent]:
        """No more is waited for: what was not seen again has gone, and it went in the gap."""
        t = self._since + PAUSE / 2
        gone: list[TableEvent] = [CardGone(track, t, 0, None) for track in self._lying]
        if gone and not self._here:
            gone.append(TableCleared(t, 0))
        self._lying = {}
        return gone

    def _track(self, track: int) -> int:
        """The old run's number of a track of the new one."""
        return self._same.get(track, self._tracks + track)

    def _taken(self, event: TableEvent) -> list[TableEvent]:
        if isinstance(event, CardPlaced) and event.face == "up":
            return self._placed(event)
        if isinstance(event, CardGone):
            self._here.discard(event.track)
        elif isinstance(event, ForeignCard):
            if event.track in self._foreign:
                return []  # it was told before
            self._foreign.add(event.track)
        return [event]

    def _placed(self, event: CardPlaced) -> list[TableEvent]:
        """A card is seen for the first time; it may have lain there all the while."""
        old = None if event.stirred else self._lay_there(event)
        self._here.add(event.track if old is None else old)
        if old is None:
            return [event]
        lay = self._lying.pop(old)
        self._same[event.track - self._tracks] = old
        t = self.time(0.0) if event.announced is None else event.announced
        known: list[TableEvent] = [
            CardMoved(old, t, event.frame, event.centre, event.angle, event.quad)
        ]
        if lay.covered:
            known.append(CardUncovered(old, t, event.frame))
        if max(event.log_probs) > max(lay.log_probs):
            known.append(CardReread(old, t, event.frame, event.face, event.log_probs))
        return known

    def _lay_there(self, event: CardPlaced) -> int | None:
        """The track of the card that lay where this one does and may be it, the nearest of them."""
        near = [
            (math.dist(lay.centre, event.centre), track)
            for track, lay in self._lying.items()
            if _may_be_one(lay.log_probs, event.log_probs)
        ]
        distance, track = min(near, default=(math.inf, 0))
        return track if distance <= WHERE_IT_LAY else None


def _left_lying(events: Iterable[TableEvent]) -> tuple[dict[int, _Lying], set[int]]:
    """What lay face up after `events`, by track, and which tracks were told to be foreign."""
    lying: dict[int, _Lying] = {}
    down: dict[int, CardPlaced] = {}
    foreign: set[int] = set()
    for event in events:
        match event:
            case CardPlaced(face="down"):
                down[event.track] = event
            case CardPlaced():
                lying[event.track] = _Lying(event.centre, event.log_probs)
            case CardReread(face="up", track=track) if track in down:
                lying[track] = _Lying(down.pop(track).centre, event.log_probs)
            case CardReread(track=track) if track in lying:
                lying[track].log_probs = event.log_probs
            case CardMoved(track=track) if track in lying:
                lying[track].centre = event.centre
            case CardCovered(track=track) | CardUncovered(track=track) if track in lying:
                lying[track].covered = isinstance(event, CardCovered)
            case CardGone(track=track):
                lying.pop(track, None)
                down.pop(track, None)
            case ForeignCard(track=track):
                foreign.add(track)
    return lying, foreign


def _may_be_one(one: tuple[float, ...], other: tuple[float, ...]) -> bool:
    """Whether two readings may be of one card. What is no card was the same thing, whatever it is."""
    mine, theirs = Reading(one).best, Reading(other).best
    if mine == theirs or OTHER in (mine, theirs):
        return mine == theirs
    return max(one[INDEX[theirs]], other[INDEX[mine]]) >= math.log(MAY_BE)


def _known(event: TableEvent) -> float:
    """When an event was known."""
    announced = event.announced if isinstance(event, CardPlaced) else None
    return event.t if announced is None else max(event.t, announced)


def _tracks(event: TableEvent) -> tuple[int, ...]:
    if isinstance(event, SameCardTwice):
        return event.tracks
    track: int | None = getattr(event, "track", None)
    return () if track is None else (track,)


def _shifted(event: TableEvent, seconds: float, track: Callable[[int], int]) -> TableEvent:
    """The event so many seconds later, its tracks called as `track` has them."""
    t = event.t + seconds
    if isinstance(event, CardPlaced):
        announced = None if event.announced is None else event.announced + seconds
        seen = event.first_seen + seconds
        return replace(event, track=track(event.track), t=t, first_seen=seen, announced=announced)
    if isinstance(event, SourceGap):
        return replace(event, since=event.since + seconds, t=t)
    if isinstance(event, SameCardTwice):
        one, two = event.tracks
        return replace(event, t=t, tracks=(track(one), track(two)))
    if isinstance(event, TableCleared | CameraMoved | ViewTrouble):
        return replace(event, t=t)
    return replace(event, t=t, track=track(event.track))
