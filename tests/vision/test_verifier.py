"""What becomes of the finder's boxes when a verifier has looked at them."""

import json
from pathlib import Path

import numpy as np

from vision.finder import verified
from vision.geometry import rectangle
from vision.types import Image, Quad
from vision.verifier import AROUND, VIEW_HEIGHT, VIEW_WIDTH, Numbers, Verdicts, view
from vision.weights import named

IMAGE = np.zeros((100, 200, 3), np.uint8)


class Says:
    """A verifier that says of each box what it was told to."""

    def __init__(
        self, p: list[float], down: list[float], overlap: list[float] | None = None
    ) -> None:
        lies = [0.9] * len(p) if overlap is None else overlap
        self.verdicts = Verdicts(np.array(p), np.array(down), np.array(lies))

    def verify(self, image: Image, quads: list[Quad], p: Numbers, ways: int) -> Verdicts:
        assert len(quads) == len(p) == len(self.verdicts.p)
        return self.verdicts


def boxes(*faces: int) -> np.ndarray:
    """Boxes side by side, the finder being half sure of each."""
    return np.array([[20.0 + 30 * i, 50, 30, 20, 0, 0.5, face, 0] for i, face in enumerate(faces)])


def places(rows: np.ndarray) -> list[float]:
    return [float(row[0]) for row in rows]


def test_what_the_verifier_takes_for_no_card_goes_and_the_surest_comes_first() -> None:
    told, _ = verified(boxes(0, 0, 0), IMAGE, Says([0.5, 0.2, 0.9], [0, 0, 0]), 0.4)  # type: ignore[arg-type]
    assert places(told) == [80.0, 20.0]
    assert told[:, 5].tolist() == [0.9, 0.5]


def test_the_verifier_says_which_side_shows_where_it_is_sure_of_it() -> None:
    told, _ = verified(boxes(0, 0, 1, 1), IMAGE, Says([0.9] * 4, [5, 0.5, -5, -0.5]), 0.4)  # type: ignore[arg-type]
    assert told[:, 6].tolist() == [1, 0, 0, 1]


def test_of_boxes_on_the_same_card_the_verifier_chooses() -> None:
    askew = [20.0, 50, 30, 20, 0.3, 0.5, 0, 0.3]
    rows = np.array([askew, *boxes(0, 0)])
    told, _ = verified(rows, IMAGE, Says([0.6, 0.9, 0.7], [0] * 3), 0.4)  # type: ignore[arg-type]
    assert places(told) == [20.0, 50.0]
    assert told[0].tolist() == [*boxes(0)[0][:5], 0.9, 0, 0]


def test_a_box_that_lies_well_counts_for_more_than_a_surer_one_that_straddles_two_cards() -> None:
    straddling = [29.0, 50, 30, 20, 0, 0.9, 0, 0]
    rows = np.array([straddling, *boxes(0, 0)])
    told, _ = verified(rows, IMAGE, Says([0.95, 0.9, 0.5], [0] * 3, [0.5, 0.9, 0.8]), 0.4)  # type: ignore[arg-type]
    assert places(told) == [20.0, 50.0]


def test_the_rows_given_stay_as_they_are() -> None:
    given = boxes(0)
    verified(given, IMAGE, Says([0.9], [5]), 0.4)  # type: ignore[arg-type]
    assert (given == boxes(0)).all()


def test_where_nothing_is_found_nothing_is_verified() -> None:
    assert not len(verified(boxes(), IMAGE, Says([], []), 0.4)[0])  # type: ignore[arg-type]


def test_a_view_shows_the_card_upright_and_what_lies_around_it() -> None:
    picture = np.full((200, 200, 3), 40, np.uint8)
    picture[80:120, 70:130] = 220  # 60 long, lying on its side
    seen = view(picture, rectangle((100, 100), 60, 40, np.pi / 2))
    assert seen.shape == (VIEW_HEIGHT, VIEW_WIDTH, 3)
    dx, dy = round(VIEW_WIDTH * AROUND), round(VIEW_HEIGHT * AROUND)
    assert seen[dy + 2 : -dy - 2, dx + 2 : -dx - 2].min() > 200
    assert seen[: dy - 2].max() < 60
    assert seen[:, : dx - 2].max() < 60


def test_a_manifest_says_whether_a_verifier_comes_along(tmp_path: Path) -> None:
    assert not named("verifier", tmp_path)
    (tmp_path / "manifest.json").write_text(json.dumps({"finder": {}}))
    assert named("finder", tmp_path)
    assert not named("verifier", tmp_path)
    (tmp_path / "manifest.json").write_text("[")
    assert not named("verifier", tmp_path)
