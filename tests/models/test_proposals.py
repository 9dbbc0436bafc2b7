"""Crops cut as the finder boxes cards: which become which label, and how they lie."""

from pathlib import Path

import cv2
import numpy as np
import pytest

pytest.importorskip("torch", reason="needs the train extra (PyTorch)")

from models.at_table import FRAMES_A_PHOTOGRAPH
from models.evaluate import Labelled, Photograph
from models.finder_training import SceneSet
from models.proposals import cut, of_photographs, of_scenes, proposals
from models.reader_training import load_crops
from vision.geometry import as_quad
from vision.labels import BACK, INDEX, OTHER
from vision.types import Detection, Image, Quad

IMAGE = np.zeros((300, 300, 3), np.uint8)
CARD = as_quad([[100, 80], [160, 80], [160, 170], [100, 170]])


class Finds:
    """A finder that finds what it was told to."""

    def __init__(self, *quads: Quad) -> None:
        self.quads = quads

    def find(self, image: Image, *, threshold: float) -> list[Detection]:
        return [Detection(quad, "up", 0.9) for quad in self.quads]


def moved(quad: Quad, dx: float, dy: float = 0.0) -> Quad:
    return as_quad([(x + dx, y + dy) for x, y in quad])


def labels_of(finder: Finds, quads: list[Quad], labels: list[str]) -> list[int]:
    known = [INDEX[label] for label in labels]
    return [label for _, label in proposals(IMAGE, quads, known, finder)]  # type: ignore[arg-type]


def test_a_box_that_lies_off_still_is_the_card_under_it() -> None:
    assert labels_of(Finds(moved(CARD, 12, 8)), [CARD], ["7D"]) == [INDEX["7D"]]


def test_what_is_found_where_no_card_lies_is_no_card() -> None:
    assert labels_of(Finds(moved(CARD, 120)), [CARD], ["7D"]) == [INDEX[OTHER]]


def test_a_box_half_on_a_card_teaches_nothing() -> None:
    assert labels_of(Finds(moved(CARD, 36)), [CARD], ["7D"]) == []


def test_a_card_both_of_whose_indices_are_covered_teaches_nothing() -> None:
    covers = [moved(CARD, -4, -55), moved(CARD, 4, 55)]
    shown = labels_of(Finds(CARD), [CARD, *covers], ["7D", "AS", "KH"])
    assert shown == []
    assert labels_of(Finds(CARD), [CARD, covers[0]], ["7D", "AS"]) == [INDEX["7D"]]
    assert labels_of(Finds(CARD), [CARD, *covers], [BACK, "AS", "KH"]) == [INDEX[BACK]]


def test_a_nearly_square_box_is_cut_along_the_card_s_own_sides() -> None:
    image = IMAGE.copy()
    image[80:125, 100:160] = 255  # the card's upper half is white
    part = as_quad([[100, 80], [160, 80], [160, 138], [100, 138]])
    for box in (part, as_quad([*part[1:], part[0]])):
        ((crop, _),) = proposals(image, [CARD], [INDEX["7D"]], Finds(box))  # type: ignore[arg-type]
        ends = sorted(float(end[:, 10:-10].mean()) for end in (crop[10:40], crop[-40:-10]))
        assert ends == pytest.approx([0, 255], abs=5)


class FindsBright:
    """A finder that finds what is bright."""

    def find(self, image: Image, *, threshold: float) -> list[Detection]:
        rows, columns = np.nonzero(cv2.medianBlur(image, 5).mean(axis=2) > 180)
        x1, x2, y1, y2 = columns.min(), columns.max() + 1, rows.min(), rows.max() + 1
        return [Detection(as_quad([[x1, y1], [x2, y1], [x2, y2], [x1, y2]]), 0.9, "up")]


def frames_of(folder: Path, *cards: Labelled, complete: bool = True) -> list[int]:
    """The labels of what is cut out of the frames of a photograph with a bright card in it."""
    picture = np.full((600, 600, 3), 40, np.uint8)
    picture[150:450, 200:400] = 240
    cv2.imwrite(str(folder / "one.png"), picture)
    one = Photograph(folder / "one.png", "desk", cards, complete)
    (crops,) = of_photographs([one], FindsBright())  # type: ignore[arg-type]
    return [label for _, label in crops]


def test_in_a_photograph_seen_from_afar_a_labelled_card_is_cut_under_its_label(
    tmp_path: Path,
) -> None:
    card = Labelled("7D", (200, 150, 400, 450), None)
    assert set(frames_of(tmp_path, card)) == {INDEX["7D"]}


def test_what_lies_on_no_label_is_no_card_where_all_cards_are_labelled(tmp_path: Path) -> None:
    assert frames_of(tmp_path) == [INDEX[OTHER]] * FRAMES_A_PHOTOGRAPH
    assert frames_of(tmp_path, complete=False) == []


def test_what_is_cut_can_be_trained_on(tmp_path: Path) -> None:
    jpeg = cv2.imencode(".jpg", IMAGE)[1].tobytes()
    scenes = SceneSet([jpeg] * 2, [np.array([CARD])] * 2, [np.array([INDEX["7D"]])] * 2)
    *_, done = cut(of_scenes(scenes, Finds(CARD, moved(CARD, 120))), tmp_path)  # type: ignore[arg-type]
    assert (done.pictures, done.cards, done.others) == (2, 2, 2)
    crops = load_crops(tmp_path)
    assert sorted(crops.labels[0]) == sorted([INDEX["7D"], INDEX[OTHER]] * 2)
