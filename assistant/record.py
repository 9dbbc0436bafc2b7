"""The game record: one match as JSON, everything in it computed from what was observed.

`build_record` takes observed deals and works out tricks, points, flags and the match; the models
say exactly what is written (docs/design of the record is the contract). Reading is in
`assistant.notation`, which tolerates what is broken.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from pydantic import BaseModel, ConfigDict, Field

from assistant import flagtext
from assistant.sueca import (
    PRESETS,
    Accusation,
    Deal,
    DealState,
    Flag,
    FlagKind,
    Match,
    RuleSet,
    Seat,
    Status,
    Verdict,
    after_verdict,
    audit,
    fold,
    judge,
    redeal,
    rules_to_mapping,
    weak_hand_qualifies,
)
from assistant.sueca.custom import Value

RulesText = str | dict[str, Value]


@dataclass(frozen=True, slots=True)
class Claimed:
    """What a file says of a deal beyond its plays; a disagreement is a flag. None: not said."""

    points: Mapping[str, int] | None = None
    game_points: Mapping[str, int] | None = None
    complete: bool | None = None
    winners: tuple[Seat, ...] | None = None


@dataclass(frozen=True, slots=True)
class DealEntry:
    """One deal of a game: what was seen, and what people said.

    `weak_hand`: the leader asked for a new deal and got it; the deal does not count.
    `final`: nothing more will be seen of this deal. `claimed`: what its file said of it.
    """

    deal: Deal
    accusations: tuple[Accusation, ...] = ()
    weak_hand: Seat | None = None
    final: bool = False
    claimed: Claimed = Claimed()


@dataclass(frozen=True, slots=True)
class Game:
    """A match as observed. `players`: names by seat; a seat without one is nobody's (`tres`)."""

    rules: RuleSet
    players: Mapping[Seat, str] = field(default_factory=dict)
    deals: tuple[DealEntry, ...] = ()
    claimed_match: Mapping[str, int] | None = None


@dataclass(frozen=True, slots=True)
class ScoredDeal:
    """A deal with all that follows from it. `before` and `after`: the match around it."""

    entry: DealEntry
    state: DealState
    flags: tuple[Flag, ...]
    verdicts: tuple[Verdict, ...]
    game_points: tuple[int, int]
    before: Match
    after: Match


@dataclass(frozen=True, slots=True)
class ScoredGame:
    """A game with all that follows from it."""

    game: Game
    deals: tuple[ScoredDeal, ...]
    match: Match
    flags: tuple[Flag, ...] = ()

    @property
    def revoke_proved(self) -> bool:
        """Whether a renúncia is proved in any deal."""
        return any(flag.proves_revoke for deal in self.deals for flag in deal.flags)


class _Model(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class PlayRecord(_Model):
    """A play. `t` seconds, null where unknown; `p` a probability; `alternatives` [card, p]."""

    seat: str
    card: str
    t: float | None = None
    p: float = 1.0
    alternatives: list[tuple[str, float]] = Field(default_factory=list)


class TrickRecord(_Model):
    """A finished trick."""

    leader: str
    winner: str
    cards: list[str]
    points: int


class FlagRecord(_Model):
    """A flag. `plays`: numbers of the plays it rests on, from 0; `suit`: the suit in question."""

    kind: str
    status: str
    seats: list[str]
    trick: int | None
    proved_in: int | None
    p: float
    detail: str
    plays: list[int] = Field(default_factory=list)
    cards: list[str] = Field(default_factory=list)
    suit: str | None = None


class ShownRecord(_Model):
    """A card seen to be held before it was played, `after` so many plays."""

    seat: str
    card: str
    after: int = 0


class AccusationRecord(_Model):
    """An accusation and what the record says to it; `upheld` null while undecided."""

    accuser: str
    accused: str
    trick: int | None = None
    counted: bool = False
    upheld: bool | None = None
    loser: str | None = None
    penalty: str | None = None


class DealRecord(_Model):
    """One deal. The fields with defaults are written only where there is something to say.

    `trump_holder`: who turned out to hold the trump card, where the dealer is unknown.
    """

    dealer: str | None
    trump: str | None
    plays: list[PlayRecord]
    tricks: list[TrickRecord]
    points: dict[str, int]
    game_points: dict[str, int]
    complete: bool
    flags: list[FlagRecord]
    trump_holder: str | None = None
    shown: list[ShownRecord] | None = None
    trick_sizes: list[int] | None = None
    weak_hand: str | None = None
    weak_hand_qualified: bool | None = None
    accusations: list[AccusationRecord] | None = None


class GameRecord(_Model):
    """One match. `match` holds each pair's score, `winner`, `title` and `pending`."""

    rules: RulesText
    players: dict[str, str]
    deals: list[DealRecord]
    match: dict[str, int | str | None]

    def to_json(self, *, indent: int | None = 1) -> str:
        """The record as JSON text; optional fields of a deal are left out where empty."""
        return self.model_dump_json(indent=indent, exclude=self._empty())

    def to_dict(self) -> dict[str, object]:
        """The record as plain JSON values, as `to_json` writes them."""
        return self.model_dump(mode="json", exclude=self._empty())

    def _empty(self) -> dict[str, dict[int, set[str]]]:
        optional = [
            name for name, info in DealRecord.model_fields.items() if not info.is_required()
        ]
        return {
            "deals": {
                number: {name for name in optional if getattr(deal, name) is None}
                for number, deal in enumerate(self.deals)
            }
        }


def score_game(game: Game) -> ScoredGame:
    """Fold, audit and score every deal and carry the match through them."""
    rules = game.rules
    match = Match(rules, dealer=None, dead=_dead_seat(game))
    scored: list[ScoredDeal] = []
    due: Seat | None = None  # who should deal, where the deal before was played out
    for entry in game.deals:
        dealer = entry.deal.dealer or match.dealer
        before = replace(match, dealer=dealer)
        one = _score_entry(before, entry)
        if due is not None and dealer is not due and dealer is not None:
            flag = Flag(FlagKind.WRONG_DEALER, Status.OBSERVED, (dealer,), expected=due.value)
            one = replace(one, flags=(flag, *one.flags))
        scored.append(one)
        match = one.after
        due = match.dealer if match != before else None
    flags = _match_disagreements(game, match)
    return ScoredGame(game, tuple(scored), match, flags)


def _dead_seat(game: Game) -> Seat | None:
    """Under `dead_hand` the seat nobody's name stands for, where that is plain."""
    if not game.rules.dead_hand:
        return None
    empty = [seat for seat in game.rules.seats if seat not in game.players]
    return empty[0] if len(empty) == 1 else None


def _score_entry(match: Match, entry: DealEntry) -> ScoredDeal:
    state = fold(entry.deal)
    final = entry.final and entry.weak_hand is None
    flags = list(audit(state, final=final))
    verdicts = tuple(judge(state, accusation) for accusation in entry.accusations)
    flags += [verdict.flag for verdict in verdicts if verdict.flag]
    if entry.weak_hand is not None:
        after = redeal(match)
        if weak_hand_qualifies(state, entry.weak_hand) is False:
            flags.append(Flag(FlagKind.WEAK_HAND, Status.PROVED, (entry.weak_hand,)))
        gained = (0, 0)
    else:
        decided = next((v for v in verdicts if v.loser is not None), None)
        undecided = Verdict(Accusation(Seat.S, Seat.S), None)
        after = after_verdict(match, state, decided or undecided)
        first = after.score[0] - match.score[0]
        gained = (first, after.score[1] - match.score[1])
    one = ScoredDeal(entry, state, (), verdicts, gained, match, after)
    flags += _disagreements(one)
    return replace(one, flags=tuple(flags))


def _disagreements(one: ScoredDeal) -> list[Flag]:
    """Where the file says otherwise than its own plays."""
    claimed, state = one.entry.claimed, one.state
    teams = [team.value for team in state.deal.rules.teams]
    pairs: list[tuple[str, object, object]] = []
    if claimed.points is not None:
        pairs.append(("points", dict(claimed.points), dict(zip(teams, state.points, strict=True))))
    if claimed.game_points is not None:
        own = dict(zip(teams, one.game_points, strict=True))
        pairs.append(("game_points", dict(claimed.game_points), own))
    if claimed.complete is not None:
        pairs.append(("complete", claimed.complete, state.complete))
    flags = [_disagrees(name, said, found) for name, said, found in pairs if said != found]
    for trick, said in zip(state.tricks, claimed.winners or (), strict=False):
        if said is not trick.winner:
            flag = _disagrees("winner", said.value, trick.winner.value)
            flags.append(replace(flag, trick=trick.number))
    return flags


def _disagrees(name: str, said: object, found: object) -> Flag:
    return Flag(
        FlagKind.DISAGREES,
        Status.OBSERVED,
        expected=f"{name} {_plain(found)}",
        got=f"{name} {_plain(said)}",
    )


def _plain(value: object) -> str:
    if isinstance(value, dict):
        return " ".join(f"{key} {number}" for key, number in value.items())
    return str(value).lower() if isinstance(value, bool) else str(value)


def _match_disagreements(game: Game, match: Match) -> tuple[Flag, ...]:
    if game.claimed_match is None:
        return ()
    found = {team.value: n for team, n in zip(match.rules.teams, match.score, strict=True)}
    said = {team: game.claimed_match.get(team, found[team]) for team in found}
    return () if said == found else (_disagrees("match", said, found),)


def build_record(
    rules: RuleSet,
    players: Mapping[Seat, str],
    deals: Sequence[Deal | DealEntry],
    language: str = "en",
) -> GameRecord:
    """The full record of a match from what was observed; flag details in `language`."""
    entries = tuple(d if isinstance(d, DealEntry) else DealEntry(d) for d in deals)
    return to_record(score_game(Game(rules, dict(players), entries)), language)


def to_record(scored: ScoredGame, language: str = "en") -> GameRecord:
    """A scored game as the record to be written. Flags of the match go to its last deal."""
    game, match = scored.game, scored.match
    deals = [_deal_record(deal, language) for deal in scored.deals]
    if scored.flags and deals:
        extra = [_flag_record(flag, None, language) for flag in scored.flags]
        deals[-1] = deals[-1].model_copy(update={"flags": [*deals[-1].flags, *extra]})
    standing: dict[str, int | str | None] = {
        team.value: n for team, n in zip(match.rules.teams, match.score, strict=True)
    }
    return GameRecord(
        rules=rules_text(game.rules),
        players={seat.value: name for seat, name in game.players.items()},
        deals=deals,
        match=standing
        | {
            "winner": match.winner.value if match.winner else None,
            "title": match.title.value if match.title else None,
            "pending": match.pending,
        },
    )


def rules_text(rules: RuleSet) -> RulesText:
    """A preset by its name, anything else by its switches."""
    return rules.name if PRESETS.get(rules.name) == rules else rules_to_mapping(rules)


def _deal_record(one: ScoredDeal, language: str) -> DealRecord:
    state, entry = one.state, one.entry
    deal = state.deal
    teams = [team.value for team in deal.rules.teams]
    holder = state.trump_holder if deal.dealer is None else None
    qualified = None if entry.weak_hand is None else weak_hand_qualifies(state, entry.weak_hand)
    return DealRecord(
        dealer=deal.dealer.value if deal.dealer else None,
        trump=None if deal.trump is None else str(deal.trump),
        plays=[_play_record(deal, number) for number in range(len(deal.plays))],
        tricks=[
            TrickRecord(
                leader=trick.leader.value,
                winner=trick.winner.value,
                cards=[card.text for card in trick.cards],
                points=trick.points,
            )
            for trick in state.tricks
        ],
        points=dict(zip(teams, state.points, strict=True)),
        game_points=dict(zip(teams, one.game_points, strict=True)),
        complete=state.complete,
        flags=[_flag_record(flag, state, language) for flag in one.flags],
        trump_holder=holder.value if holder else None,
        shown=[
            ShownRecord(seat=shown.seat.value, card=shown.card.text, after=shown.after)
            for shown in deal.shown
        ]
        or None,
        trick_sizes=list(deal.trick_sizes) or None,
        weak_hand=entry.weak_hand.value if entry.weak_hand else None,
        weak_hand_qualified=qualified,
        accusations=[_accusation_record(verdict) for verdict in one.verdicts] or None,
    )


def _play_record(deal: Deal, number: int) -> PlayRecord:
    play = deal.plays[number]
    return PlayRecord(
        seat=play.seat.value,
        card=play.card.text,
        t=play.t,
        p=play.p,
        alternatives=[(card.text, p) for card, p in play.alternatives],
    )


def _accusation_record(verdict: Verdict) -> AccusationRecord:
    made = verdict.accusation
    return AccusationRecord(
        accuser=made.accuser.value,
        accused=made.accused.value,
        trick=made.trick,
        counted=made.counted,
        upheld=verdict.upheld,
        loser=verdict.loser.value if verdict.loser else None,
        penalty=verdict.penalty.value if verdict.loser else None,
    )


def _flag_record(flag: Flag, state: DealState | None, language: str) -> FlagRecord:
    return FlagRecord(
        kind=flag.kind.value,
        status=flag.status.value,
        seats=[seat.value for seat in flag.seats],
        trick=flag.trick,
        proved_in=flag.proved_in,
        p=round(flag.p, 6),
        detail=flagtext.describe(flag, language),
        plays=list(flag.plays),
        cards=[card.text for card in flag.cards],
        suit=flag.suit.value if flag.suit else None,
    )
