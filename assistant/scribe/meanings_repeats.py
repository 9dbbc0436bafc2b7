"""The ways a sighting can be meant as a card seen again: one that was played, or the dealer's."""

import math

from assistant.scribe.case import Case, Option
from assistant.scribe.chances import ONE_OF_FORTY, ONE_OF_FOUR, Chances
from assistant.scribe.gatherings import gathered
from assistant.scribe.hypothesis import GAP, Action, Hypothesis, Kind, Play
from assistant.scribe.sightings import Sighting, lost_from_sight


class Repeats:
    """Lists them. Holds what is worked out of the sightings alone until it is told to `forget` it."""

    def __init__(self, chances: Chances) -> None:
        self._chances = chances
        self._lost: dict[int, frozenset[int]] = {}

    def of_plays(self, case: Case) -> list[Option]:
        """The sighting is a card that was seen, and played, before."""
        chances, before, sighting = self._chances, case.before, case.sighting
        likely = dict(case.cards)
        found: list[Option] = []
        lost = self._lost_beside(case.at)
        if not lost and not any(before.used >> card & 1 for card in likely):
            return found
        for target, play in enumerate(before.plays):
            ll = likely.get(play.card)
            if (ll is None and play.last not in lost) or play.last == GAP:
                continue
            other = chances.sightings[play.last]
            beside = other.track in sighting.near
            near = play.last in lost and not gathered(before, play, sighting, chances.sightings)
            if ll is None:
                if not near:
                    continue
                ll = sighting.card_ll[play.card]
            chance = self._again(before, play, other, sighting, near)
            if beside and not near and other.gone > sighting.t:
                chance = max(chance, chances.found_twice)
            if before.complete:
                chance = max(chance, chances.after_deal - ONE_OF_FORTY)
            action = Action(Kind.REPEAT, case.at, play.seat, play.card, target=target)
            found.append((before.score + chance + ll, before, action))
        return found

    def _lost_beside(self, at: int) -> frozenset[int]:
        """The sightings at whose place sighting `at` appeared and that were lost from sight then."""
        known, sightings = self._lost.get(at), self._chances.sightings
        if known is None:
            sighting = sightings[at]
            known = self._lost[at] = frozenset(
                i
                for i, other in enumerate(sightings)
                if other.track in sighting.near and lost_from_sight(other, sighting)
            )
        return known

    def forget(self) -> None:
        """The sightings have changed: what was worked out of them alone holds no more."""
        self._lost.clear()

    def _again(
        self, before: Hypothesis, play: Play, other: Sighting, sighting: Sighting, near: bool
    ) -> float:
        chances = self._chances
        if near:
            return chances.back_again
        if other.track == sighting.track:
            return chances.back_again  # it slid far, and is what it was
        which = math.log(max(len(before.plays), 1))
        if other.gone > sighting.t:
            return chances.any_repeat - which
        if other.sweep < 0 and play.trick == before.trick:
            return chances.elsewhere
        if before.looking and play.trick == before.looking:
            return chances.looked_on - ONE_OF_FOUR
        if play.trick >= before.trick - 1:
            return chances.looked_at - ONE_OF_FOUR
        return chances.any_repeat - which

    def of_shown(self, case: Case) -> list[Option]:
        """The sighting is the dealer's card, which lies there or was held up: lost and found, taken
        for two, or, before anybody has played, moved about."""
        chances, before, sighting = self._chances, case.before, case.sighting
        card = next(
            action.card
            for action in before.actions
            if action.kind == Kind.SHOW and action.sighting == before.shown
        )
        if before.used >> card & 1:
            return []
        shown = chances.sightings[before.shown]
        if shown.track in sighting.near:
            lost = lost_from_sight(shown, sighting)
            chance = chances.back_again if lost else chances.found_twice
        elif shown.track == sighting.track:
            chance = chances.back_again
        elif not before.plays and shown.gone <= sighting.t:
            chance = chances.elsewhere
        else:
            return []
        action = Action(Kind.SHOWN_AGAIN, case.at, before.dealer, card)
        return [(before.score + chance + sighting.card_ll[card], before, action)]
