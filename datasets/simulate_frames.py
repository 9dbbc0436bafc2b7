"""The truth of every frame of a simulated video: each card in sight, its quad, how much of it shows.

Kept as `NAME.frames.npz` beside the video, a few hundred kilobytes a deal; `FrameTruths.load` reads it.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt

from datasets.simulate_render import Renderer, Shot, in_order
from datasets.simulate_world import Actor, Floats
from vision.labels import CARDS

_NO_SHARE = 0.005  # less than this of a card is a sliver of its rounding, not seen


@dataclass(frozen=True, slots=True)
class CardInFrame:
    """A card in one frame. `quad` (4, 2) image pixels, that of the card lying flat, possibly outside
    the picture; `visible` the share of it that shows (0 to 1, to about 0.02), nothing over it and
    inside the picture; `moving` whether it is on its way."""

    card: str
    face_up: bool
    moving: bool
    visible: float
    quad: npt.NDArray[np.float32]


class FrameTruths:
    """What lies in each frame, in the order of time; within a frame the lowest card first."""

    def __init__(self) -> None:
        self.times: list[float] = []
        self._frames: list[list[CardInFrame]] = []

    def __len__(self) -> int:
        return len(self._frames)

    def __getitem__(self, index: int) -> Sequence[CardInFrame]:
        return self._frames[index]

    def __iter__(self) -> Iterator[Sequence[CardInFrame]]:
        return iter(self._frames)

    def add(self, t: float, shot: Shot, renderer: Renderer, cards: Sequence[Actor]) -> None:
        """Take in the frame at `t`; the shot must have its owners."""
        if shot.owner is None:
            raise ValueError("expected a shot with owners, got one without")
        counts = cv2.calcHist([shot.owner], [0], None, [256], [0, 256]).ravel()
        found = []
        for label, move in in_order(t, cards):
            pose = move.at(t)
            quad = renderer.quad(pose)
            share = min(1.0, float(counts[1 + CARDS.index(label)]) / _pixels(quad))
            if share >= _NO_SHARE:
                there = quad.astype(np.float32)
                found.append(CardInFrame(label, pose.turn < 0.5, t < move.t1, share, there))
        self.times.append(t)
        self._frames.append(found)

    def save(self, path: Path) -> None:
        """Write the arrays: `t` (frames,) seconds; `first` (frames + 1,) the row each frame begins
        at; and a row a card: `card` (place in `vision.labels.CARDS`), `face_up`, `moving`,
        `visible`, `quad` (rows, 4, 2) pixels."""
        rows = [card for frame in self._frames for card in frame]
        np.savez_compressed(
            path,
            t=np.array(self.times, np.float64),
            first=np.cumsum([0, *[len(frame) for frame in self._frames]]).astype(np.int64),
            card=np.array([CARDS.index(one.card) for one in rows], np.uint8),
            face_up=np.array([one.face_up for one in rows], np.bool_),
            moving=np.array([one.moving for one in rows], np.bool_),
            visible=np.array([one.visible for one in rows], np.float16),
            quad=np.array([one.quad for one in rows], np.float32).reshape(-1, 4, 2),
        )

    @classmethod
    def load(cls, path: Path) -> "FrameTruths":
        """Read what `save` wrote."""
        truths = cls()
        with np.load(path) as arrays:
            kept = {name: arrays[name] for name in arrays.files}
        for t, start, end in zip(kept["t"], kept["first"][:-1], kept["first"][1:], strict=True):
            truths.times.append(float(t))
            truths._frames.append(
                [
                    CardInFrame(
                        CARDS[int(kept["card"][k])],
                        bool(kept["face_up"][k]),
                        bool(kept["moving"][k]),
                        float(kept["visible"][k]),
                        kept["quad"][k],
                    )
                    for k in range(int(start), int(end))
                ]
            )
        return truths


def _pixels(quad: Floats) -> float:
    """How many pixels a quad fills, its outline with it, as they are counted in `Shot.owner`."""
    corners = np.round(quad)
    steps = np.abs(corners - np.roll(corners, 1, axis=0)).max(1)
    return float(cv2.contourArea(corners.astype(np.float32))) + float(steps.sum()) / 2 + 1
