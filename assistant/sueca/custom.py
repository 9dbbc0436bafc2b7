"""Rule sets of one's own: switches from TOML or from a record, on top of a preset.

    base = "portuguesa"     # a preset; without it the defaults of `RuleSet`
    name = "tasca do Zé"
    target = 10

Unknown switches are refused by name, and every value is checked against its switch.
"""

import difflib
import tomllib
from collections.abc import Mapping
from dataclasses import fields, replace
from enum import StrEnum
from typing import get_type_hints

from assistant.sueca.rules import PRESETS, SWITCHES, RulesError, RuleSet, preset

Value = str | int | bool | list[str]


def rules_from_toml(text: str) -> RuleSet:
    """Read a rule set. Raises `RulesError` with line and column, or naming the switch."""
    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise RulesError(f"rules: {error}") from None
    return rules_from_mapping(table)


def rules_from_mapping(table: Mapping[str, object]) -> RuleSet:
    """A rule set from `base` and switches. Raises `RulesError` naming what is wrong."""
    given = dict(table)
    base_name = given.pop("base", None)
    if base_name is not None and not isinstance(base_name, str):
        raise RulesError(f"base: expected the name of a preset, got {base_name!r}")
    base = RuleSet() if base_name is None else preset(base_name)
    types = get_type_hints(RuleSet)
    changes: dict[str, object] = {}
    for key, value in given.items():
        if key not in SWITCHES:
            near = difflib.get_close_matches(key, SWITCHES, n=1)
            hint = f", did you mean {near[0]}?" if near else ""
            raise RulesError(f"{key}: no such switch{hint}")
        changes[key] = _checked(key, value, types[key])
    changes.setdefault("name", "custom")
    rules = _replaced(base, changes)
    if PRESETS.get(rules.name, rules) != rules:
        raise RulesError(f"name: {rules.name!r} is a preset, expected another name")
    return rules


def _replaced(base: RuleSet, changes: Mapping[str, object]) -> RuleSet:
    return replace(base, **changes)  # type: ignore[arg-type]  # values were checked one by one


def _checked(key: str, value: object, kind: type) -> object:
    """`value` as `kind`, or `RulesError`."""
    if kind is bool or kind is int or kind is str:
        if type(value) is not kind:
            raise RulesError(f"{key}: expected {_named(kind)}, got {value!r}")
        return value
    if isinstance(kind, type) and issubclass(kind, StrEnum):
        choices = [member.value for member in kind]
        if value not in choices:
            raise RulesError(f"{key}: expected one of {', '.join(choices)}, got {value!r}")
        return kind(value)
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise RulesError(f"{key}: expected a list of cards, got {value!r}")
    return tuple(value)


def _named(kind: type) -> str:
    return {bool: "true or false", int: "a whole number", str: "a text"}[kind]


def rules_to_mapping(rules: RuleSet) -> dict[str, Value]:
    """Only what differs from the defaults, in a form `rules_from_mapping` reads back."""
    plain = RuleSet()
    table: dict[str, Value] = {}
    for switch in fields(RuleSet):
        value = getattr(rules, switch.name)
        if switch.name == "name" or value != getattr(plain, switch.name):
            if isinstance(value, StrEnum):
                value = value.value
            table[switch.name] = list(value) if isinstance(value, tuple) else value
    return table
