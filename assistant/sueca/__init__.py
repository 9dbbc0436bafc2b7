"""The rules of Sueca: pure, standard library only, no I/O, clock or randomness.

Public API (import from `assistant.sueca`; the modules behind it may be split differently):

- cards: `Card` (`Card.parse("7H")` strict, `Card.observed(text)` never raises; interned, with
  `.index .suit .rank .strength .points .text .pretty`), `Suit`, `SUITS`, `DECK` (40), `parse_cards`
- seats: `Seat` (S E N W; `.index .team`), `SEATS` in counter-clockwise order, `Team`, `TEAMS`,
  `other_team`
- rules: `RuleSet`, `PRESETS`, `preset(name)`, `RulesError` and the enums of its switches
- deal: `Deal`, `Play`, `Shown`, `Trick`, `DealState`, `fold(deal) -> DealState`, `Folder` (running)
- moves: `legal_cards`, `winning_place`, `verify_play`, `can_play`, `play_card`, `IllegalMove`
- score: `score_points`, `score_deal`, `DealScore`, `Outcome`

An observed deal never raises: it is folded as it is and what is wrong becomes flags. Only parsing
and asking for an illegal move raise, always a `ValueError`.
"""

from assistant.sueca.cards import (
    DECK,
    RANKS,
    SUITS,
    Card,
    CardError,
    Suit,
    parse_cards,
)
from assistant.sueca.deal import Deal, DealState, Folder, Play, Shown, Trick, fold
from assistant.sueca.moves import (
    IllegalMove,
    can_play,
    legal_cards,
    play_card,
    verify_play,
    winning_place,
)
from assistant.sueca.rules import (
    PRESETS,
    SWITCHES,
    Count,
    Counting,
    Direction,
    FirstDealer,
    OpenHands,
    Penalty,
    RevokePolicy,
    RulesError,
    RuleSet,
    Tie,
    TrumpCard,
    preset,
)
from assistant.sueca.score import DealScore, Outcome, match_points, score_deal, score_points
from assistant.sueca.seats import NUMBERED_SEATS, SEATS, TEAMS, Seat, Team, other_team

__all__ = [
    "DECK",
    "NUMBERED_SEATS",
    "PRESETS",
    "RANKS",
    "SEATS",
    "SUITS",
    "SWITCHES",
    "TEAMS",
    "Card",
    "CardError",
    "Count",
    "Counting",
    "Deal",
    "DealScore",
    "DealState",
    "Direction",
    "FirstDealer",
    "Folder",
    "IllegalMove",
    "OpenHands",
    "Outcome",
    "Penalty",
    "Play",
    "RevokePolicy",
    "RuleSet",
    "RulesError",
    "Seat",
    "Shown",
    "Suit",
    "Team",
    "Tie",
    "Trick",
    "TrumpCard",
    "can_play",
    "fold",
    "legal_cards",
    "match_points",
    "other_team",
    "parse_cards",
    "play_card",
    "preset",
    "score_deal",
    "score_points",
    "verify_play",
    "winning_place",
]
