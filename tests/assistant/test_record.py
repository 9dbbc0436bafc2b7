"""The game record: all of it follows from the plays; a file that disagrees is flagged."""

import json
from dataclasses import replace
from typing import Any

import pytest

from assistant.notation import read_text
from assistant.record import DealEntry, Game, build_record, score_game, to_record
from assistant.sueca import Accusation, FlagKind, Seat, Shown, Title, preset
from assistant.sueca.cards import Card
from tests.assistant.sueca.builders import deal_of, seeded

SELMINHA = preset("selminha")
GUILTY = deal_of(
    "S:2H E:2C N:4H W:5H W:6H S:AH E:3H N:QH", dealer="W", trump="2S", rules="selminha"
)


def as_json(record: object) -> dict[str, Any]:
    return json.loads(record.to_json())  # type: ignore[attr-defined, no-any-return]


def test_a_record_has_the_fields_of_the_design() -> None:
    record = as_json(build_record(SELMINHA, {Seat.S: "Ana"}, [seeded(1, "selminha").deal]))
    assert list(record) == ["rules", "players", "deals", "match"]
    assert list(record["deals"][0]) == [
        *("dealer", "trump", "plays", "tricks", "points", "game_points", "complete", "flags")
    ]
    assert list(record["deals"][0]["plays"][0]) == ["seat", "card", "t", "p", "alternatives"]
    assert list(record["deals"][0]["tricks"][0]) == ["leader", "winner", "cards", "points"]
    assert list(record["match"]) == ["NS", "EW", "winner", "title", "pending"]
    assert record["players"] == {"S": "Ana"}


def test_tricks_points_and_match_are_computed() -> None:
    deal = seeded(1, "selminha").deal
    record = as_json(build_record(SELMINHA, {}, [deal]))
    (one,) = record["deals"]
    assert len(one["tricks"]) == 10
    assert sum(one["points"].values()) == sum(trick["points"] for trick in one["tricks"]) == 120
    assert one["complete"]
    assert {k: record["match"][k] for k in ("NS", "EW")} == one["game_points"]


def test_a_proved_revoke_is_in_the_record_with_its_proof() -> None:
    record = as_json(build_record(SELMINHA, {}, [GUILTY]))
    flags = [flag for flag in record["deals"][0]["flags"] if flag["kind"] == "revoke"]
    assert [(f["status"], f["seats"], f["trick"], f["proved_in"], f["plays"]) for f in flags] == [
        ("proved", ["E"], 1, 2, [1, 6])
    ]
    assert "East" in flags[0]["detail"]


def test_details_are_written_in_the_language_asked_for() -> None:
    record = as_json(build_record(SELMINHA, {}, [GUILTY], language="pt-PT"))
    assert "não assistiu a copas na vaza 1" in record["deals"][0]["flags"][0]["detail"]


def test_an_incomplete_deal_has_points_but_no_games() -> None:
    (one,) = as_json(build_record(SELMINHA, {}, [GUILTY]))["deals"]
    assert one["points"] == {"NS": 13, "EW": 0}
    assert (one["complete"], one["game_points"]) == (False, {"NS": 0, "EW": 0})


def test_the_dealer_of_one_deal_is_carried_to_the_match() -> None:
    deals = [DealEntry(seeded(i, "selminha").deal) for i in range(2)]
    scored = score_game(Game(SELMINHA, {}, tuple(deals)))
    last = deals[-1].deal.dealer
    assert last is not None
    assert scored.match.dealer is SELMINHA.next_seat(last)


def test_a_deal_by_another_than_the_next_dealer_is_flagged() -> None:
    first = replace(seeded(1, "selminha").deal, dealer=Seat.S)
    for dealer, kinds in [(Seat.E, []), (Seat.W, ["wrong-dealer"]), (None, [])]:
        second = replace(deal_of("", rules="selminha"), dealer=dealer)
        record = as_json(build_record(SELMINHA, {}, [first, second]))
        assert [flag["kind"] for flag in record["deals"][1]["flags"]] == kinds


def test_after_a_deal_left_unfinished_anyone_may_deal() -> None:
    record = as_json(build_record(SELMINHA, {}, [GUILTY, deal_of("", rules="selminha")]))
    assert record["deals"][1]["flags"] == []


def test_games_of_deals_add_up_to_the_match_ties_and_pending_included() -> None:
    deals = [seeded(i, "portuguesa").deal for i in range(4)]
    record = as_json(build_record(preset("portuguesa"), {}, deals))
    for team in ("NS", "EW"):
        total = sum(deal["game_points"][team] for deal in record["deals"])
        assert record["match"][team] == total


def test_a_weak_hand_is_dealt_again_and_scores_nothing() -> None:
    entry = DealEntry(deal_of("", rules="selminha"), weak_hand=Seat.S)
    record = as_json(build_record(SELMINHA, {}, [entry]))
    assert record["deals"][0]["weak_hand"] == "S"
    assert "weak_hand_qualified" not in record["deals"][0]
    assert record["deals"][0]["flags"] == []
    assert score_game(Game(SELMINHA, {}, (entry,))).match.dealer is Seat.S


def test_a_hand_that_was_not_weak_is_flagged() -> None:
    shown = (Shown(Seat.S, Card.parse("AH")),)
    deal = replace(deal_of("", rules="selminha"), shown=shown)
    record = as_json(build_record(SELMINHA, {}, [DealEntry(deal, weak_hand=Seat.S)]))
    assert [flag["kind"] for flag in record["deals"][0]["flags"]] == ["weak-hand"]
    assert record["deals"][0]["weak_hand_qualified"] is False


def test_an_accusation_upheld_ends_the_match() -> None:
    entry = DealEntry(GUILTY, accusations=(Accusation(Seat.S, Seat.E),))
    record = as_json(build_record(SELMINHA, {}, [entry]))
    assert record["deals"][0]["accusations"] == [
        {
            "accuser": "S",
            "accused": "E",
            "trick": None,
            "counted": False,
            "upheld": True,
            "loser": "EW",
            "penalty": "match",
        }
    ]
    assert (record["match"]["winner"], record["match"]["title"]) == ("NS", Title.REVOKE)


def test_an_accusation_of_ones_partner_is_flagged_as_illegal() -> None:
    entry = DealEntry(GUILTY, accusations=(Accusation(Seat.W, Seat.E),))
    (one,) = as_json(build_record(SELMINHA, {}, [entry]))["deals"]
    assert FlagKind.ILLEGAL_ACCUSATION in [flag["kind"] for flag in one["flags"]]


def test_accusations_weak_hands_and_odd_tricks_are_read_back() -> None:
    deal = replace(
        deal_of("S:2H E:3H N:4H W:5H W:6H", rules="selminha"),
        trick_sizes=(5,),
        shown=(Shown(Seat.S, Card.parse("AH"), 2),),
    )
    entry = DealEntry(deal, accusations=(Accusation(Seat.S, Seat.E, 1, True),), weak_hand=Seat.S)
    text = to_record(score_game(Game(SELMINHA, {}, (entry,)))).to_json()
    (read,) = read_text(text).game.deals
    assert (read.deal, read.accusations, read.weak_hand) == (
        deal,
        entry.accusations,
        entry.weak_hand,
    )


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("points", {"NS": 61, "EW": 59}),
        ("game_points", {"NS": 4, "EW": 0}),
        ("complete", False),
    ],
)
def test_a_file_that_disagrees_with_its_plays_is_flagged(key: str, value: object) -> None:
    record = as_json(build_record(SELMINHA, {}, [seeded(2, "selminha").deal]))
    assert record["deals"][0][key] != value
    record["deals"][0][key] = value
    flags = as_json(to_record(score_game(read_text(json.dumps(record)).game)))["deals"][0]["flags"]
    assert [flag["kind"] for flag in flags] == ["disagrees"]
    assert key in flags[0]["detail"]


def test_a_wrong_winner_in_the_file_is_flagged_with_its_trick() -> None:
    record = as_json(build_record(SELMINHA, {}, [seeded(2, "selminha").deal]))
    trick = record["deals"][0]["tricks"][4]
    trick["winner"] = "N" if trick["winner"] != "N" else "S"
    flags = as_json(to_record(score_game(read_text(json.dumps(record)).game)))["deals"][0]["flags"]
    assert [(flag["kind"], flag["trick"]) for flag in flags] == [("disagrees", 5)]


def test_a_wrong_match_score_in_the_file_is_flagged() -> None:
    record = as_json(build_record(SELMINHA, {}, [seeded(2, "selminha").deal]))
    record["match"]["NS"] += 1
    flags = as_json(to_record(score_game(read_text(json.dumps(record)).game)))["deals"][-1]["flags"]
    assert [flag["kind"] for flag in flags] == ["disagrees"]


def test_rules_of_ones_own_are_written_with_their_switches() -> None:
    rules = replace(preset("portuguesa"), name="tasca", target=10)
    record = as_json(build_record(rules, {}, []))
    assert record["rules"] == {"name": "tasca", "all_points_games": 4, "target": 10}
    assert read_text(json.dumps(record)).game.rules == rules


def test_dupla_has_its_own_seats_and_pairs() -> None:
    record = as_json(build_record(preset("dupla"), {}, [seeded(3, "dupla").deal]))
    assert sum(record["deals"][0]["points"].values()) == 240
    assert set(record["deals"][0]["points"]) == {"odd", "even"}


def test_in_tres_the_seat_without_a_player_never_deals() -> None:
    rules = preset("tres")
    deal = replace(seeded(4, "tres").deal, dealer=Seat.S)
    game = Game(rules, {Seat.S: "A", Seat.N: "B", Seat.W: "C"}, (DealEntry(deal),))
    assert score_game(game).match.dealer is Seat.N
