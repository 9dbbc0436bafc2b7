"""What the product says of decks that are not Sueca's and of a camera hung upside down: whole videos of them.

Each video is made and followed as `models.following_videos` does it, and its table events are kept
(`models.recorded`), so that the scribe can be asked again. What it wrote and said is then set beside what
was on the table: no card may be written down that nobody played, and what is wrong is to be said.
"""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

from assistant.events import CameraEvent, Noticed, PlaySeen
from assistant.fold import Play
from assistant.noticetext import describe_notice
from assistant.observed import record_of
from assistant.record import FlagRecord
from assistant.scribe import ScribeOptions
from assistant.sueca import DECK, Card, FlagKind
from assistant.sueca.audit import PROOF
from datasets.eventsim import Recording, TrueDeal
from models import recorded
from models.following import folded, write_down
from models.following_results import Made, events_path, result_path
from models.following_videos import follow, make, true_deals
from vision.errors import UserError
from vision.finder import Finder
from vision.reader import Reader

KINDS: Mapping[str, frozenset[str]] = {
    "poker-deck": frozenset({"foreign-card", "foreign-deck"}),
    "two-decks": frozenset({"same-card-twice", "same-card-again"}),
    "one-twice": frozenset({"same-card-twice", "same-card-again"}),
    "card-missing": frozenset({"card-lacking"}),
    "upside-down": frozenset(),
}
"""The variants (`models.following_videos.VARIANTS`) with something wrong, and the notices that say it: one
of them at least. Upside down nothing need be said: seats are called by the picture's sides, and cards have
no right way up."""

BEFORE = 1.0
"""Seconds by which a deal's first card may be written down before the truth says that it came to rest."""


@dataclass(frozen=True, slots=True)
class Written:
    """A card that the log has at the end and nobody played, `worked_out` where no card was seen for it."""

    card: str
    seat: str
    trick: int
    p: float
    worked_out: bool

    def __str__(self) -> str:
        how = ", worked out of what is missing" if self.worked_out else ""
        return f"{self.card} by {self.seat} in {self.trick} (p {self.p:.2f}{how})"


@dataclass(frozen=True, slots=True)
class Judged:
    """A log beside the truth: cards of the 40 that were `played`, cards `written` down, those of them that
    are `right` (by that seat, in that vaza), those `invented` (nobody played them in that deal)."""

    played: int
    written: int
    right: int
    invented: tuple[Written, ...]
    notices: tuple[Noticed, ...]


@dataclass(frozen=True, slots=True)
class BadVideo:
    """One video: what is `wrong` in truth, what was `judged` of the log, the `flags` that the record has in
    the end, and the renúncias among them that never were. `crash`: the error that ended it, with no log."""

    made: Made
    wrong: str
    judged: Judged | None = None
    flags: tuple[str, ...] = ()
    revokes_invented: tuple[str, ...] = ()
    crash: str | None = None

    @property
    def said(self) -> bool:
        """Whether what is wrong was said, where there is something to say."""
        wanted = KINDS[self.made.variant]
        kinds = {notice.kind for notice in self.judged.notices} if self.judged else set()
        return not wanted or bool(wanted & kinds)


def judge(deals: Sequence[TrueDeal], log: Sequence[CameraEvent]) -> Judged:
    """Set a log beside the true plays, each deal's by their times."""
    seen = {
        event.play_id for event in log if isinstance(event, PlaySeen) and event.track is not None
    }
    standing = [play for deal in folded(log).deals for play in deal.plays]
    starts = [deal.plays[0].t - BEFORE for deal in deals[1:]]
    spans = list(pairwise([float("-inf"), *starts, float("inf")]))
    right, invented = 0, []
    for deal, (begin, end) in zip(deals, spans, strict=True):
        mine = [play for play in standing if begin <= play.played < end]
        plays = Counter((p.card.text, p.seat.value, p.trick) for p in deal.plays)
        right += (plays & Counter((p.card, p.seat, p.trick) for p in mine)).total()
        invented += _never_played(Counter(p.card.text for p in deal.plays), mine, seen)
    return Judged(
        sum(len(deal.plays) for deal in deals),
        len(standing),
        right,
        tuple(invented),
        tuple(event for event in log if isinstance(event, Noticed)),
    )


def _never_played(cards: Counter[str], plays: Sequence[Play], seen: set[int]) -> list[Written]:
    left, found = Counter(cards), []
    for play in plays:
        if left[play.card] > 0:
            left[play.card] -= 1
        else:
            worked_out = play.play_id not in seen
            found.append(Written(play.card, play.seat, play.trick, play.p, worked_out))
    return found


def wrong_in_truth(truth: dict[str, Any], variant: str) -> str:
    """What is wrong with the cards of a truth file, in words."""
    parts = [_wrong_deal(deal) for deal in truth["deals"]]
    said = [part for part in parts if part]
    played = {play["card"] for deal in truth["deals"] for play in deal["plays"]}
    if variant == "card-missing":
        lacking = [card.text for card in DECK if card.text not in played]
        said.append(f"the deck lacks {', '.join(lacking)}")
    if variant == "upside-down":
        said.append("the camera hangs upside down")
    return "; ".join(said)


def _wrong_deal(deal: dict[str, Any]) -> str:
    """The cards that are none of the 40, and those that were played twice."""
    foreign = [play for play in deal["plays"] if Card.observed(play["card"]).foreign]
    twice = [card for card, n in Counter(p["card"] for p in deal["plays"]).items() if n > 1]
    twice = [card for card in twice if not Card.observed(card).foreign]
    said = []
    if foreign:
        cards = ", ".join(play["card"] for play in foreign)
        said.append(f"none of the 40: {cards}, the first at {foreign[0]['t_settled']:.1f} s")
    if twice:
        times = [[p for p in deal["plays"] if p["card"] == card][1]["t_settled"] for card in twice]
        said.append(f"played twice: {', '.join(twice)}, the first again at {min(times):.1f} s")
    return "; ".join(said)


def evaluate(
    made: Made, folder: Path, weights: str, finder: Finder, reader: Reader, again: bool = False
) -> BadVideo:
    """Make one video and follow it if need be, and judge what the scribe makes of its events."""
    video = make(made, folder)
    truth = json.loads(video.with_suffix(".truth.json").read_text())
    wrong = wrong_in_truth(truth, made.variant)
    path = events_path(result_path(folder, made, weights))
    try:
        if again or not path.exists():
            events = tuple(follow(video, finder, reader).events)
            deals = tuple(true_deals(truth, events))
            recorded.write(Recording(events, deals, made.seed), path)
        recording = recorded.read(path)
        log = write_down(recording.events, ScribeOptions())
    except UserError:
        raise
    except Exception as error:  # noqa: BLE001 - whether it crashes is what is asked
        return BadVideo(made, wrong, crash=f"{type(error).__name__}: {error}")
    flags = tuple(f"{flag.kind} ({flag.status}): {flag.detail}" for flag in _flags(log))
    return BadVideo(made, wrong, judge(recording.deals, log), flags, _invented(log, truth))


def proved_revokes(log: Sequence[CameraEvent]) -> tuple[FlagRecord, ...]:
    """The renúncias that the record of a log says to be proved."""
    return tuple(f for f in _flags(log) if f.kind == FlagKind.REVOKE and f.status in PROOF)


def _flags(log: Sequence[CameraEvent]) -> list[FlagRecord]:
    return [flag for deal in record_of(folded(log)).deals for flag in deal.flags]


def _invented(log: Sequence[CameraEvent], truth: dict[str, Any]) -> tuple[str, ...]:
    """The proved renúncias that never were."""
    true = {
        (revoke["seat"], revoke["trick"]) for deal in truth["deals"] for revoke in deal["revokes"]
    }
    return tuple(
        flag.detail
        for flag in proved_revokes(log)
        if not any((seat, flag.trick) in true for seat in flag.seats)
    )


# The report -----------------------------------------------------------------------------------


def report(videos: Sequence[BadVideo], weights: str) -> str:
    """Markdown: a row a video, then what was said of each, word for word."""
    decks = ", ".join(sorted({video.made.deck for video in videos}))
    head = (
        "| video | said | plays of the 40 | written | right | invented | of them worked out |"
        " renúncias invented | crashed |\n|---|---|---|---|---|---|---|---|---|"
    )
    return "\n\n".join(
        [
            "# Bad decks and pictures, from pixels",
            f"Written by `sueca models evaluate-bad-input`; weights {weights}; decks {decks}. Simulated"
            " videos, followed without any human touch. Said: what is wrong was said (–: there is nothing"
            " to say). Right: by that seat, in that vaza. Invented: cards written down that nobody played"
            " in that deal; worked out are those that a notice tells to be what is missing and unseen.",
            head + "\n" + "\n".join(_row(video) for video in videos),
            *(_details(video) for video in videos),
        ]
    )


def _row(video: BadVideo) -> str:
    said = ("yes" if video.said else "**no**") if KINDS[video.made.variant] else "–"
    judged = video.judged
    if judged is None:
        return f"| {video.made.name} | {said} | – | – | – | – | – | – | {video.crash} |"
    worked_out = sum(one.worked_out for one in judged.invented)
    cells = [
        video.made.name, said, judged.played, judged.written, judged.right, len(judged.invented),
        worked_out, len(video.revokes_invented), "no",
    ]  # fmt: skip
    return "| " + " | ".join(str(cell) for cell in cells) + " |"


def _details(video: BadVideo) -> str:
    lines = [f"## {video.made.name}", f"In truth: {video.wrong}."]
    if video.judged is not None:
        told = [f"- {n.t:.1f} s: {describe_notice(n, 'en')}" for n in video.judged.notices]
        lines.append("Said:\n\n" + ("\n".join(told) or "- nothing"))
        if video.judged.invented:
            lines.append("Invented: " + "; ".join(str(one) for one in video.judged.invented) + ".")
        if video.flags:
            lines.append("Flags at the end:\n\n" + "\n".join(f"- {flag}" for flag in video.flags))
    return "\n\n".join(lines)
