"""Learning a deck over the page's API and in a real browser."""

import base64
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import cv2
import pytest
from fastapi.testclient import TestClient

from assistant.deckshelf import DeckShelf, Models
from assistant.library import Library
from assistant.web.app import create_app
from assistant.web.site import Site
from tests.vision.deckphotos import STRANGER, crop_of, finder, photograph, reader
from vision.decks import load_deck
from vision.labels import CARDS
from vision.types import Image

MISTAKES = {"3H": ("3D", 0.98)}


def site_in(folder: Path) -> Site:
    shelf = DeckShelf(None, lambda: Models(finder(), reader(MISTAKES)))
    return Site(Library(folder / "games"), decks=shelf)


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SUECA_DECKS", str(tmp_path / "decks"))


@pytest.fixture
def client(tmp_path: Path) -> Iterator[TestClient]:
    with TestClient(create_app(site_in(tmp_path))) as client:
        yield client


def png(image: Image) -> str:
    return base64.b64encode(cv2.imencode(".png", image)[1].tobytes()).decode()


def find(client: TestClient, *photos: Image) -> Any:
    return client.post("/api/decks/found", json={"photographs": [png(photo) for photo in photos]})


def deck(name: str = "tasca", **more: object) -> dict[str, object]:
    cards = [{"card": card, "crop": png(crop_of(card))} for card in CARDS]
    return {"name": name, "cards": cards, **more}


def test_photographs_come_back_as_40_pictures_with_the_unsure_marked(client: TestClient) -> None:
    answer = find(client, photograph(*CARDS[:20], STRANGER), photograph(*CARDS[20:]))
    told = answer.json()
    assert [card["card"] for card in told["cards"]] == list(CARDS)
    assert [card["card"] for card in told["cards"] if card["doubtful"]] == ["3H"]
    assert (told["again"], told["strangers"]) == (0, 1)


def test_what_cannot_be_learnt_from_is_told_so_that_a_page_can_say_it(client: TestClient) -> None:
    answer = find(client, photograph(*CARDS[:38]))
    assert answer.status_code == 422
    told = answer.json()
    assert (told["kind"], told["cards"], told["seen"]) == ("missing", list(CARDS[38:]), 38)


@pytest.mark.parametrize("text", ["no base64!", "é", base64.b64encode(b"no picture").decode(), ""])
def test_what_is_no_photograph_is_refused_in_one_line(client: TestClient, text: str) -> None:
    answer = client.post("/api/decks/found", json={"photographs": [text]})
    assert answer.status_code == 422
    assert "\n" not in answer.json()["detail"]


def test_a_deck_is_kept_chosen_listed_and_removed(client: TestClient) -> None:
    assert client.post("/api/decks", json=deck()).status_code == 204
    assert client.get("/api/decks").json() == {"decks": ["tasca"], "chosen": "tasca"}
    assert client.post("/api/decks/chosen", json={"name": None}).status_code == 204
    assert client.get("/api/decks").json()["chosen"] is None
    assert client.delete("/api/decks/tasca").status_code == 204
    assert client.get("/api/decks").json() == {"decks": [], "chosen": None}


def test_a_deck_of_that_name_is_replaced_only_when_asked(client: TestClient) -> None:
    client.post("/api/decks", json=deck())
    assert client.post("/api/decks", json=deck()).status_code == 409
    assert client.post("/api/decks", json=deck(replace=True)).status_code == 204


def test_a_deck_in_which_a_card_is_there_twice_is_refused(client: TestClient) -> None:
    said = deck()
    said["cards"][0]["card"] = "7D"  # type: ignore[index]
    answer = client.post("/api/decks", json=said)
    assert answer.status_code == 422
    assert "each of the 40 cards" in answer.json()["detail"]


def test_a_name_that_leads_elsewhere_is_refused(client: TestClient) -> None:
    assert client.post("/api/decks", json=deck("../x")).status_code == 422
    assert client.get("/api/decks").json()["decks"] == []


def test_a_deck_there_is_not_can_be_neither_chosen_nor_removed(client: TestClient) -> None:
    assert client.post("/api/decks/chosen", json={"name": "gone"}).status_code == 404
    assert client.delete("/api/decks/gone").status_code == 404


def test_another_sites_page_cannot_remove_a_deck(client: TestClient) -> None:
    client.post("/api/decks", json=deck())
    answer = client.delete("/api/decks/tasca", headers={"Origin": "http://evil.example"})
    assert answer.status_code == 403
    assert client.get("/api/decks").json()["decks"] == ["tasca"]


def test_the_crops_kept_are_the_ones_named(client: TestClient) -> None:
    client.post("/api/decks", json=deck())
    kept = load_deck("tasca").crops
    assert [round(float(crop.mean())) for crop in kept] == [crop_of(c)[0, 0, 0] for c in CARDS]
