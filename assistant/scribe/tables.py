"""Cards as small integers, for the decoder's inner loop.

A card is `assistant.sueca.cards.Card.index`: suit * 10 + strength, 0-39, so that "stronger in the
same suit" is "greater". Seats are 0-3 for S E N W. Both orders come from the rules, not from here.
"""

import math

import numpy as np
import numpy.typing as npt

from assistant.events import Seat
from assistant.sueca.cards import DECK, RANKS
from vision.labels import BACK, INDEX, LABELS, OTHER

SEATS: tuple[Seat, ...] = ("S", "E", "N", "W")
CARD_COUNT = len(DECK)
RANK_COUNT = len(RANKS)
TEXT: tuple[str, ...] = tuple(card.text for card in DECK)
CARD_OF: dict[str, int] = {text: index for index, text in enumerate(TEXT)}
SUIT: tuple[int, ...] = tuple(card.suit_index for card in DECK)
SUIT_MASK: tuple[int, ...] = tuple(
    sum(1 << index for index, suit in enumerate(SUIT) if suit == wanted) for wanted in range(4)
)
FULL_DECK = (1 << CARD_COUNT) - 1
ALL_SEATS = 0b1111
TRICKS = 10

LABEL_ORDER: npt.NDArray[np.intp] = np.array([INDEX[text] for text in TEXT], dtype=np.intp)
"""(40,): where each card stands among `vision.labels.LABELS`."""

OTHER_LABEL = INDEX[OTHER]
BACK_LABEL = INDEX[BACK]
LABEL_COUNT = len(LABELS)


def beats(card: int, best: int, trump: int) -> bool:
    """Whether `card`, played after `best`, takes the trick from it."""
    if SUIT[card] == SUIT[best]:
        return card > best
    return SUIT[card] == trump


def _void_chance(unseen: int, of_suit: int, hand: int) -> float:
    if hand > unseen - of_suit:
        return 0.0
    return math.comb(unseen - of_suit, hand) / math.comb(unseen, hand)


VOID: tuple[tuple[tuple[float, ...], ...], ...] = tuple(
    tuple(
        tuple(
            _void_chance(unseen, min(of_suit, unseen), min(hand, unseen))
            for hand in range(TRICKS + 1)
        )
        for of_suit in range(RANK_COUNT + 1)
    )
    for unseen in range(CARD_COUNT + 1)
)
"""`VOID[unseen][of_suit][hand]`: the chance that a hand of `hand` cards dealt from `unseen` cards
holds none of the `of_suit` cards of one suit among them."""


def _confusions() -> npt.NDArray[np.float64]:
    """(42, 42): for a label that was read, how the truth is spread where the reading is wrong.

    Indices of one rank and of one colour are the likeliest to be taken for each other, then one
    rank in any suit, then the courts and the look-alike ranks of one suit; the rest share a little.
    """
    alike = ("KQ", "QJ", "KJ", "A4", "23", "56", "67", "27", "35")
    weights = np.full((LABEL_COUNT, LABEL_COUNT), 0.02)
    for i, one in enumerate(LABELS[:CARD_COUNT]):
        for j, two in enumerate(LABELS[:CARD_COUNT]):
            same_colour = (one[1] in "SC") == (two[1] in "SC")
            if one[0] == two[0]:
                weights[i, j] = 3.0 if same_colour else 0.5
            elif one[1] == two[1] and (one[0] + two[0] in alike or two[0] + one[0] in alike):
                weights[i, j] = 1.0
    np.fill_diagonal(weights, 0.0)
    spread: npt.NDArray[np.float64] = weights / weights.sum(axis=1, keepdims=True)
    return spread


CONFUSIONS = _confusions()
