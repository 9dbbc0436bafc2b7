"""How well a game is followed, deal by deal, with every error put down to a stage.

Works on any table events that come with their truth: the pixel-free simulator's here
(`python -m models.following`), a video's just as well.
"""

import argparse
import itertools
import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from assistant.events import CameraEvent, PlaySeen
from assistant.fold import Deal as LoggedDeal
from assistant.fold import Play as LoggedPlay
from assistant.fold import fold as fold_log
from assistant.log import Entry
from assistant.observed import observe
from assistant.scribe import Scribe, ScribeOptions
from assistant.sueca import Deal, DealState, Play, RuleSet, fold, preset
from assistant.sueca.audit import PROVED_FROM
from datasets.eventsim import (
    LEVELS,
    NORMAL,
    DealSimulator,
    Recording,
    TrueDeal,
    simulate_deal,
    simulate_match,
)
from datasets.eventsim_deal import TruePlay
from vision.events import TableEvent

STAGES = ("not found", "misread", "wrong seat", "wrong trick", "missed", "invented")
"""Where an error arose. Not found: no track showed the card. Missed: one did, but no play was
made of it. Misread, wrong seat, wrong trick: the play was made, and this is what is wrong with it
(the first that applies). Invented: a play that never was."""

BIN_EDGES = (0.0, 0.5, 0.8, 0.9, 0.95, 0.98, 0.99, 0.995, 0.998, 0.999, 1.0)
"""Bins of the reliability table: most plays are sure, so the bins crowd near 1."""

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
    to rest on two plays that are both right with a probability of `SURELY` or more.
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
        if deal.errors:
            self.failures.append(deal)


def write_down(events: Iterable[TableEvent], options: ScribeOptions) -> list[CameraEvent]:
    """All that the scribe logs for a stream of table events."""
    scribe = Scribe(options)
    log: list[CameraEvent] = []
    for event in events:
        log += scribe.feed(event)
    return log + scribe.finish()


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
    entries = [Entry(i, "camera", None, event) for i, event in enumerate(log, 1)]
    logged = fold_log(entries).deals
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


def evaluate_level(level: str, seeds: Iterable[int], options: ScribeOptions) -> Tally:
    """Follow one simulated deal a seed at a level."""
    tally = Tally(level)
    for seed in seeds:
        for deal in evaluate_recording(simulate_deal(seed, LEVELS[level], options.rules), options):
            tally.add(deal)
    return tally


def evaluate_situations(seeds: Sequence[int], options: ScribeOptions) -> list[Tally]:
    """Three deals in a row, and deals whose rest is laid down at once, at the normal level.

    Of cards laid down at once the seat is compared but not the vaza: it never had one.
    """
    matches, claims = Tally("three deals in a row"), Tally("the rest laid down after vaza 7")
    for seed in seeds:
        for deal in evaluate_recording(simulate_match(seed, NORMAL, 3, options.rules), options):
            matches.add(deal)
        simulator = DealSimulator(seed, NORMAL, options.rules)
        simulator.play_deal(simulator.rng.choice(options.rules.seats), claim_after=7)
        for deal in evaluate_recording(simulator.recording(), options):
            claims.add(deal)
    return [matches, claims]


# The report -----------------------------------------------------------------------------------


def report(tallies: Sequence[Tally], seeds: range, situations: Sequence[Tally] = ()) -> str:
    """The figures as Markdown: results, errors by stage, reliability, seeds of failures."""
    names = [tally.level for tally in tallies]
    rows = [
        ("plays right", [_share(t.right, t.plays) for t in tallies]),
        ("deals wholly right", [_share(t.wholly_right, t.deals) for t in tallies]),
        ("card points right", [_share(t.points_right, t.deals) for t in tallies]),
        ("proved renúncias in truth", [str(t.revokes) for t in tallies]),
        ("missed per 100 deals", [_per_hundred(t.revokes_missed, t.deals) for t in tallies]),
        ("invented per 100 deals", [_per_hundred(t.revokes_invented, t.deals) for t in tallies]),
        (
            f"of them told as proved (p ≥ {SURELY})",
            [_per_hundred(t.revokes_invented_surely, t.deals) for t in tallies],
        ),
        ("milliseconds a deal", [f"{1000 * t.seconds / max(t.deals, 1):.0f}" for t in tallies]),
    ]
    stages = [(stage, [str(t.stages[stage]) for t in tallies]) for stage in STAGES]
    parts = [
        "# Following, pixel-free",
        f"Simulated table events (`datasets/eventsim.py`), seeds {seeds.start} to {seeds.stop - 1}"
        " at each level, one deal a seed, followed by `assistant.scribe` without any human touch."
        " Written by `python -m models.following`.",
        _table(("", *names), rows),
        "## Errors by stage\n\nNumber of plays. " + " ".join(_STAGE_WORDS),
        _table(("stage", *names), stages),
        "## Reliability\n\nPlays by the probability written with them, and how many were right.",
        *(f"### {t.level}\n\n{reliability(t)}" for t in tallies),
        *([_situations(situations)] if situations else []),
        "## Deals not wholly right\n\n" + "\n".join(_failing(t) for t in tallies),
    ]
    return "\n\n".join(parts) + "\n"


_STAGE_WORDS = (
    "Not found: no track showed the card.",
    "Missed: one did, but no play was made of it.",
    "Invented: a play that never was.",
)
_LISTED_SEEDS = 60


def _situations(tallies: Sequence[Tally]) -> str:
    rows = [
        (
            tally.level,
            [
                str(tally.deals),
                _share(tally.right, tally.plays),
                _share(tally.wholly_right, tally.deals),
            ],
        )
        for tally in tallies
    ]
    head = ("at the normal level", "deals", "plays right", "deals wholly right")
    return "## Other situations\n\n" + _table(head, rows)


def _table(head: Sequence[str], rows: Sequence[tuple[str, list[str]]]) -> str:
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    lines += ["| " + " | ".join((name, *cells)) + " |" for name, cells in rows]
    return "\n".join(lines)


def _share(part: int, whole: int) -> str:
    return f"{100 * part / whole:.3f}%" if whole else "none"


def _per_hundred(count: int, deals: int) -> str:
    return f"{100 * count / deals:.2f}" if deals else "none"


def reliability(tally: Tally) -> str:
    """A table of the plays by the probability written with them, and how many were right."""
    rows = []
    for low, high in itertools.pairwise(BIN_EDGES):
        inside = [(p, ok) for p, ok in tally.sure if low < p <= high]
        if not inside:
            continue
        said = sum(p for p, _ in inside) / len(inside)
        right = sum(ok for _, ok in inside) / len(inside)
        name = f"{low:g} to {high:g}"
        rows.append((name, [str(len(inside)), f"{said:.4f}", f"{right:.4f}"]))
    head = ("p written", "plays", "mean p", "right")
    return _table(head, rows) + f"\n\nExpected calibration error {calibration_error(tally):.5f}"


def calibration_error(tally: Tally) -> float:
    """Mean absolute difference of probability and truth over the bins, weighted by plays."""
    error = 0.0
    for low, high in itertools.pairwise(BIN_EDGES):
        inside = [(p, ok) for p, ok in tally.sure if low < p <= high]
        error += abs(sum(p for p, _ in inside) - sum(ok for _, ok in inside))
    return error / max(len(tally.sure), 1)


def _failing(tally: Tally) -> str:
    seeds = [str(deal.seed) for deal in tally.failures]
    more = f" and {len(seeds) - _LISTED_SEEDS} more" if len(seeds) > _LISTED_SEEDS else ""
    return f"- {tally.level}: {', '.join(seeds[:_LISTED_SEEDS]) or 'none'}{more}"


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the bench: `python -m models.following --deals 5000 --out docs/following-events.md`."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--deals", type=int, default=1000)
    parser.add_argument("--first-seed", type=int, default=1_000_000)
    parser.add_argument("--level", choices=[*LEVELS], action="append")
    parser.add_argument("--situations", type=int, default=0, help="seeds of other situations")
    parser.add_argument("--rules", default="selminha")
    parser.add_argument("--out", type=Path)
    parser.add_argument("--failures", action="store_true", help="print every error")
    chosen = parser.parse_args(arguments)
    seeds = range(chosen.first_seed, chosen.first_seed + chosen.deals)
    options = ScribeOptions(rules=preset(chosen.rules))
    tallies = [evaluate_level(level, seeds, options) for level in chosen.level or LEVELS]
    situations = (
        evaluate_situations(seeds[: chosen.situations], options) if chosen.situations else []
    )
    text = report(tallies, seeds, situations)
    tallies += situations
    if chosen.out:
        chosen.out.write_text(text, encoding="utf-8")
    print(text)
    if chosen.failures:
        for tally in tallies:
            for deal in tally.failures:
                for error in deal.errors:
                    print(f"{tally.level} {deal.seed}: {error.stage}: {error.detail}")


if __name__ == "__main__":
    main()
