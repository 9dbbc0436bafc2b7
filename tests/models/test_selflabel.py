"""Photographs with upright boxes as training data: which way a card is taken to lie."""

from collections.abc import Sequence
from pathlib import Path

import cv2
import numpy as np
import pytest

from models.evaluate import Labelled, Photograph
from models.selflabel import quads_of, self_label
from vision.geometry import as_quad, iou, rectangle
from vision.labels import INDEX, LABELS
from vision.types import Detection, Image, Quad, Reading

HALVES = 200
"""Brightness of a test card's one half; the other is black."""


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
        p = min(0.99, max(0.001, (ends - sides) / HALVES))
        log_probs = np.full(len(LABELS), np.log((1 - p) / (len(LABELS) - 1)))
        log_probs[INDEX["7D"]] = np.log(p)
        return Reading(tuple(log_probs.tolist()))


def a_photograph(
    folder: Path, width: float, height: float, degrees: float
) -> tuple[Photograph, Quad]:
    """A card with one bright half, its label an upright box about it."""
    true = rectangle((150, 150), width, height, np.radians(90 + degrees))
    a, b, c, d = np.array(true)
    half = np.array([a, b, (b + c) / 2, (d + a) / 2])
    image = np.zeros((300, 300, 3), np.uint8)
    cv2.fillConvexPoly(image, np.round(half).astype(np.int32), (HALVES,) * 3)
    cv2.imwrite(str(folder / "one.png"), image)
    xs, ys = zip(*true, strict=True)
    label = Labelled("7D", (min(xs), min(ys), max(xs), max(ys)), None)
    return Photograph(folder / "one.png", "test", (label,), complete=True), true


def labelled(photograph: Photograph, *proposed: Quad) -> Quad | None:
    image = photograph.image()
    (quad,) = quads_of(photograph, image, Finds(*proposed), ReadsHalves())  # type: ignore[arg-type]
    return quad


def test_the_proposal_under_which_the_labelled_card_is_read_is_taken(tmp_path: Path) -> None:
    photograph, true = a_photograph(tmp_path, 70, 100, 20)
    askew = rectangle((150, 150), 70, 100, np.radians(70))
    quad = labelled(photograph, askew, true)
    assert quad is not None
    assert iou(quad, true) > 0.95


@pytest.mark.parametrize("first", [0, 1])
def test_a_nearly_square_card_is_cut_along_the_side_it_is_read_along(
    tmp_path: Path, first: int
) -> None:
    photograph, true = a_photograph(tmp_path, 80, 84, 0)
    quad = labelled(photograph, as_quad([*true[first:], *true[:first]]))
    assert quad is not None
    short = np.subtract(quad[1], quad[0])
    assert abs(short[0]) > abs(short[1])  # along the bright half's border, which lies level


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
