"""Learnt decks as files: kept, listed, chosen, forgotten; and none that is damaged is used."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tests.vision.deckphotos import crop_of, grey, reader
from vision.crop import CROP_HEIGHT, CROP_WIDTH
from vision.decks import (
    KeptDeck,
    choose_deck,
    chosen_deck,
    deck_names,
    deck_path,
    load_deck,
    remove_deck,
    save_deck,
)
from vision.errors import UserError
from vision.labels import CARDS
from vision.learning import make_deck, profile_for


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SUECA_DECKS", str(tmp_path))


def deck(name: str = "tasca") -> KeptDeck:
    return make_deck(name, [crop_of(card) for card in CARDS], reader())


def test_a_deck_is_kept_listed_loaded_and_forgotten() -> None:
    kept = deck()
    save_deck(kept)
    assert deck_names() == ("tasca",)
    again = load_deck("tasca")
    assert again.profile.model == kept.profile.model
    assert np.allclose(again.profile.prototypes, kept.profile.prototypes, atol=2e-3)
    assert [round(float(crop.mean())) for crop in again.crops] == [grey(card) for card in CARDS]
    remove_deck("tasca")
    assert deck_names() == ()


def test_a_deck_kept_when_crops_were_smaller_is_brought_to_size() -> None:
    crops = tuple(np.full((144, 96, 3), grey(card), np.uint8) for card in CARDS)
    save_deck(replace(deck(), crops=crops))
    again = load_deck("tasca")
    assert {crop.shape for crop in again.crops} == {(CROP_HEIGHT, CROP_WIDTH, 3)}
    assert [round(float(crop.mean())) for crop in again.crops] == [grey(card) for card in CARDS]


def test_a_deck_there_is_not_is_told_with_those_there_are() -> None:
    save_deck(deck())
    with pytest.raises(UserError, match=r"no deck called gone \(learnt: tasca\)"):
        load_deck("gone")
    with pytest.raises(UserError, match="no deck called gone"):
        remove_deck("gone")


@pytest.mark.parametrize("name", ["../gone", "", ".hidden", "a/b", "tasca "])
def test_what_leads_elsewhere_cannot_be_a_name(name: str) -> None:
    with pytest.raises(UserError, match="cannot name a deck"):
        load_deck(name)


@pytest.mark.parametrize("part", [0, 10, 1000, -50])
def test_a_file_cut_short_is_refused_in_one_line(part: int) -> None:
    path = save_deck(deck())
    path.write_bytes(path.read_bytes()[:part])
    with pytest.raises(UserError, match="is damaged: learn the deck again") as refused:
        load_deck("tasca")
    assert "\n" not in str(refused.value)


def test_a_foreign_file_is_refused() -> None:
    deck_path("tasca").write_bytes(b"no deck")
    with pytest.raises(UserError, match="is damaged"):
        load_deck("tasca")
    np.savez(deck_path("tasca"), format=np.array(2), other=np.zeros(3))
    with pytest.raises(UserError, match="is damaged"):
        load_deck("tasca")


def test_a_flipped_byte_is_noticed() -> None:
    path = save_deck(deck())
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 0xFF
    path.write_bytes(bytes(data))
    with pytest.raises(UserError, match="is damaged"):
        load_deck("tasca")


def test_a_file_of_the_first_version_is_to_be_learnt_again() -> None:
    np.savez_compressed(
        deck_path("tasca"), prototypes=np.zeros((40, 8), np.float16), model=np.array("abc")
    )
    with pytest.raises(UserError, match="another version of the program: learn the deck again"):
        load_deck("tasca")


def test_a_profile_made_before_directions_were_left_out_is_made_anew() -> None:
    path = save_deck(deck())
    with np.load(path) as kept:
        parts = {name: kept[name] for name in kept.files if name != "wavering"}
    np.savez(path, **parts)
    assert load_deck("tasca").profile.model != reader().weights.version
    assert profile_for("tasca", reader()).model == reader().weights.version
    assert load_deck("tasca").profile.model == reader().weights.version


def test_numbers_that_are_none_are_refused() -> None:
    path = save_deck(deck())
    with np.load(path) as kept:
        parts = dict(kept)
    parts["prototypes"][3, 1] = np.nan
    np.savez(path, **parts)
    with pytest.raises(UserError, match="is damaged"):
        load_deck("tasca")


def test_one_deck_is_chosen_for_the_table_until_it_is_forgotten() -> None:
    save_deck(deck())
    assert chosen_deck() is None
    choose_deck("tasca")
    assert chosen_deck() == "tasca"
    remove_deck("tasca")
    assert chosen_deck() is None


def test_no_deck_can_be_chosen_again_and_none_that_is_not_there() -> None:
    save_deck(deck())
    choose_deck("tasca")
    choose_deck(None)
    assert chosen_deck() is None
    with pytest.raises(UserError, match="no deck called gone"):
        choose_deck("gone")


@pytest.mark.parametrize("refused", [choose_deck, remove_deck])
def test_a_folder_that_may_not_be_written_to_is_one_line(
    refused: Callable[[str], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    save_deck(deck())

    def forbidden(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "unlink", forbidden)
    monkeypatch.setattr(Path, "write_text", forbidden)
    with pytest.raises(UserError, match="SUECA_DECKS") as said:
        refused("tasca")
    assert "\n" not in str(said.value)
