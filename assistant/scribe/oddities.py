"""What is odd about a whole table, not one play: cards that go round the wrong way, a second deck, a
misdeal. Told as notices; no play is changed by them."""

import itertools
import math
from collections import deque
from collections.abc import Sequence

from assistant.events import Noticed, Seat
from assistant.scribe.carried import Turns
from assistant.scribe.hypothesis import GAP, Action, Hypothesis, Kind
from assistant.scribe.notices import nearest_seat
from assistant.scribe.sightings import Sighting
from assistant.scribe.tables import LABEL_ORDER, SEATS, TEXT, TRICKS
from vision.events import CardPlaced, TableCleared, TableEvent

_STEPS_NEEDED, _STEPS_KEPT = 8, 18
"""Steps from one player to the next before anything is said (three vazas have nine), and the latest
of them that count."""
_CARDS_KEPT = 8
"""Cards of one vaza that count, the latest: a table that is never clear must not fill the memory."""
_REVERSED = 0.85
"""The share of steps the wrong way that says the picture is mirrored: a play out of turn is two."""
_SURELY_READ = 0.97
"""Both a card and the same card again must be read so surely to be of two decks."""
_LOOKED_AT = 1
"""Vazas back that may be looked at again by the rules: their cards come up twice."""
_SURELY_SEATED = 3.0
"""Nats by which a card's place and way must speak for one seat."""


class TurnOrder:
    """Whether the cards go round the table against the rules: a mirrored picture swaps two seats.

    Looks at where cards lie and come from, never at what they are: it speaks though none can be read.
    """

    def __init__(self, step: int, before: Turns | None = None) -> None:
        before = before or Turns()
        self._step = step
        self._seats: deque[int | None] = deque(before.seats, maxlen=_CARDS_KEPT)
        self._steps: deque[int] = deque(before.steps, maxlen=_STEPS_KEPT)
        self._told = before.told

    @property
    def turns(self) -> Turns:
        """All that is known so far: what to begin another with so that it goes on as this one."""
        return Turns(tuple(self._seats), tuple(self._steps), self._told)

    def feed(self, event: TableEvent) -> list[Noticed]:
        """Take in an event; the notice comes once, when enough steps are known."""
        if isinstance(event, CardPlaced) and event.face == "up":
            self._seats.append(_seat_of(event))
        elif isinstance(event, TableCleared):
            self._count()
            if not self._told and self.reversed:
                self._told = True
                return [Noticed(event.t, "wrong-way-round")]
        return []

    @property
    def reversed(self) -> bool:
        """Whether nearly all steps of the last vazas went the wrong way."""
        against = sum(step == -1 for step in self._steps)
        enough = len(self._steps) >= _STEPS_NEEDED
        return enough and against >= _REVERSED * len(self._steps)

    def _count(self) -> None:
        seats = tuple(self._seats)
        self._seats.clear()
        for here, there in itertools.pairwise(seats):
            if here is None or there is None:
                continue
            step = (there - here) * self._step % len(SEATS)
            if step in (1, len(SEATS) - 1):
                self._steps.append(1 if step == 1 else -1)


def _seat_of(event: CardPlaced) -> int | None:
    """The seat on whose side a card lies and from whose side it came, if they are one."""
    if event.entry is None:
        return None
    lies, came = nearest_seat(event.centre), nearest_seat(event.entry)
    return SEATS.index(lies) if lies == came else None


def of_second_deck(reading: Hypothesis, sightings: Sequence[Sighting]) -> list[str]:
    """The cards played, gathered, and played once more vazas later: no deck has them twice.

    Those of the last vaza are left out: it may be looked at again; and so is what is turned up when
    all have been played: the cards are counted then.
    """
    found: list[str] = []
    for action in _until_complete(reading):
        if action.kind != Kind.REPEAT or action.target >= len(reading.plays):
            continue
        play, again = reading.plays[action.target], sightings[action.sighting]
        if play.sighting == GAP:
            continue
        first = sightings[play.sighting]
        since = _trick_at(reading, sightings, again.t) - play.trick
        apart = first.track != again.track and first.gone <= again.first_seen
        if since > _LOOKED_AT and apart and _surely(first, play.card) and _surely(again, play.card):
            found.append(TEXT[play.card])
    return found


def _until_complete(reading: Hypothesis) -> Sequence[Action]:
    """What happened in a deal before its cards were counted."""
    if not reading.complete:
        return reading.actions
    counted = (Kind.REPEAT, Kind.FALSE)
    last = max(i for i, action in enumerate(reading.actions) if action.kind not in counted)
    return reading.actions[: last + 1]


def _trick_at(reading: Hypothesis, sightings: Sequence[Sighting], t: float) -> int:
    """The vaza that was on the table at a time."""
    return max(
        (
            play.trick
            for play in reading.plays
            if play.sighting != GAP and sightings[play.sighting].t <= t
        ),
        default=0,
    )


def _surely(sighting: Sighting, card: int) -> bool:
    return bool(sighting.log_probs[LABEL_ORDER[card]] >= math.log(_SURELY_READ))


def misdealt(reading: Hypothesis, sightings: Sequence[Sighting]) -> Seat | None:
    """Who laid two cards to the last vaza while another laid none: that one had eleven."""
    last = [play for play in reading.plays if play.trick == TRICKS and play.sighting != GAP]
    if len(last) != len(SEATS):
        return None
    seats = []
    for play in last:
        sighting = sightings[play.sighting]
        ranked = sorted(range(len(SEATS)), key=lambda seat: -sighting.seat_ll[seat])
        ahead = sighting.seat_ll[ranked[0]] - sighting.seat_ll[ranked[1]]
        if sighting.entry is None or ahead < _SURELY_SEATED:
            return None
        seats.append(ranked[0])
    twice = [seat for seat in set(seats) if seats.count(seat) == 2]
    return SEATS[twice[0]] if len(twice) == 1 and len(set(seats)) == len(SEATS) - 1 else None
