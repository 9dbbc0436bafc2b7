"""What is odd about a whole table, not one play: cards that go round the wrong way, a second deck, a
misdeal. Told as notices."""

import itertools
import math
from collections import deque
from collections.abc import Sequence

from assistant.events import Noticed, Seat
from assistant.scribe.carried import Turns
from assistant.scribe.hypothesis import GAP, Action, Hypothesis, Kind, Play
from assistant.scribe.notices import nearest_seat
from assistant.scribe.sightings import Sighting
from assistant.scribe.tables import CARD_COUNT, LABEL_ORDER, SEATS, TEXT, TRICKS
from vision.events import CardPlaced, TableCleared, TableEvent, ViewTrouble

_STEPS_NEEDED, _STEPS_KEPT, _STEPS_SINCE = 6, 18, 8
"""Steps from one player to the next before anything is said (two vazas have six), the latest of them
that count, and so many of those to say that the cards go round the right way again."""
_CARDS_KEPT = 8
"""Cards of one vaza that count, the latest: a table that is never clear must not fill the memory."""
_AGREEING = 0.85
"""The share of steps that must go that way: a play out of turn, or one not seen, is one that does not."""
_PLAYS = (Kind.PLAY, Kind.LEAD, Kind.REPLACE)
_SURELY_READ = 0.97
"""Both a card and the same card again must be read so surely to be of two decks."""
_LOOKED_AT = 1
"""Vazas back that may be looked at again by the rules: their cards come up twice."""
_NO_MISREADING = 2
"""So many cards that were taken for others, though they read surely as ones played and gathered vazas before,
are of a second deck. One may be misread: of 82 games followed none had one."""
_SURELY_SEATED = 3.0
"""Nats by which a card's place and way must speak for one seat."""
_SURELY_ANOTHER = 5.0
"""And for another than the one whose turn it was, who would have had no card left. Of 33 hard games followed
one had a last card that spoke by 4.6 for the wrong seat; one laid plainly before a player speaks by 5.5."""


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

    @property
    def told(self) -> bool:
        """Whether it was told that the cards go the wrong way, and they do so still."""
        return self._told

    def feed(self, event: TableEvent) -> list[Noticed]:
        """Take in an event; a notice comes when enough steps are known, and another when it is over:
        they go the right way again, or the picture is no longer mirrored."""
        if isinstance(event, CardPlaced) and event.face == "up":
            self._seats.append(_seat_of(event))
        elif isinstance(event, TableCleared):
            self._steps.extend(self._steps_of_vaza())
            self._seats.clear()
        elif isinstance(event, ViewTrouble) and event.kind == "mirrored" and event.over:
            return self._turned(event.t) if self._told else []
        else:
            return []
        return self._turned(event.t) if self._otherwise else []

    def _turned(self, t: float) -> list[Noticed]:
        self._told = not self._told
        self._steps.clear()
        self._seats.clear()
        if self._told:
            return [Noticed(t, "wrong-way-round")]
        return [Noticed(t, "trouble-over", "wrong-way-round")]

    @property
    def _otherwise(self) -> bool:
        """Whether nearly all steps of the last vazas went another way than what was told."""
        lying = self._steps_of_vaza() if len(self._seats) <= len(SEATS) else []
        steps = [*self._steps, *lying][-(_STEPS_SINCE if self._told else _STEPS_KEPT) :]
        so = sum(step == (1 if self._told else -1) for step in steps)
        return len(steps) >= _STEPS_NEEDED and so >= _AGREEING * len(steps)

    def _steps_of_vaza(self) -> list[int]:
        """The steps between the cards since the table was last clear: 1 or -1, the wrong way."""
        steps: list[int] = []
        for here, there in itertools.pairwise(self._seats):
            if here is None or there is None:
                continue
            step = (there - here) * self._step % len(SEATS)
            if step in (1, len(SEATS) - 1):
                steps.append(1 if step == 1 else -1)
        return steps


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
    again: list[str] = []
    taken_for_others: list[str] = []
    played = {play.card: play for play in reading.plays if play.sighting != GAP}
    for action in _until_complete(reading):
        sighting = sightings[action.sighting]
        if action.kind == Kind.REPEAT and action.target < len(reading.plays):
            play, found = reading.plays[action.target], again
        elif action.kind in _PLAYS and (card := _read_as(sighting)) not in (None, action.card):
            if card not in played:
                continue
            play, found = played[card], taken_for_others
        else:
            continue
        if play.sighting != GAP and _vazas_later(reading, sightings, play, sighting):
            found.append(TEXT[play.card])
    enough = len(again) + len(taken_for_others) >= _NO_MISREADING
    return [*again, *taken_for_others] if enough else again


def _read_as(sighting: Sighting) -> int | None:
    """The card that a sighting surely reads as."""
    card = max(range(CARD_COUNT), key=lambda one: sighting.log_probs[LABEL_ORDER[one]])
    return card if _surely(sighting, card) else None


def _vazas_later(
    reading: Hypothesis, sightings: Sequence[Sighting], play: Play, again: Sighting
) -> bool:
    """Whether the card of a play, gathered by then, is surely seen again more than a vaza later, or as the
    card that the next one lacks. One that was taken back alone may well be played later."""
    first = sightings[play.sighting]
    since = _trick_at(reading, sightings, again.t) - play.trick
    gathered = first.sweep >= 0 and first.gone <= again.first_seen
    apart = first.track != again.track and gathered
    sure = _surely(first, play.card) and _surely(again, play.card)
    later = since > _LOOKED_AT or (since == _LOOKED_AT and _completes(reading, sightings, again))
    return later and apart and sure


def _completes(reading: Hypothesis, sightings: Sequence[Sighting], again: Sighting) -> bool:
    """Whether a card was gathered with just the three others of a vaza that lacks one: a card of the last
    vaza that is looked at again is not."""
    seen = [play for play in reading.plays if play.sighting != GAP]
    beside = [p for p in seen if again.sweep >= 0 and sightings[p.sighting].sweep == again.sweep]
    vazas = {play.trick for play in beside}
    whole = sum(play.trick in vazas for play in seen)
    return len(vazas) == 1 and len(beside) == whole == len(SEATS) - 1


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
        surely = _SURELY_SEATED if ranked[0] == play.seat else _SURELY_ANOTHER
        if sighting.entry is None or ahead < surely:
            return None
        seats.append(ranked[0])
    twice = [seat for seat in set(seats) if seats.count(seat) == 2]
    return SEATS[twice[0]] if len(twice) == 1 and len(set(seats)) == len(SEATS) - 1 else None
