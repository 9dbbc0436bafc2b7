"""Single simulated pictures of a deck: what is said to lie there lies there."""

import numpy as np
import pytest

from datasets.drawn import Deck, table_deck
from datasets.stills import OVERHEAD, PHONE, overhead, photographs, visible_parts
from vision.labels import CARDS


@pytest.fixture(scope="module")
def deck() -> Deck:
    return table_deck(5)


def test_photographs_together_show_each_card_once_and_whole(deck: Deck) -> None:
    some = photographs(deck, CARDS[:6], seed=3, count=2)
    assert sorted(c.card for p in some for c in p.cards) == sorted(CARDS[:6])
    for picture in some:
        assert picture.image.shape == (PHONE[1], PHONE[0], 3)
        for shown in picture.cards:
            x, y = np.array(shown.quad).T
            assert 0 <= x.min() < x.max() <= PHONE[0]
            assert 0 <= y.min() < y.max() <= PHONE[1]
            assert shown.visible > 0.95


def test_stills_come_of_their_seed_alone(deck: Deck) -> None:
    first, again = (list(overhead(deck, CARDS[:12], 4, "hard")) for _ in range(2))
    assert [p.cards for p in first] == [p.cards for p in again]
    assert np.array_equal(first[0].image, again[0].image)
    assert first[0].image.shape == (OVERHEAD[1], OVERHEAD[0], 3)


def test_a_card_under_another_shows_only_in_part() -> None:
    low = ((0, 0), (10, 0), (10, 20), (0, 20))
    high = ((0, 10), (10, 10), (10, 30), (0, 30))
    parts = visible_parts([low, high], (40, 40))
    assert parts[1] == 1
    assert 0.4 < parts[0] < 0.6
