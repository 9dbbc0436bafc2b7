"""How what is seen is matched with labels, and how outcomes are counted."""

import json
from collections.abc import Sequence
from pathlib import Path

import cv2
import numpy as np
import pytest

from models.calibration import best_temperature
from models.evaluate import (
    Labelled,
    Measured,
    Outcome,
    expected_label,
    load_photographs,
    look_at,
    matched,
    measure,
    overlap,
)
from models.figures import by_rank, calibration_error, summary
from models.sight import Seen
from vision.errors import UserError
from vision.labels import OTHER
from vision.types import Image, Quad, Reading

IMAGE = np.zeros((200, 300, 3), np.uint8)


def box_at(x: float, y: float, w: float = 40, h: float = 60) -> tuple[float, float, float, float]:
    return (x, y, x + w, y + h)


def quad_at(x: float, y: float, w: float = 40, h: float = 60) -> Quad:
    return ((x, y), (x + w, y), (x + w, y + h), (x, y + h))


def card(x: float, y: float, label: str = "7H") -> Labelled:
    return Labelled(label, box_at(x, y), None)


def outcome(label: str, found: bool = True, said: str | None = None, p: float = 0.9) -> Outcome:
    return Outcome("desk", "a.jpg", label, 60.0, found, None, 0.0, said, p)


@pytest.mark.parametrize(
    ("written", "expected"), [("7H", "7H"), ("10S", OTHER), ("JOKER", OTHER), ("BACK", "back")]
)
def test_cards_outside_the_forty_should_read_as_other(written: str, expected: str) -> None:
    assert expected_label(written) == expected


def test_each_detection_serves_one_card_and_the_nearest_is_taken() -> None:
    cards = [card(10, 10), card(14, 10)]
    pairs = matched(cards, [quad_at(14, 10)], IMAGE)
    assert pairs == {1: 0}


def test_a_detection_beside_the_card_does_not_count() -> None:
    assert matched([card(10, 10)], [quad_at(60, 10)], IMAGE) == {}


def test_a_card_reaching_out_of_the_picture_is_compared_inside_it() -> None:
    cut = Labelled("7H", (0, 10, 20, 70), None)
    assert matched([cut], [quad_at(-20, 10)], IMAGE) == {0: 0}


def test_overlap_of_a_box_with_itself_is_one_and_with_a_far_one_nothing() -> None:
    assert overlap(box_at(0, 0), box_at(0, 0)) == 1
    assert overlap(box_at(0, 0), box_at(100, 100)) == 0


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


def test_aces_and_courts_are_counted_by_themselves() -> None:
    read = [("AS", True), ("AH", False), ("KD", True), ("7C", False)]
    assert by_rank(read) == {"aces": 0.5, "kings": 1.0, "queens": None, "jacks": None}


class Eyes:
    """Sees the same two cards in every picture."""

    def see(self, image: Image) -> list[Seen]:
        return [Seen(quad_at(10, 10), "7H", 0.9), Seen(quad_at(200, 100), "2C", 0.6)]

    def read(self, image: Image, quads: Sequence[Quad]) -> list[Reading]:
        return []


@pytest.fixture
def manifest(tmp_path: Path) -> Path:
    """Two photographs of a 7H at (10, 10) and a KD at (100, 100); of the second not all cards are
    labelled."""
    (tmp_path / "some").mkdir()
    labels = [
        {"card": "7H", "box": box_at(10, 10), "quad": None},
        {"card": "KD", "box": box_at(100, 100), "quad": quad_at(100, 100)[::-1]},
    ]
    records = [
        {"image": "whole.png", "source_repo": "desk", "labels": labels},
        {"image": "part.png", "source_repo": "desk", "labels": labels, "incomplete": True},
    ]
    for record in records:
        cv2.imwrite(str(tmp_path / "some" / str(record["image"])), IMAGE)
    path = tmp_path / "some.json"
    path.write_text(json.dumps(records))
    return path


def test_a_labelled_quad_starts_with_a_short_side_and_runs_clockwise(manifest: Path) -> None:
    (_, card) = load_photographs(manifest)[0].cards
    assert card.quad == quad_at(100, 100)


def test_each_card_of_a_photograph_is_found_or_missed_and_the_rest_is_invented(
    manifest: Path,
) -> None:
    looked = look_at(load_photographs(manifest)[0], Eyes())
    seven, king = looked.outcomes
    assert (seven.found, seven.read_found, seven.p_found) == (True, "7H", 0.9)
    assert (king.found, king.read_found) == (False, None)
    assert [one.label for one in looked.invented] == ["2C"]


def test_where_not_all_cards_are_labelled_nothing_counts_as_invented(manifest: Path) -> None:
    measured = measure(load_photographs(manifest), Eyes())
    assert measured.invented == {"desk": 1}
    assert measured.detections == {"desk": 4}


def test_a_photograph_that_is_gone_is_named(manifest: Path) -> None:
    (manifest.parent / "some" / "whole.png").unlink()
    with pytest.raises(UserError, match=r"whole\.png"):
        measure(load_photographs(manifest), Eyes())


def test_the_temperature_undoes_a_known_exaggeration() -> None:
    rng = np.random.default_rng(1)
    honest = rng.normal(0, 1.5, (4000, 5)).astype(np.float32)
    p = np.exp(honest) / np.exp(honest).sum(axis=1, keepdims=True)
    labels = np.array([rng.choice(5, p=row / row.sum()) for row in p.astype(float)])
    assert best_temperature(honest * 2.5, labels) == pytest.approx(2.5, rel=0.1)
