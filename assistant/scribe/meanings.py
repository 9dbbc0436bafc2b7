"""Every way one more sighting can be meant, and how likely each is.

Plays are listed in `meanings_plays`, cards seen again in `meanings_repeats`. The rules of Sueca enter
there and in `chances`, and only as chances: who leads, whose turn it is, who can be void.
"""

import math

from assistant.scribe.case import Case, Option
from assistant.scribe.chances import ONE_OF_FORTY, ONE_OF_FOUR, Chances
from assistant.scribe.circumstances import AT_ONCE, COUNTING_SECONDS
from assistant.scribe.hypothesis import CLAIMED, COUNTING, Action, Hypothesis, Kind
from assistant.scribe.meanings_plays import leads, plays, replacements
from assistant.scribe.meanings_repeats import Repeats
from assistant.scribe.sightings import Sighting
from assistant.scribe.tables import ALL_SEATS, FULL_DECK, SUIT, TRICKS

LONG_PAUSE = 12.0
"""Seconds without a card after which the players may have gathered up and dealt anew."""
LAID_WITHIN = 3.0
"""Seconds between two cards of hands that are laid down because the rest are ours."""


class Meanings:
    """Lists the options of one sighting. Holds what is worked out of the sightings alone until it is
    told to `forget` it."""

    def __init__(self, chances: Chances) -> None:
        self._chances = chances
        self._repeats = Repeats(chances)

    def options(
        self,
        before: Hypothesis,
        at: int,
        cards: list[tuple[int, float]] | None = None,
        may_hold: bool = True,
        only: Action | None = None,
        floor: float = -math.inf,
    ) -> list[Option]:
        """All meanings of sighting `at` after `before`.

        `cards` with their log-likelihood ratios stand in for the sighting's own likeliest cards.
        `only` names the one meaning that is asked for; others may be left out, and so may plays
        that score less than `floor`.
        """
        chances = self._chances
        sighting = chances.sightings[at]
        if only is not None:
            seats = (only.seat,)
            return self._of_kind(Case(before, sighting, at, cards or [], seats), only.kind)
        if cards is None:
            taken = before.used >> sighting.cards[0][0] & 1
            cards = sighting.wide if taken else sighting.cards
        case = Case(before, sighting, at, cards, floor=floor)
        found = [self._false_card(case)]
        if before.complete:
            return found + self._repeats.of_plays(case)
        if may_hold and sighting.held and before.held < 0:
            found.append((self.held(before, at), before, Action(Kind.HOLD, at)))
        if not before.plays and before.shown < 0:
            found += self._shows(case)
        if before.claiming:
            found += self._claims(case)
        else:
            if before.mask != ALL_SEATS:
                found += plays(case, chances)
            if before.plays:
                found += replacements(case, chances)
            if before.trick < TRICKS and not (sighting.moved and not before.plays):
                found += leads(case, chances)
            if sighting.burst and before.mask == ALL_SEATS and before.trick > 0:
                found += self._claims(case)
        if before.plays or before.shown >= 0:
            found += self._repeats.of_plays(case)
        if before.shown >= 0 and before.owned:
            found += self._repeats.of_shown(case)
        if at > 0 and before.plays and before.restarted < 0:
            paused = sighting.key - chances.sightings[at - 1].key
            if paused > LONG_PAUSE:
                found += self.options(self.restart(before, at), at, cards, False)
        return found

    def _of_kind(self, case: Case, kind: Kind) -> list[Option]:
        """The meanings of one kind, and for plays of the case's seats."""
        chances, before = self._chances, case.before
        if kind == Kind.FALSE:
            return [self._false_card(case)]
        if kind == Kind.REPEAT:
            return self._repeats.of_plays(case)
        if before.complete:
            return []
        if kind == Kind.PLAY:
            return plays(case, chances) if before.mask != ALL_SEATS else []
        if kind == Kind.LEAD:
            return leads(case, chances) if before.trick < TRICKS else []
        if kind == Kind.REPLACE:
            return replacements(case, chances)
        if kind == Kind.SHOW:
            return self._shows(case)
        if kind == Kind.SHOWN_AGAIN:
            return self._repeats.of_shown(case)
        return self._claims(case) if kind == Kind.CLAIM else []

    def forget(self) -> None:
        """The sightings have changed: what was worked out of them alone holds no more."""
        self._repeats.forget()

    def held(self, before: Hypothesis, at: int) -> float:
        """The score of reading sighting `at` after the next one."""
        return before.score + math.log(self._chances.sightings[at].held or 1e-6)

    def restart(self, before: Hypothesis, at: int) -> Hypothesis:
        """Another deal begins with sighting `at`, though this one was not played out."""
        return Hypothesis(
            score=before.score + self._chances.redeal,
            restarted=at,
            actions=(*before.actions, Action(Kind.RESTART, at)),
        )

    def taken_back(self, before: Hypothesis) -> float:
        """The score of a play of the present trick having been taken back, and nobody having seen
        what was played instead."""
        return before.score + self._chances.taken_back + self._chances.replaced_unseen

    def _false_card(self, case: Case) -> Option:
        """The sighting is no card of this deal."""
        chances, before, sighting = self._chances, case.before, case.sighting
        action = Action(Kind.FALSE, case.at)
        if before.complete:
            return (before.score + chances.after_deal, before, action)
        if not before.plays and before.shown < 0:
            since = sighting.key - chances.told.ended
            if before.looking == COUNTING and since < 2 * COUNTING_SECONDS:
                return (before.score + chances.counted_on, before, action)
            if since < COUNTING_SECONDS:
                return (before.score + chances.after_deal, before, action)
        chance = chances.false
        if not sighting.stirred:
            chance = chances.lay_there
        elif sighting.haunted:
            chance = chances.there_again
        return (before.score + chance + sighting.false_ll, before, action)

    def _shows(self, case: Case) -> list[Option]:
        chances, sighting = self._chances, case.sighting
        base = case.before.score + chances.shown - ONE_OF_FORTY + chances.so_soon(case.at)
        if not sighting.stirred:
            base += chances.under_way if sighting.first_seen <= AT_ONCE else chances.unstirred
        if sighting.sweep >= 0:
            base += chances.shown_swept
        found: list[Option] = []
        for seat in range(4):
            here = base + sighting.show_ll[seat]
            if chances.told.dealer < 0:
                here -= ONE_OF_FOUR
            elif seat != chances.told.dealer:
                here += chances.wrong_leader
            for card, ll in case.cards:
                if chances.told.trump in (-1, SUIT[card]):
                    action = Action(Kind.SHOW, case.at, seat, card)
                    found.append((here + ll, case.before, action))
        return found

    def _claims(self, case: Case) -> list[Option]:
        before, sighting = case.before, case.sighting
        unseen = (FULL_DECK & ~before.used).bit_count()
        found: list[Option] = []
        if not unseen:
            return found
        base = before.score - math.log(unseen) + self._laid_down(before, sighting)
        base += self._chances.thrown(case)
        rest = TRICKS - before.trick
        for seat in range(4):
            laid = sum(1 for p in before.plays if p.trick == CLAIMED and p.seat == seat)
            if laid >= rest:
                continue
            side = max(sighting.show_ll[seat], sighting.seat_ll[seat]) - ONE_OF_FOUR
            for card, ll in case.cards:
                if not before.used >> card & 1:
                    action = Action(Kind.CLAIM, case.at, seat, card)
                    found.append((base + side + ll, before, action))
        return found

    def _laid_down(self, before: Hypothesis, sighting: Sighting) -> float:
        """That the rest of the hands is laid down, or goes on being: all at once, not card by card
        while vazas are gathered."""
        if not before.claiming:
            return self._chances.claim
        since = sighting.key - self._chances.sightings[before.plays[-1].sighting].key
        return self._chances.laid_later if since > LAID_WITHIN else 0.0
