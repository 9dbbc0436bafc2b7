"""What is said of the picture itself, told with small drawn pictures and made-up readings."""

from collections.abc import Callable

import cv2
import numpy as np
import pytest

from tests.vision.scenes import TABLE, Lay, Scene
from vision import geometry
from vision.crop import rectify
from vision.events import Trouble, ViewTrouble
from vision.health import HealthWatch, MirrorWatch, look_at, mirrored_quad
from vision.labels import INDEX, LABELS
from vision.types import Image, Quad, Reading

CARD = geometry.rectangle((300, 180), 60, 90, 0.4)
OTHER_CARD = geometry.rectangle((380, 200), 60, 90, 1.4)


def picture() -> Image:
    """A table with two cards on it, in good light."""
    scene = Scene([Lay("S", "AS", (320, 220), 0.0), Lay("E", "7S", (370, 180), 0.0)], 1.1)
    return list(scene.frames())[-1].image


PICTURE = picture()


def darker(image: Image) -> Image:
    return (image * 0.15).astype(np.uint8)


def brighter(image: Image) -> Image:
    return cv2.convertScaleAbs(image, alpha=4.5)  # type: ignore[return-value]


def blurred(image: Image) -> Image:
    return cv2.GaussianBlur(image, (0, 0), 4.0)  # type: ignore[return-value]


def as_is(image: Image) -> Image:
    return image


def upside_down(image: Image) -> Image:
    return np.ascontiguousarray(image[::-1, ::-1])


def wall(image: Image) -> Image:
    grain = np.random.default_rng(3).normal(200, 3, image.shape)
    return np.clip(grain, 0, 255).astype(np.uint8)


def black_table(image: Image) -> Image:
    """A black cloth in good light, with a card on it."""
    dark = np.full_like(image, 25)
    cv2.fillConvexPoly(dark, np.array(CARD).astype(np.int32), (235, 235, 235))
    return dark


@pytest.mark.parametrize(
    ("make", "fault"),
    [
        (as_is, None),
        (upside_down, None),
        (wall, None),
        (black_table, None),
        (darker, "dark"),
        (brighter, "overexposed"),
        (blurred, "blurred"),
    ],
)
def test_what_is_wrong_with_a_picture(make: Callable[[Image], Image], fault: str | None) -> None:
    assert look_at(make(PICTURE)).fault == fault


@pytest.mark.parametrize("size", [(320, 180), (1280, 720), (1920, 1080)])
def test_sharpness_does_not_depend_on_the_resolution(size: tuple[int, int]) -> None:
    scaled: Image = cv2.resize(PICTURE, size, interpolation=cv2.INTER_AREA)  # type: ignore[assignment]
    assert look_at(scaled).fault is None


def watched(
    watch: HealthWatch,
    image: Image,
    seconds: float,
    start: float = 0.0,
    cards: tuple[Quad, ...] = (),
    table_found: bool = True,
) -> list[tuple[Trouble, bool]]:
    """What is told over `seconds` of the same picture, as (kind, over)."""
    said: list[ViewTrouble] = []
    for n in range(int(seconds * 4)):
        said += watch.step(start + n / 4, n, image, cards, table_found)
    return [(event.kind, event.over) for event in said]


def test_a_dark_picture_is_told_once_and_when_it_is_over() -> None:
    watch = HealthWatch()
    assert watched(watch, darker(PICTURE), 10, cards=(CARD,)) == [("dark", False)]
    assert watch.troubles == ("dark",)
    assert watched(watch, PICTURE, 10, 10, cards=(CARD,)) == [("dark", True)]
    assert watch.troubles == ()


def test_a_hand_over_the_lens_is_not_told() -> None:
    watch = HealthWatch()
    watched(watch, PICTURE, 5, cards=(CARD,))
    assert watched(watch, darker(PICTURE), 1.5, 5, cards=(CARD,)) == []
    assert watched(watch, PICTURE, 5, 6.5, cards=(CARD,)) == []


def test_a_flickering_lamp_is_one_fault_a_minute() -> None:
    watch = HealthWatch()
    told: list[tuple[Trouble, bool]] = []
    for n in range(10):
        told += watched(watch, darker(PICTURE), 5, 10 * n, cards=(CARD,))
        told += watched(watch, PICTURE, 5, 10 * n + 5, cards=(CARD,))
    assert told.count(("dark", False)) == 2


def test_a_wall_is_no_table() -> None:
    plain = wall(PICTURE)[:90, :160]
    assert watched(HealthWatch(), plain, 120, table_found=False) == [("no-table", False)]


def test_a_table_that_stays_empty_is_told_once() -> None:
    plain = wall(PICTURE)[:90, :160]
    assert watched(HealthWatch(), plain, 600) == [("no-cards", False)]


def test_the_first_card_ends_the_wait() -> None:
    watch = HealthWatch()
    watched(watch, PICTURE, 90)
    assert watched(watch, PICTURE, 5, 90, cards=(CARD,)) == [("no-cards", True)]


def test_between_deals_nothing_is_missed() -> None:
    watch = HealthWatch()
    watched(watch, PICTURE, 5, cards=(CARD,))
    assert watched(watch, wall(PICTURE)[:90, :160], 300, 5) == []


def test_cards_too_small_to_be_read_are_told() -> None:
    small = tuple(geometry.rectangle((200 + 60 * n, 150), 26, 40, 0.3) for n in range(3))
    assert watched(HealthWatch(), PICTURE, 10, cards=small) == [("small-cards", False)]
    assert watched(HealthWatch(), PICTURE, 10, cards=(CARD, OTHER_CARD)) == []


# --- a mirrored picture ---


def reading(card: str, p: float) -> Reading:
    """`card` with probability `p`, the rest even."""
    rest = (1 - p) / (len(LABELS) - 1)
    return Reading(
        tuple(float(np.log(p if i == INDEX[card] else rest)) for i in range(len(LABELS)))
    )


def court(mirrored: bool) -> tuple[Reading, Reading]:
    """A court card as it is seen and in the mirror."""
    right, wrong = reading("QH", 0.97), reading("JC", 0.4)
    return (wrong, right) if mirrored else (right, wrong)


def pips() -> tuple[Reading, Reading]:
    """A number card looks the same either way."""
    return reading("4H", 0.98), reading("4H", 0.97)


def mirror_after(*pairs: tuple[Reading, Reading]) -> bool:
    watch = MirrorWatch()
    for pair in pairs:
        watch.take(*pair)
    return watch.mirrored


def test_court_cards_read_better_in_the_mirror_give_it_away() -> None:
    assert mirror_after(*[court(True), pips(), pips()] * 6)


def test_a_plain_stream_is_not_mirrored() -> None:
    assert not mirror_after(*[court(False), pips(), pips()] * 20)


def test_pips_alone_say_nothing() -> None:
    assert not mirror_after(*[pips()] * 40)


def test_a_few_misread_cards_say_nothing() -> None:
    assert not mirror_after(*[court(True)] * 5)
    assert not mirror_after(*[court(False), court(True), court(True)] * 10)


def test_a_stream_put_right_is_mirrored_no_more() -> None:
    assert not mirror_after(*[court(True)] * 6, *[court(False)] * 6)


def test_the_mirrored_quad_cuts_the_mirror_image_out() -> None:
    plain, mirror = rectify(PICTURE, TABLE), rectify(PICTURE, mirrored_quad(TABLE))
    difference = np.abs(plain[:, ::-1].astype(int) - mirror.astype(int))
    assert difference.mean() < 1
