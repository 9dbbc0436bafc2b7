"""Every way one more sighting can be meant, and how likely each is.

The rules of Sueca enter here and only as chances: who leads, whose turn it is, who can be void.
"""

import math
from dataclasses import dataclass

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


class Meanings:
    """Lists the options of one sighting. Holds the logarithms of the chances, nothing that moves.

    `sightings` is the list the indices in hypotheses point into; it is read, never changed.
    """

    def __init__(
        self, priors: Priors, circumstances: Circumstances, sightings: list[Sighting]
    ) -> None:
        self.told = circumstances
        self.sightings = sightings
        log = math.log
        self._false = log(priors.false_card)
        self._in_turn = log(1 - 3 * priors.out_of_turn - priors.missed)
        self._out_of_turn = log(priors.out_of_turn)
        self._missed = log(priors.missed)
        self._right_leader = log(1 - 3 * priors.wrong_leader - priors.missed)
        self._wrong_leader = log(priors.wrong_leader)
        self._revoke = priors.revoke
        self._log_revoke = log(priors.revoke)
        self._back_again = log(priors.back_again)
        self._elsewhere = log(priors.found_elsewhere)
        self._looked_at = log(priors.looked_at)
        self._looked_on = log(priors.looked_on)
        self._any_repeat = log(priors.any_repeat)
        self._taken_back = log(priors.taken_back)
        self._shown, self._not_shown = log(priors.shown), log(1 - priors.shown)
        self._early, self._not_early = log(priors.early_lead), log(1 - priors.early_lead)
        self._late_join = log(priors.late_join)
        self._split = log(priors.split_sweep)
        self._foreign = log(priors.foreign_owner)
        self._claim = log(priors.claim)
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
    ) -> list[Option]:
        """All meanings of sighting `at` after `before`.

        `cards` with their log-likelihood ratios stand in for the sighting's own likeliest cards.
        `only` names the one meaning that is asked for; others may be left out.
        """
        if only is not None:
            return self._of_kind(before, at, cards or [], only)
        sighting = self.sightings[at]
        if cards is None:
            taken = before.used >> sighting.cards[0][0] & 1
            cards = sighting.wide if taken else sighting.cards
        found: list[Option] = []
        if before.complete:
            found.append((self._nothing(before, sighting), before, Action(Kind.FALSE, at)))
            self._repeats(before, sighting, at, cards, found)
            return found
        found.append((self._nothing(before, sighting), before, Action(Kind.FALSE, at)))
        if may_hold and sighting.held and before.held < 0:
            found.append((self.held(before, at), before, Action(Kind.HOLD, at)))
        if not before.plays and before.shown < 0:
            self._shows(before, sighting, at, cards, found)
        if before.claiming:
            self._claims(before, sighting, at, cards, found)
        else:
            if before.mask != ALL_SEATS:
                self._plays(before, sighting, at, cards, found)
            if before.plays:
                self._replacements(before, sighting, at, cards, found)
            if before.trick < TRICKS and not (sighting.moved and not before.plays):
                self._leads(before, sighting, at, cards, found)
            if sighting.burst and before.mask == ALL_SEATS and before.trick > 0:
                self._claims(before, sighting, at, cards, found)
        if before.plays or before.shown >= 0:
            self._repeats(before, sighting, at, cards, found)
        if at > 0 and before.plays and before.restarted < 0:
            paused = sighting.key - self.sightings[at - 1].key
            if paused > LONG_PAUSE:
                found += self.options(self.restart(before, at), at, cards, False)
        return found

    def _of_kind(
        self, before: Hypothesis, at: int, cards: list[tuple[int, float]], only: Action
    ) -> list[Option]:
        """The meanings of the kind, and for plays the seat, of `only`."""
        sighting = self.sightings[at]
        found: list[Option] = []
        kind, seats = only.kind, (only.seat,)
        if kind == Kind.FALSE:
            return [(self._nothing(before, sighting), before, Action(Kind.FALSE, at))]
        if kind == Kind.REPEAT:
            self._repeats(before, sighting, at, cards, found)
        elif before.complete:
            return found
        elif kind == Kind.PLAY:
            if before.mask != ALL_SEATS:
                self._plays(before, sighting, at, cards, found, seats)
        elif kind == Kind.LEAD:
            if before.trick < TRICKS:
                self._leads(before, sighting, at, cards, found, seats)
        elif kind == Kind.REPLACE:
            self._replacements(before, sighting, at, cards, found)
        elif kind == Kind.SHOW:
            self._shows(before, sighting, at, cards, found)
        elif kind == Kind.CLAIM:
            self._claims(before, sighting, at, cards, found)
        return found

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

    def _so_soon(self, at: int) -> float:
        """A deal is not dealt out moments after the last one ended, or was still being counted."""
        now = self.sightings[at].key
        since = max(self.told.ended, self.sightings[at - 1].key if at else -math.inf)
        if now - self.told.ended > COUNTING_SECONDS:
            return 0.0
        return self._dealt_at_once if now - since < DEALING_SECONDS else self._dealt_fast

    def _nothing(self, before: Hypothesis, sighting: Sighting) -> float:
        if before.complete:
            return before.score + self._after_deal
        if not before.plays and before.shown < 0:
            if before.looking == COUNTING:
                return before.score + self._counted_on
            if sighting.key < self.told.ended + COUNTING_SECONDS:
                return before.score + self._after_deal
        return before.score + self._false + sighting.false_ll

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

    def _joins(self, before: Hypothesis, sighting: Sighting) -> float:
        """How well the sighting goes with the cards of the present trick, by what was gathered."""
        chance = 0.0
        for play in before.plays[before.start :]:
            if play.last == GAP:
                continue
            other = self.sightings[play.last]
            if other.sweep >= 0:
                if other.gone < sighting.first_seen:
                    return self._late_join
                if sighting.sweep >= 0 and other.sweep != sighting.sweep:
                    chance = self._split
        return chance

    def _departs(self, before: Hypothesis, sighting: Sighting) -> float:
        """How well the sighting begins another trick, by what was gathered and where to."""
        chance = self._early
        swept_to = 0.0
        for play in before.plays[before.start :]:
            if play.last == GAP:
                continue
            other = self.sightings[play.last]
            if other.gone <= sighting.t:
                chance = max(chance, self._not_early)
            if other.sweep >= 0:
                if other.sweep == sighting.sweep:
                    return self._split
                if other.exit is not None and before.best_seat >= 0 and not before.gaps:
                    seat = _side(other.exit)
                    swept_to = self._swept_to[(seat - before.best_seat) % 4]
        return chance + swept_to

    # Meanings ---------------------------------------------------------------------------------

    def _plays(
        self,
        before: Hypothesis,
        sighting: Sighting,
        at: int,
        cards: list[tuple[int, float]],
        found: list[Option],
        seats: tuple[int, ...] = (0, 1, 2, 3),
    ) -> None:
        step = self.told.step
        base = before.score + self._joins(before, sighting)
        seat = waiting = before.waiting(step)
        between = 0
        for _ in range(4):
            if not before.mask >> seat & 1:
                between += 1
                if seat not in seats:
                    seat = (seat + step) % 4
                    continue
                here = base + sighting.seat_ll[seat]
                manners: tuple[tuple[Manner, float], ...]
                if seat == waiting:
                    manners = ((Manner.IN_TURN, self._in_turn),)
                else:
                    manners = (
                        (Manner.OUT_OF_TURN, self._out_of_turn),
                        (Manner.AFTER_MISSED, self._missed * (between - 1)),
                    )
                for card, ll in cards:
                    if before.used >> card & 1:
                        continue
                    chance = here + ll + self._card_chance(before, seat, card, before.lead_suit)
                    for manner, cost in manners:
                        action = Action(Kind.PLAY, at, seat, card, manner)
                        found.append((chance + cost, before, action))
            seat = (seat + step) % 4

    def _leads(
        self,
        before: Hypothesis,
        sighting: Sighting,
        at: int,
        cards: list[tuple[int, float]],
        found: list[Option],
        seats: tuple[int, ...] = (0, 1, 2, 3),
    ) -> None:
        missing = 4 - before.mask.bit_count()
        base = before.score + missing * self._missed
        trumps: tuple[int, ...] = (before.trump,)
        if before.trick > 0:
            base += self._departs(before, sighting)
        else:
            if before.shown < 0:
                base += self._so_soon(at)
                base += self._not_shown if sighting.first_seen > AT_ONCE else 0.0
            if before.trump < 0:
                trumps = (self.told.trump,) if self.told.trump >= 0 else (0, 1, 2, 3)
                base -= math.log(len(trumps))
        for seat in seats:
            here = base + sighting.seat_ll[seat]
            for manner, cost in self._leading(before, seat):
                for card, ll in cards:
                    if before.used >> card & 1:
                        continue
                    chance = here + cost + ll + self._card_chance(before, seat, card, -1)
                    for trump in trumps:
                        action = Action(Kind.LEAD, at, seat, card, manner, trump)
                        found.append((chance, before, action))

    def _leading(self, before: Hypothesis, seat: int) -> list[tuple[Manner, float]]:
        """The ways `seat` may come to lead the next trick, with their log-probabilities."""
        step = self.told.step
        if before.trick == 0:
            if before.dealer < 0:
                return [(Manner.IN_TURN, math.log(0.25))]
            winner = (before.dealer + step) % 4
        elif before.gaps or before.mask != ALL_SEATS:
            gaps = before.gaps | (ALL_SEATS & ~before.mask)
            unseen = gaps.bit_count()
            if gaps >> seat & 1:
                return [(Manner.IN_TURN, math.log(0.25))]
            if seat == before.best_seat:
                return [(Manner.IN_TURN, math.log(max(1 - 0.25 * unseen, 0.1)))]
            return [(Manner.OUT_OF_TURN, self._wrong_leader)]
        else:
            winner = before.best_seat
        if seat == winner:
            return [(Manner.IN_TURN, self._right_leader)]
        away = (seat - winner) * step % 4
        return [
            (Manner.OUT_OF_TURN, self._wrong_leader),
            (Manner.AFTER_MISSED, self._missed * away),
        ]

    def _replacements(
        self,
        before: Hypothesis,
        sighting: Sighting,
        at: int,
        cards: list[tuple[int, float]],
        found: list[Option],
    ) -> None:
        """The sighting stands for a card of this trick that was taken back."""
        trick = before.plays[before.start :]
        for target, play in enumerate(trick, before.start):
            if play.last == GAP:
                continue
            other = self.sightings[play.last]
            if other.gone > sighting.t + TAKEBACK_SLACK:
                continue
            if not _left_alone(play, trick, self.sightings):
                continue
            base = before.score + self._taken_back + sighting.seat_ll[play.seat]
            for card, ll in cards:
                if before.used >> card & 1:
                    continue
                lead = before.lead_suit if play.seat != before.leader else -1
                chance = base + ll - math.log((FULL_DECK & ~before.used).bit_count())
                if lead >= 0 and SUIT[card] != lead:
                    chance += math.log(0.3)
                action = Action(Kind.REPLACE, at, play.seat, card, target=target)
                found.append((chance, before, action))

    def _repeats(
        self,
        before: Hypothesis,
        sighting: Sighting,
        at: int,
        cards: list[tuple[int, float]],
        found: list[Option],
    ) -> None:
        """The sighting is a card that was seen, and played, before."""
        likely = dict(cards)
        if not sighting.near and not any(before.used >> card & 1 for card in likely):
            return
        for target, play in enumerate(before.plays):
            if play.last == GAP:
                continue
            other = self.sightings[play.last]
            near = other.track in sighting.near and lost_from_sight(other, sighting)
            ll = likely.get(play.card)
            if ll is None:
                if not near:
                    continue
                ll = sighting.card_ll[play.card]
            chance = self._again(before, play, other, sighting, near)
            if before.complete:
                chance = max(chance, self._after_deal - _ONE_OF_FORTY)
            action = Action(Kind.REPEAT, at, play.seat, play.card, target=target)
            found.append((before.score + chance + ll, before, action))

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

    def _shows(
        self,
        before: Hypothesis,
        sighting: Sighting,
        at: int,
        cards: list[tuple[int, float]],
        found: list[Option],
    ) -> None:
        base = before.score + self._shown - math.log(40) + self._so_soon(at)
        for seat in range(4):
            here = base + sighting.show_ll[seat]
            if self.told.dealer < 0:
                here -= math.log(4)
            elif seat != self.told.dealer:
                here += self._wrong_leader
            for card, ll in cards:
                if self.told.trump in (-1, SUIT[card]):
                    found.append((here + ll, before, Action(Kind.SHOW, at, seat, card)))

    def _claims(
        self,
        before: Hypothesis,
        sighting: Sighting,
        at: int,
        cards: list[tuple[int, float]],
        found: list[Option],
    ) -> None:
        unseen = (FULL_DECK & ~before.used).bit_count()
        if not unseen:
            return
        base = before.score - math.log(unseen) + (0.0 if before.claiming else self._claim)
        rest = TRICKS - before.trick
        for seat in range(4):
            laid = sum(1 for p in before.plays if p.trick == CLAIMED and p.seat == seat)
            if laid >= rest:
                continue
            side = max(sighting.show_ll[seat], sighting.seat_ll[seat]) - math.log(4)
            for card, ll in cards:
                if not before.used >> card & 1:
                    found.append((base + side + ll, before, Action(Kind.CLAIM, at, seat, card)))


def _left_alone(play: Play, trick: tuple[Play, ...], sightings: list[Sighting]) -> bool:
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
