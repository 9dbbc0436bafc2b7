"""Going on with a game that was kept: after a crash, a power cut, or a pause."""

import contextlib
from dataclasses import replace

from assistant.events import DealEnded, Noticed
from assistant.library import Library
from assistant.live import LiveGame
from assistant.noticetext import troubles_now
from assistant.observed import ruleset
from assistant.scribe.scribe import ScribeOptions
from vision.errors import UserError


def kept_game(library: Library, name: str, model: str) -> LiveGame:
    """The game kept under that name, to go on with. Raises `UserError` where there is none."""
    if name not in library.names():
        last = next(iter(library.names()), None)
        hint = f"the latest is {last}" if last else "there is none yet"
        raise UserError(f"--game {name}: no such game in {library.folder}; {hint}")
    return library.create(name, model)


def counted_on(options: ScribeOptions, game: LiveGame, rules: str | None) -> ScribeOptions:
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


def broken_off(library: Library) -> str | None:
    """How to go on with the latest game, where the program ended in the middle of it; else None."""
    for name in library.names()[:1]:
        with contextlib.suppress(UserError, KeyError):
            deals = library.look(name).deals
            if deals and deals[-1].ended is None:
                return f"'{name}' broke off in deal {deals[-1].number}; --game '{name}' goes on with it"
    return None
