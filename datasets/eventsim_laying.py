"""How cards come to lie at a simulated table, and what befalls them there.

They are laid over one another, hidden by hands, nudged by sleeves; the tracker finds them late, takes
one for two or two for one, or loses them.
"""

import math

from assistant.sueca import Card, RuleSet, Seat
from datasets.eventsim_places import Places
from datasets.eventsim_table import Lying, TrackedTable, quad_at
from vision.events import CardCovered, CardMoved, CardReread, CardUncovered
from vision.types import Point

_LATE = (1.0, 6.0)
"""Seconds by which a card may be found late."""
_HOVER = (0.8, 2.0)
"""For how many seconds a hand stays above a card that another has played."""
_OVERLAID_READ = (0.3, 0.8)
"""Seconds after which the track of a covered card is read as the card on top of it."""
_UNSTIRRED_AFTER = 4.0
"""A card found later than this after it came seems to have lain there before."""


class OnTable:
    """The face-up cards on the table with who laid them: those of the present trick, `lying`, and
    of the one before, `last_lying`."""

    def __init__(self, rules: RuleSet, table: TrackedTable, places: Places) -> None:
        self.rules, self.rng = rules, table.rng
        self.statistics, self.table, self.places = table.statistics, table, places
        self.lying: list[tuple[Seat, Lying]] = []
        self.last_lying: list[tuple[Seat, Lying]] = []

    def lay(
        self, seat: Seat, card: Card, unseen: bool, shown: Lying | None = None
    ) -> tuple[int, ...]:
        """Lay a card, which was `shown` where it is the dealer's and lies there yet; the tracks that
        show it."""
        rng, table, statistics = self.rng, self.table, self.statistics
        tracks: list[int] = []
        spot = self.places.spot(seat)
        if shown is not None:
            if rng.random() < 0.5:
                table.events.append(
                    CardMoved(
                        shown.track,
                        table.t + 0.3,
                        table.frame(table.t + 0.3),
                        spot,
                        0.3,
                        quad_at(spot),
                    )
                )
                lying: Lying | None = Lying(shown.track, spot, card.text, shown.told)
            else:
                table.take(shown, table.t - 0.1, None)
                lying = table.put(card.text, spot, table.t, self.places.entry(seat))
        elif unseen or rng.random() < statistics.miss or self._merged(card):
            lying = None
        elif statistics.overlaid and rng.random() < statistics.overlaid and self._below():
            lying = self._lay_over(card)
        elif statistics.hovered and rng.random() < statistics.hovered:
            lying = self._lay_under_a_hand(card, spot)
        elif statistics.late and rng.random() < statistics.late:
            lying = self._lay_late(card, spot)
        else:
            covered = bool(self.lying) and rng.random() < statistics.cover
            settle = rng.uniform(1.0, 3.0) if rng.random() < statistics.hidden else None
            lying = table.put(card.text, spot, table.t, self.places.entry(seat), settle)
            if covered:
                self._cover()
        if lying is not None:
            tracks.append(lying.track)
            if not lying.late:
                lying = self._disturb(lying, tracks)
            self.lying.append((seat, lying))
            self._split(seat, lying, tracks)
        return tuple(tracks)

    def _merged(self, card: Card) -> bool:
        """Whether the card lies so exactly on another that the tracker takes them for one."""
        chance, table = self.statistics.merged, self.table
        if not chance or self.rng.random() >= chance or not self.lying:
            return False
        _, under = self.rng.choice(self.lying)
        t = max(table.t, under.told) + 0.5
        both = table.mixed(under.track, table.reader.read(card.text))
        table.events.append(CardReread(under.track, t, table.frame(t), "up", both))
        return True

    def _below(self) -> list[tuple[Seat, Lying]]:
        """The cards on the table that were found: those of the last trick where it lies there yet."""
        lying = self.lying or self.last_lying
        return [pair for pair in lying if not pair[1].late and pair[1].told <= self.table.t]

    def _lay_over(self, card: Card) -> Lying:
        """The card comes to lie on another. The tracker thinks that one slid a little, and reads it
        as what lies on top; of the one below nothing is seen any more."""
        rng, table = self.rng, self.table
        pair = rng.choice(self._below())
        (self.lying or self.last_lying).remove(pair)
        _, under = pair
        x, y = under.centre
        spot = (x + rng.gauss(0, 0.02), y + rng.gauss(0, 0.02))
        now, t = table.reader.read(card.text), table.t + 0.2
        table.events.append(CardMoved(under.track, t, table.frame(t), spot, 0.5, quad_at(spot)))
        both = table.mixed(under.track, now)
        for log_probs in (both, now):
            t += rng.uniform(*_OVERLAID_READ) / 2
            table.events.append(CardReread(under.track, t, table.frame(t), "up", log_probs))
        return Lying(under.track, spot, card.text, under.told)

    def _lay_under_a_hand(self, card: Card, spot: Point) -> Lying:
        """Another's hand is above the card: it is seen when that goes, and seems to come from there."""
        rng, table = self.rng, self.table
        entry = self.places.edge(rng.choice(self.rules.seats))
        seen, settle = table.t + rng.uniform(*_HOVER), rng.uniform(0.1, 0.6)
        lying = table.put(card.text, spot, seen, entry, settle)
        lying.late = True
        return lying

    def _lay_late(self, card: Card, spot: Point) -> Lying:
        """The card lies there for seconds before it is found."""
        delay = self.rng.uniform(*_LATE)
        stirred = delay < _UNSTIRRED_AFTER
        lying = self.table.put(card.text, spot, self.table.t + delay, stirred=stirred)
        lying.late = True
        return lying

    def _split(self, seat: Seat, lying: Lying, tracks: list[int]) -> None:
        """The tracker takes one card for two that overlap."""
        rng, statistics = self.rng, self.statistics
        if not statistics.split or rng.random() >= statistics.split:
            return
        aside, angle = rng.uniform(0.02, 0.045), rng.uniform(0, 2 * math.pi)
        x, y = lying.centre
        place = (x + aside * math.cos(angle), y + aside * math.sin(angle))
        at = max(self.table.t, lying.told - 0.3) + rng.uniform(0, 1.0)
        alike = statistics.split_other and rng.random() < statistics.split_other
        read = self.table.reader.read_alike(lying.card) if alike else None
        other = self.table.put(lying.card, place, at, like=lying, log_probs=read)
        tracks.append(other.track)
        if rng.random() < 0.5:
            self.table.take(other, other.told + rng.uniform(0.3, 1.5), None)
        else:
            self.lying.append((seat, other))

    def _cover(self) -> None:
        # Who has not been found yet can't be covered.
        found = [pair for pair in self.lying if not pair[1].late]
        if not found:
            return
        _, under = self.rng.choice(found)
        t = self.table.t + 0.2
        self.table.events.append(CardCovered(under.track, t, self.table.frame(t)))
        if self.rng.random() < 0.4:
            t += self.rng.uniform(0.3, 1.0)
            self.table.events.append(CardUncovered(under.track, t, self.table.frame(t)))
            if self.rng.random() < 0.3:
                log_probs = self.table.reader.read(under.card)
                self.table.events.append(
                    CardReread(under.track, t, self.table.frame(t), "up", log_probs)
                )

    def _disturb(self, lying: Lying, tracks: list[int]) -> Lying:
        """What a sleeve or the tracker does to a card that lies there."""
        rng, table = self.rng, self.table
        if rng.random() < self.statistics.nudge:
            x, y = lying.centre
            lying.centre = (x + rng.gauss(0, 0.04), y + rng.gauss(0, 0.04))
            t = table.t + rng.uniform(0.8, 1.5)
            table.events.append(
                CardMoved(lying.track, t, table.frame(t), lying.centre, 0.5, quad_at(lying.centre))
            )
        if rng.random() < self.statistics.lost:
            t = table.t + rng.uniform(1.0, 1.6)
            table.take(lying, t, None)
            x, y = lying.centre
            place = (x + rng.gauss(0, 0.01), y + rng.gauss(0, 0.01))
            lying = table.put(lying.card, place, t + rng.uniform(0.1, 0.5), None, 0.3)
            tracks.append(lying.track)
            table.t = max(table.t, t - 0.3)
        return lying
