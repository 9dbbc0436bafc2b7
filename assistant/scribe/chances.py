"""How likely it is, with what was told and seen, that a card is played, was thrown, or was not seen.

The rules of Sueca enter here, as chances alone: who can be void, who follows suit.
"""

import math

from assistant.scribe.case import Case
from assistant.scribe.circumstances import AT_ONCE, COUNTING_SECONDS, DEALING_SECONDS, Circumstances
from assistant.scribe.hypothesis import Hypothesis
from assistant.scribe.priors import Priors
from assistant.scribe.sightings import Sighting
from assistant.scribe.tables import ALL_SEATS, FULL_DECK, SUIT, SUIT_MASK, TRICKS, VOID

ONE_OF_FOUR, ONE_OF_FORTY = math.log(4), math.log(40)


class Chances:
    """The logarithms of the chances, and those worked out of them for one case.

    `sightings` is the list the indices in hypotheses point into; it is read, never changed.
    """

    def __init__(
        self, priors: Priors, circumstances: Circumstances, sightings: list[Sighting]
    ) -> None:
        self.told = circumstances
        self.sightings = sightings
        log = math.log
        self.false = log(priors.false_card)
        self.lay_there = log(priors.lay_there)
        self.there_again = log(priors.there_again)
        self.unstirred = log(priors.unstirred)
        self.under_way = log(priors.under_way)
        self.in_turn = log(1 - 3 * priors.out_of_turn - priors.missed)
        self.out_of_turn = log(priors.out_of_turn)
        self.missed = log(priors.missed)
        self.missed_more = log(priors.missed_more)
        self.found_late = log(priors.found_late)
        self.right_leader = log(1 - 3 * priors.wrong_leader - priors.missed)
        self.wrong_leader = log(priors.wrong_leader)
        self.revoke = priors.revoke
        self.log_revoke = log(priors.revoke)
        self.back_again = log(priors.back_again)
        self.elsewhere = log(priors.found_elsewhere)
        self.found_twice = log(priors.found_twice)
        self.looked_at = log(priors.looked_at)
        self.looked_on = log(priors.looked_on)
        self.any_repeat = log(priors.any_repeat)
        self.taken_back = log(priors.taken_back)
        self.replaced_unseen = log(priors.replaced_unseen)
        self.shown, self.not_shown = log(priors.shown), log(1 - priors.shown)
        self.shown_swept = log(priors.shown_swept)
        self.early, self.not_early = log(priors.early_lead), log(1 - priors.early_lead)
        self.late_join = log(priors.late_join)
        self.long_after = log(priors.join_long_after)
        self.lone_join = log(priors.lone_join)
        self.split, self.split_long = log(priors.split_sweep), log(priors.split_long)
        self.left_lying = log(priors.left_lying)
        self.foreign = log(priors.foreign_owner)
        self.claim, self.laid_later = log(priors.claim), log(priors.laid_later)
        self.broken_off = log(priors.broken_off)
        self.redeal = log(priors.redeal)
        self.after_deal = log(priors.after_deal)
        self.counted_on = log(priors.counted_on)
        self.dealt_fast = log(priors.dealt_fast)
        self.dealt_at_once = log(priors.dealt_at_once)
        partner = priors.gathered_by_partner
        self.swept_to = tuple(log(4 * p) for p in (0.94 - partner, 0.03, partner, 0.03))

    def of_card(self, before: Hypothesis, seat: int, card: int, lead_suit: int) -> float:
        """Log-probability that this seat, to play to this suit (-1: none), plays this card."""
        trick = before.trick + (before.mask == ALL_SEATS)
        left = FULL_DECK & ~before.used
        unseen = left.bit_count()
        suit = SUIT[card]
        chance = 0.0
        if before.voids >> (seat * 4 + suit) & 1:
            chance = self.log_revoke
        for owned, owner in before.owned:
            if owned == card and owner != seat:
                chance += self.foreign
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
            return math.log(max((1 - void) * (1 - self.revoke), 1e-9) / of_suit)
        discards = void + (1 - void) * self.revoke
        return chance + math.log(discards / (unseen - of_suit))

    def unseen(self, before: Hypothesis, count: int) -> float:
        """Log-probability that `count` more plays of the present trick were seen by nobody.

        What hides one card of a trick (a hand, a lamp's glare, another card) may hide the next; the
        hand of one who took a card back hid that one's own.
        """
        if count <= 0:
            return 0.0
        if before.gaps & ~(before.backs >> (before.trick * 4)):
            return count * self.missed_more
        return self.missed + (count - 1) * self.missed_more

    def thrown(self, case: Case) -> float:
        """How well the sighting goes with having been played: something moved there then.

        What lay there in the first picture may be a trick already under way.
        """
        sighting = case.sighting
        if sighting.first_seen <= AT_ONCE:
            return 0.0 if case.before.plays else self.under_way
        return 0.0 if sighting.stirred else self.unstirred

    def so_soon(self, at: int) -> float:
        """A deal is not dealt out moments after the last one ended, or was still being counted."""
        now = self.sightings[at].key
        since = max(self.told.ended, self.sightings[at - 1].key if at else -math.inf)
        if now - self.told.ended > COUNTING_SECONDS:
            return 0.0
        return self.dealt_at_once if now - since < DEALING_SECONDS else self.dealt_fast
