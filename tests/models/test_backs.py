"""Backs are read as backs: those of drawn decks, and of package decks where they are installed.

Backs alone on plain noise tables under their true quads, each four times at every length. What is asked for
is what was measured, as a ratchet; what a back is not read as is `other`, not one of the 40.
"""

from collections.abc import Sequence

import numpy as np
import pytest

from datasets.art import cache_dir, package_decks
from datasets.build import DRAWN_SEED_BASE
from datasets.drawn import draw_back, draw_deck
from tests.models.laid import laid
from vision.errors import UserError
from vision.labels import BACK, CARDS
from vision.reader import Reader

SEEDS = range(500, 540)
TIMES = 4

SLACK = 0.0065
"""One look of the 160 at drawn backs."""

DRAWN = {40: 0.956, 60: 0.987, 90: 0.993, 150: 0.987}
PACKAGES = {40: 0.974, 60: 1.0, 90: 1.0}
HELD_OUT = {40: 0.75, 60: 0.833, 90: 1.0}
"""By the length of a back in pixels the share read as one, with the reader of 2026-11-30. Those of package
decks were trained on, but for the held-out artists': of those, tigullio's from KDE is missed if small."""


@pytest.fixture(scope="module")
def reader() -> Reader:
    return Reader()


@pytest.fixture(scope="module")
def drawn() -> list[np.ndarray]:
    return [np.dstack(draw_back(seed)) for seed in SEEDS]


@pytest.fixture(scope="module")
def of_packages() -> tuple[list[np.ndarray], list[np.ndarray]]:
    """Backs of the package decks that are trained on, and of the held-out artists'."""
    if not (cache_dir() / "art").exists():
        pytest.skip("no package deck is rasterised yet: sueca datasets build does that, in minutes")
    try:
        decks = package_decks()
    except UserError as error:
        pytest.skip(str(error))
    known = [back for deck in decks if not deck.held_out for back in deck.backs]
    return known, [back for deck in decks if deck.held_out for back in deck.backs]


def read(reader: Reader, backs: Sequence[np.ndarray], length: int) -> list[str]:
    """What every look at every back is read as."""
    said = []
    for number, back in enumerate(backs):
        for time in range(TIMES):
            image, quad = laid(back, length, np.random.default_rng([number, length, time]))
            said += [reading.best for reading in reader.read(image, [quad])]
    return said


def test_a_back_drawn_alone_is_that_of_its_deck_and_of_no_training_deck() -> None:
    deck = draw_deck(SEEDS[0])
    back, alpha = draw_back(SEEDS[0])
    assert np.array_equal(back, deck.back)
    assert np.array_equal(alpha, deck.alpha)
    assert max(SEEDS) < DRAWN_SEED_BASE


@pytest.mark.parametrize("length", DRAWN)
def test_drawn_backs_are_read_as_backs_and_never_as_a_card(
    reader: Reader, drawn: list[np.ndarray], length: int
) -> None:
    said = read(reader, drawn, length)
    assert said.count(BACK) / len(said) >= DRAWN[length] - SLACK
    assert not set(said) & set(CARDS)


@pytest.mark.parametrize("length", PACKAGES)
def test_backs_of_package_decks_are_read_as_backs(
    reader: Reader, of_packages: tuple[list[np.ndarray], list[np.ndarray]], length: int
) -> None:
    said = read(reader, of_packages[0], length)
    assert said.count(BACK) / len(said) >= PACKAGES[length] - SLACK


@pytest.mark.parametrize("length", HELD_OUT)
def test_backs_of_artists_never_trained_on_are_read_as_backs_when_not_small(
    reader: Reader, of_packages: tuple[list[np.ndarray], list[np.ndarray]], length: int
) -> None:
    said = read(reader, of_packages[1], length)
    if not said:
        pytest.skip("no deck of a held-out artist is installed")
    assert said.count(BACK) / len(said) >= HELD_OUT[length] - SLACK
