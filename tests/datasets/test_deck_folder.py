"""A deck from a folder of pictures."""

import cv2
import numpy as np
import pytest

from datasets.deck_folder import load_deck
from datasets.drawn import table_deck
from vision.errors import UserError
from vision.labels import CARDS


@pytest.fixture(scope="module")
def deck_drawn():
    return table_deck(2)


@pytest.fixture
def folder(tmp_path, deck_drawn):
    deck = deck_drawn
    for label in (*CARDS, "back"):
        picture = np.dstack([deck.faces[label], deck.alpha])
        cv2.imwrite(str(tmp_path / f"{label}.png"), picture, [cv2.IMWRITE_PNG_COMPRESSION, 1])
    return tmp_path


def test_a_folder_of_pictures_is_a_deck(folder, deck_drawn):
    deck, drawn = load_deck(folder), deck_drawn
    assert np.array_equal(deck.faces["7D"], drawn.faces["7D"])
    assert np.array_equal(deck.alpha, drawn.alpha)
    assert deck.width_mm == pytest.approx(drawn.width_mm, abs=0.2)


def test_a_missing_card_is_named(folder):
    (folder / "7D.png").unlink()
    with pytest.raises(UserError, match=r"1 pictures missing, such as 7D\.png"):
        load_deck(folder)


def test_a_file_that_is_no_picture_is_named(folder):
    (folder / "7D.png").write_text("not a picture")
    with pytest.raises(UserError, match=r"7D\.png: not a colour picture"):
        load_deck(folder)


def test_a_missing_folder_says_what_to_give(tmp_path):
    with pytest.raises(UserError, match="no such deck; give drawn"):
        load_deck(tmp_path / "nowhere")
