"""The cards in a single photograph: found at whatever size, read under several turns, each card once."""

import math
from collections.abc import Sequence

from vision.doubtful import by_reading
from vision.finder import Finder
from vision.geometry import iou
from vision.labels import CARDS, INDEX
from vision.reader import Reader
from vision.types import Detection, Image, Reading

TWICE, SURE_OF_IT = 0.25, 0.5
"""Two boxes that share more than `TWICE` and are both read as one card with at least this p are two boxes of
one card: there is no second of it, least of all half under the first. Chosen on every third photograph of
`shared/real/train`: of 15 boxes of no card 7 go, and no card does; from 0.1 on one does."""


def look(image: Image, finder: Finder, reader: Reader) -> list[tuple[Detection, Reading]]:
    """What lies in a BGR photograph of any size, the surest found first."""
    found = finder.find_any_size(image, doubtful=True)
    readings = reader.read_askew(image, [detection.quad for detection in found])
    kept = by_reading(found, readings)
    return once([found[i] for i in kept], [readings[i] for i in kept])


def once(
    found: Sequence[Detection], readings: Sequence[Reading]
) -> list[tuple[Detection, Reading]]:
    """All but those that are a surer read card seen a second time, in their order."""
    pairs = list(zip(found, readings, strict=True))
    kept: list[int] = []
    for i in sorted(range(len(pairs)), key=lambda i: -max(readings[i].log_probs)):
        if not any(_same_card(pairs[i], pairs[k]) for k in kept):
            kept.append(i)
    return [pairs[i] for i in sorted(kept)]


def _same_card(one: tuple[Detection, Reading], other: tuple[Detection, Reading]) -> bool:
    card = other[1].best
    if card not in CARDS or one[1].best != card:
        return False
    least = math.log(SURE_OF_IT)
    sure = all(reading.log_probs[INDEX[card]] >= least for _, reading in (one, other))
    return sure and iou(one[0].quad, other[0].quad) > TWICE
