"""When a card is read, when it has been read enough, and which side of it shows."""

import math
from dataclasses import dataclass, field

from vision.events import CardPlaced
from vision.evidence import SURE, Evidence
from vision.labels import BACK, INDEX, OTHER
from vision.track import Activity, Track
from vision.types import Face, Reading

_READ_EVERY = 0.06
_READ_LATER = 0.5
"""Seconds between readings of a card: while they are wanted, and while it stays uncertain."""
_READS_WANTED = 5
READS_AGAIN = 3
"""Readings of a card that has settled; of one seen again or moved."""
_READS_MOST = 24
"""A card that is still uncertain after so many readings will stay so."""
_READABLE_MOVING = 0.3
"""With more of a card's pixels moving there is a hand over it: not the time to read."""
_READABLE_OPEN = 0.25
"""With less of it open to view a card is not read: what is seen may be its neighbour."""
FAINT = 0.55
"""A track the finder itself is less sure of is not announced: printed flowers and squares of a cloth
score 0.4 to 0.5 look after look, a card lying there 0.6 and more within a few looks."""
_READS_ENOUGH = 2
"""So many readings are enough where they surely say one label."""
_FAIRLY_SURE = 0.75
_CERTAIN = 0.98
_WAIT = 0.6
"""Seconds after which a card that can't be read surely is announced as it is read."""
_WAIT_OTHER = 1.5
"""A thing that reads as no card is announced only when it has lain this long: hands rest too."""


@dataclass(slots=True)
class CardState:
    """What the follower knows of a track beyond the tracker; `stirred` whether its place was seen
    to change when it came, `fresh` what was read in full view since its place looked changed."""

    evidence: Evidence = field(default_factory=Evidence)
    wanted: int = _READS_WANTED
    read_at: float = -math.inf
    mirror_asked: bool = False
    stirred: bool = True
    fresh: Evidence | None = None
    told: CardPlaced | None = None
    told_label: str = OTHER
    told_p: float = 0.0
    told_face: Face = "up"

    def look_afresh(self, reading: Reading, weight: float) -> None:
        """Take in what is read where the place looked changed: if it surely says another card than all that
        was read before, another lies there, and what was read before is of no account.

        No less will do: a card merely nudged is often read no better after it than before.
        """
        if self.fresh is None:
            return
        self.fresh.add(reading, weight)
        if self.fresh.count < READS_AGAIN:
            return
        label, p = self.fresh.best()
        another = self.told is not None and label != self.told_label
        if another and p >= _CERTAIN and self.fresh.typical() >= SURE:
            self.evidence = self.fresh
        self.fresh = None


def readable(track: Track, said: Activity | None) -> float:
    """How well a card can be read just now, 0 (not at all) to 1."""
    if track.hidden:
        return 0.0
    if said is None:
        return 1.0
    if said.moving > _READABLE_MOVING or said.open < _READABLE_OPEN:
        return 0.0
    return (0.5 if said.reached else 1.0) * said.open


def reading_due(card: CardState, t: float) -> bool:
    since = t - card.read_at
    if card.wanted:
        return since >= _READ_EVERY
    uncertain = card.evidence.best()[1] < _CERTAIN
    return uncertain and card.evidence.count < _READS_MOST and since >= _READ_LATER


def believable(card: CardState) -> bool:
    """Whether a track may be a card at all. What nothing was seen to bring (the cloth's print, what lay
    there at the start) must be read surely at every look: a card in the open is, a patch of flowers never."""
    return card.stirred or card.evidence.typical() >= SURE


def ready(track: Track, card: CardState, t: float) -> bool:
    """Whether a settled card has been read enough to be announced."""
    if track.p < FAINT or not believable(card):
        return False
    label, p = card.evidence.best()
    waited = t - track.settled_at
    if label == OTHER:
        return waited >= _WAIT_OTHER
    if waited >= _WAIT:
        return True
    if card.evidence.count >= _READS_ENOUGH and p >= SURE:
        return True
    return card.evidence.count >= 4 and p >= _FAIRLY_SURE


def face_of(track: Track, card: CardState) -> Face:
    """Which side shows: the finder's votes and the reader's word together."""
    logs = card.evidence.log_probs()
    back = logs[INDEX[BACK]]
    front = math.log(max(1e-9, 1 - math.exp(back)))
    votes = math.log(track.down + 0.1) - math.log(track.up + 0.1)
    return "down" if back - front + votes > 0 else "up"
