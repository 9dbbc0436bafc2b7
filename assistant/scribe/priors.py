"""What the scribe takes for granted before it sees anything: chances, and where seats play to.

Every chance is a modelling choice, not a measurement of one table; `models.following` shows how
the whole behaves. They are soft: none is 0 or 1, so that enough evidence overrules any of them.
"""

import math
from dataclasses import dataclass, field

from vision.types import Point

_OUTWARD: tuple[Point, ...] = ((0.0, 1.0), (1.0, 0.0), (0.0, -1.0), (-1.0, 0.0))
"""From the table's centre towards S, E, N, W in table coordinates (y down)."""


@dataclass(frozen=True, slots=True)
class Geometry:
    """Where cards come to lie, in units of the table's side, seen from a seat.

    `along` counts from the centre of the table towards the player, `spread` in all directions.
    """

    play_along: float = 0.13
    play_spread: float = 0.085
    show_along: float = 0.30
    show_spread: float = 0.12
    arrival_focus: float = 4.0  # von Mises concentration: about 30 degrees
    doubt: float = 0.04  # share of cards that lie or come from anywhere

    def seats(self, centre: Point, entry: Point | None) -> tuple[float, ...]:
        """Log-likelihood ratios of the four seats having played a card lying at `centre`."""
        places = _share(
            [
                _density(centre, seat, self.play_along, self.play_spread)
                for seat in range(len(_OUTWARD))
            ],
            self.doubt,
        )
        if entry is None:
            return tuple(places)
        dx, dy = entry[0] - 0.5, entry[1] - 0.5
        length = math.hypot(dx, dy)
        if length < 1e-6:
            return tuple(places)
        arrivals = _share(
            [self.arrival_focus * (ux * dx + uy * dy) / length for ux, uy in _OUTWARD], self.doubt
        )
        return tuple(a + b for a, b in zip(places, arrivals, strict=True))

    def shown(self, centre: Point) -> tuple[float, ...]:
        """Log-likelihood ratios of a card at `centre` being shown by a seat, not played."""
        played = [_density(centre, s, self.play_along, self.play_spread) for s in range(4)]
        anywhere = _log_mean(played)
        return tuple(
            max(-4.0, min(4.0, _density(centre, s, self.show_along, self.show_spread) - anywhere))
            for s in range(4)
        )


def _density(centre: Point, seat: int, along: float, spread: float) -> float:
    ux, uy = _OUTWARD[seat]
    dx, dy = centre[0] - 0.5 - along * ux, centre[1] - 0.5 - along * uy
    return -(dx * dx + dy * dy) / (2 * spread * spread) - 2 * math.log(spread)


def _log_mean(values: list[float]) -> float:
    top = max(values)
    return top + math.log(sum(math.exp(v - top) for v in values) / len(values))


def _share(values: list[float], doubt: float) -> list[float]:
    """Each value's share, mixed with an even one, as a log ratio to an even one."""
    mean = _log_mean(values)
    return [math.log((1 - doubt) * math.exp(v - mean) + doubt) for v in values]


@dataclass(frozen=True, slots=True)
class Priors:
    """Chances of what may happen at a table and to a tracker. Log-probabilities are made of them.

    `misread`: a reading that says nothing about its own error. `revoke`: not following although
    able to. The others are named for what happens.
    """

    misread: float = 0.004
    revoke: float = 0.01
    out_of_turn: float = 0.0015
    wrong_leader: float = 0.001
    missed: float = 0.008
    missed_more: float = 0.15  # and another of the same vaza
    found_late: float = 0.3  # a missed card comes to light while its vaza lies there
    false_card: float = 0.01
    lay_there: float = 0.3  # no card, given that nothing moved there when it was first seen
    there_again: float = 0.1  # and at such a place, seen again
    unstirred: float = 0.02  # a card played although nothing was seen to move there
    under_way: float = 0.1  # a deal begun before the first picture
    false_as_card: float = 0.05  # a thing that is no card, read as one, by how it looks
    back_again: float = 0.5  # a card lost and found in the same place
    found_elsewhere: float = 0.02
    found_twice: float = 0.02  # one card taken for two that overlap
    looked_at: float = 0.01  # one of the last vaza's cards, turned up again
    looked_on: float = 0.4  # and the next of them
    any_repeat: float = 0.0005
    taken_back: float = 0.01
    replaced_unseen: float = 0.05  # and the hand that took it back hid what was played instead
    shown: float = 0.9  # the dealer's card is seen before the first lead
    shown_swept: float = 0.02  # and it is gathered with a vaza from where it was shown
    early_lead: float = 0.12  # led before the last vaza was taken away
    late_join: float = 0.002  # a card put to a vaza that has been taken away
    join_long_after: float = 0.00005  # the same seconds after
    lone_join: float = 0.05  # the same where the only card seen of it went alone
    split_sweep: float = 0.02  # one vaza gathered at two times, or two at once
    split_long: float = 0.003  # the same with a long pause between
    left_lying: float = 0.05  # a card that lies there though its vaza was gathered
    swapped_at_once: float = 0.4  # of two cards seen in one instant, the second was first
    swapped_settled: float = 0.1  # the same of two that came to rest in one instant
    swapped_hidden: float = 0.02  # and of two, where the second had lain there hidden
    foreign_owner: float = 0.003  # a card known to be in another hand
    claim: float = 0.02  # given a burst of cards laid down together
    laid_later: float = 0.02  # another hand laid down a while after the first
    broken_off: float = 0.05  # the source ends before the deal does
    redeal: float = 0.003  # given a long pause after an unfinished deal
    gathered_by_partner: float = 0.2
    after_deal: float = 0.3  # a card turned up while the deal is counted
    counted_on: float = 0.8  # and the next one
    dealt_fast: float = 0.2  # the next deal begins while the last may still be counted
    dealt_at_once: float = 0.0003  # with no time to deal
    geometry: Geometry = field(default_factory=Geometry)
