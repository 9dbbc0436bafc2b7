"""Deck profiles: prototypes sharpen which of the 40 a card is, and nothing else."""

from pathlib import Path

import numpy as np
import pytest

from assistant.commands.deck import corrected
from vision.errors import UserError
from vision.labels import CARDS, INDEX, LABELS
from vision.learning import LearntCard
from vision.profile import (
    DeckProfile,
    load_profile,
    profile_names,
    prototypes_of,
    remove_profile,
    save_profile,
)

SIZE = 64


def features(seed: int = 0) -> np.ndarray:
    """(40, SIZE): a direction of its own for each card."""
    return np.random.default_rng(seed).normal(0, 1, (len(CARDS), SIZE)).astype(np.float32)


def profile(name: str = "tasca", model: str = "abc") -> DeckProfile:
    return DeckProfile(name, model, prototypes_of(features()[:, None, :]))


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
    even = (profile().prototypes[[INDEX["KS"]]] + profile().prototypes[[INDEX["QS"]]]) * 5
    sharp = profile().sharpen(undecided("KS"), even)
    assert LABELS[int(sharp[0].argmax())] == "KS"


def test_a_profile_is_kept_listed_loaded_and_forgotten(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SUECA_DECKS", str(tmp_path))
    save_profile(profile())
    assert profile_names() == ("tasca",)
    again = load_profile("tasca", "abc")
    assert np.allclose(again.prototypes, profile().prototypes, atol=2e-3)
    remove_profile("tasca")
    assert profile_names() == ()


def test_a_profile_of_another_reader_a_damaged_one_and_none_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SUECA_DECKS", str(tmp_path))
    path = save_profile(profile())
    with pytest.raises(UserError, match="another reader"):
        load_profile("tasca", "xyz")
    path.write_bytes(b"no profile")
    with pytest.raises(UserError, match="is damaged"):
        load_profile("tasca", "abc")
    with pytest.raises(UserError, match="no deck called"):
        load_profile("gone", "abc")
    with pytest.raises(UserError, match="cannot name a deck"):
        load_profile("../gone", "abc")


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
