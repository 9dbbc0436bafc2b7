"""What is written in the log: everything the camera saw and everything a person said.

All frozen; times are seconds from the start of the source. `t` is when the event became known;
a play's `played` is when the card came to lie on the table, and puts a vaza's plays in order.
Deals are numbered from 1 by `DealStarted`; an event belongs to the deal last started, except that
a `play_id` may be revised, retracted or corrected at any time. `play_id`s are unique in a game:
the camera counts up from 1, a person's added plays count down from -1.
"""

from dataclasses import dataclass
from typing import Literal

from vision.types import Quad

Seat = Literal["S", "E", "N", "W"]
Source = Literal["camera", "person"]
Alternatives = tuple[tuple[str, float], ...]
"""Other cards this may have been, `(card, probability)`, likeliest first."""


@dataclass(frozen=True, slots=True)
class DealStarted:
    """A new deal: cards are in the players' hands. `dealer` None while unknown.

    One that ended with the source and is started again goes on: the source did.
    """

    t: float
    deal: int
    rules: str
    dealer: Seat | None = None


@dataclass(frozen=True, slots=True)
class TrumpShown:
    """The dealer's face-up card. A later one in the same deal replaces the earlier."""

    t: float
    card: str
    seat: Seat | None = None
    p: float = 1.0
    alternatives: Alternatives = ()
    track: int | None = None
    frame: int | None = None
    quad: Quad | None = None
    evidence: str | None = None


@dataclass(frozen=True, slots=True)
class PlaySeen:
    """A card was played. `trick` from 1; `p` that card, seat and vaza are right.

    `track`, `frame` and `quad` (image pixels of that frame) say where it was read; `evidence`
    is a pointer as `assistant.evidence` hands out.
    """

    t: float
    play_id: int
    seat: Seat
    card: str
    trick: int
    played: float
    p: float
    alternatives: Alternatives = ()
    track: int | None = None
    frame: int | None = None
    quad: Quad | None = None
    evidence: str | None = None


@dataclass(frozen=True, slots=True)
class PlayRevised:
    """What came later changed the reading of a play: these values replace the earlier ones.

    `evidence` None keeps the picture that was there.
    """

    t: float
    play_id: int
    seat: Seat
    card: str
    trick: int
    played: float
    p: float
    alternatives: Alternatives = ()
    evidence: str | None = None


@dataclass(frozen=True, slots=True)
class PlayRetracted:
    """It was no play after all: taken back, or never a card."""

    t: float
    play_id: int


@dataclass(frozen=True, slots=True)
class TrickGathered:
    """The vaza was swept up; `by` the seat towards which it went, where that was seen."""

    t: float
    trick: int
    by: Seat | None = None


@dataclass(frozen=True, slots=True)
class DealEnded:
    """No more plays belong to this deal. `reason` says why the camera thinks so."""

    t: float
    deal: int
    reason: Literal["complete", "new-deal", "source-ended", "stopped", "void"] = "complete"


@dataclass(frozen=True, slots=True)
class Noticed:
    """Something about the table or camera that a reader of the log must know.

    `kind` is a short English key; `assistant.noticetext` has them all in words: `source-gap` (no
    frames from `since` to `t`), `camera-moved`, `table-lost`, `unseen-play`, `rest-claimed`,
    `under-way` (vazas were played before watching began), `wrong-way-round`, the troubles of
    `vision.events.Trouble` and `trouble-over`, `foreign-card`, `foreign-deck`, `same-card-twice`,
    `card-lacking`. `detail` is for people, or what the words need: the seat of a `foreign-card`, the
    card of the last two, the trouble that is over.
    """

    t: float
    kind: str
    detail: str = ""
    since: float | None = None


@dataclass(frozen=True, slots=True)
class PlayCorrected:
    """A person says what a play was. None leaves a field as it stands."""

    t: float
    play_id: int
    card: str | None = None
    seat: Seat | None = None
    trick: int | None = None


@dataclass(frozen=True, slots=True)
class PlayAdded:
    """A person adds a play the camera missed in `deal`. `play_id` is negative."""

    t: float
    play_id: int
    deal: int
    seat: Seat
    card: str
    trick: int
    played: float


@dataclass(frozen=True, slots=True)
class PlayRemoved:
    """A person says there was no such play."""

    t: float
    play_id: int


@dataclass(frozen=True, slots=True)
class TrumpCorrected:
    """A person says which card the dealer showed in `deal`."""

    t: float
    deal: int
    card: str


@dataclass(frozen=True, slots=True)
class DealerCorrected:
    """A person says who dealt `deal`."""

    t: float
    deal: int
    dealer: Seat


@dataclass(frozen=True, slots=True)
class PlayersNamed:
    """The names at the table; seats left out keep theirs."""

    t: float
    names: tuple[tuple[Seat, str], ...]


@dataclass(frozen=True, slots=True)
class TableMarked:
    """A person marks the table's corners (pixels, any order) in a picture of `size` (w, h)."""

    t: float
    corners: Quad
    size: tuple[int, int]


@dataclass(frozen=True, slots=True)
class CountingChosen:
    """Whether card points are shown while a deal is played, or only at its end."""

    t: float
    counting: Literal["live", "end"]


@dataclass(frozen=True, slots=True)
class FlagRuled:
    """The table's verdict on a flag: `upheld` (it happened) or `dismissed` (it did not)."""

    t: float
    deal: int
    flag: str
    ruling: Literal["upheld", "dismissed"]


@dataclass(frozen=True, slots=True)
class AccusationMade:
    """A player accuses an opponent of a renúncia, in `trick` or anywhere in the deal."""

    t: float
    deal: int
    accuser: Seat
    accused: Seat
    trick: int | None = None


@dataclass(frozen=True, slots=True)
class Undone:
    """A person takes back an event of a person; `entry` is its number in the log."""

    t: float
    entry: int


CameraEvent = (
    DealStarted
    | TrumpShown
    | PlaySeen
    | PlayRevised
    | PlayRetracted
    | TrickGathered
    | DealEnded
    | Noticed
)
PersonEvent = (
    PlayCorrected
    | PlayAdded
    | PlayRemoved
    | TrumpCorrected
    | DealerCorrected
    | PlayersNamed
    | TableMarked
    | CountingChosen
    | FlagRuled
    | AccusationMade
    | Undone
)
Event = CameraEvent | PersonEvent
