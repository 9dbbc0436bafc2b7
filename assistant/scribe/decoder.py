"""The beam: the likeliest readings of all sightings so far, redone from where anything changed."""

import heapq
import math

from assistant.scribe.hypothesis import Action, Hypothesis, Kind, follow
from assistant.scribe.meanings import Circumstances, Meanings, Option
from assistant.scribe.priors import Priors
from assistant.scribe.sightings import Book
from vision.events import TableEvent

BEAM = 24
"""Readings kept after each sighting."""
DEPTH = 12.0
"""A reading this far (nats) below the best is let go."""


class Decoder:
    """Readings of one deal. Feed it table events, then ask for `beam`."""

    def __init__(self, priors: Priors, circumstances: Circumstances) -> None:
        self.told = circumstances
        self.book = Book(priors)
        self.meanings = Meanings(priors, circumstances, self.book.sightings)
        self._beams = [[self._first()]]
        self._stale: int | None = None

    def feed(self, event: TableEvent) -> None:
        """Take in an event; what it changes is worked out when next asked for."""
        changed = self.book.feed(event)
        if changed is not None:
            self._stale = changed if self._stale is None else min(changed, self._stale)

    @property
    def beam(self) -> list[Hypothesis]:
        """The likeliest readings, best first; never empty."""
        if self._stale is not None:
            del self._beams[self._stale + 1 :]
            for at in range(len(self._beams) - 1, len(self.book.sightings)):
                self._beams.append(self._step(self._beams[at], at))
            self._stale = None
        return self._beams[-1]

    def _step(self, beam: list[Hypothesis], at: int) -> list[Hypothesis]:
        after = self._continue(beam, at, may_hold=at + 1 < len(self.book.sightings))
        if not any(one.held >= 0 and one.held != at for one in after):
            return after
        settled = [one for one in after if one.held < 0 or one.held == at]
        late = [one for one in after if one.held >= 0 and one.held != at]
        for one in late:
            waiting, one.held = one.held, -1
            settled += self._continue([one], waiting, may_hold=False)
        settled.sort(key=lambda one: -one.score)
        floor = settled[0].score - DEPTH
        return [one for one in settled[:BEAM] if one.score >= floor]

    def _continue(self, beam: list[Hypothesis], at: int, may_hold: bool) -> list[Hypothesis]:
        options: list[Option] = []
        for before in beam:
            options += self.meanings.options(before, at, may_hold=may_hold)
            self._mend(before, at, options)
        best = heapq.nlargest(BEAM, options, key=lambda option: option[0])
        floor = best[0][0] - DEPTH
        step = self.told.step
        return [
            follow(before, action, score, step) for score, before, action in best if score >= floor
        ]

    def _mend(self, before: Hypothesis, at: int, options: list[Option]) -> None:
        """Where this sighting's card is taken already, read the earlier one as another card."""
        for card, ll in self.book.sightings[at].cards:
            if not before.used >> card & 1 or ll < 0:
                continue
            play = next(play for play in before.plays if play.card == card)
            for other, _ in self.book.sightings[play.sighting].wide:
                if before.used >> other & 1:
                    continue
                mended = self.reread(before, {play.sighting: other})
                if mended is not None:
                    options += self.meanings.options(mended, at, [(card, ll)], False)

    def reread(self, reading: Hypothesis, cards: dict[int, int]) -> Hypothesis | None:
        """`reading` with other cards for some sightings, scored anew; None where that cannot be."""
        now = self._first()
        for action in reading.actions:
            if action.kind == Kind.HOLD:
                now = follow(now, action, now.score + self.meanings.held, self.told.step)
                continue
            if action.kind == Kind.RESTART:
                now = self.meanings.restart(now, action.sighting)
                continue
            wanted = _with_cards(action, cards, now)
            forced = None
            if wanted.card >= 0:
                card_ll = self.book.sightings[wanted.sighting].card_ll
                forced = [(wanted.card, card_ll[wanted.card])]
            if now.held == action.sighting:
                now.held = -1
            for score, before, option in self.meanings.options(now, wanted.sighting, forced, False):
                if option == wanted:
                    now = follow(before, option, score, self.told.step)
                    break
            else:
                return None
        return now

    def adopt(self, reading: Hypothesis) -> None:
        """Put a better reading of the same sightings, found elsewhere, before the others."""
        self.beam.insert(0, reading)

    def _first(self) -> Hypothesis:
        return Hypothesis(dealer=self.told.dealer, trump=self.told.trump)


def _with_cards(action: Action, cards: dict[int, int], now: Hypothesis) -> Action:
    if action.kind == Kind.REPEAT:
        return action._replace(card=now.plays[action.target].card)
    if action.sighting in cards and action.kind != Kind.FALSE:
        return action._replace(card=cards[action.sighting])
    return action


def weights(beam: list[Hypothesis]) -> list[float]:
    """The readings' shares of the probability, in their order."""
    top = max(one.score for one in beam)
    raw = [math.exp(one.score - top) for one in beam]
    total = sum(raw)
    return [x / total for x in raw]
