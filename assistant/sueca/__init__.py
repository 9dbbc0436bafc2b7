"""The rules of Sueca: pure, standard library only, no I/O, clock or randomness.

Public API (import from `assistant.sueca`; the modules behind it may be split differently):

- cards: `Card` (`Card.parse("7H")` strict, `Card.observed(text)` never raises; interned, with
  `.index .suit .rank .strength .points .text .pretty`), `Suit`, `SUITS`, `DECK` (40), `parse_cards`
- seats: `Seat` (S E N W; `.index .team`), `SEATS` in counter-clockwise order, `Team`, `TEAMS`,
  `other_team`, `parse_seat`
- rules: `RuleSet`, `PRESETS`, `preset(name)`, `RulesError` and the enums of its switches
- deal: `Deal`, `Play`, `Shown`, `Trick`, `DealState`, `fold(deal) -> DealState`, `Folder` (running)
- moves: `legal_cards`, `winning_place`, `verify_play`, `can_play`, `play_card`, `IllegalMove`
- score: `score_points`, `score_deal`, `DealScore`, `Outcome`, `points_shown`
- audit: `audit(deal_or_state, final=False) -> tuple[Flag, ...]`, `Flag`, `FlagKind`, `Status`,
  `void_chances(state)` (the exact chance behind every discard)
- match: `Match`, `after_deal`, `after_verdict`, `game_points`, `redeal`, weak hands
  (`verify/can/declare_weak_hand`, `weak_hand_qualifies`), `Accusation`, `judge`, `Verdict`, `Title`
- dealing: `pack`, `deal_cards` (a shuffled pack into hands and trump card), `deal_bisca`, `Bisca`
- custom: `rules_from_toml`, `rules_from_mapping`, `rules_to_mapping`

An observed deal never raises: it is folded as it is and what is wrong becomes flags. Only parsing
and asking for an illegal move raise, always a `ValueError`.
"""

from assistant.sueca.audit import Flag, FlagKind, Status, audit, trick_of
from assistant.sueca.cards import (
    DECK,
    RANKS,
    SUITS,
    Card,
    CardError,
    Suit,
    parse_cards,
)
from assistant.sueca.chances import VoidChance, void_chances
from assistant.sueca.custom import rules_from_mapping, rules_from_toml, rules_to_mapping
from assistant.sueca.deal import Deal, DealState, Folder, Play, Shown, Trick, fold
from assistant.sueca.dealing import Bisca, deal_bisca, deal_cards, first_dealer, pack
from assistant.sueca.match import (
    Accusation,
    Match,
    RequestError,
    Title,
    Verdict,
    after_deal,
    after_verdict,
    can_declare_weak_hand,
    declare_weak_hand,
    game_points,
    judge,
    redeal,
    verify_weak_hand,
    weak_hand_qualifies,
)
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
from assistant.sueca.score import DealScore, Outcome, points_shown, score_deal, score_points
from assistant.sueca.seats import NUMBERED_SEATS, SEATS, TEAMS, Seat, Team, other_team, parse_seat

__all__ = [
    "DECK",
    "NUMBERED_SEATS",
    "PRESETS",
    "RANKS",
    "SEATS",
    "SUITS",
    "SWITCHES",
    "TEAMS",
    "Accusation",
    "Bisca",
    "Card",
    "CardError",
    "Count",
    "Counting",
    "Deal",
    "DealScore",
    "DealState",
    "Direction",
    "FirstDealer",
    "Flag",
    "FlagKind",
    "Folder",
    "IllegalMove",
    "Match",
    "OpenHands",
    "Outcome",
    "Penalty",
    "Play",
    "RequestError",
    "RevokePolicy",
    "RuleSet",
    "RulesError",
    "Seat",
    "Shown",
    "Status",
    "Suit",
    "Team",
    "Tie",
    "Title",
    "Trick",
    "TrumpCard",
    "Verdict",
    "VoidChance",
    "after_deal",
    "after_verdict",
    "audit",
    "can_declare_weak_hand",
    "can_play",
    "deal_bisca",
    "deal_cards",
    "declare_weak_hand",
    "first_dealer",
    "fold",
    "game_points",
    "judge",
    "legal_cards",
    "other_team",
    "pack",
    "parse_cards",
    "parse_seat",
    "play_card",
    "points_shown",
    "preset",
    "redeal",
    "rules_from_mapping",
    "rules_from_toml",
    "rules_to_mapping",
    "score_deal",
    "score_points",
    "trick_of",
    "verify_play",
    "verify_weak_hand",
    "void_chances",
    "weak_hand_qualifies",
    "winning_place",
]
