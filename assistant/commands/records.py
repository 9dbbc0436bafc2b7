"""What `score` and `review` have in common: finding the rules, reading the record, failing well."""

import sys
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from assistant.commands.serve import GAMES
from assistant.i18n import LANGUAGES, find_language, system_language
from assistant.library import LOG_NAME
from assistant.live import LiveGame
from assistant.log import GameLog
from assistant.notation import Reading, read_game
from assistant.observed import matches_of
from assistant.record import Game, ScoredGame, score_game
from assistant.sueca import PRESETS, RulesError, RuleSet, rules_from_toml
from vision.errors import UserError

_SQLITE = b"SQLite format 3\0"

RulesOption = Annotated[
    str | None,
    typer.Option(
        "--rules",
        metavar="NAME|TOML",
        help="Preset or rule file to use in place of the record's.",
    ),
]
MatchOption = Annotated[
    int | None,
    typer.Option("--match", help="Which match of a kept game, from 1; the latest by default."),
]
RecordArgument = Annotated[
    Path,
    typer.Argument(help="A game record (JSON or plain .sueca text), or a game that was kept."),
]
JsonOption = Annotated[bool, typer.Option("--json", help="One JSON document on stdout.")]
LanguageOption = Annotated[
    str | None,
    typer.Option("--lang", metavar="|".join(LANGUAGES), help="Language; by default the system's."),
]


def find_rules(name: str | None) -> RuleSet | None:
    """A preset by its name or a rule file by its path; None for None. Raises `UserError`."""
    if name is None or name in PRESETS:
        return PRESETS[name] if name else None
    if not name.endswith(".toml"):
        raise UserError(f"--rules {name}: expected a .toml file or one of {', '.join(PRESETS)}")
    try:
        if Path(name).exists() and not Path(name).is_file():
            raise UserError(f"{name}: not a file; give a rule file")
        return rules_from_toml(Path(name).read_text(encoding="utf-8"))
    except OSError as error:
        raise UserError(f"{name}: {error.strerror or error}; give a rule file") from None
    except UnicodeDecodeError:
        raise UserError(f"{name}: not text; give a rule file in TOML") from None
    except RulesError as error:
        raise UserError(f"{name}: {error}") from None


def read_scored(
    record: Path, rules: str | None, match: int | None = None
) -> tuple[ScoredGame, Reading]:
    """Read and score a record, or a match (the latest where None) of a game that was kept.

    Raises `UserError` where nothing of it could be read.
    """
    chosen = find_rules(rules)
    log = _kept_log(record)
    if log is not None:
        game = _kept_match(log, match)
        if chosen is not None:
            entries = (replace(e, deal=replace(e.deal, rules=chosen)) for e in game.deals)
            game = replace(game, rules=chosen, deals=tuple(entries))
        return score_game(game), Reading(game)
    reading = read_game(record, chosen)
    if not reading.game.deals:
        fail_on_faults(record, reading)
        raise UserError(f"{record}: no deals in it; give a record with at least one")
    return score_game(reading.game), reading


def _kept_log(record: Path) -> Path | None:
    """The log of a kept game, given its folder, the log itself, or its name in `games/`."""
    try:
        for folder in (record, GAMES / record):
            if (folder / LOG_NAME).is_file():
                return folder / LOG_NAME
        if not record.is_file():
            return None
        with record.open("rb") as file:
            return record if file.read(len(_SQLITE)) == _SQLITE else None
    except OSError:
        return None


def _kept_match(log: Path, match: int | None) -> Game:
    """A match of a kept game. Raises `UserError` where there is none of that number."""
    with GameLog(log) as opened:
        matches = matches_of(LiveGame(opened).game)
    number = len(matches) if match is None else match
    if not matches:
        raise UserError(f"{log}: no deals in it yet; follow a game first")
    if not 1 <= number <= len(matches):
        raise UserError(f"{log}: expected --match 1 to {len(matches)}, got {number}")
    if match is None and len(matches) > 1:
        print(f"sueca: match {number} of {len(matches)}; --match for another", file=sys.stderr)
    return matches[number - 1].scored.game


def fail_on_faults(record: Path, reading: Reading) -> None:
    """Raise `UserError` in one line if part of the record could not be read."""
    if reading.faults:
        more = f" (and {len(reading.faults) - 1} more)" if len(reading.faults) > 1 else ""
        raise UserError(f"{record}: {reading.faults[0]}{more}")


def language_of(wanted: str | None) -> str:
    """The language asked for, or the system's. Raises `UserError` for one that is none of ours."""
    if wanted is None:
        return system_language()
    language = find_language(wanted)
    if language is None:
        raise UserError(f"--lang {wanted!r}: expected one of {', '.join(LANGUAGES)}")
    return language
