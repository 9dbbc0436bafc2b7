"""Run the page in a thread, while a game is followed or until Ctrl-C."""

import contextlib
import signal
import socket
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass

import uvicorn

from assistant.web.app import create_app
from assistant.web.site import Site
from vision.errors import UserError

DEFAULT_HOST = "127.0.0.1"
DEFAULT_PORT = 8765
EVERYWHERE = ("0.0.0.0", "::")

START_SECONDS = 20.0
"""A server that does not answer by then never will; two busy cores may need several seconds."""

STOP_SECONDS = 3
"""How long open pages may hold up the end."""


@dataclass(frozen=True, slots=True)
class Served:
    """A page being served at `url`."""

    url: str


def wait_for_interrupt() -> None:
    """Sleep until Ctrl-C (or a polite kill), then return."""
    end = threading.Event()
    # Both by name: a program started in the background is born deaf to Ctrl-C's signal.
    told = (signal.SIGINT, signal.SIGTERM)
    before = [signal.signal(number, lambda *_: end.set()) for number in told]
    try:
        with contextlib.suppress(KeyboardInterrupt):
            end.wait()
    finally:
        for number, handler in zip(told, before, strict=True):
            signal.signal(number, handler)


@contextlib.contextmanager
def serve_in_thread(
    site: Site, host: str = DEFAULT_HOST, port: int = DEFAULT_PORT
) -> Iterator[Served]:
    """Serve the page while the `with` block runs. `port` 0 takes a free one.

    Raises `UserError` where the address cannot be had.
    """
    listening = listen(host, port)
    server = _server(site, listening)
    thread = threading.Thread(
        target=server.run, kwargs={"sockets": [listening]}, name="page", daemon=True
    )
    thread.start()
    try:
        _wait_for(server, thread)
        yield Served(address(listening))
    finally:
        server.should_exit = True
        thread.join(STOP_SECONDS + 2)
        listening.close()


def listen(host: str, port: int) -> socket.socket:
    """A socket listening at `host` and `port`.

    Raises `UserError`, one line, where the port is taken, forbidden or the host is not ours.
    """
    if not 0 <= port <= 65535:
        raise UserError(f"port {port}: no such port; choose one from 1024 to 65535 with --port")
    if not host:  # the socket would take it for every address there is
        raise UserError("--host: no address; give 127.0.0.1, or 0.0.0.0 to let others look on")
    try:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        listening = socket.socket(family, socket.SOCK_STREAM)
        try:
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listening.bind((host, port))
            listening.listen()
        except BaseException:
            listening.close()
            raise
    except (OSError, TypeError) as error:  # the latter of a name such as mesá..x
        reason = getattr(error, "strerror", None) or str(error)
        raise UserError(
            f"{host}:{port}: cannot serve the page there ({reason}); "
            "choose another with --port, or end the program that uses it"
        ) from error
    return listening


def address(listening: socket.socket) -> str:
    """What to type into a browser on this computer."""
    host, port = listening.getsockname()[:2]
    if host in EVERYWHERE:
        host = "127.0.0.1"
    return f"http://[{host}]:{port}/" if ":" in host else f"http://{host}:{port}/"


def _server(site: Site, listening: socket.socket) -> uvicorn.Server:
    # A page of another site that has made its name lead to this computer is refused by its name.
    host = listening.getsockname()[0]
    hosts = ("*",) if host in EVERYWHERE else (host, "localhost", "127.0.0.1", "[::1]")
    config = uvicorn.Config(
        create_app(site, hosts),
        log_level="warning",
        ws="websockets-sansio",
        timeout_graceful_shutdown=STOP_SECONDS,
    )
    return uvicorn.Server(config)


def _wait_for(server: uvicorn.Server, thread: threading.Thread) -> None:
    end = time.monotonic() + START_SECONDS
    while not server.started:
        if not thread.is_alive() or time.monotonic() > end:
            raise UserError("the page could not be started; run `sueca serve` to see why")
        time.sleep(0.02)
