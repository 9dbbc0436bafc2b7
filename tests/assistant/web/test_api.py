"""What the page is told and what a person can say to it."""

import json
import os
import shutil
import sqlite3
from pathlib import Path

import pytest

from assistant.events import DealStarted, PlayCorrected, PlaySeen, TrumpShown
from assistant.i18n import LANGUAGES
from assistant.library import LOG_NAME
from assistant.live import LiveGame
from assistant.log import GameLog
from tests.assistant.games import QUAD, played_deal, table_picture
from tests.assistant.web.conftest import GAME, Table
from vision.table import load_table


def card_of(table: Table, play_id: int) -> str:
    (deal,) = table.state()["deals"]
    plays = [play for trick in deal["tricks"] for play in trick["plays"]]
    return str(next(play["card"] for play in plays if play["play_id"] == play_id))


def test_an_empty_game_has_a_cross_and_no_deals(table: Table) -> None:
    state = table.state()
    assert state["deals"] == []
    assert state["matches"] == [
        {
            "rules": "selminha",
            "NS": 0,
            "EW": 0,
            "target": 4,
            "winner": None,
            "title": None,
            "pending": 0,
        }
    ]


def test_a_deal_is_told_vaza_by_vaza_with_points_and_score(table: Table) -> None:
    table.game.apply(played_deal(1))
    (deal,) = table.state()["deals"]
    assert [len(trick["plays"]) for trick in deal["tricks"]] == [4] * 10
    assert sum(trick["points"] for trick in deal["tricks"]) == 120
    assert sum(deal["points"].values()) == 120
    assert sum(deal["tricks_won"].values()) == 10
    assert deal["complete"]
    assert deal["turn"] is None
    winners = [[p["seat"] for p in trick["plays"] if p["winner"]] for trick in deal["tricks"]]
    assert winners == [[trick["winner"]] for trick in deal["tricks"]]


def test_the_turn_and_the_dealer_are_told_while_a_vaza_is_open(table: Table) -> None:
    events = played_deal(1, dealer="W", tricks=1)
    table.game.apply(events[:4])  # started, trump, two plays: South led, East followed
    (deal,) = table.state()["deals"]
    assert (deal["dealer"], deal["turn"]) == ("W", "N")
    assert deal["tricks"][0]["leader"] == "S"
    assert deal["tricks"][0]["winner"] is None


def test_a_doubtful_play_is_marked_and_keeps_its_alternatives(table: Table) -> None:
    doubtful = PlaySeen(5, 1, "S", "6H", 1, 4, 0.7, (("6D", 0.25), ("9H", 0.04), ("2C", 0.001)))
    sure = PlaySeen(6, 2, "E", "7H", 1, 5, 0.99)
    table.game.apply([doubtful, sure])
    plays = table.state()["deals"][0]["tricks"][0]["plays"]
    assert [play["unsure"] for play in plays] == [True, False]
    assert plays[0]["alternatives"] == [["6D", 0.25], ["9H", 0.04]]


def test_counted_only_at_the_end_no_points_reach_the_page_before_it(table: Table) -> None:
    events = played_deal(1)
    table.game.apply(events[:-8])
    assert table.say("counting", {"counting": "end"}) == 204
    (deal,) = table.state()["deals"]
    assert deal["points"] is None
    assert all(trick["points"] is None for trick in deal["tricks"])
    table.game.apply(events[-8:])
    assert sum(table.state()["deals"][0]["points"].values()) == 120


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_renuncia_names_both_plays_and_their_pictures(table: Table, lang: str) -> None:
    for event in played_deal(11, revoke=True):
        if isinstance(event, PlaySeen):
            event = PlaySeen(
                event.t, event.play_id, event.seat, event.card, event.trick, event.played,
                event.p, quad=QUAD, evidence=f"play-{event.play_id}",
            )  # fmt: skip
        table.game.apply([event])
    (deal,) = table.state(lang)["deals"]
    (flag,) = [flag for flag in deal["flags"] if flag["kind"] == "revoke"]
    discard, proof = flag["plays"]
    assert (flag["status"], flag["seats"]) == ("proved", ["E"])
    assert (discard["seat"], proof["seat"]) == ("E", "E")
    assert discard["trick"] < proof["trick"]
    assert discard["revoked"]
    assert discard["evidence"] == f"play-{discard['play_id']}"
    assert str(discard["trick"]) in flag["text"]
    assert str(proof["trick"]) in flag["text"]


def test_names_and_seats_come_into_the_flags_words(table: Table) -> None:
    table.game.apply(played_deal(11, revoke=True))
    table.say("players", {"E": "  Rui  "})
    (flag,) = [f for f in table.state()["deals"][0]["flags"] if f["kind"] == "revoke"]
    assert "Rui" in flag["text"]
    assert table.state()["players"] == {"E": "Rui"}


# --- A person's word ----------------------------------------------------------------------------


def test_a_card_is_corrected_and_undone(table: Table) -> None:
    table.game.apply(played_deal(1, tricks=1))
    before = card_of(table, 1)
    assert table.say("plays/1", {"card": "2C"}, "PATCH") == 204
    assert card_of(table, 1) == "2C"
    assert table.state()["undo"]
    assert table.say("undo", {}) == 204
    assert card_of(table, 1) == before
    assert not table.state()["undo"]
    assert table.say("undo", {}) == 409


def test_a_seat_is_corrected(table: Table) -> None:
    table.game.apply(played_deal(1, tricks=1))
    assert table.say("plays/1", {"seat": "W"}, "PATCH") == 204
    assert table.state()["deals"][0]["tricks"][0]["leader"] == "W"


def test_a_play_that_was_none_is_removed(table: Table) -> None:
    table.game.apply(played_deal(1, tricks=1))
    assert table.say("plays/2", {}, "DELETE") == 204
    assert len(table.state()["deals"][0]["tricks"][0]["plays"]) == 3
    assert table.say("plays/2", {}, "DELETE") == 404


@pytest.mark.parametrize("missing", [1, 2, 3, 4])
def test_a_missed_play_is_added_at_its_turn(table: Table, missing: int) -> None:
    events = played_deal(1, tricks=3)
    left_out = next(e for e in events if isinstance(e, PlaySeen) and e.play_id == 4 + missing)
    table.game.apply([event for event in events if event is not left_out])
    whole = [e.card for e in events if isinstance(e, PlaySeen) and e.trick == 2]
    body = {"deal": 1, "trick": 2, "seat": left_out.seat, "card": left_out.card}
    assert table.say("plays", body) == 204
    trick = table.state()["deals"][0]["tricks"][1]
    assert [play["card"] for play in trick["plays"]] == whole


def test_a_whole_vaza_that_was_missed_is_added_in_between(table: Table) -> None:
    events = played_deal(1, tricks=3)
    missed = [e for e in events if isinstance(e, PlaySeen) and e.trick == 2]
    table.game.apply([event for event in events if event not in missed])
    for play in missed:
        body = {"deal": 1, "trick": 2, "seat": play.seat, "card": play.card}
        assert table.say("plays", body) == 204
    tricks = table.state()["deals"][0]["tricks"]
    assert [play["card"] for play in tricks[1]["plays"]] == [play.card for play in missed]
    assert table.state()["deals"][0]["flags"] == []


def test_trump_and_dealer_are_corrected(table: Table) -> None:
    table.game.apply([DealStarted(0, 1, "selminha", "W"), TrumpShown(1, "7D", "W", 0.6)])
    assert table.say("trump", {"deal": 1, "card": "7H"}) == 204
    assert table.say("dealer", {"deal": 1, "dealer": "N"}) == 204
    (deal,) = table.state()["deals"]
    assert (deal["trump"]["card"], deal["trump"]["said"], deal["dealer"]) == ("7H", True, "N")


def test_the_table_is_marked_by_its_corners_and_kept_as_a_table_file(
    table: Table, tmp_path: Path
) -> None:
    corners = [[1040, 10], [230, 29], [1052, 699], [245, 710]]  # in any order
    assert table.say("table", {"corners": corners, "size": [1280, 720]}) == 204
    marked = table.game.game.table
    assert marked is not None
    assert [list(corner) for corner in marked.corners] == corners
    kept = load_table(tmp_path / GAME / "table.json")
    assert kept.corners == ((230, 29), (1040, 10), (1052, 699), (245, 710))
    table.say("undo", {})
    assert table.game.game.table is None


@pytest.mark.parametrize("corners", [[[5, 5]] * 4, [[0, 0], [1, 0], [2, 0], [3, 0]]])
def test_corners_that_make_no_table_are_refused_in_one_line(
    table: Table, corners: list[list[int]]
) -> None:
    body = {"corners": corners, "size": [1280, 720]}
    answer = table.client.post(f"/api/games/{GAME}/table", json=body)
    assert answer.status_code == 422
    assert "mark" in answer.json()["detail"]
    assert table.game.game.table is None


def test_a_flag_is_ruled_on_and_the_ruling_undone(table: Table) -> None:
    table.game.apply(played_deal(11, revoke=True))
    flag = next(f for f in table.state()["deals"][0]["flags"] if f["kind"] == "revoke")
    body = {"deal": 1, "flag": flag["id"], "ruling": "dismissed"}
    assert table.say("flags", body) == 204
    assert [f["ruling"] for f in table.state()["deals"][0]["flags"]] == ["dismissed"]
    table.say("undo", {})
    assert [f["ruling"] for f in table.state()["deals"][0]["flags"]] == [None]


def test_an_accusation_is_decided_by_the_record(table: Table) -> None:
    table.game.apply(played_deal(11, revoke=True))
    assert table.say("accusations", {"deal": 1, "accuser": "S", "accused": "E"}) == 204
    state = table.state()
    (verdict,) = state["deals"][0]["verdicts"]
    assert (verdict["upheld"], verdict["loser"]) == (True, "EW")
    assert (state["matches"][0]["winner"], state["matches"][0]["title"]) == ("NS", "renuncia")


def test_what_was_written_through_the_page_is_in_the_log_as_a_persons_word(table: Table) -> None:
    table.game.apply(played_deal(1, tricks=1))
    table.say("plays/1", {"card": "2C"}, "PATCH")
    last = table.game.entries[-1]
    assert (last.source, type(last.event).__name__) == ("person", "PlayCorrected")


# --- Bad input: one line, nothing written -------------------------------------------------------

BAD = [
    ("PATCH", "plays/1", {"card": "9H"}),
    ("PATCH", "plays/1", {}),
    ("PATCH", "plays/1", {"card": 7}),
    ("PATCH", "plays/1", {"seat": "X"}),
    ("PATCH", "plays/1", {"colour": "red"}),
    ("PATCH", "plays/1", {"trick": 0}),
    ("PATCH", "plays/one", {"card": "2C"}),
    ("POST", "plays", {"deal": 1, "trick": 1, "seat": "S"}),
    ("POST", "players", {"S": "x" * 25}),
    ("POST", "players", {"Q": "Ana"}),
    ("POST", "counting", {"counting": "never"}),
    ("POST", "flags", {"deal": 1, "flag": "", "ruling": "upheld"}),
    ("POST", "flags", []),
]


@pytest.mark.parametrize(("method", "path", "body"), BAD)
def test_what_cannot_be_meant_is_refused_in_one_line(
    table: Table, method: str, path: str, body: object
) -> None:
    table.game.apply(played_deal(1, tricks=1))
    before = table.game.entries
    answer = table.client.request(method, f"/api/games/{GAME}/{path}", json=body)
    assert answer.status_code == 422
    assert isinstance(answer.json()["detail"], str)
    assert "\n" not in answer.json()["detail"]
    assert not answer.json()["detail"].startswith(":")
    assert table.game.entries == before


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("PATCH", "plays/99", {"card": "2C"}),
        ("POST", "trump", {"deal": 7, "card": "2C"}),
        ("POST", "dealer", {"deal": 7, "dealer": "S"}),
        ("POST", "plays", {"deal": 7, "trick": 1, "seat": "S", "card": "2C"}),
        ("POST", "flags", {"deal": 7, "flag": "revoke:1", "ruling": "upheld"}),
    ],
)
def test_what_is_not_there_cannot_be_changed(
    table: Table, method: str, path: str, body: object
) -> None:
    table.game.apply(played_deal(1, tricks=1))
    before = table.game.entries
    assert table.client.request(method, f"/api/games/{GAME}/{path}", json=body).status_code == 404
    assert table.game.entries == before


def test_json_that_is_none_and_bodies_without_end_are_refused(table: Table) -> None:
    url = f"/api/games/{GAME}/players"
    headers = {"content-type": "application/json"}
    assert table.client.post(url, content=b"{", headers=headers).status_code == 422
    assert table.client.post(url, content=b"x" * 70_000, headers=headers).status_code == 413
    endless = (b" " * 70_000 for _ in range(3))  # sent in chunks, its length unsaid
    assert table.client.post(url, content=endless, headers=headers).status_code == 411


def test_another_sites_page_may_not_write(table: Table) -> None:
    url = f"/api/games/{GAME}/players"
    foreign = table.client.post(url, json={"S": "x"}, headers={"origin": "http://evil.example"})
    own = table.client.post(url, json={"S": "x"}, headers={"origin": "http://testserver"})
    assert (foreign.status_code, own.status_code) == (403, 204)


@pytest.mark.parametrize("origin", ["null", "http://[", "http://[::1"])
def test_an_origin_that_is_none_may_not_write(table: Table, origin: str) -> None:
    url = f"/api/games/{GAME}/players"
    assert table.client.post(url, json={"S": "x"}, headers={"origin": origin}).status_code == 403


def test_a_table_that_cannot_be_written_is_one_line(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object, **__: object) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_text", full)
    url = f"/api/games/{GAME}/table"
    marked = {"corners": [[10, 10], [90, 10], [90, 90], [10, 90]], "size": [100, 100]}
    answer = table.client.post(url, json=marked)
    assert answer.status_code == 500
    assert "No space left on device" in answer.json()["detail"]


@pytest.mark.parametrize("name", ["nowhere", ".hidden", "%2e%2e", "a%2fb", "x" * 300])
def test_a_game_that_is_not_there_is_404(table: Table, name: str) -> None:
    assert table.client.get(f"/api/games/{name}/state").status_code == 404
    assert table.client.get(f"/game/{name}").status_code == 404


# --- Record, games, evidence --------------------------------------------------------------------


def test_the_record_is_downloaded_as_a_file_of_the_documented_form(table: Table) -> None:
    table.game.apply(played_deal(1))
    table.say("players", {"S": "Ana"})
    answer = table.client.get(f"/api/games/{GAME}/record")
    assert "attachment" in answer.headers["content-disposition"]
    record = json.loads(answer.text)
    assert record["rules"] == "selminha"
    assert record["players"]["S"] == "Ana"
    (deal,) = record["deals"]
    assert len(deal["plays"]) == 40
    assert {"seat", "card", "t", "p", "alternatives"} <= deal["plays"][0].keys()
    assert sum(deal["points"].values()) == 120
    assert table.client.get(f"/api/games/{GAME}/record?match=2").status_code == 404


def test_counting_at_the_end_changes_what_is_shown_and_not_the_record(table: Table) -> None:
    table.game.apply(played_deal(1))
    before = table.client.get(f"/api/games/{GAME}/record").text
    table.say("counting", {"counting": "end"})
    assert table.client.get(f"/api/games/{GAME}/record").text == before


def test_whoever_plays_on_after_a_match_is_won_begins_the_next(table: Table) -> None:
    for number in range(1, 12):
        table.game.apply(played_deal(number, number=number))
    state = table.state()
    assert len(state["matches"]) > 1
    assert all(match["winner"] for match in state["matches"][:-1])
    assert [deal["match"] for deal in state["deals"]] == sorted(d["match"] for d in state["deals"])
    first = json.loads(table.client.get(f"/api/games/{GAME}/record?match=1").text)
    assert first["match"]["winner"] == state["matches"][0]["winner"]
    assert len(first["deals"]) == sum(deal["match"] == 0 for deal in state["deals"])


def test_games_are_listed_and_a_damaged_one_says_so(table: Table, tmp_path: Path) -> None:
    table.game.apply(played_deal(1, tricks=1))
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / LOG_NAME).write_bytes(b"no database" * 50)
    games = {game["name"]: game for game in table.client.get("/api/games").json()}
    assert games[GAME]["live"]
    assert (games[GAME]["deals"], games[GAME]["fault"]) == (1, None)
    assert "not a readable game log" in games["broken"]["fault"]
    answer = table.client.get("/api/games/broken/state")
    assert answer.status_code == 500
    assert "not a readable game log" in answer.json()["detail"]


def test_a_game_of_unknown_rules_says_so(table: Table) -> None:
    table.game.apply([DealStarted(0, 1, "poker", "W")])
    answer = table.client.get(f"/api/games/{GAME}/state")
    assert answer.status_code == 500
    assert "'poker'" in answer.json()["detail"]


def test_evidence_is_served_as_it_was_kept(table: Table) -> None:
    pointer = table.site.library.evidence(GAME).keep("play-1", table_picture(), QUAD)
    for view in ("crop", "frame"):
        answer = table.client.get(f"/evidence/{GAME}/{pointer}/{view}")
        assert answer.status_code == 200
        assert answer.headers["content-type"] == "image/jpeg"
        assert answer.content.startswith(b"\xff\xd8")


@pytest.mark.parametrize(
    "path",
    [
        f"{GAME}/play-2/crop",
        f"{GAME}/play-1/thumb",
        f"{GAME}/..%2f..%2fgame/frame",
        f"{GAME}/..%2fgame.sqlite%00/frame",
        "..%2f..%2fetc/passwd/frame",
        "../evidence/play-1/frame",
        f"{GAME}/%2fetc%2fpasswd/frame",
        f"{GAME}/PLAY-1/frame",
    ],
)
def test_evidence_outside_the_folder_cannot_be_reached(table: Table, path: str) -> None:
    table.site.library.evidence(GAME).keep("play-1", table_picture(), QUAD)
    assert table.client.get(f"/evidence/{path}").status_code in (404, 422)


def test_the_log_itself_is_not_served(table: Table, tmp_path: Path) -> None:
    assert sqlite3.connect(tmp_path / GAME / LOG_NAME).execute("SELECT 1").fetchone() == (1,)
    for path in (f"/static/../{GAME}/{LOG_NAME}", f"/evidence/{GAME}/{LOG_NAME}/frame"):
        assert table.client.get(path).status_code == 404


def test_a_copy_of_a_game_is_a_game_and_a_hidden_folder_none(table: Table, tmp_path: Path) -> None:
    table.game.apply(played_deal(1, tricks=1))
    for name in ("a game (copy)", ".trash"):
        shutil.copytree(tmp_path / GAME, tmp_path / name)
    listed = table.client.get("/api/games").json()
    assert sorted(one["name"] for one in listed) == [GAME, "a game (copy)"]
    assert table.client.get("/api/games/a%20game%20(copy)/state").status_code == 200


def test_the_list_keeps_no_game_open(table: Table, tmp_path: Path) -> None:
    table.game.apply(played_deal(1, tricks=1))
    for number in range(20):
        shutil.copytree(tmp_path / GAME, tmp_path / f"copy-{number}")
    before = len(os.listdir("/proc/self/fd"))
    assert len(table.client.get("/api/games").json()) == 21
    assert len(os.listdir("/proc/self/fd")) < before + 5


def test_what_another_program_writes_to_a_game_is_shown_and_built_upon(
    table: Table, tmp_path: Path
) -> None:
    table.game.apply(played_deal(1, tricks=1))
    with GameLog(tmp_path / GAME / LOG_NAME) as other:
        LiveGame(other).say(PlayCorrected(9.0, 1, "2C"))
    assert table.state()["deals"][0]["tricks"][0]["plays"][0]["card"] == "2C"
    assert table.say("undo", {}) == 204
    assert table.state()["deals"][0]["tricks"][0]["plays"][0]["card"] != "2C"


def test_a_word_is_taken_back_by_its_number_unless_someone_has_spoken_since(table: Table) -> None:
    table.game.apply(played_deal(1, tricks=1))
    url = f"/api/games/{GAME}"
    mine = table.client.patch(f"{url}/plays/1", json={"card": "2C"}).headers["x-entry"]
    theirs = table.client.patch(f"{url}/plays/2", json={"card": "3C"}).headers["x-entry"]
    assert table.client.post(f"{url}/undo", params={"entry": mine}).status_code == 409
    assert (card_of(table, 1), card_of(table, 2)) == ("2C", "3C")
    assert table.client.post(f"{url}/undo", params={"entry": theirs}).status_code == 204
    assert table.client.post(f"{url}/undo", params={"entry": mine}).status_code == 204
    assert card_of(table, 1) != "2C"
