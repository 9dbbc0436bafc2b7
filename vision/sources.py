"""Where frames come from: a camera, a video file, a URL, a folder of pictures."""

import re
from collections.abc import Iterator
from pathlib import Path

from vision.containers import Container, to_bgr
from vision.errors import UserError
from vision.images import load_image
from vision.live_sources import SIZE, STREAM_TIMEOUT, CameraSource, StreamSource
from vision.source_base import FileTimer, Item, Source, SourceBase
from vision.types import Frame

_SHORT = 1.0
"""A file whose pictures end this many seconds before the length it declares is incomplete."""
_FOLDER_FPS = 1.0
"""Pictures in a folder are taken to be this many a second."""
_PICTURES = {".jpg", ".jpeg", ".png", ".bmp", ".webp", ".tif", ".tiff"}


def open_source(
    spec: str, *, fps: float | None = None, size: tuple[int, int] | None = None
) -> Source:
    """The source a user means by `spec`: a camera's index, a URL, a video file or a folder.

    `fps` is the rate of a folder's pictures, `size` the width and height in pixels that a camera
    is asked for. Raises UserError, in one line, when there is none such; a camera that goes away
    later is waited for.
    """
    # More digits than a camera's index can have are a name like any other.
    if re.fullmatch(r"[0-9]{1,9}", spec):
        return CameraSource(int(spec), size or SIZE)
    if re.match(r"[a-z][a-z0-9+.-]+://", spec, re.IGNORECASE):
        return _at_url(spec)
    path = Path(spec)
    try:
        if path.is_dir():
            return FolderSource(path, fps or _FOLDER_FPS)
        there = path.exists()
    except OSError:  # too long for a name, or behind a folder that may not be looked into
        there = False
    if not there:
        raise UserError(f"no file, folder or camera called {spec}: check the name")
    if path.suffix.lower() in _PICTURES:
        raise UserError(f"{spec} is one picture, not a video: read it with 'sueca read'")
    return VideoSource(path)


def _at_url(url: str) -> Source:
    """A recording is a video like a file; what has no end is followed live."""
    container = Container(url, timeout=STREAM_TIMEOUT)
    return VideoSource(url, container) if container.finite else StreamSource(url, container)


class FolderSource(SourceBase):
    """The pictures of a folder in the natural order of their names, `fps` a second."""

    live = False

    def __init__(self, path: Path, fps: float = _FOLDER_FPS) -> None:
        """Raises UserError where the folder can't be looked into or holds no pictures."""
        self.name = str(path)
        self._fps = fps
        try:
            files = [file for file in path.iterdir() if file.suffix.lower() in _PICTURES]
        except OSError as error:
            raise UserError(
                f"{path} can't be looked into ({error.strerror}): check its permissions"
            ) from None
        self._files = sorted(files, key=_natural)
        if not self._files:
            raise UserError(
                f"no pictures in {path}: it should hold {', '.join(sorted(_PICTURES))} files"
            )

    def __iter__(self) -> Iterator[Item]:
        """Raises UserError at a picture that can't be read or is not of the others' size."""
        size: tuple[int, ...] | None = None
        for index, file in enumerate(self._files):
            image = load_image(file)
            if size is not None and image.shape != size:
                raise UserError(
                    f"{file} is {image.shape[1]}x{image.shape[0]}, the pictures before it "
                    f"{size[1]}x{size[0]}: a folder must hold pictures of one camera"
                )
            size = image.shape
            yield Frame(image, index, index / self._fps)


def _natural(path: Path) -> list[tuple[int, str]]:
    """`frame10` after `frame9`."""
    parts = re.split(r"(\d+)", path.name.lower())
    return [(int(part), "") if part.isdigit() else (-1, part) for part in parts]


class VideoSource(SourceBase):
    """A video from a file or a URL; times are its frames' presentation times, from 0."""

    live = False

    def __init__(self, path: Path | str, container: Container | None = None) -> None:
        """`container` where it is open already, as a URL's is. Raises UserError as it does."""
        self.name = str(path)
        self._mend = "copy it again" if container is None else "download it and give the file"
        self._container = container or Container(self.name)
        # Two threads keep up with 1080p and leave the models their cores.
        self._container.use_threads(2)

    def close(self) -> None:
        self._container.close()

    def __iter__(self) -> Iterator[Item]:
        """Raises UserError after the last picture where it is not the last that was declared."""
        step = 1 / self._container.fps
        timer = FileTimer(self._container.fps)
        last = 0.0
        for picture in self._container.pictures():
            for item in timer.items(to_bgr(picture), picture.time):
                last = item.t
                yield item
        if timer.count == 0:
            raise UserError(f"{self.name} holds no readable pictures: it is damaged or no video")
        declared = self._container.duration
        # A slide show's last picture stays for long.
        if declared is not None and last < declared - max(_SHORT, 1.5 * step):
            raise UserError(
                f"{self.name} ends at {last:.1f} s of {declared:.1f} s: the file is incomplete, "
                f"{self._mend}"
            )
