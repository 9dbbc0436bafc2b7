"""The reports on photographs and on held-out artists: targets beside figures, failures on one sheet."""

import json
from pathlib import Path

import cv2
import numpy as np
import pytest

from models import held_out, held_out_report
from models.evaluate import Measured, Outcome
from models.failures import MOST_TILES, TILE, Failures, chosen, sheet, tile_of
from models.figures import Figures
from models.report import document, rank_table, write_report
from models.targets import Target, check, rank_targets, shortfalls, target_table
from vision.errors import UserError
from vision.types import Detection, Quad

RECALL = Target("finder_recall", "finder recall", 0.99)
ECE = Target("ece", "ECE of the reader", 0.015, most=True)


def outcome(label: str, said: str | None, source: str = "desk", p: float = 0.9) -> Outcome:
    found = said is not None
    return Outcome(source, "a.jpg", label, 60.0, found, None, 0.0, said, p if found else 0.0)


def measured() -> Measured:
    rows = [outcome("7H", "7H")] * 8 + [outcome("AS", "4S"), outcome("KD", None, "hall")]
    return Measured(tuple(rows), {"desk": 9, "hall": 1}, {"desk": 0, "hall": 1})


def test_a_target_missed_says_by_how_much_and_one_reached_says_so() -> None:
    figures: Figures = {"finder_recall": 0.98, "ece": 0.012}
    recall, ece = check(figures, [RECALL, ECE])
    assert recall.short == pytest.approx(0.01)
    assert ece.short == 0
    table = target_table([recall, ece])
    assert "| finder recall | ≥ 99.00% | 98.00% | 1.00 points |" in table
    assert "| ECE of the reader | ≤ 1.50% | 1.20% | reached |" in table


def test_a_figure_that_could_not_be_measured_is_not_asked_for() -> None:
    assert check({"finder_recall": None}, [RECALL]) == []


def test_aces_and_courts_may_be_half_a_point_worse_than_the_average_each() -> None:
    figures: Figures = {"read": 0.95, "aces": 0.945, "kings": 0.944, "queens": 1.0, "jacks": None}
    targets = rank_targets(figures, "read")
    assert [c.target.figure for c in check(figures, targets) if c.short] == ["kings"]
    assert "| desk | 0.950 | 0.945 | 0.944* | 1.000 | – |" in rank_table({"desk": figures}, "read")


def test_the_sources_that_fall_short_are_named_with_their_points() -> None:
    each: dict[str, Figures] = {"desk": {"finder_recall": 0.97}, "hall": {"finder_recall": 1.0}}
    assert shortfalls(each, [RECALL]) == "- desk: finder recall 2.0"


def test_the_report_holds_figures_and_plots_and_no_part_of_a_photograph(tmp_path: Path) -> None:
    write_report(measured(), tmp_path)
    names = sorted(path.name for path in tmp_path.iterdir())
    assert names == ["confusion.png", "figures.json", "reliability.png", "report.md"]
    written = json.loads((tmp_path / "figures.json").read_text())
    assert written["by_source"]["desk"]["aces"] == 0
    assert {"figure": "finder_recall", "goal": 0.99, "measured": 0.9, "short": 0.09} in written[
        "targets"
    ]
    text = (tmp_path / "report.md").read_text()
    assert (
        "- hall: finder recall 99.0, finder precision 99.0, right card at the right place 98.5"
        in text
    )


def test_a_one_stage_network_of_the_same_photographs_stands_in_the_same_report(
    tmp_path: Path,
) -> None:
    assert document(measured())["one_stage"] is None
    assert document(measured(), measured())["one_stage"] == document(measured())["by_source"]
    write_report(measured(), tmp_path, measured())
    assert "finds and reads at once" in (tmp_path / "report.md").read_text()


def noise(height: int = 300, width: int = 400) -> np.ndarray:
    return np.random.default_rng(1).integers(0, 255, (height, width, 3)).astype(np.uint8)


QUAD = ((100.0, 100.0), (140.0, 100.0), (140.0, 160.0), (100.0, 160.0))


def test_a_tile_shows_the_card_in_its_middle_whatever_the_size() -> None:
    for scale in (0.5, 1, 12):
        image = np.zeros((round(300 * scale), round(400 * scale), 3), np.uint8)
        quad = tuple((x * scale, y * scale) for x, y in QUAD)
        cv2.fillConvexPoly(image, np.array(quad).round().astype(int), (255, 255, 255))
        tile = tile_of(image, quad, (0, 0, 255))
        assert tile.shape == (TILE, TILE, 3)
        assert tile[TILE // 2, TILE // 2].min() > 250
        assert tile[4, 4].max() == 0


def test_beyond_the_edge_of_the_picture_a_tile_is_grey() -> None:
    corner = ((0.0, 0.0), (40.0, 0.0), (40.0, 60.0), (0.0, 60.0))
    assert tile_of(noise(), corner, (0, 0, 255))[2, 2].tolist() == [150, 150, 150]


def test_the_sheet_is_bounded_and_every_kind_and_source_has_its_turn(tmp_path: Path) -> None:
    failures = Failures()
    for i in range(200):
        failures.add("misread", "desk", f"7H > 6H {i}%", noise(), QUAD)
    failures.add("missed", "hall", "KD", noise(), QUAD)
    failures.add("invented", "desk", "2C 60%", noise(), QUAD)
    kept = chosen(failures.all)
    assert len(kept) == MOST_TILES
    assert {(f.kind, f.group) for f in kept} == {
        ("misread", "desk"), ("missed", "hall"), ("invented", "desk"),
    }  # fmt: skip
    failures.write(tmp_path / "failures.jpg")
    assert (tmp_path / "failures.jpg").stat().st_size < 1_000_000


def test_a_sheet_without_failures_is_white() -> None:
    assert sheet([]).min() == 255


@pytest.mark.parametrize("name", ["sheet.txt", "gone/sheet.jpg"])
def test_a_sheet_that_cannot_be_written_is_said(tmp_path: Path, name: str) -> None:
    with pytest.raises(UserError, match="sheet"):
        Failures().write(tmp_path / name)


def unseen(deck: str, card: str, said: str, found: bool = True) -> held_out.Outcome:
    return held_out.Outcome(deck, card, 70.0, found, said, 0.99, said if found else None)


def test_every_held_out_deck_has_its_own_recall_and_precision_and_is_held_to_the_targets() -> None:
    rows = (
        unseen("aguilar", "QD", "KD"),
        unseen("aguilar", "7H", "7H"),
        unseen("lattmann", "AS", "AS", found=False),
    )
    figures = held_out_report.by_deck(held_out.Measured(rows, {"aguilar": 2, "tigullio": 1}))
    assert figures["aguilar"]["finder_precision"] == 0.5
    assert figures["lattmann"]["finder_recall"] == 0
    assert figures["tigullio"]["finder_precision"] == 0
    assert figures["all"]["queens"] == 0
    text = held_out_report.text(held_out.Measured(rows, {"aguilar": 2}), "abc")
    assert "Misread at the true quad: QD as KD (aguilar)." in text
    assert "| 60-80 | 3 | 0.667 | 0.667 | 0.333 |" in text
    assert "Not found: AS (lattmann)." in text


def test_the_report_on_held_out_decks_says_of_which_vazas_there_are_stills() -> None:
    measured = held_out.Measured((unseen("aguilar", "7H", "7H"),), {}, {"hard": 6}, {"hard": 28})
    assert "6 of 28 hard" in held_out_report.text(measured, "abc")
    assert held_out_report.document(measured)["vazas"] == {"hard": 28}


def square(x: float, side: float = 10.0) -> Quad:
    return (x, 0.0), (x + side, 0.0), (x + side, side), (x, side)


def test_a_box_finds_one_card_and_a_second_box_on_a_card_is_none() -> None:
    cards = [held_out.StillCard("7H", square(0), 1.0), held_out.StillCard("2C", square(3), 1.0)]
    boxes = [Detection(square(x), "up", 0.9) for x in (0, 1)]
    assert held_out.met(cards, boxes[:1]) == {0: 0}
    assert held_out.met(cards[:1], boxes) == {0: 0}
    assert held_out.met(cards, [*boxes, Detection(square(50), "up", 0.9)]) == {0: 0, 1: 1}
