"""Rule sets: one frozen `RuleSet` of switches, and every preset of the sources as a value of it.

Sources are cited by the numbers of the documents the project was given: 000 (selminha.com,
Portuguese), 001 (an English description with regional scoring variants), 003 (selminha.com,
Spanish), 004 (a Portuguese description with variants). "Our choice" marks a number or a detail
that a source leaves open.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property
from types import MappingProxyType
from typing import Final

from assistant.sueca.cards import DECK, NO_SUIT, Card
from assistant.sueca.seats import BIG_TEAMS, NUMBERED_SEATS, SEATS, TEAMS, Seat, Team


class Direction(StrEnum):
    """Which way the turn goes round, seen from above."""

    COUNTER_CLOCKWISE = "counter-clockwise"
    CLOCKWISE = "clockwise"


class TrumpCard(StrEnum):
    """Which card fixes trumps. All but `STOCK` belong to the dealer."""

    LAST = "dealer-last"
    FIRST = "dealer-first"
    STOCK = "under-stock"


class Tie(StrEnum):
    """What a deal with the card points shared equally does."""

    NOTHING = "nothing"
    PENDING = "pending"


class Count(StrEnum):
    """What adds up to the match: games won, or raw card points."""

    GAMES = "games"
    POINTS = "card-points"


class RevokePolicy(StrEnum):
    """Whether an illegal card is refused where cards are entered by hand."""

    FORBIDDEN = "impedida"
    ALLOWED = "permitida"


class Penalty(StrEnum):
    """What an accusation that is decided costs the pair in the wrong."""

    NONE = "none"
    MATCH = "match"
    FOUR_GAMES = "four-games"
    VOID_DEAL = "void-deal"


class Counting(StrEnum):
    """When card points may be shown."""

    LIVE = "live"
    END = "end"


class FirstDealer(StrEnum):
    """How the first dealer is found."""

    RANDOM = "random"
    HIGHEST = "highest-card"
    LOWEST = "lowest-card"


class OpenHands(StrEnum):
    """Which hands lie face up."""

    NONE = "none"
    DEAD = "dead"
    DEALER_AND_DEAD = "dealer-and-dead"


class RulesError(ValueError):
    """A rule set that cannot be: the message names the switch, what was expected and what came."""


@dataclass(frozen=True)
class RuleSet:
    """Every switch of the rules. Raises `RulesError` where switches contradict each other.

    The defaults are Sueca as documents 001 and 004 have it in common, counter-clockwise.
    """

    name: str = "custom"
    players: int = 4
    packs: int = 1
    removed: tuple[str, ...] = ()
    hand_size: int = 10
    stock: bool = False
    direction: Direction = Direction.COUNTER_CLOCKWISE
    trump_card: TrumpCard = TrumpCard.LAST
    follow_suit: bool = True
    must_trump: bool = False
    win_over: int = 60
    double_over: int = 90
    last_trick_bonus: int = 0
    queen_of_hearts: int = 2
    single_games: int = 1
    double_games: int = 2
    all_points_games: int = 2
    sweep_games: int = 4
    sweep_wins_match: bool = False
    exact_double_games: int = 0
    tie: Tie = Tie.NOTHING
    ties_pile_up: bool = True
    count: Count = Count.GAMES
    target: int = 4
    love_match: bool = False
    weak_hand_max: int = -1
    revoke_policy: RevokePolicy = RevokePolicy.ALLOWED
    revoke_penalty: Penalty = Penalty.NONE
    false_accusation_penalty: Penalty = Penalty.NONE
    counting: Counting = Counting.LIVE
    first_dealer: FirstDealer = FirstDealer.RANDOM
    open_hands: OpenHands = OpenHands.NONE
    dead_hand: bool = False

    def __post_init__(self) -> None:
        if self.players not in (4, 6, 8):
            raise RulesError(f"players: expected 4, 6 or 8, got {self.players}")
        if self.packs not in (1, 2):
            raise RulesError(f"packs: expected 1 or 2, got {self.packs}")
        for text in self.removed:
            try:
                Card.parse(text)
            except ValueError as error:
                raise RulesError(f"removed: {error}") from None
        cards = 40 * self.packs - len(self.removed)
        if cards != self.players * self.hand_size:
            raise RulesError(
                f"hand_size: expected {cards} cards shared among {self.players} players, "
                f"got {self.hand_size} each"
            )
        if min(self.copies) < 0:
            raise RulesError("removed: more copies left out than the packs hold")
        self._check_score()

    def _check_score(self) -> None:
        if self.win_over != self.total_points // 2:
            raise RulesError(
                f"win_over: expected half of {self.total_points} card points, got {self.win_over}"
            )
        if not self.win_over <= self.double_over < self.total_points:
            raise RulesError(
                f"double_over: expected {self.win_over} to {self.total_points - 1}, "
                f"got {self.double_over}"
            )
        if self.target < 0:
            raise RulesError(f"target: expected 0 (open) or more, got {self.target}")
        if self.count is Count.POINTS and Penalty.FOUR_GAMES in (
            self.revoke_penalty,
            self.false_accusation_penalty,
        ):
            raise RulesError("revoke_penalty: four-games needs a match counted in games")
        if self.stock != (self.trump_card is TrumpCard.STOCK):
            raise RulesError("trump_card: expected under-stock where a stock is played, only there")

    @cached_property
    def seats(self) -> tuple[Seat, ...]:
        """The seats, counter-clockwise."""
        return SEATS if self.players == 4 else NUMBERED_SEATS[: self.players]

    @cached_property
    def teams(self) -> tuple[Team, Team]:
        """The two partnerships; the first holds the seats of even index."""
        return TEAMS if self.players == 4 else BIG_TEAMS

    @property
    def step(self) -> int:
        """+1 where play goes counter-clockwise, -1 where it goes clockwise."""
        return 1 if self.direction is Direction.COUNTER_CLOCKWISE else -1

    def next_seat(self, seat: Seat) -> Seat:
        """The seat that plays after `seat`, and deals after it."""
        return self.seats[(seat.index + self.step) % self.players]

    @cached_property
    def order(self) -> tuple[int, ...]:
        """For each seat index, the seat index that plays next."""
        return tuple((i + self.step) % self.players for i in range(self.players))

    @property
    def tricks(self) -> int:
        """Tricks in a deal."""
        return self.hand_size

    @cached_property
    def copies(self) -> tuple[int, ...]:
        """How many of each card (by index) are in play."""
        gone = [Card.parse(text).index for text in self.removed]
        return tuple(self.packs - gone.count(card.index) for card in DECK)

    @property
    def deck_size(self) -> int:
        """Cards in play."""
        return self.players * self.hand_size

    @cached_property
    def card_points(self) -> tuple[int, ...]:
        """Card points by card index; one more entry, 0, for foreign cards (index -1)."""
        queen = Card.parse("QH").index
        points = [card.points for card in DECK]
        points[queen] = self.queen_of_hearts
        return (*points, 0)

    @cached_property
    def total_points(self) -> int:
        """All the card points of a deal, bonuses included: 120 in plain Sueca."""
        cards = sum(
            n * points for n, points in zip(self.copies, self.card_points[:-1], strict=True)
        )
        return cards + self.last_trick_bonus

    @property
    def trump_with_dealer(self) -> bool:
        """Whether the face-up trump card belongs to the dealer."""
        return self.trump_card is not TrumpCard.STOCK


SWITCHES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "name": "the name shown and written into records",
        "players": "seats that hold cards: 4, or 6 or 8 with two packs",
        "packs": "packs of 40 cards shuffled together: 1 or 2",
        "removed": "cards left out, one copy each, such as 2C",
        "hand_size": "cards each seat plays in a deal; also the tricks of a deal",
        "stock": "three-card hands refilled from a stock after every trick (bisca)",
        "direction": "which way play and the deal go round; the seat after the dealer leads first",
        "trump_card": "the card that fixes trumps",
        "follow_suit": "the suit led must be followed by those who can",
        "must_trump": "void in the suit led, one must trump if one can",
        "win_over": "card points that must be exceeded to win: half the total",
        "double_over": "card points that must be exceeded to win doubly",
        "last_trick_bonus": "card points for winning the last trick",
        "queen_of_hearts": "card points of the queen of hearts",
        "single_games": "games for winning singly",
        "double_games": "games for winning doubly",
        "all_points_games": "games for all the card points but not all the tricks",
        "sweep_games": "games for all the tricks",
        "sweep_wins_match": "all the tricks win the match at once",
        "exact_double_games": "games for exactly `double_over` card points (rolha); 0: as single",
        "tie": "a shared deal is forgotten, or leaves a game pending",
        "ties_pile_up": "ties in a row leave a game pending each",
        "count": "what adds up to the match",
        "target": "what wins the match; 0 plays on without end",
        "love_match": "a match won to nothing in two deals or more has a title",
        "weak_hand_max": "most card points with which the leader may ask for a new deal; -1: no",
        "revoke_policy": "whether a card entered by hand that breaks the rules is refused",
        "revoke_penalty": "what a revoke that was accused costs",
        "false_accusation_penalty": "what a wrong accusation costs",
        "counting": "when card points are shown",
        "first_dealer": "how the first dealer is found",
        "open_hands": "which hands lie face up",
        "dead_hand": "three play: one seat is empty, its hand played by the player opposite",
    }
)
"""Every switch of a `RuleSet` with its one-line explanation, in order."""


def strength_keys(trump: int, led: int) -> tuple[int, ...]:
    """How high each card (by index; one more entry for foreign ones) stands in a trick.

    `trump` and `led` are suit indexes, `NO_SUIT` where unknown. Higher beats lower; -1 never wins
    against a card of the suit led. Of two equal cards the first played wins (our choice, `dupla`).
    """
    return _KEYS[trump * (NO_SUIT + 1) + led]


def _keys(trump: int, led: int) -> tuple[int, ...]:
    above_all = 100
    keys = [
        above_all + card.strength
        if card.suit_index == trump
        else card.strength
        if card.suit_index == led
        else -1
        for card in DECK
    ]
    return (*keys, -1)


_KEYS: Final = tuple(
    _keys(trump, led) for trump in range(NO_SUIT + 1) for led in range(NO_SUIT + 1)
)


_SELMINHA: Final = RuleSet(  # 000, 003
    name="selminha",
    sweep_wins_match=True,
    tie=Tie.PENDING,
    love_match=True,
    weak_hand_max=9,
    revoke_penalty=Penalty.MATCH,
    false_accusation_penalty=Penalty.MATCH,
)
_CLASSICA: Final = RuleSet(  # 001
    name="classica", direction=Direction.CLOCKWISE, sweep_wins_match=True
)
_PORTUGUESA: Final = RuleSet(name="portuguesa", all_points_games=4)  # 004
_DUPLA: Final = replace(  # 004, variant; doubled thresholds
    _PORTUGUESA, name="dupla", players=8, packs=2, win_over=120, double_over=180
)

_ALL: Final = (
    _SELMINHA,
    _CLASSICA,
    # 001, variants
    replace(_CLASSICA, name="norte", target=6, sweep_wins_match=False),
    replace(_CLASSICA, name="rolha", exact_double_games=3, sweep_wins_match=False),
    replace(_CLASSICA, name="classica-br", tie=Tie.PENDING, sweep_wins_match=False),
    # 004, and its variants
    _PORTUGUESA,
    replace(_PORTUGUESA, name="italiana", must_trump=True),
    replace(_PORTUGUESA, name="pontos", count=Count.POINTS, target=500),
    # The bonus is 10 (our choice); half and three quarters of the total move with it.
    replace(_PORTUGUESA, name="brasileira", last_trick_bonus=10, win_over=65, double_over=97),
    # 10 instead of 2 (our choice); half and three quarters of 128.
    replace(_PORTUGUESA, name="maria-de-copas", queen_of_hearts=10, win_over=64, double_over=96),
    replace(_PORTUGUESA, name="tres", dead_hand=True, open_hands=OpenHands.DEAD),
    _DUPLA,
    # Two deuces go, thirteen cards each (our choice), the black ones (our choice).
    replace(_DUPLA, name="dupla-6", players=6, hand_size=13, removed=("2S", "2C")),
    replace(_PORTUGUESA, name="aberta", open_hands=OpenHands.DEALER_AND_DEAD),
    replace(
        _PORTUGUESA,
        name="bisca",
        stock=True,
        trump_card=TrumpCard.STOCK,
        follow_suit=False,
    ),
)

PRESETS: Final[Mapping[str, RuleSet]] = MappingProxyType({rules.name: rules for rules in _ALL})
"""Every named rule set."""


def preset(name: str) -> RuleSet:
    """The preset called `name`. Raises `RulesError` naming those there are."""
    try:
        return PRESETS[name]
    except KeyError:
        raise RulesError(f"rules: expected one of {', '.join(PRESETS)}, got {name!r}") from None
