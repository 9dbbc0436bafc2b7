"""The match: deals add up, ties stay pending, titles, weak hands, accusations."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from assistant.sueca import (
    Accusation,
    Card,
    Deal,
    DealState,
    FlagKind,
    Match,
    Penalty,
    Play,
    RequestError,
    RevokePolicy,
    RuleSet,
    Seat,
    Shown,
    Team,
    Title,
    after_deal,
    after_verdict,
    can_declare_weak_hand,
    declare_weak_hand,
    fold,
    game_points,
    judge,
    preset,
    verify_weak_hand,
    weak_hand_qualifies,
)
from tests.assistant.sueca.builders import deal_of, seeded


def deal_worth(points: int, tricks: int = 5, rules: str | RuleSet = "selminha") -> DealState:
    """A complete deal with `points` for the first pair in `tricks` tricks.

    Only what scoring reads is set: tests of scoring need not search for a deal of 61 to 59.
    """
    chosen = preset(rules) if isinstance(rules, str) else rules
    state = fold(replace(seeded(1, "portuguesa").deal, rules=chosen))
    rest = chosen.total_points - points
    return replace(state, points=(points, rest), tricks_won=(tricks, chosen.tricks - tricks))


def played(match: Match, *points: int) -> Match:
    for one in points:
        match = after_deal(match, deal_worth(one, rules=match.rules))
    return match


def start(rules: str, dealer: Seat | None = Seat.S) -> Match:
    return Match(preset(rules), dealer)


# --- scores, targets, dealers -----------------------------------------------------------------


@pytest.mark.parametrize(("rules", "order"), [("selminha", "SENWS"), ("classica", "SWNES")])
def test_the_deal_goes_round_in_the_direction_of_play(rules: str, order: str) -> None:
    match, dealers = start(rules), "S"
    for _ in range(4):
        match = after_deal(match, deal_worth(60, rules=rules))
        assert match.dealer is not None
        dealers += match.dealer.value
    assert dealers == order


def test_004_after_a_tie_the_deal_passes_on_and_nothing_is_pending() -> None:
    match = played(start("portuguesa"), 60)
    assert (match.dealer, match.pending, match.score) == (Seat.E, 0, (0, 0))


def test_000_003_the_first_pair_to_four_wins() -> None:
    match = played(start("selminha"), 61, 59, 91)
    assert (match.score, match.winner) == ((3, 1), None)
    assert played(match, 70).winner is Team.NS


def test_001_norte_plays_to_six() -> None:
    match = played(start("norte"), 91, 91, 61)
    assert match.winner is None
    assert played(match, 61).winner is Team.NS


def test_001_norte_all_the_tricks_are_four_games_not_the_rubber() -> None:
    match = after_deal(start("norte"), deal_worth(120, 10, "norte"))
    assert (match.score, match.winner) == ((4, 0), None)


def test_000_003_all_the_tricks_win_the_match_at_once() -> None:
    match = after_deal(played(start("selminha"), 59, 59, 59), deal_worth(120, 10))
    assert (match.score, match.winner, match.title) == ((4, 3), Team.NS, Title.SWEEP)


def test_004_pontos_adds_card_points_to_500() -> None:
    match = played(start("pontos"), 100, 110, 90, 100)
    assert (match.score, match.winner) == ((400, 80), None)
    assert played(match, 100).winner is Team.NS


def test_of_two_pairs_over_the_target_at_once_the_higher_wins() -> None:
    match = replace(start("pontos"), score=(440, 445))
    assert played(match, 64).winner is Team.NS
    assert played(match, 60).winner is Team.EW


def test_two_pairs_level_over_the_target_play_on() -> None:
    assert played(replace(start("pontos"), score=(440, 440)), 60).winner is None


def test_004_an_open_match_never_ends() -> None:
    rules = replace(preset("portuguesa"), name="x", target=0)
    match = played(Match(rules, Seat.S), *[91] * 20)
    assert (match.score, match.winner) == ((40, 0), None)


def test_a_match_that_is_won_takes_no_more_deals() -> None:
    match = played(start("selminha"), 91, 91)
    assert played(match, 30) == match


def test_an_incomplete_deal_changes_nothing() -> None:
    match = start("selminha")
    assert after_deal(match, fold(deal_of("S:2H"))) == match


# --- ties -------------------------------------------------------------------------------------


@pytest.mark.parametrize("rules", ["selminha", "classica-br"])
def test_000_001_003_the_winner_after_a_tie_takes_the_game_pending(rules: str) -> None:
    match = played(start(rules), 60)
    assert (match.score, match.pending) == ((0, 0), 1)
    assert game_points(match, deal_worth(59, rules=rules)) == (0, 2)
    after = played(match, 59)
    assert (after.score, after.pending) == ((0, 2), 0)


def test_ties_in_a_row_pile_up_our_choice() -> None:
    assert played(start("selminha"), 60, 60, 61).score == (3, 0)


def test_ties_that_do_not_pile_up_leave_one() -> None:
    rules = replace(preset("selminha"), name="x", ties_pile_up=False)
    assert played(Match(rules, Seat.S), 60, 60, 61).score == (2, 0)


def test_000_003_a_bandeira_counts_its_four_games_whatever_was_pending() -> None:
    match = played(start("selminha"), 60)
    assert game_points(match, deal_worth(120, 10)) == (4, 0)


# --- titles -----------------------------------------------------------------------------------


def test_000_003_four_nil_in_two_deals_or_more_is_cara_de_gato() -> None:
    assert played(start("selminha"), 91, 91).title is Title.LOVE
    assert played(start("selminha"), 61, 61, 61, 61).title is Title.LOVE


def test_000_003_a_bandeira_in_the_first_deal_is_no_cara_de_gato() -> None:
    assert after_deal(start("selminha"), deal_worth(120, 10)).title is Title.SWEEP


def test_a_match_in_which_the_losers_scored_has_no_title() -> None:
    assert played(start("selminha"), 59, 91, 91).title is None


def test_001_has_no_name_for_four_nil() -> None:
    assert played(start("classica"), 91, 91).title is None


# --- weak hand --------------------------------------------------------------------------------

DEALT = fold(deal_of("", dealer="W", rules="selminha"))


def test_000_003_the_leader_may_ask_before_the_first_card_and_the_next_dealer_deals() -> None:
    match = replace(start("selminha", Seat.W), pending=1)
    after = declare_weak_hand(match, DEALT, Seat.S)
    assert (after.dealer, after.pending, after.score) == (Seat.S, 1, (0, 0))


@pytest.mark.parametrize(
    ("state", "seat", "says"),
    [
        (DEALT, Seat.E, "only S, who leads"),
        (fold(deal_of("S:2H", rules="selminha")), Seat.E, "before the first card"),
    ],
)
def test_000_003_nobody_else_and_not_later(state: DealState, seat: Seat, says: str) -> None:
    with pytest.raises(RequestError, match=says):
        verify_weak_hand(start("selminha", Seat.W), state, seat)
    assert not can_declare_weak_hand(start("selminha", Seat.W), state, seat)


def test_001_004_know_no_weak_hand() -> None:
    with pytest.raises(RequestError, match="'classica' know no weak hand"):
        verify_weak_hand(start("classica"), DEALT, Seat.S)


@pytest.mark.parametrize(
    ("hand", "weak"),
    [
        ("KH JD QC 2H 3H 4H 5H 6H 2D 3D", True),  # 9 points
        ("KH JD JC 2H 3H 4H 5H 6H 2D 3D", False),  # 10 points
        ("AH", False),  # enough to know
        ("KH 2H", None),  # too little to know
    ],
)
def test_whether_a_hand_was_weak_is_said_once_its_cards_are_known(
    hand: str, weak: bool | None
) -> None:
    shown = tuple(Shown(Seat.S, Card.parse(card)) for card in hand.split())
    deal = replace(deal_of("", rules="selminha"), shown=shown)
    assert weak_hand_qualifies(fold(deal), Seat.S) is weak


def test_a_hand_played_out_is_known() -> None:
    one = seeded(8, "selminha")
    for seat, hand in one.hands.items():
        weak = sum(card.points for card in hand) <= 9
        assert weak_hand_qualifies(fold(one.deal), seat) is weak


# --- accusations ------------------------------------------------------------------------------

GUILTY = fold(
    deal_of("S:2H E:2C N:4H W:5H W:6H S:AH E:3H N:QH", dealer="W", trump="2S", rules="selminha")
)
INNOCENT = fold(seeded(9, "selminha").deal)


def with_rules(state: DealState, change: Callable[[RuleSet], RuleSet]) -> DealState:
    deal = state.deal
    return fold(Deal(change(deal.rules), deal.dealer, deal.trump, deal.plays))


def test_000_003_a_proved_accusation_loses_the_match_for_the_accused() -> None:
    verdict = judge(GUILTY, Accusation(Seat.S, Seat.E))
    assert (verdict.upheld, verdict.loser) == (True, Team.EW)
    match = after_verdict(start("selminha"), GUILTY, verdict)
    assert (match.winner, match.title) == (Team.NS, Title.REVOKE)


def test_000_003_a_wrong_accusation_loses_the_match_for_the_accuser() -> None:
    verdict = judge(INNOCENT, Accusation(Seat.S, Seat.E))
    assert (verdict.upheld, verdict.loser) == (False, Team.NS)
    match = after_verdict(start("selminha"), INNOCENT, verdict)
    assert (match.winner, match.title) == (Team.EW, Title.FALSE_ACCUSATION)


def test_an_accusation_waits_until_the_record_can_decide() -> None:
    half = fold(replace(INNOCENT.deal, plays=INNOCENT.deal.plays[:20]))
    verdict = judge(half, Accusation(Seat.S, Seat.E))
    assert (verdict.upheld, verdict.loser) == (None, None)


def test_an_accusation_of_another_trick_than_the_one_is_not_proved_by_it() -> None:
    assert judge(GUILTY, Accusation(Seat.S, Seat.E, trick=1)).upheld
    assert judge(GUILTY, Accusation(Seat.S, Seat.E, trick=2)).upheld is None


@pytest.mark.parametrize(
    ("accusation", "reason"),
    [
        (Accusation(Seat.W, Seat.E), "partner"),
        (Accusation(Seat.S, Seat.E, counted=True), "counted"),
    ],
)
def test_000_003_only_an_opponent_and_only_until_the_count(
    accusation: Accusation, reason: str
) -> None:
    flag = judge(GUILTY, accusation).flag
    assert flag is not None
    assert (flag.kind, flag.expected) == (FlagKind.ILLEGAL_ACCUSATION, reason)


def test_000_003_under_impedida_no_one_can_be_accused() -> None:
    state = with_rules(GUILTY, lambda r: replace(r, name="x", revoke_policy=RevokePolicy.FORBIDDEN))
    flag = judge(state, Accusation(Seat.S, Seat.E)).flag
    assert flag is not None
    assert flag.expected == "policy"


def penalised(penalty: Penalty) -> Match:
    state = with_rules(GUILTY, lambda r: replace(r, name="x", revoke_penalty=penalty))
    match = replace(Match(state.deal.rules, Seat.W), score=(1, 1))
    return after_verdict(match, state, judge(state, Accusation(Seat.S, Seat.E)))


def test_the_penalty_goes_to_the_opponents_of_the_offender() -> None:
    assert penalised(Penalty.FOUR_GAMES).score == (5, 1)
    assert penalised(Penalty.FOUR_GAMES).winner is Team.NS


def test_a_void_deal_is_dealt_again_by_the_same_dealer_our_choice() -> None:
    match = penalised(Penalty.VOID_DEAL)
    assert (match.score, match.dealer, match.winner) == ((1, 1), Seat.W, None)


def test_001_004_name_no_penalty_and_the_deal_counts_as_played() -> None:
    deal = replace(seeded(10).deal, rules=preset("classica"))
    state = fold(deal)
    verdict = judge(state, Accusation(Seat.S, Seat.E))
    assert verdict.penalty is Penalty.NONE
    match = start("classica")
    assert after_verdict(match, state, verdict) == after_deal(match, state)


def test_a_correction_can_clear_the_accused() -> None:
    cleared = GUILTY.deal.corrected(1, Play(Seat.E, Card.parse("KH")))
    assert judge(fold(cleared), Accusation(Seat.S, Seat.E)).upheld is None
