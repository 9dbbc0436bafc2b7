"""Every row and column of the preset table in the rules, with the source that says so."""

from dataclasses import replace

import pytest

from assistant.sueca import (
    PRESETS,
    SWITCHES,
    Count,
    Direction,
    Match,
    OpenHands,
    Outcome,
    Penalty,
    RulesError,
    RuleSet,
    Seat,
    Tie,
    TrumpCard,
    preset,
    score_points,
)

PORTUGUESA_LIKE = ("portuguesa", "italiana", "tres", "aberta", "bisca")
CLASSICA_LIKE = ("classica", "norte", "rolha", "classica-br")
EVERY_ROW = (
    *("selminha", "classica", "norte", "rolha", "classica-br"),
    *("portuguesa", "italiana", "pontos", "brasileira", "maria-de-copas"),
    *("tres", "dupla", "dupla-6", "aberta", "bisca"),
)


def games(rules: str, first: int, tricks: tuple[int, int] = (5, 5)) -> tuple[int, int]:
    """Games for `first` card points of the first pair."""
    chosen = preset(rules)
    return score_points(chosen, (first, chosen.total_points - first), tricks).games


def test_every_row_of_the_table_is_a_preset() -> None:
    assert tuple(PRESETS) == EVERY_ROW


def test_every_switch_is_documented() -> None:
    assert tuple(SWITCHES) == tuple(RuleSet.__dataclass_fields__)


@pytest.mark.parametrize("name", PRESETS)
def test_names_are_their_own(name: str) -> None:
    assert PRESETS[name].name == name


# --- direction, first lead, trump card --------------------------------------------------------


@pytest.mark.parametrize("name", ["selminha", "portuguesa", "dupla"])
def test_000_003_004_counter_clockwise_the_right_of_the_dealer_leads(name: str) -> None:
    rules = preset(name)
    assert rules.direction is Direction.COUNTER_CLOCKWISE
    assert [rules.next_seat(seat).index for seat in rules.seats] == [
        *range(1, rules.players),
        0,
    ]


@pytest.mark.parametrize("name", CLASSICA_LIKE)
def test_001_clockwise_the_left_of_the_dealer_leads(name: str) -> None:
    assert preset(name).next_seat(Seat.S) is Seat.W


@pytest.mark.parametrize("name", [name for name in EVERY_ROW if name != "bisca"])
def test_000_001_003_004_the_dealers_last_card_shows_trump(name: str) -> None:
    assert preset(name).trump_card is TrumpCard.LAST
    assert preset(name).trump_with_dealer


def test_001_by_option_the_dealers_first_card_shows_trump() -> None:
    rules = replace(preset("classica"), name="x", trump_card=TrumpCard.FIRST)
    assert rules.trump_with_dealer


# --- 61-90, 91-119, 120, all the tricks, 60-60 ------------------------------------------------


@pytest.mark.parametrize("name", ["selminha", *CLASSICA_LIKE, *PORTUGUESA_LIKE])
@pytest.mark.parametrize(("points", "won"), [(61, 1), (89, 1), (91, 2), (119, 2)])
def test_all_61_to_90_is_one_and_91_to_119_two(name: str, points: int, won: int) -> None:
    assert games(name, points) == (won, 0)
    assert games(name, 120 - points) == (0, won)


@pytest.mark.parametrize("name", ["selminha", "classica", "norte", "classica-br", "portuguesa"])
def test_000_001_003_004_exactly_90_is_one(name: str) -> None:
    assert games(name, 90) == (1, 0)


def test_001_rolha_exactly_90_is_three() -> None:
    assert games("rolha", 90) == (3, 0)
    assert games("rolha", 30) == (0, 3)


@pytest.mark.parametrize("name", ["selminha", *CLASSICA_LIKE])
def test_000_001_003_120_with_a_trick_conceded_is_two(name: str) -> None:
    assert games(name, 120, (9, 1)) == (2, 0)


@pytest.mark.parametrize("name", PORTUGUESA_LIKE)
def test_004_120_with_a_trick_conceded_is_four_points_decide(name: str) -> None:
    assert games(name, 120, (9, 1)) == (4, 0)


@pytest.mark.parametrize("name", ["selminha", *CLASSICA_LIKE, *PORTUGUESA_LIKE])
def test_all_ten_tricks_are_four(name: str) -> None:
    assert games(name, 0, (0, 10)) == (0, 4)


@pytest.mark.parametrize(
    ("name", "ends"),
    [("selminha", True), ("classica", True), ("norte", False), ("portuguesa", False)],
)
def test_all_ten_tricks_win_the_match_at_once_000_001_003_not_norte(name: str, ends: bool) -> None:
    assert score_points(preset(name), (120, 0), (10, 0)).wins_match is ends


@pytest.mark.parametrize("name", EVERY_ROW)
def test_a_shared_deal_is_nobodys(name: str) -> None:
    rules = preset(name)
    half = rules.total_points // 2
    score = score_points(rules, (half, half), (5, 5))
    assert (score.outcome, score.winner, score.games) == (Outcome.TIE, None, (0, 0))


@pytest.mark.parametrize(
    ("name", "tie"),
    [
        ("selminha", Tie.PENDING),  # 000, 003
        ("classica-br", Tie.PENDING),  # 001, variant
        *((name, Tie.NOTHING) for name in ("classica", "norte", "rolha", "portuguesa")),
    ],
)
def test_what_a_tie_leaves_pending(name: str, tie: Tie) -> None:
    assert preset(name).tie is tie


@pytest.mark.parametrize(
    ("name", "target"),
    [("norte", 6), ("pontos", 500), *((n, 4) for n in EVERY_ROW if n not in ("norte", "pontos"))],
)
def test_targets(name: str, target: int) -> None:
    assert preset(name).target == target


@pytest.mark.parametrize("target", [4, 10, 0])
def test_004_portuguesa_to_four_ten_or_open(target: int) -> None:
    assert replace(preset("portuguesa"), name="x", target=target).target == target


# --- the variants of 004 ----------------------------------------------------------------------


def test_004_italiana_differs_from_portuguesa_only_in_having_to_trump() -> None:
    assert replace(preset("italiana"), name="portuguesa", must_trump=False) == preset("portuguesa")
    assert preset("italiana").must_trump


def test_004_pontos_counts_card_points() -> None:
    assert preset("pontos").count is Count.POINTS


def test_004_brasileira_ten_for_the_last_trick_and_thresholds_follow() -> None:
    assert preset("brasileira").total_points == 130
    assert games("brasileira", 66) == (1, 0)
    assert games("brasileira", 97) == (1, 0)
    assert games("brasileira", 98) == (2, 0)


def test_004_maria_de_copas_is_worth_ten_and_thresholds_follow() -> None:
    assert preset("maria-de-copas").total_points == 128
    assert games("maria-de-copas", 65) == (1, 0)
    assert games("maria-de-copas", 96) == (1, 0)
    assert games("maria-de-copas", 97) == (2, 0)


@pytest.mark.parametrize(("name", "players", "each"), [("dupla", 8, 10), ("dupla-6", 6, 13)])
def test_004_dupla_two_packs_alternate_partners_doubled_thresholds(
    name: str, players: int, each: int
) -> None:
    rules = preset(name)
    assert (rules.players, rules.hand_size, rules.total_points) == (players, each, 240)
    assert [seat.team for seat in rules.seats] == [*rules.teams] * (players // 2)
    assert games(name, 121) == (1, 0)
    assert games(name, 180) == (1, 0)
    assert games(name, 181) == (2, 0)


def test_004_dupla_for_six_leaves_two_deuces_out() -> None:
    assert [card[0] for card in preset("dupla-6").removed] == ["2", "2"]


def test_004_tres_has_a_dead_hand_face_up_and_the_deal_skips_its_seat() -> None:
    rules = preset("tres")
    assert rules.open_hands is OpenHands.DEAD
    assert Match(rules, Seat.S, dead=Seat.E).next_dealer() is Seat.N


def test_004_aberta_opens_the_dealers_hand_too() -> None:
    assert preset("aberta").open_hands is OpenHands.DEALER_AND_DEAD


def test_004_bisca_has_a_stock_and_no_duty_to_follow() -> None:
    rules = preset("bisca")
    assert (rules.stock, rules.follow_suit, rules.trump_with_dealer) == (True, False, False)


# --- names, weak hand, penalties --------------------------------------------------------------


@pytest.mark.parametrize("name", EVERY_ROW)
def test_000_003_only_selminha_has_weak_hands_love_matches_and_penalties(name: str) -> None:
    rules = preset(name)
    selminha = name == "selminha"
    assert (rules.weak_hand_max == 9) is selminha
    assert rules.love_match is selminha
    assert (rules.revoke_penalty is Penalty.MATCH) is selminha
    assert (rules.false_accusation_penalty is Penalty.MATCH) is selminha


def test_an_unknown_preset_is_refused_with_the_names_there_are() -> None:
    with pytest.raises(RulesError, match=r"selminha, classica.*got 'sueka'"):
        preset("sueka")


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"players": 5}, "players: expected 4, 6 or 8"),
        ({"packs": 3}, "packs: expected 1 or 2"),
        ({"hand_size": 9}, "hand_size"),
        ({"win_over": 70}, "win_over: expected half of 120"),
        ({"double_over": 130}, "double_over"),
        ({"removed": ("9C",)}, "removed: expected a card"),
        ({"target": -1}, "target"),
        ({"stock": True}, "trump_card"),
        ({"queen_of_hearts": 10}, "win_over: expected half of 128"),
    ],
)
def test_contradictions_are_refused(change: dict[str, object], says: str) -> None:
    with pytest.raises(RulesError, match=says):
        replace(preset("portuguesa"), name="x", **change)  # type: ignore[arg-type]
