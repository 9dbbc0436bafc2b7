"""How the finder's raw outputs become quads, without a network."""

import math
from collections.abc import Callable

import cv2
import numpy as np
import pytest

from vision.any_size import any_size, looks_again
from vision.boxes import (
    BINS,
    MIDDLE,
    MOST_CARDS,
    STRIDES,
    chosen,
    decode,
    distinct_rows,
    mirrored,
    quad_of_row,
    shared,
    surest_places,
    whole_cards,
)
from vision.finder import letterbox
from vision.geometry import Quad, inscribed, iou, order_quad, rectangle

SHAPE = (64, 96)


def empty_outputs() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    count = sum((SHAPE[0] // s) * (SHAPE[1] // s) for s in STRIDES)
    boxes = np.zeros((4 * BINS, count), np.float32)
    return boxes, np.full((2, count), -9.0, np.float32), np.zeros((4, count), np.float32)


def boxed(x: float, y: float, w: float, h: float, angle: float, p: float) -> list[float]:
    """The row of a face-up card seen from straight above, a rectangle."""
    return [x, y, w, h, angle, p, 0, angle]


def put(
    outputs: tuple[np.ndarray, ...], at: int, card: Quad, point: tuple[float, float], stride: int
) -> None:
    """A sure face-up card as a perfect network says it from anchor `at`, which is at `point`."""
    boxes, scores, turns = outputs
    (x, y), long, short, direction, turn = inscribed(card)
    said = ((x - point[0]) / stride + MIDDLE, (y - point[1]) / stride + MIDDLE,
            long / 2 / stride, short / 2 / stride)  # fmt: skip
    for part, steps in enumerate(said):
        low = int(steps)  # between two steps: that much of the one and the rest of the other
        boxes[part * BINS : (part + 1) * BINS, at] = -50.0
        for step, share in ((low, low + 1 - steps), (low + 1, steps - low)):
            boxes[part * BINS + step, at] = math.log(max(share, 1e-12))
    scores[0, at] = 4.0
    turns[:, at] = [math.cos(2 * direction), math.sin(2 * direction),
                    math.cos(4 * turn), math.sin(4 * turn)]  # fmt: skip


def test_nothing_sure_gives_no_rows() -> None:
    assert decode(*empty_outputs(), SHAPE, 0.4).shape == (0, 8)


ASLANT = order_quad([(20, 8), (50, 14), (58, 50), (28, 44)])
"""A card as seen from a chair: no rectangle."""


@pytest.mark.parametrize(
    "card", [*(rectangle((44, 36), 40, 60, math.radians(d)) for d in range(0, 180, 15)), ASLANT]
)
def test_a_card_is_understood_as_it_was_said_whichever_way_it_lies(card: Quad) -> None:
    outputs = empty_outputs()
    put(outputs, 3 * 12 + 5, card, (44.0, 28.0), 8)  # the sixth anchor of the fourth row, stride 8
    (row,) = decode(*outputs, SHAPE, 0.4)
    assert np.array(quad_of_row(row)) == pytest.approx(np.array(card), abs=1e-2)
    assert row[5] == pytest.approx(1 / (1 + math.exp(-4)))
    assert row[6] == 0


def test_a_card_is_where_it_is_however_uncertain_its_turn() -> None:
    """The middle is said in the picture's frame: a turn half understood moves no card."""
    outputs = empty_outputs()
    put(outputs, 3 * 12 + 5, rectangle((52, 20), 40, 60, 0.0), (44.0, 28.0), 8)
    for turn in np.random.default_rng(1).normal(0, 1, (20, 4)):
        outputs[2][:, 3 * 12 + 5] = turn
        (row,) = decode(*outputs, SHAPE, 0.4)
        assert np.array(quad_of_row(row)).mean(axis=0) == pytest.approx([52, 20], abs=1e-2)


def test_of_two_boxes_on_one_card_the_surer_stays() -> None:
    rows = np.array([boxed(50, 50, 40, 60, 0, 0.6), boxed(51, 50, 40, 60, 0, 0.9)], float)
    (only,) = distinct_rows(rows)
    assert only[5] == 0.9


def test_cards_fanned_by_more_than_a_third_of_their_width_stay_apart() -> None:
    rows = np.array([boxed(50, 50, 60, 90, 0, 0.9), boxed(72, 50, 60, 90, 0, 0.9)], float)
    assert len(distinct_rows(rows)) == 2


def test_a_card_seen_twice_once_askew_is_one() -> None:
    rows = np.array([boxed(50, 50, 60, 90, 0, 0.9), boxed(55, 54, 60, 90, 0.6, 0.5)], float)
    (only,) = distinct_rows(rows)
    assert only[5] == 0.9


def test_cards_thrown_across_each_other_stay_two() -> None:
    rows = np.array([boxed(50, 50, 60, 90, 0, 0.9), boxed(75, 75, 60, 90, 1.2, 0.8)], float)
    assert len(distinct_rows(rows)) == 2


def test_of_a_pattern_of_endless_cards_the_surest_are_kept() -> None:
    rows = np.array([boxed(100 * i, 50, 60, 90, 0, 0.5 + i / 1000) for i in range(300)], float)
    found = distinct_rows(rows)
    assert len(found) == MOST_CARDS
    assert found[:, 5].min() == pytest.approx(0.6)


@pytest.mark.parametrize("angle", [0.0, 0.3, 1.2, 2.0, 3.0])
@pytest.mark.parametrize(("w", "h"), [(40, 60), (60, 40)])
def test_a_quad_runs_clockwise_from_a_short_side(w: float, h: float, angle: float) -> None:
    quad = np.array(quad_of_row(np.array(boxed(100, 100, w, h, angle, 0.9))))
    sides = np.linalg.norm(np.roll(quad, -1, axis=0) - quad, axis=1)
    assert sides == pytest.approx([40, 60, 40, 60])
    x, y = quad.T
    assert np.sum(x * np.roll(y, -1) - np.roll(x, -1) * y) > 0  # clockwise with y down


def test_letterbox_keeps_the_shape_and_pads_to_strides() -> None:
    padded, scale = letterbox(np.zeros((720, 1280, 3), np.uint8), 640)
    assert padded.shape == (384, 640, 3)
    assert scale == 0.5
    assert (padded[370] == 114).all()


def test_a_small_picture_is_not_blown_up_beyond_twice() -> None:
    padded, scale = letterbox(np.zeros((100, 60, 3), np.uint8), 640)
    assert scale == 2.0
    assert padded.shape == (224, 128, 3)


CARD = np.array([boxed(320, 240, 60, 90, 0.3, 0.9)], float)


def seen_at(card: np.ndarray, sides: list[int]) -> Callable[[np.ndarray, int], np.ndarray]:
    """A look that finds this card of a 640 x 480 picture, not in its close-up, and notes the sides."""

    def look(image: np.ndarray, side: int) -> np.ndarray:
        sides.append(side)
        return card if image.shape[:2] == (480, 640) else card[:0]

    return look


def test_cards_that_look_small_are_looked_at_again_larger() -> None:
    sides: list[int] = []
    found = any_size(seen_at(CARD, sides), np.zeros((480, 640, 3), np.uint8))
    assert np.array_equal(found.rows, CARD)
    small, first, larger = sides
    assert small < first < larger
    assert found.side == first  # the larger look was no surer


def test_the_face_of_a_card_that_fills_the_picture_is_no_card_of_its_own() -> None:
    whole = boxed(320, 240, 400, 560, 0.0, 0.9)
    face, beside = boxed(320, 200, 150, 200, 0.2, 0.7), boxed(900, 240, 150, 200, 0.0, 0.6)
    rows = np.array([whole, face, beside], float)
    assert whole_cards(rows).tolist() == [whole, beside]


def test_weak_boxes_come_along_but_do_not_say_how_large_the_cards_are() -> None:
    weak = np.array([[*row[:5], 0.2, *row[6:]] for row in CARD.tolist()] * 3)
    weak[:, 2:4] *= 8
    rows = np.concatenate([CARD, weak])
    with_them: list[int] = []
    found = any_size(
        seen_at(rows, with_them),
        np.zeros((480, 640, 3), np.uint8),
        said=lambda rows: rows[rows[:, 5] >= 0.4],
    )
    without: list[int] = []
    any_size(seen_at(CARD, without), np.zeros((480, 640, 3), np.uint8))
    assert with_them == without
    assert np.array_equal(found.rows, rows)


def test_a_card_that_fills_the_picture_is_looked_at_small_with_a_margin_round_it() -> None:
    large = np.array([boxed(320, 240, 480, 620, 0.0, 0.4)], float)

    def look(image: np.ndarray, side: int) -> np.ndarray:
        if image.shape[:2] == (480, 640):
            return large
        bright = np.argwhere(image[..., 0] == 200)
        (top, left), (bottom, right) = bright.min(axis=0), bright.max(axis=0) + 1
        assert top > 20
        return np.array(
            [boxed((left + right) / 2, (top + bottom) / 2, right - left, bottom - top, 0.0, 0.9)]
        )

    (found,), side = any_size(look, np.full((480, 640, 3), 200, np.uint8))
    assert found == pytest.approx(boxed(320, 240, 640, 480, 0, 0.9), abs=3)
    assert side == 0


def test_a_picture_in_which_nothing_is_found_stays_empty() -> None:
    sides: list[int] = []
    nothing = any_size(seen_at(np.zeros((0, 8)), sides), np.zeros((480, 640, 3), np.uint8))
    assert len(nothing.rows) == 0
    assert len(sides) == 3


def bright_card() -> np.ndarray:
    """A grey picture with a bright card lying askew."""
    picture = np.full((300, 400, 3), 60, np.uint8)
    quad = rectangle((250, 120), 90, 60, 0.4)
    cv2.fillConvexPoly(picture, np.round(quad).astype(np.int32), (200, 200, 200))
    return picture


def seen_by_its_outline(picture: np.ndarray, side: int) -> np.ndarray:
    """A look that says of the bright card what a perfect network would."""
    outline = (
        np.argwhere(picture[..., 0] > 150)[:, ::-1].astype(np.float32) + 0.5
    )  # pixels' middles
    (x, y), (w, h), angle = cv2.minAreaRect(outline)
    return np.array([boxed(x, y, w, h, math.radians(angle), 0.9)])


def test_looked_at_again_whichever_way_a_card_lies_where_it_does() -> None:
    picture = bright_card()
    truth = quad_of_row(seen_by_its_outline(picture, 0)[0])
    again = list(looks_again(seen_by_its_outline, picture, 416))
    assert len(again) == 4
    for rows in again:
        assert iou(quad_of_row(rows[0]), truth) > 0.97


def test_a_card_seen_aslant_is_the_same_one_in_the_mirror() -> None:
    x, y, w, h, direction, turn = inscribed_row(ASLANT)
    row = np.array([[x, y, w, h, direction, 0.9, 0, turn]])
    in_the_mirror = order_quad([(100 - px, py) for px, py in ASLANT])
    assert iou(quad_of_row(mirrored(row, 100)[0]), in_the_mirror) > 0.99


def inscribed_row(quad: Quad) -> tuple[float, ...]:
    (x, y), long, short, direction, turn = inscribed(quad)
    return (x, y, long, short, direction, turn)


def test_a_photograph_is_looked_at_again_smaller_and_larger() -> None:
    sides: list[int] = []
    list(looks_again(seen_at(CARD, sides), np.zeros((480, 640, 3), np.uint8), 400))
    assert sides == [400, 400, 500, 320]


def test_where_a_card_lies_another_look_may_know_better_but_not_whether_one_lies_there() -> None:
    rows = np.array([boxed(100, 100, 90, 60, 0, 0.3), boxed(101, 100, 90, 60, 0, 0.2)])
    better, elsewhere = boxed(104, 102, 90, 60, 0.05, 0.8), boxed(300, 100, 90, 60, 0, 0.9)
    (only,) = surest_places(rows, np.array([better, elsewhere]))
    assert only.tolist() == [*better[:5], 0.3, *better[6:]]


def test_where_nothing_was_seen_looking_again_finds_nothing() -> None:
    assert not len(surest_places(np.zeros((0, 8)), CARD))


def test_cards_of_which_one_hides_more_than_half_of_the_other_are_two_only_if_surely_so() -> None:
    rows = np.array([boxed(100, 100, 90, 60, 0, 0.9), boxed(100, 125, 90, 60, 0, 0.9)])
    assert 0.4 < shared(*rows) < 0.45
    assert len(chosen(rows, np.array([0.9, 0.8]))[0]) == 2
    assert chosen(rows, np.array([0.6, 0.9]))[0].tolist() == [rows[1].tolist()]


def test_boxes_across_each_other_that_are_not_surely_two_are_left_to_the_reader() -> None:
    rows = np.array([boxed(100, 100, 90, 60, 0, 0.9), boxed(100, 125, 90, 60, 0, 0.9)])
    kept, doubtful = chosen(rows, np.array([0.6, 0.9]))
    assert (kept.tolist(), doubtful.tolist()) == ([rows[1].tolist()], [rows[0].tolist()])
    for surely_two in (np.array([0.9, 0.8]), np.array([0.7, 0.9])):
        assert not len(chosen(rows, surely_two)[1])
    apart = np.array([rows[0], boxed(100, 135, 90, 60, 0, 0.9)])
    assert not len(chosen(apart, np.array([0.6, 0.9]))[1])


def test_boxes_that_share_more_than_half_are_one_card_however_sure() -> None:
    rows = np.array([boxed(100, 100, 90, 60, 0, 0.9), boxed(100, 115, 90, 60, 0, 0.9)])
    kept, doubtful = chosen(rows, np.array([0.99, 0.99]))
    assert (len(kept), len(doubtful)) == (1, 0)
