"""Crops and scenes for training: the same for the same seed, rightly labelled, never mirrored."""

from pathlib import Path

import cv2
import numpy as np
import pytest
from typer.testing import CliRunner

from datasets.art import Deck, Rgba
from datasets.build import build
from datasets.cli import app
from datasets.crops import (
    card_quad,
    corners_seen,
    found_quad,
    make_crop,
    part_in_sight,
    pick,
    tilted,
)
from datasets.drawn_art import drawn_as_art
from datasets.scenes import DOWN, UP, VISIBLE, make_scene
from datasets.wear import BENT_AWAY, bent, creased, curled, dulled
from vision.crop import CROP_HEIGHT, CROP_WIDTH
from vision.errors import UserError
from vision.geometry import as_quad, iou
from vision.labels import BACK, CARDS, INDEX, OTHER

NO_PHOTOGRAPHS = np.zeros((0, 640, 640, 3), np.uint8)
SEEDS = range(6)


@pytest.fixture(scope="module")
def decks() -> list[Deck]:
    return [drawn_as_art(3)]


def rng(seed: int) -> np.random.Generator:
    return np.random.default_rng(seed)


def area(quad: np.ndarray) -> float:
    """Signed area, positive where the corners run clockwise as seen (y down)."""
    x, y = quad.T
    return float(np.sum(x * np.roll(y, -1) - np.roll(x, -1) * y) / 2)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_crop_has_the_readers_size_and_a_label(decks: list[Deck], seed: int) -> None:
    crop = make_crop(rng(seed), decks, NO_PHOTOGRAPHS)
    assert crop.image.shape == (CROP_HEIGHT, CROP_WIDTH, 3)
    assert crop.image.dtype == np.uint8
    assert 0 <= crop.label < len(INDEX)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_same_seed_gives_the_same_pictures(decks: list[Deck], seed: int) -> None:
    one = make_crop(rng(seed), decks, NO_PHOTOGRAPHS)
    two = make_crop(rng(seed), decks, NO_PHOTOGRAPHS)
    assert np.array_equal(one.image, two.image)
    assert one.label == two.label
    first = make_scene(rng(seed), decks, NO_PHOTOGRAPHS)
    second = make_scene(rng(seed), decks, NO_PHOTOGRAPHS)
    assert np.array_equal(first.image, second.image)
    assert np.array_equal(first.quads, second.quads)


@pytest.mark.parametrize("seed", SEEDS)
def test_boxes_of_a_scene_are_whole_cards_that_show_and_are_not_mirrored(
    decks: list[Deck], seed: int
) -> None:
    scene = make_scene(rng(seed), decks, NO_PHOTOGRAPHS)
    assert len(scene.quads) == len(scene.classes) == len(scene.visible)
    assert (scene.visible >= VISIBLE).all()
    assert set(scene.classes.tolist()) <= {UP, DOWN}
    assert all(area(quad.astype(float)) > 0 for quad in scene.quads)


@pytest.mark.parametrize("seed", SEEDS)
def test_every_box_of_a_scene_has_its_card(decks: list[Deck], seed: int) -> None:
    scene = make_scene(rng(seed), decks, NO_PHOTOGRAPHS)
    assert len(scene.labels) == len(scene.quads)
    assert ((scene.labels == INDEX[BACK]) == (scene.classes == DOWN)).all()


@pytest.mark.parametrize("seed", SEEDS)
def test_a_dulled_face_is_darker_all_over_and_no_bluer(decks: list[Deck], seed: int) -> None:
    face = decks[0].faces["4H"]
    dull = dulled(face, rng(seed))
    assert (dull[..., :3] <= face[..., :3]).all()
    blue, _, red = dull[..., :3].mean(axis=(0, 1)) / face[..., :3].mean(axis=(0, 1))
    assert 0.35 < blue <= red + 0.01 < 1
    assert np.array_equal(dull[..., 3], face[..., 3])


@pytest.mark.parametrize("seed", SEEDS)
def test_a_curled_face_keeps_its_size_and_most_of_its_ink(decks: list[Deck], seed: int) -> None:
    face = decks[0].faces["KH"]
    bowed = curled(face, rng(seed))
    assert bowed.shape == face.shape
    assert bowed[..., 3].mean() > 0.9 * face[..., 3].mean()


@pytest.mark.parametrize("seed", range(12))
def test_of_a_bent_card_one_part_is_darker_than_the_other(seed: int) -> None:
    white = np.full((300, 200, 4), 200, np.uint8)
    lit = bent(white, rng(seed))[20:-20, 20:-20, 0].astype(float)
    dark, light = np.percentile(lit, (1, 99))
    assert BENT_AWAY[0] * 195 <= dark < 0.97 * light
    assert light <= 200 * 1.12


@pytest.mark.parametrize("seed", range(12))
def test_a_creased_card_has_thin_lines_from_edge_to_edge_and_is_else_as_it_was(seed: int) -> None:
    face = np.full((300, 200, 4), 180, np.uint8)
    folded = creased(face, rng(seed))
    assert np.array_equal(folded[..., 3], face[..., 3])
    line = (folded[..., :3] != face[..., :3]).any(axis=2)
    assert 0 < line.mean() < 0.25
    edge = np.concatenate([line[0], line[-1], line[:, 0], line[:, -1]])
    assert (np.diff(edge.astype(int)) == 1).sum() >= 2


@pytest.mark.parametrize("seed", SEEDS)
def test_the_found_quad_starts_at_a_short_side_and_keeps_its_sense(seed: int) -> None:
    quad = tilted(card_quad((100, 100), 120, 1.4, seed), rng(seed), 0.3)
    found = found_quad(quad, rng(seed))
    sides = np.linalg.norm(np.roll(found, -1, axis=0) - found, axis=1)
    assert sides[0] + sides[2] < sides[1] + sides[3]
    assert area(found) > 0


@pytest.mark.parametrize("seed", range(20))
def test_the_found_quad_of_a_card_seen_steeply_lies_on_the_card(seed: int) -> None:
    flat = card_quad((100, 100), 120, 0.75, seed)  # its long side is the shorter one to the camera
    assert iou(as_quad(found_quad(flat, rng(seed))), as_quad(flat)) > 0.7


def test_eights_nines_tens_and_jokers_are_other_and_backs_are_back(decks: list[Deck]) -> None:
    drawn: dict[int, list[Rgba]] = {}
    generator = rng(1)
    for _ in range(400):
        face, label = pick(generator, decks, NO_PHOTOGRAPHS)
        drawn.setdefault(label, []).append(face)
    others = [decks[0].faces[name] for name in ("8S", "9H", "10D", "JOKER")]
    assert any(face is other for face in drawn[INDEX[OTHER]] for other in others)
    backs = [face is decks[0].backs[0] for face in drawn[INDEX[BACK]]]
    assert set(backs) == {True, False}, "its own back and made ones"
    for label in set(drawn) - {INDEX[OTHER], INDEX[BACK]}:
        assert all(face is decks[0].faces[CARDS[label]] for face in drawn[label])


def test_swapped_courts_keep_their_corners_and_lose_their_pictures(decks: list[Deck]) -> None:
    compose = pytest.importorskip("datasets.compose", reason="needs Pillow, of the train extra")
    deck = decks[0]
    swapped = compose.swapped_courts(deck, 3, [drawn_as_art(4)])
    for name, face in deck.faces.items():
        new = swapped.faces[name]
        height, width = face.shape[:2]
        corner = (slice(0, int(height * 0.3)), slice(0, int(width * 0.25)))
        rim = int(width * 0.06)
        assert (new[corner][rim:, rim:] == face[corner][rim:, rim:]).all()
        court = name[0] in "KQJ" and name != "JOKER"
        assert (new == face).all() != court


def test_an_index_corner_that_is_covered_counts_as_unseen() -> None:
    quad = card_quad((100, 100), 120, 1.5, 0.0)
    clear = np.zeros((200, 200), np.float32)
    half = clear.copy()
    half[:100] = 1  # the upper end is covered, the lower shows
    assert corners_seen(clear, quad) == 1
    assert corners_seen(half, quad) > 0.9
    assert corners_seen(np.ones_like(clear), quad) == 0


@pytest.mark.parametrize("angle", [0.0, 0.7, np.pi])
def test_of_a_half_covered_card_the_half_that_shows_is_boxed_its_own_sides_kept(
    angle: float,
) -> None:
    quad = card_quad((100, 100), 120, 1.5, angle)
    clear = np.zeros((200, 200), np.float32)
    assert part_in_sight(clear, quad) == pytest.approx(quad, abs=1e-3)
    lower = np.array([(quad[0] + quad[3]) / 2, (quad[1] + quad[2]) / 2, quad[2], quad[3]])
    over = clear.copy()
    cv2.fillConvexPoly(over, np.round(lower).astype(np.int32), 1.0)
    part = part_in_sight(over, quad)
    assert part[:2] == pytest.approx(quad[:2], abs=1.5)
    assert area(part) == pytest.approx(area(quad) / 2, rel=0.08)


def test_of_a_card_wholly_covered_nothing_is_cut_off() -> None:
    quad = card_quad((100, 100), 120, 1.5, 0.2)
    assert part_in_sight(np.ones((200, 200), np.float32), quad) == pytest.approx(quad)


def test_a_card_is_laid_upright_under_its_quad(decks: list[Deck]) -> None:
    from datasets.crops import warp_card
    from vision.crop import rectify

    face = decks[0].faces["7H"]
    picture = np.zeros((300, 300, 3), np.float32)
    quad = card_quad((150, 150), 200, face.shape[0] / face.shape[1], 0.7)
    warp_card(picture, face, quad, 200)
    crop = rectify(picture.astype(np.uint8), tuple(map(tuple, quad)), margin=0.0)
    straight = cv2.resize(face[..., :3], (CROP_WIDTH, CROP_HEIGHT), interpolation=cv2.INTER_AREA)
    mirrored = straight[:, ::-1]
    inner = (slice(8, -8), slice(8, -8))
    right = np.abs(crop[inner].astype(int) - straight[inner]).mean()
    wrong = np.abs(crop[inner].astype(int) - mirrored[inner]).mean()
    assert right < wrong / 2


def test_a_dataset_of_other_decks_is_not_gone_on_with(tmp_path: Path) -> None:
    (tmp_path / "manifest.json").write_text('{"made_of": "drawn"}')
    with pytest.raises(UserError, match="pictures made of drawn decks: choose another --out"):
        build(tmp_path, 0, 0, decks="packages")


def test_decks_that_are_not_known_are_refused_in_one_line(tmp_path: Path) -> None:
    said = CliRunner().invoke(app, ["build", "--out", str(tmp_path), "--decks", "tarot"]).exception
    assert isinstance(said, UserError)
    assert str(said) == ("--decks tarot: not known; choose one of all, packages, composed, drawn")
