"""A games folder with one game, and the page that serves it."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from assistant.library import Library
from assistant.live import LiveGame
from assistant.web.app import create_app
from assistant.web.site import Site

GAME = "a game"


@dataclass(frozen=True, slots=True)
class Table:
    """The live game, its site, and a browser's way in."""

    game: LiveGame
    site: Site
    client: TestClient

    def state(self, lang: str = "en") -> dict:  # type: ignore[type-arg]
        answer = self.client.get(f"/api/games/{GAME}/state", params={"lang": lang})
        assert answer.status_code == 200
        state: dict = answer.json()  # type: ignore[type-arg]
        return state

    def say(self, path: str, body: dict, method: str = "POST") -> int:  # type: ignore[type-arg]
        return self.client.request(method, f"/api/games/{GAME}/{path}", json=body).status_code


@pytest.fixture
def table(tmp_path: Path) -> Iterator[Table]:
    library = Library(tmp_path)
    game = library.create(GAME, "models-1")
    site = Site(library, live=GAME)
    with TestClient(create_app(site)) as client:
        yield Table(game, site, client)
    library.close()
