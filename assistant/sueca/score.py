"""What a deal is worth: from card points and tricks to games.

Rows of the preset table, each with its source, are in `assistant.sueca.rules`.
"""

from dataclasses import dataclass
from enum import StrEnum

from assistant.sueca.deal import DealState
from assistant.sueca.rules import Counting, RuleSet
from assistant.sueca.seats import Team


class Outcome(StrEnum):
    """How a finished deal was won."""

    TIE = "tie"
    SINGLE = "single"
    DOUBLE = "double"
    EXACT_DOUBLE = "rolha"
    ALL_POINTS = "all-points"
    SWEEP = "sweep"


@dataclass(frozen=True, slots=True)
class DealScore:
    """The worth of a finished deal, nothing pending counted in.

    `winner` None for a tie. `games` by team of `rules.teams`. `wins_match`: it ends at once.
    """

    outcome: Outcome
    winner: Team | None
    games: tuple[int, int]
    wins_match: bool


def score_points(rules: RuleSet, points: tuple[int, int], tricks_won: tuple[int, int]) -> DealScore:
    """Score a finished deal from each pair's card points and tricks, in order of `rules.teams`.

    All the tricks come before everything else, all the points before the doubles: asked in the
    other order, 120 would never be more than "over 90".
    """
    side = 0 if points[0] > points[1] else 1
    total, best = rules.total_points, points[side]
    if tricks_won[1 - side] == 0:
        return _score(rules, Outcome.SWEEP, side, rules.sweep_games)
    if points[0] == points[1]:
        return DealScore(Outcome.TIE, None, (0, 0), wins_match=False)
    if best == total:
        return _score(rules, Outcome.ALL_POINTS, side, rules.all_points_games)
    if best > rules.double_over:
        return _score(rules, Outcome.DOUBLE, side, rules.double_games)
    if best == rules.double_over and rules.exact_double_games:
        return _score(rules, Outcome.EXACT_DOUBLE, side, rules.exact_double_games)
    return _score(rules, Outcome.SINGLE, side, rules.single_games)


def _score(rules: RuleSet, outcome: Outcome, side: int, games: int) -> DealScore:
    ends = outcome is Outcome.SWEEP and rules.sweep_wins_match
    return DealScore(
        outcome, rules.teams[side], (games, 0) if side == 0 else (0, games), wins_match=ends
    )


def score_deal(state: DealState) -> DealScore | None:
    """Score a folded deal; None while it is not complete."""
    if not state.complete:
        return None
    return score_points(state.deal.rules, state.points, state.tricks_won)


def points_shown(state: DealState) -> bool:
    """Whether card points may be on a screen now: always, or only once the deal is over (000)."""
    return state.deal.rules.counting is Counting.LIVE or state.over
