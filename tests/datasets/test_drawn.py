"""Decks drawn in code: whole, distinct, printed the right way round, the same for the same seed."""

from dataclasses import replace

import cv2
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from datasets.drawn import RANKS, draw_deck, printed, random_style, table_deck
from vision.labels import CARDS, SUITS

SEEDS = st.integers(min_value=0, max_value=2**32 - 1)


def plain_style(seed: int):
    """A style without small pips in the corners, so that the large ones can be counted."""
    return replace(
        random_style(seed, "AKQJ"),
        layout="standard",
        index_height=0.05,
        index_pip=0.0,
        pip_beside=False,
        four_corners=False,
        border=0.0,
    )


def large_blots(face: np.ndarray) -> int:
    """How many separate printed shapes, each larger than a thousandth of the card, there are."""
    far = np.abs(face.astype(int) - face[face.shape[0] // 2, 2].astype(int)).sum(2) > 90
    _, _, stats, _ = cv2.connectedComponentsWithStats(far.astype(np.uint8))
    return int((stats[1:, cv2.CC_STAT_AREA] > face.shape[0] * face.shape[1] / 500).sum())


@pytest.fixture(scope="module")
def plain_deck():
    return draw_deck(5, plain_style(5))


def test_a_deck_has_all_cards_jokers_and_a_back_of_one_size():
    deck = draw_deck(1)
    tens = {rank + suit for rank in ("8", "9", "10") for suit in SUITS}
    assert set(deck.faces) == {*CARDS, *tens, "joker", "back"}
    assert {face.shape for face in deck.faces.values()} == {(*deck.alpha.shape, 3)}


@given(SEEDS)
@settings(max_examples=2, deadline=None)
def test_a_seed_gives_the_same_deck_every_time(seed):
    first, again = draw_deck(seed), draw_deck(seed)
    assert all(np.array_equal(first.faces[label], again.faces[label]) for label in first.faces)


def test_different_seeds_give_different_decks():
    assert not np.array_equal(
        cv2.resize(draw_deck(1).faces["7S"], (50, 70)),
        cv2.resize(draw_deck(2).faces["7S"], (50, 70)),
    )


@given(SEEDS)
@settings(max_examples=3, deadline=None)
def test_no_two_cards_of_a_table_deck_look_alike(seed):
    deck = table_deck(seed)
    small = {c: cv2.resize(deck.faces[c], (60, 84), interpolation=cv2.INTER_AREA) for c in CARDS}
    for k, one in enumerate(CARDS):
        for other in CARDS[k + 1 :]:
            apart = np.abs(small[one].astype(int) - small[other].astype(int)).max()
            assert apart > 60, (one, other)


@pytest.mark.parametrize("rank", [r for r in RANKS if r.isdigit()])
@pytest.mark.parametrize("suit", list(SUITS))
def test_a_number_card_has_as_many_pips_as_it_says(plain_deck, rank, suit):
    assert large_blots(plain_deck.faces[rank + suit]) == int(rank)


@pytest.mark.parametrize("card", ["2S", "4H", "4C", "10S"])
def test_a_card_reads_the_same_upside_down(plain_deck, card):
    face = plain_deck.faces[card].astype(int)
    assert np.abs(face - face[::-1, ::-1]).mean() < 3  # only rounding to whole pixels differs


@pytest.mark.parametrize(
    ("letters", "courts"), [("AKQJ", "AKQJ"), ("ARDV", "ARDV"), ("1RDV", "1RDV"), ("AKDB", "AKDB")]
)
def test_courts_are_printed_in_the_letters_of_the_country(letters, courts):
    assert "".join(printed(rank, letters) for rank in "AKQJ") == courts


def test_the_same_style_with_other_letters_changes_courts_and_leaves_numbers():
    english, french = table_deck(4, "AKQJ"), table_deck(4, "ARDV")
    assert np.array_equal(english.faces["7H"], french.faces["7H"])
    assert not np.array_equal(english.faces["KH"], french.faces["KH"])


@given(SEEDS)
@settings(max_examples=8, deadline=None)
def test_nothing_is_printed_over_the_edge_of_a_face(seed):
    deck = draw_deck(seed)
    for card in ("10S", "KD", "QC", "AH"):
        face = deck.faces[card]
        rim = np.concatenate([face[:4].reshape(-1, 3), face[:, :4].reshape(-1, 3)])
        assert np.ptp(rim.astype(int), axis=0).max() == 0, card
