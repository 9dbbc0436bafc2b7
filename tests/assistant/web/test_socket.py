"""The WebSocket: the state at once and at every change, frames while a game is live."""

import json
import struct
from pathlib import Path

import pytest
from starlette.testclient import WebSocketTestSession
from starlette.websockets import WebSocketDisconnect

from assistant.library import LOG_NAME
from assistant.live import LiveGame
from assistant.log import GameLog
from assistant.web import socket
from tests.assistant.games import QUAD, played_deal, table_picture
from tests.assistant.web.conftest import GAME, Table


def frame(data: bytes) -> tuple[dict, bytes]:  # type: ignore[type-arg]
    (length,) = struct.unpack(">I", data[:4])
    return json.loads(data[4 : 4 + length]), data[4 + length :]


def revisions(line: WebSocketTestSession, upto: int) -> list[int]:
    """The revisions received until one is `upto`; several changes may come as one state."""
    found = [line.receive_json()["revision"]]
    while found[-1] < upto:
        found.append(line.receive_json()["revision"])
    return found


def test_the_state_comes_at_once_and_after_every_change(table: Table) -> None:
    with table.client.websocket_connect(f"/ws/{GAME}?lang=en") as line:
        assert line.receive_json()["deals"] == []
        table.game.apply(played_deal(1, tricks=1))
        assert revisions(line, 7)[-1] == 7
        table.say("plays/1", {"card": "2C"}, "PATCH")
        assert line.receive_json()["deals"][0]["tricks"][0]["plays"][0]["card"] == "2C"


def test_two_pages_both_hear_of_a_correction(table: Table) -> None:
    table.game.apply(played_deal(1, tricks=1))
    connect = table.client.websocket_connect
    with connect(f"/ws/{GAME}") as one, connect(f"/ws/{GAME}") as other:
        assert (one.receive_json()["revision"], other.receive_json()["revision"]) == (7, 7)
        table.say("plays/1", {"card": "2C"}, "PATCH")
        assert (one.receive_json()["revision"], other.receive_json()["revision"]) == (8, 8)


def test_frames_come_with_the_cards_found_in_them(table: Table) -> None:
    with table.client.websocket_connect(f"/ws/{GAME}") as line:
        line.receive_json()
        table.site.publisher.frame(table_picture(1280, 720), 3.5, [("7H", 0.99, QUAD, "up")])
        header, jpeg = frame(line.receive_bytes())
    assert (header["t"], header["status"]) == (3.5, "following")
    assert (header["width"], header["height"]) == (1280, 720), "outlines are in the source's pixels"
    assert header["cards"] == [
        {"label": "7H", "p": 0.99, "quad": [list(point) for point in QUAD], "face": "up"}
    ]
    assert jpeg.startswith(b"\xff\xd8")


def test_a_page_opened_after_the_video_ended_still_has_the_last_picture(table: Table) -> None:
    table.site.publisher.frame(table_picture(), 3.5)
    table.site.publisher.status("ended", 4.0)
    with table.client.websocket_connect(f"/ws/{GAME}") as line:
        line.receive_json()
        header, jpeg = frame(line.receive_bytes())
    assert header["status"] == "ended"
    assert jpeg.startswith(b"\xff\xd8")


def test_a_game_that_is_not_there_or_damaged_closes_the_line(table: Table, tmp_path: Path) -> None:
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / LOG_NAME).write_bytes(b"no database" * 50)
    for name, code in (("nowhere", 4404), ("broken", 4500)):
        with table.client.websocket_connect(f"/ws/{name}") as line:
            with pytest.raises(WebSocketDisconnect) as closed:
                line.receive_json()
            assert closed.value.code == code


def test_another_sites_page_may_not_look_on(table: Table) -> None:
    headers = {"origin": "http://evil.example"}
    with table.client.websocket_connect(f"/ws/{GAME}", headers=headers) as line:
        with pytest.raises(WebSocketDisconnect) as closed:
            line.receive_json()
        assert closed.value.code == 4403


def test_a_page_that_leaves_is_forgotten(table: Table) -> None:
    with table.client.websocket_connect(f"/ws/{GAME}") as line:
        line.receive_json()
    table.game.apply(played_deal(1, tricks=1))
    table.site.publisher.frame(table_picture(), 1.0)
    with table.client.websocket_connect(f"/ws/{GAME}") as line:
        assert line.receive_json()["revision"] == 7


def test_a_page_that_closes_while_a_frame_is_on_its_way_is_no_error(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def gone(*_: object) -> None:
        raise WebSocketDisconnect(1006)

    monkeypatch.setattr(socket, "_send", gone)
    with table.client.websocket_connect(f"/ws/{GAME}"):
        pass  # an error of the server's would be raised here


def test_a_page_may_say_what_it_likes_on_the_line(table: Table) -> None:
    with table.client.websocket_connect(f"/ws/{GAME}") as line:
        line.receive_json()
        line.send_bytes(b"anything")
        line.send_text("anything")
        table.game.apply(played_deal(1, tricks=1))
        assert revisions(line, 7)[-1] == 7


def test_a_page_whose_origin_is_no_address_may_not_look_on(table: Table) -> None:
    with table.client.websocket_connect(f"/ws/{GAME}", headers={"origin": "http://["}) as line:
        with pytest.raises(WebSocketDisconnect) as closed:
            line.receive_json()
        assert closed.value.code == 4403


def test_what_another_program_writes_comes_too(
    table: Table, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(socket, "CATCH_UP_SECONDS", 0.05)
    with table.client.websocket_connect(f"/ws/{GAME}") as line:
        line.receive_json()
        with GameLog(tmp_path / GAME / LOG_NAME) as other:
            LiveGame(other).apply(played_deal(1, tricks=1))
        assert revisions(line, 7)[-1] == 7
