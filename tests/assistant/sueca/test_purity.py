"""The rules are pure: standard library only, no I/O, clock or randomness."""

import ast
import sys
from pathlib import Path

import assistant.sueca

FOLDER = Path(assistant.sueca.__file__).parent
IMPURE = {"random", "time", "datetime", "os", "pathlib", "io", "sqlite3", "socket", "secrets"}


def imported() -> set[str]:
    """Top-level names of everything the rules import."""
    names = set()
    for path in FOLDER.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                names |= {alias.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module:
                names.add(node.module)
    return names


def test_the_rules_import_only_the_standard_library_and_themselves() -> None:
    outside = {
        name
        for name in imported()
        if not name.startswith("assistant.sueca")
        and name.split(".")[0] not in sys.stdlib_module_names
    }
    assert outside == set()


def test_the_rules_touch_no_file_clock_or_chance() -> None:
    assert {name.split(".")[0] for name in imported()} & IMPURE == set()


def test_the_rules_print_and_open_nothing() -> None:
    for path in FOLDER.glob("*.py"):
        calls = {
            node.func.id
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
        }
        assert calls & {"open", "print", "input"} == set(), path.name
