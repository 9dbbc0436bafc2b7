"""`sueca read` on whatever pictures people have: the right answer or one line, in little memory.

The pictures are drawn here; `tests/vision/test_images.py` holds the formats alone, without the models.
"""

from collections.abc import Callable
from pathlib import Path

import cv2
import numpy as np
import pytest

from assistant.commands.read import read_image
from tests.pictures import (
    Place,
    cloth,
    cmyk_jpeg,
    palette_png,
    photograph,
    png_header,
    turned_by_exif,
    write_animation,
)
from vision.errors import UserError
from vision.finder import Finder
from vision.labels import CARDS
from vision.reader import Reader
from vision.types import Image

FOUR: dict[str, Place] = {
    "7H": (150, 160, 0.2),
    "QS": (320, 200, 1.4),
    "AD": (480, 150, -0.4),
    "2C": (300, 370, 2.6),
}


@pytest.fixture(scope="module")
def table() -> Image:
    """Four cards on a cloth, 640 x 480."""
    return photograph(FOUR, 130)


Answer = Callable[..., list[str]]


@pytest.fixture(scope="module")
def models() -> tuple[Finder, Reader]:
    return Finder(), Reader()


@pytest.fixture
def answer(models: tuple[Finder, Reader], tmp_path: Path) -> Answer:
    """The cards `sueca read` finds in a file of this name and content, sorted."""

    def read(name: str, content: bytes | None = None) -> list[str]:
        path = tmp_path / name
        if content is not None:
            path.write_bytes(content)
        return sorted(card.card for card in read_image(path, *models))

    return read


def encoded(suffix: str, image: np.ndarray, *options: int) -> bytes:
    return cv2.imencode(suffix, image, options)[1].tobytes()


THESE_FOUR = sorted(FOUR)


def test_a_picture_with_no_card_has_none(answer: Answer) -> None:
    assert answer("empty.png", encoded(".png", cloth(480, 640))) == []


@pytest.mark.parametrize("card", ["7H", "KD", "AS"])
@pytest.mark.parametrize("angle", [0.0, np.pi / 2])
def test_one_card_that_fills_the_frame_is_read(answer: Answer, card: str, angle: float) -> None:
    height, width = (640, 440) if angle == 0 else (440, 640)
    close_up = photograph({card: (width / 2, height / 2, angle)}, 640, height, width)
    assert answer("close.jpg", encoded(".jpg", close_up)) == [card]


def test_forty_cards_at_once_are_all_read(answer: Answer) -> None:
    places = {
        card: (70.0 + 118 * (i % 10), 95.0 + 170 * (i // 10), 0.05 * ((i * 7) % 5 - 2))
        for i, card in enumerate(CARDS)
    }
    picture = photograph(places, 130, 720, 1240)
    assert answer("deck.png", encoded(".png", picture)) == sorted(CARDS)


def test_an_upside_down_picture_shows_the_same_cards(answer: Answer, table: Image) -> None:
    assert answer("turned.png", encoded(".png", table[::-1, ::-1])) == THESE_FOUR


def grey(table: Image) -> np.ndarray:
    return cv2.cvtColor(table, cv2.COLOR_BGR2GRAY)


def with_alpha(table: Image) -> np.ndarray:
    return np.dstack([table, np.full(table.shape[:2], 255, np.uint8)])


def cut_out(table: Image) -> np.ndarray:
    """The cards alone, the cloth made transparent."""
    bright = (table.min(axis=2) > 70).astype(np.uint8)
    solid = cv2.morphologyEx(bright, cv2.MORPH_CLOSE, np.ones((45, 45), np.uint8))
    return np.dstack([table * solid[..., None], solid * 255])


ODD_FORMS: dict[str, Callable[[Image], bytes]] = {
    "grey.png": lambda table: encoded(".png", grey(table)),
    "16-bit.png": lambda table: encoded(".png", table.astype(np.uint16) * 257),
    "grey-16-bit.png": lambda table: encoded(".png", grey(table).astype(np.uint16) * 257),
    "palette.png": palette_png,
    "alpha.png": lambda table: encoded(".png", with_alpha(table)),
    "cut-out.png": lambda table: encoded(".png", cut_out(table)),
    "four-inks.jpg": cmyk_jpeg,
    "progressive.jpg": lambda table: encoded(".jpg", table, cv2.IMWRITE_JPEG_PROGRESSIVE, 1),
    "no-ending": lambda table: encoded(".jpg", table),
    "jpeg-called.png": lambda table: encoded(".jpg", table),
}


@pytest.mark.parametrize("name", ODD_FORMS)
def test_the_cards_are_read_whatever_form_the_file_has(
    answer: Answer, table: Image, name: str
) -> None:
    assert answer(name, ODD_FORMS[name](table)) == THESE_FOUR


@pytest.mark.parametrize("orientation", [3, 6, 8])
def test_a_photograph_turned_by_its_exif_is_read(
    answer: Answer, table: Image, orientation: int
) -> None:
    quarter_turns = {3: 2, 6: 1, 8: 3}[orientation]
    stored = encoded(".jpg", np.rot90(table, quarter_turns).copy())
    assert answer("phone.jpg", turned_by_exif(stored, orientation)) == THESE_FOUR


@pytest.mark.parametrize("suffix", [".gif", ".webp", ".png"])
def test_of_an_animation_the_first_picture_is_read(
    answer: Answer, table: Image, tmp_path: Path, suffix: str
) -> None:
    write_animation(tmp_path / f"moving{suffix}", [table, cloth(480, 640), cloth(480, 640, 2)])
    assert answer(f"moving{suffix}") == THESE_FOUR


def test_a_photograph_of_fifty_megapixels_is_read(answer: Answer, table: Image) -> None:
    large = cv2.resize(table, (8160, 6120), interpolation=cv2.INTER_CUBIC)
    assert answer("large.jpg", encoded(".jpg", large)) == THESE_FOUR


JPEG = encoded(".jpg", photograph(FOUR, 130))

REFUSED = {
    "cut-short.jpg": (JPEG[:20_000], "cut short"),
    "cut-short.png": (encoded(".png", cloth(480, 640))[:9000], "cut short"),
    "empty.jpg": (b"", "is empty"),
    "letter.jpg": (b"Dear Ana,\n" * 300, "not a picture"),
    "tiny.png": (encoded(".png", cloth(32, 32)), "32 x 32 pixels"),
    "bomb.png": (png_header(40_000, 40_000), "40000 x 40000 pixels"),
    "sliver.png": (encoded(".png", cloth(4, 4000)), "4000 x 4 pixels"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_shows_no_table_is_refused_in_one_line(answer: Answer, name: str) -> None:
    content, says = REFUSED[name]
    with pytest.raises(UserError, match=says) as refused:
        answer(name, content)
    assert name in str(refused.value)
    assert len(str(refused.value).splitlines()) == 1
