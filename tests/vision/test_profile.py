"""Deck profiles: prototypes sharpen which of the 40 a card is, and nothing else."""

import numpy as np
import pytest

from assistant.commands.deck import corrected
from vision.errors import UserError
from vision.labels import CARDS, INDEX, LABELS
from vision.learning import LearntCard
from vision.profile import FEWEST, VIEWS, DeckProfile, profile_of, views

SIZE = 64
ZEROS = np.zeros((40, 5), np.float32)


def features(seed: int = 0) -> np.ndarray:
    """(40, SIZE): a direction of its own for each card."""
    return np.random.default_rng(seed).normal(0, 1, (len(CARDS), SIZE)).astype(np.float32)


def profile(name: str = "tasca", model: str = "abc") -> DeckProfile:
    return profile_of(name, model, features()[:, None, :])


def undecided(*labels: str, other: float = 0.01) -> np.ndarray:
    """(1, 42) log-probabilities, equal for `labels`, with some `other`."""
    p = np.full(len(LABELS), 1e-6, np.float32)
    p[[INDEX[label] for label in labels]] = 1
    p[INDEX["other"]] = other
    return np.log(p / p.sum())[None]


def test_a_card_torn_between_two_is_told_by_its_likeness() -> None:
    seen = features()[[INDEX["QS"]]]
    sharp = profile().sharpen(undecided("KS", "QS"), seen)
    assert LABELS[int(sharp[0].argmax())] == "QS"
    assert np.exp(sharp[0, INDEX["QS"]]) > 0.9


def test_how_likely_it_is_no_card_at_all_is_left_to_the_reader() -> None:
    before = undecided("KS", "QS", other=2.0)
    after = profile().sharpen(before, features()[[INDEX["QS"]]])
    assert after[0, INDEX["other"]] == pytest.approx(before[0, INDEX["other"]])
    assert np.exp(after).sum() == pytest.approx(1, abs=1e-4)


def test_the_reader_still_counts_where_the_likeness_is_the_same() -> None:
    both = profile()
    even = both.middle + both.prototypes[[INDEX["KS"]]] + both.prototypes[[INDEX["QS"]]]
    sharp = both.sharpen(undecided("KS"), even)
    assert LABELS[int(sharp[0].argmax())] == "KS"


def test_a_part_of_a_deck_leaves_the_other_cards_to_the_reader() -> None:
    some = ("KS", "QS")
    seen = features()[[INDEX[card] for card in some]]
    part = profile_of("part", "abc", seen[:, None, :], some)
    before = undecided("KS", "QS", "7D")
    after = part.sharpen(before, seen[:1])
    assert after[0, INDEX["7D"]] == pytest.approx(before[0, INDEX["7D"]])
    assert after[0, INDEX["KS"]] > after[0, INDEX["QS"]] + 1


def test_views_of_a_card_are_the_same_each_time_and_not_like_each_other() -> None:
    crop = np.random.default_rng(1).integers(0, 256, (144, 96, 3)).astype(np.uint8)
    made, again = (views(crop, np.random.default_rng(2)) for _ in range(2))
    assert len(made) == VIEWS
    assert np.array_equal(np.stack(made), np.stack(again))
    assert np.array_equal(made[0], crop)
    assert not np.array_equal(made[1], made[2])


def test_prototypes_of_the_wrong_shape_are_refused() -> None:
    with pytest.raises(ValueError, match=r"expected \(40, 5\) prototypes, got \(39, 5\)"):
        DeckProfile("x", "abc", ZEROS[0], ZEROS[:39], ZEROS[:0])


def test_directions_of_the_wrong_shape_are_refused() -> None:
    with pytest.raises(ValueError, match=r"expected \(w, 5\) directions, got \(2, 4\)"):
        DeckProfile("x", "abc", ZEROS[0], ZEROS, ZEROS[:2, :4])


def test_what_the_views_of_one_card_differ_in_tells_no_card_from_another() -> None:
    blur = np.random.default_rng(5).normal(0, 1, SIZE).astype(np.float32)
    amounts = np.linspace(-5, 5, VIEWS, dtype=np.float32)
    seen = features()[:, None, :] + amounts[None, :, None] * blur
    learnt = profile_of("x", "abc", seen)
    assert (
        np.abs(learnt.likeness(features() + 40 * blur) - learnt.likeness(features())).max() < 1e-3
    )
    assert len(learnt.wavering) == 1


def test_no_more_than_the_directions_that_matter_are_left_out() -> None:
    noise = np.random.default_rng(5).normal(0, 1, (len(CARDS), VIEWS, SIZE)).astype(np.float32)
    learnt = profile_of("x", "abc", features()[:, None, :] + noise)
    assert len(learnt.wavering) == SIZE // FEWEST
    assert np.allclose(learnt.wavering @ learnt.wavering.T, np.eye(SIZE // FEWEST), atol=1e-5)
    assert (learnt.likeness(features()).argmax(axis=1) == np.arange(len(CARDS))).all()


def learnt(card: str) -> LearntCard:
    """A card whose picture is a grey of its own."""
    crop = np.full((144, 96, 3), INDEX[card], np.uint8)
    return LearntCard(card, 0, ((0, 0), (1, 0), (1, 2), (0, 2)), crop, 0.9)


def test_a_persons_word_exchanges_two_cards() -> None:
    cards = corrected([learnt(card) for card in CARDS], ["3h=3d"])
    assert [card.card for card in cards] == list(CARDS)
    by_name = {card.card: int(card.crop[0, 0, 0]) for card in cards}
    assert by_name["3H"] == INDEX["3D"]
    assert by_name["3D"] == INDEX["3H"]
    assert by_name["4S"] == INDEX["4S"]


def test_a_word_that_names_no_card_is_refused() -> None:
    with pytest.raises(UserError, match="--set 9H=3D"):
        corrected([learnt(card) for card in CARDS], ["9H=3D"])
