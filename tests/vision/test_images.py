"""Pictures from files, good and bad."""

from pathlib import Path

import cv2
import numpy as np
import pytest

from vision.errors import UserError
from vision.images import load_image


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
    data = path.read_bytes()
    # An EXIF block of one entry, orientation 6: turn by 90 degrees.
    tiff = b"II*\0\x08\0\0\0\x01\0\x12\x01\x03\0\x01\0\0\0\x06\0\0\0\0\0\0\0"
    body = b"Exif\0\0" + tiff
    block = b"\xff\xe1" + (len(body) + 2).to_bytes(2, "big") + body
    path.write_bytes(data[:2] + block + data[2:])
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
        ("a.png", cv2.imencode(".png", picture(8, 8))[1].tobytes(), "8 x 8 pixels"),
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


def test_opencv_adds_nothing_to_our_line(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "half.bmp"
    path.write_bytes(cv2.imencode(".bmp", picture())[1].tobytes()[:2000])
    with pytest.raises(UserError):
        load_image(path)
    assert capfd.readouterr().err == ""
