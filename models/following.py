"""How well a game is followed, deal by deal, with every error put down to a stage.

Works on any table events that come with their truth: the pixel-free simulator's
(`models.following_events`) and a video's (`models.following_videos`).
"""

import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from assistant.events import CameraEvent, PlaySeen
from assistant.fold import Deal as LoggedDeal
from assistant.fold import Game
from assistant.fold import Play as LoggedPlay
from assistant.fold import fold as fold_log
from assistant.log import Entry
from assistant.observed import observe
from assistant.scribe import Scribe, ScribeOptions
from assistant.sueca import Deal, DealState, Play, RuleSet, fold
from assistant.sueca.audit import PROVED_FROM
from datasets.eventsim import Recording, TrueDeal
from datasets.eventsim_deal import TruePlay
from models.figures import binned
from models.flag_figures import JudgedFlag, judge
from vision.events import TableEvent

STAGES = ("not found", "misread", "wrong seat", "wrong trick", "missed", "invented")
"""Where an error arose. Not found: no track showed the card. Missed: one did, but no play was
made of it. Misread, wrong seat, wrong trick: the play was made, and this is what is wrong with it
(the first that applies). Invented: a play that never was."""

BIN_EDGES = (0.0, 0.5, 0.8, 0.9, 0.95, 0.98, 0.99, 0.995, 0.998, 0.999, 1.0)
"""Bins of the reliability table: most plays are sure, so the bins crowd near 1."""

TARGETS = {
    "plays right": "100 / ≥ 99.8 / ≥ 99%",
    "deals wholly right, untouched": "100 / ≥ 97 / ≥ 85%",
    "card points right": "100 / ≥ 99 / ≥ 92%",
    "proved renúncias missed, per 100 deals": "0 / 0 / ≤ 2",
    "… invented, per 100 deals": "0 / 0 / ≤ 1",
    "settled → announced, median / p95": "0.4 / 0.8, 0.5 / 1.0, 0.6 / 1.5 s",
    "speed": "≥ 2 × on two cores",
}
"""What issue 5 asks of easy / normal / hard."""

SURELY = PROVED_FROM
Revoke = tuple[str, int, int]
"""A proved renúncia: seat, the vaza in which it did not follow, the vaza that proves it."""


@dataclass(frozen=True, slots=True)
class PlayError:
    """One thing wrong with a followed deal. `detail` names the cards, seats and tricks."""

    stage: str
    detail: str


@dataclass(frozen=True, slots=True)
class FollowedDeal:
    """One deal beside its truth.

    `sure` holds, for every play written down, its probability and whether it was right.
    `revokes_missed` and `revokes_invented` count proved renúncias; those invented surely are said
    to rest on two plays that are both right with a probability of `SURELY` or more. `flags`: every
    renúncia told while it was followed.
    """

    seed: int
    plays: int
    right: int
    errors: tuple[PlayError, ...]
    points_right: bool
    revokes: int
    revokes_missed: int
    revokes_invented: int
    revokes_invented_surely: int
    sure: tuple[tuple[float, bool], ...]
    seconds: float
    flags: tuple[JudgedFlag, ...] = ()

    @property
    def wholly_right(self) -> bool:
        """Whether every play was right and nothing was invented."""
        return not self.errors


@dataclass(slots=True)
class Tally:
    """The sums over many deals of one level."""

    level: str
    deals: int = 0
    plays: int = 0
    right: int = 0
    wholly_right: int = 0
    points_right: int = 0
    revokes: int = 0
    revokes_missed: int = 0
    revokes_invented: int = 0
    revokes_invented_surely: int = 0
    seconds: float = 0.0
    stages: Counter[str] = field(default_factory=Counter)
    sure: list[tuple[float, bool]] = field(default_factory=list)
    flags: list[JudgedFlag] = field(default_factory=list)
    failures: list[FollowedDeal] = field(default_factory=list)

    def add(self, deal: FollowedDeal) -> None:
        """Count one more deal."""
        self.deals += 1
        self.plays += deal.plays
        self.right += deal.right
        self.wholly_right += deal.wholly_right
        self.points_right += deal.points_right
        self.revokes += deal.revokes
        self.revokes_missed += deal.revokes_missed
        self.revokes_invented += deal.revokes_invented
        self.revokes_invented_surely += deal.revokes_invented_surely
        self.seconds += deal.seconds
        self.stages.update(error.stage for error in deal.errors)
        self.sure += deal.sure
        self.flags += deal.flags
        if deal.errors:
            self.failures.append(deal)


def write_down(events: Iterable[TableEvent], options: ScribeOptions) -> list[CameraEvent]:
    """All that the scribe logs for a stream of table events."""
    scribe = Scribe(options)
    log: list[CameraEvent] = []
    for event in events:
        log += scribe.feed(event)
    return log + scribe.finish()


def folded(log: Sequence[CameraEvent]) -> Game:
    """The game that a scribe's log comes to."""
    return fold_log([Entry(i, "camera", None, event) for i, event in enumerate(log, 1)])


def compare(
    truth: Sequence[TrueDeal],
    log: Sequence[CameraEvent],
    rules: RuleSet,
    seed: int = 0,
    seconds: float = 0.0,
) -> list[FollowedDeal]:
    """Each true deal beside the deal of the same place in the log.

    Plays of deals beyond the true ones are inventions, counted with the last.
    """
    tracks = {event.play_id: event.track for event in log if isinstance(event, PlaySeen)}
    logged = folded(log).deals
    followed = []
    for i, deal in enumerate(truth):
        mine = logged[i] if i < len(logged) else None
        extra = logged[len(truth) :] if i == len(truth) - 1 else ()
        plays = list(mine.plays if mine else ())
        followed.append(
            _compare_deal(deal, mine, plays, extra, tracks, rules, seed, seconds / len(truth))
        )
    return followed


def _compare_deal(
    truth: TrueDeal,
    mine: LoggedDeal | None,
    plays: list[LoggedPlay],
    extra: Sequence[LoggedDeal],
    tracks: dict[int, int | None],
    rules: RuleSet,
    seed: int,
    seconds: float,
) -> FollowedDeal:
    pairs, unpaired, invented = _pair(truth.plays, plays, tracks)
    errors = [PlayError("not found" if not p.tracks else "missed", _say(p)) for p in unpaired]
    sure = []
    for true, play in pairs:
        wrong = _wrong(true, play)
        sure.append((play.p, wrong is None))
        if wrong is not None:
            errors.append(PlayError(wrong if true.tracks else "not found", _say(true, play)))
    invented += [play for deal in extra for play in deal.plays]
    for play in invented:
        sure.append((play.p, False))
        errors.append(PlayError("invented", f"{play.card} by {play.seat} in {play.trick}"))
    expected = _true_state(truth, rules)
    state = observe(mine, rules).state if mine else None
    wanted = set(_revokes(expected))
    proved = _revokes(state) if state else {}
    return FollowedDeal(
        seed=seed,
        plays=len(truth.plays),
        right=sum(_wrong(true, play) is None for true, play in pairs),
        errors=tuple(errors),
        points_right=state is not None and state.points == expected.points,
        revokes=len(wanted),
        revokes_missed=len(wanted - proved.keys()),
        revokes_invented=len(proved.keys() - wanted),
        revokes_invented_surely=sum(p >= SURELY for r, p in proved.items() if r not in wanted),
        sure=tuple(sure),
        seconds=seconds,
        flags=judge(state.deal, expected.deal) if state else (),
    )


def _pair(
    truth: Sequence[TruePlay], plays: list[LoggedPlay], tracks: dict[int, int | None]
) -> tuple[list[tuple[TruePlay, LoggedPlay]], list[TruePlay], list[LoggedPlay]]:
    """Pair true plays with logged ones: those that are right, then by track, then by card.

    The right ones first: where one card was laid over another at once a track shows both, and would pair
    the upper card's play, right as it is, with the lower card. Returns also what is left over.
    """
    left, unpaired = list(plays), list(truth)
    pairs: list[tuple[TruePlay, LoggedPlay]] = []

    def pair(fits: Callable[[TruePlay, LoggedPlay], bool]) -> None:
        for true in tuple(unpaired):
            play = next((p for p in left if fits(true, p)), None)
            if play is not None:
                left.remove(play)
                unpaired.remove(true)
                pairs.append((true, play))

    pair(lambda true, play: _wrong(true, play) is None)
    pair(lambda true, play: tracks.get(play.play_id) in true.tracks)
    pair(lambda true, play: play.card == true.card.text)
    return pairs, unpaired, left


def _wrong(true: TruePlay, play: LoggedPlay) -> str | None:
    if play.card != true.card.text:
        return "misread"
    if true.trick not in (0, play.trick):
        return "wrong trick"
    return "wrong seat" if play.seat != true.seat.value else None


def _say(true: TruePlay, play: LoggedPlay | None = None) -> str:
    said = f"{true.card} by {true.seat} in {true.trick}"
    if play is None:
        return said
    return f"{said} written as {play.card} by {play.seat} in {play.trick} (p {play.p:.3f})"


def _true_state(truth: TrueDeal, rules: RuleSet) -> DealState:
    plays = tuple(Play(play.seat, play.card, play.t) for play in truth.plays)
    return fold(Deal(rules, truth.dealer, truth.trump, plays))


def _revokes(state: DealState) -> dict[Revoke, float]:
    """The proved renúncias, each with the probability that both plays it rests on are right."""
    seats, plays = state.deal.rules.seats, state.deal.plays
    return {
        (seats[broken.claim.seat].value, broken.claim.trick, broken.trick): plays[
            broken.claim.play
        ].p
        * plays[broken.play].p
        for broken in state.broken
        if not broken.trump
    }


def evaluate_recording(recording: Recording, options: ScribeOptions) -> list[FollowedDeal]:
    """Follow one recording and compare it with its truth."""
    start = time.process_time()
    log = write_down(recording.events, options)
    seconds = time.process_time() - start
    return compare(recording.deals, log, options.rules, recording.seed, seconds)


def table(head: Sequence[str], rows: Sequence[tuple[str, list[str]]]) -> str:
    """Markdown."""
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    lines += ["| " + " | ".join((name, *cells)) + " |" for name, cells in rows]
    return "\n".join(lines)


def reliability(tally: Tally) -> str:
    """A table of the plays by the probability written with them, and how many were right."""
    rows = [
        (one.name, [str(one.count), f"{one.said:.4f}", f"{one.right:.4f}"])
        for one in binned(tally.sure, BIN_EDGES)
    ]
    head = ("p written", "plays", "mean p", "right")
    return table(head, rows) + f"\n\nExpected calibration error {calibration_error(tally):.5f}"


def calibration_error(tally: Tally) -> float:
    """Mean absolute difference of probability and truth over the bins, weighted by plays."""
    error = sum(one.count * abs(one.said - one.right) for one in binned(tally.sure, BIN_EDGES))
    return error / max(len(tally.sure), 1)
