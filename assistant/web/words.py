"""Sentences that the server says, in the language of the page."""

from collections.abc import Mapping

from assistant.observed import Observed
from assistant.sueca.audit import Flag

LANGUAGES = ("pt-PT", "pt-BR", "es", "en")


def language(wish: str) -> str:
    """The language of the interface nearest to `wish`; Portuguese where there is none near."""
    for code in LANGUAGES:
        if code.lower() == wish.lower():
            return code
    for code in LANGUAGES:
        if code.split("-")[0] == wish.split("-")[0].lower():
            return code
    return LANGUAGES[0]


class Words:
    """Sentences in one language, with the players' own names."""

    def __init__(self, lang: str, names: Mapping[str, str]) -> None:
        self._lang = lang
        self._names = names

    def flag(self, flag: Flag, observed: Observed) -> str:
        """A flag in plain words."""
        who = ", ".join(self._names.get(seat.value, seat.value) for seat in flag.seats)
        trick = flag.trick and observed.trick_number(flag.trick)
        return f"{flag.kind.value} {who} {trick} {' '.join(c.pretty for c in flag.cards)}"
