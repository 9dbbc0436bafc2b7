"""The beam: the likeliest readings of all sightings so far, redone from where anything changed."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from assistant.scribe.case import Option
from assistant.scribe.chances import Chances
from assistant.scribe.circumstances import Circumstances
from assistant.scribe.gatherings import left_alone
from assistant.scribe.hypothesis import (
    CLAIMED,
    GAP,
    Action,
    Hypothesis,
    Kind,
    Manner,
    Play,
    follow,
)
from assistant.scribe.meanings import Meanings
from assistant.scribe.priors import Priors
from assistant.scribe.sightings import Book, Sighting, lost_from_sight
from assistant.scribe.tables import TRICKS
from vision.events import TableEvent

BEAM = 24
"""Readings kept after each sighting."""
WIDE_BEAM, WIDE_DEPTH = 80, 18.0
"""The same for a second, wider look where the first found nothing that fits well."""
UNSURE = 5.0
"""A card of the last vaza is read anew when seen again if its first reading was no surer (nats)."""
_ALIKE = 0.6
"""Of the readings kept, at most this share has the same plays still to come to the same vaza."""
_BACKS = 0.25
"""So many more readings, as a share of the others, are kept in which a card was taken back and its
replacement not seen. What speaks for them may come vazas later (the card that others must take for
another is seen itself), and until then readings that differ in a card would crowd them out."""
MENDED = 6
"""The best so many readings are mended where a card turns up that they have used already, and the
best of those in which a card was taken back: they stand below the others until more speaks for them."""
DEPTH = 12.0
"""A reading this far (nats) below the best is let go."""
_PLAYED = (Kind.PLAY, Kind.LEAD, Kind.CLAIM)
"""What shows that a card had been in a hand: REPLACE too, but one taken back twice is too much."""
NO_SENSE = 15.0
"""What falls so far (nats) below the best reading is supposed no further: it costs time to see in."""
NO_PLAY = (Kind.FALSE, Kind.REPEAT, Kind.SHOWN_AGAIN)
"""What a sighting may be other than a card that is played, or shown, for the first time."""


class Supposed(NamedTuple):
    """The beams after each sighting, where that `at` is a play, or is none."""

    at: int
    played: bool
    beams: list[list[Hypothesis]]

    @property
    def best(self) -> Hypothesis:
        """The likeliest reading in which it is so."""
        return self.beams[-1][0]


class Decoder:
    """Readings of one deal. Feed it table events, then ask for `beam`."""

    def __init__(self, priors: Priors, circumstances: Circumstances) -> None:
        self.told = circumstances
        self.book = Book(priors)
        self._chances = Chances(priors, circumstances, self.book.sightings)
        self.meanings = Meanings(self._chances)
        self._beams = [[self._first()]]
        self._stale: int | None = None
        self._width, self._depth = BEAM, DEPTH
        self._judged: Mapping[tuple[int, int], bool] = {}  # by `uid` what a second look has said

    def feed(self, event: TableEvent) -> None:
        """Take in an event; what it changes is worked out when next asked for."""
        changed = self.book.feed(event)
        self.meanings.forget()
        if changed is not None:
            self._stale = changed if self._stale is None else min(changed, self._stale)

    @property
    def beam(self) -> list[Hypothesis]:
        """The likeliest readings, best first; never empty."""
        self._read_on()
        return self._beams[-1]

    def _read_on(self) -> None:
        """Work out what has changed since the beam was last asked for."""
        if self._stale is None:
            return
        del self._beams[self._stale + 1 :]
        for at in range(len(self._beams) - 1, len(self.book.sightings)):
            self._beams.append(self._step(self._beams[at], at))
        self._stale = None

    def conclude(self) -> None:
        """Nothing more will be seen: a deal that is over goes before one that was broken off.

        Whoever was not seen to play to the last vaza did so unseen.
        """
        for one in self.beam:
            if one.trick == TRICKS and not one.complete and not one.claiming:
                one.score += self._chances.unseen(one, 4 - one.mask.bit_count())
            elif not one.complete:
                one.score += self._chances.broken_off
        self.beam.sort(key=lambda one: -one.score)

    def look_wider(self) -> None:
        """Read everything once more with many more readings kept, and keep the better result."""
        before = self._beams
        narrow = self.beam[0].score
        self._width, self._depth = WIDE_BEAM, WIDE_DEPTH
        self._beams = [[self._first()]]
        self._stale = 0
        if self.beam[0].score < narrow:
            self._beams = before
        self._beams = [beam[:BEAM] for beam in self._beams]
        self._width, self._depth = BEAM, DEPTH

    def suppose(self, at: int, played: bool) -> Supposed | None:
        """What is read where sighting `at` is a play, or is none; `take` it to go on from there.

        None where that soon makes far less sense than what is read now.
        """
        self._read_on()
        now = self._judged, self._beams
        self._judged = {**self._judged, self.book.sightings[at].uid: played}
        self._beams = self._beams[: at + 1]
        for here in range(at, len(self.book.sightings)):
            self._beams.append(self._step(self._beams[here], here))
            if self._beams[-1][0].score < now[1][here + 1][0].score - NO_SENSE:
                break
        beams = self._beams
        self._judged, self._beams = now
        return Supposed(at, played, beams) if len(beams) == len(now[1]) else None

    def take(self, supposed: Supposed) -> None:
        """Go on from what was supposed, and keep to it; how likely it is otherwise is not forgotten."""
        at, played, beams = supposed
        otherwise = [one for one in self.beam if _is_played(one, at) != played]
        last = sorted([*beams[-1], *otherwise], key=lambda one: -one.score)
        self._judged = {**self._judged, self.book.sightings[at].uid: played}
        self._beams, self._stale = [*beams[:-1], last[: self._width]], None

    def _step(self, beam: list[Hypothesis], at: int) -> list[Hypothesis]:
        after = self._continue(beam, at, may_hold=at + 1 < len(self.book.sightings))
        if not any(one.held >= 0 and one.held != at for one in after):
            return after
        settled = [one for one in after if one.held < 0 or one.held == at]
        late = [one for one in after if one.held >= 0 and one.held != at]
        anyhow: list[Hypothesis] = []
        for one in late:
            waiting, one.held = one.held, -1
            ways = self._continue([one], waiting, may_hold=False)
            anyhow += ways
            settled += [
                way for way in ways if way.actions[-1].kind not in (Kind.FALSE, Kind.REPEAT)
            ]
        # On a badly broken stream every reading may have waited in vain: then it was no play.
        settled = settled or anyhow
        settled.sort(key=lambda one: -one.score)
        floor = settled[0].score - self._depth
        room = {False: self._width, True: round(self._width * _BACKS)}
        kept = []
        for one in settled:
            room[one.backs > 0] -= 1
            if one.score >= floor and room[one.backs > 0] >= 0:
                kept.append(one)
        return kept

    def _continue(self, beam: list[Hypothesis], at: int, may_hold: bool) -> list[Hypothesis]:
        options: list[Option] = []
        best = -math.inf
        judged = self._judged.get(self.book.sightings[at].uid)
        may_hold = may_hold and judged is None
        for before in beam:
            floor = best - self._depth if judged is None else -math.inf
            some = self.meanings.options(before, at, may_hold=may_hold, floor=floor)
            some = _as_judged(some + self._after_lead_back(before, at, floor), judged)
            best = max(best, max(option[0] for option in some))
            options += some
        for before in _to_mend(beam):
            mended: list[Option] = []
            self._mend(before, at, best - self._depth, mended)
            options += _as_judged(mended, judged)
        floor = max(option[0] for option in options) - self._depth
        options = [option for option in options if option[0] >= floor]
        options.sort(key=lambda option: -option[0])
        after = self._chosen([one for one in options if not one[1].backs], self._width)
        backs = [one for one in options if one[1].backs]
        if backs:
            after += self._chosen(backs, round(self._width * _BACKS))
            after.sort(key=lambda one: -one.score)
        return after

    def _chosen(self, options: list[Option], width: int) -> list[Hypothesis]:
        """At most `width` readings that the options lead to, best first and not too much alike."""
        step = self.told.step
        kept: dict[object, Hypothesis] = {}
        alike: Counter[object] = Counter()
        for score, before, action in options:
            # Different mendings may lead to one reading; it must not crowd out the others.
            state = (before.used, before.mask, before.voids, before.trump, before.dealer)
            key = (round(score, 6), state, before.leader, before.held, action)
            if key in kept:
                continue
            after = follow(before, action, score, step)
            # Nor may readings that differ in a card crowd out those that differ in the vaza.
            shape = (after.trick, after.mask, after.gaps, after.held, after.claiming)
            alike[shape] += 1
            if alike[shape] > width * _ALIKE:
                continue
            kept[key] = after
            if len(kept) == width:
                break
        return list(kept.values())

    def _mend(self, before: Hypothesis, at: int, floor: float, options: list[Option]) -> None:
        """Where this sighting's card is taken already, read the earlier one as another card, or
        let it have been taken back."""
        sighting = self.book.sightings[at]
        for card, ll in sighting.cards:
            if ll < 0:
                continue
            if not before.used >> card & 1:
                self._mend_repeat(before, at, card, ll, options)
                continue
            play = next(play for play in before.plays if play.card == card)
            earlier = self.book.sightings[play.sighting]
            for other, other_ll in earlier.wide:
                loss = earlier.card_ll[card] - other_ll
                if before.used >> other & 1 or before.score - loss < floor:
                    continue
                mended = self.reread(before, {play.sighting: other})
                if mended is not None:
                    options += self.meanings.options(mended, at, [(card, ll)], False, floor=floor)
            if self._may_be_back(before, play, at):
                taken = self._taken_back(before, play, floor)
                if taken is not None:
                    some = self.meanings.options(taken, at, [(card, ll)], False, floor=floor)
                    # That the card is played after all is what there is to say for it.
                    options += [option for option in some if option[2].kind in _PLAYED]

    def _after_lead_back(self, before: Hypothesis, at: int, floor: float) -> list[Option]:
        """The sighting follows a lead that nobody saw, made for one that was taken back.

        Here nothing is waited for, as elsewhere, until the card turns up: all the others play to
        the suit led, and would seem to have none of what was taken back.
        """
        lead = before.plays[-1] if before.start + 1 == len(before.plays) else None
        if lead is None or lead.card == GAP or before.claiming:
            return []
        if not self._may_be_back(before, lead, at):
            return []
        back = Action(Kind.TAKE_BACK, lead.last, lead.seat, target=before.start)
        taken = follow(before, back, self.meanings.taken_back(before), self.told.step)
        some = self.meanings.options(taken, at, may_hold=False, floor=floor)
        return [option for option in some if option[2].kind == Kind.PLAY]

    def _may_be_back(self, reading: Hypothesis, play: Play, at: int) -> bool:
        """Whether a card that was played may be in its player's hand until sighting `at`."""
        gone = self.book.sightings[play.last].gone
        if play.trick == CLAIMED or gone > self.book.sightings[at].first_seen:
            return False
        trick = [other for other in reading.plays if other.trick == play.trick]
        return left_alone(play, trick, self.book.sightings)

    def _taken_back(self, reading: Hypothesis, play: Play, floor: float) -> Hypothesis | None:
        """`reading` with `play` taken back when its card left, and the play made instead unseen.

        This is asked only when the card turns up again: until then nothing tells a card that was
        taken back from one that the tracker lost, and most of those are only lost.
        """
        if self.meanings.taken_back(reading) < floor:
            return None
        sightings, place = self.book.sightings, reading.plays.index(play)
        gone = sightings[play.last].gone
        now: Hypothesis | None = reading
        while now is not None and (
            now.trick > play.trick or now.claiming or _latest(now, sightings) > gone
        ):
            now = now.parent
        if now is None or play not in now.plays:
            return None
        back = Action(Kind.TAKE_BACK, play.last, play.seat, target=place)
        return self._replay(now, (back, *reading.actions[len(now.actions) :]), {})

    def _mend_repeat(
        self, before: Hypothesis, at: int, card: int, ll: float, options: list[Option]
    ) -> None:
        """Where this may be a card of the last vaza seen again, read that one as this card."""
        sighting = self.book.sightings[at]
        for play in before.plays[-8:]:
            if play.last == GAP or play.card == card:
                continue
            earlier = self.book.sightings[play.sighting]
            near = earlier.track in sighting.near and lost_from_sight(earlier, sighting)
            loss = earlier.card_ll[play.card] - earlier.card_ll[card]
            if loss > (DEPTH if near else UNSURE) or earlier.gone > sighting.t:
                continue
            mended = self.reread(before, {play.sighting: card})
            if mended is not None:
                only = Action(Kind.REPEAT, at)
                options += self.meanings.options(mended, at, [(card, ll)], False, only)

    def reread(self, reading: Hypothesis, cards: dict[int, int]) -> Hypothesis | None:
        """`reading` with other cards for some sightings, scored anew; None where that cannot be."""
        actions = reading.actions
        first = next((i for i, a in enumerate(actions) if a.sighting in cards), len(actions))
        now = reading.before(first) or self._first()
        return self._replay(now, actions[len(now.actions) :], cards)

    def _replay(
        self, now: Hypothesis, actions: Sequence[Action], cards: dict[int, int]
    ) -> Hypothesis | None:
        """`now` and then these actions, with other cards for some sightings."""
        for action in actions:
            after = self._again(now, action, cards)
            if after is None:
                return None
            now = after
        return now

    def _again(self, now: Hypothesis, action: Action, cards: dict[int, int]) -> Hypothesis | None:
        if action.kind == Kind.HOLD:
            return follow(now, action, self.meanings.held(now, action.sighting), self.told.step)
        if action.kind == Kind.RESTART:
            return self.meanings.restart(now, action.sighting)
        if action.kind == Kind.TAKE_BACK:
            return follow(now, action, self.meanings.taken_back(now), self.told.step)
        if action.kind == Kind.REPEAT and action.target >= len(now.plays):
            return None
        wanted = _with_cards(action, cards, now)
        forced = None
        if wanted.card >= 0:
            card_ll = self.book.sightings[wanted.sighting].card_ll
            forced = [(wanted.card, card_ll[wanted.card])]
        options = self.meanings.options(now, wanted.sighting, forced, may_hold=False, only=wanted)
        fitting = [option for option in options if _alike(option[2], wanted)]
        if not fitting:
            return None
        score, before, action = max(fitting, key=lambda option: option[0])
        after = follow(before, action, score, self.told.step)
        if now.held == action.sighting:
            after.held = -1
        return after

    def adopt(self, reading: Hypothesis) -> None:
        """Put a better reading of the same sightings, found elsewhere, before the others."""
        self.beam.insert(0, reading)

    def _first(self) -> Hypothesis:
        return Hypothesis(dealer=self.told.dealer, trump=self.told.trump)


def _as_judged(options: list[Option], played: bool | None) -> list[Option]:
    """Of one reading's options those that go with what was judged of the sighting; all where none do."""
    if played is None:
        return options
    return [one for one in options if (one[2].kind not in NO_PLAY) == played] or options


def _is_played(reading: Hypothesis, at: int) -> bool:
    """Whether a reading has sighting `at` for a card played, or shown, for the first time."""
    return any(one.sighting == at and one.kind not in NO_PLAY for one in reading.actions)


def _to_mend(beam: list[Hypothesis]) -> list[Hypothesis]:
    """The readings of a beam, best first, that are mended."""
    return beam[:MENDED] + [one for one in beam[MENDED:] if one.backs][:1]


def _latest(reading: Hypothesis, sightings: Sequence[Sighting]) -> float:
    """When the last sighting of a reading came, which sets its place in their order."""
    return sightings[reading.actions[-1].sighting].key if reading.actions else -math.inf


def _with_cards(action: Action, cards: dict[int, int], now: Hypothesis) -> Action:
    if action.kind == Kind.REPEAT:
        return action._replace(card=now.plays[action.target].card)
    if action.sighting in cards and action.kind != Kind.FALSE:
        return action._replace(card=cards[action.sighting])
    return action


def _alike(one: Action, two: Action) -> bool:
    """The same but for being in turn or not: another card may have won the last trick."""
    missed = Manner.AFTER_MISSED
    if (one.manner == missed) != (two.manner == missed):
        return False
    if one.manner == missed and one.winner != two.winner:
        return False  # other seats, or more of them, would have played unseen
    kind, sighting, seat, card, _, target, _ = one
    return (kind, sighting, seat, card, target) == (
        two.kind,
        two.sighting,
        two.seat,
        two.card,
        two.target,
    )


def weights(beam: list[Hypothesis]) -> list[float]:
    """The readings' shares of the probability, in their order."""
    top = max(one.score for one in beam)
    raw = [math.exp(one.score - top) for one in beam]
    total = sum(raw)
    return [x / total for x in raw]
