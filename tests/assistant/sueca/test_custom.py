"""Rule sets of one's own from TOML: unknown switches refused, every value checked."""

from dataclasses import replace

import pytest

from assistant.sueca import (
    PRESETS,
    RulesError,
    RuleSet,
    Tie,
    preset,
    rules_from_mapping,
    rules_from_toml,
    rules_to_mapping,
)


def test_switches_go_on_top_of_a_preset() -> None:
    rules = rules_from_toml('base = "portuguesa"\nname = "tasca"\ntarget = 10\ntie = "pending"')
    assert rules == replace(preset("portuguesa"), name="tasca", target=10, tie=Tie.PENDING)


def test_without_a_base_the_defaults_hold() -> None:
    assert rules_from_toml("target = 6") == RuleSet(target=6)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("targett = 4", "targett: no such switch, did you mean target"),
        ('base = "sueka"', "got 'sueka'"),
        ("base = 4", "base: expected the name of a preset"),
        ('target = "4"', "target: expected a whole number, got '4'"),
        ("target = true", "target: expected a whole number, got True"),
        ("must_trump = 1", "must_trump: expected true or false, got 1"),
        ('tie = "half"', "tie: expected one of nothing, pending, got 'half'"),
        ("removed = 3", "removed: expected a list of cards, got 3"),
        ("name = 3", "name: expected a text, got 3"),
        ('name = "selminha"', "'selminha' is a preset, expected another name"),
        ("target =\n", "at line 1, column 9"),
        ("win_over = 50", "win_over: expected half of 120"),
    ],
)
def test_what_is_wrong_is_named(text: str, says: str) -> None:
    with pytest.raises(RulesError, match=says):
        rules_from_toml(text)


@pytest.mark.parametrize("name", PRESETS)
def test_every_preset_round_trips_through_its_switches_under_another_name(name: str) -> None:
    rules = replace(preset(name), name="mine")
    assert rules_from_mapping(rules_to_mapping(rules)) == rules
