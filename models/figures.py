"""A measurement summed up: per source, per card, per rank, per size, with calibration."""

import itertools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from models.evaluate import Measured, Outcome
from vision.labels import CARDS, LABELS, OTHER

BIN_COUNT = 15
"""Bins of the expected calibration error, equally wide."""

SIZES = ((0, 60), (60, 100), (100, 200), (200, 400), (400, 10_000))
"""Bands of the longer side of a card's box, pixels."""

RANKS = {"aces": "A", "kings": "K", "queens": "Q", "jacks": "J"}
"""The ranks asked about one by one: aces are misread for numbers, courts for each other (R D V are K Q J)."""

Figures = dict[str, float | int | None]


@dataclass(frozen=True, slots=True)
class Bin:
    """What was said with a probability above `low` up to `high`: how many, the mean of these probabilities,
    and the share that was right."""

    low: float
    high: float
    count: int
    said: float
    right: float

    @property
    def name(self) -> str:
        return f"{self.low:g} to {self.high:g}"


def binned(sure: Iterable[tuple[float, bool]], edges: Sequence[float]) -> Iterator[Bin]:
    """The bins between `edges` that hold any of the (probability, whether right) pairs."""
    pairs = list(sure)
    for low, high in itertools.pairwise(edges):
        inside = [(p, right) for p, right in pairs if low < p <= high]
        if inside:
            said, right = (sum(column) / len(inside) for column in zip(*inside, strict=True))
            yield Bin(low, high, len(inside), said, right)


def calibration_error(right: Sequence[bool], p: Sequence[float], bins: int = BIN_COUNT) -> float:
    """Expected calibration error: mean gap between confidence and accuracy over equal-width bins,
    weighted by their counts (Guo et al., 2017)."""
    if not right:
        return 0.0
    hits, sure = np.asarray(right, float), np.asarray(p, float)
    which = np.minimum((sure * bins).astype(int), bins - 1)
    gaps = [
        abs(hits[which == b].mean() - sure[which == b].mean()) * (which == b).sum()
        for b in range(bins)
        if (which == b).any()
    ]
    return float(sum(gaps) / len(hits))


def share(flags: Iterable[bool]) -> float | None:
    """The share of true flags; None of an empty list."""
    listed = list(flags)
    return round(sum(listed) / len(listed), 4) if listed else None


def precision(hits: int, invented: int) -> float | None:
    """The share of what was found that is a card; None where nothing was found."""
    return round(hits / (hits + invented), 4) if hits + invented else None


def by_rank(read: Iterable[tuple[str, bool]]) -> Figures:
    """How often aces, kings, queens and jacks are read right, out of (card, right) pairs."""
    listed = list(read)
    return {
        name: share(right for card, right in listed if card[0] == rank)
        for name, rank in RANKS.items()
    }


def summary(measured: Measured, source: str | None = None) -> Figures:
    """The figures of one source, or of all."""
    rows = [o for o in measured.outcomes if source in (None, o.source)]
    of_40 = [o for o in rows if o.label in CARDS]
    truth = [o for o in of_40 if o.read_at_truth is not None]
    extra = sum(n for s, n in measured.invented.items() if source in (None, s))
    found = [o for o in rows if o.found]
    return {
        "cards": len(rows),
        "finder_recall": share(o.found for o in rows),
        "finder_precision": precision(len(found), extra),
        "read_at_truth": share(o.read_at_truth == o.label for o in truth),
        "cards_at_truth": len(truth),
        "read_when_found": share(o.read_found == o.label for o in of_40 if o.found),
        "other_when_other": share(o.read_found == OTHER for o in found if o.label == OTHER),
        "both": share(o.read_found == o.label for o in of_40),
        "ece": round(
            calibration_error([o.read_found == o.label for o in found], [o.p_found for o in found]),
            4,
        ),
        **by_rank((o.label, o.read_found == o.label) for o in of_40 if o.found),
    }


def sources(measured: Measured) -> list[str]:
    return sorted({o.source for o in measured.outcomes})


def by_source(measured: Measured) -> dict[str, Figures]:
    """The figures of every source, and of all under `all`."""
    each = {source: summary(measured, source) for source in sources(measured)}
    return each | {"all": summary(measured)}


def by_card(measured: Measured) -> dict[str, float | None]:
    """How often each label is read right where it was found."""
    return {
        label: share(
            o.read_found == label for o in measured.outcomes if o.found and o.label == label
        )
        for label in LABELS
    }


def by_size(measured: Measured) -> dict[str, Figures]:
    """Found, and read right when found, by the size of the card in the picture."""
    return {
        f"{low}-{high}": _band([o for o in measured.outcomes if low <= o.size < high])
        for low, high in SIZES
    }


def _band(rows: Sequence[Outcome]) -> Figures:
    cards = [o for o in rows if o.found and o.label != OTHER]
    return {
        "cards": len(rows),
        "found": share(o.found for o in rows),
        "read": share(o.read_found == o.label for o in cards),
    }
