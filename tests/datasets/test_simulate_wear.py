"""Old cards look old and curl, and are the same cards."""

from collections.abc import Callable

import numpy as np
import pytest

from datasets.drawn import table_deck
from datasets.simulate_level import EASY, HARD, NORMAL
from datasets.simulate_wear import NEW, Condition, bend, conditions, wear
from vision.labels import BACK, CARDS

DECK = table_deck(3)
CARD = np.dstack([DECK.faces["KH"], DECK.alpha])
RIM = 20
RIMMED = np.pad(CARD, ((RIM, RIM), (RIM, RIM), (0, 0)))
SIZE_MM = (DECK.width_mm * RIMMED.shape[1] / CARD.shape[1], 100.0)
NOWHERE, UPWARD = np.zeros(2), np.array([0.0, -1.0])
SIDEWAYS = np.array([4.0, 0.0])


def test_only_the_hard_level_plays_with_old_cards():
    assert conditions(1, EASY) == {}
    assert conditions(1, NORMAL) == {}
    hard = conditions(1, HARD)
    assert set(hard) == {*CARDS, BACK}
    assert hard == conditions(1, HARD)
    assert hard != conditions(2, HARD)


def test_a_new_card_is_left_as_it_is():
    assert wear(CARD, NEW) is CARD


def test_wear_shows_more_the_longer_a_deck_is_played_with():
    far = [np.abs(wear(CARD, Condition(worn=a)).astype(int) - CARD).mean() for a in (0.3, 0.9)]
    assert 0 < far[0] < far[1] < 40


@pytest.mark.parametrize(
    ("condition", "moves"),
    [
        (Condition(arch=5.0), lambda moved: (moved[1] > 10, moved[0] < 6)),
        (Condition(lift=5.0, corner=0), lambda moved: (moved[0] > 0, moved[2] == 0)),
    ],
    ids=["arched", "dog-eared"],
)
def test_what_lies_higher_is_seen_elsewhere(
    condition: Condition, moves: Callable[[list[int]], tuple[bool, ...]]
):
    """An arch moves the middle of the long side, a turned-up corner that corner only."""
    bent = bend(RIMMED, condition, SIZE_MM, SIDEWAYS, NOWHERE)
    h = RIMMED.shape[0]
    moved = []
    for row in (RIM + 30, h // 2, h - RIM - 30):
        old, new = (np.flatnonzero(p[row, :, 3] > 127) for p in (RIMMED, bent))
        moved.append(int(new[0] - old[0]))
    assert all(moves(moved))


def test_the_side_that_faces_the_lamp_is_brighter():
    bent = bend(RIMMED, Condition(arch=6.0), SIZE_MM, NOWHERE, UPWARD).astype(int)
    h = bent.shape[0]
    upper = bent[RIM : h // 2, :, :3].sum() / RIMMED[RIM : h // 2, :, :3].sum()
    lower = bent[h // 2 : -RIM, :, :3].sum() / RIMMED[h // 2 : -RIM, :, :3].sum()
    assert upper > lower + 0.1
