"""What the camera and the table are noted for, in words: one sentence and what to do."""

from collections.abc import Mapping

from assistant.events import Noticed
from assistant.flagtext import SEAT_NAMES
from assistant.i18n import N_, translate
from assistant.sueca import Card, Seat

TROUBLES: Mapping[str, tuple[str, str]] = {
    "dark": (
        N_("the picture is too dark"),
        N_("give the table more light"),
    ),
    "overexposed": (
        N_("the picture is too bright"),
        N_("dim the lamp, or lower the camera's exposure"),
    ),
    "blurred": (
        N_("the picture is blurred"),
        N_("clean the lens and let the camera focus on the table"),
    ),
    "mirrored": (
        N_("the picture is mirrored, so nothing is written down"),
        N_("turn mirroring off in the camera's program, or start with --mirrored"),
    ),
    "no-table": (
        N_("neither a table nor a card is in the picture"),
        N_("point the camera down at the table"),
    ),
    "no-cards": (
        N_("no card has been seen yet"),
        N_("if a game is on, see that the whole table is in the picture"),
    ),
    "small-cards": (
        N_("the cards are too small in the picture"),
        N_("bring the camera nearer, or choose a higher resolution"),
    ),
}
"""What may be wrong with a picture (`vision.events.Trouble`), and the remedy."""

_ADVISED: Mapping[str, tuple[str, str]] = {
    "foreign-deck": (
        N_("this looks like a poker deck"),
        N_("take out the 8s, 9s, 10s and jokers"),
    ),
    "foreign-card": (
        N_("a card on the side of {seat} is none of the 40 (an 8, 9, 10 or joker), or is no card"),
        N_("it is not counted"),
    ),
    "same-card-twice": (
        N_("{card} lies on the table twice"),
        N_("two decks are mixed: sort them out"),
    ),
    "same-card-again": (
        N_("{card} was played before in this deal"),
        N_("two decks are mixed: sort them out"),
    ),
    "misdealt": (
        N_(
            "{seat} laid two cards to the last vaza and another player none, so the cards were misdealt"
        ),
        N_("this deal should not count: deal it again"),
    ),
    "wrong-way-round": (
        N_("the cards go round the table the wrong way, so nothing is written down"),
        N_(
            "if the picture is mirrored, start with --mirrored; else choose the rules that you play"
        ),
    ),
    "under-way": (
        N_(
            "the deal was already under way when watching began: the tricks before were not seen, and "
            "its score is only of those that were"
        ),
        N_("count this deal yourselves; the next one is followed from its start"),
    ),
    "card-lacking": (
        N_("{card} has not come up in two deals"),
        N_("it seems to be missing from the deck"),
    ),
    "table-lost": (
        N_("the camera was moved and the table was not found again"),
        N_("mark the table on the page"),
    ),
}

_PLAIN: Mapping[str, str] = {
    "source-gap": N_("pictures were missing"),
    "camera-moved": N_("the camera was moved"),
    "unseen-play": N_(
        "a play was not seen; it was worked out from the card that is missing, unless the deck lacks it"
    ),
    "rest-claimed": N_("a player laid down the rest of the cards"),
}

_STANDING = frozenset({*TROUBLES, "wrong-way-round"})
"""What goes on until it is told to be over."""

_OVER = N_("no longer so: {what}")


def describe_notice(notice: Noticed, language: str, names: Mapping[Seat, str] | None = None) -> str:
    """One sentence in `language`; a kind unknown here (a newer log's) as its detail has it."""
    if notice.kind == "trouble-over" and notice.detail in _STANDING:
        what = translate((TROUBLES.get(notice.detail) or _ADVISED[notice.detail])[0], language)
        return _sentence(translate(_OVER, language).format(what=what))
    advised = TROUBLES.get(notice.kind) or _ADVISED.get(notice.kind)
    if advised is not None:
        what, remedy = (translate(part, language) for part in advised)
        return _sentence(f"{_named(what, notice.detail, language, names or {})}: {remedy}")
    if notice.kind in _PLAIN:
        return _sentence(translate(_PLAIN[notice.kind], language))
    return _sentence(notice.detail or notice.kind)


def troubles_now(notices: tuple[Noticed, ...]) -> tuple[Noticed, ...]:
    """The troubles that were noted and are not over, oldest first."""
    now: dict[str, Noticed] = {}
    for notice in notices:
        if notice.kind in _STANDING:
            now[notice.kind] = notice
        elif notice.kind == "trouble-over":
            now.pop(notice.detail, None)
    return tuple(now.values())


def _named(what: str, detail: str, language: str, names: Mapping[Seat, str]) -> str:
    """The sentence with the seat or card that `detail` names."""
    if "{seat}" in what:
        seat = Seat.__members__.get(detail)
        name = seat and (names.get(seat) or translate(SEAT_NAMES[seat], language))
        return what.format(seat=name or detail)
    if "{card}" in what:
        card = Card.observed(detail)
        return what.format(card=card.pretty if isinstance(card, Card) else detail)
    return what


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]
