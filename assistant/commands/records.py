"""What `score` and `review` have in common: finding the rules, reading the record, failing well."""

from pathlib import Path
from typing import Annotated

import typer

from assistant.i18n import LANGUAGES, pick_language, system_language
from assistant.notation import Reading, read_game
from assistant.record import ScoredGame, score_game
from assistant.sueca import PRESETS, RulesError, RuleSet, rules_from_toml
from vision.errors import UserError

RulesOption = Annotated[
    str | None,
    typer.Option(
        "--rules",
        metavar="NAME|TOML",
        help="Preset or rule file to use in place of the record's.",
    ),
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
        return rules_from_toml(Path(name).read_text(encoding="utf-8"))
    except OSError as error:
        raise UserError(f"{name}: {error.strerror or error}; give a rule file") from None
    except UnicodeDecodeError:
        raise UserError(f"{name}: not text; give a rule file in TOML") from None
    except RulesError as error:
        raise UserError(f"{name}: {error}") from None


def read_scored(record: Path, rules: str | None) -> tuple[ScoredGame, Reading]:
    """Read and score a record. Raises `UserError` where nothing of it could be read."""
    reading = read_game(record, find_rules(rules))
    if not reading.game.deals:
        fail_on_faults(record, reading)
        raise UserError(f"{record}: no deals in it; give a record with at least one")
    return score_game(reading.game), reading


def fail_on_faults(record: Path, reading: Reading) -> None:
    """Raise `UserError` in one line if part of the record could not be read."""
    if reading.faults:
        more = f" (and {len(reading.faults) - 1} more)" if len(reading.faults) > 1 else ""
        raise UserError(f"{record}: {reading.faults[0]}{more}")


def language_of(wanted: str | None) -> str:
    """The language asked for, or the system's."""
    return pick_language(wanted) if wanted else system_language()
