"""Going on with a game that was kept: after a crash, a power cut, or a pause.

A deal that was broken off, by a crash or by Ctrl-C, is gone on with where its journal is there.
"""

import contextlib
from dataclasses import dataclass, replace
from pathlib import Path
from typing import cast

from assistant.events import DealEnded, Noticed
from assistant.fold import Game
from assistant.journal import Journal, SourceEnded, header_of, read_journal
from assistant.library import Library
from assistant.live import LiveGame
from assistant.noticetext import TROUBLES, troubles_now
from assistant.observed import ruleset
from assistant.rejoin import Rejoin
from assistant.replay import replay
from assistant.scribe.scribe import Scribe, ScribeOptions
from vision.errors import UserError
from vision.events import Trouble


def kept_game(library: Library, name: str, model: str) -> LiveGame:
    """The game kept under that name, to go on with. Raises `UserError` where there is none."""
    if name not in library.names():
        last = next(iter(library.names()), None)
        hint = f"the latest is {last}" if last else "there is none yet"
        raise UserError(f"--game {name}: no such game in {library.folder}; {hint}")
    return library.create(name, model)


@dataclass(frozen=True, slots=True)
class Start:
    """What a session begins with; `rejoin` where it goes on with a deal in the middle. `remark` says
    why it does not, where it might have."""

    scribe: Scribe
    journal: Journal
    rejoin: Rejoin | None = None
    remark: str | None = None


def begun(path: Path, game: LiveGame, options: ScribeOptions, remark: str | None = None) -> Start:
    """Begin to write down deals, with a new journal at `path`."""
    header = header_of(options, game.game.revision)
    return Start(header.scribe(), Journal(path, header), remark=remark)


def gone_on(path: Path, game: LiveGame, options: ScribeOptions, rules: str | None) -> Start:
    """Go on with a game: in the middle of its last deal if that was broken off and its journal, at
    `path`, is there, else with the next deal.

    Who gives other rules, a dealer or a trump begins another deal.
    """
    try:
        start = _rejoined(path, game, options, rules)
    except UserError as error:
        lost = _unfinished(game.game)
        remark = f"deal {lost} cannot be gone on with ({error})" if lost else None
        return begun(path, game, _counted_on(options, game, rules), remark)
    return start or begun(path, game, _counted_on(options, game, rules))


def _rejoined(
    path: Path, game: LiveGame, options: ScribeOptions, rules: str | None
) -> Start | None:
    """Go on in the middle of a deal; None where there is none or another is wanted."""
    kept = read_journal(path)
    if kept is None:
        return None
    replayed = replay(kept, game.entries)
    game.apply(replayed.unwritten)
    another = options.dealer or options.trump or (rules and options.rules.name != kept.header.rules)
    if another or not replayed.scribe.under_way:
        return None
    before = [line for line in kept.lines if not isinstance(line, SourceEnded)]
    troubles = [
        cast(Trouble, one.kind) for one in troubles_now(game.game.notices) if one.kind in TROUBLES
    ]
    rejoin = Rejoin(before, game.now, troubles)
    return Start(replayed.scribe, Journal(path, kept.header, kept), rejoin)


def _counted_on(options: ScribeOptions, game: LiveGame, rules: str | None) -> ScribeOptions:
    """The options with deals and plays counted on from those of the game.

    A deal that was broken off is over, and so are the troubles the camera then had.
    """
    deals = game.game.deals
    game.apply(
        Noticed(game.now, "trouble-over", trouble.kind)
        for trouble in troubles_now(game.game.notices)
    )
    if not deals:
        return options
    last = deals[-1]
    if last.ended is None:
        game.apply([DealEnded(game.now, last.number, "stopped")])
    return replace(
        options,
        rules=options.rules if rules else ruleset(last.rules),
        first_deal=last.number + 1,
        first_play_id=game.next_play_id,
    )


def _unfinished(game: Game) -> int | None:
    """The number of the last deal, if it was broken off."""
    last = game.deals[-1] if game.deals else None
    return last.number if last and last.ended in (None, "source-ended") else None


def broken_off(library: Library) -> str | None:
    """How to go on with the latest game, where the program ended in the middle of it; else None."""
    for name in library.names()[:1]:
        with contextlib.suppress(UserError, KeyError):
            deals = library.look(name).deals
            if deals and deals[-1].ended is None:
                return f"'{name}' broke off in deal {deals[-1].number}; --game '{name}' goes on with it"
    return None
