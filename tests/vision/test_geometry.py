"""Quads and homographies: what every stage relies on."""

import math
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vision import geometry as g

CARD = st.builds(
    g.rectangle,
    st.tuples(st.floats(-500, 2000), st.floats(-500, 2000)),
    st.floats(10, 60),
    st.floats(61, 200),
    st.floats(0, math.pi, exclude_max=True),
)


@given(CARD, st.randoms(use_true_random=False))
def test_order_does_not_depend_on_the_order_given(card: g.Quad, rng: random.Random) -> None:
    corners = list(card)
    rng.shuffle(corners)
    assert g.order_quad(corners) == card


@given(CARD)
def test_a_quad_is_clockwise_and_starts_with_a_short_side(card: g.Quad) -> None:
    short, long = g.side_lengths(card)
    assert g.signed_area(card) > 0
    assert short < long


@given(st.floats(0.01, math.pi - 0.01))
def test_the_long_angle_is_that_of_the_long_side(angle: float) -> None:
    assert g.long_angle(g.rectangle((50, 50), 20, 30, angle)) == pytest.approx(angle)


def test_angles_differ_modulo_half_a_turn() -> None:
    assert g.angle_difference(0.05, math.pi - 0.05) == pytest.approx(0.1)


def test_table_corners_start_at_the_north_west() -> None:
    corners = ((900.0, 50.0), (950.0, 600.0), (100.0, 620.0), (150.0, 40.0))
    assert g.order_table(corners) == (corners[3], corners[0], corners[1], corners[2])


@given(CARD)
def test_a_card_overlaps_itself_wholly(card: g.Quad) -> None:
    assert g.iou(card, card) == pytest.approx(1, abs=1e-3)


@given(CARD, st.integers(0, 2**32), st.sampled_from((1e-6, 1e-4, 1e-2)))
def test_cards_that_all_but_coincide_overlap_wholly(card: g.Quad, seed: int, shift: float) -> None:
    rng = random.Random(seed)
    again = g.as_quad([(x + rng.gauss(0, shift), y + rng.gauss(0, shift)) for x, y in card])
    assert g.iou(card, again) > 0.98


@given(CARD, CARD)
def test_overlap_does_not_depend_on_the_order_or_on_which_way_round_quads_run(
    a: g.Quad, b: g.Quad
) -> None:
    shared = g.intersection_area(a, b)
    assert g.intersection_area(b, a) == pytest.approx(shared, rel=1e-6, abs=1e-6)
    assert g.intersection_area(a[::-1], b) == pytest.approx(shared, rel=1e-6, abs=1e-6)
    assert 0 <= shared <= min(g.area(a), g.area(b)) * (1 + 1e-9)


@given(CARD)
def test_the_nearest_rectangle_of_a_rectangle_is_itself(card: g.Quad) -> None:
    middle, short, long, angle = g.nearest_rectangle(card)
    assert (short, long) == pytest.approx(g.side_lengths(card))
    assert g.iou(g.rectangle(middle, short, long, angle), card) == pytest.approx(1, abs=1e-6)


@given(st.floats(0, math.pi), st.floats(0, math.pi), st.floats(0.55, 1))
def test_the_nearest_rectangle_of_a_card_seen_aslant_keeps_to_its_sides(
    lies: float, seen_from: float, squeeze: float
) -> None:
    ux, uy = math.cos(seen_from), math.sin(seen_from)
    card = g.as_quad(
        [
            (x - (1 - squeeze) * (x * ux + y * uy) * ux, y - (1 - squeeze) * (x * ux + y * uy) * uy)
            for x, y in g.rectangle((0, 0), 62, 88, lies)
        ]
    )
    _, _, _, angle = g.nearest_rectangle(card)
    # The sides of a sheared card are no longer square to each other: neither may be far off.
    across = math.atan2(card[1][1] - card[0][1], card[1][0] - card[0][0])
    sheared = abs(math.pi / 2 - g.angle_difference(across, g.long_angle(card)))
    assert g.angle_difference(angle, g.long_angle(card)) <= sheared + 1e-6


def test_overlap_of_half_shifted_cards() -> None:
    a = g.rectangle((0, 0), 2, 4, 0)
    b = g.rectangle((2, 0), 2, 4, 0)
    assert g.intersection_area(a, b) == pytest.approx(4, abs=1e-4)
    assert g.iou(a, b) == pytest.approx(4 / 12, abs=1e-4)
    assert g.covered(a, b) == pytest.approx(0.5, abs=1e-4)


def test_cards_apart_share_nothing() -> None:
    assert g.iou(g.rectangle((0, 0), 2, 4, 0), g.rectangle((9, 9), 2, 4, 1)) == 0


def test_a_flat_quad_overlaps_nothing() -> None:
    flat = ((0.0, 0.0), (1.0, 0.0), (2.0, 0.0), (3.0, 0.0))
    assert g.iou(flat, g.UNIT_SQUARE) == 0


TABLE = ((103.0, 51.0), (1180.0, 80.0), (1240.0, 700.0), (20.0, 640.0))


@given(st.tuples(st.floats(0, 1), st.floats(0, 1)))
def test_a_homography_there_and_back_is_the_identity(point: tuple[float, float]) -> None:
    there = g.homography(g.UNIT_SQUARE, TABLE)
    back = g.homography(TABLE, g.UNIT_SQUARE)
    assert g.map_point(back, g.map_point(there, point)) == pytest.approx(point, abs=1e-9)


def test_a_homography_takes_corners_to_corners() -> None:
    matrix = g.homography(TABLE, g.UNIT_SQUARE)
    for got, wanted in zip(g.map_quad(matrix, TABLE), g.UNIT_SQUARE, strict=True):
        assert got == pytest.approx(wanted, abs=1e-9)


def test_a_crossed_quad_has_no_homography() -> None:
    crossed = ((0.0, 0.0), (1.0, 1.0), (1.0, 0.0), (0.0, 1.0))
    with pytest.raises(ValueError, match="convex"):
        g.homography(crossed, g.UNIT_SQUARE)


def test_containment_includes_the_border() -> None:
    assert g.contains(g.UNIT_SQUARE, (0.5, 0.5))
    assert g.contains(g.UNIT_SQUARE, (1.0, 0.5))
    assert not g.contains(g.UNIT_SQUARE, (1.01, 0.5))


@pytest.mark.parametrize("points", [((0, 0),), ((0, 0), (1, 0), (1, math.nan), (0, 1))])
def test_only_four_finite_corners_make_a_quad(points: tuple[tuple[float, float], ...]) -> None:
    with pytest.raises(ValueError, match="expected"):
        g.as_quad(points)


@given(CARD, st.floats(-0.5, 0.5), st.floats(0.6, 1.4))
def test_a_parallelogram_is_said_by_its_ellipse_and_understood_again(
    card: g.Quad, shear: float, squeeze: float
) -> None:
    aslant = g.order_quad([(x + shear * y, squeeze * y) for x, y in card])
    again = g.parallelogram(g.inscribed(aslant))
    # A square may start at any of its corners.
    off = min(abs(g.as_array(g.begun(again, k)) - g.as_array(aslant)).max() for k in range(4))
    assert off < 1e-6 * (1 + max(g.side_lengths(aslant)))


@given(CARD)
def test_the_ellipse_in_a_rectangle_has_its_sides_and_their_direction(card: g.Quad) -> None:
    ellipse = g.inscribed(card)
    assert sorted((ellipse.long, ellipse.short)) == pytest.approx(sorted(g.side_lengths(card)))
    assert math.cos(4 * (ellipse.turn - g.long_angle(card))) == pytest.approx(1)


@given(CARD, st.integers(0, 3))
def test_the_ellipse_does_not_depend_on_where_a_quad_starts_or_how_it_runs(
    card: g.Quad, start: int
) -> None:
    one = g.inscribed(card)
    for other in (g.inscribed(g.begun(card, start)), g.inscribed(g.begun(card, start)[::-1])):
        assert (other.long, other.short) == pytest.approx((one.long, one.short))
        assert math.cos(4 * (other.turn - one.turn)) == pytest.approx(1)
