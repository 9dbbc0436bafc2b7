"""How well whole games are followed from their pixels: simulated videos, the real models, the truth.

Each video is made (or taken from the folder, where one of that name lies), followed untouched, and its
plays are compared with its truth by `models.following`, with the delay from a card's settling to its
being announced. Videos take minutes each: they are kept, and so is what came of each, so that an
evaluation that was broken off goes on where it stopped.
"""

import json
import multiprocessing
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass, field, replace
from pathlib import Path

import cv2
import numpy as np
from rich.progress import Progress

from assistant.events import CameraEvent, PlaySeen
from assistant.scribe import Scribe, ScribeOptions
from assistant.sueca import Card, Seat
from datasets.deck_named import deck_named
from datasets.eventsim import Recording, TrueDeal
from datasets.eventsim_deal import TruePlay
from datasets.simulate import Options, simulate
from datasets.simulate_level import LEVELS
from models import flag_figures, recorded
from models.following import STAGES, TARGETS, Tally, compare, reliability
from models.following_results import FollowedVideo, Made, events_path, keep, kept, result_path
from models.tracker_figures import measured, table
from vision.events import CardPlaced, SourceGap, TableEvent
from vision.finder import Finder
from vision.geometry import centre
from vision.pipeline import Follower
from vision.reader import Reader
from vision.sources import open_source
from vision.weights import load_weights, named, versions

SAME_PLACE = 0.6
"""A track shows a true card when it lies within this much of a card's length of it."""

EARLY = 1.0
"""Seconds by which a track may settle before the truth says its card did."""


VARIANTS: dict[str, dict[str, object]] = {
    "out-of-turn": {"out_of_turn": "E"},
    "1080p": {"size": (1920, 1080)},
    "10fps": {"fps": 10.0},
    "30fps": {"fps": 30.0},
    "upside-down": {"upside_down": True},
    "poker-deck": {"pack": "poker", "revoke": None},
    "card-missing": {"pack": "card-missing", "revoke": None, "deals": 2},
    "two-decks": {"pack": "two-decks", "revoke": None},
    "one-twice": {"pack": "one-twice", "revoke": None},
}
"""Videos unlike those the figures are of, by what is changed in `datasets.simulate_describe.Options`. A card
that is missing is known to be after two deals."""


def make(made: Made, folder: Path) -> Path:
    """The video, made if it is not there yet. One player in four games revokes."""
    video = folder / f"{made.name}.mp4"
    if not video.with_suffix(".truth.json").exists():
        folder.mkdir(parents=True, exist_ok=True)
        revoke = ("S", "E", "N", "W")[made.seed // 4 % 4] if made.seed % 4 == 0 else None
        options = Options(
            seed=made.seed,
            level=made.level,  # type: ignore[arg-type]
            deals=made.deals,
            revoke=revoke,  # type: ignore[arg-type]
        )
        options = replace(options, **VARIANTS[made.variant] if made.variant else {})
        simulate(options, deck_named(made.deck, made.seed), video)
    return video


@dataclass(slots=True)
class Run:
    """What came of a video: table events, what the scribe logged, and by `lag[i]` seconds how much later than
    its own time the i-th entry was there, had the frames come from a camera."""

    events: list[TableEvent] = field(default_factory=list)
    log: list[CameraEvent] = field(default_factory=list)
    lag: list[float] = field(default_factory=list)
    frames: int = 0

    def take(self, events: Iterable[TableEvent], scribe: Scribe) -> None:
        for event in events:
            self.events.append(event)
            self.log += scribe.feed(event)

    def known(self, lag: float) -> None:
        """All entries since the last call are there now."""
        self.lag += [lag] * (len(self.log) - len(self.lag))


def follow(video: Path, finder: Finder, reader: Reader) -> Run:
    """Follow a video, and time it: a frame is begun when it is there and the one before is done."""
    follower, scribe, run = Follower(finder.find_live, reader.read), Scribe(ScribeOptions()), Run()
    done = 0.0
    with open_source(str(video)) as source:
        for item in source:
            run.frames += 1
            start = time.perf_counter()
            run.take(
                follower.gap(item) if isinstance(item, SourceGap) else follower.step(item), scribe
            )
            done = max(done, item.t) + time.perf_counter() - start
            run.known(done - item.t)
    run.take(follower.finish(), scribe)
    run.log += scribe.finish()
    run.known(0.0)
    return run


def true_deals(truth: dict, events: Sequence[TableEvent]) -> list[TrueDeal]:  # type: ignore[type-arg]
    """The deals of a truth file, each play of the 40 cards with the tracks that showed it."""
    placed = [event for event in events if isinstance(event, CardPlaced) and event.face == "up"]
    deals = []
    for deal in truth["deals"]:
        plays = []
        for play in deal["plays"]:
            if (card := Card.observed(play["card"])).foreign:
                continue
            quad = np.array(play["quad"])
            length = float(np.linalg.norm(quad[1] - quad[2]))
            near = SAME_PLACE * length
            end = deal["tricks"][play["trick"] - 1]["t_end"]
            tracks = tuple(
                event.track
                for event in placed
                if play["t_settled"] - EARLY <= event.t <= end + EARLY
                and np.hypot(*np.subtract(centre(event.quad), quad.mean(axis=0))) < near
            )
            plays.append(
                TruePlay(
                    Seat[play["seat"]], card, play["trick"],
                    play["t_settled"], tracks,
                )
            )  # fmt: skip
        deals.append(TrueDeal(Seat[deal["dealer"]], Card.observed(deal["trump"]), tuple(plays)))
    return deals


def delays_of(
    truth: dict,  # type: ignore[type-arg]
    log: Sequence[CameraEvent],
    lag: Sequence[float],
) -> list[tuple[float, float]]:
    """Seconds of the video from a card's settling to the first announcement of that card by that seat, and
    those that were spent computing until it was there (`lag`, one for each entry), of every play."""
    announced: dict[tuple[str, str], list[tuple[float, float]]] = {}
    for event, late in zip(log, lag, strict=True):
        if isinstance(event, PlaySeen):
            announced.setdefault((event.seat, event.card), []).append((event.t, late))
    delays = []
    for deal in truth["deals"]:
        for play in deal["plays"]:
            settled = max(play["t_settled"], play["t_visible"])
            said = announced.get((play["seat"], play["card"]), ())
            # The same card comes from the same seat in other deals too.
            after = [one for one in said if play["t_settled"] - EARLY <= one[0] <= deal["t_end"]]
            if after:
                t, late = after[0]
                delays.append((t - settled, late))
    return delays


def evaluate(
    made: Made, folder: Path, finder: Finder, reader: Reader, events: Path | None = None
) -> FollowedVideo:
    """Make one video if need be, follow it, and compare; its table events are kept in the file `events`."""
    video = make(made, folder)
    start = time.monotonic()
    run = follow(video, finder, reader)
    seconds = time.monotonic() - start
    truth = json.loads(video.with_suffix(".truth.json").read_text())
    true = true_deals(truth, run.events)
    if events is not None:
        recorded.write(Recording(tuple(run.events), tuple(true), made.seed), events)
    deals = compare(true, run.log, ScribeOptions().rules, made.seed, seconds)
    timed = delays_of(truth, run.log, run.lag)
    return FollowedVideo(
        made,
        tuple(deals),
        tuple(delay for delay, _ in timed),
        run.frames,
        seconds,
        float(truth["duration"]),
        tuple(late for _, late in timed),
    )


@dataclass(frozen=True, slots=True)
class _Work:
    """What a process needs to know: where videos lie, the weights' folder and their version."""

    folder: Path
    weights_folder: Path
    weights: str


_models: tuple[_Work, Finder, Reader] | None = None
"""Of a worker process: loaded once, used for every video it is given."""


def _begin(work: _Work) -> None:
    global _models
    cv2.setNumThreads(1)  # the processes share the cores among themselves
    finder, reader = (kind.from_folder(work.weights_folder) for kind in (Finder, Reader))
    _models = (work, finder, reader)


def _one(made: Made) -> FollowedVideo:
    if _models is None:
        raise RuntimeError("the process has not been begun")
    work, finder, reader = _models
    path = result_path(work.folder, made, work.weights)
    video = evaluate(made, work.folder, finder, reader, events_path(path))
    keep(video, path)
    return video


def run(
    videos: Sequence[Made],
    folder: Path,
    weights_folder: Path,
    jobs: int = 1,
    again: bool = False,
    progress: Progress | None = None,
) -> list[FollowedVideo]:
    """Make and follow every video, `jobs` at a time; in the order given.

    Results kept from before with the same weights are taken as they are, unless `again`.
    """
    weights = weights_version(weights_folder)
    paths = {made: result_path(folder, made, weights) for made in videos}
    done = {} if again else {made: old for made in videos if (old := kept(paths[made]))}
    left = [made for made in videos if made not in done]
    task = (
        progress.add_task("following", total=len(videos), completed=len(done)) if progress else None
    )
    work = _Work(folder, weights_folder, weights)
    for video in _followed(left, work, min(jobs, len(left))):
        done[video.made] = video
        if progress is not None and task is not None:
            progress.advance(task)
    return [done[made] for made in videos]


def _followed(left: Sequence[Made], work: _Work, jobs: int) -> Iterator[FollowedVideo]:
    """Each video's result as soon as it is there, in whatever order."""
    if jobs <= 1:
        if left:
            _begin(work)
        yield from map(_one, left)
        return
    # Spawned, not forked: a fork after OpenCV has run its threads hangs.
    spawn = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(jobs, spawn, _begin, (work,)) as pool:
        waiting = [pool.submit(_one, made) for made in left]
        try:
            for one in as_completed(waiting):
                yield one.result()
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


def weights_version(folder: Path) -> str:
    """All models' versions, as reports name them. Raises `UserError` as loading them does."""
    verifier = ("verifier",) if named("verifier", folder) else ()
    return versions(*(load_weights(name, folder) for name in ("finder", *verifier, "reader")))


def report(
    done: Sequence[FollowedVideo],
    weights: str,
    jobs: int = 1,
    recordings: Mapping[str, Sequence[Recording]] | None = None,
) -> str:
    """Markdown: a column a level beside the targets, errors by stage, how far a probability is to be
    believed, every error of every deal that is not wholly right; of `recordings` what the tracker sent."""
    levels = sorted({video.made.group for video in done}, key=_by_level)
    tallies = {level: Tally(level) for level in levels}
    for video in done:
        for deal in video.deals:
            tallies[video.made.group].add(deal)
    rows = [_row("deals", ["≥ 20", *(str(tallies[v].deals) for v in levels)])]
    for name, share in (
        ("plays right", lambda t: (t.right, t.plays)),
        ("deals wholly right, untouched", lambda t: (t.wholly_right, t.deals)),
        ("card points right", lambda t: (t.points_right, t.deals)),
    ):
        rows.append(_row(name, [TARGETS[name], *(_percent(*share(tallies[v])) for v in levels)]))
    for name, cell in (
        ("proved renúncias in truth", lambda t: str(t.revokes)),
        ("proved renúncias missed, per 100 deals", lambda t: _per_100(t.revokes_missed, t.deals)),
        ("… invented, per 100 deals", lambda t: _per_100(t.revokes_invented, t.deals)),
        ("… recall / precision", _recall_precision),
    ):
        rows.append(_row(name, [TARGETS.get(name, ""), *(cell(tallies[v]) for v in levels)]))
    rows += [
        _row(name, [TARGETS.get(name, ""), *(f(v, done) for v in levels)]) for name, f in _SPEEDS
    ]
    stages = [_row(s, [str(tallies[v].stages[s]) for v in levels]) for s in STAGES]
    head = _row("", levels) + "\n" + _row("---", ["---"] * len(levels))
    first = _row("", ["target", *levels]) + "\n" + _row("---", ["---"] * (len(levels) + 1))
    wrong = [_wrong(video) for video in done if any(deal.errors for deal in video.deals)]
    decks = ", ".join(sorted({video.made.deck for video in done}))
    seeds = sorted({video.made.seed for video in done})
    return "\n\n".join(
        [
            "# Following, from pixels",
            f"Written by `sueca models evaluate-following`; weights {weights}; decks {decks};"
            f" seeds {seeds[0]} to {seeds[-1]}. Simulated 720p videos at 15 frames/s, followed without"
            f" any human touch, {jobs} at a time.",
            first + "\n" + "\n".join(rows),
            "The delay counts video time; with the computing, each frame begins when it is there and the one"
            " before is done, and none is dropped as a camera's would be.",
            *_sent(recordings or {}),
            "## Errors by stage",
            head + "\n" + "\n".join(stages),
            "## Reliability\n\nPlays by the probability written with them, and how many were right.",
            *(f"### {level}\n\n{reliability(tallies[level])}" for level in levels),
            "## Reliability of flags\n\nRenúncias told, by the chance told with them, and how many were so.",
            *(
                f"### {level}\n\n{flag_figures.reliability(tallies[level].flags)}"
                for level in levels
            ),
            "## Deals not wholly right",
            "\n".join(wrong) or "None.",
        ]
    )


def _sent(recordings: Mapping[str, Sequence[Recording]]) -> list[str]:
    """What the tracker sent, beside what the pixel-free simulator assumes."""
    figures = {v: one for v in LEVELS if (one := measured(recordings.get(v, ())))}
    if not figures:
        return []
    return [
        "## What the tracker sent\n\nBeside what the pixel-free simulator (`datasets.eventsim`) sends,"
        " measured alike.",
        table(figures),
    ]


def _by_level(group: str) -> tuple[int, str]:
    return [*LEVELS].index(group.split(",")[0]), group


def _per_100(count: int, deals: int) -> str:
    return f"{100 * count / deals:.1f} ({count})" if deals else "–"


def _recall_precision(tally: Tally) -> str:
    """Of proved renúncias."""
    right = tally.revokes - tally.revokes_missed
    said = right + tally.revokes_invented
    return f"{_percent(right, tally.revokes)} / {_percent(right, said)}"


def _delay(level: str, done: Sequence[FollowedVideo]) -> str:
    return _median_p95([d for video in done if video.made.group == level for d in video.delays])


def _with_computing(level: str, done: Sequence[FollowedVideo]) -> str:
    mine = [video for video in done if video.made.group == level and video.computing]
    return _median_p95([d + c for v in mine for d, c in zip(v.delays, v.computing, strict=True)])


def _median_p95(seconds: Sequence[float]) -> str:
    return f"{np.median(seconds):.2f} / {np.percentile(seconds, 95):.2f} s" if seconds else "–"


def _speed(level: str, done: Sequence[FollowedVideo]) -> str:
    mine = [video for video in done if video.made.group == level]
    return f"{sum(v.duration for v in mine) / sum(v.seconds for v in mine):.1f} × real time"


_SPEEDS = (
    ("settled → announced, median / p95", _delay),
    ("… with the computing", _with_computing),
    ("speed", _speed),
)


def _row(name: str, cells: Sequence[str]) -> str:
    return "| " + " | ".join((name, *cells)) + " |"


def _percent(part: int, whole: int) -> str:
    return f"{100 * part / whole:.2f}% ({part}/{whole})" if whole else "–"


def _wrong(video: FollowedVideo) -> str:
    errors = "; ".join(f"{e.stage}: {e.detail}" for deal in video.deals for e in deal.errors)
    return f"- {video.made.name}: {errors}"
