"""From table events to sightings: what is known of each card seen lying face up, put in order.

A sighting is one chance for a play: a track that came to rest, or one that slid so far that it may
have been played from where it lay. The book knows nothing of the rules.
"""

import math
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from assistant.scribe.notices import MIDDLE, PLAYED_WITHIN
from assistant.scribe.priors import Priors
from assistant.scribe.tables import BACK_LABEL, CONFUSIONS, LABEL_COUNT, LABEL_ORDER, OTHER_LABEL
from vision.events import (
    CardCovered,
    CardGone,
    CardMoved,
    CardPlaced,
    CardReread,
    CardUncovered,
    ForeignCard,
    TableEvent,
)
from vision.types import Face, Point, Quad

NEVER = math.inf
SAME_PLACE = 0.07
"""Two tracks closer than this (of the table's side; a card's width) may be one card found again."""
PLAYED_FROM = 0.12
"""A slide longer than this may be a play from where the card lay; a shorter one is a nudge."""
AT_ONCE, SEEN_LATE = 0.35, 0.08
"""Seconds between two cards first seen that leave open which was played first, and how much later
than it came a card is commonly seen: a frame or so."""
LONG_HIDDEN = 3.0
"""For how many seconds a hand may hide a card that was played."""
SWEEP_PAUSE = 1.2
"""Seconds between two cards leaving that still belong to one gathering."""
SLOW_SETTLE = 4.0
"""Cards are ordered by when they came into sight, but not longer than this before they settled:
a hand may hide a card that lies, and may also hold one above the table."""
BURST_COUNT, BURST_SECONDS = 5, 1.6
"""So many cards not seen before within so short a time are laid down, not played in turn. (What is seen
at once while a vaza is swept is mostly its own cards, found anew in the hand that takes them.)"""
SLID_BEFORE = 4.0
"""A card laid over another pushes it, or seems to, up to so many seconds before it is read: hands
that come and go hide both."""
SURELY_READ = 0.998
"""A card read so surely was looked at well, and more than once. Where its track is read as another
card later, another card most likely lies there now."""
SURELY_FOREIGN = 0.99
"""What was laid as cards are, is read so surely as none of the 40 and is gathered with a vaza is a foreign
card. In 82 games followed nothing that lay near the middle was; a hand that rested there 0.97, alone."""
SEVERAL_FOREIGN = 2
"""So many of them in a deal: one may be a card of the 40 that was misread, which pixel-free happens in one
deal of a thousand."""
FOREIGN = -15.0
"""Log-likelihood ratio of a card seen plainly to be foreign being any of the 40."""
_TOP_CARDS, _WORTH, _WIDE = 5, 6.0, 12.0
"""A sighting is tried as its likeliest cards, at most so many and so far (nats) below the best;
where another card turns out to be what it was read as, as those within the wider distance."""


@dataclass(slots=True)
class Sighting:
    """One card seen to come to rest. `key` orders sightings; `gone` is `NEVER` while it lies there.

    `cards` the likeliest cards with their log-likelihood ratios to a label drawn evenly, best
    first, and `wide` more of them; `card_ll` (40,) all of them; `false_ll` that of being no card
    of the deal. `seat_ll` and `show_ll` the ratios of the four seats having played or shown it,
    `lying_ll` those by where it lies alone.
    `held` is the chance that the next was played before it; `near` are the tracks at whose place
    it appeared; `foreign` that it was seen plainly to be none of the 40; `sweep` numbers the
    gathering that took it; `stirred` that something moved where it was first seen, `haunted` that
    it appeared where something had been seen before that nothing brought. `surely` is what it was
    last read as when that was sure, and `doubted` since when it is not; `under` that another card
    was laid over it, which its track has shown since.
    """

    track: int
    moved: bool
    key: float
    t: float
    first_seen: float
    frame: int
    quad: Quad
    centre: Point
    entry: Point | None
    face: Face
    log_probs: tuple[float, ...]
    seat_ll: tuple[float, ...]
    show_ll: tuple[float, ...]
    lying_ll: tuple[float, ...]
    place: Point
    gone: float = NEVER
    exit: Point | None = None
    sweep: int = -1
    hidden: list[tuple[float, float]] = field(default_factory=list)
    cards: list[tuple[int, float]] = field(default_factory=list)
    wide: list[tuple[int, float]] = field(default_factory=list)
    card_ll: list[float] = field(default_factory=list)
    false_ll: float = 0.0
    near: frozenset[int] = frozenset()
    burst: bool = False
    held: float = 0.0
    foreign: bool = False
    stirred: bool = True
    haunted: bool = False
    surely: tuple[float, ...] | None = None
    doubted: float = NEVER
    under: bool = False
    nth: int = 0

    @property
    def likeliest(self) -> int:
        """The label that it reads as, of all 42."""
        return _likeliest(self.log_probs)

    @property
    def looks_foreign(self) -> bool:
        """Whether it was laid where cards are played, from a side, and surely reads as none of the 40."""
        surely = self.log_probs[OTHER_LABEL] >= math.log(SURELY_FOREIGN)
        near = math.dist(self.centre, MIDDLE) < PLAYED_WITHIN
        return surely and near and self.stirred and self.entry is not None

    @property
    def uid(self) -> tuple[int, int]:
        """What stays the same when sightings are put in another order: `nth` of its track."""
        return (self.track, self.nth)

    def read(self, log_probs: tuple[float, ...], face: Face, priors: Priors) -> None:
        """Take `log_probs` (42 labels) for what is known of the card, in place of the old."""
        self.log_probs, self.face = log_probs, face
        best = _likeliest(log_probs)
        self.foreign = self.foreign and best == OTHER_LABEL
        p = np.exp(np.asarray(log_probs, dtype=np.float64))
        p /= p.sum()
        if p[best] >= SURELY_READ and best not in (OTHER_LABEL, BACK_LABEL):
            self.surely, self.doubted = log_probs, NEVER
        p = (1 - priors.misread) * p + priors.misread * (p @ CONFUSIONS)
        ll = np.log(p * LABEL_COUNT)
        self.card_ll = [float(x) for x in ll[LABEL_ORDER]]
        no_card = math.log((p[OTHER_LABEL] + p[BACK_LABEL]) * LABEL_COUNT)
        self.false_ll = max(no_card, math.log(priors.false_as_card))
        if self.foreign:
            self.card_ll = [FOREIGN] * len(self.card_ll)
        ranked = sorted(enumerate(self.card_ll), key=lambda pair: -pair[1])[:_TOP_CARDS]
        self.cards = [pair for pair in ranked if pair[1] > ranked[0][1] - _WORTH]
        self.wide = [pair for pair in ranked if pair[1] > ranked[0][1] - _WIDE]

    def read_as_another(self, log_probs: tuple[float, ...]) -> bool:
        """Whether `log_probs` say another card than the one it was surely read as."""
        best = _likeliest(log_probs)
        if self.surely is None or best in (OTHER_LABEL, BACK_LABEL):
            return False
        return best != _likeliest(self.surely)

    def hidden_at(self, t: float) -> bool:
        """Whether the card was covered at `t`."""
        return any(since <= t <= until for since, until in self.hidden)


def _likeliest(log_probs: tuple[float, ...]) -> int:
    return max(range(len(log_probs)), key=log_probs.__getitem__)


def lost_from_sight(earlier: Sighting, later: Sighting) -> bool:
    """Whether `earlier` went alone, or was hidden, before `later` was seen: it may be the same."""
    alone = earlier.sweep < 0 and earlier.gone <= later.t
    return alone or earlier.hidden_at(later.first_seen)


def one_card(one: Sighting, other: Sighting) -> bool:
    """Whether two tracks may show one card: they lie side by side and may be read as the same."""
    beside = one.track in other.near or other.track in one.near
    return beside and bool({card for card, _ in one.cards} & {card for card, _ in other.cards})


def _several(leaving: Sequence[Sighting]) -> bool:
    """Whether of what left together at least two were cards: it was a gathering.

    A print of the cloth that is lost sight of as a card is taken back makes none of it, nor does a
    card that was taken for two.
    """
    cards = [one for one in leaving if one.cards[0][1] > one.false_ll or one.looks_foreign]
    return any(
        one.track != other.track and not one_card(one, other)
        for i, one in enumerate(cards)
        for other in cards[:i]
    )


def _swapped(one: Sighting, follower: Sighting, priors: Priors) -> float:
    """The chance that `follower` was played before `one`, which was seen first."""
    apart = follower.first_seen - one.first_seen
    hidden = priors.swapped_hidden if apart < LONG_HIDDEN and _uncovered(follower) else 0.0
    if apart < AT_ONCE:
        at_once = priors.swapped_at_once * math.exp(-max(apart, 0.0) / SEEN_LATE)
        return max(at_once, hidden)
    # Held in sight above the table, or followed from another card's flight.
    return priors.swapped_settled if follower.t - one.t < AT_ONCE else hidden


def _uncovered(sighting: Sighting) -> bool:
    """Whether a card may have lain under a hand or a sleeve before it was seen: no motion brought
    it, or the motion of that hand, which came from the other side of the table."""
    if sighting.entry is None:
        return True
    (x, y), (came_x, came_y) = sighting.centre, sighting.entry
    return (x - 0.5) * (came_x - 0.5) + (y - 0.5) * (came_y - 0.5) < 0


class Book:
    """All sightings of a stretch of play, kept in order of their `key`."""

    def __init__(self, priors: Priors) -> None:
        self.priors = priors
        self.sightings: list[Sighting] = []
        self._by_track: dict[int, list[Sighting]] = {}
        self._down: dict[int, CardPlaced] = {}
        self._slides: dict[int, list[CardMoved]] = {}
        self._leaving: list[Sighting] = []
        self._sweeps = 0
        self._last_gone = -NEVER

    def feed(self, event: TableEvent) -> int | None:
        """Take in one event. Returns the first sighting it changes something for, if any."""
        if isinstance(event, CardPlaced):
            return self._placed(event)
        if isinstance(event, CardReread):
            return self._reread(event)
        if isinstance(event, CardMoved):
            return self._moved(event)
        if isinstance(event, CardGone):
            return self._gone(event)
        if isinstance(event, ForeignCard):
            return self._foreign(event)
        if isinstance(event, CardCovered):
            for sighting in self._by_track.get(event.track, ()):
                sighting.hidden.append((event.t, NEVER))
        elif isinstance(event, CardUncovered):
            for sighting in self._by_track.get(event.track, ()):
                if sighting.hidden:
                    sighting.hidden[-1] = (sighting.hidden[-1][0], event.t)
        return None

    def _placed(self, event: CardPlaced) -> int | None:
        if event.face == "down":
            self._down[event.track] = event
            return None
        geometry = self.priors.geometry
        sighting = Sighting(
            track=event.track,
            moved=False,
            key=max(event.first_seen, event.t - SLOW_SETTLE),
            t=event.t,
            first_seen=event.first_seen,
            frame=event.frame,
            quad=event.quad,
            centre=event.centre,
            entry=event.entry,
            face=event.face,
            log_probs=event.log_probs,
            seat_ll=geometry.seats(event.centre, event.entry),
            show_ll=geometry.shown(event.centre),
            lying_ll=geometry.seats(event.centre, None),
            place=event.centre,
            stirred=event.stirred,
        )
        sighting.read(event.log_probs, event.face, self.priors)
        return self._insert(sighting)

    def _insert(self, sighting: Sighting) -> int:
        for other in self.sightings:
            if other.track == sighting.track:
                continue
            if not other.stirred and math.dist(other.centre, sighting.centre) < SAME_PLACE:
                sighting.haunted = True
            if math.dist(other.place, sighting.centre) < SAME_PLACE:
                sighting.near |= {other.track}
            if math.dist(sighting.centre, other.centre) < SAME_PLACE:
                # What is told of late may have lain there before.
                other.near |= {sighting.track}
        keys = [other.key for other in self.sightings]
        at = bisect_right(keys, sighting.key)
        self.sightings.insert(at, sighting)
        self._by_track.setdefault(sighting.track, []).append(sighting)
        return self._relate(at)

    def _relate(self, at: int) -> int:
        """Bring up to date what sightings near `at` know of their neighbours in time."""
        changed = at
        for i in range(max(0, at - BURST_COUNT), min(at + 1, len(self.sightings))):
            one = self.sightings[i]
            burst = self._all_new(i)
            follower = self.sightings[i + 1] if i + 1 < len(self.sightings) else None
            held = _swapped(one, follower, self.priors) if follower else 0.0
            if (burst, held) != (one.burst, one.held):
                one.burst, one.held = burst, held
                changed = min(changed, i)
        return changed

    def _all_new(self, at: int) -> bool:
        """Whether a burst of cards begins at `at`, of which at most one was seen before: it may be the
        dealer's, or misread."""
        burst = self.sightings[at : at + BURST_COUNT]
        if len(burst) < BURST_COUNT or burst[-1].key - burst[0].key >= BURST_SECONDS:
            return False
        seen, new = (
            {one.cards[0][0] for one in some if one.cards[0][1] > one.false_ll}
            for some in (self.sightings[:at], burst)
        )
        return len(new - seen) >= BURST_COUNT - 1

    def _reread(self, event: CardReread) -> int | None:
        down = self._down.get(event.track)
        if down is not None and event.face == "up":
            del self._down[event.track]
            return self._placed(
                CardPlaced(
                    track=down.track,
                    t=event.t,
                    frame=event.frame,
                    first_seen=event.t,
                    face="up",
                    centre=down.centre,
                    angle=down.angle,
                    entry=None,
                    quad=down.quad,
                    log_probs=event.log_probs,
                )
            )
        mine = self._by_track.get(event.track)
        if not mine:
            return None
        last = mine[-1]
        if event.face == "up" and last.read_as_another(event.log_probs):
            return self._laid_over(last, event)
        if last.doubted == NEVER:
            last.doubted = event.t
        shown = [sighting for sighting in mine if not sighting.under]
        for sighting in shown:
            sighting.read(event.log_probs, event.face, self.priors)
        return self._index(shown[0])

    def _laid_over(self, below: Sighting, event: CardReread) -> int:
        """A card was laid over another so that its track goes on as if it had only slid.

        That it is one card, misread at first, is for the rules to say: the two lie near each other.
        """
        doubted = min(below.doubted, event.t)
        since = max(below.t, doubted - SLID_BEFORE)
        slides = [slide for slide in self._slides.get(below.track, ()) if since < slide.t < doubted]
        # It came when it pushed the other, or by when it was first doubted that it is the other.
        t, frame, quad = (
            (slides[0].t, slides[0].frame, slides[0].quad)
            if slides
            else (doubted, event.frame, below.quad)
        )
        shown = [one for one in self._by_track[event.track] if not one.under]
        for one in shown:
            one.read(one.surely or one.log_probs, one.face, self.priors)
            one.under, one.gone, one.sweep = True, t, -1
        above = self._further(below, t, frame, quad, below.place, None)
        above.near = frozenset({below.track})
        above.read(event.log_probs, event.face, self.priors)
        at = self._insert(above)
        return min(at, self._index(shown[0]))

    def _further(
        self,
        last: Sighting,
        t: float,
        frame: int,
        quad: Quad,
        centre: Point,
        came_from: Point | None,
    ) -> Sighting:
        """Another sighting of a track: what it shows has come to lie at `centre` at time `t`."""
        geometry = self.priors.geometry
        return Sighting(
            track=last.track,
            moved=False,
            key=t,
            t=t,
            first_seen=t,
            frame=frame,
            quad=quad,
            centre=centre,
            entry=came_from,
            face=last.face,
            log_probs=last.log_probs,
            seat_ll=geometry.seats(centre, came_from),
            show_ll=geometry.shown(centre),
            lying_ll=geometry.seats(centre, None),
            place=centre,
            nth=last.nth + 1,
        )

    def _foreign(self, event: ForeignCard) -> int | None:
        mine = self._by_track.get(event.track)
        if not mine:
            return None
        for sighting in mine:
            self._is_foreign(sighting)
        return self._index(mine[0])

    def _find_foreign(self) -> None:
        """What was gathered with vazas and looks like none of the 40 is foreign, once there are several."""
        some = [one for one in self.sightings if one.sweep >= 0 and one.looks_foreign]
        if len(some) >= SEVERAL_FOREIGN:
            for sighting in some:
                if not sighting.foreign:
                    self._is_foreign(sighting)

    def _is_foreign(self, sighting: Sighting) -> None:
        sighting.foreign = True
        sighting.read(sighting.log_probs, sighting.face, self.priors)

    def _moved(self, event: CardMoved) -> int | None:
        mine = self._by_track.get(event.track)
        if not mine:
            return None
        last = mine[-1]
        self._slides.setdefault(event.track, []).append(event)
        far = math.dist(last.place, event.centre) > PLAYED_FROM
        last.place = event.centre
        if not far or len(mine) > 1:
            return None
        sighting = self._further(last, event.t, event.frame, event.quad, event.centre, last.centre)
        sighting.moved = True
        sighting.read(last.log_probs, last.face, self.priors)
        return self._insert(sighting)

    def _gone(self, event: CardGone) -> int | None:
        self._down.pop(event.track, None)
        mine = self._by_track.get(event.track)
        if not mine:
            return None
        if event.t - self._last_gone > SWEEP_PAUSE:
            self._leaving = []
            self._sweeps += 1
        self._last_gone = event.t
        shown = [sighting for sighting in mine if not sighting.under]
        for sighting in shown:
            sighting.gone, sighting.exit = event.t, event.exit
        self._leaving.extend(shown)
        if _several(self._leaving):
            for sighting in self._leaving:
                sighting.sweep = self._sweeps
            self._find_foreign()
        return min(self._index(s) for s in self._leaving)

    def _index(self, sighting: Sighting) -> int:
        for i, other in enumerate(self.sightings):
            if other is sighting:
                return i
        raise LookupError(f"no sighting of track {sighting.track}")
