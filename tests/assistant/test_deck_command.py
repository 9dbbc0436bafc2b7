"""`sueca deck list|choose|remove`: what is done is said, and which decks cannot be used."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from assistant.commands.deck import app
from tests.vision.deckphotos import crop_of, reader
from vision.decks import save_deck
from vision.labels import CARDS
from vision.learning import make_deck


@pytest.fixture(autouse=True)
def _tasca_and_half_of_casa(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SUECA_DECKS", str(tmp_path))
    save_deck(make_deck("tasca", [crop_of(card) for card in CARDS], reader()))
    (tmp_path / "casa.npz").write_bytes(b"half of it")


def run(*words: str) -> tuple[str, str]:
    done = CliRunner().invoke(app, list(words), catch_exceptions=False)
    assert done.exit_code == 0
    return done.stdout, done.stderr


def test_the_list_stars_the_chosen_deck_and_tells_which_cannot_be_used() -> None:
    run("choose", "tasca")
    listed, _ = run("list")
    casa, tasca = listed.splitlines()
    assert casa.startswith("  casa - ")
    assert "damaged" in casa
    assert tasca == "* tasca"


def test_a_program_is_told_which_cannot_be_used() -> None:
    said = json.loads(run("list", "--json")[0])
    assert said == {"decks": ["casa", "tasca"], "chosen": None, "unusable": ["casa"]}


@pytest.mark.parametrize(
    ("words", "what"),
    [
        (("choose", "tasca"), "with the deck tasca"),
        (("choose", ""), "no deck is chosen"),
        (("remove", "tasca"), "tasca is forgotten"),
    ],
)
def test_what_is_done_is_said(words: tuple[str, ...], what: str) -> None:
    out, told = run(*words)
    assert out == ""
    assert what in told
