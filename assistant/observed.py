"""A deal of the log as the rules see it: plays in order, and the vazas the camera saw end.

The log numbers vazas as they were seen. The rules number those that hold a card, from 1, so a
vaza that was missed whole leaves no gap there; `Observed.numbers` leads from one to the other.
"""

from collections import Counter
from dataclasses import dataclass, replace

from assistant import fold
from assistant.sueca.cards import Card
from assistant.sueca.deal import Deal, DealState, Play
from assistant.sueca.deal import fold as fold_deal
from assistant.sueca.rules import RulesError, RuleSet, preset
from assistant.sueca.seats import Seat
from vision.errors import UserError


@dataclass(frozen=True, slots=True)
class Observed:
    """A deal for the rules. `plays[i]` of the log is play `i` of `state.deal`.

    `numbers[i]` is the log's number of the rules' vaza `i + 1`.
    """

    state: DealState
    plays: tuple[fold.Play, ...]
    numbers: tuple[int, ...]

    def trick_number(self, of_rules: int) -> int:
        """The log's number of the vaza that the rules call `of_rules`."""
        inside = 1 <= of_rules <= len(self.numbers)
        return self.numbers[of_rules - 1] if inside else of_rules


def ruleset(name: str, counting: str | None = None) -> RuleSet:
    """The preset `name`, with the table's choice of when card points are shown.

    Raises `UserError` where there is no such preset.
    """
    try:
        rules = preset(name)
    except RulesError as error:
        raise UserError(f"{error}; choose one of them with --rules") from error
    if counting is None:
        return rules
    return replace(rules, counting=type(rules.counting)(counting))


def observe(deal: fold.Deal, rules: RuleSet) -> Observed:
    """Put a deal of the log before the rules. Never raises on an observed deal."""
    sizes = Counter(play.trick for play in deal.plays)
    numbers = tuple(sorted(sizes))
    observed = Deal(
        rules=rules,
        dealer=Seat(deal.dealer) if deal.dealer else None,
        trump=Card.observed(deal.trump.card) if deal.trump else None,
        plays=tuple(_play(play) for play in deal.plays),
        trick_sizes=tuple(_size(deal, number, sizes[number], numbers, rules) for number in numbers),
    )
    return Observed(fold_deal(observed), deal.plays, numbers)


def _play(play: fold.Play) -> Play:
    return Play(
        seat=Seat(play.seat),
        card=Card.observed(play.card),
        t=play.played,
        p=play.p,
        alternatives=tuple((Card.observed(card), p) for card, p in play.alternatives),
    )


def _size(deal: fold.Deal, number: int, seen: int, numbers: tuple[int, ...], rules: RuleSet) -> int:
    """Cards in a vaza: what was seen once it is over; until then at least one a seat."""
    over = number < numbers[-1] or number in deal.gathered or deal.ended is not None
    return seen if over else max(seen, rules.players)
