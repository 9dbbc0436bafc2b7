"""Backs of our own: as many as seeds, with the outline of the deck's cards, and most the same upside down."""

import numpy as np
import pytest

from datasets.backs import made_back
from datasets.drawn_art import drawn_as_art

NO_PHOTOGRAPHS = np.zeros((0, 64, 64, 3), np.uint8)
FACE = drawn_as_art(3).faces["AS"]


def back(seed: int, photographs: np.ndarray = NO_PHOTOGRAPHS) -> np.ndarray:
    return made_back(np.random.default_rng(seed), FACE, photographs)


def test_the_same_seed_gives_the_same_back_and_another_another() -> None:
    assert np.array_equal(back(1), back(1))
    assert not np.array_equal(back(1), back(2))


@pytest.mark.parametrize("seed", range(12))
def test_a_back_has_the_outline_of_the_deck_s_faces(seed: int) -> None:
    made = back(seed)
    assert made.shape == FACE.shape
    assert np.array_equal(made[..., 3], FACE[..., 3])


def test_no_back_is_plain_and_most_look_the_same_upside_down() -> None:
    backs = [back(seed)[..., :3].astype(int) for seed in range(60)]
    assert min(b.std() for b in backs) > 2
    alike = [np.abs(b - b[::-1, ::-1]).mean() < 12 for b in backs]
    assert 0.5 < np.mean(alike) < 1


def test_now_and_then_a_photograph_is_printed_on_it() -> None:
    photograph = np.full((1, 64, 64, 3), (10, 200, 90), np.uint8)
    printed = [(back(seed, photograph)[..., :3] == (10, 200, 90)).all(axis=2) for seed in range(60)]
    assert 2 <= sum(part.mean() > 0.3 for part in printed) <= 25
