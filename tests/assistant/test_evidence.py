"""Evidence: both pictures of a play, kept once and for all, reachable by pointer alone."""

from pathlib import Path

import cv2
import numpy as np
import pytest

from assistant.evidence import CROP_SIZE, EvidenceStore, upright_crop
from tests.assistant.games import QUAD, table_picture
from vision.errors import UserError


def test_the_frame_and_an_upright_crop_are_kept(tmp_path: Path) -> None:
    store = EvidenceStore(tmp_path / "evidence")
    pointer = store.keep("play-1", table_picture(), QUAD)
    frame, crop = store.path(pointer, "frame"), store.path(pointer, "crop")
    assert frame is not None
    assert crop is not None
    assert cv2.imread(str(frame)).shape == (540, 960, 3)
    assert cv2.imread(str(crop)).shape[1::-1] == CROP_SIZE


def test_the_crop_shows_the_card_and_nothing_around_it() -> None:
    crop = upright_crop(table_picture(), QUAD)
    assert crop[8:-8, 8:-8].min() > 200, "the card is light, the cloth dark"


def test_the_crop_keeps_the_order_of_the_corners() -> None:
    image = table_picture()
    cv2.circle(image, (424, 186), 12, (0, 0, 255), -1)  # by the quad's first corner
    crop = upright_crop(image, QUAD)
    red = (crop[..., 2] > 180) & (crop[..., 0] < 80)
    rows, columns = np.nonzero(red)
    assert rows.mean() < 40
    assert columns.mean() < 40


def test_a_picture_is_never_overwritten(tmp_path: Path) -> None:
    store = EvidenceStore(tmp_path)
    pointers = [store.keep("play-1", table_picture(), QUAD) for _ in range(3)]
    assert pointers == ["play-1", "play-1-2", "play-1-3"]


@pytest.mark.parametrize("name", ["", "../play", "a/b", "Play", "a--b", "-a", "a.b", "a\0b"])
def test_only_plain_names_are_taken(tmp_path: Path, name: str) -> None:
    store = EvidenceStore(tmp_path)
    with pytest.raises(ValueError, match="expected a name"):
        store.keep(name, table_picture(), QUAD)
    assert store.path(name, "crop") is None


def test_what_was_not_kept_is_none(tmp_path: Path) -> None:
    assert EvidenceStore(tmp_path).path("play-1", "crop") is None


def test_a_folder_that_cannot_be_written_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(UserError, match="cannot keep a play's picture") as refused:
        EvidenceStore(tmp_path / "file").keep("play-1", table_picture(), QUAD)
    assert "\n" not in str(refused.value)
