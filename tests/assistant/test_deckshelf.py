"""The table's decks as the page handles them."""

from pathlib import Path

import pytest

from assistant.deckshelf import DeckShelf, Models
from tests.vision.deckphotos import crop_of, finder, photograph, reader
from vision.errors import UserError
from vision.labels import CARDS

CROPS = [crop_of(card) for card in CARDS]


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SUECA_DECKS", str(tmp_path))


def greys() -> Models:
    return Models(finder(), reader())


def test_a_deck_kept_is_the_tables_deck_and_the_game_being_followed_reads_with_it() -> None:
    following = reader()
    shelf = DeckShelf(following, greys)
    shelf.keep("tasca", CROPS)
    assert (shelf.names(), shelf.chosen()) == (("tasca",), "tasca")
    assert following.profile is not None
    assert following.profile.name == "tasca"


def test_another_choice_and_none_reach_the_game_being_followed() -> None:
    following = reader()
    shelf = DeckShelf(following, greys)
    shelf.keep("tasca", CROPS)
    shelf.keep("clube", CROPS)
    shelf.choose("tasca")
    assert following.profile is not None
    assert following.profile.name == "tasca"
    shelf.choose(None)
    assert following.profile is None
    assert shelf.chosen() is None


def test_a_deck_removed_is_no_longer_read_with() -> None:
    following = reader()
    shelf = DeckShelf(following, greys)
    shelf.keep("tasca", CROPS)
    shelf.remove("tasca")
    assert (shelf.names(), shelf.chosen(), following.profile) == ((), None, None)


def test_a_deck_that_is_not_there_changes_nothing() -> None:
    shelf = DeckShelf(reader(), greys)
    shelf.keep("tasca", CROPS)
    with pytest.raises(UserError, match="no deck called gone"):
        shelf.choose("gone")
    assert shelf.chosen() == "tasca"


def test_models_are_loaded_when_photographs_come_and_once() -> None:
    loaded: list[Models] = []

    def load() -> Models:
        loaded.append(greys())
        return loaded[-1]

    shelf = DeckShelf(None, load)
    assert (shelf.names(), loaded) == ((), [])
    for _ in range(2):
        assert len(shelf.find([photograph(*CARDS)]).cards) == 40
    assert len(loaded) == 1
