"""Every way one more sighting can be meant, and how likely each is.

The rules of Sueca enter here and only as chances: who leads, whose turn it is, who can be void.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from assistant.scribe.hypothesis import (
    CLAIMED,
    COUNTING,
    GAP,
    Action,
    Hypothesis,
    Kind,
    Manner,
    Play,
)
from assistant.scribe.priors import Priors
from assistant.scribe.sightings import Sighting, lost_from_sight
from assistant.scribe.tables import (
    ALL_SEATS,
    FULL_DECK,
    SUIT,
    SUIT_MASK,
    TRICKS,
    VOID,
)

Option = tuple[float, Hypothesis, Action]
"""A score, the hypothesis it continues, and how."""

AT_ONCE = 0.5
"""A card seen this soon after the source began lay there before: the deal was under way."""
COUNTING_SECONDS = 20.0
"""How long after a deal cards turned up may still be its own, looked at or counted."""
DEALING_SECONDS = 6.0
"""Nobody gathers, shuffles and deals forty cards faster."""
LONG_PAUSE = 12.0
"""Seconds without a card after which the players may have gathered up and dealt anew."""
_ONE_OF_FOUR, _ONE_OF_FORTY = math.log(4), math.log(40)
LAID_WITHIN = 3.0
"""Seconds between two cards of hands that are laid down because the rest are ours."""
ONE_GATHERING = 2.5
"""Cards of one trick leave within so many seconds, unless it is gathered twice."""
STILL_GATHERING = 3.0
"""A card of a trick that was gathered leaves no later than this after the next lead."""
TAKEBACK_SLACK = 0.6
"""A card taken back may be seen to go this much later than its replacement is seen to lie."""


@dataclass(frozen=True, slots=True)
class Circumstances:
    """What the scribe was told: seats 0-3 and a suit 0-3, -1 where unknown; `step` the direction.

    `ended` when the last deal did: for a while its cards may be looked at and counted.
    """

    step: int = 1
    dealer: int = -1
    trump: int = -1
    ended: float = -math.inf


class _Case(NamedTuple):
    """One sighting to be given a meaning: `at` its place in the book, after the reading `before`.

    `cards` what it may be, with log-likelihood ratios; `seats` those that may have played it.
    Plays that would score less than `floor` need not be listed.
    """

    before: Hypothesis
    sighting: Sighting
    at: int
    cards: list[tuple[int, float]]
    seats: tuple[int, ...] = (0, 1, 2, 3)
    floor: float = -math.inf


class Meanings:
    """Lists the options of one sighting. Holds the logarithms of the chances, and what is worked out
    of the sightings alone until it is told to `forget` it.

    `sightings` is the list the indices in hypotheses point into; it is read, never changed.
    """

    def __init__(
        self, priors: Priors, circumstances: Circumstances, sightings: list[Sighting]
    ) -> None:
        self.told = circumstances
        self.sightings = sightings
        self._lost: dict[int, frozenset[int]] = {}
        log = math.log
        self._false = log(priors.false_card)
        self._lay_there = log(priors.lay_there)
        self._there_again = log(priors.there_again)
        self._unstirred = log(priors.unstirred)
        self._under_way = log(priors.under_way)
        self._in_turn = log(1 - 3 * priors.out_of_turn - priors.missed)
        self._out_of_turn = log(priors.out_of_turn)
        self._missed = log(priors.missed)
        self._missed_more = log(priors.missed_more)
        self._found_late = log(priors.found_late)
        self._right_leader = log(1 - 3 * priors.wrong_leader - priors.missed)
        self._wrong_leader = log(priors.wrong_leader)
        self._revoke = priors.revoke
        self._log_revoke = log(priors.revoke)
        self._back_again = log(priors.back_again)
        self._elsewhere = log(priors.found_elsewhere)
        self._found_twice = log(priors.found_twice)
        self._looked_at = log(priors.looked_at)
        self._looked_on = log(priors.looked_on)
        self._any_repeat = log(priors.any_repeat)
        self._taken_back = log(priors.taken_back)
        self._replaced_unseen = log(priors.replaced_unseen)
        self._shown, self._not_shown = log(priors.shown), log(1 - priors.shown)
        self._shown_swept = log(priors.shown_swept)
        self._early, self._not_early = log(priors.early_lead), log(1 - priors.early_lead)
        self._late_join = log(priors.late_join)
        self._long_after = log(priors.join_long_after)
        self._lone_join = log(priors.lone_join)
        self._split, self._split_long = log(priors.split_sweep), log(priors.split_long)
        self._left_lying = log(priors.left_lying)
        self._foreign = log(priors.foreign_owner)
        self._claim, self._laid_later = log(priors.claim), log(priors.laid_later)
        self.broken_off = log(priors.broken_off)
        self._redeal = log(priors.redeal)
        self._after_deal = log(priors.after_deal)
        self._counted_on = log(priors.counted_on)
        self._dealt_fast = log(priors.dealt_fast)
        self._dealt_at_once = log(priors.dealt_at_once)
        partner = priors.gathered_by_partner
        self._swept_to = tuple(log(4 * p) for p in (0.94 - partner, 0.03, partner, 0.03))

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
        sighting = self.sightings[at]
        if only is not None:
            seats = (only.seat,)
            return self._of_kind(_Case(before, sighting, at, cards or [], seats), only.kind)
        if cards is None:
            taken = before.used >> sighting.cards[0][0] & 1
            cards = sighting.wide if taken else sighting.cards
        case = _Case(before, sighting, at, cards, floor=floor)
        found = [self._false_card(case)]
        if before.complete:
            return found + self._repeats(case)
        if may_hold and sighting.held and before.held < 0:
            found.append((self.held(before, at), before, Action(Kind.HOLD, at)))
        if not before.plays and before.shown < 0:
            found += self._shows(case)
        if before.claiming:
            found += self._claims(case)
        else:
            if before.mask != ALL_SEATS:
                found += self._plays(case)
            if before.plays:
                found += self._replacements(case)
            if before.trick < TRICKS and not (sighting.moved and not before.plays):
                found += self._leads(case)
            if sighting.burst and before.mask == ALL_SEATS and before.trick > 0:
                found += self._claims(case)
        if before.plays or before.shown >= 0:
            found += self._repeats(case)
        if before.shown >= 0 and before.owned:
            found += self._shown_again(case)
        if at > 0 and before.plays and before.restarted < 0:
            paused = sighting.key - self.sightings[at - 1].key
            if paused > LONG_PAUSE:
                found += self.options(self.restart(before, at), at, cards, False)
        return found

    def _of_kind(self, case: _Case, kind: Kind) -> list[Option]:
        """The meanings of one kind, and for plays of the case's seats."""
        before = case.before
        if kind == Kind.FALSE:
            return [self._false_card(case)]
        if kind == Kind.REPEAT:
            return self._repeats(case)
        if before.complete:
            return []
        if kind == Kind.PLAY:
            return self._plays(case) if before.mask != ALL_SEATS else []
        if kind == Kind.LEAD:
            return self._leads(case) if before.trick < TRICKS else []
        if kind == Kind.REPLACE:
            return self._replacements(case)
        if kind == Kind.SHOW:
            return self._shows(case)
        if kind == Kind.SHOWN_AGAIN:
            return self._shown_again(case)
        return self._claims(case) if kind == Kind.CLAIM else []

    def held(self, before: Hypothesis, at: int) -> float:
        """The score of reading sighting `at` after the next one."""
        return before.score + math.log(self.sightings[at].held or 1e-6)

    def restart(self, before: Hypothesis, at: int) -> Hypothesis:
        """Another deal begins with sighting `at`, though this one was not played out."""
        return Hypothesis(
            score=before.score + self._redeal,
            restarted=at,
            actions=(*before.actions, Action(Kind.RESTART, at)),
        )

    def taken_back(self, before: Hypothesis) -> float:
        """The score of a play of the present trick having been taken back, and nobody having seen
        what was played instead."""
        return before.score + self._taken_back + self._replaced_unseen

    def unseen(self, before: Hypothesis, count: int) -> float:
        """Log-probability that `count` more plays of the present trick were seen by nobody.

        What hides one card of a trick (a hand, a lamp's glare, another card) may hide the next; the
        hand of one who took a card back hid that one's own.
        """
        if count <= 0:
            return 0.0
        if before.gaps & ~(before.backs >> (before.trick * 4)):
            return count * self._missed_more
        return self._missed + (count - 1) * self._missed_more

    def _so_soon(self, at: int) -> float:
        """A deal is not dealt out moments after the last one ended, or was still being counted."""
        now = self.sightings[at].key
        since = max(self.told.ended, self.sightings[at - 1].key if at else -math.inf)
        if now - self.told.ended > COUNTING_SECONDS:
            return 0.0
        return self._dealt_at_once if now - since < DEALING_SECONDS else self._dealt_fast

    def _false_card(self, case: _Case) -> Option:
        """The sighting is no card of this deal."""
        before, sighting = case.before, case.sighting
        action = Action(Kind.FALSE, case.at)
        if before.complete:
            return (before.score + self._after_deal, before, action)
        if not before.plays and before.shown < 0:
            since = sighting.key - self.told.ended
            if before.looking == COUNTING and since < 2 * COUNTING_SECONDS:
                return (before.score + self._counted_on, before, action)
            if since < COUNTING_SECONDS:
                return (before.score + self._after_deal, before, action)
        chance = self._false
        if not sighting.stirred:
            chance = self._lay_there
        elif sighting.haunted:
            chance = self._there_again
        return (before.score + chance + sighting.false_ll, before, action)

    # Chances of cards -------------------------------------------------------------------------

    def _card_chance(self, before: Hypothesis, seat: int, card: int, lead_suit: int) -> float:
        """Log-probability that this seat, to play to this suit (-1: none), plays this card."""
        trick = before.trick + (before.mask == ALL_SEATS)
        left = FULL_DECK & ~before.used
        unseen = left.bit_count()
        suit = SUIT[card]
        chance = 0.0
        if before.voids >> (seat * 4 + suit) & 1:
            chance = self._log_revoke
        for owned, owner in before.owned:
            if owned == card and owner != seat:
                chance += self._foreign
        if lead_suit < 0:
            return chance - math.log(unseen)
        of_suit = (left & SUIT_MASK[lead_suit]).bit_count()
        if before.voids >> (seat * 4 + lead_suit) & 1:
            void = 1.0
        else:
            void = VOID[unseen][of_suit][TRICKS + 1 - trick]
        if suit == lead_suit:
            if chance:
                return chance - math.log(of_suit)
            return math.log(max((1 - void) * (1 - self._revoke), 1e-9) / of_suit)
        discards = void + (1 - void) * self._revoke
        return chance + math.log(discards / (unseen - of_suit))

    def _thrown(self, case: _Case) -> float:
        """How well the sighting goes with having been played: something moved there then.

        What lay there in the first picture may be a trick already under way.
        """
        sighting = case.sighting
        if sighting.first_seen <= AT_ONCE:
            return 0.0 if case.before.plays else self._under_way
        return 0.0 if sighting.stirred else self._unstirred

    def _joins(self, case: _Case) -> float:
        """How well the sighting goes with the cards of the present trick, by what was gathered."""
        before, sighting = case.before, case.sighting
        split = 0.0
        paid = False  # another card of the trick went in the same gathering, and paid for the split
        seen = lone = 0
        for play in before.plays[before.start :]:
            if play.last == GAP:
                continue
            seen += 1
            other = self.sightings[play.last]
            if other.gone < sighting.first_seen:
                if other.sweep >= 0:
                    long = sighting.first_seen - other.gone > ONE_GATHERING
                    return self._long_after if long else self._late_join
                lone += 1
            if other.sweep < 0 or sighting.sweep < 0:
                continue
            if other.sweep == sighting.sweep:
                paid = True
            else:
                long = abs(other.gone - sighting.gone) > ONE_GATHERING
                split = min(split, self._split_long if long else self._split)
        chance = 0.0 if paid else split
        return min(chance, self._lone_join) if seen and seen == lone else chance

    def _departs(self, case: _Case) -> tuple[float, int]:
        """How well the sighting begins another trick, by what was gathered, and to which seat's
        side the last one was swept (-1: not seen)."""
        before, sighting = case.before, case.sighting
        chance, left, side = self._early, 0.0, -1
        swept = False
        for play in before.plays[before.start :]:
            if play.last == GAP:
                continue
            other = self.sightings[play.last]
            if other.gone <= sighting.t:
                chance = max(chance, self._not_early)
            elif other.gone > sighting.t + STILL_GATHERING:
                left += self._left_lying
            if other.sweep >= 0:
                swept = True
                if other.sweep == sighting.sweep:
                    return self._split, -1
                if other.exit is not None:
                    side = _side(other.exit)
        return chance + (left if swept else 0.0), side

    # Meanings ---------------------------------------------------------------------------------

    def _plays(self, case: _Case) -> list[Option]:
        before, sighting, at = case.before, case.sighting, case.at
        step = self.told.step
        base = before.score + self._joins(case) + self._thrown(case)
        found: list[Option] = []
        seat = waiting = before.waiting(step)
        between = 0
        for _ in range(4):
            if not before.mask >> seat & 1:
                between += 1
                if seat not in case.seats:
                    seat = (seat + step) % 4
                    continue
                here = base + sighting.seat_ll[seat]
                manners: tuple[tuple[Manner, float], ...]
                if seat == waiting:
                    manners = ((Manner.IN_TURN, self._in_turn),)
                else:
                    manners = (
                        (Manner.OUT_OF_TURN, self._out_of_turn),
                        (Manner.AFTER_MISSED, self.unseen(before, between - 1)),
                    )
                for card, ll in case.cards:
                    if before.used >> card & 1 or here + ll < case.floor:
                        continue
                    chance = here + ll + self._card_chance(before, seat, card, before.lead_suit)
                    for manner, cost in manners:
                        action = Action(Kind.PLAY, at, seat, card, manner)
                        found.append((chance + cost, before, action))
            seat = (seat + step) % 4
        return found

    def _leads(self, case: _Case) -> list[Option]:
        before, sighting, at = case.before, case.sighting, case.at
        missing = 4 - before.mask.bit_count()
        base = before.score + self.unseen(before, missing) + self._thrown(case)
        most = max(sighting.seat_ll) + case.cards[0][1] + self._swept_to[0]
        if base + most < case.floor:
            return []  # what follows only takes away
        trumps: tuple[int, ...] = (before.trump,)
        if before.trick == 0:
            if before.shown < 0:
                base += self._so_soon(at)
                base += self._not_shown if sighting.first_seen > AT_ONCE else 0.0
            if before.trump < 0:
                trumps = (self.told.trump,) if self.told.trump >= 0 else (0, 1, 2, 3)
                base -= math.log(len(trumps))
        departs, side = self._departs(case) if before.trick > 0 else (0.0, -1)
        found: list[Option] = []
        for seat in case.seats:
            here = base + departs + sighting.seat_ll[seat]
            if here + case.cards[0][1] + self._swept_to[0] < case.floor:
                continue
            for manner, winner, cost in self._leading(before, seat):
                how = here + cost
                if side >= 0 and winner >= 0:
                    how += self._swept_to[(side - winner) % 4]
                if how + case.cards[0][1] < case.floor:
                    continue
                for card, ll in case.cards:
                    if before.used >> card & 1 or how + ll < case.floor:
                        continue
                    chance = how + ll + self._card_chance(before, seat, card, -1)
                    for trump in trumps:
                        action = Action(Kind.LEAD, at, seat, card, manner, trump, winner)
                        found.append((chance, before, action))
        return found

    def _leading(self, before: Hypothesis, seat: int) -> list[tuple[Manner, int, float]]:
        """The ways `seat` may come to lead the next trick: how, after which seat took the last
        (-1: not said), and their log-probabilities."""
        step = self.told.step
        if before.trick == 0:
            if before.dealer < 0:
                return [(Manner.IN_TURN, -1, math.log(0.25))]
            winner = (before.dealer + step) % 4
        elif before.gaps or before.mask != ALL_SEATS:
            return self._leading_after_gaps(before, seat)
        else:
            winner = before.best_seat
        if seat == winner:
            return [(Manner.IN_TURN, winner, self._right_leader)]
        away = (seat - winner) * step % 4
        return [
            (Manner.OUT_OF_TURN, winner, self._wrong_leader),
            (Manner.AFTER_MISSED, winner, self._missed + (away - 1) * self._missed_more),
        ]

    def _leading_after_gaps(self, before: Hypothesis, seat: int) -> list[tuple[Manner, int, float]]:
        """The same after a trick of which not all was seen: an unseen card may have taken it."""
        gaps = before.gaps | (ALL_SEATS & ~before.mask)
        seen_best = math.log(max(1 - 0.25 * gaps.bit_count(), 0.1))
        chances = {s: math.log(0.25) for s in range(4) if gaps >> s & 1}
        if before.best_seat >= 0:
            chances[before.best_seat] = seen_best
        ways: list[tuple[Manner, int, float]] = []
        for winner, chance in chances.items():
            if seat == winner:
                ways.append((Manner.IN_TURN, winner, chance))
                continue
            away = (seat - winner) * self.told.step % 4
            unseen = self._missed + (away - 1) * self._missed_more
            ways.append((Manner.AFTER_MISSED, winner, chance + unseen))
        if seat not in chances:
            ways.append((Manner.OUT_OF_TURN, -1, self._wrong_leader))
        return ways

    def _replacements(self, case: _Case) -> list[Option]:
        """The sighting stands for a card of this trick that was taken back."""
        before, sighting = case.before, case.sighting
        found: list[Option] = []
        trick = before.plays[before.start :]
        for target, play in enumerate(trick, before.start):
            if play.last == GAP:
                if play.seat in case.seats:
                    found += self._come_to_light(case, target, play)
                continue
            other = self.sightings[play.last]
            if other.gone > sighting.t + TAKEBACK_SLACK:
                continue
            if not left_alone(play, trick, self.sightings):
                continue
            base = before.score + self._taken_back + sighting.seat_ll[play.seat]
            base += self._thrown(case)
            for card, ll in case.cards:
                if before.used >> card & 1:
                    continue
                lead = before.lead_suit if play.seat != before.leader else -1
                chance = base + ll - math.log((FULL_DECK & ~before.used).bit_count())
                if lead >= 0 and SUIT[card] != lead:
                    chance += math.log(0.3)
                action = Action(Kind.REPLACE, case.at, play.seat, card, target=target)
                found.append((chance, before, action))
        return found

    def _come_to_light(self, case: _Case, target: int, play: Play) -> list[Option]:
        """The sighting is the card that `play`, of this trick, was not seen to be: a hand or another card
        had hidden it. Where it came from says nothing then, only where it lies."""
        before, sighting = case.before, case.sighting
        base = before.score + self._found_late + sighting.lying_ll[play.seat]
        base += self._joins(case) + self._thrown(case)
        lead = before.lead_suit if play.seat != before.leader else -1
        return [
            (
                base + ll + self._card_chance(before, play.seat, card, lead),
                before,
                Action(Kind.REPLACE, case.at, play.seat, card, target=target),
            )
            for card, ll in case.cards
            if not before.used >> card & 1 and base + ll >= case.floor
        ]

    def _repeats(self, case: _Case) -> list[Option]:
        """The sighting is a card that was seen, and played, before."""
        before, sighting = case.before, case.sighting
        likely = dict(case.cards)
        found: list[Option] = []
        lost = self._lost_beside(case.at)
        if not lost and not any(before.used >> card & 1 for card in likely):
            return found
        for target, play in enumerate(before.plays):
            ll = likely.get(play.card)
            if (ll is None and play.last not in lost) or play.last == GAP:
                continue
            other = self.sightings[play.last]
            beside = other.track in sighting.near
            near = play.last in lost and not self._gathered(before, play, sighting)
            if ll is None:
                if not near:
                    continue
                ll = sighting.card_ll[play.card]
            chance = self._again(before, play, other, sighting, near)
            if beside and not near and other.gone > sighting.t:
                chance = max(chance, self._found_twice)
            if before.complete:
                chance = max(chance, self._after_deal - _ONE_OF_FORTY)
            action = Action(Kind.REPEAT, case.at, play.seat, play.card, target=target)
            found.append((before.score + chance + ll, before, action))
        return found

    def _lost_beside(self, at: int) -> frozenset[int]:
        """The sightings at whose place sighting `at` appeared and that were lost from sight then."""
        known = self._lost.get(at)
        if known is None:
            sighting = self.sightings[at]
            known = self._lost[at] = frozenset(
                i
                for i, other in enumerate(self.sightings)
                if other.track in sighting.near and lost_from_sight(other, sighting)
            )
        return known

    def forget(self) -> None:
        """The sightings have changed: what was worked out of them alone holds no more."""
        self._lost.clear()

    def _gathered(self, before: Hypothesis, play: Play, sighting: Sighting) -> bool:
        """Whether the vaza of `play` is over and all else of it had left before the sighting: a
        card lost from sight went with it, and does not lie where it lay."""
        if play.trick == before.trick or play.trick == CLAIMED:
            return False
        others = [
            self.sightings[other.last]
            for other in before.plays
            if other.trick == play.trick and other.last not in (GAP, play.last)
        ]
        return bool(others) and all(other.gone < sighting.first_seen for other in others)

    def _again(
        self, before: Hypothesis, play: Play, other: Sighting, sighting: Sighting, near: bool
    ) -> float:
        if near:
            return self._back_again
        if other.track == sighting.track:
            return self._back_again  # it slid far, and is what it was
        which = math.log(max(len(before.plays), 1))
        if other.gone > sighting.t:
            return self._any_repeat - which
        if other.sweep < 0 and play.trick == before.trick:
            return self._elsewhere
        if before.looking and play.trick == before.looking:
            return self._looked_on - _ONE_OF_FOUR
        if play.trick >= before.trick - 1:
            return self._looked_at - _ONE_OF_FOUR
        return self._any_repeat - which

    def _shows(self, case: _Case) -> list[Option]:
        sighting = case.sighting
        base = case.before.score + self._shown - _ONE_OF_FORTY + self._so_soon(case.at)
        if not sighting.stirred:
            base += self._under_way if sighting.first_seen <= AT_ONCE else self._unstirred
        if sighting.sweep >= 0:
            base += self._shown_swept
        found: list[Option] = []
        for seat in range(4):
            here = base + sighting.show_ll[seat]
            if self.told.dealer < 0:
                here -= _ONE_OF_FOUR
            elif seat != self.told.dealer:
                here += self._wrong_leader
            for card, ll in case.cards:
                if self.told.trump in (-1, SUIT[card]):
                    action = Action(Kind.SHOW, case.at, seat, card)
                    found.append((here + ll, case.before, action))
        return found

    def _shown_again(self, case: _Case) -> list[Option]:
        """The sighting is the dealer's card, which lies there or was held up: lost and found, taken
        for two, or, before anybody has played, moved about."""
        before, sighting = case.before, case.sighting
        card = next(
            action.card
            for action in before.actions
            if action.kind == Kind.SHOW and action.sighting == before.shown
        )
        if before.used >> card & 1:
            return []
        shown = self.sightings[before.shown]
        if shown.track in sighting.near:
            lost = lost_from_sight(shown, sighting)
            chance = self._back_again if lost else self._found_twice
        elif shown.track == sighting.track:
            chance = self._back_again
        elif not before.plays and shown.gone <= sighting.t:
            chance = self._elsewhere
        else:
            return []
        action = Action(Kind.SHOWN_AGAIN, case.at, before.dealer, card)
        return [(before.score + chance + sighting.card_ll[card], before, action)]

    def _claims(self, case: _Case) -> list[Option]:
        before, sighting = case.before, case.sighting
        unseen = (FULL_DECK & ~before.used).bit_count()
        found: list[Option] = []
        if not unseen:
            return found
        base = before.score - math.log(unseen) + self._laid_down(before, sighting)
        base += self._thrown(case)
        rest = TRICKS - before.trick
        for seat in range(4):
            laid = sum(1 for p in before.plays if p.trick == CLAIMED and p.seat == seat)
            if laid >= rest:
                continue
            side = max(sighting.show_ll[seat], sighting.seat_ll[seat]) - _ONE_OF_FOUR
            for card, ll in case.cards:
                if not before.used >> card & 1:
                    action = Action(Kind.CLAIM, case.at, seat, card)
                    found.append((base + side + ll, before, action))
        return found

    def _laid_down(self, before: Hypothesis, sighting: Sighting) -> float:
        """That the rest of the hands is laid down, or goes on being: all at once, not card by card
        while vazas are gathered."""
        if not before.claiming:
            return self._claim
        since = sighting.key - self.sightings[before.plays[-1].sighting].key
        return self._laid_later if since > LAID_WITHIN else 0.0


def left_alone(play: Play, trick: Sequence[Play], sightings: Sequence[Sighting]) -> bool:
    """Whether this card left while another of its trick lay there still."""
    gone = sightings[play.last]
    if gone.sweep < 0:
        return True
    others = [sightings[p.last] for p in trick if p.last not in (GAP, play.last)]
    return any(other.sweep != gone.sweep and other.gone > gone.gone for other in others)


def _side(point: tuple[float, float]) -> int:
    """The seat, 0-3, at whose side of the table's centre a point lies."""
    dx, dy = point[0] - 0.5, point[1] - 0.5
    if abs(dy) >= abs(dx):
        return 0 if dy > 0 else 2
    return 1 if dx > 0 else 3
