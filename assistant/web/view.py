"""What the page shows of a game: the fold of the log, put before the rules and into words.

Frozen dataclasses, sent as JSON; the page computes nothing of the game itself. Where card points
are counted only at the end, those of a deal still being played are left out here, so that they
never reach a screen.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

from assistant import fold
from assistant.events import Alternatives, Noticed
from assistant.flagtext import KINDS, describe
from assistant.i18n import translate
from assistant.noticetext import describe_notice, troubles_now
from assistant.observed import Observed, counting_of, matches_of, observe, ruleset
from assistant.record import ScoredDeal
from assistant.sueca import Counting, DealState, Flag, Match, RuleSet, Seat, Status, Verdict
from vision.types import Quad

UNSURE_BELOW = 0.9
"""A play less likely than this is marked: one in ten such readings may be wrong, and a person at
the table can still say."""

ALTERNATIVES_SHOWN = 3
LEAST_ALTERNATIVE = 0.01
"""Below one in a hundred another reading is no help to anyone."""

Numbers = dict[str, int]
"""By team, `NS` and `EW`."""


@dataclass(frozen=True, slots=True)
class PlayView:
    """One card played; `t` in seconds; `quad` in pixels of the evidence frame."""

    play_id: int
    trick: int
    seat: str
    card: str
    p: float
    t: float
    alternatives: tuple[tuple[str, float], ...]
    unsure: bool
    said: bool
    camera_card: str | None
    winner: bool
    revoked: bool
    evidence: str | None
    quad: Quad | None


@dataclass(frozen=True, slots=True)
class TrickView:
    """A vaza; `winner` None while it is open, `points` None while not to be shown."""

    number: int
    leader: str
    winner: str | None
    points: int | None
    plays: tuple[PlayView, ...]


@dataclass(frozen=True, slots=True)
class FlagView:
    """A flag in words: its kind as a title, and one sentence.

    `id` names it in a ruling; `plays` are those it rests on.
    """

    id: str
    kind: str
    status: Literal["proved", "possible", "noted"]
    title: str
    text: str
    p: float | None
    seats: tuple[str, ...]
    plays: tuple[PlayView, ...]
    ruling: str | None


@dataclass(frozen=True, slots=True)
class VerdictView:
    """An accusation, and what the record says to it: `upheld` None while undecided.

    `flag` says why it was not allowed; `penalty` what it costs `loser`.
    """

    accuser: str
    accused: str
    upheld: bool | None
    loser: str | None
    penalty: str
    flag: str | None


@dataclass(frozen=True, slots=True)
class TrumpView:
    """The trump card."""

    card: str
    p: float
    alternatives: tuple[tuple[str, float], ...]
    unsure: bool
    said: bool


@dataclass(frozen=True, slots=True)
class DealView:
    """One deal. `points` None while they are not to be shown; `game_points` None until it ends.

    `match` is the place of its match in `GameView.matches`.
    """

    number: int
    match: int
    dealer: str | None
    trump: TrumpView | None
    turn: str | None
    tricks: tuple[TrickView, ...]
    points: Numbers | None
    total: int
    tricks_won: Numbers
    game_points: Numbers | None
    complete: bool
    ended: bool
    flags: tuple[FlagView, ...]
    verdicts: tuple[VerdictView, ...]


@dataclass(frozen=True, slots=True)
class MatchView:
    """The cross: `target` None where there is no end."""

    rules: str
    NS: int
    EW: int
    target: int | None
    winner: str | None
    title: str | None
    pending: int


@dataclass(frozen=True, slots=True)
class NoticeView:
    """Something about the camera or the table."""

    t: float
    kind: str
    detail: str
    text: str


@dataclass(frozen=True, slots=True)
class GameView:
    """The whole page of one game. `troubles` says what is wrong with the picture just now."""

    game: str
    revision: int
    live: bool
    counting: str
    players: dict[str, str]
    deals: tuple[DealView, ...]
    matches: tuple[MatchView, ...]
    notices: tuple[NoticeView, ...]
    troubles: tuple[str, ...]
    undo: bool


def game_view(game: fold.Game, name: str, *, live: bool, lang: str) -> GameView:
    """The page of `game` as it stands, in the language `lang`."""
    matches = matches_of(game)
    counting = counting_of(game)
    names = {Seat[seat]: player for seat, player in game.names if player}
    say = _Say(lang, names)
    return GameView(
        game=name,
        revision=game.revision,
        live=live,
        counting=counting.value,
        players={seat.value: player for seat, player in names.items()},
        deals=tuple(
            _deal(observed, scored, place, counting, say)
            for place, match in enumerate(matches)
            for observed, scored in zip(match.deals, match.scored.deals, strict=True)
        ),
        matches=tuple(_match(match.scored.match) for match in matches)
        or (_match(Match(ruleset(fold.FIRST_RULES))),),
        notices=tuple(
            NoticeView(one.t, one.kind, one.detail, say.notice(one)) for one in game.notices
        ),
        troubles=tuple(say.notice(one) for one in troubles_now(game.notices)) if live else (),
        undo=game.undoable is not None,
    )


@dataclass(frozen=True, slots=True)
class _Say:
    """How to say things: the language, and the players' own names."""

    lang: str
    names: dict[Seat, str]

    def notice(self, notice: Noticed) -> str:
        """What the camera or the table was noted for."""
        return describe_notice(notice, self.lang, self.names) + "."

    def kind(self, flag: Flag) -> str:
        """What sort of thing it is, as a heading."""
        return _sentence_case(translate(KINDS[flag.kind], self.lang))

    def flag(self, flag: Flag, observed: Observed | None = None) -> str:
        """A flag as one sentence; its vazas numbered as in the log."""
        if observed is not None:
            flag = replace(
                flag,
                trick=flag.trick and observed.trick_number(flag.trick),
                proved_in=flag.proved_in and observed.trick_number(flag.proved_in),
            )
        return _sentence_case(describe(flag, self.lang, self.names)) + "."


def _sentence_case(text: str) -> str:
    return text[:1].upper() + text[1:]


def _match(match: Match) -> MatchView:
    return MatchView(
        match.rules.name,
        *match.score,
        target=match.rules.target or None,
        winner=match.winner and match.winner.value,
        title=match.title and match.title.value,
        pending=match.pending,
    )


def _deal(
    observed: Observed, scored: ScoredDeal, match: int, counting: Counting, say: _Say
) -> DealView:
    deal, state = observed.deal, observed.state
    over = state.over or deal.ended is not None
    shown = over or counting is Counting.LIVE
    plays = _plays(observed, scored.flags)
    return DealView(
        number=deal.number,
        match=match,
        dealer=deal.dealer,
        trump=_trump(deal.trump),
        turn=None if over or state.turn is None else state.turn.value,
        tricks=tuple(_tricks(observed, plays, shown)),
        points=_by_team(state.points) if shown else None,
        total=state.deal.rules.total_points,
        tricks_won=_by_team(state.tricks_won),
        game_points=_by_team(scored.game_points) if state.complete else None,
        complete=state.complete,
        ended=over,
        flags=tuple(_flag(observed, plays, flag, say) for flag in scored.flags),
        verdicts=tuple(_verdict(verdict, say) for verdict in scored.verdicts),
    )


def _by_team(pair: tuple[int, int]) -> Numbers:
    return {"NS": pair[0], "EW": pair[1]}


def _plays(observed: Observed, flags: tuple[Flag, ...]) -> tuple[PlayView, ...]:
    revoked = {flag.plays[0] for flag in flags if flag.status is Status.PROVED and flag.plays}
    won = set(_winning_plays(observed.state))
    return tuple(
        PlayView(
            play_id=play.play_id,
            trick=play.trick,
            seat=play.seat,
            card=play.card,
            p=play.p,
            t=play.played,
            alternatives=_alternatives(play.alternatives),
            unsure=play.p < UNSURE_BELOW,
            said=bool(play.said),
            camera_card=play.camera_card,
            winner=number in won,
            revoked=number in revoked,
            evidence=play.evidence,
            quad=play.quad,
        )
        for number, play in enumerate(observed.deal.plays)
    )


def _winning_plays(state: DealState) -> Iterator[int]:
    """The number (from 0) of the play that won each finished vaza."""
    first = 0
    for trick in state.tricks:
        seats = [play.seat for play in trick.plays]
        yield first + seats.index(trick.winner)
        first += len(seats)


def _tricks(observed: Observed, plays: tuple[PlayView, ...], shown: bool) -> Iterator[TrickView]:
    first = 0
    for trick, number in zip(observed.state.tricks, observed.numbers, strict=False):
        theirs = plays[first : first + len(trick.plays)]
        first += len(theirs)
        points = trick.points if shown else None
        yield TrickView(number, trick.leader.value, trick.winner.value, points, theirs)
    if plays[first:]:
        yield TrickView(observed.numbers[-1], plays[first].seat, None, None, plays[first:])


def _verdict(verdict: Verdict, say: _Say) -> VerdictView:
    made = verdict.accusation
    return VerdictView(
        accuser=made.accuser.value,
        accused=made.accused.value,
        upheld=verdict.upheld,
        loser=verdict.loser and verdict.loser.value,
        penalty=verdict.penalty.value,
        flag=None if verdict.flag is None else say.flag(verdict.flag),
    )


def _alternatives(alternatives: Alternatives) -> Alternatives:
    worth = [(card, p) for card, p in alternatives if p >= LEAST_ALTERNATIVE]
    return tuple(worth[:ALTERNATIVES_SHOWN])


def _trump(trump: fold.Trump | None) -> TrumpView | None:
    if trump is None:
        return None
    unsure = trump.p < UNSURE_BELOW
    return TrumpView(trump.card, trump.p, _alternatives(trump.alternatives), unsure, trump.said)


def _flag(observed: Observed, plays: tuple[PlayView, ...], flag: Flag, say: _Say) -> FlagView:
    rests_on = tuple(plays[number] for number in flag.plays)
    # By what it is and the plays it rests on: the name of a flag outlives a refold.
    name = f"{flag.kind.value}:{','.join(str(play.play_id) for play in rests_on) or flag.trick}"
    rulings = reversed(observed.deal.rulings)
    return FlagView(
        id=name,
        kind=flag.kind.value,
        status=_STATUS.get(flag.status, "noted"),
        title=say.kind(flag),
        text=say.flag(flag, observed),
        p=None if flag.status is Status.OBSERVED and flag.p == 1.0 else flag.p,
        seats=tuple(seat.value for seat in flag.seats),
        plays=rests_on,
        ruling=next((one.ruling for one in rulings if one.flag == name), None),
    )


_STATUS: dict[Status, Literal["proved", "possible", "noted"]] = {
    Status.PROVED: "proved",
    Status.AMONG: "proved",
    Status.POSSIBLE: "possible",
}

JUST = 0.001
"""Seconds: nearer than two frames can be, so that nothing else lies between."""


def place_of(game: fold.Game, number: int, trick: int, seat: str) -> float | None:
    """When a missed play of `seat` must have come, to stand at its turn within a vaza.

    None where nothing is known of that vaza or deal: then it is the latest.
    """
    deal = next((deal for deal in game.deals if deal.number == number), None)
    if deal is None:
        return None
    there = [play for play in deal.plays if play.trick == trick]
    before = [play.played for play in deal.plays if play.trick < trick]
    if not there:
        return before[-1] + JUST if before and any(p.trick > trick for p in deal.plays) else None
    rules = ruleset(deal.rules)
    leader = _leader(deal, rules, trick) or Seat[there[0].seat]

    def turn(of: str) -> int:
        return (Seat[of].index - leader.index) * rules.step % rules.players

    earlier = [play.played for play in there if turn(play.seat) < turn(seat)]
    later = [play.played for play in there if turn(play.seat) > turn(seat)]
    if earlier and later:
        return (max(earlier) + min(later)) / 2
    return max(earlier) + JUST if earlier else min(later, default=there[0].played) - JUST


def _leader(deal: fold.Deal, rules: RuleSet, trick: int) -> Seat | None:
    """Who should have led a vaza: the winner of the one before, or the seat after the dealer."""
    if trick == 1:
        return rules.next_seat(Seat[deal.dealer]) if deal.dealer else None
    before = [play for play in deal.plays if play.trick == trick - 1]
    state = observe(replace(deal, plays=tuple(before), ended="complete"), rules).state
    return state.tricks[0].winner if state.tricks else None
