"""A game of the log as the rules see it: scored, match by match.

The log numbers vazas as they were seen. The rules number those that hold a card, from 1, so a
vaza that was missed whole leaves no gap there; `Observed.numbers` leads from one to the other.
"""

from collections import Counter
from dataclasses import dataclass

from assistant import fold
from assistant.record import (
    DealEntry,
    Game,
    GameRecord,
    ScoredDeal,
    ScoredGame,
    score_game,
    to_record,
)
from assistant.sueca import (
    Accusation,
    Card,
    Counting,
    Deal,
    Play,
    RulesError,
    RuleSet,
    Seat,
    preset,
)
from vision.errors import UserError


@dataclass(frozen=True, slots=True)
class Observed:
    """A deal of the log and what follows from it. `deal.plays[i]` is the rules' play `i`.

    `numbers[i]` is the log's number of the rules' vaza `i + 1`.
    """

    deal: fold.Deal
    scored: ScoredDeal
    numbers: tuple[int, ...]

    def trick_number(self, of_rules: int) -> int:
        """The log's number of the vaza that the rules call `of_rules`."""
        inside = 1 <= of_rules <= len(self.numbers)
        return self.numbers[of_rules - 1] if inside else of_rules


@dataclass(frozen=True, slots=True)
class ObservedMatch:
    """One match of a game: its deals, and the whole as the record tells it."""

    scored: ScoredGame
    deals: tuple[Observed, ...]


def ruleset(name: str) -> RuleSet:
    """The preset `name`. Raises `UserError` where there is none."""
    try:
        return preset(name)
    except RulesError as error:
        raise UserError(f"{error}; choose one of them with --rules") from error


def counting_of(game: fold.Game) -> Counting:
    """When card points may be shown: as the table chose, else as its rules say."""
    if game.counting is not None:
        return Counting(game.counting)
    rules = game.deals[-1].rules if game.deals else fold.FIRST_RULES
    return ruleset(rules).counting


def observe(game: fold.Game) -> tuple[ObservedMatch, ...]:
    """Put a game before the rules. Whoever plays on after a match is won begins the next one.

    Never raises on what was observed; `UserError` where the log names rules there are not.
    """
    matches = []
    left = game.deals
    while left:
        rules = ruleset(left[0].rules)
        same = [deal.rules == left[0].rules for deal in left]
        here = left[: same.index(False)] if False in same else left
        scored = _score(game, rules, here)
        won = next((i for i, one in enumerate(scored.deals) if one.after.winner is not None), None)
        if won is not None and won + 1 < len(here):
            here = here[: won + 1]
            scored = _score(game, rules, here)
        deals = zip(here, scored.deals, strict=True)
        matches.append(
            ObservedMatch(scored, tuple(Observed(deal, one, _numbers(deal)) for deal, one in deals))
        )
        left = left[len(here) :]
    return tuple(matches)


def record_of(game: fold.Game, language: str = "en", match: int | None = None) -> GameRecord:
    """The record of the game's match number `match` (from 1; the latest where None).

    Raises `IndexError` where there is no such match.
    """
    matches = observe(game)
    if not matches:
        return to_record(_score(game, ruleset(fold.FIRST_RULES), ()), language)
    number = len(matches) if match is None else match
    if not 1 <= number <= len(matches):
        raise IndexError(f"expected a match 1 to {len(matches)}, got {number}")
    return to_record(matches[number - 1].scored, language)


def observe_deal(deal: fold.Deal, rules: RuleSet) -> Deal:
    """A deal of the log as the rules take it."""
    sizes = Counter(play.trick for play in deal.plays)
    numbers = _numbers(deal)
    cards = tuple(_size(deal, number, sizes[number], numbers, rules) for number in numbers)
    return Deal(
        rules=rules,
        dealer=Seat[deal.dealer] if deal.dealer else None,
        trump=Card.observed(deal.trump.card) if deal.trump else None,
        plays=tuple(_play(play) for play in deal.plays),
        trick_sizes=cards if any(size != rules.players for size in cards) else (),
    )


def _score(game: fold.Game, rules: RuleSet, deals: tuple[fold.Deal, ...]) -> ScoredGame:
    players = {Seat[seat]: name for seat, name in game.names if name}
    return score_game(Game(rules, players, tuple(_entry(deal, rules) for deal in deals)))


def _entry(deal: fold.Deal, rules: RuleSet) -> DealEntry:
    return DealEntry(
        observe_deal(deal, rules),
        accusations=tuple(
            Accusation(Seat[made.accuser], Seat[made.accused], made.trick, counted)
            for made, counted in deal.accusations
        ),
        final=deal.ended is not None,
    )


def _numbers(deal: fold.Deal) -> tuple[int, ...]:
    return tuple(sorted({play.trick for play in deal.plays}))


def _play(play: fold.Play) -> Play:
    return Play(
        seat=Seat[play.seat],
        card=Card.observed(play.card),
        t=play.played,
        p=play.p,
        alternatives=tuple((Card.observed(card), p) for card, p in play.alternatives),
    )


def _size(deal: fold.Deal, number: int, seen: int, numbers: tuple[int, ...], rules: RuleSet) -> int:
    """Cards in a vaza: what was seen once it is over; until then at least one a seat."""
    over = number < numbers[-1] or number in deal.gathered or deal.ended is not None
    return seen if over else max(seen, rules.players)
