"""Frames from files and folders; what goes wrong is one line a person can act on."""

import struct
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

import av
import cv2
import numpy as np
import pytest

from vision.errors import UserError
from vision.events import SourceGap
from vision.source_base import Item
from vision.sources import FolderSource, VideoSource, open_source
from vision.types import Frame, Image


def picture(shade: int = 100, size: tuple[int, int] = (48, 64)) -> Image:
    return np.full((*size, 3), shade, dtype=np.uint8)


def write_video(
    path: Path,
    stamps: list[int],
    rate: int | Fraction = 10,
    sound: float = 0.0,
    image: Image | None = None,
) -> Path:
    """A video with a picture at each stamp (in frames of `rate`), and `sound` seconds of sound.

    The pictures are `image` where given, else each of its own shade.
    """
    with av.open(str(path), "w") as out:
        stream = out.add_stream("mpeg4", rate=rate)
        stream.width, stream.height, stream.pix_fmt = 64, 48, "yuv420p"
        stream.codec_context.time_base = 1 / Fraction(rate)
        heard = out.add_stream("aac", rate=8000, layout="mono") if sound else None
        for stamp in stamps:
            shown = picture(stamp % 250) if image is None else image
            frame = av.VideoFrame.from_ndarray(shown, format="bgr24")
            frame.pts, frame.time_base = stamp, 1 / Fraction(rate)
            out.mux(stream.encode(frame))
        out.mux(stream.encode(None))
        if heard is not None:
            for start in range(0, int(sound * 8000), 1024):
                silence = np.zeros((1, 1024), dtype=np.float32)
                hush = av.AudioFrame.from_ndarray(silence, format="fltp", layout="mono")
                hush.sample_rate, hush.pts = 8000, start
                out.mux(heard.encode(hush))
            out.mux(heard.encode(None))
    return path


def frames(items: Iterator[Item] | list[Item]) -> list[Frame]:
    return [item for item in items if isinstance(item, Frame)]


def one_line(error: pytest.ExceptionInfo[UserError], *words: str) -> bool:
    text = str(error.value)
    return "\n" not in text and all(word in text for word in words)


# --- files ---


def test_a_videos_times_are_its_own(tmp_path: Path) -> None:
    path = write_video(tmp_path / "a.mp4", [0, 1, 2, 4, 7])
    with open_source(str(path)) as source:
        got = frames(list(source))
    assert [frame.t for frame in got] == pytest.approx([0, 0.1, 0.2, 0.4, 0.7])
    assert [frame.index for frame in got] == [0, 1, 2, 3, 4]
    assert got[0].image.shape == (48, 64, 3)
    assert not source.live


def test_the_same_video_gives_the_same_frames(tmp_path: Path) -> None:
    path = write_video(tmp_path / "a.mp4", list(range(20)))
    with open_source(str(path)) as one, open_source(str(path)) as two:
        for a, b in zip(frames(list(one)), frames(list(two)), strict=True):
            assert a.t == b.t
            assert (a.image == b.image).all()


def test_a_hole_in_a_video_is_told(tmp_path: Path) -> None:
    path = write_video(tmp_path / "a.mp4", [0, 1, 2, 32, 33])
    with open_source(str(path)) as source:
        gaps = [item for item in source if isinstance(item, SourceGap)]
    assert [(gap.since, gap.t) for gap in gaps] == [(pytest.approx(0.2), pytest.approx(3.2))]


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(UserError) as error:
        open_source(str(tmp_path / "none.mp4"))
    assert one_line(error, "none.mp4", "check the name")


@pytest.mark.parametrize("content", [b"", b"no video at all", bytes(range(256)) * 40])
def test_what_is_no_video_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "fake.mp4"
    path.write_bytes(content)
    with pytest.raises(UserError) as error, open_source(str(path)) as source:
        list(source)
    assert one_line(error, "fake.mp4")


def test_sound_alone_is_no_video(tmp_path: Path) -> None:
    path = tmp_path / "sound.wav"
    with av.open(str(path), "w") as out:
        stream = out.add_stream("pcm_s16le", rate=8000, layout="mono")
        sound = np.zeros((1, 800), dtype=np.int16)
        frame = av.AudioFrame.from_ndarray(sound, format="s16", layout="mono")
        frame.sample_rate = 8000
        out.mux(stream.encode(frame))
        out.mux(stream.encode(None))
    with pytest.raises(UserError) as error:
        open_source(str(path))
    assert one_line(error, "sound.wav", "no video")


def test_a_cut_off_file_gives_what_it_has_and_then_says_so(tmp_path: Path) -> None:
    whole = write_video(tmp_path / "a.mkv", list(range(100)))
    cut = tmp_path / "cut.mkv"
    content = whole.read_bytes()
    cut.write_bytes(content[: len(content) // 2])
    got: list[Item] = []
    with VideoSource(cut) as source, pytest.raises(UserError) as error:
        got.extend(source)
    assert len(got) > 20
    assert one_line(error, "cut.mkv", "incomplete")


@pytest.mark.parametrize("kind", ["mp4", "mkv", "mov", "avi"])
def test_sound_that_runs_on_makes_no_video_incomplete(tmp_path: Path, kind: str) -> None:
    path = write_video(tmp_path / f"a.{kind}", list(range(20)), sound=5.0)
    with open_source(str(path)) as source:
        assert len(frames(list(source))) == 20


@pytest.mark.parametrize("sound", [0.0, 10.0])
def test_a_video_cut_short_is_incomplete_with_sound_and_without(
    tmp_path: Path, sound: float
) -> None:
    whole = write_video(tmp_path / "a.mkv", list(range(100)), sound=sound)
    cut = tmp_path / "cut.mkv"
    cut.write_bytes(whole.read_bytes()[: whole.stat().st_size // 3])
    with VideoSource(cut) as source, pytest.raises(UserError) as error:
        list(source)
    assert one_line(error, "cut.mkv", "incomplete")


def test_a_slow_slide_show_is_complete(tmp_path: Path) -> None:
    path = write_video(tmp_path / "a.mp4", list(range(5)), rate=Fraction(1, 5))
    with open_source(str(path)) as source:
        assert len(frames(list(source))) == 5


def test_a_recording_at_a_url_is_a_video(tmp_path: Path) -> None:
    path = write_video(tmp_path / "a.mp4", list(range(5)))
    with open_source(f"file://{path}") as source:
        assert [frame.t for frame in frames(list(source))] == pytest.approx([0, 0.1, 0.2, 0.3, 0.4])
    assert not source.live


def test_a_recording_at_a_url_that_breaks_off_ends_and_says_so(tmp_path: Path) -> None:
    """It must not begin again: all its plays would come twice."""
    whole = write_video(tmp_path / "a.mkv", list(range(100)))
    cut = tmp_path / "cut.mkv"
    cut.write_bytes(whole.read_bytes()[: whole.stat().st_size // 2])
    got: list[Item] = []
    with open_source(f"file://{cut}") as source, pytest.raises(UserError) as error:
        got.extend(source)
    assert 20 < len(got) < 100
    assert one_line(error, "cut.mkv", "incomplete", "download")


# --- phones held on their side ---

IDENTITY = (1, 0, 0, 1)
TURNS = [
    pytest.param(IDENTITY, (48, 64), (0, 0), id="none"),
    pytest.param((0, 1, -1, 0), (64, 48), (0, 1), id="clockwise"),
    pytest.param((-1, 0, 0, -1), (48, 64), (1, 1), id="upside down"),
    pytest.param((0, -1, 1, 0), (64, 48), (1, 0), id="counter-clockwise"),
]
"""The first four numbers of a display matrix, the shape of the upright picture, and the corner of
it (down, right) where the upper left corner of the sensor's belongs."""


def display_matrix(a: int, b: int, c: int, d: int) -> bytes:
    """As a QuickTime track header holds it: x' = a x + c y, y' = b x + d y, with y down."""
    one = 1 << 16
    return struct.pack(">9i", a * one, b * one, 0, c * one, d * one, 0, 0, 0, 1 << 30)


@pytest.mark.parametrize(("matrix", "shape", "corner"), TURNS)
def test_a_picture_is_turned_as_the_phone_was_held(
    tmp_path: Path,
    matrix: tuple[int, int, int, int],
    shape: tuple[int, int],
    corner: tuple[int, int],
) -> None:
    """The matrix is written into the file's track header by hand, after QuickTime's own formula,
    and OpenCV, which turns pictures by itself, is asked for its opinion."""
    sensor = picture(0)
    sensor[:24, :32] = 255
    path = write_video(tmp_path / "a.mp4", list(range(5)), image=sensor)
    content = path.read_bytes()
    at = content.index(display_matrix(*IDENTITY), content.index(b"tkhd"))
    path.write_bytes(content[:at] + display_matrix(*matrix) + content[at + 36 :])

    with open_source(str(path)) as source:
        image = frames(list(source))[0].image
    assert image.shape[:2] == shape
    assert image.flags.c_contiguous
    corners = {(y, x): image[-4 if y else 4, -4 if x else 4] for y in (0, 1) for x in (0, 1)}
    assert [place for place, colour in corners.items() if colour.mean() > 128] == [corner]

    capture = cv2.VideoCapture(str(path), cv2.CAP_FFMPEG)
    ok, theirs = capture.read()
    capture.release()
    assert ok
    assert theirs.shape == image.shape
    assert np.abs(theirs.astype(int) - image).mean() < 5


# --- folders ---


def folder_of(path: Path, *names: str) -> Path:
    for i, name in enumerate(names):
        cv2.imwrite(str(path / name), picture(40 * i))
    return path


def test_pictures_come_in_natural_order(tmp_path: Path) -> None:
    folder_of(tmp_path, "p1.png", "p2.png", "p10.png")
    got = frames(list(open_source(str(tmp_path), fps=4)))
    assert [int(frame.image[0, 0, 0]) for frame in got] == [0, 40, 80]
    assert [frame.t for frame in got] == [0, 0.25, 0.5]


def test_an_empty_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("nothing to see")
    with pytest.raises(UserError) as error:
        FolderSource(tmp_path)
    assert one_line(error, "no pictures", str(tmp_path))


def test_a_broken_picture_is_named(tmp_path: Path) -> None:
    folder_of(tmp_path, "a.png")
    (tmp_path / "b.png").write_bytes(b"not a picture")
    with pytest.raises(UserError) as error:
        list(FolderSource(tmp_path))
    assert one_line(error, "b.png")


def test_an_empty_picture_is_named(tmp_path: Path) -> None:
    folder_of(tmp_path, "a.png")
    (tmp_path / "b.png").write_bytes(b"")
    with pytest.raises(UserError) as error:
        list(FolderSource(tmp_path))
    assert one_line(error, "b.png")


def test_a_picture_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    folder_of(tmp_path, "a.png", "b.png")
    source = FolderSource(tmp_path)
    (tmp_path / "b.png").unlink()  # the disk was pulled out
    with pytest.raises(UserError) as error:
        list(source)
    assert one_line(error, "b.png")


def test_a_folder_that_cannot_be_looked_into_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def forbidden(path: Path) -> Iterator[Path]:
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(Path, "iterdir", forbidden)
    with pytest.raises(UserError) as error:
        open_source(str(tmp_path))
    assert one_line(error, str(tmp_path), "Permission denied")


@pytest.mark.parametrize("spec", ["99999999999", "9" * 5000])
def test_a_number_too_long_for_any_camera_is_refused(spec: str) -> None:
    with pytest.raises(UserError) as error:
        open_source(spec)
    assert one_line(error, spec, "check the name")


def test_pictures_of_another_size_are_refused(tmp_path: Path) -> None:
    folder_of(tmp_path, "a.png")
    cv2.imwrite(str(tmp_path / "b.png"), picture(size=(50, 60)))
    with pytest.raises(UserError) as error:
        list(FolderSource(tmp_path))
    assert one_line(error, "b.png", "60x50")
