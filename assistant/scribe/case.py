"""One sighting that is to be given a meaning, and one meaning that it may have."""

import math
from typing import NamedTuple

from assistant.scribe.hypothesis import Action, Hypothesis
from assistant.scribe.sightings import Sighting

Option = tuple[float, Hypothesis, Action]
"""A score, the hypothesis it continues, and how."""


class Case(NamedTuple):
    """One sighting to be given a meaning: `at` its place in the book, after the reading `before`.

    `cards` what it may be, with log-likelihood ratios; `seats` those that may have played it.
    Plays that would score less than `floor` need not be listed.
    """

    before: Hypothesis
    sighting: Sighting
    at: int
    cards: list[tuple[int, float]]
    seats: tuple[int, ...] = (0, 1, 2, 3)
    floor: float = -math.inf
