"""The table: its coordinates, its file, and finding it in a picture."""

import json
import math
from pathlib import Path

import cv2
import numpy as np
import pytest

from tests.vision.scenes import HEIGHT, TABLE, WIDTH, Lay, Scene
from vision import geometry
from vision.errors import UserError
from vision.table import Table, load_table, propose_table, table_from_corners, whole_picture
from vision.types import Image, Quad, Window

CORNERS: Quad = ((210.0, 40.0), (1080.0, 60.0), (1200.0, 690.0), (100.0, 660.0))


def room(corners: Quad = CORNERS, cloth: tuple[int, int, int] = (60, 110, 40)) -> Image:
    rng = np.random.default_rng(3)
    image = np.full((720, 1280, 3), (70, 90, 120), dtype=np.uint8)
    cv2.fillConvexPoly(image, np.array(corners).astype(np.int32), cloth, cv2.LINE_AA)
    return np.clip(image + rng.normal(0, 4, image.shape), 0, 255).astype(np.uint8)


def near(table: Table, corners: Quad, within: float) -> bool:
    return all(
        np.hypot(a[0] - b[0], a[1] - b[1]) < within
        for a, b in zip(table.corners, corners, strict=True)
    )


def test_corners_in_any_order_make_the_same_table() -> None:
    shuffled = (CORNERS[2], CORNERS[0], CORNERS[3], CORNERS[1])
    assert table_from_corners(shuffled, (1280, 720)).corners == CORNERS


def test_cards_are_looked_for_on_the_table_and_a_little_round_it() -> None:
    corners: Quad = ((300.0, 100.0), (900.0, 100.0), (900.0, 600.0), (300.0, 600.0))
    assert Table(corners, (1280, 720)).window == Window(264, 70, 936, 630)


def test_the_part_looked_at_stays_in_the_picture() -> None:
    assert Table(CORNERS, (1280, 720)).window == Window(34, 1, 1266, 720)
    assert whole_picture((640, 480)).window == Window(0, 0, 640, 480)


def test_where_the_table_lies_outside_the_picture_all_of_it_is_looked_at() -> None:
    corners: Quad = ((1400.0, 100.0), (1900.0, 100.0), (1900.0, 600.0), (1400.0, 600.0))
    assert Table(corners, (1280, 720)).window == Window(0, 0, 1280, 720)


@pytest.mark.parametrize(
    ("point", "seat"), [((0.5, 0.9), "S"), ((0.95, 0.5), "E"), ((0.4, 0.1), "N"), ((0, 0.6), "W")]
)
def test_seats_sit_at_their_sides_of_the_picture(point: tuple[float, float], seat: str) -> None:
    assert table_from_corners(CORNERS, (1280, 720)).seat_at(point) == seat


def test_a_quad_goes_to_the_table_and_back() -> None:
    table = table_from_corners(CORNERS, (1280, 720))
    card = geometry.rectangle((600, 400), 60, 90, 0.7)
    back = table.quad_to_image(table.quad_to_table(card))
    assert np.asarray(back) == pytest.approx(np.asarray(card))


def test_the_table_follows_a_moved_camera() -> None:
    table = table_from_corners(CORNERS, (1280, 720))
    shift = np.array([[1.0, 0, 12], [0, 1, -7], [0, 0, 1]])
    assert table.moved(shift).corners[0] == pytest.approx((222, 33))


def test_a_saved_table_is_the_same_when_loaded(tmp_path: Path) -> None:
    table = Table(CORNERS, (1280, 720), ((0.1, 0.1), (0.9, 0.1), (0.5, 0.9)), ("W", "S", "E", "N"))
    table.save(tmp_path / "table.json")
    assert load_table(tmp_path / "table.json") == table


def table_file(**changes: object) -> str:
    """A table file with some of it put wrong."""
    whole = {
        "version": 1,
        "corners": CORNERS,
        "image_size": (1280, 720),
        "play_area": ((0, 0), (1, 0), (1, 1)),
        "sides": ("S", "E", "N", "W"),
        "whole_picture": False,
    }
    return json.dumps(whole | changes)


WRONG_TABLES = (
    table_file(image_size=(math.inf, 720)),
    table_file(image_size=(0, 0)),
    table_file(corners=((math.nan, 0), (9, 0), (9, 9), (0, 9))),
    table_file(play_area=()),
    table_file(play_area=((0, 0), (1, math.nan), (1, 1))),
    "[" * 100_000,
)


@pytest.mark.parametrize(
    "content", ["", "[]", "{}", '{"version": 9}', "\x00\x01", *WRONG_TABLES], ids=range(11)
)
def test_what_is_no_table_file_is_said_in_one_line(tmp_path: Path, content: str) -> None:
    path = tmp_path / "table.json"
    path.write_text(content)
    with pytest.raises(UserError) as error:
        load_table(path)
    assert "table.json" in str(error.value)
    assert "\n" not in str(error.value)


def test_a_missing_table_file_is_said(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="no table file"):
        load_table(tmp_path / "none.json")


@pytest.mark.parametrize(
    "corners",
    [
        ((0.0, 0.0), (0.0, 0.0), (100.0, 100.0), (0.0, 100.0)),
        ((5.0, 5.0), (9.0, 5.0), (9.0, 9.0), (5.0, 9.0)),
        ((0.0, 0.0), (9000.0, 0.0), (9000.0, 700.0), (0.0, 700.0)),
    ],
)
def test_corners_that_make_no_table_are_refused(corners: Quad) -> None:
    with pytest.raises(UserError):
        table_from_corners(corners, (1280, 720))


@pytest.mark.parametrize("cloth", [(60, 110, 40), (160, 190, 210), (40, 45, 110)])
def test_the_table_is_proposed_from_its_edges(cloth: tuple[int, int, int]) -> None:
    table = propose_table(room(cloth=cloth))
    assert not table.whole_picture
    assert near(table, CORNERS, within=12)


def test_cards_and_an_arm_on_the_table_do_not_hide_it() -> None:
    acts = [Lay("S", "AS", (320, 220), 0.5), Lay("E", "7S", (420, 180), 1.0)]
    scene = Scene(acts, 1.2)
    *_, frame = scene.frames()
    table = propose_table(frame.image)
    assert table.image_size == (WIDTH, HEIGHT)
    assert near(table, TABLE, within=12)


def test_without_an_edge_the_picture_is_the_table() -> None:
    bare = np.full((360, 640, 3), (60, 110, 40), dtype=np.uint8)
    table = propose_table(bare)
    assert table.whole_picture
    assert table.corners == whole_picture((640, 360)).corners


def test_a_picture_of_noise_is_its_own_table() -> None:
    noise = np.random.default_rng(1).integers(0, 255, (360, 640, 3)).astype(np.uint8)
    assert propose_table(noise).whole_picture
