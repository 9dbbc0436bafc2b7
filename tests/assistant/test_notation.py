"""Text forms of games: they round-trip, and what is broken is read as far as it goes."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assistant.jsonreader import locate
from assistant.notation import (
    LineError,
    Reading,
    read_game,
    read_line,
    read_sueca,
    read_text,
    write_line,
    write_sueca,
)
from assistant.record import DealEntry, Game, score_game, to_record
from assistant.sueca import Card, FlagKind, Play, Seat, Shown, audit, fold, preset
from tests.assistant.sueca.builders import deal_of, seeded
from tests.assistant.sueca.test_fold import any_deal
from vision.errors import UserError

KEYS = ["seat", "card", "plays", "dealer", "trump", "p", "t", "alternatives", "tricks", "winner"]
SEEDS = st.integers(0, 2**32)
SELMINHA = preset("selminha")
GOOD = "7D\n" + "\n".join(
    ["AH 2D 5H 2H", "AC 3D 4C KC", "AS 2S 4S 3S", "AD 4H QD 6D", "4D 7S 3H JD"]
)


def record_text(**changes: object) -> str:
    """A record of one short deal, with changes to the deal; `...` takes a key out."""
    deal: dict[str, object] = {
        "dealer": "W",
        "trump": "7D",
        "plays": [{"seat": "S", "card": "AH"}, {"seat": "E", "card": "2D"}],
    }
    deal |= changes
    deal = {key: value for key, value in deal.items() if value is not ...}
    return json.dumps({"rules": "selminha", "deals": [deal]}, indent=1)


def only_fault(reading: Reading) -> str:
    (fault,) = reading.faults
    return str(fault)


# --- .sueca -----------------------------------------------------------------------------------


@given(seed=SEEDS, plays=st.integers(0, 40))
def test_sueca_text_round_trips(seed: int, plays: int) -> None:
    deal = replace(seeded(seed).deal, plays=seeded(seed).deal.plays[:plays])
    text = write_sueca(deal)
    (entry,) = read_sueca(text, SELMINHA).game.deals
    assert write_sueca(entry.deal) == text
    assert [play.card for play in entry.deal.plays] == [play.card for play in deal.plays]


@given(seed=SEEDS)
def test_sueca_text_seats_the_players_in_turn_from_the_first_leader(seed: int) -> None:
    deal = seeded(seed, "selminha").deal
    first = deal.plays[0].seat
    (entry,) = read_sueca(write_sueca(deal), SELMINHA, first).game.deals
    assert entry.deal == replace(deal, dealer=None)


def test_sueca_text_is_read_with_small_letters_commas_blank_lines_and_comments() -> None:
    text = "\ufeff7d\r\n\r\n# first vaza\r\nah, 2d, 5h, 2h  # a ruff\r\n"
    path_free = read_text(text.lstrip("\ufeff"))
    assert path_free.faults == ()
    assert [play.card.text for play in path_free.game.deals[0].deal.plays] == [
        *("AH", "2D", "5H", "2H")
    ]


def test_five_cards_in_a_vaza_are_read_and_flagged() -> None:
    (entry,) = read_text("7D\nAH 2D 5H 2H 3H\n4C 5C 6C 7C\n").game.deals
    kinds = [flag.kind for flag in audit(entry.deal)]
    assert FlagKind.WRONG_COUNT in kinds
    assert len(fold(entry.deal).tricks) == 2


def test_three_cards_in_a_vaza_leave_the_next_one_in_its_line() -> None:
    (entry,) = read_text("7D\nAH 2D 5H\n4C 5C 6C 7C\n").game.deals
    assert [len(trick.cards) for trick in fold(entry.deal).tricks] == [3, 4]


def test_nine_vazas_are_flagged_as_missing_cards() -> None:
    (entry,) = read_text(GOOD).game.deals
    flags = audit(entry.deal, final=entry.final)
    assert [flag.kind for flag in flags] == [FlagKind.MISSING_CARDS]
    assert len(flags[0].cards) == 20


@pytest.mark.parametrize(
    ("text", "says", "plays"),
    [
        ("", "line 1, column 1: expected the trump card", 0),
        ("7D AH\n", "line 1, column 4: expected the trump card alone", 0),
        (GOOD + "\nhello 2S", "line 7, column 1: expected a card such as 7H, got 'hello'", 20),
        ("7D\nAH 2D\nAC 3Dx5 4C", "line 3, column 4: expected a card such as 7H", 2),
        ("7D\n" + "AH 2D 5H 2H\n" * 30, "line 22, column 1: expected one deal", 80),
    ],
)
def test_broken_text_is_read_as_far_as_it_goes(text: str, says: str, plays: int) -> None:
    reading = read_text(text)
    assert only_fault(reading).startswith(says)
    assert sum(len(entry.deal.plays) for entry in reading.game.deals) == plays


@pytest.mark.parametrize(
    "text", ["1", "1\n2\n", "yes\n", "-1", '"x"', "# mine\n[7]\n", "7X\nAH 2D"]
)
def test_text_that_does_not_begin_with_a_card_is_no_record(text: str) -> None:
    reading = read_text(text)
    assert "expected the trump card such as 7H, got" in only_fault(reading)
    assert reading.game.deals == ()


@pytest.mark.parametrize("trump", ["7D", "10h", "8s", "C"])
def test_the_trump_may_be_a_card_of_any_deck_or_a_bare_suit(trump: str) -> None:
    reading = read_text(f"{trump}\nAH 2D 5H 2H\n")
    assert reading.faults == ()
    assert str(reading.game.deals[0].deal.trump) == trump.upper()


def test_a_deal_without_trump_cannot_be_written_as_text() -> None:
    with pytest.raises(ValueError, match="expected a deal with a trump card"):
        write_sueca(replace(deal_of(""), trump=None))


# --- one line ---------------------------------------------------------------------------------


@settings(deadline=None)
@given(deal=any_deal())
def test_a_line_round_trips_whatever_was_observed(deal: object) -> None:
    assert read_line(write_line(deal)) == deal  # type: ignore[arg-type]


@given(seed=SEEDS, plays=st.integers(0, 40), name=st.sampled_from(["selminha", "dupla-6"]))
def test_a_line_round_trips_a_deal_at_any_point(seed: int, plays: int, name: str) -> None:
    deal = seeded(seed, name, 0.1).deal
    deal = replace(deal, plays=deal.plays[:plays])
    assert read_line(write_line(deal)) == deal
    assert "\n" not in write_line(deal)


def test_a_line_keeps_times_probabilities_alternatives_and_cards_shown() -> None:
    play = Play(Seat.S, Card.parse("AH"), 12.3, 0.98, ((Card.parse("AD"), 0.02),))
    shown = (Shown(Seat.E, Card.parse("3H"), 1),)
    deal = replace(deal_of("", rules="selminha"), plays=(play,), shown=shown)
    line = "selminha W 2D S:AH@12.3~0.98?AD=0.02 +E:3H>1"
    assert write_line(deal) == line
    assert read_line(line) == deal


def test_a_line_names_only_the_seats_out_of_turn() -> None:
    assert write_line(deal_of("S:2H E:3H W:4H N:5H")) == "portuguesa W 2D S:2H,3H,W:4H,N:5H"


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("selminha W", "too few words"),
        ("sueka W 2D", "expected one of selminha"),
        ("selminha X 2D", "expected a seat S, E, N or W"),
        ("selminha W 2D 2H,3H", "word 4: expected plays such as S:AH,2D, got '2H'"),
        ("selminha W 2D S:2H~x", "could not convert"),
        ("selminha W 2D |x", "invalid literal"),
    ],
)
def test_a_broken_line_says_what_was_expected(line: str, says: str) -> None:
    with pytest.raises(LineError, match=says):
        read_line(line)


# --- JSON -------------------------------------------------------------------------------------


@given(seed=SEEDS, deals=st.integers(1, 3), revoke=st.sampled_from([0.0, 0.1]))
def test_a_record_round_trips(seed: int, deals: int, revoke: float) -> None:
    game = _game(seed, deals, revoke)
    text = to_record(score_game(game)).to_json()
    reading = read_text(text)
    assert reading.faults == ()
    assert to_record(score_game(reading.game)).to_json() == text
    assert [entry.deal for entry in reading.game.deals] == [e.deal for e in game.deals]


def _game(seed: int, deals: int, revoke: float) -> Game:
    entries = tuple(
        DealEntry(seeded(seed + i, "selminha", revoke).deal, final=True) for i in range(deals)
    )
    return Game(SELMINHA, {Seat.S: "Ana", Seat.W: "Zé"}, entries)


def test_only_rules_dealer_trump_and_plays_are_needed() -> None:
    reading = read_text(record_text())
    assert reading.faults == ()
    deal = reading.game.deals[0].deal
    assert (deal.dealer, str(deal.trump), len(deal.plays)) == (Seat.W, "7D", 2)


def test_the_dealer_may_be_null() -> None:
    reading = read_text(record_text(dealer=None))
    assert (reading.faults, reading.game.deals[0].deal.dealer) == ((), None)


def test_rules_of_ones_own_are_read_from_their_switches() -> None:
    text = json.dumps({"rules": {"base": "portuguesa", "target": 10}, "deals": []})
    assert read_text(text).game.rules.target == 10


BAD_SEAT = [{"seat": "S", "card": "AH"}, {"seat": "X", "card": "2D"}]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (
            record_text(plays=BAD_SEAT),
            "line 13, column 14: deals[0].plays[1].seat: expected a seat",
        ),
        (record_text(dealer="Q"), 'deals[0].dealer: expected a seat of S E N W, got "Q"'),
        (record_text(dealer="5"), 'deals[0].dealer: expected a seat of S E N W, got "5"'),
        (record_text(trump=7), "deals[0].trump: expected a text, got 7"),
        (record_text(plays=7), "deals[0].plays: expected a list […], got 7"),
        (record_text(plays=[7]), "deals[0].plays[0]: expected a table {…}, got 7"),
        (record_text(plays=[{"seat": "S"}]), "expected 'card', got a play without"),
        (record_text(plays=[{"seat": "S", "card": None}]), "card: expected a text, got null"),
        (
            record_text(plays=[{"seat": "S", "card": "AH", "p": 2}]),
            "plays[0].p: expected a probability 0 to 1, got 2",
        ),
        (
            record_text(plays=[{"seat": "S", "card": "AH", "t": "x"}]),
            "plays[0].t: expected a number",
        ),
        (
            record_text(plays=[{"seat": "S", "card": "AH", "alternatives": [["AD"]]}]),
            "expected a card and its probability",
        ),
        (record_text(plays=[{}] * 1001), "expected at most 1000 plays, got 1001"),
        (record_text(points={"NS": "many"}), "points.NS: expected a whole number"),
        (record_text(trick_sizes=[0]), "expected numbers of cards"),
        (record_text(shown=[{"seat": "S", "card": "AH", "after": -1}]), "after: expected"),
        (record_text(accusations=[{"accuser": "S", "accused": "E", "trick": "x"}]), "trick:"),
        (record_text(plays=..., dealer=None, trump=None), "expected 'plays', got a deal without"),
        ('{"rules": "selminha", "deals": [7]}', "deals[0]: expected a table {…}, got 7"),
        ('{"rules": "sueka", "deals": []}', "line 1, column 11: rules: expected one of"),
        ('{"rules": {"targett": 4}, "deals": []}', "targett: no such switch"),
        ('{"deals": []}', "line 1, column 1: expected 'rules', got a record without"),
        ('{"rules": "selminha"}', "expected 'deals', got a table without"),
        ('{"rules": "selminha", "players": {"Q": "x"}, "deals": []}', "players.Q: expected a seat"),
        ("[]", "line 1, column 1: expected a table {…}, got []"),
        ('{"rules": "selminha",\n "deals": [}', "line 2, column 12: not JSON: expecting value"),
        ('{"rules": NaN}', "NaN is no number of JSON"),
        ("[" * 100_000, "not a record: nested too deeply"),
        (f'{{"a": {"[" * 900}{"]" * 900}}}', "not a record: nested too deeply"),
        ('{"a": ' + "9" * 5000 + "}", "not a record: a number of 5000 digits"),
        (record_text(plays=[{"seat": "S", "card": "AH", "t": int("9" * 400)}]), "400 digits"),
    ],
)
def test_what_is_wrong_in_a_record_is_said_with_line_and_column(text: str, says: str) -> None:
    fault = only_fault(read_text(text))
    assert says in fault
    assert fault.startswith("line ")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (
            '{"rules": "selminha", "deals": [{"plays": [{"seat": "S",\n "card": "\\ud800"}]}]}',
            "line 2, column 10: deals[0].plays[0].card: expected a text, got half a character",
        ),
        ('{"rules": "\\udfff", "deals": []}', "line 1, column 11: rules: expected a text"),
        (
            '{"rules": "selminha", "players": {"S": "a\\ud800"}, "deals": []}',
            "column 40: players.S:",
        ),
        ('{"rules": "selminha", "deals": [], "x": {"\\ud800": 1}}', "column 41: x: expected a key"),
    ],
)
def test_half_a_character_anywhere_is_refused_where_it_stands(text: str, says: str) -> None:
    fault = only_fault(read_text(text))
    assert says in fault
    fault.encode()


def test_a_character_written_as_two_halves_is_whole() -> None:
    text = '{"rules": "selminha", "players": {"S": "\\ud83d\\ude00"}, "deals": []}'
    assert read_text(text).game.players == {Seat.S: "\U0001f600"}


def test_a_record_is_read_up_to_the_play_that_is_broken_and_later_deals_are_read() -> None:
    data = json.loads(record_text(plays=BAD_SEAT))
    data["deals"].append(json.loads(record_text())["deals"][0])
    reading = read_text(json.dumps(data))
    assert [len(entry.deal.plays) for entry in reading.game.deals] == [1, 2]
    assert len(reading.faults) == 1


def test_a_card_that_is_not_in_the_deck_is_no_fault() -> None:
    reading = read_text(record_text(plays=[{"seat": "S", "card": "8S"}]))
    assert reading.faults == ()
    assert reading.game.deals[0].deal.plays[0].card.foreign


@given(
    data=st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(),
        lambda inner: st.lists(inner) | st.dictionaries(st.sampled_from(KEYS), inner),
    )
)
def test_no_json_of_any_shape_raises(data: object) -> None:
    read_text(json.dumps({"rules": "selminha", "deals": data}))
    read_text(json.dumps({"rules": "selminha", "deals": [data]}))
    read_text(json.dumps({"rules": "selminha", "deals": [{"plays": data, "tricks": data}]}))


@given(text=st.text(max_size=200))
def test_no_text_raises(text: str) -> None:
    read_text(text)


def test_the_place_of_a_value_is_its_line_and_column() -> None:
    text = '{"a": [1,\n {"b": "x]"},\n  {"b" : 5}]}'
    assert locate(text, ("a", 2, "b")) == (3, 10)
    assert locate(text, ("a", 1)) == (2, 2)
    assert locate(text, ("a", 9)) == (1, 7)


# --- files ------------------------------------------------------------------------------------


def test_a_file_that_is_not_there_a_binary_one_and_a_huge_one_are_refused(tmp_path: Path) -> None:
    binary = tmp_path / "photo.jpg"
    binary.write_bytes(b"\xff\xd8\xff\xe0" * 100)
    zeros = tmp_path / "zeros"
    zeros.write_bytes(bytes(100))
    huge = tmp_path / "huge.json"
    with huge.open("wb") as file:
        file.truncate(50_000_000)
    for path, says in [
        (tmp_path / "none.json", "No such file"),
        (tmp_path, "a folder without a kept game"),
        (binary, r"not text \(byte 0\)"),
        (zeros, "a binary file"),
        (huge, "50 MB, a record has at most 10 MB"),
    ]:
        with pytest.raises(UserError, match=says) as caught:
            read_game(path)
        assert "\n" not in str(caught.value)
