"""Photographs as a camera above a table would show them, and what is measured there."""

import json
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import cv2
import numpy as np
import pytest
from typer.testing import CliRunner

from models.at_table import (
    HEIGHT,
    TABLE,
    WIDTH,
    Framed,
    at_lengths,
    document,
    drawn_frames,
    framed,
    text,
)
from models.cli import app
from models.evaluate import Labelled, Photograph
from models.sight import Seen
from vision.types import Image, Quad, Reading, Window

BOX = (300.0, 200.0, 500.0, 500.0)
"""A white card, 300 pixels long, on a dark table."""


def photograph(folder: Path, box: tuple[float, float, float, float] = BOX) -> Photograph:
    picture = np.full((800, 1000, 3), 40, np.uint8)
    x1, y1, x2, y2 = map(int, box)
    picture[y1:y2, x1:x2] = 230
    path = folder / "table.png"
    cv2.imwrite(str(path), picture)
    quad = ((x1, y1), (x2, y1), (x2, y2), (x1, y2))
    return Photograph(path, "desk", (Labelled("7H", box, quad),), True)


def middle(frame: Framed) -> tuple[float, float]:
    x1, y1, x2, y2 = frame.cards[0].box
    return (x1 + x2) / 2, (y1 + y2) / 2


@pytest.mark.parametrize("length", [150, 90, 50])
def test_the_card_is_as_long_as_was_asked_and_lies_under_its_label(
    tmp_path: Path, length: int
) -> None:
    frame = framed(photograph(tmp_path), length)
    x1, y1, x2, y2 = frame.cards[0].box
    assert frame.image().shape == (HEIGHT, WIDTH, 3)
    assert y2 - y1 == pytest.approx(length, rel=0.01)
    grey = frame.image().mean(axis=2)
    inside = grey[round(y1) + 3 : round(y2) - 3, round(x1) + 3 : round(x2) - 3]
    above = grey[round(y1) - 9 : round(y1) - 4, round(x1) : round(x2)]
    assert inside.mean() > 200
    assert above.mean() < 80


def test_a_card_is_never_shown_larger_than_it_was_photographed(tmp_path: Path) -> None:
    small = photograph(tmp_path, (300, 200, 340, 260))
    x1, y1, x2, y2 = framed(small, 150).cards[0].box
    assert (x2 - x1, y2 - y1) == pytest.approx((36, 54), abs=0.5)  # 800 pixels high into 720


def test_round_the_photograph_lies_no_second_card(tmp_path: Path) -> None:
    for seed in range(6):
        frame = framed(photograph(tmp_path), 60, seed)
        rows, columns = np.nonzero(frame.image().mean(axis=2) > 200)
        assert frame.holds(np.column_stack([columns, rows]).astype(float)).all()


def test_the_same_seed_gives_the_same_frame_and_another_another(tmp_path: Path) -> None:
    one = photograph(tmp_path)
    assert (framed(one, 90, 1).frame == framed(one, 90, 1).frame).all()
    assert middle(framed(one, 90, 1)) != middle(framed(one, 90, 2))


def test_where_a_table_is_known_the_photograph_lies_on_it(tmp_path: Path) -> None:
    for seed in range(6):
        left, _, right, _ = framed(photograph(tmp_path), 110, seed, TABLE).area
        assert TABLE.left <= left < right <= TABLE.right


def test_what_was_put_round_the_photograph_is_not_held_by_it(tmp_path: Path) -> None:
    frame = framed(photograph(tmp_path), 90)
    x1, y1, x2, y2 = frame.area
    points = np.array([middle(frame), (x1 - 2, y1 + 5), (x2 + 2, y2 - 5)])
    assert frame.holds(points).tolist() == [True, False, False]


def test_a_photograph_without_cards_is_framed_too(tmp_path: Path) -> None:
    bare = Photograph(photograph(tmp_path).path, "desk", (), True)
    assert framed(bare, 90).image().shape == (HEIGHT, WIDTH, 3)


def test_for_training_cards_are_drawn_at_several_lengths(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    frames = list(drawn_frames(photograph(tmp_path), rng, 5))
    lengths = {round(frame.cards[0].box[3] - frame.cards[0].box[1]) for frame in frames}
    assert len(lengths) >= 4
    assert all(44 <= length <= 161 for length in lengths)


class SeesBright:
    """Sees one card where the frame is bright, and says what it was told to."""

    def __init__(self, label: str, p: float, window: Window) -> None:
        self.label, self.p = label, p

    def see(self, image: Image) -> list[Seen]:
        smooth = cv2.medianBlur(image, 9)  # a camera's noise is bright too
        rows, columns = np.nonzero(smooth.mean(axis=2) > 200)
        x1, y1, x2, y2 = (float(v) for v in (columns.min(), rows.min(), columns.max(), rows.max()))
        return [Seen(((x1, y1), (x2, y1), (x2, y2), (x1, y2)), self.label, self.p)]

    def read(self, image: Image, quads: Sequence[Quad]) -> list[Reading]:
        return []


def test_cards_are_counted_at_every_length_and_wrong_ones_by_how_sure_they_were(
    tmp_path: Path,
) -> None:
    for label, p, right, surely_wrong in (
        ("7H", 0.99, 1.0, 0),
        ("7D", 0.8, 0.0, 0),
        ("7D", 0.95, 0.0, 1),
    ):
        seen = list(
            at_lengths(
                [photograph(tmp_path)],
                partial(SeesBright, label, p),
                (110, 60),
                (TABLE,),
            )
        )
        said = document(seen)["as_labelled"]
        assert list(said) == ["110 in 800", "60 in 800"]
        for each in said.values():
            assert each["all"]["finder_recall"] == each["all"]["finder_precision"] == 1.0
            assert each["all"]["both"] == each["desk"]["both"] == right
            assert each["all"]["surely_wrong"] == surely_wrong
        assert "| 60 in 800 | 1 |" in text(seen, "weights")


def test_no_photographs_are_said_in_one_line(tmp_path: Path) -> None:
    said = CliRunner().invoke(app, ["evaluate-at-table", str(tmp_path / "none.json")])
    assert "no photographs at" in str(said.exception)


def test_the_command_writes_the_report_and_its_figures(tmp_path: Path) -> None:
    one = photograph(tmp_path)
    (tmp_path / "some").mkdir()
    one.path.rename(tmp_path / "some" / "table.png")
    record = {
        "image": "table.png",
        "source_repo": "desk",
        "labels": [{"card": "7H", "box": BOX}],
    }
    (tmp_path / "some.json").write_text(json.dumps([record]))
    report = tmp_path / "report.md"
    ran = CliRunner().invoke(
        app,
        [
            "evaluate-at-table",
            str(tmp_path / "some.json"),
            "--length",
            "80",
            "--out",
            str(report),
            "--json",
        ],
    )
    assert ran.exit_code == 0, ran.output
    assert json.loads(ran.stdout) == json.loads(report.with_suffix(".json").read_text())
    assert json.loads(ran.stdout)["as_labelled"]["80 in 800"]["all"]["cards"] == 1
    assert "# Real cards" in report.read_text()
