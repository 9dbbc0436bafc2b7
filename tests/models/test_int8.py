"""What counts as int8 that holds, and what is said without the tool that makes it."""

import sys
from pathlib import Path

import pytest

from models.int8 import FIGURES, Row, holds, quantize, report
from vision.errors import UserError


def row(name: str, right: float) -> Row:
    return Row(name, {"cards": 100, **dict.fromkeys(FIGURES, right)}, 20.0, 1.5)


def test_int8_holds_within_a_tenth_of_a_point_and_not_beyond() -> None:
    rows = [row("fp16", 0.95), row("near", 0.9491), row("far", 0.948)]
    assert holds(rows) == ["near"]


def test_the_report_names_what_holds_on_every_set() -> None:
    first = [row("fp16", 0.95), row("finder", 0.95), row("reader", 0.95)]
    second = [row("fp16", 0.95), row("finder", 0.90), row("reader", 0.96)]
    text = report([("train", first), ("dev", second)])
    assert "Within 0.1 point on every figure: reader." in text
    assert "| finder | 0.9000 | 0.9000 | 0.9000 | 0.9000 | 20.0 | 1.50 |" in text


def test_without_nncf_the_way_to_get_it_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "nncf", None)
    with pytest.raises(UserError, match="pip install nncf"):
        quantize(tmp_path, tmp_path, [])
