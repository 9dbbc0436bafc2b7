"""The ways a sighting can be meant as a play: in turn or not, leading, for one that was taken back.

The rules of Sueca enter here, as chances alone: who leads, whose turn it is.
"""

import math

from assistant.scribe.case import Case, Option
from assistant.scribe.chances import Chances
from assistant.scribe.circumstances import AT_ONCE
from assistant.scribe.gatherings import departs, joins, left_alone
from assistant.scribe.hypothesis import GAP, Action, Hypothesis, Kind, Manner, Play
from assistant.scribe.tables import ALL_SEATS, FULL_DECK, SUIT

TAKEBACK_SLACK = 0.6
"""A card taken back may be seen to go this much later than its replacement is seen to lie."""


def plays(case: Case, chances: Chances) -> list[Option]:
    before, sighting, at = case.before, case.sighting, case.at
    step = chances.told.step
    base = before.score + joins(case, chances) + chances.thrown(case)
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
                manners = ((Manner.IN_TURN, chances.in_turn),)
            else:
                manners = (
                    (Manner.OUT_OF_TURN, chances.out_of_turn),
                    (Manner.AFTER_MISSED, chances.unseen(before, between - 1)),
                )
            for card, ll in case.cards:
                if before.used >> card & 1 or here + ll < case.floor:
                    continue
                chance = here + ll + chances.of_card(before, seat, card, before.lead_suit)
                for manner, cost in manners:
                    action = Action(Kind.PLAY, at, seat, card, manner)
                    found.append((chance + cost, before, action))
        seat = (seat + step) % 4
    return found


def leads(case: Case, chances: Chances) -> list[Option]:
    before, sighting, at = case.before, case.sighting, case.at
    missing = 4 - before.mask.bit_count()
    base = before.score + chances.unseen(before, missing) + chances.thrown(case)
    most = max(sighting.seat_ll) + case.cards[0][1] + chances.swept_to[0]
    if base + most < case.floor:
        return []  # what follows only takes away
    trumps: tuple[int, ...] = (before.trump,)
    if before.trick == 0:
        if before.shown < 0:
            base += chances.so_soon(at)
            base += chances.not_shown if sighting.first_seen > AT_ONCE else 0.0
        if before.trump < 0:
            trumps = (chances.told.trump,) if chances.told.trump >= 0 else (0, 1, 2, 3)
            base -= math.log(len(trumps))
    parted, side = departs(case, chances) if before.trick > 0 else (0.0, -1)
    found: list[Option] = []
    for seat in case.seats:
        here = base + parted + sighting.seat_ll[seat]
        if here + case.cards[0][1] + chances.swept_to[0] < case.floor:
            continue
        for manner, winner, cost in _leading(before, seat, chances):
            how = here + cost
            if side >= 0 and winner >= 0:
                how += chances.swept_to[(side - winner) % 4]
            if how + case.cards[0][1] < case.floor:
                continue
            for card, ll in case.cards:
                if before.used >> card & 1 or how + ll < case.floor:
                    continue
                chance = how + ll + chances.of_card(before, seat, card, -1)
                for trump in trumps:
                    action = Action(Kind.LEAD, at, seat, card, manner, trump, winner)
                    found.append((chance, before, action))
    return found


def _leading(before: Hypothesis, seat: int, chances: Chances) -> list[tuple[Manner, int, float]]:
    """The ways `seat` may come to lead the next trick: how, after which seat took the last
    (-1: not said), and their log-probabilities."""
    step = chances.told.step
    if before.trick == 0:
        if before.dealer < 0:
            return [(Manner.IN_TURN, -1, math.log(0.25))]
        winner = (before.dealer + step) % 4
    elif before.gaps or before.mask != ALL_SEATS:
        return _leading_after_gaps(before, seat, chances)
    else:
        winner = before.best_seat
    if seat == winner:
        return [(Manner.IN_TURN, winner, chances.right_leader)]
    away = (seat - winner) * step % 4
    return [
        (Manner.OUT_OF_TURN, winner, chances.wrong_leader),
        (Manner.AFTER_MISSED, winner, chances.missed + (away - 1) * chances.missed_more),
    ]


def _leading_after_gaps(
    before: Hypothesis, seat: int, chances: Chances
) -> list[tuple[Manner, int, float]]:
    """The same after a trick of which not all was seen: an unseen card may have taken it."""
    gaps = before.gaps | (ALL_SEATS & ~before.mask)
    seen_best = math.log(max(1 - 0.25 * gaps.bit_count(), 0.1))
    took = {s: math.log(0.25) for s in range(4) if gaps >> s & 1}
    if before.best_seat >= 0:
        took[before.best_seat] = seen_best
    ways: list[tuple[Manner, int, float]] = []
    for winner, chance in took.items():
        if seat == winner:
            ways.append((Manner.IN_TURN, winner, chance))
            continue
        away = (seat - winner) * chances.told.step % 4
        unseen = chances.missed + (away - 1) * chances.missed_more
        ways.append((Manner.AFTER_MISSED, winner, chance + unseen))
    if seat not in took:
        ways.append((Manner.OUT_OF_TURN, -1, chances.wrong_leader))
    return ways


def replacements(case: Case, chances: Chances) -> list[Option]:
    """The sighting stands for a card of this trick that was taken back."""
    before, sighting = case.before, case.sighting
    found: list[Option] = []
    trick = before.plays[before.start :]
    for target, play in enumerate(trick, before.start):
        if play.last == GAP:
            if play.seat in case.seats:
                found += _come_to_light(case, target, play, chances)
            continue
        other = chances.sightings[play.last]
        if other.gone > sighting.t + TAKEBACK_SLACK:
            continue
        if not left_alone(play, trick, chances.sightings):
            continue
        base = before.score + chances.taken_back + sighting.seat_ll[play.seat]
        base += chances.thrown(case)
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


def _come_to_light(case: Case, target: int, play: Play, chances: Chances) -> list[Option]:
    """The sighting is the card that `play`, of this trick, was not seen to be: a hand or another card
    had hidden it. Where it came from says nothing then, only where it lies."""
    before, sighting = case.before, case.sighting
    base = before.score + chances.found_late + sighting.lying_ll[play.seat]
    base += joins(case, chances) + chances.thrown(case)
    lead = before.lead_suit if play.seat != before.leader else -1
    return [
        (
            base + ll + chances.of_card(before, play.seat, card, lead),
            before,
            Action(Kind.REPLACE, case.at, play.seat, card, target=target),
        )
        for card, ll in case.cards
        if not before.used >> card & 1 and base + ll >= case.floor
    ]
