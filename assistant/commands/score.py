"""`sueca score RECORD`: score a written record."""

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from assistant.commands.records import (
    JsonOption,
    LanguageOption,
    RulesOption,
    fail_on_faults,
    language_of,
    read_scored,
)
from assistant.record import to_record
from assistant.recordview import game_view


def score(
    record: Annotated[Path, typer.Argument(help="A game record: JSON, or plain .sueca text.")],
    rules: RulesOption = None,
    json: JsonOption = False,
    lang: LanguageOption = None,
) -> None:
    """Score a written record: every vaza, card points, games, the match, and what is wrong.

    A record that is broken halfway is scored as far as it goes, and where it breaks is said.
    """
    language = language_of(lang)
    scored, reading = read_scored(record, rules)
    if json:
        print(to_record(scored, language).to_json())
    else:
        Console().print(game_view(scored, language))
    fail_on_faults(record, reading)
