"""How outcomes are matched and counted."""

import numpy as np
import pytest

from models.calibration import best_temperature
from models.evaluate import (
    Labelled,
    Measured,
    Outcome,
    calibration_error,
    clockwise_card,
    expected_label,
    matched,
    overlap,
    summary,
)
from vision.labels import OTHER
from vision.types import Detection, Quad

IMAGE = np.zeros((200, 300, 3), np.uint8)


def box_at(x: float, y: float, w: float = 40, h: float = 60) -> tuple[float, float, float, float]:
    return (x, y, x + w, y + h)


def quad_at(x: float, y: float, w: float = 40, h: float = 60) -> Quad:
    return ((x, y), (x + w, y), (x + w, y + h), (x, y + h))


def card(x: float, y: float, label: str = "7H") -> Labelled:
    return Labelled(label, box_at(x, y), None)


def detection(x: float, y: float) -> Detection:
    return Detection(quad_at(x, y), 0.9, "up")


def outcome(label: str, found: bool = True, said: str | None = None, p: float = 0.9) -> Outcome:
    return Outcome("desk", "a.jpg", label, 60.0, found, None, 0.0, said, p)


@pytest.mark.parametrize(
    ("written", "expected"), [("7H", "7H"), ("10S", OTHER), ("JOKER", OTHER), ("BACK", "back")]
)
def test_cards_outside_the_forty_should_read_as_other(written: str, expected: str) -> None:
    assert expected_label(written) == expected


def test_each_detection_serves_one_card_and_the_nearest_is_taken() -> None:
    cards = [card(10, 10), card(14, 10)]
    pairs = matched(cards, [detection(14, 10)], IMAGE)
    assert pairs == {1: 0}


def test_a_detection_beside_the_card_does_not_count() -> None:
    assert matched([card(10, 10)], [detection(60, 10)], IMAGE) == {}


def test_a_card_reaching_out_of_the_picture_is_compared_inside_it() -> None:
    cut = Labelled("7H", (0, 10, 20, 70), None)
    assert matched([cut], [detection(-20, 10)], IMAGE) == {0: 0}


def test_overlap_of_a_box_with_itself_is_one_and_with_a_far_one_nothing() -> None:
    assert overlap(box_at(0, 0), box_at(0, 0)) == 1
    assert overlap(box_at(0, 0), box_at(100, 100)) == 0


@pytest.mark.parametrize("start", range(4))
@pytest.mark.parametrize("backwards", [False, True])
def test_labelled_corners_in_any_order_round_the_card_give_one_kind_of_quad(
    start: int, backwards: bool
) -> None:
    corners = [list(p) for p in quad_at(0, 0)]
    corners = corners[start:] + corners[:start]
    if backwards:
        corners.reverse()
    quad = clockwise_card(corners)
    assert quad[0] in {(0, 0), (40, 60)}  # a short side first
    assert quad in (quad_at(0, 0), quad_at(0, 0)[2:] + quad_at(0, 0)[:2])


def test_honest_probabilities_have_no_calibration_error() -> None:
    right = [True] * 8 + [False] * 2
    assert calibration_error(right, [0.8] * 10) == pytest.approx(0)


def test_boasting_is_measured() -> None:
    assert calibration_error([False] * 10, [0.99] * 10) == pytest.approx(0.99)


def test_the_summary_counts_found_read_and_invented() -> None:
    rows = (
        outcome("7H", said="7H"),
        outcome("2S", said="2C"),
        outcome("KD", found=False),
        outcome(OTHER, said=OTHER),
    )
    figures = summary(Measured(rows, {"desk": 5}, {"desk": 1}))
    assert figures["cards"] == 4
    assert figures["finder_recall"] == 0.75
    assert figures["finder_precision"] == 0.75
    assert figures["read_when_found"] == 0.5
    assert figures["both"] == pytest.approx(1 / 3, abs=1e-4)
    assert figures["other_when_other"] == 1


def test_the_temperature_undoes_a_known_exaggeration() -> None:
    rng = np.random.default_rng(1)
    honest = rng.normal(0, 1.5, (4000, 5)).astype(np.float32)
    p = np.exp(honest) / np.exp(honest).sum(axis=1, keepdims=True)
    labels = np.array([rng.choice(5, p=row / row.sum()) for row in p.astype(float)])
    assert best_temperature(honest * 2.5, labels) == pytest.approx(2.5, rel=0.1)
