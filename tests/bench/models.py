"""How fast the exported models are on this machine, beside a YOLOv8m-shaped peer in the same run.

Run by `make bench`. The peer has random weights: only its shape matters. It needs the train extra;
without it the figures of our own models are printed alone.
"""

import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from vision.crop import CROP_HEIGHT, CROP_WIDTH
from vision.finder import FINDER_SIDE, Finder
from vision.network import Network
from vision.reader import Reader

ROUNDS = 30
FRAME = (720, 1280, 3)
CARDS = 8
FINDER_TARGET_MS, READER_TARGET_MS = 30.0, 2.0


def milliseconds(work: Callable[[], object]) -> float:
    """The median of `ROUNDS` runs, after three to warm up."""
    times = []
    for i in range(ROUNDS + 3):
        start = time.perf_counter()
        work()
        if i >= 3:
            times.append(1000 * (time.perf_counter() - start))
    return float(np.median(times))


def peer(folder: Path) -> Network | None:
    """A YOLOv8m network at the finder's picture size, or None without PyTorch."""
    try:
        import openvino
        import torch
        from ultralytics.nn.tasks import DetectionModel
    except ImportError:
        return None
    model = DetectionModel("yolov8m.yaml", ch=3, nc=52, verbose=False).eval()
    model.model[-1].export = True
    example = torch.zeros(1, 3, 384, FINDER_SIDE)
    openvino.save_model(openvino.convert_model(model, example_input=example), folder / "peer.xml")
    return Network(folder / "peer.xml")


def main() -> None:
    """Print milliseconds a frame and a card, and how they compare."""
    rng = np.random.default_rng(0)
    frame = rng.integers(0, 255, FRAME).astype(np.uint8)
    crops = [rng.integers(0, 255, (CROP_HEIGHT, CROP_WIDTH, 3)).astype(np.uint8)] * CARDS
    finder, reader = Finder(), Reader()
    find = milliseconds(lambda: finder.find(frame))
    read = milliseconds(lambda: reader.read_crops(crops)) / CARDS
    print("models on this machine, medians of", ROUNDS)
    print(f"  finder, one 720p frame     {find:7.1f} ms   (target {FINDER_TARGET_MS:.0f})")
    print(f"  reader, one card of {CARDS}      {read:7.1f} ms   (target {READER_TARGET_MS:.0f})")
    with tempfile.TemporaryDirectory() as folder:
        other = peer(Path(folder))
        if other is None:
            print("  YOLOv8m-shaped peer: skipped, needs the train extra")
            return
        picture = rng.random((1, 3, 384, FINDER_SIDE)).astype(np.float32)
        whole = milliseconds(lambda: other(picture))
        print(f"  YOLOv8m-shaped peer        {whole:7.1f} ms a frame")
        print(
            f"  a frame with {CARDS} cards costs {(find + CARDS * read) / whole:.2f} of the peer's"
        )


if __name__ == "__main__":
    main()
