"""`sueca review RECORD`: was there a renúncia, by whom, in which vaza, and what shows it."""

import json as jsonlib
from collections.abc import Sequence
from dataclasses import asdict

import typer
from rich.console import Console

from assistant.commands.records import (
    JsonOption,
    LanguageOption,
    MatchOption,
    RecordArgument,
    RulesOption,
    fail_on_faults,
    language_of,
    read_scored,
)
from assistant.jsonreader import Fault
from assistant.record import GameRecord, ScoredGame, to_record
from assistant.recordview import review_view
from assistant.sueca import trick_of

REVOKE_PROVED = 3
"""Exit status where a renúncia is proved; 0 where none is."""


def review(
    record: RecordArgument,
    rules: RulesOption = None,
    json: JsonOption = False,
    lang: LanguageOption = None,
    match: MatchOption = None,
) -> None:
    """Every flag of a record with its proof. Exit status 3 if a renúncia is proved, 0 if not."""
    language = language_of(lang)
    scored, reading = read_scored(record, rules, match)
    if json:
        document = review_document(scored, to_record(scored, language), reading.faults)
        print(jsonlib.dumps(document, ensure_ascii=False, indent=1))
    else:
        Console().print(review_view(scored, language, whole=not reading.faults))
    fail_on_faults(record, reading)
    if scored.revoke_proved:
        raise typer.Exit(REVOKE_PROVED)


def review_document(
    scored: ScoredGame, record: GameRecord, faults: Sequence[Fault] = ()
) -> dict[str, object]:
    """`{"clean", "revoke_proved", "deals": [{"deal", "complete", "flags"}], "faults"}`.

    Each flag is as in the record, with `evidence`: the plays it rests on, in full, and their trick.
    `faults` are the places that could not be read; a record with any is not called clean.
    """
    deals = []
    for number, (one, written) in enumerate(zip(scored.deals, record.deals, strict=True), start=1):
        flags = []
        for flag in written.flags:
            evidence = [
                {"play": play, "trick": trick_of(one.state, play)}
                | written.plays[play].model_dump(mode="json")
                for play in flag.plays
            ]
            flags.append(flag.model_dump(mode="json") | {"evidence": evidence})
        deals.append({"deal": number, "complete": written.complete, "flags": flags})
    return {
        "clean": not faults and not any(written.flags for written in record.deals),
        "revoke_proved": scored.revoke_proved,
        "deals": deals,
        "faults": [asdict(fault) for fault in faults],
    }
