"""The finder: every card on the table as a parallelogram, from one frame."""

from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np

from vision.any_size import GREY, any_size, looks_again
from vision.boxes import (
    Rows,
    agreed,
    chosen,
    decode,
    distinct_rows,
    figures,
    quad_of_row,
    scaled,
    shifted,
    surest_places,
    whole_cards,
)
from vision.network import Network
from vision.types import Detection, Face, Image, Window
from vision.verifier import FACE_SURE, LIVE_WAYS, WAYS, Verifier
from vision.weights import Weights, load_weights, named

FINDER_SIDE = 640
"""Longer side of the picture the network sees, pixels: a 720p frame halved, cards of 45-200 px there."""

NEARER = 1.3
"""A table alone is seen so much larger than in the whole frame: as many pixels as the whole frame's, if the
table is square and as high. Seen larger still real cards are found better, and bent ones boxed in halves."""

FACES: tuple[Face, ...] = ("up", "down")

PROPOSED = 0.05
"""Boxes with at least this p of the finder's own are worth the verifier's look."""


class Finder:
    """Finds cards, and verifies each where a verifier comes along. One instance a thread."""

    def __init__(
        self,
        weights: Weights | None = None,
        side: int = FINDER_SIDE,
        verifier: Verifier | None = None,
    ) -> None:
        """Load and check the weights; raises `UserError` if they are missing or altered.

        Without any the program's own are loaded, with the verifier that comes with them.
        """
        if weights is None:
            weights, verifier = load_weights("finder"), _verifier(None)
        self.weights = weights
        self.verifier = verifier
        self.side = side
        self._network = Network(self.weights.model, outputs=figures(len(FACES)))

    @classmethod
    def from_folder(cls, folder: Path, side: int = FINDER_SIDE) -> "Finder":
        """The finder of a weights folder, with its verifier if the manifest names one."""
        return cls(load_weights("finder", folder), side, _verifier(folder))

    @property
    def all_weights(self) -> tuple[Weights, ...]:
        """Of every network that has a say in what is found."""
        return (self.weights,) if self.verifier is None else (self.weights, self.verifier.weights)

    @property
    def threshold(self) -> float:
        """The least probability of a detection, as the manifest has it."""
        return self.all_weights[-1].threshold

    def find(
        self,
        image: Image,
        window: Window | None = None,
        threshold: float | None = None,
        *,
        doubtful: bool = False,
    ) -> list[Detection]:
        """Cards in a BGR frame of any size, surest and best boxed first.

        Quads are parallelograms of whole cards, covered parts included, in pixels of `image`. With a `window`
        only that part is looked at, and so from nearer: up to `NEARER` times as large as in the whole frame.
        `threshold` overrides the manifest's. Those that are `doubtful` come last, if they are asked for.
        """
        limit = self.threshold if threshold is None else threshold
        height, width = image.shape[:2]
        left, top, right, bottom = window or Window(0, 0, width, height)
        part = np.ascontiguousarray(image[top:bottom, left:right])
        as_whole = self.side * max(part.shape[:2]) / max(height, width)
        side = min(self.side, round(as_whole * NEARER))
        if self.verifier is None:
            return _detections(shifted(self.proposals(part, limit, side), left, top))
        rows = shifted(self.to_verify(part, min(PROPOSED, limit), side), left, top)
        kept, crossing = verified(rows, image, self.verifier, limit)
        return _detections(kept, crossing if doubtful else None)

    def find_live(self, image: Image, window: Window) -> list[Detection]:
        """As `find`, with the doubtful ones, for those who read what is found (`vision.looking`)."""
        return self.find(image, window, doubtful=True)

    def find_any_size(
        self, image: Image, threshold: float | None = None, *, doubtful: bool = False
    ) -> list[Detection]:
        """As `find`, for photographs whose cards may be of any size: looks two or three times at which size
        that is, then four times more, for a photograph is not waited for."""
        limit = self.threshold if threshold is None else threshold
        if self.verifier is None:
            found = any_size(lambda seen, side: self.proposals(seen, limit, side), image)
            return _detections(whole_cards(found.rows))
        least, sure = min(PROPOSED, limit), self.weights.threshold

        # Which look counts is the finder's own affair: the verifier may take a whole table, seen small
        # in the look for close-ups, for one card.
        def look(seen: Image, side: int) -> Rows:
            return self._rows(seen, side, least)

        found = any_size(look, image, said=lambda rows: distinct_rows(rows[rows[:, 5] >= sure]))
        if found.side:
            others = list(looks_again(look, image, found.side))
            rows = surest_places(found.rows, np.concatenate(others))
        else:
            rows = agreed(found.rows)
        kept, crossing = verified(rows, image, self.verifier, limit, WAYS)
        whole = whole_cards(kept)
        among = whole_cards(np.concatenate([whole, crossing]))  # those kept stay, and stay first
        return _detections(whole, among[len(whole) :] if doubtful else None)

    def candidates(self, image: Image, threshold: float, side: int) -> list[Detection]:
        """Everything the network proposes, many boxes a card: for labelling, where a person's box
        already says where the card is."""
        return _detections(self._rows(image, side, threshold))

    def proposals(self, image: Image, threshold: float, side: int) -> Rows:
        """One box a card, by the finder's own word."""
        return distinct_rows(self._rows(image, side, threshold))

    def to_verify(self, image: Image, threshold: float, side: int) -> Rows:
        """Every box that lies otherwise than a surer one, often several a card: among them the verifier
        chooses."""
        return agreed(self._rows(image, side, threshold))

    def _rows(self, image: Image, side: int, limit: float) -> Rows:
        return proposed(self._network, image, side, limit)


def _verifier(folder: Path | None) -> Verifier | None:
    """Of the weights in a folder, if their manifest names one."""
    return Verifier(load_weights("verifier", folder)) if named("verifier", folder) else None


def verified(
    rows: Rows, image: Image, verifier: Verifier, limit: float, ways: int = LIVE_WAYS
) -> tuple[Rows, Rows]:
    """One row a card that the verifier takes for one with p >= `limit`, with its p and face; and those that
    are doubtful (`vision.types.Detection`).

    Of boxes on the same card the one that is surest to be one and to lie well upon it stays, and comes
    first.
    """
    if not len(rows):
        return rows, rows
    verdicts = verifier.verify(image, [quad_of_row(row) for row in rows], rows[:, 5], ways)
    rows = rows.copy()
    rows[:, 5] = verdicts.p
    sure = np.abs(verdicts.down) > FACE_SURE
    rows[sure, 6] = verdicts.down[sure] > 0
    cards = rows[:, 5] >= limit
    return chosen(rows[cards], (rows[:, 5] * verdicts.overlap)[cards])


def proposed(network: Network, image: Image, side: int, limit: float) -> Rows:
    """All boxes, many a card, that a network of the finder's shape gives with p >= `limit`."""
    inputs, scale = letterbox(image, side)
    boxes, scores, turns = network(inputs[None])
    height, width = inputs.shape[:2]
    return scaled(decode(boxes[0], scores[0], turns[0], (height, width), limit), scale)


def letterbox(image: Image, side: int) -> tuple[Image, float]:
    """The image with its longer side at most `side`, padded to multiples of 32, and the scale used.

    Smaller pictures are not enlarged beyond twice their size.
    """
    height, width = image.shape[:2]
    scale = min(side / max(height, width), 2.0)
    h, w = max(1, round(height * scale)), max(1, round(width * scale))
    method = cv2.INTER_AREA if scale < 1 else cv2.INTER_LINEAR
    small = cv2.resize(image, (w, h), interpolation=method)
    padded = np.full((-(-h // 32) * 32, -(-w // 32) * 32, 3), GREY, np.uint8)
    padded[:h, :w] = small
    return padded, scale


def _detections(rows: Rows, doubtful: Rows | None = None) -> list[Detection]:
    found = [Detection(quad_of_row(row), float(row[5]), FACES[int(row[6])]) for row in rows]
    if doubtful is None:
        return found
    return found + [replace(one, doubtful=True) for one in _detections(doubtful)]
