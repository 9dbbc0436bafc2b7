"""What the tracker makes of played cards on followed videos, beside what `datasets.eventsim` draws."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from datasets.eventsim import LEVELS, Recording, TrueDeal, simulate_deal
from datasets.eventsim_deal import TruePlay
from vision.events import CardPlaced, CardReread, TableEvent
from vision.labels import CARDS
from vision.types import Reading

SURE = 0.99


@dataclass(frozen=True, slots=True)
class TrackerFigures:
    """Of the plays of some recordings; shares of them, and seconds.

    A track is the play's that came to rest when it did, where it could be of several that lie there. `missed`
    had no track; of those with one, `first` had their first reading right, `top1` the last, and
    `surely_wrong` a last one that is wrong with a probability of `SURE` or more; `twice` had
    two tracks or more; of `entry_missing` no motion was seen that brought them. `false_cards` a trick were
    taken for cards, brought and read as one of the 40, while the deal was played, and are none of its plays.
    `median` and `late` (one play in twenty is later) count from coming to rest to being announced.
    """

    plays: int
    missed: float
    first: float
    top1: float
    surely_wrong: float
    twice: float
    entry_missing: float
    false_cards: float
    median: float
    late: float


def measured(recordings: Sequence[Recording]) -> TrackerFigures | None:
    """The figures of recordings of one level; None where there are no plays."""
    rows: list[_Play] = []
    strangers = tricks = 0
    for recording in recordings:
        placed = {
            e.track: e for e in recording.events if isinstance(e, CardPlaced) and e.face == "up"
        }
        plays = [play for deal in recording.deals for play in deal.plays]
        owner = _owners(plays, placed)
        for number, play in enumerate(plays):
            mine = [track for track in play.tracks if owner.get(track) == number]
            # Where other plays have them all it was seen on one of theirs: found, if not by its own.
            rows.append(_play(play, mine or play.tracks, placed, recording.events))
        strangers += sum(
            _is_false_card(placed[track], recording.deals) for track in set(placed) - set(owner)
        )
        tricks += sum(len({play.trick for play in deal.plays}) for deal in recording.deals)
    seen = [row for row in rows if row.tracks]
    if not seen:
        return None
    delays = [row.delay for row in seen]
    return TrackerFigures(
        plays=len(rows),
        missed=1 - len(seen) / len(rows),
        first=_share(row.first for row in seen),
        top1=_share(row.last for row in seen),
        surely_wrong=_share(not row.last and row.p >= SURE for row in seen),
        twice=_share(row.tracks > 1 for row in seen),
        entry_missing=_share(row.entry_missing for row in seen),
        false_cards=strangers / max(1, tricks),
        median=float(np.median(delays)),
        late=float(np.percentile(delays, 95)),
    )


@dataclass(frozen=True, slots=True)
class _Play:
    """How one play was seen: number of tracks; first and last reading right; p of the last."""

    tracks: int
    first: bool = False
    last: bool = False
    p: float = 0.0
    entry_missing: bool = False
    delay: float = 0.0


def _owners(plays: Sequence[TruePlay], placed: Mapping[int, CardPlaced]) -> dict[int, int]:
    """Which play (by number) each track is of: of those near whose place it lies, the one that came to rest
    when it did."""
    owner: dict[int, int] = {}
    for number, play in enumerate(plays):
        for track in play.tracks:
            if track in placed:
                before = owner.get(track)
                apart = abs(placed[track].t - play.t)
                if before is None or apart < abs(placed[track].t - plays[before].t):
                    owner[track] = number
    return owner


def _is_false_card(card: CardPlaced, deals: Sequence[TrueDeal]) -> bool:
    """Whether something was brought in mid-deal that reads as a card and is none: not the dealer's card,
    which is shown before, nor what is turned up to be counted."""
    within = any(deal.plays[0].t < card.t < deal.plays[-1].t for deal in deals)
    return within and card.stirred and Reading(card.log_probs).best in CARDS


def _play(
    play: TruePlay,
    tracks: Sequence[int],
    placed: Mapping[int, CardPlaced],
    events: Sequence[TableEvent],
) -> _Play:
    tracks = [track for track in tracks if track in placed]
    if not tracks:
        return _Play(0)
    first = min((placed[track] for track in tracks), key=lambda e: abs(e.t - play.t))
    again = [e.log_probs for e in events if isinstance(e, CardReread) and e.track == first.track]
    last = again[-1] if again else first.log_probs
    known = first.announced if first.announced is not None else first.t
    return _Play(
        len(tracks),
        Reading(first.log_probs).best == play.card.text,
        Reading(last).best == play.card.text,
        float(np.exp(max(last))),
        first.entry is None,
        known - play.t,
    )


def _share(flags: Iterable[bool]) -> float:
    return float(np.mean(list(flags)))


SIMULATED_DEALS = 250
"""Of each level, to measure what the pixel-free simulator sends."""


def simulated(level: str) -> TrackerFigures | None:
    """The same figures of the pixel-free simulator at a level."""
    return measured([simulate_deal(seed, LEVELS[level]) for seed in range(SIMULATED_DEALS)])


def table(by_level: Mapping[str, TrackerFigures]) -> str:
    """Markdown: a row a figure, of videos beside the pixel-free simulator's for every level."""
    drawn = {level: simulated(level) for level in by_level}
    names = [n for level in by_level for n in (level, "pixel-free")]
    lines = ["| | " + " | ".join(names) + " |", "|---" * (len(names) + 1) + "|"]
    for words, field in _ROWS:
        cells = [
            _cell(figures, field)
            for level, of_videos in by_level.items()
            for figures in (of_videos, drawn[level])
        ]
        lines.append(f"| {words} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def _cell(figures: TrackerFigures | None, field: str) -> str:
    if figures is None:
        return ""
    value = getattr(figures, field)
    if field == "plays":
        return f"{value:,}"
    return f"{value:.2f} s" if field in _SECONDS else f"{100 * value:.2f}%"


_SECONDS = ("median", "late")
_ROWS = (
    ("plays", "plays"),
    ("plays without a track", "missed"),
    ("first reading right", "first"),
    ("last reading right", "top1"),
    ("surely misread", "surely_wrong"),
    ("plays with two tracks", "twice"),
    ("no motion seen that brought it", "entry_missing"),
    ("false cards a vaza", "false_cards"),
    ("at rest → sent, median", "median"),
    ("at rest → sent, one in twenty later than", "late"),
)
