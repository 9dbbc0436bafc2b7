"""Printed cloths and printed things: the same for the same seed, whole, and not one like another."""

import numpy as np
import pytest

from datasets.cloths import chip, lattice, newsprint, printed, printed_thing, repeat, tartan


@pytest.mark.parametrize("draw", [repeat, tartan, lattice, newsprint, printed])
@pytest.mark.parametrize("side", [60, 200])
def test_a_print_covers_the_whole_table(draw, side: int) -> None:  # type: ignore[no-untyped-def]
    picture = draw(np.random.default_rng(1), side)
    assert picture.shape == (side, side, 3)
    assert picture.dtype == np.float32
    assert np.isfinite(picture).all()
    quarters = picture.reshape(2, side // 2, 2, side // 2, 3).std(axis=(1, 3)).max(axis=-1)
    assert (quarters > 1).any()  # something is printed there


def test_the_same_seed_gives_the_same_print_and_another_seed_another() -> None:
    one, same, other = (printed(np.random.default_rng(s), 120) for s in (3, 3, 4))
    assert np.array_equal(one, same)
    assert np.abs(one - other).mean() > 5


@pytest.mark.parametrize("seed", range(5))
def test_a_chip_lies_within_its_radius(seed: int) -> None:
    picture = np.full((100, 100, 3), 7.0, np.float32)
    chip(picture, np.random.default_rng(seed), (50.0, 50.0), 20.0)
    y, x = np.where(np.abs(picture - 7.0).max(axis=2) > 3)
    assert len(x) > 800
    assert np.hypot(x - 50, y - 50).max() < 24


@pytest.mark.parametrize("seed", range(5))
def test_a_chip_at_the_edge_is_cut_off(seed: int) -> None:
    picture = np.zeros((40, 40, 3), np.float32)
    chip(picture, np.random.default_rng(seed), (0.0, 39.0), 15.0)
    assert np.isfinite(picture).all()


def test_a_printed_thing_is_a_page() -> None:
    page = printed_thing(np.random.default_rng(2))
    assert page.shape == (300, 200, 3)
    assert page.std() > 5
