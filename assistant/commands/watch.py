"""`sueca watch SOURCE`: follow a game from a camera, a video, a URL or a folder of pictures."""

import contextlib
import itertools
import os
import re
import signal
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Annotated, cast

import numpy as np
import typer
from rich.console import Console

from assistant.chronicle import scored_game
from assistant.commands.going_on import Start, begun, broken_off, gone_on, kept_game
from assistant.commands.records import JsonOption, LanguageOption, language_of
from assistant.commands.serve import GAMES
from assistant.deckshelf import DeckShelf
from assistant.events import PlayersNamed, Seat
from assistant.fold import FIRST_RULES
from assistant.library import Library
from assistant.live import LiveGame
from assistant.observed import ruleset
from assistant.record import to_record
from assistant.recordview import game_view
from assistant.scribe.scribe import ScribeOptions
from assistant.session import Item, OnFrame, Session
from assistant.trickprinter import TrickPrinter
from assistant.web.publisher import Publisher
from assistant.web.publisher import SeenCard as ShownCard
from assistant.web.says import LONGEST_NAME
from assistant.web.server import DEFAULT_HOST, DEFAULT_PORT, serve_in_thread, wait_for_interrupt
from assistant.web.site import Site
from vision.decks import chosen_deck
from vision.errors import UserError
from vision.finder import Finder
from vision.labels import CARDS, SUITS
from vision.learning import reader_for
from vision.live_sources import PATIENCE
from vision.pipeline import Follower
from vision.reader import Reader
from vision.source_base import Source
from vision.sources import open_source
from vision.table import load_table
from vision.types import Frame
from vision.view import FrameView
from vision.weights import versions

SEATS = ("S", "E", "N", "W")


@dataclass(frozen=True, slots=True)
class Page:
    """How the page is served while a game is followed."""

    publisher: Publisher
    url: str


def watch(
    source: Annotated[str, typer.Argument(help="Camera index, video file, URL or image folder.")],
    headless: Annotated[bool, typer.Option(help="Print only: serve no page.")] = False,
    once: Annotated[bool, typer.Option(help="End after the score instead of serving on.")] = False,
    rules: Annotated[
        str | None,
        typer.Option(help="A preset's name; selminha, or those of the game gone on with."),
    ] = None,
    dealer: Annotated[
        str | None, typer.Option(help="Who deals first, S E N W as the picture shows them.")
    ] = None,
    trump: Annotated[
        str | None, typer.Option(help="The first deal's trump, a card (7D) or a suit (D).")
    ] = None,
    table: Annotated[
        Path | None, typer.Option(help="A table file, where edges are no help.")
    ] = None,
    deck: Annotated[
        str | None,
        typer.Option(help="A learnt deck; '' for none. Default: the one chosen for this table."),
    ] = None,
    size: Annotated[
        str | None, typer.Option(help="Pixels asked of a camera: 1920x1080 (default 1280x720).")
    ] = None,
    mirrored: Annotated[
        bool, typer.Option("--mirrored", help="The camera's program mirrors its picture.")
    ] = False,
    players: Annotated[str, typer.Option(help="Names of S, E, N and W: Ana,Rui,Eva,Zé.")] = "",
    games: Annotated[Path, typer.Option(help="Where the game is kept.")] = GAMES,
    going_on: Annotated[
        str | None,
        typer.Option(
            "--game", metavar="NAME", help="Go on with a game kept there, in mid-deal too."
        ),
    ] = None,
    pace: Annotated[
        bool | None,
        typer.Option(
            "--pace/--no-pace", help="Play a file at its own speed (default: with a page)."
        ),
    ] = None,
    host: Annotated[str, typer.Option(help="0.0.0.0 lets the phones at the table look on.")] = (
        DEFAULT_HOST
    ),
    port: Annotated[int, typer.Option(help="The page's port; 0 takes a free one.")] = DEFAULT_PORT,
    as_json: JsonOption = False,
    lang: LanguageOption = None,
) -> None:
    """Follow a game; every vaza is printed as it ends, and the record at the end."""
    options = _scribe_options(rules or FIRST_RULES, dealer, trump)
    names = _names(players)
    asked = _size(size)
    library = Library(games)
    language = language_of(lang)
    talk = Console(stderr=as_json, highlight=False, soft_wrap=True, markup=False)
    finder, reader = Finder(), reader_for(chosen_deck() if deck is None else deck)
    follower = Follower(finder.find_live, reader.read, load_table(table) if table else None)
    with contextlib.closing(library), open_source(source, size=asked) as frames:
        model = versions(*finder.all_weights, reader.weights)
        if going_on is not None:
            name, game = going_on, kept_game(library, going_on, model)
        else:
            if frames.live and (said := broken_off(library)) is not None:
                _remark(said)
            name, game = library.begin(_game_name(source, frames), model)
        with (
            _only_if_something(library, name, game),
            _started(library, name, game, options, rules, going_on is not None) as start,
            _page(library, name, reader, host, port, headless) as page,
        ):
            game.subscribe(TrickPrinter(talk, language, game.game))
            if names:
                game.say(PlayersNamed(game.now, names))
            if page:
                talk.print(f"sueca: the page is at {page.url}")
            if frames.notice:
                _remark(frames.notice)
            frames.on_waiting(_waiting(frames.name, game, page))
            evidence = library.evidence(name)
            session = Session(follower, start.scribe, game, evidence, start.journal, start.rejoin)
            paced = pace if pace is not None else page is not None and not once
            flipped = _mirror(frames) if mirrored else frames
            broken: UserError | None = None
            try:
                ended = _follow(session, flipped, _on_frame(page, paced and not frames.live))
            except UserError as error:
                session.finish()
                broken, ended = error, False
            if page:
                page.publisher.status("ended", game.now)
            if broken is not None and not game.game.deals:
                raise broken
            try:
                _tell(game, talk, language, as_json, games / name)
            except UserError as error:
                broken = broken or error  # what ended the game is the better reason
            if broken is not None:
                raise broken
            if page and ended and not once:
                talk.print(f"sueca: the page stays at {page.url} (Ctrl-C ends it)")
                wait_for_interrupt()


@contextlib.contextmanager
def _only_if_something(library: Library, name: str, game: LiveGame) -> Iterator[None]:
    """A game of nothing that an error ends is not kept."""
    try:
        yield
    except UserError:
        if not game.game.deals:
            library.discard(name)
        raise


@contextlib.contextmanager
def _started(
    library: Library,
    name: str,
    game: LiveGame,
    options: ScribeOptions,
    rules: str | None,
    going_on: bool,
) -> Iterator[Start]:
    """What the session begins with; its journal is closed at the end."""
    path = library.journal(name)
    start = gone_on(path, game, options, rules) if going_on else begun(path, game, options)
    if start.remark:
        _remark(start.remark)
    with contextlib.closing(start.journal):
        yield start


def _follow(session: Session, frames: Iterable[Item], on_frame: OnFrame) -> bool:
    """Follow to the end; False if stopped by Ctrl-C, which loses nothing."""
    with _asked_to_stop() as asked:
        try:
            session.run(itertools.takewhile(lambda _: not asked.is_set(), frames), on_frame)
        except KeyboardInterrupt:
            session.finish()
    return not asked.is_set()


@contextlib.contextmanager
def _asked_to_stop() -> Iterator[threading.Event]:
    """Set by Ctrl-C (or a polite kill), so that following ends after a whole frame.

    A second Ctrl-C, where no frame comes any more, stops at once.
    """
    asked = threading.Event()

    def ask(*_: object) -> None:
        if asked.is_set():
            raise KeyboardInterrupt
        asked.set()

    told = (signal.SIGINT, signal.SIGTERM)
    before = [signal.signal(number, ask) for number in told]
    try:
        yield asked
    finally:
        for number, handler in zip(told, before, strict=True):
            signal.signal(number, handler)


def _mirror(frames: Iterable[Item]) -> Iterator[Item]:
    """The frames of a mirrored picture the right way round."""
    for item in frames:
        if isinstance(item, Frame):
            yield replace(item, image=np.ascontiguousarray(item.image[:, ::-1]))
        else:
            yield item


def _tell(game: LiveGame, talk: Console, language: str, as_json: bool, folder: Path) -> None:
    """The final score, or the record as JSON on stdout; the record is kept with the game too.

    Raises UserError, after all was told, where the record cannot be written.
    """
    scored = scored_game(game.game)
    record = to_record(scored, language).to_json()
    if not game.game.deals:
        talk.print("sueca: no card was seen: is the table in the picture, and well lit?")
    talk.print(game_view(scored, language))
    if as_json:
        typer.echo(record)
    _keep_record(folder, record)
    talk.print(f"sueca: the game is kept in {folder}")


def _keep_record(folder: Path, record: str) -> None:
    """Write `record.json`, whole or not at all. Raises UserError where that cannot be."""
    path = folder / "record.json"
    part = path.with_suffix(".part")
    try:
        part.write_text(record + "\n", encoding="utf-8")
        os.replace(part, path)
    except OSError as error:
        with contextlib.suppress(OSError):
            part.unlink(missing_ok=True)
        raise UserError(
            f"{path}: cannot write the game's record ({error.strerror}); free some disk space or "
            "check that the disk is there, then write it with: sueca score GAME --json"
        ) from error


def _remark(text: str) -> None:
    """One line on stderr: stdout is the game's."""
    typer.echo(f"sueca: {text}", err=True)


def _waiting(source: str, game: LiveGame, page: Page | None) -> Callable[[], None]:
    """What to do when no frame comes; the next frame shown sets the page right again."""

    def tell() -> None:
        _remark(
            f"no picture from {source} for {PATIENCE:.0f} s, waiting for it: "
            "is it switched on and connected?"
        )
        if page is not None:
            page.publisher.status("waiting", game.now)

    return tell


@contextlib.contextmanager
def _page(
    library: Library, name: str, reader: Reader, host: str, port: int, headless: bool
) -> Iterator[Page | None]:
    if headless:
        yield None
        return
    publisher = Publisher()
    with serve_in_thread(Site(library, name, publisher, DeckShelf(reader)), host, port) as served:
        yield Page(publisher, served.url)


def _on_frame(page: Page | None, paced: bool) -> OnFrame:
    """What to do after each frame: show it on the page, and wait where a file is played."""
    started: float | None = None  # when a frame of time 0 would have been shown

    def show(frame: Frame, view: FrameView | None) -> None:
        nonlocal started
        if started is None:
            started = time.monotonic() - frame.t
        if page is not None:
            cards = [
                ShownCard(card.label, card.p or 0.0, card.quad, card.face)
                for card in (view.cards if view else ())
                if card.label is not None and card.settled and not card.hidden
            ]
            corners = view.table if view else None
            page.publisher.frame(frame.image, frame.t, cards, table=corners)
        if paced:
            time.sleep(max(0.0, frame.t - (time.monotonic() - started)))

    return show


def _scribe_options(rules: str, dealer: str | None, trump: str | None) -> ScribeOptions:
    preset = ruleset(rules)
    if dealer is not None and dealer.upper() not in SEATS:
        raise UserError(f"--dealer {dealer}: give one of {' '.join(SEATS)}")
    if trump is not None and trump.upper() not in (*SUITS, *CARDS):
        raise UserError(f"--trump {trump}: give a card such as 7D or a suit, one of S H D C")
    seat = cast(Seat, dealer.upper()) if dealer else None
    return ScribeOptions(preset, seat, trump.upper() if trump else None)


def _names(players: str) -> tuple[tuple[Seat, str], ...]:
    names = [name.strip() for name in players.split(",")] if players else []
    if names and len(names) != len(SEATS):
        raise UserError(f"--players {players}: give four names, of S, E, N and W")
    for name in names:
        if len(name) > LONGEST_NAME or not all(c.isprintable() for c in name):
            raise UserError(f"--players {name!r}: give names of up to {LONGEST_NAME} letters")
    return tuple((cast(Seat, seat), name) for seat, name in zip(SEATS, names, strict=False) if name)


def _size(size: str | None) -> tuple[int, int] | None:
    if size is None:
        return None
    match = re.fullmatch(r"([1-9]\d{1,4})[x×]([1-9]\d{1,4})", size, re.IGNORECASE | re.ASCII)
    if match is None:
        raise UserError(f"--size {size}: give the width and height in pixels, such as 1920x1080")
    return int(match[1]), int(match[2])


def _game_name(source: str, frames: Source) -> str:
    """A file's game is called after it; a camera's after the day and hour."""
    if frames.live:
        return f"mesa {datetime.now():%Y-%m-%d %H.%M}"
    kept = "".join(c for c in Path(source).resolve().stem if c.isalnum() or c in " _-.")
    return kept.lstrip(" -.")[:60] or "game"
