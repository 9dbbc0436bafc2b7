"""A deal as it was observed, and the one fold that turns it into tricks, points and turns.

A `Deal` holds any sequence of plays, legal or not: wrong seats, repeated or foreign cards, five
cards to a trick. Nothing here raises on one; what is wrong is collected as facts in `DealState`
and put into words by `assistant.sueca.audit`.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from assistant.sueca.cards import DECK, NO_SUIT, Card, Suit
from assistant.sueca.rules import RuleSet, strength_keys
from assistant.sueca.seats import Seat, Team


@dataclass(frozen=True, slots=True)
class Play:
    """One card seen to be played. `t` seconds from the start of the source; `p` a probability.

    `alternatives`: what else the card may have been, with probabilities, the likeliest first.
    """

    seat: Seat
    card: Card
    t: float | None = None
    p: float = 1.0
    alternatives: tuple[tuple[Card, float], ...] = ()


@dataclass(frozen=True, slots=True)
class Shown:
    """A card seen to be held by a seat before it was played: a hand face up, cards laid down.

    `after`: how many plays had been made when it was shown; 0 for hands that lie open all along.
    """

    seat: Seat
    card: Card
    after: int = 0


@dataclass(frozen=True, slots=True)
class Deal:
    """What was observed of one deal.

    `dealer` None where unknown. `trump`: the card that fixed trumps; a bare `Suit` where only that
    is known; None before it was seen. `trick_sizes`: cards in each trick, from the first on, where
    tricks were seen to end otherwise than after one card a seat; beyond its end one card a seat.
    """

    rules: RuleSet
    dealer: Seat | None
    trump: Card | Suit | None
    plays: tuple[Play, ...] = ()
    shown: tuple[Shown, ...] = ()
    trick_sizes: tuple[int, ...] = ()

    @property
    def trump_suit(self) -> Suit | None:
        """The suit of trumps, None while unknown."""
        return self.trump.suit if isinstance(self.trump, Card) else self.trump

    @property
    def trump_card(self) -> Card | None:
        """The face-up card, None where it was not seen."""
        return self.trump if isinstance(self.trump, Card) else None

    def with_play(self, play: Play) -> "Deal":
        """The deal one play later."""
        return replace(self, plays=(*self.plays, play))

    def without_last(self) -> "Deal":
        """The deal with its last play undone; itself if there is none."""
        return replace(self, plays=self.plays[:-1])

    def corrected(self, index: int, play: Play) -> "Deal":
        """The deal with play number `index` (from 0) replaced. Raises `IndexError`."""
        if not 0 <= index < len(self.plays):
            raise IndexError(f"expected a play 0 to {len(self.plays) - 1}, got {index}")
        return replace(self, plays=(*self.plays[:index], play, *self.plays[index + 1 :]))


@dataclass(frozen=True, slots=True)
class Trick:
    """A finished trick. `number` from 1; `points`: card points in it, bonus included."""

    number: int
    leader: Seat
    winner: Seat
    plays: tuple[Play, ...]
    points: int

    @property
    def cards(self) -> tuple[Card, ...]:
        """The cards in the order played."""
        return tuple(play.card for play in self.plays)


class Claim(NamedTuple):
    """A discard: by not following, `seat` (index) claims to be void in `suit` (index).

    `play` counts from 0, `trick` from 1. `dodged_trump`: trumps were owed and not played either.
    """

    play: int
    seat: int
    suit: int
    trick: int
    dodged_trump: bool


class Broken(NamedTuple):
    """A claim disproved by the seat's own later play number `play` in trick `trick`.

    `trump`: what was disproved is the claim of holding no trump, under `must_trump`.
    """

    claim: Claim
    play: int
    trick: int
    trump: bool


class TurnFault(NamedTuple):
    """Play number `play` came from another seat (index) than the one whose turn it was."""

    play: int
    expected: int
    trick: int


@dataclass(frozen=True, slots=True)
class DealState:
    """A deal, folded. Seats in `Claim`s are indexes into `deal.rules.seats`.

    `tricks`: finished ones; `table`: the plays of the unfinished one, `leading` its winner so far.
    `turn`: who plays next, None where unknown or once the deal is over.
    `points`: card points won so far, by team. `played`: number of plays of each seat.
    `seen`: copies of each card played, by card index; its last entry counts foreign cards.
    `claims`: every discard from a suit surely led: not where a trick lacks a card that may have been its
    first; `broken`: those disproved by a later play of the same seat.
    `foreign`, `repeated`, `misseated`: numbers of plays of cards not in the deck, of cards there
    should be no more of, and of seats not at this table.
    """

    deal: Deal
    tricks: tuple[Trick, ...]
    table: tuple[Play, ...]
    leading: Seat | None
    turn: Seat | None
    points: tuple[int, int]
    tricks_won: tuple[int, int]
    played: tuple[int, ...]
    seen: tuple[int, ...] = field(repr=False)
    claims: tuple[Claim, ...]
    broken: tuple[Broken, ...]
    turn_faults: tuple[TurnFault, ...]
    foreign: tuple[int, ...]
    repeated: tuple[int, ...]
    misseated: tuple[int, ...]

    @property
    def complete(self) -> bool:
        """Whether every card was played, each as often as it exists, and all were gathered."""
        return not self.foreign and not self.repeated and self.over and not self.table

    @property
    def over(self) -> bool:
        """Whether as many cards as the deck holds were played."""
        return len(self.deal.plays) >= self.deal.rules.deck_size

    @property
    def led(self) -> Suit | None:
        """The suit to follow now, None when the next card leads."""
        return self.table[0].card.suit if self.table else None

    @property
    def team_points(self) -> dict[Team, int]:
        """Card points so far by partnership."""
        return dict(zip(self.deal.rules.teams, self.points, strict=True))

    @property
    def trump_holder(self) -> Seat | None:
        """Who turned out to hold the face-up card: who played it, None while nobody has."""
        card = self.deal.trump_card
        holders = (play.seat for play in self.deal.plays if play.card is card)
        return next(holders, None)

    @property
    def unseen(self) -> tuple[Card, ...]:
        """Cards not played yet, a card of two packs as often as it is still out."""
        copies = self.deal.rules.copies
        return tuple(card for i, card in enumerate(DECK) for _ in range(copies[i] - self.seen[i]))


def fold(deal: Deal) -> DealState:
    """Fold a deal from its first play. Never raises on an observed deal."""
    folder = Folder(deal)
    return folder.state()


class Folder:
    """The running fold: takes plays as they come, gives the same state as folding them all.

    The only stateful object of the rules, kept because a live game would otherwise refold forty
    plays for every one. Its loop is written for speed: small integers and lists, no objects.
    """

    def __init__(self, deal: Deal) -> None:
        rules = deal.rules
        self.deal = replace(deal, plays=()) if deal.plays else deal
        self._plays: list[Play] = []
        self._tricks: list[Trick] = []
        self._start = 0  # number of the first play of the open trick
        self._here = 0  # bit mask of the seats in the open trick
        self._leader = self._best_seat = -1
        self._led_surely = self._whole = True  # of the open trick, and the one before
        self._best = -2
        self._turn = -1 if deal.dealer is None else rules.order[deal.dealer.index % rules.players]
        self._points = [0, 0]
        self._won = [0, 0]
        self._played = [0] * rules.players
        self._seen = [0] * (len(DECK) + 1)
        self._void = [0] * rules.players
        self._dodged = [False] * rules.players
        self._claims: list[Claim] = []
        self._broken: list[Broken] = []
        self._faults: list[TurnFault] = []
        self._foreign: list[int] = []
        self._repeated: list[int] = []
        self._misseated: list[int] = []
        self.extend(deal.plays)

    @property
    def turn(self) -> Seat | None:
        """Who plays next; None where unknown."""
        return None if self._turn < 0 else self.deal.rules.seats[self._turn]

    def push(self, play: Play) -> None:
        """Add one play."""
        self.extend((play,))

    def extend(self, plays: Iterable[Play]) -> None:
        """Add plays in order."""
        rules = self.deal.rules
        n, order, copies = rules.players, rules.order, rules.copies
        trump_suit = self.deal.trump_suit
        trump = NO_SUIT if trump_suit is None else trump_suit.index
        all_plays, played, seen, void = self._plays, self._played, self._seen, self._void
        numbered = n > 4
        obliged = rules.follow_suit
        number = len(all_plays)
        size = self._size()
        led = all_plays[self._start].card.suit_index if self._start < number else NO_SUIT
        keys = strength_keys(trump, led)
        for play in plays:
            card = play.card
            seat = play.seat.index
            if seat >= n or play.seat.numbered is not numbered:
                self._misseated.append(number)
                seat %= n
            index = card.index
            suit = card.suit_index
            seen[index] += 1
            if index < 0:
                self._foreign.append(number)
            elif seen[index] > copies[index]:
                self._repeated.append(number)
            if seat != self._turn and self._turn >= 0:
                self._faults.append(TurnFault(number, self._turn, len(self._tricks) + 1))
            if self._start == number:  # a lead
                led = suit
                keys = strength_keys(trump, led)
                expected = seat == self._turn and self._whole
                self._led_surely = size >= n or expected
                self._leader = self._best_seat = seat
                self._best = keys[index]
                self._turn = order[seat]
            else:
                if keys[index] > self._best:
                    self._best = keys[index]
                    self._best_seat = seat
                known = self._led_surely and suit != NO_SUIT and led != NO_SUIT
                if suit != led and obliged and known:
                    self._claim(number, seat, led, trump, suit)
            if void[seat] >> suit & 1 or self._dodged[seat]:
                self._disprove(number, seat, suit, trump)
            played[seat] += 1
            all_plays.append(play)
            number += 1
            self._here |= 1 << seat
            if number - self._start == size:
                self._gather()
                size = self._size()
            else:
                self._turn = self._next_turn(order[seat] if self._turn < 0 else self._turn)

    def _size(self) -> int:
        """Cards the open trick will have."""
        sizes, done = self.deal.trick_sizes, len(self._tricks)
        return sizes[done] if done < len(sizes) else self.deal.rules.players

    def _next_turn(self, turn: int) -> int:
        """The first seat from `turn` on that is not in the open trick, -1 if all are."""
        order = self.deal.rules.order
        for _ in order:
            if not self._here >> turn & 1:
                return turn
            turn = order[turn]
        return -1

    def _gather(self) -> None:
        """End the open trick."""
        rules = self.deal.rules
        plays = tuple(self._plays[self._start :])
        points_of = rules.card_points
        points = 0
        for play in plays:
            points += points_of[play.card.index]
        number = len(self._tricks) + 1
        if number == rules.tricks:
            points += rules.last_trick_bonus
        seats = rules.seats
        winner = self._best_seat
        self._tricks.append(Trick(number, seats[self._leader], seats[winner], plays, points))
        self._points[winner & 1] += points
        self._won[winner & 1] += 1
        self._start = len(self._plays)
        self._whole = len(plays) >= rules.players
        self._here = 0
        self._turn = winner

    def _claim(self, number: int, seat: int, led: int, trump: int, suit: int) -> None:
        """Note that `seat` did not follow suit."""
        owes_trump = self.deal.rules.must_trump and trump not in (NO_SUIT, led)
        dodged = owes_trump and suit != trump
        trick = len(self._tricks) + 1
        self._claims.append(Claim(number, seat, led, trick, dodged))
        self._void[seat] |= 1 << led
        if dodged:
            self._dodged[seat] = True

    def _disprove(self, number: int, seat: int, suit: int, trump: int) -> None:
        """Note which claims of `seat` the card of `suit` it now plays disproves."""
        trick = len(self._tricks) + 1
        if self._void[seat] >> suit & 1:
            self._void[seat] &= ~(1 << suit)
            done = {fault.claim.play for fault in self._broken if not fault.trump}
            for claim in self._claims:
                if claim.seat == seat and claim.suit == suit and claim.play not in done:
                    self._broken.append(Broken(claim, number, trick, trump=False))
        if self._dodged[seat] and suit == trump:
            self._dodged[seat] = False
            done = {fault.claim.play for fault in self._broken if fault.trump}
            for claim in self._claims:
                if claim.seat == seat and claim.dodged_trump and claim.play not in done:
                    self._broken.append(Broken(claim, number, trick, trump=True))

    def state(self) -> DealState:
        """What is known now."""
        rules = self.deal.rules
        over = len(self._plays) >= rules.deck_size
        on_table = self._start < len(self._plays)
        return DealState(
            replace(self.deal, plays=tuple(self._plays)),
            tuple(self._tricks),
            tuple(self._plays[self._start :]),
            rules.seats[self._best_seat] if on_table else None,
            None if over or self._turn < 0 else rules.seats[self._turn],
            (self._points[0], self._points[1]),
            (self._won[0], self._won[1]),
            tuple(self._played),
            tuple(self._seen),
            tuple(self._claims),
            tuple(self._broken),
            tuple(self._faults),
            tuple(self._foreign),
            tuple(self._repeated),
            tuple(self._misseated),
        )
