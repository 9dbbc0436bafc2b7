"""`sueca serve`: the page alone, over the games kept so far."""

import json
from pathlib import Path
from typing import Annotated

import typer

from assistant.library import Library
from assistant.web.server import DEFAULT_HOST, DEFAULT_PORT, serve_in_thread, wait_for_interrupt
from assistant.web.site import Site
from vision.errors import UserError

GAMES = Path("games")
"""Where games are kept unless said otherwise: a folder where the command is run."""


def serve(
    games: Annotated[Path, typer.Option(help="The folder that holds the games.")] = GAMES,
    host: Annotated[
        str,
        typer.Option(help="Where to listen; 0.0.0.0 lets the phones at the table look on."),
    ] = DEFAULT_HOST,
    port: Annotated[int, typer.Option(help="The port; 0 takes a free one.")] = DEFAULT_PORT,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the address as one JSON document.")
    ] = False,
) -> None:
    """Serve the page until Ctrl-C: the games kept, their review and correction."""
    if games.exists() and not games.is_dir():
        raise UserError(f"--games {games}: not a folder; give the one that holds the games")
    library = Library(games)
    try:
        with serve_in_thread(Site(library), host, port) as served:
            if as_json:
                typer.echo(json.dumps({"url": served.url, "games": str(games)}))
            typer.echo(f"sueca: the page is at {served.url} (Ctrl-C ends it)", err=True)
            wait_for_interrupt()
    finally:
        library.close()
