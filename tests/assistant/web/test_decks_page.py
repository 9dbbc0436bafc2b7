"""Learning a deck on the page, in a real browser."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import cv2
import pytest

from assistant.web.server import serve_in_thread
from tests.assistant.web.test_decks import site_in
from tests.assistant.web.test_page import PHONE, WIDE, Page, driver  # noqa: F401
from tests.vision.deckphotos import crop_of, grey, photograph
from vision.decks import chosen_deck, load_deck
from vision.labels import CARDS, INDEX


@pytest.fixture
def page(tmp_path: Path, driver: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[Page]:  # noqa: F811
    monkeypatch.setenv("SUECA_DECKS", str(tmp_path / "decks"))
    site = site_in(tmp_path)
    with serve_in_thread(site, port=0) as served:
        driver.get_log("browser")
        yield Page(None, site, served.url, driver)  # type: ignore[arg-type]
        driver.get("about:blank")


def open_decks(page: Page, lang: str = "en", size: tuple[int, int] = WIDE) -> None:
    page.driver.set_window_size(*size)
    page.driver.get(f"{page.url}decks?lang={lang}")
    page.until(lambda: page.text("#decks"))


def give(page: Page, folder: Path, *photos: tuple[str, ...]) -> None:
    before = len(page.all("#photographs li"))
    for n, cards in enumerate(photos):
        path = folder / f"photo-{before + n}.png"
        cv2.imwrite(str(path), photograph(*cards))
        page.find("#add").send_keys(str(path))
        page.until(lambda n=n: len(page.all("#photographs li")) == before + n + 1)


def test_a_deck_is_learnt_corrected_in_two_taps_named_and_kept(page: Page, tmp_path: Path) -> None:
    open_decks(page)
    give(page, tmp_path, CARDS[:20], CARDS[20:])
    page.click("#find")
    page.until(lambda: len(page.all("#found .found-card")) == 40)
    assert len(page.all("#unsure .found-card")) == 1
    page.click('[data-named="7H"]')
    page.until(lambda: page.find("#correct").is_displayed())
    page.click('#correct [data-card="7D"]')
    page.until(lambda: "changed places" in page.text("#toast"))
    page.find("#deck-name").send_keys("tasca")
    page.click("#keep")
    page.until(lambda: "tasca" in page.text("#decks"))
    assert chosen_deck() == "tasca"
    kept = load_deck("tasca").crops
    assert abs(int(kept[INDEX["7D"]][72, 48, 0]) - grey("7H")) < 2
    assert abs(int(kept[INDEX["7H"]][72, 48, 0]) - grey("7D")) < 2
    assert not page.complaints()


def test_missing_cards_are_named_and_one_more_photograph_mends_it(
    page: Page, tmp_path: Path
) -> None:
    open_decks(page, "pt-PT")
    give(page, tmp_path, CARDS[:20], CARDS[20:39])
    page.click("#find")
    page.until(lambda: "39 das 40 cartas" in page.text("#trouble"))
    assert "rei de paus" in page.text("#trouble")
    give(page, tmp_path, CARDS[38:])
    page.click("#find")
    page.until(lambda: len(page.all("#found .found-card")) == 40)
    assert not page.find("#trouble").is_displayed()


def test_decks_are_chosen_and_removed_only_after_a_second_tap(page: Page) -> None:
    page.site.decks.keep("tasca", [crop_of(card) for card in CARDS])
    open_decks(page)
    page.click('[data-deck=""] button')
    page.until(lambda: chosen_deck() is None)
    page.until(lambda: page.all('[data-deck="tasca"] .quiet'))
    page.click('[data-deck="tasca"] .danger')
    page.until(lambda: "for good" in page.text('[data-deck="tasca"] .danger'))
    assert page.site.decks.names() == ("tasca",)
    page.click('[data-deck="tasca"] .danger')
    page.until(lambda: page.site.decks.names() == ())


@pytest.mark.parametrize("lang", ["pt-PT", "pt-BR", "es", "en"])
def test_nothing_sticks_out_on_a_telephone(page: Page, tmp_path: Path, lang: str) -> None:
    page.site.decks.keep("tasca", [crop_of(card) for card in CARDS])
    open_decks(page, lang, PHONE)
    give(page, tmp_path, CARDS)
    page.click("#find")
    page.until(lambda: len(page.all("#found .found-card")) == 40)
    assert page.js("return document.documentElement.scrollWidth <= innerWidth")
