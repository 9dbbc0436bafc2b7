"""A simulated game without pixels: table events as a tracker would send them, with their truth.

Hands are dealt and played by the rules (or deliberately against them), and every play goes through
the statistics of a level: how cards are read, missed, lost and found, taken back, swept up. The
levels' figures are assumptions until `datasets`' videos have been measured; `Statistics` can be
replaced by measured ones. Thousands of deals can be followed in minutes.
"""

import math
import random
from dataclasses import dataclass, field, replace

from assistant.sueca import DECK, Card, RuleSet, Seat, Suit, legal_cards, preset, winning_place
from vision.events import (
    CardCovered,
    CardGone,
    CardMoved,
    CardPlaced,
    CardReread,
    CardUncovered,
    TableCleared,
    TableEvent,
)
from vision.labels import BACK, CARDS, INDEX, LABELS, OTHER
from vision.types import Point, Quad

_OUTWARD: tuple[Point, ...] = ((0.0, 1.0), (1.0, 0.0), (0.0, -1.0), (-1.0, 0.0))
_FRAMES_PER_SECOND = 15
_CARD_HALF = (0.035, 0.055)
_CLEAN = 26.0
"""Expected log-likelihood ratio between a clean card and any other: no chance of a misreading."""
_HARD = (0.8, 7.0)
"""The same for a hard crop and the card it resembles most (nats), drawn evenly between these."""
_HABIT = (2.0, 8.0)
"""The same for two courts that a deck's art makes alike."""
_HARD_ERRORS = 0.125
"""Share of hard crops whose likeliest label is wrong: measured, see the tests."""


@dataclass(frozen=True, slots=True)
class Statistics:
    """What can happen and how often: chances per play, unless another unit is named.

    `top1` share of crops read right; `blunder` share read surely and wrong; `overconfident` the
    factor on log-probabilities (1: calibrated). `along`, `spread` where played cards come to lie
    (see `assistant.scribe.priors.Geometry`, which is not told these). `entry_spread` in radians.
    """

    top1: float = 0.9995
    blunder: float = 0.0
    overconfident: float = 1.0
    miss: float = 0.0
    along: float = 0.15
    spread: float = 0.05
    entry_missing: float = 0.05
    entry_wrong: float = 0.0
    entry_spread: float = 0.25
    think: tuple[float, float] = (0.7, 2.5)  # seconds from one play to the next
    together: float = 0.0  # two play within a quarter of a second
    hidden: float = 0.0  # a hand stays over the card for seconds
    cover: float = 0.05
    lost: float = 0.0  # a track lost and found again in the same place
    nudge: float = 0.0
    taken_back: float = 0.0
    early_lead: float = 0.0  # per trick: led before the last one is swept up
    look_again: float = 0.0  # per trick
    false_card: float = 0.0  # per trick: something that is no card, taken for one
    partner_gathers: float = 0.1  # per trick
    exit_missing: float = 0.1
    ragged: float = 0.3  # seconds over which the cards of a trick leave
    trump_lying: float = 0.2  # per deal: the dealer's card lies there until it is played
    trump_unseen: float = 0.0  # per deal
    revoke: float = 0.2  # per deal: one player set to revoke once, where the cards allow it
    out_of_turn: float = 0.0  # per deal: one trick in which two play in the wrong order
    counting: float = 0.3  # per deal: some cards are turned up again while it is counted
    # What goes wrong only at the last two levels; where all are 0 nothing more is drawn.
    phantoms: float = 0.0  # per deal, on average: prints of the cloth taken for cards
    phantom_flickers: float = 0.0  # per phantom and trick: lost and found again
    unseen_bursts: float = 0.0  # per trick: one of its cards, or two or three, have no track
    replaced_unseen: float = 0.0  # per card taken back: what is played instead has no track
    late: float = 0.0  # not found for seconds, or until it was gone
    split: float = 0.0  # two tracks for one card, side by side
    merged: float = 0.0  # no track of its own: it is taken for the card it lies on
    court_habit: float = 0.0  # per deal: two courts of each suit look alike in this deck
    shown_split: float = 0.0  # per deal: two tracks for the dealer's card, side by side
    overlaid: float = 0.0  # it comes to lie on another card, whose track goes on as its own
    hovered: float = 0.0  # a hand above it hides it; its leaving seems to bring the card


EASY = Statistics(top1=0.999)
NORMAL = Statistics(
    top1=0.995,
    blunder=0.0002,
    overconfident=1.1,
    miss=0.0003,
    along=0.14,
    spread=0.065,
    entry_missing=0.2,
    entry_wrong=0.003,
    entry_spread=0.35,
    together=0.03,
    hidden=0.03,
    cover=0.15,
    lost=0.01,
    nudge=0.03,
    taken_back=0.004,
    early_lead=0.06,
    look_again=0.01,
    false_card=0.02,
    exit_missing=0.2,
    ragged=0.6,
    trump_lying=0.3,
    trump_unseen=0.02,
    out_of_turn=0.02,
)
HARD = Statistics(
    top1=0.98,
    blunder=0.001,
    overconfident=1.25,
    miss=0.0015,
    along=0.12,
    spread=0.075,
    entry_missing=0.4,
    entry_wrong=0.01,
    entry_spread=0.45,
    together=0.08,
    hidden=0.08,
    cover=0.3,
    lost=0.03,
    nudge=0.08,
    taken_back=0.01,
    early_lead=0.15,
    look_again=0.04,
    false_card=0.08,
    partner_gathers=0.2,
    exit_missing=0.35,
    ragged=1.0,
    trump_lying=0.4,
    trump_unseen=0.05,
    revoke=0.3,
    out_of_turn=0.06,
)
ADVERSE = replace(
    HARD,
    phantoms=1.5,
    phantom_flickers=0.08,
    unseen_bursts=0.08,
    replaced_unseen=0.2,
    late=0.015,
    split=0.015,
    merged=0.003,
    court_habit=0.3,
)
"""Hard, and the finder and tracker fail as they did on the worst simulated videos: flowers of the
cloth taken for cards from the first frame, cards without a track in bursts, found late or twice."""
TANGLED = replace(HARD, shown_split=0.1, overlaid=0.005, hovered=0.01)
"""Hard, and cards and hands get into each other's way: what hard simulated videos had too, here some
times as often as there, so that a few hundred deals say how it is borne."""
LEVELS: dict[str, Statistics] = {
    "easy": EASY,
    "normal": NORMAL,
    "hard": HARD,
    "adverse": ADVERSE,
    "tangled": TANGLED,
}


@dataclass(frozen=True, slots=True)
class TruePlay:
    """A play as it was. `tracks` those that showed its card; none where it was missed."""

    seat: Seat
    card: Card
    trick: int
    t: float
    tracks: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class TrueDeal:
    """A deal as it was. `claimed` the number of the trick after which the rest was laid down."""

    dealer: Seat
    trump: Card
    plays: tuple[TruePlay, ...]
    claimed: int | None = None


@dataclass(frozen=True, slots=True)
class Recording:
    """Events in the order they became known, and the deals they came from."""

    events: tuple[TableEvent, ...]
    deals: tuple[TrueDeal, ...]
    seed: int


def _resemblances() -> dict[str, tuple[tuple[str, float], ...]]:
    """For each card the labels it may be taken for, with how much less readily (nats)."""
    alike = {frozenset(pair) for pair in ("KQ", "QJ", "KJ", "A4", "23", "56", "67")}
    near: dict[str, tuple[tuple[str, float], ...]] = {}
    for card in CARDS:
        found = []
        for other in CARDS:
            same_colour = (card[1] in "SC") == (other[1] in "SC")
            if other != card and other[0] == card[0]:
                found.append((other, 0.0 if same_colour else 4.0))
            elif other[1] == card[1] and frozenset((card[0], other[0])) in alike:
                found.append((other, 1.5))
        near[card] = tuple(found)
    return near


_RESEMBLANCES = _resemblances()


class Reader:
    """Draws readings whose probabilities are honest, but for the faults the statistics name.

    A log-likelihood ratio with mean m and variance 2m under the truth is what an honest reader
    reports; how small m is says how hard the crop is.
    """

    def __init__(self, statistics: Statistics, rng: random.Random) -> None:
        self._statistics = statistics
        self._rng = rng
        self._hard = min(1.0, (1 - statistics.top1 - statistics.blunder) / _HARD_ERRORS)
        self._habit: dict[str, tuple[str, float]] = {}

    def new_deck(self) -> None:
        """Now and then a deck's art makes two courts look alike: one bias for all their readings.

        The bias is honest for any one reading (mean -m, variance 2m under the truth), but the two
        cards share it, so that their readings together say no more than one of them alone.
        """
        self._habit = {}
        rng = self._rng
        for suit in "SHDC" if self._statistics.court_habit else "":
            if rng.random() >= self._statistics.court_habit:
                continue
            one, two = rng.sample("KQJ", 2)
            mean = rng.uniform(*_HABIT)
            bias = rng.gauss(-mean, math.sqrt(2 * mean))
            self._habit[one + suit] = (two + suit, bias)
            self._habit[two + suit] = (one + suit, bias)

    def read_phantom(self, habit: str) -> tuple[float, ...]:
        """Log-probabilities for a print on the cloth that looks a little like the card `habit`."""
        rng = self._rng
        ratios = [-9 + rng.gauss(0, 2) for _ in LABELS]
        ratios[INDEX[OTHER]] = 0.0
        ratios[INDEX[habit]] = rng.gauss(-0.5, 2)
        return self._said(ratios)

    def read(self, card: str, hard: bool = False) -> tuple[float, ...]:
        """Log-probabilities over `LABELS` for one look at a card; `hard` for a half-hidden one."""
        rng = self._rng
        ratios = [-_CLEAN + rng.gauss(0, 2) for _ in LABELS]
        ratios[INDEX[card]] = 0.0
        if rng.random() < self._statistics.blunder:
            other = rng.choice(_RESEMBLANCES[card])[0]
            ratios[INDEX[other]] = rng.uniform(2.0, 5.0)
        elif hard or rng.random() < self._hard:
            mean = rng.uniform(*_HARD)
            for other, extra in (*_RESEMBLANCES[card], (OTHER, 3.0)):
                expected = mean + extra + rng.uniform(0, 3)
                ratios[INDEX[other]] = rng.gauss(-expected, math.sqrt(2 * expected))
        if card in self._habit:
            other, bias = self._habit[card]
            ratios[INDEX[other]] = max(ratios[INDEX[other]], bias + rng.gauss(0, 0.3))
        return self._said(ratios)

    def read_nothing(self) -> tuple[float, ...]:
        """Log-probabilities for something that is no card of the deck."""
        rng = self._rng
        ratios = [-9 + rng.gauss(0, 2) for _ in LABELS]
        ratios[INDEX[OTHER]] = 0.0
        ratios[rng.randrange(len(CARDS))] = rng.gauss(-3.5, 2)
        return self._said(ratios)

    def read_back(self) -> tuple[float, ...]:
        """Log-probabilities for the back of a card."""
        ratios = [-_CLEAN] * len(LABELS)
        ratios[INDEX[BACK]] = 0.0
        return self._said(ratios)

    def _said(self, ratios: list[float]) -> tuple[float, ...]:
        factor = self._statistics.overconfident
        weights = [math.exp(max(ratio * factor, -60.0)) for ratio in ratios]
        floor = 2e-5 * sum(weights) / len(weights)
        total = sum(weights) + floor * len(weights)
        return tuple(math.log((weight + floor) / total) for weight in weights)


_STIRRED = 0.3
"""Share of prints found again of which it seems that their place had changed: a hand was there."""
_CLEARED_BESIDE = 2
"""With so many prints taken for cards the tracker never finds the table clear."""
_CLOTH_PRINTS = 6
"""At most so many prints of a cloth are ever taken for cards."""
_OTHERS_SHARE = 0.4
"""Of a track's readings, those of a card that came to lie exactly on its own."""
_BURST_SIZES = (1, 1, 1, 2, 2, 3)
_LATE = (1.0, 6.0)
"""Seconds by which a card may be found late."""
_HOVER = (0.8, 2.0)
"""For how many seconds a hand stays above a card that another has played."""
_OVERLAID_READ = (0.3, 0.8)
"""Seconds after which the track of a covered card is read as the card on top of it."""
_UNSTIRRED_AFTER = 4.0
"""A card found later than this after it came seems to have lain there before."""


@dataclass(slots=True)
class _Lying:
    """A card, or what is taken for one, on the table now; `told` when it was first announced,
    `late` where that was long after it came."""

    track: int
    centre: Point
    card: str
    told: float
    late: bool = False


@dataclass(slots=True)
class _Phantom:
    """A print of the cloth that looks like the card `habit`; `lying` while it is taken for one."""

    centre: Point
    habit: str
    lying: _Lying


@dataclass(slots=True)
class _Table:
    """What goes on: the clock, the cards on the table, the events so far."""

    statistics: Statistics
    rng: random.Random
    reader: Reader
    t: float = 1.0
    next_track: int = 1
    events: list[TableEvent] = field(default_factory=list)
    phantoms: list[_Phantom] | None = None

    def frame(self, t: float) -> int:
        return round(t * _FRAMES_PER_SECOND)

    def put(
        self,
        label: str,
        centre: Point,
        at: float,
        entry: Point | None = None,
        settle: float | None = None,
        hard: bool = False,
        phantom: str | None = None,
        stirred: bool = True,
        like: _Lying | None = None,
    ) -> _Lying:
        """A card begins to come into sight at `at`; it is announced once it has settled.

        `phantom` names the card that a print of the cloth looks like; `stirred` whether its place
        was seen to change; `like` is another track of the same card, read as that was.
        """
        rng = self.rng
        settle = rng.uniform(0.2, 0.5) if settle is None else settle
        track, self.next_track = self.next_track, self.next_track + 1
        if like is not None:
            log_probs = self._read_of(like.track)
        elif phantom is not None:
            log_probs = self.reader.read_phantom(phantom)
        elif label == OTHER:
            log_probs = self.reader.read_nothing()
        elif label == BACK:
            log_probs = self.reader.read_back()
        else:
            log_probs = self.reader.read(label, hard)
        t = at + settle
        self.events.append(
            CardPlaced(
                track=track,
                t=t,
                frame=self.frame(t),
                first_seen=at,
                face="down" if label == BACK else "up",
                centre=centre,
                angle=rng.uniform(0, math.pi),
                entry=entry,
                quad=_quad(centre),
                log_probs=log_probs,
                stirred=stirred,
            )
        )
        return _Lying(track, centre, label, t)

    def lay_cloth(self) -> None:
        """Before the first frame: the cloth's prints that will be taken for cards."""
        rng = self.rng
        self.phantoms = []
        for _ in range(_CLOTH_PRINTS if self.statistics.phantoms else 0):
            if rng.random() >= self.statistics.phantoms / _CLOTH_PRINTS:
                continue
            centre = (rng.uniform(0.1, 0.9), rng.uniform(0.1, 0.9))
            rank = rng.choice("KQJ") if rng.random() < 0.6 else rng.choice("A765432")
            habit = rank + rng.choice("SHDC")
            lying = self.put(
                OTHER, centre, 0.0, settle=rng.uniform(0.2, 0.8), phantom=habit, stirred=False
            )
            self.phantoms.append(_Phantom(centre, habit, lying))

    def flicker(self) -> None:
        """Now and then a print is no longer taken for a card, and soon is again."""
        rng = self.rng
        for phantom in self.phantoms or ():
            if rng.random() >= self.statistics.phantom_flickers:
                continue
            gone = self.t + rng.uniform(0.2, 2.0)
            self.take(phantom.lying, gone, None)
            phantom.lying = self.put(
                OTHER,
                phantom.centre,
                gone + rng.uniform(0.2, 4.0),
                settle=rng.uniform(0.2, 0.8),
                phantom=phantom.habit,
                stirred=rng.random() < _STIRRED,
            )

    def mixed(self, track: int, log_probs: tuple[float, ...]) -> tuple[float, ...]:
        """What a track is read as once some of its readings were of another card."""
        pairs = zip(self._read_of(track), log_probs, strict=True)
        logs = [(1 - _OTHERS_SHARE) * old + _OTHERS_SHARE * new for old, new in pairs]
        total = math.log(sum(math.exp(log) for log in logs))
        return tuple(log - total for log in logs)

    def _read_of(self, track: int) -> tuple[float, ...]:
        for event in reversed(self.events):
            if isinstance(event, CardPlaced) and event.track == track:
                return event.log_probs
        raise LookupError(f"no track {track}")

    def take(self, card: _Lying, at: float, exit_point: Point | None) -> None:
        self.events.append(CardGone(card.track, at, self.frame(at), exit_point))


def _quad(centre: Point) -> Quad:
    x, y = centre
    w, h = _CARD_HALF
    return ((x - w, y - h), (x + w, y - h), (x + w, y + h), (x - w, y + h))


class DealSimulator:
    """Plays deals one after another on one table and keeps their events and truth."""

    def __init__(self, seed: int, statistics: Statistics, rules: RuleSet | None = None) -> None:
        self.seed = seed
        self.rules = rules or preset("selminha")
        self.rng = random.Random(seed)
        self.statistics = statistics
        self.table = _Table(statistics, self.rng, Reader(statistics, self.rng))
        self.deals: list[TrueDeal] = []

    def recording(self) -> Recording:
        """All so far, events in order of time."""
        events = sorted(self.table.events, key=lambda event: event.t)
        return Recording(tuple(events), tuple(self.deals), self.seed)

    def play_deal(
        self,
        dealer: Seat,
        first_trick: int = 1,
        last_trick: int = 10,
        claim_after: int | None = None,
    ) -> None:
        """One deal, seen from `first_trick` to `last_trick`; the rest laid down at once after
        trick `claim_after`, if one is named."""
        if self.table.phantoms is None:
            self.table.reader.new_deck()
            self.table.lay_cloth()
        deal = _OneDeal(self, dealer)
        deal.show_trump(seen=first_trick == 1)
        for trick in range(1, 11):
            seen_from = len(self.table.events)
            if claim_after is not None and trick > claim_after:
                deal.lay_down_the_rest(trick)
                break
            deal.play_trick(trick)
            if not first_trick <= trick <= last_trick:
                del self.table.events[seen_from:]
                deal.forget(trick)
        deal.finish()
        self.deals.append(TrueDeal(dealer, deal.trump, tuple(deal.plays), claim_after))


class _OneDeal:
    """One deal while it is played."""

    def __init__(self, simulator: DealSimulator, dealer: Seat) -> None:
        self.rules, self.rng = simulator.rules, simulator.rng
        self.statistics, self.table = simulator.statistics, simulator.table
        self.dealer = dealer
        pack = list(DECK)
        self.rng.shuffle(pack)
        self.hands = {seat: pack[i * 10 : i * 10 + 10] for i, seat in enumerate(self.rules.seats)}
        self.trump = self.rng.choice(self.hands[dealer])
        self.leader = self.rules.next_seat(dealer)
        self.plays: list[TruePlay] = []
        self.lying_trump: _Lying | None = None
        self.pending_take: _Lying | None = None
        chance = self.rng.random
        self.revoker = (
            self.rng.choice(self.rules.seats) if chance() < self.statistics.revoke else None
        )
        odd = chance() < self.statistics.out_of_turn
        self.odd_trick = self.rng.randrange(1, 11) if odd else 0
        self.lying: list[tuple[Seat, _Lying]] = []
        self.last_lying: list[tuple[Seat, _Lying]] = []
        self.unseen: frozenset[int] = frozenset()

    # The dealer's card ------------------------------------------------------------------------

    def show_trump(self, seen: bool) -> None:
        rng, table, statistics = self.rng, self.table, self.statistics
        self.rng.random()
        style = rng.random()
        if not seen or style < statistics.trump_unseen:
            return
        place = self._place(self.dealer, rng.uniform(0.26, 0.38), 0.05)
        shown = table.put(self.trump.text, place, table.t, self._edge(self.dealer))
        if statistics.shown_split and rng.random() < statistics.shown_split:
            self._split_shown(shown)
        table.t += rng.uniform(1.5, 4.0)
        if style < statistics.trump_unseen + statistics.trump_lying:
            self.lying_trump = shown
        else:
            table.take(shown, table.t + rng.uniform(-0.5, 1.5), self._edge(self.dealer))
        table.t += rng.uniform(0.5, 2.0)

    def _split_shown(self, shown: _Lying) -> None:
        """A second track, of a part of the card, that is read badly."""
        rng, table = self.rng, self.table
        place = (shown.centre[0] + rng.gauss(0, 0.03), shown.centre[1] + rng.gauss(0, 0.03))
        entry = self._edge(self.dealer)
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
        self.last_lying = self.lying
        self.lying = []
        early = bool(self.last_lying) and self.rng.random() < self.statistics.early_lead
        if self.last_lying and not early:
            self._gather(trick - 1, self.last_lying)
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
                self._gather(trick - 1, self.last_lying)
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
        first = table.put(card.text, self._spot(seat), table.t, self._entry(seat))
        table.t += rng.uniform(1.2, 2.0)
        table.take(first, table.t - rng.uniform(0.1, 0.5), self._edge(seat))
        table.t += rng.uniform(0.2, 1.0)
        return rng.choice(others)

    def _hand_over(self) -> bool:
        """Whether the hand that took a card back hides what is played in its place."""
        chance = self.statistics.replaced_unseen
        return bool(chance) and self.rng.random() < chance

    def _lay(self, seat: Seat, card: Card, trick: int, unseen: bool) -> None:
        rng, table, statistics = self.rng, self.table, self.statistics
        self.hands[seat].remove(card)
        tracks: list[int] = []
        spot = self._spot(seat)
        if card is self.trump and self.lying_trump is not None:
            shown, self.lying_trump = self.lying_trump, None
            if rng.random() < 0.5:
                table.events.append(
                    CardMoved(
                        shown.track,
                        table.t + 0.3,
                        table.frame(table.t + 0.3),
                        spot,
                        0.3,
                        _quad(spot),
                    )
                )
                lying: _Lying | None = _Lying(shown.track, spot, card.text, shown.told)
            else:
                table.take(shown, table.t - 0.1, None)
                lying = table.put(card.text, spot, table.t, self._entry(seat))
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
            lying = table.put(card.text, spot, table.t, self._entry(seat), settle)
            if covered:
                self._cover()
        if lying is not None:
            tracks.append(lying.track)
            if not lying.late:
                lying = self._disturb(lying, tracks)
            self.lying.append((seat, lying))
            self._split(seat, lying, tracks)
        self.plays.append(TruePlay(seat, card, trick, table.t, tuple(tracks)))

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

    def _below(self) -> list[tuple[Seat, _Lying]]:
        """The cards on the table that were found: those of the last trick where it lies there yet."""
        lying = self.lying or self.last_lying
        return [pair for pair in lying if not pair[1].late and pair[1].told <= self.table.t]

    def _lay_over(self, card: Card) -> _Lying:
        """The card comes to lie on another. The tracker thinks that one slid a little, and reads it
        as what lies on top; of the one below nothing is seen any more."""
        rng, table = self.rng, self.table
        pair = rng.choice(self._below())
        (self.lying or self.last_lying).remove(pair)
        _, under = pair
        x, y = under.centre
        spot = (x + rng.gauss(0, 0.02), y + rng.gauss(0, 0.02))
        now, t = table.reader.read(card.text), table.t + 0.2
        table.events.append(CardMoved(under.track, t, table.frame(t), spot, 0.5, _quad(spot)))
        both = table.mixed(under.track, now)
        for log_probs in (both, now):
            t += rng.uniform(*_OVERLAID_READ) / 2
            table.events.append(CardReread(under.track, t, table.frame(t), "up", log_probs))
        return _Lying(under.track, spot, card.text, under.told)

    def _lay_under_a_hand(self, card: Card, spot: Point) -> _Lying:
        """Another's hand is above the card: it is seen when that goes, and seems to come from there."""
        rng, table = self.rng, self.table
        entry = self._edge(rng.choice(self.rules.seats))
        seen, settle = table.t + rng.uniform(*_HOVER), rng.uniform(0.1, 0.6)
        lying = table.put(card.text, spot, seen, entry, settle)
        lying.late = True
        return lying

    def _lay_late(self, card: Card, spot: Point) -> _Lying:
        """The card lies there for seconds before it is found."""
        delay = self.rng.uniform(*_LATE)
        stirred = delay < _UNSTIRRED_AFTER
        lying = self.table.put(card.text, spot, self.table.t + delay, stirred=stirred)
        lying.late = True
        return lying

    def _split(self, seat: Seat, lying: _Lying, tracks: list[int]) -> None:
        """The tracker takes one card for two that overlap."""
        rng, statistics = self.rng, self.statistics
        if not statistics.split or rng.random() >= statistics.split:
            return
        aside, angle = rng.uniform(0.02, 0.045), rng.uniform(0, 2 * math.pi)
        x, y = lying.centre
        place = (x + aside * math.cos(angle), y + aside * math.sin(angle))
        at = max(self.table.t, lying.told - 0.3) + rng.uniform(0, 1.0)
        other = self.table.put(lying.card, place, at, like=lying)
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

    def _disturb(self, lying: _Lying, tracks: list[int]) -> _Lying:
        """What a sleeve or the tracker does to a card that lies there."""
        rng, table = self.rng, self.table
        if rng.random() < self.statistics.nudge:
            x, y = lying.centre
            lying.centre = (x + rng.gauss(0, 0.04), y + rng.gauss(0, 0.04))
            t = table.t + rng.uniform(0.8, 1.5)
            table.events.append(
                CardMoved(lying.track, t, table.frame(t), lying.centre, 0.5, _quad(lying.centre))
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

    def _gather(self, trick: int, lying: list[tuple[Seat, _Lying]]) -> None:
        rng, table, statistics = self.rng, self.table, self.statistics
        winner = self.leader
        by = winner
        if rng.random() < statistics.partner_gathers:
            by = self.rules.next_seat(self.rules.next_seat(winner))
        table.t += rng.uniform(0.9, 2.0)
        start = table.t
        for _, card in lying:
            leave = None if rng.random() < statistics.exit_missing else self._edge(by)
            at = start + rng.uniform(0, statistics.ragged)
            if card.late and card.told >= at:
                self._never_found(card)
            else:
                table.take(card, at, leave)
            table.t = max(table.t, at)
        if not self.lying and len(table.phantoms or ()) < _CLEARED_BESIDE:
            table.events.append(TableCleared(table.t + 0.05, table.frame(table.t)))
        table.put(BACK, self._place(by, 0.4, 0.03), table.t + 0.4)
        if not self.lying and rng.random() < statistics.look_again:
            self._look_again(by, [card.card for _, card in lying], [t.trick for t in self.plays])
        del trick

    def _never_found(self, card: _Lying) -> None:
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
            table.put(card, self._place(by, rng.uniform(0.2, 0.4), 0.06), table.t + 0.2 * i, None)
            for i, card in enumerate(chosen)
        ]
        table.t += rng.uniform(1.5, 3.0)
        for card in shown:
            table.take(card, table.t + rng.uniform(0, 0.4), self._edge(by))
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
        if self.lying:
            last, self.lying = self.lying, []
            self._gather(trick - 1, last)
        table.t += rng.uniform(1.0, 2.0)
        start = table.t
        for seat in (self.leader, *(s for s in self.rules.seats if s is not self.leader)):
            for i, card in enumerate(list(self.hands[seat])):
                spot = self._place(seat, 0.25, 0.02)
                side = _OUTWARD[(seat.index + 1) % 4]
                spot = (spot[0] + 0.05 * i * side[0], spot[1] + 0.05 * i * side[1])
                lying = table.put(card.text, spot, start + 0.08 * i, self._edge(seat), 0.3)
                self.plays.append(TruePlay(seat, card, 0, start, (lying.track,)))
                self.lying.append((seat, lying))
            start += rng.uniform(0.1, 0.4)
        table.t = start + 1.0

    def forget(self, trick: int) -> None:
        """Nothing of this trick was seen."""
        self.plays = [replace(p, tracks=()) if p.trick == trick else p for p in self.plays]
        self.lying = []

    def finish(self) -> None:
        rng, table = self.rng, self.table
        if self.lying:
            last, self.lying = self.lying, []
            self._gather(10, last)
        if rng.random() < self.statistics.counting:
            table.t += rng.uniform(1.0, 3.0)
            cards = [play.card.text for play in self.plays]
            for card in rng.sample(cards, min(len(cards), rng.randint(3, 8))):
                place = self._place(rng.choice(self.rules.seats), 0.3, 0.08)
                shown = table.put(card, place, table.t)
                table.take(shown, table.t + 2.0, None)
                table.t += rng.uniform(0.2, 0.6)
        table.t += rng.uniform(10.0, 25.0)

    # Places -----------------------------------------------------------------------------------

    def _place(self, seat: Seat, along: float, spread: float) -> Point:
        ux, uy = _OUTWARD[seat.index]
        gauss = self.rng.gauss
        return (0.5 + along * ux + gauss(0, spread), 0.5 + along * uy + gauss(0, spread))

    def _spot(self, seat: Seat) -> Point:
        return self._place(seat, self.statistics.along, self.statistics.spread)

    def _edge(self, seat: Seat) -> Point:
        ux, uy = _OUTWARD[seat.index]
        return (0.5 + 0.55 * ux, 0.5 + 0.55 * uy)

    def _entry(self, seat: Seat) -> Point | None:
        rng, statistics = self.rng, self.statistics
        if rng.random() < statistics.entry_missing:
            return None
        if rng.random() < statistics.entry_wrong:
            seat = rng.choice(self.rules.seats)
        ux, uy = _OUTWARD[seat.index]
        angle = math.atan2(uy, ux) + rng.gauss(0, statistics.entry_spread)
        return (0.5 + 0.55 * math.cos(angle), 0.5 + 0.55 * math.sin(angle))


def simulate_deal(seed: int, statistics: Statistics, rules: RuleSet | None = None) -> Recording:
    """One deal from a random dealer; the same seed gives the same recording."""
    return simulate_match(seed, statistics, 1, rules)


def simulate_match(
    seed: int, statistics: Statistics, deals: int, rules: RuleSet | None = None
) -> Recording:
    """Several deals one after another, the deal passing on as the rules say."""
    simulator = DealSimulator(seed, statistics, rules)
    dealer = simulator.rng.choice(simulator.rules.seats)
    for _ in range(deals):
        simulator.play_deal(dealer)
        dealer = simulator.rules.next_seat(dealer)
    return simulator.recording()
