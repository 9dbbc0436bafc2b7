"""The manual of records: its examples are read, its table names every switch."""

import re
from pathlib import Path

from assistant.notation import read_line, read_text, write_line
from assistant.sueca import PRESETS, SWITCHES, rules_from_toml

MANUAL = (Path(__file__).parents[2] / "docs" / "records.md").read_text(encoding="utf-8")


def example(language: str) -> str:
    found = re.search(rf"```{language}\n(.*?)```", MANUAL, re.DOTALL)
    assert found is not None
    return found[1]


def test_the_examples_of_records_are_read_without_fault() -> None:
    for language, plays in [("sueca", 8), ("json", 2)]:
        reading = read_text(example(language))
        assert reading.faults == ()
        assert len(reading.game.deals[0].deal.plays) == plays


def test_the_example_of_a_line_round_trips() -> None:
    line = example("line").strip()
    assert write_line(read_line(line)) == line


def test_the_example_of_a_rule_file_is_read() -> None:
    assert rules_from_toml(example("toml")).target == 10


def test_every_switch_is_explained_as_in_the_code() -> None:
    rows = re.findall(r"^\| `(\w+)` \| .* \| (.+) \|$", MANUAL, re.MULTILINE)
    assert rows == list(SWITCHES.items())


def test_every_preset_is_named() -> None:
    assert [name for name in PRESETS if f"`{name}`" not in MANUAL] == []
