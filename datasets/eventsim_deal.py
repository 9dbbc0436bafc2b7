"""One deal played at a simulated table without pixels: by the rules, or deliberately against them."""

from dataclasses import dataclass, replace

from assistant.sueca import DECK, Card, RuleSet, Seat, Suit, legal_cards, winning_place
from datasets.eventsim_laying import OnTable
from datasets.eventsim_places import OUTWARD, Places
from datasets.eventsim_table import Lying, TrackedTable
from vision.events import TableCleared
from vision.labels import BACK, OTHER

_CLEARED_BESIDE = 2
"""With so many prints taken for cards the tracker never finds the table clear."""
_BURST_SIZES = (1, 1, 1, 2, 2, 3)


@dataclass(frozen=True, slots=True)
class TruePlay:
    """A play as it was. `tracks` those that showed its card; none where it was missed."""

    seat: Seat
    card: Card
    trick: int
    t: float
    tracks: tuple[int, ...]


class OneDeal:
    """One deal while it is played."""

    def __init__(self, rules: RuleSet, table: TrackedTable, dealer: Seat) -> None:
        self.rules, self.rng = rules, table.rng
        self.statistics, self.table = table.statistics, table
        self.places = Places(rules, table.statistics, table.rng)
        self.on_table = OnTable(rules, table, self.places)
        self.dealer = dealer
        pack = list(DECK)
        self.rng.shuffle(pack)
        self.hands = {seat: pack[i * 10 : i * 10 + 10] for i, seat in enumerate(self.rules.seats)}
        self.trump = self.rng.choice(self.hands[dealer])
        self.leader = self.rules.next_seat(dealer)
        self.plays: list[TruePlay] = []
        self.lying_trump: Lying | None = None
        self.pending_take: Lying | None = None
        chance = self.rng.random
        self.revoker = (
            self.rng.choice(self.rules.seats) if chance() < self.statistics.revoke else None
        )
        odd = chance() < self.statistics.out_of_turn
        self.odd_trick = self.rng.randrange(1, 11) if odd else 0
        self.unseen: frozenset[int] = frozenset()

    # The dealer's card ------------------------------------------------------------------------

    def show_trump(self, seen: bool) -> None:
        rng, table, statistics = self.rng, self.table, self.statistics
        self.rng.random()
        style = rng.random()
        if not seen or style < statistics.trump_unseen:
            return
        place = self.places.place(self.dealer, rng.uniform(0.26, 0.38), 0.05)
        shown = table.put(self.trump.text, place, table.t, self.places.edge(self.dealer))
        if statistics.shown_split and rng.random() < statistics.shown_split:
            self._split_shown(shown)
        table.t += rng.uniform(1.5, 4.0)
        if style < statistics.trump_unseen + statistics.trump_lying:
            self.lying_trump = shown
        else:
            table.take(shown, table.t + rng.uniform(-0.5, 1.5), self.places.edge(self.dealer))
        table.t += rng.uniform(0.5, 2.0)

    def _split_shown(self, shown: Lying) -> None:
        """A second track, of a part of the card, that is read badly."""
        rng, table = self.rng, self.table
        place = (shown.centre[0] + rng.gauss(0, 0.03), shown.centre[1] + rng.gauss(0, 0.03))
        entry = self.places.edge(self.dealer)
        part = table.put(self.trump.text, place, table.t - rng.uniform(-0.2, 0.1), entry, hard=True)
        table.take(part, part.told + rng.uniform(0.5, 3.0), None)

    # A trick ----------------------------------------------------------------------------------

    def play_trick(self, trick: int) -> None:
        order = [self.leader]
        while len(order) < 4:
            order.append(self.rules.next_seat(order[-1]))
        if trick == self.odd_trick:
            i = self.rng.choice((1, 2))
            order[i], order[i + 1] = order[i + 1], order[i]
        led: Suit | None = None
        cards: list[Card] = []
        self.on_table.last_lying = self.on_table.lying
        self.on_table.lying = []
        early = bool(self.on_table.last_lying) and self.rng.random() < self.statistics.early_lead
        if self.on_table.last_lying and not early:
            self._gather(trick - 1, self.on_table.last_lying)
        self.table.flicker()
        self.unseen = self._burst()
        for place, seat in enumerate(order):
            together = place > 0 and self.rng.random() < self.statistics.together
            self.table.t += (
                self.rng.uniform(0.02, 0.25)
                if together
                else self.rng.uniform(*self.statistics.think)
            )
            card = self._choose(seat, led, trick)
            unseen = place in self.unseen
            if place > 0 or not early:
                wanted, card = card, self._take_back(seat, card, led)
                unseen = unseen or (card is not wanted and self._hand_over())
            self._lay(seat, card, trick, unseen)
            cards.append(card)
            led = led or card.suit
            if place == 0 and early:
                self._gather(trick - 1, self.on_table.last_lying)
        if self.rng.random() < self.statistics.false_card:
            self._false_card()
        self.leader = order[winning_place(cards, self.trump.suit)]

    def _burst(self) -> frozenset[int]:
        """The places in this trick of the cards that no track will show."""
        chance = self.statistics.unseen_bursts
        if not chance or self.rng.random() >= chance:
            return frozenset()
        return frozenset(self.rng.sample(range(4), self.rng.choice(_BURST_SIZES)))

    def _choose(self, seat: Seat, led: Suit | None, trick: int) -> Card:
        hand = self.hands[seat]
        legal = legal_cards(hand, led, self.trump.suit, self.rules)
        others = [card for card in hand if card not in legal]
        if seat is self.revoker and led is not None and others and trick < 9:
            self.revoker = None
            return self.rng.choice(others)
        return self.rng.choice(legal)

    def _take_back(self, seat: Seat, card: Card, led: Suit | None) -> Card:
        """Now and then the card is laid down, taken up again, and another one played."""
        rng, table = self.rng, self.table
        if rng.random() >= self.statistics.taken_back:
            return card
        if self.lying_trump is not None and self.trump in self.hands[seat]:
            return card
        legal = legal_cards(self.hands[seat], led, self.trump.suit, self.rules)
        others = [other for other in legal if other is not card]
        if not others:
            return card
        first = table.put(card.text, self.places.spot(seat), table.t, self.places.entry(seat))
        table.t += rng.uniform(1.2, 2.0)
        table.take(first, table.t - rng.uniform(0.1, 0.5), self.places.edge(seat))
        table.t += rng.uniform(0.2, 1.0)
        return rng.choice(others)

    def _hand_over(self) -> bool:
        """Whether the hand that took a card back hides what is played in its place."""
        chance = self.statistics.replaced_unseen
        return bool(chance) and self.rng.random() < chance

    def _lay(self, seat: Seat, card: Card, trick: int, unseen: bool) -> None:
        self.hands[seat].remove(card)
        shown: Lying | None = None
        if card is self.trump:
            shown, self.lying_trump = self.lying_trump, None
        tracks = self.on_table.lay(seat, card, unseen, shown)
        self.plays.append(TruePlay(seat, card, trick, self.table.t, tracks))

    def _gather(self, trick: int, lying: list[tuple[Seat, Lying]]) -> None:
        rng, table, statistics = self.rng, self.table, self.statistics
        winner = self.leader
        by = winner
        if rng.random() < statistics.partner_gathers:
            by = self.rules.next_seat(self.rules.next_seat(winner))
        table.t += rng.uniform(0.9, 2.0)
        start = table.t
        for _, card in lying:
            leave = None if rng.random() < statistics.exit_missing else self.places.edge(by)
            at = start + rng.uniform(0, statistics.ragged)
            if card.late and card.told >= at:
                self._never_found(card)
            else:
                table.take(card, at, leave)
            table.t = max(table.t, at)
        if not self.on_table.lying and len(table.phantoms or ()) < _CLEARED_BESIDE:
            table.events.append(TableCleared(table.t + 0.05, table.frame(table.t)))
        table.put(BACK, self.places.place(by, 0.4, 0.03), table.t + 0.4)
        if not self.on_table.lying and rng.random() < statistics.look_again:
            self._look_again(by, [card.card for _, card in lying], [t.trick for t in self.plays])
        del trick

    def _never_found(self, card: Lying) -> None:
        """The card was taken away before the finder had it."""
        events = self.table.events
        events[:] = [event for event in events if getattr(event, "track", None) != card.track]
        self.plays = [
            replace(play, tracks=tuple(t for t in play.tracks if t != card.track))
            for play in self.plays
        ]

    def _look_again(self, by: Seat, cards: list[str], tricks: list[int]) -> None:
        """Someone turns up some of the last vaza's cards again, by the pile."""
        rng, table = self.rng, self.table
        del tricks
        table.t += rng.uniform(0.5, 1.5)
        chosen = rng.sample(cards, rng.randint(1, len(cards)))
        shown = [
            table.put(
                card,
                self.places.place(by, rng.uniform(0.2, 0.4), 0.06),
                table.t + 0.2 * i,
                self.places.entry(by),
            )
            for i, card in enumerate(chosen)
        ]
        table.t += rng.uniform(1.5, 3.0)
        for card in shown:
            table.take(card, table.t + rng.uniform(0, 0.4), self.places.edge(by))
        table.t += 0.6

    def _false_card(self) -> None:
        rng, table = self.rng, self.table
        place = (rng.uniform(0.15, 0.85), rng.uniform(0.15, 0.85))
        thing = table.put(OTHER, place, table.t - rng.uniform(0, 3), None)
        table.take(thing, table.t + rng.uniform(1, 8), None)

    # The end ----------------------------------------------------------------------------------

    def lay_down_the_rest(self, trick: int) -> None:
        """The leader lays down all the cards left, and so do the others."""
        rng, table = self.rng, self.table
        if self.on_table.lying:
            last, self.on_table.lying = self.on_table.lying, []
            self._gather(trick - 1, last)
        table.t += rng.uniform(1.0, 2.0)
        start = table.t
        for seat in (self.leader, *(s for s in self.rules.seats if s is not self.leader)):
            for i, card in enumerate(list(self.hands[seat])):
                spot = self.places.place(seat, 0.25, 0.02)
                side = OUTWARD[(seat.index + 1) % 4]
                spot = (spot[0] + 0.05 * i * side[0], spot[1] + 0.05 * i * side[1])
                lying = table.put(card.text, spot, start + 0.08 * i, self.places.edge(seat), 0.3)
                self.plays.append(TruePlay(seat, card, 0, start, (lying.track,)))
                self.on_table.lying.append((seat, lying))
            start += rng.uniform(0.1, 0.4)
        table.t = start + 1.0

    def forget(self, trick: int) -> None:
        """Nothing of this trick was seen."""
        self.plays = [replace(p, tracks=()) if p.trick == trick else p for p in self.plays]
        self.on_table.lying = []

    def finish(self) -> None:
        rng, table = self.rng, self.table
        if self.on_table.lying:
            last, self.on_table.lying = self.on_table.lying, []
            self._gather(10, last)
        if rng.random() < self.statistics.counting:
            table.t += rng.uniform(1.0, 3.0)
            cards = [play.card.text for play in self.plays]
            for card in rng.sample(cards, min(len(cards), rng.randint(3, 8))):
                place = self.places.place(rng.choice(self.rules.seats), 0.3, 0.08)
                shown = table.put(card, place, table.t)
                table.take(shown, table.t + 2.0, None)
                table.t += rng.uniform(0.2, 0.6)
        table.t += rng.uniform(10.0, 25.0)
