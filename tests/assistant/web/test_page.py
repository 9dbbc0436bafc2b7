"""The page in a real browser (headless Chromium): what a person at the table sees and does."""

import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from assistant.events import CameraEvent, PlayCorrected, PlaySeen, TrumpShown
from assistant.i18n import LANGUAGES
from assistant.library import Library
from assistant.live import LiveGame
from assistant.web.server import serve_in_thread
from assistant.web.site import Site
from tests.assistant.games import QUAD, played_deal, table_picture

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
DRIVER = shutil.which("chromedriver")
if CHROMIUM is None or DRIVER is None:
    pytest.skip("no chromium and chromedriver on this machine", allow_module_level=True)
selenium = pytest.importorskip("selenium", reason="selenium is not installed")

from selenium import webdriver  # noqa: E402
from selenium.webdriver.chrome.service import Service  # noqa: E402
from selenium.webdriver.common.by import By  # noqa: E402
from selenium.webdriver.common.keys import Keys  # noqa: E402
from selenium.webdriver.support.wait import WebDriverWait  # noqa: E402

WAIT_SECONDS = 20
FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--hide-scrollbars",
    "--disable-dev-shm-usage",
]
WIDE, PHONE = (1280, 800), (390, 844)


@pytest.fixture(scope="module")
def driver(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    options = webdriver.ChromeOptions()
    options.binary_location = CHROMIUM
    for flag in (*FLAGS, f"--user-data-dir={tmp_path_factory.mktemp('chromium')}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    browser = webdriver.Chrome(options, Service(DRIVER))
    yield browser
    browser.quit()


@dataclass(frozen=True, slots=True)
class Page:
    """A game being followed, and the page open on it."""

    game: LiveGame
    site: Site
    url: str
    driver: Any

    def open(self, lang: str = "en", size: tuple[int, int] = WIDE) -> None:
        width, height = size
        metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
        self.driver.get(f"{self.url}?lang={lang}")
        self.until(lambda: self.text("#connection"))

    def find(self, css: str) -> Any:
        return self.driver.find_element(By.CSS_SELECTOR, css)

    def all(self, css: str) -> list[Any]:
        return list(self.driver.find_elements(By.CSS_SELECTOR, css))

    def text(self, css: str) -> str:
        return str(self.find(css).text)

    def js(self, script: str) -> Any:
        return self.driver.execute_script(script)

    def click(self, css: str) -> None:
        element = self.find(css)
        self.driver.execute_script("arguments[0].scrollIntoView({block: 'center'})", element)
        element.click()

    def until(self, true: Callable[[], object], message: str = "") -> None:
        def poll(_: object) -> bool:
            return bool(true())

        # A part of the page may be drawn anew while it is being read.
        ignored = (selenium.common.exceptions.WebDriverException,)
        WebDriverWait(self.driver, WAIT_SECONDS, 0.05, ignored).until(poll, message)

    def complaints(self) -> list[str]:
        return [entry["message"] for entry in self.driver.get_log("browser")]


@pytest.fixture
def page(tmp_path: Path, driver: Any) -> Iterator[Page]:
    library = Library(tmp_path)
    game = library.create("café", "models-1")
    site = Site(library, "café")
    with serve_in_thread(site, port=0) as served:
        driver.get_log("browser")
        yield Page(game, site, served.url, driver)
        driver.get("about:blank")
    library.close()


def with_evidence(page: Page, events: tuple[CameraEvent, ...]) -> list[CameraEvent]:
    pointer = page.site.library.evidence("café").keep("play-1", table_picture(), QUAD)
    return [
        replace(event, evidence=pointer, quad=QUAD) if isinstance(event, PlaySeen) else event
        for event in events
    ]


def vaza(page: Page) -> dict[str, str]:
    """The cards on the table by seat, as their accessible names."""
    return {
        seat: page.find(f".slot-{seat} .card").get_attribute("aria-label")
        for seat in "SENW"
        if page.all(f".slot-{seat} .card")
    }


def test_a_game_unfolds_on_the_page_as_it_is_followed(page: Page) -> None:
    page.open()
    assert "No cards" in page.text("#vaza")
    events = played_deal(1, tricks=1)
    page.game.apply(events[:4])
    page.until(lambda: len(vaza(page)) == 2)
    south = next(e for e in events if isinstance(e, PlaySeen) and e.seat == "S")
    assert page.all(f'.slot-S [data-play="{south.play_id}"]')
    assert page.text(".seat-N .turn") == "to play"
    assert page.text(".seat-W .dealer") == "dealer"
    assert page.text("#trick-number") == "Trick 1"
    page.game.apply(events[4:])
    page.until(lambda: "takes the trick" in page.text("#said"))
    assert len(page.all("#vaza .card.winner")) == 1


def test_a_finished_deal_shows_points_and_marks_the_cross(page: Page) -> None:
    page.game.apply(played_deal(1))
    page.open()
    page.until(lambda: len(page.all("#history tbody tr")) == 10)
    points = [int(output.text) for output in page.all("#score output")]
    assert sum(points) == 120
    state = page.site.library.open("café").game
    assert state.deals[0].ended == "complete"
    beads = [len(page.all(f'[data-team="{team}"] .bead.won')) for team in ("NS", "EW")]
    assert (beads[0] > 0) == (points[0] > 60)
    assert (beads[1] > 0) == (points[1] > 60)


def test_a_wrong_card_is_put_right_in_two_taps_and_undone_in_one(page: Page) -> None:
    page.game.apply(played_deal(1, tricks=1)[:3])
    page.open()
    page.until(lambda: vaza(page))
    before = vaza(page)["S"]
    page.click(".slot-S .card")
    page.click('#correct [data-card="2C"]')
    page.until(lambda: "two of clubs" in vaza(page)["S"])
    assert "corrected by hand" in vaza(page)["S"]
    assert not page.js("return document.getElementById('correct').open")
    page.click("#toast button")
    page.until(lambda: vaza(page)["S"] == before)


def test_the_way_back_from_a_correction_takes_back_no_one_elses(page: Page) -> None:
    page.game.apply(played_deal(1, tricks=1)[:4])
    page.open()
    page.until(lambda: vaza(page))
    page.click(".slot-S .card")
    page.click('#correct [data-card="2C"]')
    page.until(lambda: page.text("#toast"))
    page.game.say(PlayCorrected(0.0, 2, "3C"))  # on another phone
    page.click("#toast button")
    page.until(lambda: "someone has said something else" in page.text("#toast"))
    assert "two of clubs" in vaza(page)["S"]
    assert "three of clubs" in vaza(page)["E"]
    page.complaints()  # the browser notes the refusal


def test_a_card_of_an_old_vaza_and_its_seat_are_put_right_from_the_history(page: Page) -> None:
    page.game.apply(played_deal(1, tricks=3)[:-3])
    page.open()
    page.until(lambda: page.all('#history [data-key="row-1"]'))
    page.click('#history [data-key="row-1"]')
    page.click('#correct [data-seat-choice="N"]')
    page.until(lambda: page.game.game.play(1).seat == "N")  # type: ignore[union-attr]
    page.until(lambda: "North" in page.find('[data-key="row-1"]').get_attribute("aria-label"))


def test_a_doubtful_play_is_marked_and_the_right_reading_is_one_of_its_choices(page: Page) -> None:
    page.game.apply([PlaySeen(5, 1, "S", "6H", 1, 4, 0.7, (("6D", 0.25), ("9H", 0.05)))])
    page.open()
    page.until(lambda: page.all("#vaza .card.unsure"))
    assert "6♦" in page.text(".alternatives") or "25%" in page.text(".alternatives")
    page.click("#vaza .card.unsure")
    choices = page.all("#correct .reading .choices button")
    assert len(choices) == 3
    choices[1].click()
    page.until(lambda: page.game.game.play(1).card == "6D")  # type: ignore[union-attr]
    page.until(lambda: not page.all("#vaza .card.unsure"))


def test_a_missed_card_is_added_in_two_taps(page: Page) -> None:
    page.game.apply(played_deal(1, tricks=1)[:3])
    page.open()
    page.until(lambda: vaza(page))
    page.click(".slot-E .gap")
    page.click('#correct [data-card="2C"]')
    page.until(lambda: "E" in vaza(page))
    assert "two of clubs" in vaza(page)["E"]


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_renuncia_is_told_with_both_plays_and_their_pictures(page: Page, lang: str) -> None:
    page.game.apply(with_evidence(page, played_deal(11, revoke=True)))
    page.open(lang)
    page.until(lambda: page.all(".flag.proved img"))
    words = {"pt-PT": "assist", "pt-BR": "assist", "es": "asisti", "en": "follow"}
    assert words[lang] in page.text(".flag.proved .flag-text")
    assert len(page.all(".flag.proved figure")) == 2
    page.click(".flag.proved .actions button")
    loaded = (
        "const seen = [...document.querySelectorAll('#evidence img')];"
        "return seen.length === 4 && seen.every((one) => one.naturalWidth > 0)"
    )
    page.until(lambda: page.js(loaded))
    page.until(lambda: len(page.all("#evidence polygon")) == 2, "the card is outlined")


def test_a_flag_can_be_dismissed_and_the_ruling_undone(page: Page) -> None:
    page.game.apply(played_deal(11, revoke=True))
    page.open()
    page.until(lambda: page.all(".flag.proved"))
    page.click('.flag.proved [data-key^="dismissed-"]')
    page.until(lambda: page.all(".flag.dismissed"))
    page.click("#undo")
    page.until(lambda: not page.all(".flag.dismissed"))


# Where the yellow of a sure card's outline reaches from and to, as parts of the width.
OUTLINE = """
const one = document.getElementById("overlay");
const data = one.getContext("2d").getImageData(0, 0, one.width, one.height).data;
let left = one.width, right = 0;
for (let i = 0; i < data.length; i += 4) {
  if (data[i + 3] < 200 || Math.abs(data[i + 2] - 0x4d) > 20) continue;
  const x = (i / 4) % one.width;
  left = Math.min(left, x);
  right = Math.max(right, x);
}
return [left / one.width, right / one.width];
"""


def test_the_picture_and_the_outlines_of_the_cards_are_drawn(page: Page) -> None:
    page.open()
    page.site.publisher.frame(table_picture(1280, 720), 3.0, [("7H", 0.99, QUAD, "up")])
    page.until(lambda: page.find("#picture").get_attribute("width") == "960")
    (blue, green, red) = (60, 90, 40)
    pixel = page.js(
        "return [...document.getElementById('picture').getContext('2d')"
        ".getImageData(20, 20, 1, 1).data]"
    )
    assert [abs(a - b) < 12 for a, b in zip(pixel, (red, green, blue), strict=False)] == [True] * 3
    drawn = page.js(OUTLINE)
    corners = [x / 1280 for x, _ in QUAD]
    assert drawn[0] == pytest.approx(min(corners), abs=0.02)
    assert drawn[1] == pytest.approx(max(corners), abs=0.02)
    assert page.find("#found").get_attribute("textContent") == "seven of hearts"
    assert page.text("#status") == "0:03 · following the game"


CORNERS = ((0.2, 0.1), (0.8, 0.1), (0.85, 0.9), (0.15, 0.9))


def marked(page: Page) -> list[tuple[float, float]]:
    page.until(lambda: page.game.game.table is not None)
    table = page.game.game.table
    assert table is not None
    assert table.size == (1280, 720)
    return [(x / 1280, y / 720) for x, y in table.corners]


def test_the_table_is_marked_with_four_taps_on_the_picture(page: Page) -> None:
    page.open()
    page.site.publisher.frame(table_picture(1280, 720), 3.0)
    page.until(lambda: page.find("#mark-table").is_enabled())
    page.click("#mark-table")
    overlay = page.find("#overlay")
    width, height = overlay.size["width"], overlay.size["height"]
    for number, (x, y) in enumerate(CORNERS, start=1):
        assert f"corner {number} of 4" in page.text("#mark-hint")
        move = webdriver.ActionChains(page.driver)
        middle = (round((x - 0.5) * width), round((y - 0.5) * height))
        move.move_to_element_with_offset(overlay, *middle).click().perform()
    for corner, wanted in zip(marked(page), CORNERS, strict=True):
        assert corner == pytest.approx(wanted, abs=0.01)


def test_the_table_is_marked_with_the_keyboard_alone(page: Page) -> None:
    page.open()
    page.site.publisher.frame(table_picture(1280, 720), 3.0)
    page.until(lambda: page.find("#mark-table").is_enabled())
    page.find("#mark-table").send_keys(Keys.ENTER)
    cross = page.driver.switch_to.active_element
    for keys in ((Keys.UP, Keys.LEFT), (Keys.RIGHT,), (Keys.DOWN,), (Keys.LEFT,)):
        times = 20 if len(keys) > 1 else 40
        cross.send_keys(*(keys * times), Keys.ENTER)
    wanted = [(0.3, 0.3), (0.7, 0.3), (0.7, 0.7), (0.3, 0.7)]
    for corner, right in zip(marked(page), wanted, strict=True):
        assert corner == pytest.approx(right, abs=0.001)


def test_names_are_written_at_the_seats_and_used_everywhere(page: Page) -> None:
    page.game.apply(played_deal(1, tricks=1))
    page.open()
    page.until(lambda: page.all("#history tbody tr"))
    name = page.find(".seat-S input")
    name.send_keys("Zé", Keys.ENTER)
    page.until(lambda: "Zé" in page.text('[data-team="NS"] h3'))
    assert "Zé" in page.text("#history thead")
    assert dict(page.game.game.names) == {"S": "Zé"}


def test_counting_only_at_the_end_hides_the_points(page: Page) -> None:
    page.game.apply(played_deal(1, tricks=5))
    page.open()
    page.until(lambda: page.all("#score output"))
    page.click("#counting")
    page.until(lambda: {output.text for output in page.all("#score output")} == {"–"})
    assert {cell.text for cell in page.all("#history td.number")} == {""}


def test_the_dealer_and_the_trump_are_put_right(page: Page) -> None:
    page.game.apply([*played_deal(1, tricks=1)[:1], TrumpShown(1.0, "7D", "W", 0.6)])
    page.open()
    page.until(lambda: page.all(".trump-box.unsure"))
    page.click("#trump button")
    page.click('#correct [data-card="7H"]')
    page.until(lambda: not page.all(".trump-box.unsure"))
    page.click(".seat-W .dealer")
    page.click('#correct [data-dealer-choice="S"]')
    page.until(lambda: page.text(".seat-S .dealer") == "dealer")


def test_everything_can_be_done_with_the_keyboard(page: Page) -> None:
    page.game.apply(played_deal(1, tricks=1)[:3])
    page.open()
    page.until(lambda: vaza(page))
    body = page.find("body")
    for _ in range(40):
        body = page.driver.switch_to.active_element
        body.send_keys(Keys.TAB)
        if page.js("return document.activeElement.matches('.slot-S .card')"):
            break
    page.driver.switch_to.active_element.send_keys(Keys.ENTER)
    page.until(lambda: page.js("return document.getElementById('correct').open"))
    assert page.js("return document.activeElement.matches('#correct [data-first]')")
    page.driver.switch_to.active_element.send_keys(Keys.TAB)
    chosen = page.js("return document.activeElement.dataset.card")
    page.driver.switch_to.active_element.send_keys(Keys.ENTER)
    page.until(lambda: page.game.game.play(1).card == chosen)  # type: ignore[union-attr]
    page.until(lambda: page.js("return document.activeElement.dataset.key") == "vaza-1")


def test_escape_leaves_everything_as_it_was(page: Page) -> None:
    page.game.apply(played_deal(1, tricks=1)[:3])
    page.open()
    page.until(lambda: vaza(page))
    page.click(".slot-S .card")
    page.driver.switch_to.active_element.send_keys(Keys.ESCAPE)
    page.until(lambda: not page.js("return document.getElementById('correct').open"))
    assert len(page.game.entries) == 3


@pytest.mark.parametrize("size", [WIDE, PHONE], ids=["1280", "390"])
@pytest.mark.parametrize("lang", LANGUAGES)
def test_it_fits_the_screen_without_sideways_scrolling(
    page: Page, lang: str, size: tuple[int, int]
) -> None:
    page.game.apply(with_evidence(page, played_deal(11, revoke=True)))
    page.open(lang, size)
    page.until(lambda: page.all(".flag.proved"))
    assert page.js("return document.documentElement.scrollWidth") <= size[0]
    page.click('#history [data-key="row-1"]')
    dialog = page.find("#correct").rect
    assert dialog["x"] >= 0
    assert dialog["x"] + dialog["width"] <= size[0]


def test_a_vaza_of_many_cards_of_one_seat_stays_in_its_column(page: Page) -> None:
    page.game.apply(played_deal(1, tricks=4))
    for number in range(1, 17):
        page.game.say(PlayCorrected(0.0, number, "AS", "S", 1))
    page.open()
    page.until(lambda: len(page.all(".slot-S .card")) == 16)
    for part in (".felt", "#history"):
        assert page.find(part).rect["width"] <= page.find("#left").rect["width"]
    assert page.find("#left").rect["width"] < WIDE[0] * 0.6
    cards = [card.rect["y"] for card in page.all(".slot-S .card")]
    assert cards[-1] - cards[0] < 8 * page.find(".slot-S .card").rect["height"], "they overlap"


def test_no_word_is_missing_in_any_language_and_nothing_complains(page: Page) -> None:
    page.game.apply(with_evidence(page, played_deal(11, revoke=True)))
    for lang in LANGUAGES:
        page.open(lang)
        page.until(lambda: page.all(".flag.proved"))
        assert page.js("return document.documentElement.lang") == lang
        shown = page.text("body")
        assert not [word for word in shown.split() if "_" in word]
    assert page.complaints() == []


def test_the_language_changes_without_loading_the_page_again(page: Page) -> None:
    page.game.apply(played_deal(11, revoke=True))
    page.open("en")
    page.until(lambda: page.all(".flag.proved"))
    page.js("document.body.dataset.stays = 'yes'")
    page.click("#language option[value='es']")
    page.until(lambda: "asisti" in page.text(".flag.proved .flag-text"))
    assert page.text("#history-title") == "Bazas"
    assert page.js("return document.body.dataset.stays") == "yes"


CONTRAST = """
const light = (colour) => {
  const parts = colour.match(/[\\d.]+/g).slice(0, 3).map((part) => {
    const c = part / 255;
    return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2];
};
const opaque = (colour) => !/rgba\\(.*, (0|0?\\.\\d+)\\)/.test(colour);
const faint = [];
for (const node of document.querySelectorAll(".panel *, footer *")) {
  const own = [...node.childNodes].some((one) => one.nodeType === 3 && one.data.trim());
  if (!own || !node.checkVisibility() || node.closest(".video, :disabled, .card")) continue;
  let behind = node;
  while (behind && !opaque(getComputedStyle(behind).backgroundColor)) behind = behind.parentElement;
  const [a, b] = [light(getComputedStyle(node).color),
                  light(getComputedStyle(behind ?? document.body).backgroundColor)];
  const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
  if (ratio < 4.5) faint.push(`${node.className || node.tagName}: ${ratio.toFixed(2)}`);
}
return faint;
"""


def test_text_stands_out_from_what_is_behind_it(page: Page) -> None:
    page.game.apply(with_evidence(page, played_deal(11, revoke=True)))
    page.open()
    page.until(lambda: page.all(".flag.proved"))
    assert page.js(CONTRAST) == []


def nameless(page: Page, within: str) -> list[str]:
    controls = page.all(f":is({within}) :is(button, a, input, select, [role=img])")
    assert controls
    return [
        control.get_attribute("outerHTML")
        for control in controls
        if control.is_displayed() and not control.accessible_name
    ]


def test_every_control_has_a_name_for_those_who_listen(page: Page) -> None:
    page.game.apply(with_evidence(page, played_deal(11, revoke=True)))
    page.open()
    page.until(lambda: page.all(".flag.proved"))
    assert nameless(page, "main, header, footer") == []
    page.click('#history [data-key="row-1"]')
    assert nameless(page, "#correct") == []


def test_a_page_left_open_finds_the_game_again_after_the_program_was_restarted(
    page: Page, tmp_path: Path, driver: Any
) -> None:
    library = Library(tmp_path / "other")
    library.create("friday").apply(played_deal(1, tricks=1))
    with serve_in_thread(Site(library, "friday"), port=0) as served:
        port = int(served.url.rsplit(":", 1)[1].strip("/"))
        driver.get(f"{served.url}?lang=en")
        page.until(lambda: page.all("#history tbody tr"))
    page.until(lambda: page.find("#banner").is_displayed())
    library.open("friday").apply(played_deal(2, number=2, tricks=1))
    with serve_in_thread(Site(library, "friday"), port=port):
        page.until(lambda: not page.find("#banner").is_displayed())
        page.until(lambda: page.text("#where").startswith("Deal 2"))
        driver.get("about:blank")
    library.close()


def test_the_games_kept_are_listed_and_one_can_be_reviewed(page: Page, driver: Any) -> None:
    page.site.library.create("friday").apply(played_deal(1))
    driver.get(f"{page.url}games?lang=en")
    page.until(lambda: len(page.all("li.game")) == 2)
    driver.find_element(By.LINK_TEXT, "friday").click()
    page.until(lambda: page.text("#connection") == "review")
    assert not page.find("#camera").is_displayed()
    page.until(lambda: len(page.all("#history tbody tr")) == 10)
