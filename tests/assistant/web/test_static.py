"""The page's own files: complete, in four languages, and never reaching outside."""

import json
import re

import pytest

from assistant.web.app import STATIC
from tests.assistant.web.conftest import GAME, Table

LOCALES = {path.stem: json.loads(path.read_text()) for path in (STATIC / "locale").iterdir()}
SCRIPTS = "\n".join(path.read_text() for path in (STATIC / "js").iterdir())
PAGES = "\n".join(path.read_text() for path in STATIC.glob("*.html"))

# Keys made up from what the server sends, by their beginnings.
BUILT = ("rank_", "suit_", "seat_", "flag_", "ruled_", "rule_", "rules_", "status_")
BUILT += ("match_won_", "accusation_", "penalty_", "learn_error_")


def test_the_four_languages_are_there() -> None:
    assert set(LOCALES) == {"pt-PT", "pt-BR", "es", "en"}


@pytest.mark.parametrize("lang", LOCALES)
def test_every_language_says_the_same_things_with_the_same_places(lang: str) -> None:
    english = LOCALES["en"]
    assert LOCALES[lang].keys() == english.keys()
    for key, text in LOCALES[lang].items():
        assert text
        assert set(re.findall(r"\{\w+\}", text)) == set(re.findall(r"\{\w+\}", english[key])), key


def test_every_word_the_page_uses_is_in_the_catalogue() -> None:
    used = set(re.findall(r'\bt\(\s*"([\w-]+)"', SCRIPTS)) | set(
        re.findall(r'data-t="([\w-]+)"', PAGES)
    )
    assert used
    assert used <= LOCALES["en"].keys()


def test_every_word_in_the_catalogue_is_used() -> None:
    quoted = set(re.findall(r'["\'`]([\w-]+)["\'`]', SCRIPTS + PAGES))
    assert {k for k in LOCALES["en"] if k not in quoted and not k.startswith(BUILT)} == set()


def test_nothing_is_fetched_from_outside() -> None:
    for path in STATIC.rglob("*"):
        if path.is_file():
            text = path.read_text().replace("http://www.w3.org/2000/svg", "")
            assert not re.search(r"""https?://|["'(]//\w""", text), path.name


def test_pages_carry_a_policy_that_forbids_reaching_outside(table: Table) -> None:
    policy = table.client.get(f"/game/{GAME}").headers["content-security-policy"]
    assert "default-src 'self'" in policy
    assert "unsafe" not in policy


def test_the_front_door_leads_to_the_live_game_and_keeps_the_language(table: Table) -> None:
    answer = table.client.get("/?lang=es", follow_redirects=False)
    assert answer.headers["location"] == "/game/a%20game?lang=es"
