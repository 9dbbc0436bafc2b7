"""The decks of this table as the page handles them: found in photographs, kept, chosen, removed.

Finding and learning need models of their own (a model serves one thread); they are loaded when the first
photographs come. Where a game is being followed, its reader takes the chosen deck at once.
"""

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from vision.decks import (
    choose_deck,
    chosen_deck,
    deck_names,
    deck_path,
    load_deck,
    remove_deck,
    save_deck,
)
from vision.finder import Finder
from vision.learning import FoundDeck, find_deck, make_deck, profile_for
from vision.reader import Reader
from vision.types import Image


@dataclass(frozen=True, slots=True)
class Models:
    """What finds and reads cards in photographs of a deck."""

    finder: Finder
    reader: Reader


def load_models() -> Models:
    """Models of the shelf's own."""
    return Models(Finder(), Reader())


class DeckShelf:
    """Safe across threads. `following` is the reader of the game being followed, if one is."""

    def __init__(
        self, following: Reader | None = None, load: Callable[[], Models] = load_models
    ) -> None:
        self._following, self._load = following, load
        self._models: Models | None = None
        self._lock = threading.Lock()

    def names(self) -> tuple[str, ...]:
        return deck_names()

    def chosen(self) -> str | None:
        """The deck games are followed with."""
        return chosen_deck()

    def find(self, photographs: Sequence[Image]) -> FoundDeck:
        """The 40 cards in photographs; raises `DeckProblem` where they are not there."""
        with self._lock:
            models = self._loaded()
            return find_deck(photographs, models.finder, models.reader)

    def keep(self, name: str, crops: Sequence[Image]) -> None:
        """Learn a deck from crops of its 40 cards, in order, and choose it for this table.

        Raises:
            UserError: the name cannot be one, or the deck cannot be written.
        """
        deck_path(name)
        with self._lock:
            save_deck(make_deck(name, crops, self._loaded().reader))
        self.choose(name)

    def choose(self, name: str | None) -> None:
        """Follow with this deck from now on; raises `UserError` where there is none such."""
        with self._lock:
            profile = None
            if name is not None:
                load_deck(name)  # refused before the models are loaded for nothing
                profile = profile_for(name, self._loaded().reader)
            choose_deck(name)
            if self._following is not None:
                self._following.profile = profile

    def remove(self, name: str) -> None:
        """Forget a deck, also as the one chosen; raises `UserError` where there is none such."""
        with self._lock:
            remove_deck(name)
            read_with = self._following.profile if self._following else None
            if self._following and read_with and read_with.name == name:
                self._following.profile = None

    def _loaded(self) -> Models:
        if self._models is None:
            self._models = self._load()
        return self._models
