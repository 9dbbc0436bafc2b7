"""What lies under and about the cards."""

import numpy as np
import pytest

from datasets.table import cloth, clutter, score_pad

NO_PHOTOGRAPHS = np.zeros((0, 640, 640, 3), np.uint8)


@pytest.mark.parametrize("seed", range(24))
def test_on_every_cloth_what_is_laid_there_is_seen(seed: int) -> None:
    """On wood, computed in double precision, printed things and pads once vanished."""
    rng = np.random.default_rng(seed)
    table = cloth(rng, 120)
    bare = table.copy()
    score_pad(table, rng, (60.0, 60.0), 80.0)
    assert table.dtype == np.float32
    assert (np.abs(table - bare).max(axis=2) > 8).mean() > 0.1


def test_a_score_pad_has_a_cross() -> None:
    table = np.zeros((200, 200, 3), np.float32)
    score_pad(table, np.random.default_rng(4), (100.0, 100.0), 150.0)
    on_pad = table.max(axis=2) > 0
    light = table[on_pad].mean(axis=1)
    assert np.median(light) > 180
    assert 0.01 < (light < 160).mean() < 0.5


def test_the_same_seed_lays_the_same_thing() -> None:
    one, other = (np.zeros((90, 90, 3), np.float32) for _ in range(2))
    for table in (one, other):
        clutter(table, np.random.default_rng(8), 40.0, NO_PHOTOGRAPHS)
    assert np.array_equal(one, other)
