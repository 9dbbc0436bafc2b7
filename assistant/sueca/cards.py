"""The 40 cards: suits, ranks, strength and card points.

Source: all four source documents agree on A 7 K J Q 6 5 4 3 2 and on 11 10 4 3 2 points.
Strength and points are two tables on purpose: a 6 beats a 5 though both are worth nothing.
"""

from enum import StrEnum
from typing import Final

RANKS: Final = "23456QJK7A"
"""Ranks from the weakest to the strongest; a rank's place is its strength, 0-9."""

POINTS: Final = {"A": 11, "7": 10, "K": 4, "J": 3, "Q": 2}
"""Card points by rank; ranks not named are worth 0."""

NO_SUIT: Final = 4
"""`Card.suit_index` of a card whose suit is not known."""

FOREIGN: Final = -1
"""`Card.index` of a card that is not one of the 40."""

_LONGEST_FOREIGN_TEXT: Final = 12  # enough to recognise a misprint; garbage is cut


class Suit(StrEnum):
    """A suit, its letter as in `7H`. `index` is its place in S H D C, 0-3."""

    index: int  # type: ignore[assignment]  # shadows str.index, which no one asks of a suit
    symbol: str

    S = "S", 0, "♠"
    H = "H", 1, "♥"
    D = "D", 2, "♦"
    C = "C", 3, "♣"

    def __new__(cls, letter: str, index: int = 0, symbol: str = "") -> "Suit":
        member = str.__new__(cls, letter)
        member._value_ = letter
        member.index = index
        member.symbol = symbol
        return member


SUITS: Final = tuple(Suit)


class CardError(ValueError):
    """A text is not one of the 40 cards; the message says what was expected and what came."""


class Card:
    """One card. Interned: equal cards are the same object, so `is`, `==` and hashing are cheap.

    `index`: suit * 10 + strength (0-39), or `FOREIGN` for a card outside the 40.
    `suit`: None, and `suit_index` `NO_SUIT`, where a foreign card's suit cannot be read.
    `strength`: 0-9 within the suit, -1 if foreign. `points`: card points, 0 if foreign.
    Get one with `Card.parse` (strict) or `Card.observed` (never raises).
    """

    __slots__ = ("index", "points", "rank", "strength", "suit", "suit_index", "text")

    index: int
    points: int
    rank: str
    strength: int
    suit: Suit | None
    suit_index: int
    text: str

    def __init__(self, text: str, rank: str, suit: Suit | None) -> None:
        known = suit is not None and len(rank) == 1 and rank in RANKS
        self.text = text
        self.rank = rank
        self.suit = suit
        self.suit_index = NO_SUIT if suit is None else suit.index
        self.strength = RANKS.index(rank) if known else -1
        self.index = self.suit_index * len(RANKS) + self.strength if known else FOREIGN
        self.points = POINTS.get(rank, 0) if known else 0

    @staticmethod
    def parse(text: str) -> "Card":
        """Read `7H` (rank then suit, any case).

        Raises `CardError` if it is not one of the 40 cards.
        """
        card = _BY_TEXT.get(text) or _BY_TEXT.get(text.strip().upper())
        if card is None:
            raise CardError(
                f"expected a card such as 7H (rank of A234567QJK, suit of SHDC), got {text!r}"
            )
        return card

    @staticmethod
    def observed(text: str) -> "Card":
        """Read any text as the card that was seen; what is not in the deck becomes foreign."""
        key = text.strip().upper()[:_LONGEST_FOREIGN_TEXT]
        card = _BY_TEXT.get(key) or _FOREIGN.get(key)
        if card is None:
            suit = _BY_LETTER.get(key[-1:]) if len(key) in (2, 3) else None
            card = Card(key, key[:-1] if suit else key, suit)
            _FOREIGN[key] = card
        return card

    @property
    def foreign(self) -> bool:
        """Whether the card is not one of the 40."""
        return self.index < 0

    @property
    def pretty(self) -> str:
        """`7♥`."""
        return self.rank + self.suit.symbol if self.suit else self.text or "?"

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"Card({self.text!r})"

    def __reduce__(self) -> tuple[object, tuple[str]]:
        return Card.observed, (self.text,)

    def __copy__(self) -> "Card":
        return self

    def __deepcopy__(self, memo: object) -> "Card":
        return self

    def __lt__(self, other: "Card") -> bool:
        return (self.index, self.text) < (other.index, other.text)


_BY_LETTER: Final = {suit.value: suit for suit in SUITS}
_FOREIGN: dict[str, Card] = {}

DECK: Final[tuple[Card, ...]] = tuple(
    Card(rank + suit.value, rank, suit) for suit in SUITS for rank in RANKS
)
"""The 40 cards; `DECK[i].index == i`."""

_BY_TEXT: Final = {card.text: card for card in DECK}


def parse_cards(text: str) -> tuple[Card, ...]:
    """Read cards parted by spaces. Raises `CardError` at the first that is none."""
    return tuple(Card.parse(word) for word in text.split())
