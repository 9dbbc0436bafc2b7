"""The page while it is served: its address, its end, and what stands in its way."""

import json
import os
import signal
import socket
import subprocess
import sys
import threading
import urllib.error
import urllib.request
from pathlib import Path

import pytest

from assistant.library import Library
from assistant.web.server import listen, serve_in_thread
from assistant.web.site import Site
from tests.assistant.games import played_deal
from vision.errors import UserError


def get(url: str) -> tuple[int, bytes]:
    with urllib.request.urlopen(url, timeout=10) as answer:
        return answer.status, answer.read()


def names_of_threads() -> set[str]:
    return {thread.name for thread in threading.enumerate()}


def test_the_page_is_served_while_the_block_runs_and_no_longer(tmp_path: Path) -> None:
    library = Library(tmp_path)
    library.create("friday").apply(played_deal(1, tricks=1))
    with serve_in_thread(Site(library, "friday"), port=0) as served:
        assert "page" in names_of_threads()
        assert get(served.url)[0] == 200
        state = json.loads(get(f"{served.url}api/games/friday/state")[1])
        assert len(state["deals"]) == 1
    assert "page" not in names_of_threads()
    with pytest.raises(OSError, match="refused"):
        get(served.url)
    library.close()


def test_the_end_does_not_wait_for_what_the_block_raised(tmp_path: Path) -> None:
    with (
        pytest.raises(RuntimeError, match="camera"),
        serve_in_thread(Site(Library(tmp_path)), port=0),
    ):
        raise RuntimeError("camera")


def test_another_name_for_this_computer_is_refused(tmp_path: Path) -> None:
    with serve_in_thread(Site(Library(tmp_path)), port=0) as served:
        asked = urllib.request.Request(f"{served.url}api/games", headers={"Host": "evil.example"})
        with pytest.raises(urllib.error.HTTPError, match="400"):
            urllib.request.urlopen(asked, timeout=10)


def test_a_port_in_use_is_one_line_with_what_to_do() -> None:
    with listen("127.0.0.1", 0) as taken, pytest.raises(UserError) as refused:
        listen("127.0.0.1", taken.getsockname()[1])
    assert "--port" in str(refused.value)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(("host", "port"), [("127.0.0.1", 70_000), ("127.0.0.1", -1)])
def test_no_such_port_is_one_line(host: str, port: int) -> None:
    with pytest.raises(UserError, match="no such port"):
        listen(host, port)


def test_a_host_that_is_not_ours_is_one_line() -> None:
    with pytest.raises(UserError, match=r"203\.0\.113\.9:0: cannot serve the page there"):
        listen("203.0.113.9", 0)


def test_the_command_serves_until_it_is_told_to_end(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "assistant.cli", "serve", "--port", "0", "--json"]
    command += ["--games", str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as running:
        assert running.stdout is not None
        said = json.loads(running.stdout.readline())
        assert json.loads(get(f"{said['url']}api/games")[1]) == []
        os.kill(running.pid, signal.SIGINT)
        try:
            assert running.wait(timeout=60) == 0
        finally:
            running.kill()


def test_the_command_with_a_port_in_use_exits_2_with_one_line(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        command = [sys.executable, "-m", "assistant.cli", "serve", "--port", port]
        done = subprocess.run(
            [*command, "--games", str(tmp_path)], capture_output=True, text=True, check=False
        )
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.count("\n") == 1
    assert f"127.0.0.1:{port}" in done.stderr


@pytest.mark.parametrize("host", ["", "192.168..5", "mesa-á..x", "á" * 70])
def test_a_host_that_is_no_address_is_one_line(host: str) -> None:
    with pytest.raises(UserError) as refused:
        listen(host, 0)
    assert "\n" not in str(refused.value)
    assert "--" in str(refused.value)
