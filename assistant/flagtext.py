"""Flags, titles and outcomes put into words, in every language of the interface."""

from collections.abc import Callable, Iterable, Mapping

from assistant.i18n import N_, translate
from assistant.sueca import Card, Flag, FlagKind, Seat, Status, Suit, Title, parse_seat
from assistant.sueca.score import Outcome

KINDS: Mapping[FlagKind, str] = {
    FlagKind.UNKNOWN_CARD: N_("card not in the deck"),
    FlagKind.REPEATED_CARD: N_("repeated card"),
    FlagKind.MISSING_CARDS: N_("missing cards"),
    FlagKind.OUT_OF_TURN: N_("out of turn"),
    FlagKind.WRONG_SEAT: N_("no such seat at this table"),
    FlagKind.WRONG_COUNT: N_("wrong number of cards"),
    FlagKind.UNKNOWN_TRUMP: N_("trump unknown"),
    FlagKind.TRUMP_NOT_WITH_DEALER: N_("trump card not with the dealer"),
    FlagKind.TRUMP_FROM_STOCK: N_("trump card played from under the stock"),
    FlagKind.REVOKE: N_("revoke"),
    FlagKind.MUST_TRUMP: N_("did not trump"),
    FlagKind.ILLEGAL_ACCUSATION: N_("accusation not allowed"),
    FlagKind.WEAK_HAND: N_("hand was not weak"),
    FlagKind.WRONG_DEALER: N_("wrong dealer"),
    FlagKind.DISAGREES: N_("the file disagrees with its plays"),
}

STATUSES: Mapping[Status, str] = {
    Status.OBSERVED: N_("observed"),
    Status.PROVED: N_("proved"),
    Status.AMONG: N_("proved, of one among several"),
    Status.POSSIBLE: N_("possible"),
}

SEAT_NAMES: Mapping[Seat, str] = {
    Seat.S: N_("South"),
    Seat.E: N_("East"),
    Seat.N: N_("North"),
    Seat.W: N_("West"),
}

SUIT_NAMES: Mapping[Suit, str] = {
    Suit.S: N_("spades"),
    Suit.H: N_("hearts"),
    Suit.D: N_("diamonds"),
    Suit.C: N_("clubs"),
}

TITLES: Mapping[Title, str] = {
    Title.SWEEP: N_("sweep"),
    Title.LOVE: N_("whitewash"),
    Title.REVOKE: N_("by a revoke"),
    Title.FALSE_ACCUSATION: N_("by a wrong accusation"),
}

OUTCOMES: Mapping[Outcome, str] = {
    Outcome.TIE: N_("tie"),
    Outcome.SINGLE: N_("single win"),
    Outcome.DOUBLE: N_("double win"),
    Outcome.EXACT_DOUBLE: N_("rolha"),
    Outcome.ALL_POINTS: N_("all the card points"),
    Outcome.SWEEP: N_("all the tricks"),
}

_ACCUSATION_REASONS: Mapping[str, str] = {
    "policy": N_("these rules refuse illegal cards, so no one can be accused"),
    "partner": N_("a partner cannot be accused"),
    "counted": N_("the deal had been counted"),
}

_EXPECT_A_SEAT = (FlagKind.OUT_OF_TURN, FlagKind.TRUMP_NOT_WITH_DEALER, FlagKind.WRONG_DEALER)

Say = Callable[[str], str]


MOST_CARDS_LISTED = 12
"""Cards not seen that are named, three vazas of them; of more only the number helps anybody."""


def describe(flag: Flag, language: str, names: Mapping[Seat, str] | None = None) -> str:
    """One sentence that says what is wrong, who did it, and what shows it."""

    def say(message: str) -> str:
        return translate(message, language)

    def who(seat: Seat) -> str:
        name = (names or {}).get(seat)
        return name or say(SEAT_NAMES[seat]) if seat in SEAT_NAMES else name or seat.value

    seats = f" {say(N_('or'))} ".join(who(seat) for seat in flag.seats)
    values = {
        "who": seats,
        "trick": flag.trick,
        "proved_in": flag.proved_in,
        "card": flag.cards[0].pretty if flag.cards else "?",
        "proof": flag.cards[-1].pretty if flag.cards else "?",
        "cards": " ".join(card.pretty for card in _listed(flag)),
        "suit": say(SUIT_NAMES[flag.suit]) if flag.suit else "?",
        "expected": _expected(flag, say, who),
        "got": flag.got or "",
        "count": len(flag.cards),
        "percent": _percent(flag.p),
        "believed": _percent(flag.believed),
    }
    return say(_sentence(flag)).format(**values)


def _percent(p: float) -> str:
    """Whole per cents: a chance is never told as nought or as certain."""
    return f"{min(99, max(1, round(100 * p)))}%"


def _listed(flag: Flag) -> Iterable[Card]:
    """The cards in the order they are told: as played, or those not seen by suit from the ace."""
    if flag.kind is not FlagKind.MISSING_CARDS:
        return flag.cards
    return sorted(flag.cards, key=lambda card: (card.suit_index, -card.strength))


def _expected(flag: Flag, say: Say, who: Callable[[Seat], str]) -> str:
    if flag.expected is None:
        return "?"
    if flag.kind is FlagKind.ILLEGAL_ACCUSATION:
        return say(_ACCUSATION_REASONS[flag.expected])
    if flag.kind in _EXPECT_A_SEAT:
        return who(parse_seat(flag.expected))
    return flag.expected


def _sentence(flag: Flag) -> str:
    """The message for a flag, with the places `describe` fills."""
    match flag.kind, flag.status:
        case FlagKind.REVOKE, _ if flag.by_shown:
            return N_(
                "{who} did not follow {suit} in trick {trick} ({card}) "
                "while a card of that suit lay face up before them"
            )
        case FlagKind.REVOKE, Status.AMONG | Status.POSSIBLE if flag.suit is None:
            return N_(
                "the cards still out cannot be dealt so that every claimed void is true: "
                "{who} has revoked ({cards})"
            )
        case ((FlagKind.REVOKE | FlagKind.MUST_TRUMP), Status.POSSIBLE) if flag.proved_in is None:
            return N_(
                "{who} discarded {cards} in trick {trick}: chance of a revoke about {believed} "
                "(in {percent} of the possible deals they would hold {suit})"
            )
        case FlagKind.REVOKE, _:
            return N_(
                "{who} did not follow {suit} in trick {trick} ({card}) "
                "and played {proof} in trick {proved_in}"
            )
        case FlagKind.MISSING_CARDS, _ if len(flag.cards) > MOST_CARDS_LISTED:
            return N_("cards not seen: {count}")
        case FlagKind.MUST_TRUMP, _ if flag.by_shown:
            return N_("{who} had to trump in trick {trick}, played {card}, and held the trump card")
        case FlagKind.MUST_TRUMP, _:
            return N_(
                "{who} had to trump in trick {trick}, played {card}, "
                "and played the trump {proof} in trick {proved_in}"
            )
    return _PLAIN[flag.kind] if flag.trick or flag.kind not in _DEAL_WIDE else _DEAL_WIDE[flag.kind]


_PLAIN: Mapping[FlagKind, str] = {
    FlagKind.UNKNOWN_CARD: N_("{card} in trick {trick}, by {who}, is not in the deck"),
    FlagKind.REPEATED_CARD: N_("{card} in trick {trick}, by {who}, had been played before"),
    FlagKind.MISSING_CARDS: N_("cards not seen ({count}): {cards}"),
    FlagKind.OUT_OF_TURN: N_("{who} played {card} in trick {trick}; it was the turn of {expected}"),
    FlagKind.WRONG_SEAT: N_("{card} in trick {trick} came from seat {who}, not at this table"),
    FlagKind.WRONG_COUNT: N_("trick {trick} has {count} cards ({cards}), expected {expected}"),
    FlagKind.UNKNOWN_TRUMP: N_("the trump card was not seen, so no trick counts a trump"),
    FlagKind.TRUMP_NOT_WITH_DEALER: N_(
        "the trump card {card} was played by {who} in trick {trick}; it belongs to {expected}"
    ),
    FlagKind.TRUMP_FROM_STOCK: N_(
        "{who} played {card} in trick {trick}, the card turned up under the stock"
    ),
    FlagKind.ILLEGAL_ACCUSATION: N_("accusation not allowed: {expected}"),
    FlagKind.WEAK_HAND: N_("{who} asked for a new deal, but the hand was not weak"),
    FlagKind.WRONG_DEALER: N_("{who} dealt; it was the turn of {expected}"),
    FlagKind.DISAGREES: N_("the file says {got}, the plays say {expected}"),
}

_DEAL_WIDE: Mapping[FlagKind, str] = {
    FlagKind.UNKNOWN_CARD: N_("the trump card {card} is not in the deck"),
    FlagKind.WRONG_COUNT: N_("{who} played more than {expected} cards"),
}


def card_name(card: Card) -> str:
    """A card as players read it: `7♥`."""
    return card.pretty


GAME_WORDS = (
    N_("deal"),
    N_("dealer"),
    N_("trump"),
    N_("game"),
    N_("games"),
    N_("match"),
    N_("follow suit"),
    N_("ruff"),
    N_("weak hand"),
    N_("score cross"),
    N_("ace"),
    N_("seven"),
    N_("king"),
    N_("jack"),
    N_("queen"),
)
"""Words of the game for whoever shows it, each in every catalogue."""
