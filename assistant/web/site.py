"""What the page is about: the games folder and, while one is followed, the live game."""

from dataclasses import dataclass, field

from assistant.deckshelf import DeckShelf
from assistant.library import Library
from assistant.web.publisher import Publisher


@dataclass(frozen=True, slots=True)
class Site:
    """`live` is the name of the game being followed; its frames come through `publisher`."""

    library: Library
    live: str | None = None
    publisher: Publisher = field(default_factory=Publisher)
    decks: DeckShelf = field(default_factory=DeckShelf)
