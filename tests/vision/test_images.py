"""Pictures from files, good and bad."""

import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import cv2
import numpy as np
import pytest

from tests.pictures import png_header, turned_by_exif
from vision.errors import UserError
from vision.images import LARGEST_FILE, load_image


def picture(height: int = 60, width: int = 80) -> np.ndarray:
    image = np.zeros((height, width, 3), np.uint8)
    image[:, : width // 2] = (10, 200, 30)
    return image


@pytest.mark.parametrize("suffix", [".jpg", ".png", ".webp", ".bmp", ".tiff"])
def test_the_usual_formats_are_read(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"table{suffix}"
    cv2.imwrite(str(path), picture())
    assert load_image(path).shape == (60, 80, 3)


def test_black_and_white_comes_as_three_channels(tmp_path: Path) -> None:
    path = tmp_path / "table.png"
    cv2.imwrite(str(path), picture()[..., 0])
    assert load_image(path).shape == (60, 80, 3)


def test_a_photograph_is_turned_as_its_exif_says(tmp_path: Path) -> None:
    path = tmp_path / "table.jpg"
    cv2.imwrite(str(path), picture())
    path.write_bytes(turned_by_exif(path.read_bytes(), 6))
    assert load_image(path).shape == (80, 60, 3)


def truncated(data: bytes) -> bytes:
    return data[: len(data) // 2]


@pytest.mark.parametrize(
    ("name", "data", "says"),
    [
        ("a.jpg", b"", "is empty"),
        ("a.jpg", b"not a picture at all", "is not a picture"),
        ("a.jpg", truncated(cv2.imencode(".jpg", picture())[1].tobytes()), "is cut short"),
        ("a.png", truncated(cv2.imencode(".png", picture())[1].tobytes()), "is cut short"),
        ("a.webp", truncated(cv2.imencode(".webp", picture())[1].tobytes()), "is cut short"),
        ("a.png", cv2.imencode(".png", picture(32, 32))[1].tobytes(), "32 x 32 pixels"),
        ("a.tif", cv2.imencode(".tif", picture(32, 32))[1].tobytes(), "32 x 32 pixels"),
        ("a.png", png_header(30_000, 30_000), "30000 x 30000 pixels"),
        ("a.png", png_header(2_000_000, 50), "2000000 x 50 pixels"),
        ("a.png", png_header(640, 480), "is damaged"),
    ],
)
def test_what_is_no_photograph_is_refused_in_one_line(
    tmp_path: Path, name: str, data: bytes, says: str
) -> None:
    path = tmp_path / name
    path.write_bytes(data)
    with pytest.raises(UserError, match=says) as refused:
        load_image(path)
    assert str(path) in str(refused.value)
    assert "\n" not in str(refused.value)


def test_a_missing_file_and_a_folder_are_named(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"no picture at .*gone\.jpg"):
        load_image(tmp_path / "gone.jpg")
    with pytest.raises(UserError, match="is a folder"):
        load_image(tmp_path)


def test_a_photograph_with_a_clip_behind_it_is_read(tmp_path: Path) -> None:
    path = tmp_path / "motion.jpg"
    path.write_bytes(cv2.imencode(".jpg", picture())[1].tobytes() + bytes(9000))
    assert load_image(path).shape == (60, 80, 3)


def test_a_photograph_cut_short_behind_its_thumbnail_is_refused(tmp_path: Path) -> None:
    whole = cv2.imencode(".jpg", picture())[1].tobytes()
    thumbnail = b"\xff\xe1" + (2 + len(whole)).to_bytes(2, "big") + whole
    path = tmp_path / "half.jpg"
    path.write_bytes(whole[:2] + thumbnail + whole[2 : len(whole) // 2])
    with pytest.raises(UserError, match="cut short"):
        load_image(path)


def damaged(data: bytes) -> bytes:
    """Some bytes of the pixels changed, the file as long as before."""
    changed = bytearray(data)
    for i in range(len(data) // 3, len(data) - 30, 97):
        changed[i] ^= 0x55
    return bytes(changed)


@pytest.mark.parametrize("suffix", [".jpg", ".png"])
def test_a_picture_damaged_in_the_middle_is_refused_rather_than_read(
    tmp_path: Path, suffix: str
) -> None:
    noise = np.random.default_rng(1).integers(0, 255, (120, 160, 3)).astype(np.uint8)
    path = tmp_path / f"table{suffix}"
    path.write_bytes(damaged(cv2.imencode(suffix, noise)[1].tobytes()))
    with pytest.raises(UserError, match="is damaged"):
        load_image(path)


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("half.bmp", cv2.imencode(".bmp", picture())[1].tobytes()[:2000]),
        ("bad.png", damaged(cv2.imencode(".png", picture(600, 800))[1].tobytes())),
        ("bad.jpg", damaged(cv2.imencode(".jpg", picture(600, 800))[1].tobytes())),
    ],
)
def test_the_decoders_add_nothing_to_our_line(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], name: str, data: bytes
) -> None:
    path = tmp_path / name
    path.write_bytes(data)
    with pytest.raises(UserError):
        load_image(path)
    assert capfd.readouterr().err == ""


def test_a_device_and_a_file_that_would_fill_the_memory_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="is not a file"):
        load_image(Path("/dev/zero"))
    path = tmp_path / "film.jpg"
    with path.open("wb") as file:
        file.truncate(LARGEST_FILE + 1)
    with pytest.raises(UserError, match="MB"):
        load_image(path)


def test_pictures_decoded_at_the_same_time_leave_stderr_as_it_was(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "table.png"
    cv2.imwrite(str(path), picture(600, 800))
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(load_image, [path] * 64))
    os.write(2, b"still here")
    assert capfd.readouterr().err == "still here"
