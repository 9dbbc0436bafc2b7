"""Languages: every message of the code in every catalogue, with the same places to fill."""

import ast
import string
from pathlib import Path

import pytest

import assistant
from assistant.flagtext import describe
from assistant.i18n import (
    LANGUAGES,
    catalogue,
    parse_po,
    pick_language,
    system_language,
    translate,
)
from assistant.sueca import Flag, FlagKind, Seat, Status
from assistant.sueca.cards import Card, Suit

PACKAGE = Path(assistant.__file__).parent


def marked_messages() -> list[str]:
    """The messages marked with `N_` anywhere in the assistant."""
    found = []
    for path in PACKAGE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "N_":
                argument = node.args[0]
                if isinstance(argument, ast.Constant):
                    found.append(argument.value)
    return found


def places(message: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(message) if name}


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_message_is_in_every_catalogue(language: str) -> None:
    assert [text for text in marked_messages() if text not in catalogue(language)] == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_translation_has_the_places_of_its_message(language: str) -> None:
    wrong = [m for m, text in catalogue(language).items() if m and places(m) != places(text)]
    assert wrong == []


@pytest.mark.parametrize(
    ("language", "words"),
    [
        ("pt-PT", ("vaza", "jogo", "trunfo", "renúncia", "mão")),
        ("pt-BR", ("vaza", "bolinha", "trunfo", "renúncia", "rodada")),
        ("es", ("baza", "bolita", "triunfo", "renuncio", "ronda")),
        ("en", ("trick", "game", "trump", "revoke", "deal")),
    ],
)
def test_words_of_the_game_are_those_of_the_rules(language: str, words: tuple[str, ...]) -> None:
    asked = ("trick", "game", "trump", "revoke", "deal")
    assert tuple(translate(word, language) for word in asked) == words


@pytest.mark.parametrize(
    ("tag", "language"),
    [
        ("pt_BR.UTF-8", "pt-BR"),
        ("pt", "pt-PT"),
        ("pt-AO", "pt-PT"),
        ("es-MX,es;q=0.9,en;q=0.8", "es"),
        ("fr,es;q=0.5", "es"),
        ("C", "en"),
        ("", "en"),
        (None, "en"),
    ],
)
def test_the_nearest_language_is_taken(tag: str | None, language: str) -> None:
    assert pick_language(tag) == language


def test_the_system_language_comes_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LANGUAGE", "es:en")
    assert system_language() == "es"


def test_a_message_without_translation_comes_out_in_english() -> None:
    assert translate("no such message", "es") == "no such message"


def test_po_files_may_wrap_lines_and_mark_messages_fuzzy() -> None:
    wrapped = 'msgid ""\n"a "\n"b"\nmsgstr "c\\n"'
    fuzzy = '#, fuzzy\nmsgid "x"\nmsgstr "y"'
    untranslated = 'msgid "e"\nmsgstr ""\n'
    text = f"{wrapped}\n\n{fuzzy}\n\n{untranslated}"
    assert list(parse_po(text)) == [("a b", "c\n")]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("kind", FlagKind)
@pytest.mark.parametrize("status", Status)
@pytest.mark.parametrize("trick", [None, 3])
def test_every_flag_can_be_said_in_every_language(
    language: str, kind: FlagKind, status: Status, trick: int | None
) -> None:
    expected = "policy" if kind is FlagKind.ILLEGAL_ACCUSATION else "S"
    flag = Flag(
        kind, status, (Seat.E,), trick, 4, cards=(Card.parse("7H"),), suit=Suit.H, expected=expected
    )
    said = describe(flag, language)
    assert said
    assert "{" not in said


def test_players_are_named_where_their_names_are_known() -> None:
    flag = Flag(FlagKind.WEAK_HAND, Status.PROVED, (Seat.E,))
    assert describe(flag, "en", {Seat.E: "Rui"}).startswith("Rui asked")
