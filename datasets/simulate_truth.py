"""What happened in a simulated video, as frozen records: the source of its truth file."""

from dataclasses import dataclass

from datasets.simulate_world import Actor, Pose, Seat


@dataclass(frozen=True, slots=True)
class PlayTruth:
    """A card played, `t_release` when the fingers let go, `t_settled` when it lies still.

    `card` is a piece of cardboard (`datasets.simulate_game.PlayedDeal.pieces`), `pose` where it came to
    rest, `trick` from 1 within `deal` (from 0).
    """

    deal: int
    trick: int
    seat: Seat
    card: str
    t_release: float
    t_settled: float
    pose: Pose


@dataclass(frozen=True, slots=True)
class GatherTruth:
    """A trick taken up: first card moved, last card away, whose hand did it."""

    deal: int
    trick: int
    winner: Seat
    by: Seat
    t_start: float
    t_end: float


@dataclass(frozen=True, slots=True)
class TrumpTruth:
    """The dealer's card shown face up from `t_settled` until `t_gone` (picked up or played)."""

    deal: int
    dealer: Seat
    card: str
    t_settled: float
    t_gone: float
    left_lying: bool
    pose: Pose


@dataclass(frozen=True, slots=True)
class Extra:
    """Something that happened besides the plays, from `t0` to `t1`.

    `kind`: `early-lead`, `take-back`, `hover`, `nudge`, `look-again`, `left-over` (the card too many of
    a misdeal). `pose`: where the card lies afterwards, if it was moved. A knock of the camera is none of
    these: it is in the scene's views (`datasets.simulate_scene.View`), and in the truth file's.
    """

    kind: str
    t0: float
    t1: float
    seat: Seat | None = None
    card: str | None = None
    pose: Pose | None = None


@dataclass(frozen=True, slots=True)
class Performance:
    """All movement of a video. Actors by card label (with the deal's number) and by seat."""

    cards: tuple[Actor, ...]
    hands: dict[Seat, Actor]
    plays: tuple[PlayTruth, ...]
    gathers: tuple[GatherTruth, ...]
    trumps: tuple[TrumpTruth, ...]
    extras: tuple[Extra, ...]
    ends: tuple[float, ...]
    """When each deal is over and its piles taken away."""
    duration: float
