"""How fast the exported models are on two cores, beside a YOLOv8m-shaped peer in the same run.

Run by `make bench`. Public card detectors of this shape find and read in one go, which is what a frame
found, cut and read is held against. The peer has random weights: only its shape matters. It needs the train
extra; without it the figures of our own models are printed alone. All are run in turn, round by round, so
that whatever else the machine does falls on all alike: trust the ratios before the milliseconds.
"""

import os
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np

from tests.pictures import Place, photograph
from vision.finder import FINDER_SIDE, Finder
from vision.labels import CARDS
from vision.network import Network
from vision.reader import Reader
from vision.types import Image, Window

CORES = 2
ROUNDS, WARM_UP = 30, 3
COUNT = 8
LENGTH = 120.0
"""Cards on the frame, and how long each is: two vazas on a table seen whole."""

TABLE = Window(210, 0, 1010, 720)
"""What is looked at where the edges of a square table are seen that is as high as the frame: from nearer,
with the same cards on it."""

FINDER_TARGET_MS, READER_TARGET_MS = 30.0, 2.0


def frame_of_cards() -> Image:
    """A 720p frame with `COUNT` cards in two rows."""
    places: dict[str, Place] = {
        card: (250.0 + 240 * (i % 4), 220.0 + 260 * (i // 4), 0.4 * i)
        for i, card in enumerate(CARDS[:: len(CARDS) // COUNT][:COUNT])
    }
    return photograph(places, LENGTH, 720, 1280)


def medians(work: Mapping[str, Callable[[], object]]) -> dict[str, float]:
    """Milliseconds of each, the median of `ROUNDS` runs that take turns."""
    times: dict[str, list[float]] = {name: [] for name in work}
    for i in range(WARM_UP + ROUNDS):
        for name, run in work.items():
            start = time.perf_counter()
            run()
            if i >= WARM_UP:
                times[name].append(1000 * (time.perf_counter() - start))
    return {name: float(np.median(spent)) for name, spent in times.items()}


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
    with torch.no_grad():
        model(example)  # makes the anchors of this size, which tracing then finds made
    openvino.save_model(openvino.convert_model(model, example_input=example), folder / "peer.xml")
    return Network(folder / "peer.xml")


def two_cores() -> None:
    """Keep this process, and the threads OpenVINO is about to start, on two cores."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:CORES])


def main() -> None:
    """Print milliseconds a frame and a card, and how they compare."""
    two_cores()
    frame = frame_of_cards()
    finder, reader = Finder(), Reader()
    quads = [found.quad for found in finder.find(frame)]
    picture = np.random.default_rng(0).random((1, 3, 384, FINDER_SIDE)).astype(np.float32)
    work: dict[str, Callable[[], object]] = {
        "finder": lambda: finder.find(frame),
        "table": lambda: finder.find(frame, TABLE),
        "reader": lambda: reader.read(frame, quads),
        "frame": lambda: reader.read(frame, [found.quad for found in finder.find(frame)]),
    }
    with tempfile.TemporaryDirectory() as folder:
        other = peer(Path(folder))
        if other is not None:
            work["peer"] = lambda: other(picture)
        spent = medians(work)
    card = spent["reader"] / max(1, len(quads))
    print(
        f"models on {CORES} cores, medians of {ROUNDS}; a 720p frame with {len(quads)} cards found"
    )
    print(
        f"  finder, one frame          {spent['finder']:7.1f} ms   (target {FINDER_TARGET_MS:.0f})"
    )
    print(f"  finder, one table of it    {spent['table']:7.1f} ms")
    print(f"  reader, one card           {card:7.1f} ms   (target {READER_TARGET_MS:.0f})")
    print(f"  found, cut and read        {spent['frame']:7.1f} ms")
    if "peer" not in spent:
        print("  YOLOv8m-shaped peer: skipped, needs the train extra")
        return
    print(f"  YOLOv8m-shaped peer        {spent['peer']:7.1f} ms")
    print(f"  the finder costs {spent['finder'] / spent['peer']:.2f} of the peer's frame, ", end="")
    print(f"finding and reading {spent['frame'] / spent['peer']:.2f}")


if __name__ == "__main__":
    main()
