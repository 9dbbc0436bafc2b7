"""What is wrong with the picture itself: too dark, burnt out, blurred, mirrored, no table, no card.

Nothing here knows of plays, holds a clock or does I/O: frames and findings go in with their times,
`ViewTrouble` events come out. A fault is told when it has lasted, not at its first frame, and over
when it has been away as long.
"""

import math
from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import cv2
import numpy as np
import numpy.typing as npt

from vision.events import Trouble, ViewTrouble
from vision.labels import CARDS
from vision.types import Image, Quad, Reading

CHECK_EVERY = 1.0
"""Seconds between checks of the picture."""
_LASTS = 2.0
"""Seconds a fault must last to be told, and be away to be over: hands and lamps come and go."""
_TOLD_AGAIN = 60.0
"""Seconds before the same fault is told anew: a lamp that flickers is one fault, not a hundred."""

_CHECK_WIDTH = 640
"""The picture is checked at this width: fine enough for a card's edge, coarse enough for noise."""
_DARK, _DARK_SHARE = 45.0, 0.98
"""Where nearly everything lies below this grey level, white cards among it, red is black."""
_BURNT, _BURNT_SHARE = 250, 0.3
"""With this share of the picture burnt out in all channels, indices are gone. A white cloth in good
light stays below."""
_FINE, _COARSE = 1.0, 3.0
"""Sigmas, pixels at the check's width, between which an edge's own width is measured."""
_EDGE = 8.0
"""Grey levels a pixel, after coarse smoothing, that only an edge has, not a shadow or grain."""
_EDGES_NEEDED = 200
"""Pixels on edges below which the picture is too plain to tell (a bare cloth fills it)."""
BLURRED = 2.4
"""Sigma of the sharper edges, pixels at the check's width. At 2 (4 px at 720p) suits begin to be
mistaken; sharp pictures measure 0.7, even under grain."""

SMALLEST_CARD = 45.0
"""Pixels of a card's long side below which its index is too small to be read."""
_CARDS_FOR_SIZE = 2
NO_TABLE_AFTER = 15.0
"""Seconds without a table's edge or a card: perhaps the camera looks at a wall."""
NO_CARDS_AFTER = 60.0
"""Seconds without any card from the start, on a table that was found."""

_TELLS = 0.2
"""Nats between the two readings of a card from which it says anything: number cards are read by
their pips, which look the same in a mirror; court cards tell."""
_CARDS_NEEDED, _CARDS_KEPT = 6, 12
"""Telling cards before anything is said of the camera, and the latest of them that count."""
_READ_SURELY = math.log(0.5)
"""Only a card that is read surely one way or the other says anything."""
_MOST_A_CARD = 1.5
"""Nats one card may weigh: one misread card must not decide."""
_MIRRORED = 2.5
"""Nats in all by which the mirror images must be read better..."""
_AGREEING = 0.85
"""...and the share of the telling cards that must say so. A deal is given up on this: be sure."""


_FAULTS: tuple[Trouble, ...] = ("dark", "overexposed", "blurred")


@dataclass(frozen=True, slots=True)
class Picture:
    """What one frame looks like: shares 0 to 1, `edge` the width (sigma, pixels at the check's
    width) of its sharpest edges, None where it has too few to tell."""

    dark_share: float
    burnt_share: float
    edge: float | None

    @property
    def fault(self) -> Trouble | None:
        """The fault that hides the others, if there is one."""
        if self.dark_share > _DARK_SHARE:
            return "dark"
        if self.burnt_share > _BURNT_SHARE:
            return "overexposed"
        return "blurred" if self.edge is not None and self.edge > BLURRED else None


def look_at(image: Image) -> Picture:
    """Measure a BGR frame of any size."""
    scale = min(1.0, _CHECK_WIDTH / image.shape[1])
    size = (max(1, round(image.shape[1] * scale)), max(1, round(image.shape[0] * scale)))
    small = cv2.resize(image, size, interpolation=cv2.INTER_AREA)
    gray = np.asarray(cv2.cvtColor(small, cv2.COLOR_BGR2GRAY), dtype=np.float32)
    burnt = (small.min(axis=2) >= _BURNT).mean()
    return Picture(float((gray < _DARK).mean()), float(burnt), _edge_width(gray))


def _edge_width(gray: npt.NDArray[np.float32]) -> float | None:
    """The sigma of the sharper edges, from how much coarser smoothing lowers their slope.

    An edge of sigma s has a slope of 1 / sqrt(s² + a²) after smoothing by a: two smoothings give s.
    """
    fine, coarse = (_slope(gray, sigma) for sigma in (_FINE, _COARSE))
    edges = coarse > _EDGE
    if int(edges.sum()) < _EDGES_NEEDED:
        return None
    # On the crest of an edge only: beside it the ratio says nothing.
    crest = edges & (coarse >= cv2.dilate(coarse, np.ones((5, 5), np.uint8)) - 1e-3)
    if not crest.any():
        return None
    ratio = float(np.quantile(fine[crest] / coarse[crest], 0.75))
    if ratio <= 1.0:
        return math.inf
    return math.sqrt(max(0.0, (_COARSE**2 - (ratio * _FINE) ** 2) / (ratio**2 - 1)))


def _slope(gray: npt.NDArray[np.float32], sigma: float) -> npt.NDArray[np.float32]:
    smooth = cv2.GaussianBlur(gray, (0, 0), sigma)
    dx = cv2.Sobel(smooth, cv2.CV_32F, 1, 0, scale=1 / 8)
    dy = cv2.Sobel(smooth, cv2.CV_32F, 0, 1, scale=1 / 8)
    return np.asarray(cv2.magnitude(dx, dy), dtype=np.float32)


def mirrored_quad(quad: Quad) -> Quad:
    """The quad that cuts the same card out as its mirror image."""
    return (quad[1], quad[0], quad[3], quad[2])


class MirrorWatch:
    """Whether cards are read better as their mirror images: the camera's program flips its picture.

    Every card is asked once. One card says little, several that agree say it.
    """

    def __init__(self) -> None:
        self._gains: deque[float] = deque(maxlen=_CARDS_KEPT)
        self.mirrored = False

    def take(self, plain: Reading, mirror: Reading) -> None:
        """Compare a card's reading with that of its mirror image, from the same frame."""
        as_seen, flipped = (max(one.log_probs[: len(CARDS)]) for one in (plain, mirror))
        if max(as_seen, flipped) < _READ_SURELY:
            return
        gain = max(-_MOST_A_CARD, min(_MOST_A_CARD, flipped - as_seen))
        if abs(gain) < _TELLS:
            return
        self._gains.append(gain)
        if len(self._gains) < _CARDS_NEEDED:
            return
        sign = -1.0 if self.mirrored else 1.0
        agreeing = sum(sign * one > 0 for one in self._gains) / len(self._gains)
        if sign * sum(self._gains) > _MIRRORED and agreeing >= _AGREEING:
            self.mirrored = not self.mirrored
            self._gains.clear()


@dataclass(slots=True)
class _Fault:
    """One kind of trouble. `since` when it began, or went away, without a break."""

    present: bool = False
    since: float = 0.0
    told: bool = False
    told_at: float = -math.inf

    def step(self, t: float, present: bool, lasts: float) -> bool:
        """Take in whether it is there at `t`; returns whether what is told of it changes now."""
        if present != self.present:
            self.present, self.since = present, t
        if self.present == self.told or t - self.since < lasts:
            return False
        if self.present and t - self.told_at < _TOLD_AGAIN:
            return False
        self.told = self.present
        self.told_at = t if self.present else self.told_at
        return True


@dataclass(slots=True)
class HealthWatch:
    """Watches one source. Feed `step` every frame."""

    _faults: dict[Trouble, _Fault] = field(default_factory=dict)
    _checked_at: float = -math.inf
    _started: float | None = None
    _any_card: bool = False
    _mirror: MirrorWatch = field(default_factory=MirrorWatch)

    @property
    def troubles(self) -> tuple[Trouble, ...]:
        """The faults told and not over."""
        return tuple(kind for kind, fault in self._faults.items() if fault.told)

    def compare(self, plain: Reading, mirror: Reading) -> None:
        """A card's reading and that of its mirror image (see `MirrorWatch`)."""
        self._mirror.take(plain, mirror)

    def step(
        self, t: float, frame: int, image: Image, cards: Iterable[Quad], table_found: bool
    ) -> list[ViewTrouble]:
        """Take in a frame, the quads (image pixels) of cards lying in it, and whether the table's
        edges are known; returns what troubles began or are over."""
        if self._started is None:
            self._started = t
        if t - self._checked_at < CHECK_EVERY:
            return []
        self._checked_at = t
        quads = list(cards)
        self._any_card = self._any_card or bool(quads)
        fault = look_at(image).fault
        waited = t - self._started
        none = not self._any_card and fault is None
        said: list[ViewTrouble] = []
        for kind in _FAULTS:
            self._tell(kind, fault == kind, t, frame, said)
        self._tell(
            "no-table", none and not table_found and waited >= NO_TABLE_AFTER, t, frame, said
        )
        self._tell("no-cards", none and table_found and waited >= NO_CARDS_AFTER, t, frame, said)
        self._tell("mirrored", self._mirror.mirrored, t, frame, said, 0.0)
        if len(quads) >= _CARDS_FOR_SIZE:
            self._tell("small-cards", _length(quads) < SMALLEST_CARD, t, frame, said)
        return said

    def _tell(
        self,
        kind: Trouble,
        present: bool,
        t: float,
        frame: int,
        said: list[ViewTrouble],
        lasts: float = _LASTS,
    ) -> None:
        fault = self._faults.setdefault(kind, _Fault(since=t))
        if fault.step(t, present, lasts):
            said.append(ViewTrouble(t, frame, kind, over=not fault.told))


def _length(quads: Sequence[Quad]) -> float:
    """The median long side, pixels."""
    return float(np.median([max(math.dist(q[1], q[2]), math.dist(q[0], q[3])) for q in quads]))
