"""A game of the log as the rules see it: scored, match by match.

The log numbers vazas as they were seen. The rules number those that hold a card, from 1, so a
vaza that was missed whole leaves no gap there; `Observed.numbers` leads from one to the other.
"""

from collections import Counter
from dataclasses import dataclass, replace

from assistant import fold
from assistant.record import DealEntry, Game, GameRecord, ScoredGame, score_game, to_record
from assistant.sueca import (
    Accusation,
    Card,
    Counting,
    Deal,
    DealState,
    Play,
    RulesError,
    RuleSet,
    Seat,
    preset,
)
from assistant.sueca import fold as fold_deal
from vision.errors import UserError


@dataclass(frozen=True, slots=True)
class Observed:
    """A deal before the rules. `deal.plays[i]` of the log is play `i` of `state.deal`.

    `numbers[i]` is the log's number of the rules' vaza `i + 1`.
    """

    deal: fold.Deal
    state: DealState
    numbers: tuple[int, ...]

    def trick_number(self, of_rules: int) -> int:
        """The log's number of the vaza that the rules call `of_rules`."""
        inside = 1 <= of_rules <= len(self.numbers)
        return self.numbers[of_rules - 1] if inside else of_rules


@dataclass(frozen=True, slots=True)
class ObservedMatch:
    """One match of a game: the whole as the record tells it, and the log's deals in it."""

    scored: ScoredGame
    deals: tuple[Observed, ...]


def ruleset(name: str, counting: str | None = None) -> RuleSet:
    """The preset `name`, with the table's choice of when card points are shown.

    Raises `UserError` where there is no such preset.
    """
    try:
        rules = preset(name)
    except RulesError as error:
        raise UserError(f"{error}; choose one of them with --rules") from error
    return rules if counting is None else replace(rules, counting=Counting(counting))


def counting_of(game: fold.Game) -> Counting:
    """When card points may be shown: as the table chose, else as its rules say."""
    rules = game.deals[-1].rules if game.deals else fold.FIRST_RULES
    return ruleset(rules, game.counting).counting


def observe(deal: fold.Deal, rules: RuleSet) -> Observed:
    """Put a deal of the log before the rules. Never raises on what was observed."""
    sizes = Counter(play.trick for play in deal.plays)
    numbers = tuple(sorted(sizes))
    cards = tuple(_size(deal, number, sizes[number], numbers, rules) for number in numbers)
    observed = Deal(
        rules=rules,
        dealer=Seat[deal.dealer] if deal.dealer else None,
        trump=Card.observed(deal.trump.card) if deal.trump else None,
        plays=tuple(_play(play) for play in deal.plays),
        trick_sizes=cards if any(size != rules.players for size in cards) else (),
    )
    return Observed(deal, fold_deal(observed), numbers)


def matches_of(game: fold.Game) -> tuple[ObservedMatch, ...]:
    """Score a game. Whoever plays on after a match is won begins the next one.

    Raises `UserError` where the log names rules there are not.
    """
    matches = []
    # A deal given up with every play taken back (the picture was mirrored) is no deal.
    left = tuple(deal for deal in game.deals if deal.plays or deal.ended != "void")
    while left:
        same = [deal.rules == left[0].rules for deal in left]
        match = _match(game, left[: same.index(False)] if False in same else left)
        ends = (one.after.winner is not None for one in match.scored.deals)
        won = next((number for number, end in enumerate(ends, start=1) if end), len(left))
        if won < len(match.deals):
            match = _match(game, left[:won])
        matches.append(match)
        left = left[len(match.deals) :]
    return tuple(matches)


def latest_match(game: fold.Game) -> ScoredGame:
    """The match being played, or an empty one. Raises `UserError` as `matches_of` does."""
    matches = matches_of(game)
    return matches[-1].scored if matches else _match(game, ()).scored


def record_of(game: fold.Game, language: str = "en", match: int | None = None) -> GameRecord:
    """The record of the game's match number `match` (from 1; the latest where None).

    Raises `IndexError` where there is no such match, `UserError` as `matches_of` does.
    """
    if match is None:
        return to_record(latest_match(game), language)
    matches = matches_of(game)
    if not 1 <= match <= len(matches):
        raise IndexError(f"expected a match 1 to {len(matches)}, got {match}")
    return to_record(matches[match - 1].scored, language)


def _match(game: fold.Game, deals: tuple[fold.Deal, ...]) -> ObservedMatch:
    """`deals`, all of one rule set, as one match."""
    rules = ruleset(deals[0].rules if deals else fold.FIRST_RULES)
    observed = tuple(observe(deal, rules) for deal in deals)
    players = {Seat[seat]: name for seat, name in game.names if name}
    entries = tuple(_entry(one) for one in observed)
    return ObservedMatch(score_game(Game(rules, players, entries)), observed)


def _entry(observed: Observed) -> DealEntry:
    deal = observed.deal
    return DealEntry(
        observed.state.deal,
        accusations=tuple(
            Accusation(Seat[made.accuser], Seat[made.accused], made.trick, counted)
            for made, counted in deal.accusations
        ),
        final=deal.ended is not None,
    )


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
