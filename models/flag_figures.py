"""How far what is said of renúncias can be believed: every flag of a followed deal beside its truth."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from assistant.sueca import Card, Deal, DealState, Flag, Folder, Seat, Status, audit, fold
from assistant.sueca.audit import REVOKES
from models.figures import binned

KINDS = ("proved", "possible, by plays in doubt", "possible, by what is still out")
"""A flag's kinds as a reader of the report knows them."""

BIN_EDGES = (0.0, 0.5, 0.8, 0.9, 0.95, 0.98, 0.99, 0.999, 1.0)


@dataclass(frozen=True, slots=True)
class JudgedFlag:
    """A renúncia as it was told first: which of `KINDS`, with what chance, and whether it is so."""

    kind: str
    p: float
    true: bool


def judge(followed: Deal, truth: Deal) -> tuple[JudgedFlag, ...]:
    """Every renúncia told while the deal was followed, play by play, each once for its kind.

    `followed` is the deal as written down, `truth` the whole deal as it was played. A flag is so where
    the seat (one of the seats) held in truth what it is said to have owed when it played what it is
    said to have played.
    """
    told: dict[tuple[object, ...], JudgedFlag] = {}
    played = fold(truth)
    for flag in _told(followed):
        key = (_kind(flag), flag.seats, flag.plays[:1], flag.suit)
        if key not in told:
            told[key] = JudgedFlag(_kind(flag), flag.believed, _is_so(flag, followed, played))
    return tuple(told.values())


def _told(deal: Deal) -> Iterator[Flag]:
    folder = Folder(replace(deal, plays=()))
    for play in deal.plays:
        folder.push(play)
        for flag in audit(folder.state()):
            if flag.kind in REVOKES:
                yield flag


def _kind(flag: Flag) -> str:
    if flag.status in (Status.PROVED, Status.AMONG):
        return KINDS[0]
    return KINDS[2] if flag.proved_in is None else KINDS[1]


def _is_so(flag: Flag, followed: Deal, truth: DealState) -> bool:
    """Whether any of the plays that the flag accuses broke the rule."""
    discards = flag.plays if flag.suit is None or flag.proved_in is None else flag.plays[:1]
    plays = [followed.plays[number] for number in discards]
    return any(_broke(play.seat, play.card, truth) for play in plays)


def _broke(seat: Seat, card: Card, truth: DealState) -> bool:
    """Whether the seat, playing this card, held another of the suit led: it has played it since."""
    plays = truth.deal.plays
    number = next((i for i, p in enumerate(plays) if p.card is card and p.seat is seat), None)
    claim = next((c for c in truth.claims if c.play == number), None)
    if number is None or claim is None:
        return False
    later = [play.card for play in plays[number + 1 :] if play.seat is seat]
    owed = any(other.suit_index == claim.suit for other in later)
    trump = truth.deal.trump_suit
    return owed or (claim.dodged_trump and any(other.suit is trump for other in later))


def reliability(flags: Sequence[JudgedFlag]) -> str:
    """Markdown: for each kind, flags by the chance told with them, and how many were so."""
    lines = ["| flag | p told | flags | mean p | so |", "|---|---|---|---|---|"]
    for kind in KINDS:
        mine = [(flag.p, flag.true) for flag in flags if flag.kind == kind]
        lines += [
            f"| {kind} | {one.name} | {one.count} | {one.said:.4f} | {one.right:.4f} |"
            for one in binned(mine, BIN_EDGES)
        ]
    return "\n".join(lines) if len(lines) > 2 else "No renúncia was told."
