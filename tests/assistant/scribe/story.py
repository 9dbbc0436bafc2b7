"""A story of one table, told in table events: what the tests of the scribe are written with."""

import math
import random
from dataclasses import dataclass, field

from assistant.events import (
    CameraEvent,
    DealEnded,
    DealStarted,
    Noticed,
    PlayRetracted,
    PlayRevised,
    PlaySeen,
    TrumpShown,
)
from assistant.scribe import Scribe, ScribeOptions
from assistant.sueca import DECK, Card, Seat, legal_cards, preset, winning_place
from vision.events import CardGone, CardMoved, CardPlaced, CardReread, TableCleared, TableEvent
from vision.labels import BACK, LABELS, OTHER
from vision.types import Face, Point, Quad

OUTWARD = {"S": (0.0, 1.0), "E": (1.0, 0.0), "N": (0.0, -1.0), "W": (-1.0, 0.0)}
RULES = preset("selminha")


def reading(**shares: float) -> tuple[float, ...]:
    """Log-probabilities: `reading(_6H=0.6, _6D=0.4)`; what is left is spread over the others."""
    named = {name.lstrip("_"): p for name, p in shares.items()}
    rest = max(1 - sum(named.values()), 1e-4) / len(LABELS)
    total = sum(named.values()) + rest * len(LABELS)
    return tuple(math.log((named.get(label, 0.0) + rest) / total) for label in LABELS)


def clear(card: str) -> tuple[float, ...]:
    """A reading that leaves no doubt."""
    return reading(**{f"_{card}": 0.999})


@dataclass(frozen=True)
class Planned:
    """A play that a story is to tell of."""

    seat: str
    card: str
    trick: int


def plan(seed: int = 1, dealer: str = "W") -> tuple[str, list[Planned]]:
    """A legal deal: the dealer's trump card and forty plays."""
    rng = random.Random(seed)
    pack = list(DECK)
    rng.shuffle(pack)
    hands = {seat: pack[10 * i : 10 * i + 10] for i, seat in enumerate(RULES.seats)}
    trump = hands[Seat(dealer)][0]
    seat = RULES.next_seat(Seat(dealer))
    plays: list[Planned] = []
    for trick in range(1, 11):
        cards: list[Card] = []
        seats: list[Seat] = []
        for _ in range(4):
            led = cards[0].suit if cards else None
            card = rng.choice(legal_cards(hands[seat], led, trump.suit, RULES))
            hands[seat].remove(card)
            cards.append(card)
            seats.append(seat)
            plays.append(Planned(seat.value, card.text, trick))
            seat = RULES.next_seat(seat)
        seat = seats[winning_place(cards, trump.suit)]
    return trump.text, plays


def place(seat: str, along: float = 0.13, aside: float = 0.0) -> Point:
    """A point before a seat, `along` from the table's centre and `aside` to the player's right."""
    x, y = OUTWARD[seat]
    return (0.5 + along * x + aside * y, 0.5 + along * y - aside * x)


def quad(centre: Point) -> Quad:
    """A card's corners about `centre`; the scribe only hands them on."""
    x, y = centre
    return ((x - 0.03, y - 0.05), (x + 0.03, y - 0.05), (x + 0.03, y + 0.05), (x - 0.03, y + 0.05))


@dataclass
class Story:
    """Collects events. `t` is the story's clock; each call moves it on as a game would."""

    t: float = 1.0
    events: list[TableEvent] = field(default_factory=list)
    lying: list[int] = field(default_factory=list)
    _track: int = 0

    def put(
        self,
        card: str,
        centre: Point,
        *,
        entry: Point | None = None,
        log_probs: tuple[float, ...] | None = None,
        face: Face = "up",
        settle: float = 0.3,
        stirred: bool = True,
    ) -> int:
        """A card comes to lie at `centre`; returns its track."""
        self._track += 1
        self.events.append(
            CardPlaced(
                track=self._track,
                t=self.t + settle,
                frame=round((self.t + settle) * 15),
                first_seen=self.t,
                face=face,
                centre=centre,
                angle=0.5,
                entry=entry,
                quad=quad(centre),
                log_probs=clear(card) if log_probs is None else log_probs,
                stirred=stirred,
            )
        )
        return self._track

    def play(
        self, seat: str, card: str, log_probs: tuple[float, ...] | None = None, wait: float = 1.2
    ) -> int:
        """A seat plays a card, in the ordinary way, `wait` seconds after what came before."""
        self.t += wait
        track = self.put(card, place(seat), entry=place(seat, 0.55), log_probs=log_probs)
        self.lying.append(track)
        return track

    def show(self, seat: str, card: str, take_back: bool = True) -> int:
        """The dealer shows the trump card and, it may be, takes it into the hand again."""
        track = self.put(card, place(seat, 0.32), entry=place(seat, 0.55))
        self.t += 2
        if take_back:
            self.gone(track, to=seat)
        return track

    def gone(self, track: int, to: str | None = None, after: float = 0.0) -> None:
        """A card leaves its place."""
        self.t += after
        leave = None if to is None else place(to, 0.55)
        self.events.append(CardGone(track, self.t, round(self.t * 15), leave))
        if track in self.lying:
            self.lying.remove(track)

    def moved(self, track: int, centre: Point) -> None:
        """A card slides."""
        self.events.append(CardMoved(track, self.t, round(self.t * 15), centre, 0.4, quad(centre)))

    def reread(self, track: int, log_probs: tuple[float, ...]) -> None:
        """The reader has looked again."""
        self.events.append(CardReread(track, self.t, round(self.t * 15), "up", log_probs))

    def gather(self, to: str | None = None, tracks: list[int] | None = None) -> None:
        """The vaza is swept up."""
        self.t += 1.2
        for track in list(self.lying if tracks is None else tracks):
            self.gone(track, to)
            self.t += 0.1
        if not self.lying:
            self.events.append(TableCleared(self.t, round(self.t * 15)))

    def trick(self, plays: list[Planned]) -> None:
        """Four ordinary plays, swept up."""
        for play in plays:
            self.play(play.seat, play.card)
        self.gather()

    def pile(self, seat: str) -> None:
        """A face-down pile lies at a seat's side."""
        self.put(BACK, place(seat, 0.42), log_probs=reading(back=0.999), face="down")

    def thing(self, centre: Point) -> int:
        """Something that is no card is taken for one."""
        return self.put(OTHER, centre, log_probs=reading(other=0.97))


def tricks(plays: list[Planned]) -> list[list[Planned]]:
    """The plays by vaza."""
    return [plays[i : i + 4] for i in range(0, len(plays), 4)]


def tell(
    seed: int = 1, dealer: str = "W", skip_tricks: int = 0, story: Story | None = None
) -> Story:
    """A whole ordinary deal; the first `skip_tricks` vazas were before the story began."""
    trump, plays = plan(seed, dealer)
    story = story or Story()
    if not skip_tricks:
        story.show(dealer, trump)
    for trick in tricks(plays)[skip_tricks:]:
        story.trick(trick)
    return story


def deal_again(story: Story, seed: int, dealer: str, pause: float) -> list[Planned]:
    """Another whole ordinary deal, so many seconds later; its plays."""
    story.t += pause
    trump, plays = plan(seed, dealer)
    story.show(dealer, trump)
    for trick in tricks(plays):
        story.trick(trick)
    return plays


@dataclass
class Written:
    """What the scribe logged, and the plays as they stand at the end."""

    log: list[CameraEvent]
    plays: dict[int, PlaySeen | PlayRevised]

    def of(self, kind: type) -> list[CameraEvent]:
        """The log's events of one kind."""
        return [event for event in self.log if isinstance(event, kind)]

    @property
    def standing(self) -> list[tuple[str, str, int]]:
        """Seat, card and trick of every play that stands, in order of play."""
        ordered = sorted(self.plays.values(), key=lambda play: (play.trick, play.played))
        return [(play.seat, play.card, play.trick) for play in ordered]

    def play(self, card: str) -> PlaySeen | PlayRevised:
        """The standing play of a card."""
        return next(play for play in self.plays.values() if play.card == card)


def write(story: Story, options: ScribeOptions | None = None) -> Written:
    """Let a scribe write a story down."""
    scribe = Scribe(options)
    log: list[CameraEvent] = []
    for event in sorted(story.events, key=lambda event: event.t):
        log += scribe.feed(event)
    log += scribe.finish()
    plays: dict[int, PlaySeen | PlayRevised] = {}
    for event in log:
        if isinstance(event, PlaySeen | PlayRevised):
            plays[event.play_id] = event
        elif isinstance(event, PlayRetracted):
            del plays[event.play_id]
    return Written(log, plays)


def expected(plays: list[Planned]) -> list[tuple[str, str, int]]:
    """What `Written.standing` should be."""
    return [(play.seat, play.card, play.trick) for play in plays]


__all__ = [
    "DealEnded",
    "DealStarted",
    "Noticed",
    "Planned",
    "Story",
    "TrumpShown",
    "Written",
    "clear",
    "expected",
    "place",
    "plan",
    "reading",
    "tell",
    "tricks",
    "write",
]
