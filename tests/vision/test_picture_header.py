"""What a file's first bytes say of the picture in it."""

import cv2
import numpy as np
import pytest

from tests.pictures import png_header
from vision.picture_header import cut_short, declared_size

PICTURE = np.random.default_rng(1).integers(0, 255, (60, 84, 3)).astype(np.uint8)
LOSSLESS = [cv2.IMWRITE_WEBP_QUALITY, 101]


def encoded(suffix: str, options: list[int] | None = None) -> bytes:
    return cv2.imencode(suffix, PICTURE, options or [])[1].tobytes()


KINDS = {
    "jpeg": encoded(".jpg"),
    "progressive jpeg": encoded(".jpg", [cv2.IMWRITE_JPEG_PROGRESSIVE, 1]),
    "png": encoded(".png"),
    "gif": encoded(".gif"),
    "webp": encoded(".webp", [cv2.IMWRITE_WEBP_QUALITY, 80]),
    "lossless webp": encoded(".webp", LOSSLESS),
}


@pytest.mark.parametrize("kind", KINDS)
def test_the_size_is_known_before_the_picture_is_decoded(kind: str) -> None:
    assert declared_size(KINDS[kind]) == (84, 60)


@pytest.mark.parametrize("kind", KINDS)
def test_a_file_that_ends_in_its_header_has_no_size(kind: str) -> None:
    assert declared_size(KINDS[kind][:9]) is None


@pytest.mark.parametrize("data", [b"", b"a letter", encoded(".bmp"), b"RIFF\0\0\0\0WAVEfmt "])
def test_other_files_say_nothing(data: bytes) -> None:
    assert declared_size(data) is None
    assert not cut_short(data)


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "gif"])
def test_a_file_without_its_end_is_known_as_cut_short(kind: str) -> None:
    assert not cut_short(KINDS[kind])
    assert cut_short(KINDS[kind][:-9])


def test_a_size_that_is_a_lie_is_given_as_it_stands() -> None:
    assert declared_size(png_header(30_000, 40_000)) == (30_000, 40_000)
