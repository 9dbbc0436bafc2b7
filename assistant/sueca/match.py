"""From deals to a match: whose deal it is, what is pending, who has won and how it is called.

A `Match` is a value; every step returns the next one. Steps that a player asks for and the rules
may refuse (a new deal for a weak hand) come as `verify_x` / `can_x` / `x`; a deal that was played
is a fact and is always taken.
"""

from dataclasses import dataclass, replace
from enum import StrEnum

from assistant.sueca.audit import REVOKES, Flag, FlagKind, Status, audit
from assistant.sueca.cards import Card
from assistant.sueca.deal import DealState
from assistant.sueca.rules import Count, Penalty, RevokePolicy, RuleSet, Tie
from assistant.sueca.score import Outcome, score_deal
from assistant.sueca.seats import Seat, Team, other_team

PENALTY_GAMES = 4
"""What `four-games` gives the pair that did no wrong."""

LOVE_DEALS = 2
"""A match won to nothing has a title from this many deals on (000, 003)."""


class Title(StrEnum):
    """How a match was won, where that has a name."""

    SWEEP = "bandeira"
    LOVE = "cara-de-gato"
    REVOKE = "renuncia"
    FALSE_ACCUSATION = "falsa-acusacao"


class RequestError(ValueError):
    """A request the rules do not allow; the message says why."""


@dataclass(frozen=True, slots=True)
class Match:
    """A match so far.

    `dealer` deals next, None where unknown. `score` by team of `rules.teams`: games, or card
    points. `pending`: games that go to the winner of the next deal. `deals`: deals scored.
    `dead`: the empty seat under `dead_hand`.
    """

    rules: RuleSet
    dealer: Seat | None = None
    score: tuple[int, int] = (0, 0)
    pending: int = 0
    deals: int = 0
    winner: Team | None = None
    title: Title | None = None
    dead: Seat | None = None

    def next_dealer(self) -> Seat | None:
        """Who deals after `dealer`: the next in the direction of play, never an empty seat."""
        if self.dealer is None:
            return None
        seat = self.rules.next_seat(self.dealer)
        return self.rules.next_seat(seat) if seat is self.dead else seat


def game_points(match: Match, state: DealState) -> tuple[int, int]:
    """What a deal adds to the match, games pending included; nothing while it is incomplete.

    A bandeira that wins the match counts as its four games, whatever was pending (000, 003).
    """
    score = score_deal(state)
    if score is None:
        return (0, 0)
    if match.rules.count is Count.POINTS:
        return state.points
    if score.winner is None or score.wins_match or not match.pending:
        return score.games
    side = match.rules.teams.index(score.winner)
    games = score.games[side] + match.pending
    return (games, 0) if side == 0 else (0, games)


def after_deal(match: Match, state: DealState) -> Match:
    """The match after a deal. Itself if the deal is incomplete or the match already won."""
    score = score_deal(state)
    if score is None or match.winner is not None:
        return match
    gained = game_points(match, state)
    total = (match.score[0] + gained[0], match.score[1] + gained[1])
    pending = 0
    if score.outcome is Outcome.TIE and match.rules.tie is Tie.PENDING:
        pending = match.pending + 1 if match.rules.ties_pile_up else 1
    later = replace(
        match,
        dealer=match.next_dealer(),
        score=total,
        pending=pending,
        deals=match.deals + 1,
    )
    winner = score.winner if score.wins_match else _reached(match.rules, total)
    return later if winner is None else _won(later, winner, score.outcome)


def _reached(rules: RuleSet, total: tuple[int, int]) -> Team | None:
    """Who has reached the target; of two at once the higher, at equality play goes on."""
    if not rules.target or max(total) < rules.target or total[0] == total[1]:
        return None
    return rules.teams[0 if total[0] > total[1] else 1]


def _won(match: Match, winner: Team, outcome: Outcome) -> Match:
    rules = match.rules
    lost = match.score[1 - rules.teams.index(winner)]
    title = None
    if rules.love_match and lost == 0 and match.deals >= LOVE_DEALS:
        title = Title.LOVE
    elif outcome is Outcome.SWEEP and rules.sweep_wins_match:
        title = Title.SWEEP
    return replace(match, winner=winner, title=title)


# --- Weak hand (mão fraca: 000, 003) -----------------------------------------------------------


def verify_weak_hand(match: Match, state: DealState, seat: Seat) -> None:
    """Raise `RequestError` unless `seat` may ask for a new deal now. The hand itself is not seen.

    Only the player who leads may ask, and only before the first card.
    """
    if match.rules.weak_hand_max < 0:
        raise RequestError(f"the rules '{match.rules.name}' know no weak hand")
    if state.deal.plays:
        raise RequestError("a weak hand is declared before the first card, one has been played")
    if state.turn is not None and seat is not state.turn:
        raise RequestError(f"only {state.turn}, who leads, may declare a weak hand, not {seat}")


def can_declare_weak_hand(match: Match, state: DealState, seat: Seat) -> bool:
    """Whether `verify_weak_hand` would let the request pass."""
    try:
        verify_weak_hand(match, state, seat)
    except RequestError:
        return False
    return True


def declare_weak_hand(match: Match, state: DealState, seat: Seat) -> Match:
    """A new deal, by the next dealer. Raises `RequestError` as `verify_weak_hand` does."""
    verify_weak_hand(match, state, seat)
    return redeal(match)


def redeal(match: Match) -> Match:
    """The cards are dealt again, by the next dealer; nothing is scored and a tie stays pending."""
    return replace(match, dealer=match.next_dealer())


def weak_hand_qualifies(state: DealState, seat: Seat) -> bool | None:
    """Whether the hand `seat` was dealt was weak; None while too little of it is known."""
    deal = state.deal
    rules = deal.rules
    cards = [play.card for play in deal.plays if play.seat is seat]
    for card in held_cards(state, seat):
        if rules.packs > 1 or card not in cards:
            cards.append(card)
    points = sum(rules.card_points[card.index] for card in cards)
    if points > rules.weak_hand_max:
        return False
    return True if len(cards) >= rules.hand_size else None


def held_cards(state: DealState, seat: Seat) -> tuple[Card, ...]:
    """Cards `seat` was seen to hold apart from playing them: face-up trump, hands laid open."""
    deal = state.deal
    cards = [shown.card for shown in deal.shown if shown.seat is seat]
    trump = deal.trump_card
    if trump and deal.dealer is seat and deal.rules.trump_with_dealer and trump not in cards:
        cards.append(trump)
    return tuple(cards)


# --- Accusations (renúncia permitida: 000, 003) -------------------------------------------------


@dataclass(frozen=True, slots=True)
class Accusation:
    """`accuser` says that `accused` revoked, in vaza `trick` or in any (None).

    `counted`: the deal had been counted when the accusation was made.
    """

    accuser: Seat
    accused: Seat
    trick: int | None = None
    counted: bool = False


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the record says to an accusation.

    `upheld` None while undecided, and for an accusation that was not allowed (then `flag`).
    `loser`: the pair in the wrong; `penalty`: what it costs. `proof`: the revoke's flags.
    """

    accusation: Accusation
    upheld: bool | None
    loser: Team | None = None
    penalty: Penalty = Penalty.NONE
    proof: tuple[Flag, ...] = ()
    flag: Flag | None = None


def judge(state: DealState, accusation: Accusation) -> Verdict:
    """Decide an accusation by the record. An illegal one is a flag, not an error.

    A revoke that is proved decides at once; only a complete record clears the accused.
    """
    rules = state.deal.rules
    accuser, accused = accusation.accuser, accusation.accused
    reason = None
    if rules.revoke_policy is RevokePolicy.FORBIDDEN:
        reason = "policy"
    elif accuser.team is accused.team:
        reason = "partner"
    elif accusation.counted:
        reason = "counted"
    if reason is not None:
        flag = Flag(
            FlagKind.ILLEGAL_ACCUSATION,
            Status.OBSERVED,
            (accuser, accused),
            accusation.trick,
            expected=reason,
        )
        return Verdict(accusation, None, flag=flag)
    proof = tuple(
        flag
        for flag in audit(state)
        if flag.kind in REVOKES
        and flag.status is Status.PROVED
        and flag.seats == (accused,)
        and accusation.trick in (None, flag.trick)
    )
    if proof:
        return Verdict(accusation, True, accused.team, rules.revoke_penalty, proof)
    if state.complete:
        return Verdict(accusation, False, accuser.team, rules.false_accusation_penalty)
    return Verdict(accusation, None)


def after_verdict(match: Match, state: DealState, verdict: Verdict) -> Match:
    """The match after a deal in which `verdict` was spoken.

    A penalty takes the place of the deal's own score; a void deal is dealt again by the same
    dealer (our choice). Undecided, or without penalty, the deal counts as it was played.
    """
    if match.winner is not None:
        return match
    if verdict.loser is None or verdict.penalty is Penalty.NONE:
        return after_deal(match, state)
    if verdict.penalty is Penalty.VOID_DEAL:
        return match
    winner = other_team(verdict.loser)
    later = replace(match, dealer=match.next_dealer(), deals=match.deals + 1)
    if verdict.penalty is Penalty.MATCH:
        title = Title.REVOKE if verdict.upheld else Title.FALSE_ACCUSATION
        return replace(later, winner=winner, title=title)
    side = match.rules.teams.index(winner)
    score = list(match.score)
    score[side] += PENALTY_GAMES
    later = replace(later, score=(score[0], score[1]))
    reached = _reached(match.rules, later.score)
    return later if reached is None else _won(later, reached, Outcome.SINGLE)
