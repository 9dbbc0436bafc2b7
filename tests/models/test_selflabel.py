"""Photographs with upright boxes as training data: which way a card is taken to lie."""

from collections.abc import Sequence
from pathlib import Path

import cv2
import numpy as np
import pytest

from models.at_table import DRAWN_LENGTHS, FRAMES_A_PHOTOGRAPH
from models.evaluate import Labelled, Photograph
from models.selflabel import believed, quads_of, self_label
from vision.geometry import iou, rectangle
from vision.labels import INDEX, LABELS
from vision.types import Detection, Image, Quad, Reading

HALVES = (220, 80)
"""Brightness of a test card's halves; the table is black."""


class Finds:
    """A finder that proposes what it was told to."""

    def __init__(self, *quads: Quad) -> None:
        self.quads = quads

    def candidates(self, image: Image, threshold: float, side: int) -> list[Detection]:
        return [Detection(quad, "up", 0.5) for quad in self.quads]


class ReadsHalves:
    """A reader that sees a 7D where the upper and lower halves differ and left and right are alike."""

    def read_crops(self, crops: Sequence[Image]) -> list[Reading]:
        return [self._read(crop) for crop in crops]

    def _read(self, crop: Image) -> Reading:
        h, w = crop.shape[0] // 2, crop.shape[1] // 2
        ends = abs(float(crop[:h].mean()) - float(crop[h:].mean()))
        sides = abs(float(crop[:, :w].mean()) - float(crop[:, w:].mean()))
        p = min(0.99, max(0.001, (ends - sides) / (HALVES[0] - HALVES[1])))
        log_probs = np.full(len(LABELS), np.log((1 - p) / (len(LABELS) - 1)))
        log_probs[INDEX["7D"]] = np.log(p)
        return Reading(tuple(log_probs.tolist()))


def a_photograph(
    folder: Path, width: float, height: float, degrees: float, first: int = 0
) -> tuple[Photograph, Quad]:
    """A card with a bright half and a dark one, its label an upright box about it; its own short sides
    are the box's long ones where `first` is 1."""
    true = rectangle((150, 150), width, height, np.radians(90 + degrees))
    a, b, c, d = np.roll(true, -first, axis=0)
    half = np.array([a, b, (b + c) / 2, (d + a) / 2])
    image = np.zeros((300, 300, 3), np.uint8)
    for part, grey in ((np.array(true), HALVES[1]), (half, HALVES[0])):
        cv2.fillConvexPoly(image, np.round(part).astype(np.int32), (grey,) * 3)
    cv2.imwrite(str(folder / "one.png"), image)
    xs, ys = zip(*true, strict=True)
    label = Labelled("7D", (min(xs), min(ys), max(xs), max(ys)), None)
    return Photograph(folder / "one.png", "test", (label,), complete=True), true


def labelled(photograph: Photograph, *proposed: Quad) -> Quad | None:
    image = photograph.image()
    (quad,) = quads_of(photograph, image, Finds(*proposed), ReadsHalves())  # type: ignore[arg-type]
    return quad


def test_a_card_lies_as_its_edges_run_and_not_as_the_finder_says(tmp_path: Path) -> None:
    photograph, true = a_photograph(tmp_path, 70, 100, 20)
    quad = labelled(photograph, rectangle((150, 150), 70, 100, np.radians(98)))
    assert quad is not None
    assert iou(quad, true) > 0.93


@pytest.mark.parametrize("first", [0, 1])
def test_a_card_seen_broader_than_long_is_cut_along_the_side_it_is_read_along(
    tmp_path: Path, first: int
) -> None:
    photograph, true = a_photograph(tmp_path, 80, 100, 0, first)
    quad = labelled(photograph)
    assert quad is not None
    across = np.subtract(true[first + 1], true[first])
    cosine = np.dot(np.subtract(quad[1], quad[0]), across) / np.linalg.norm(across) ** 2
    assert abs(cosine) > 0.9


@pytest.mark.parametrize(
    ("edge", "turn", "is_believed"),
    [(9.0, 20, True), (5.0, 3, True), (5.0, 93, True), (5.0, 20, False), (2.0, 0, False)],
)
def test_faint_edges_are_believed_where_the_finder_agrees(
    edge: float, turn: float, is_believed: bool
) -> None:
    here = rectangle((0, 0), 70, 100, np.radians(30))
    proposed = rectangle((0, 0), 70, 100, np.radians(30 + turn))
    assert believed(here, edge, [proposed]) is is_believed


def test_a_card_that_is_not_confirmed_gets_no_quad_and_its_photograph_no_scene(
    tmp_path: Path,
) -> None:
    photograph, true = a_photograph(tmp_path, 70, 100, 0)
    blank = Photograph(tmp_path / "two.png", "test", photograph.cards, complete=True)
    cv2.imwrite(str(blank.path), np.zeros((300, 300, 3), np.uint8))
    found = Finds(true)
    done = self_label([photograph, blank], found, ReadsHalves(), tmp_path / "out")  # type: ignore[arg-type]
    assert (done.photographs, done.whole, done.cards, done.used) == (2, 1, 2, 1)
    assert len(np.load(tmp_path / "out" / "scenes-real.npz")["ends"]) == 1
    assert len(np.load(tmp_path / "out" / "crops-real.npz")["labels"]) == 3


def test_a_whole_photograph_is_learnt_from_as_a_camera_above_a_table_sees_it_too(
    tmp_path: Path,
) -> None:
    photograph, true = a_photograph(tmp_path, 70, 100, 20)
    self_label([photograph], Finds(true), ReadsHalves(), tmp_path / "out")  # type: ignore[arg-type]
    far = np.load(tmp_path / "out" / "scenes-far.npz")
    ends = [0, *far["ends"]]
    assert len(ends) == 1 + FRAMES_A_PHOTOGRAPH
    for a, b, quad in zip(ends, ends[1:], far["quads"], strict=False):
        image = cv2.imdecode(far["jpeg"][a:b], cv2.IMREAD_GRAYSCALE)
        assert image.shape[0] == image.shape[1]
        low, high = (length / 2 for length in DRAWN_LENGTHS)
        assert low * 0.8 < np.linalg.norm(quad[1] - quad[2]) < high * 1.1
        lit = np.zeros_like(image)
        cv2.fillConvexPoly(lit, np.round(quad).astype(np.int32), 1)
        assert image[lit == 1].mean() > 5 * image[cv2.dilate(lit, np.ones((9, 9))) == 0].mean()
