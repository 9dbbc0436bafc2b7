"""The labels a card can carry: rank then suit (`7H`), and what is not one of the 40 cards."""

SUITS = "SHDC"

CARDS: tuple[str, ...] = tuple(rank + suit for suit in SUITS for rank in "A234567JQK")
BACK = "back"
OTHER = "other"

LABELS: tuple[str, ...] = (*CARDS, BACK, OTHER)
"""The reader's classes, in the order of its outputs: the 40 cards, a back, anything else
(8, 9, 10, jokers, things that are no card)."""

INDEX: dict[str, int] = {label: i for i, label in enumerate(LABELS)}
