"""`sueca score` and `sueca review`, as a user runs them."""

import json
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from assistant import cli
from assistant.events import CameraEvent
from assistant.library import LOG_NAME
from assistant.live import LiveGame
from assistant.log import GameLog
from assistant.notation import write_sueca
from assistant.record import build_record
from assistant.sueca import DECK, Seat, Suit, preset
from tests.assistant.games import played_deal
from tests.assistant.sueca.builders import seeded

SELMINHA = preset("selminha")


@dataclass(frozen=True)
class Run:
    status: int
    out: str
    err: str

    @property
    def document(self) -> Any:
        return json.loads(self.out)


Sueca = Callable[..., Run]


@pytest.fixture
def sueca(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Sueca:
    """Run the command line in this process."""
    monkeypatch.setattr(cli, "_join_commands", lambda: None)
    monkeypatch.setenv("LANGUAGE", "en")
    monkeypatch.setenv("COLUMNS", "120")

    def run(*words: object) -> Run:
        monkeypatch.setattr("sys.argv", ["sueca", *map(str, words)])
        status = 0
        try:
            cli.main()
        except SystemExit as end:
            status = int(end.code or 0)
        out, err = capsys.readouterr()
        return Run(status, out, err)

    return run


def revoke_seed() -> int:
    return next(seed for seed in range(1000) if len(seeded(seed, "selminha", 0.02).revokes) == 1)


@pytest.fixture
def clean(tmp_path: Path) -> Path:
    path = tmp_path / "clean.json"
    names = {Seat.S: "Ana", Seat.E: "Rui", Seat.N: "Eva", Seat.W: "Zé"}
    path.write_text(build_record(SELMINHA, names, [seeded(1, "selminha").deal]).to_json())
    return path


@pytest.fixture
def guilty(tmp_path: Path) -> Path:
    path = tmp_path / "guilty.json"
    deal = seeded(revoke_seed(), "selminha", 0.02).deal
    path.write_text(build_record(SELMINHA, {}, [deal]).to_json())
    return path


def test_score_writes_the_record_as_one_json_document(sueca: Sueca, clean: Path) -> None:
    run = sueca("score", "--json", clean)
    assert (run.status, run.err) == (0, "")
    assert run.document == json.loads(clean.read_text())


def test_score_shows_every_vaza_and_the_match(sueca: Sueca, clean: Path) -> None:
    run = sueca("score", clean)
    assert run.status == 0
    for trick in json.loads(clean.read_text())["deals"][0]["tricks"]:
        assert trick["cards"][0][0] in run.out
    assert "Ana + Eva" in run.out
    assert "Match (selminha)" in run.out


@pytest.mark.parametrize(
    ("language", "word"), [("pt-PT", "Vaza"), ("pt-BR", "Rodada"), ("es", "Baza"), ("en", "Trick")]
)
def test_score_speaks_every_language(sueca: Sueca, clean: Path, language: str, word: str) -> None:
    assert word in sueca("score", "--lang", language, clean).out


@pytest.mark.parametrize("command", ["score", "review", "watch"])
@pytest.mark.parametrize("language", ["xx", "", "french"])
def test_a_language_that_is_not_ours_is_one_line_naming_the_choices(
    sueca: Sueca, clean: Path, command: str, language: str
) -> None:
    run = sueca(command, "--lang", language, clean)
    assert (run.status, run.out) == (2, "")
    assert run.err == f"sueca: --lang {language!r}: expected one of pt-PT, pt-BR, es, en\n"


def test_score_reads_plain_text(sueca: Sueca, tmp_path: Path) -> None:
    path = tmp_path / "game.sueca"
    path.write_text(write_sueca(seeded(1).deal))
    document = sueca("score", "--json", path).document
    assert sum(document["deals"][0]["points"].values()) == 120
    assert document["deals"][0]["dealer"] is None
    assert document["deals"][0]["trump_holder"] in ("S", "E", "N", "W")


def test_score_under_other_rules(sueca: Sueca, clean: Path, tmp_path: Path) -> None:
    assert sueca("score", "--json", "--rules", "norte", clean).document["rules"] == "norte"
    rules = tmp_path / "mine.toml"
    rules.write_text('base = "portuguesa"\nname = "mine"\ntarget = 10\n')
    document = sueca("score", "--json", "--rules", rules, clean).document
    assert document["rules"]["target"] == 10


def test_review_of_a_clean_record_exits_0(sueca: Sueca, clean: Path) -> None:
    run = sueca("review", clean)
    assert (run.status, run.out) == (0, "Nothing is wrong with this record.\n")
    assert sueca("review", "--json", clean).document["clean"] is True


def test_review_exits_3_on_a_proved_revoke_and_shows_both_plays(sueca: Sueca, guilty: Path) -> None:
    ((seat, trick),) = seeded(revoke_seed(), "selminha", 0.02).revokes
    run = sueca("review", "--json", guilty)
    assert (run.status, run.err) == (3, "")
    assert run.document["revoke_proved"] is True
    (flag,) = run.document["deals"][0]["flags"]
    assert (flag["kind"], flag["status"], flag["seats"], flag["trick"]) == (
        *("revoke", "proved"),
        [seat.value],
        trick,
    )
    evidence = flag["evidence"]
    assert evidence[0]["trick"] == trick
    assert evidence[-1]["trick"] == flag["proved_in"]
    assert {play["seat"] for play in evidence} == {seat.value}


def test_review_in_words_names_the_revoke(sueca: Sueca, guilty: Path) -> None:
    run = sueca("review", "--lang", "pt-BR", guilty)
    assert run.status == 3
    assert "não assistiu" in run.out


def test_flags_that_are_no_revoke_exit_0(sueca: Sueca, tmp_path: Path) -> None:
    path = tmp_path / "nine.sueca"
    path.write_text("\n".join(write_sueca(seeded(1).deal).splitlines()[:10]))
    run = sueca("review", path)
    assert run.status == 0
    assert "The deal is not complete." in run.out
    assert "cards not seen (4)" in run.out
    assert "No revoke is proved." in run.out


@pytest.mark.parametrize(
    ("vazas", "says"), [(0, "cards not seen: 40"), (6, "cards not seen: 16"), (7, "(12): ")]
)
def test_of_many_cards_not_seen_only_the_number_is_said(
    sueca: Sueca, tmp_path: Path, vazas: int, says: str
) -> None:
    path = tmp_path / "few.sueca"
    path.write_text("\n".join(write_sueca(seeded(1).deal).splitlines()[: 1 + vazas]))
    (line,) = (line for line in sueca("review", path).out.splitlines() if "not seen" in line)
    assert says in line
    assert sum(line.count(symbol) for symbol in "♠♥♦♣") == (0 if vazas < 7 else 12)


def test_cards_not_seen_are_listed_by_suit_from_the_ace_down(sueca: Sueca, tmp_path: Path) -> None:
    path = tmp_path / "last.sueca"
    played = [card.text for card in DECK if card.suit is not Suit.S]
    rest = [" ".join(played[at : at + 4]) for at in range(0, 28, 4)]
    path.write_text("\n".join(["7D", *rest, "2C 3S 8S 9S"]))
    assert "A♠ 7♠ K♠ J♠ Q♠ 6♠ 5♠ 4♠ 2♠" in sueca("score", path).out


@pytest.mark.parametrize("command", ["score", "review"])
@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("empty.json", b"", "empty.json: the file is empty; give a game record"),
        ("blank.json", b"\xef\xbb\xbf \n\n", "blank.json: the file is empty"),
        ("broken.json", b'{"rules": "selminha",\n "deals": [', "line 2, column 12: not JSON"),
        ("photo.jpg", b"\xff\xd8\xff\xe0", "not text (byte 0)"),
        ("no.json", b'{"rules": "selminha", "deals": []}', "no deals in it"),
        ("rules.json", b'{"rules": "sueka", "deals": []}', "expected one of selminha"),
        (
            "seat.json",
            b'{"rules": "selminha", "deals": [{"plays": [{"seat": "X", "card": "AH"}]}]}',
            'line 1, column 53: deals[0].plays[0].seat: expected a seat of S E N W, got "X"',
        ),
    ],
)
def test_bad_input_is_one_line_on_stderr_and_exit_2(
    sueca: Sueca, tmp_path: Path, command: str, name: str, content: bytes, says: str
) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    run = sueca(command, path)
    assert run.status == 2
    assert says in run.err
    assert name in run.err
    assert run.err.count("\n") == 1


@pytest.mark.parametrize(
    ("rules", "says"),
    [
        ("sueka", "expected a .toml file or one of selminha"),
        ("none.toml", "No such file"),
    ],
)
def test_rules_that_are_not_there_are_one_line(
    sueca: Sueca, clean: Path, rules: str, says: str
) -> None:
    run = sueca("score", "--rules", rules, clean)
    assert run.status == 2
    assert says in run.err
    assert run.err.count("\n") == 1


def test_a_rule_file_with_an_unknown_switch_is_one_line(
    sueca: Sueca, clean: Path, tmp_path: Path
) -> None:
    rules = tmp_path / "mine.toml"
    rules.write_text("targett = 4\n")
    run = sueca("score", "--rules", rules, clean)
    assert run.status == 2
    assert "mine.toml: targett: no such switch, did you mean target?" in run.err


def test_a_record_broken_halfway_is_scored_so_far_and_the_break_is_said(
    sueca: Sueca, tmp_path: Path
) -> None:
    path = tmp_path / "half.sueca"
    path.write_text("7D\nAH 2D 5H 2H\nAC nonsense\n")
    run = sueca("score", "--json", path)
    assert run.status == 2
    assert len(run.document["deals"][0]["tricks"]) == 1
    assert (
        run.err == f"sueca: {path}: line 3, column 4: expected a card such as 7H, got 'nonsense'\n"
    )


def test_a_record_that_could_not_be_read_in_full_is_never_called_clean(
    sueca: Sueca, tmp_path: Path, clean: Path
) -> None:
    half, odd = tmp_path / "half.sueca", tmp_path / "odd.json"
    half.write_text("7D\nAH 2D 5H 2H\nAC nonsense\n")
    data = json.loads(clean.read_text())
    data["deals"][0]["points"] = {"NS": "many"}
    odd.write_text(json.dumps(data))
    for path, complete, says in [(half, False, "expected a card"), (odd, True, "whole number")]:
        run = sueca("review", "--json", path)
        assert (run.status, run.document["clean"]) == (2, False)
        assert run.document["deals"][0]["complete"] is complete
        (fault,) = run.document["faults"]
        assert says in fault["message"]
        assert fault["line"] >= 1
        assert "Nothing is wrong" not in sueca("review", path).out


def test_review_says_which_deal_is_not_complete(sueca: Sueca, tmp_path: Path, clean: Path) -> None:
    data = json.loads(clean.read_text())
    begun = {key: data["deals"][0][key] for key in ("dealer", "trump")}
    begun |= {"plays": data["deals"][0]["plays"][:8], "complete": False}
    path = tmp_path / "begun.json"
    path.write_text(json.dumps({"rules": "selminha", "deals": [data["deals"][0], begun]}))
    run = sueca("review", path)
    assert run.status == 0
    assert "Deal 2\nThe deal is not complete.\n" in run.out
    assert "Deal 1" not in run.out
    assert "Nothing is wrong" not in run.out


@pytest.mark.parametrize("command", ["score", "review"])
def test_a_record_that_is_no_file_is_refused_at_once(
    sueca: Sueca, tmp_path: Path, command: str
) -> None:
    os.mkfifo(tmp_path / "pipe.json")
    for path, says in [
        (tmp_path / "pipe.json", "not a file (a pipe or device)"),
        ("/dev/zero", "not a file (a pipe or device)"),
        (tmp_path / ("long" * 100), "File name too long"),
    ]:
        run = sueca(command, path)
        assert run.status == 2
        assert run.err == f"sueca: {path}: {says}; give a game record\n"


def test_a_rule_file_that_is_a_pipe_is_refused_at_once(
    sueca: Sueca, tmp_path: Path, clean: Path
) -> None:
    os.mkfifo(tmp_path / "pipe.toml")
    run = sueca("score", "--rules", tmp_path / "pipe.toml", clean)
    assert (run.status, run.err.count("\n")) == (2, 1)
    assert "pipe.toml: not a file; give a rule file" in run.err


def test_no_name_at_all_is_one_line(
    sueca: Sueca, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    run = sueca("score", "")
    assert run.status == 2
    assert run.err == "sueca: .: a folder without a kept game; give a game record\n"


def test_counting_only_at_the_end_hides_running_card_points(sueca: Sueca, tmp_path: Path) -> None:
    path, rules = tmp_path / "half.sueca", tmp_path / "end.toml"
    path.write_text("7D\nAH 2C 5H 2H\n")
    rules.write_text('base = "selminha"\nname = "end"\ncounting = "end"\n')
    assert "11" in sueca("score", path).out
    run = sueca("score", "--rules", rules, path)
    assert "11" not in run.out
    assert "counted at the end" in run.out


def kept(folder: Path, *deals: tuple[CameraEvent, ...]) -> Path:
    """A game as `sueca watch` keeps it."""
    with GameLog(folder / LOG_NAME) as log:
        LiveGame(log).apply(event for deal in deals for event in deal)
    return folder


def test_a_game_that_was_kept_is_scored_and_reviewed(sueca: Sueca, tmp_path: Path) -> None:
    folder = kept(tmp_path / "evening", played_deal(1, revoke=True))
    run = sueca("score", "--json", folder)
    assert (run.status, len(run.document["deals"][0]["plays"])) == (0, 40)
    for game in (folder, folder / LOG_NAME):
        assert sueca("review", game).status == 3


def test_a_kept_game_is_found_by_its_name_in_the_games_folder(
    sueca: Sueca, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept(tmp_path / "games" / "evening", played_deal(1))
    monkeypatch.chdir(tmp_path)
    assert sueca("review", "evening").status == 0


def test_a_match_of_a_kept_game_is_chosen_by_number(sueca: Sueca, tmp_path: Path) -> None:
    two = [played_deal(n, number=n, rules=r) for n, r in [(1, "classica"), (2, "norte")]]
    folder = kept(tmp_path / "evening", *two)
    latest = sueca("score", "--json", folder)
    assert latest.document["rules"] == "norte"
    assert "match 2 of 2" in latest.err
    assert sueca("score", "--json", "--match", 1, folder).document["rules"] == "classica"
    refused = sueca("score", "--match", 3, folder)
    assert refused.status == 2
    assert "expected --match 1 to 2, got 3" in refused.err


def test_a_kept_game_can_be_scored_under_other_rules(sueca: Sueca, tmp_path: Path) -> None:
    folder = kept(tmp_path / "evening", played_deal(1))
    assert sueca("score", "--json", "--rules", "norte", folder).document["rules"] == "norte"


def test_a_kept_game_without_a_deal_is_refused(sueca: Sueca, tmp_path: Path) -> None:
    run = sueca("score", kept(tmp_path / "empty"))
    assert run.status == 2
    assert "no deals in it yet" in run.err


def test_names_cannot_drive_the_terminal(sueca: Sueca, tmp_path: Path) -> None:
    path = tmp_path / "names.json"
    names = {Seat.S: "\x1b[31mAna[/red]"}
    path.write_text(build_record(SELMINHA, names, [seeded(1, "selminha").deal]).to_json())
    run = sueca("score", path)
    assert run.status == 0
    assert "\x1b[31m" not in run.out
    assert "Ana[/red]" in run.out
