"""How well whole games are followed from their pixels: simulated videos, the real models, the truth.

Each video is made (or taken from the folder, where one of that name lies), followed untouched, and its
plays are compared with its truth by `models.following`, with the delay from a card's settling to its
being announced. Videos take minutes each: they are kept, and so is what came of each, so that an
evaluation that was broken off goes on where it stopped.
"""

import json
import multiprocessing
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
from rich.progress import Progress

from assistant.events import CameraEvent, PlaySeen
from assistant.scribe import Scribe, ScribeOptions
from assistant.sueca import Card, Seat
from datasets.deck_named import deck_named
from datasets.eventsim import TrueDeal, TruePlay
from datasets.simulate import Options, simulate
from models.following import STAGES, Tally, compare, reliability
from models.following_results import FollowedVideo, Made, keep, kept, result_path
from vision.events import CardPlaced, SourceGap, TableEvent
from vision.finder import Finder
from vision.geometry import centre
from vision.pipeline import Follower
from vision.reader import Reader
from vision.sources import open_source

SAME_PLACE = 0.6
"""A track shows a true card when it lies within this much of a card's length of it."""

EARLY = 1.0
"""Seconds by which a track may settle before the truth says its card did."""


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
        simulate(options, deck_named(made.deck, made.seed), video)
    return video


def follow(
    video: Path, finder: Finder, reader: Reader
) -> tuple[list[TableEvent], list[CameraEvent], int]:
    """Table events, what the scribe logged, and the number of frames."""
    follower, scribe = Follower(finder.find, reader.read), Scribe(ScribeOptions())
    events: list[TableEvent] = []
    log: list[CameraEvent] = []
    frames = 0
    with open_source(str(video)) as source:
        for item in source:
            frames += 1
            some = follower.gap(item) if isinstance(item, SourceGap) else follower.step(item)
            for event in some:
                events.append(event)
                log += scribe.feed(event)
    for event in follower.finish():
        events.append(event)
        log += scribe.feed(event)
    return events, log + scribe.finish(), frames


def true_deals(truth: dict, events: Sequence[TableEvent]) -> list[TrueDeal]:  # type: ignore[type-arg]
    """The deals of a truth file, each play with the tracks that showed its card."""
    placed = [event for event in events if isinstance(event, CardPlaced) and event.face == "up"]
    deals = []
    for deal in truth["deals"]:
        plays = []
        for play in deal["plays"]:
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
                    Seat[play["seat"]], Card.parse(play["card"]), play["trick"],
                    play["t_settled"], tracks,
                )
            )  # fmt: skip
        deals.append(TrueDeal(Seat[deal["dealer"]], Card.parse(deal["trump"]), tuple(plays)))
    return deals


def delays_of(truth: dict, log: Sequence[CameraEvent]) -> tuple[float, ...]:  # type: ignore[type-arg]
    """Seconds from a card's settling to the first announcement of that card by that seat."""
    announced: dict[tuple[str, str], list[float]] = {}
    for event in log:
        if isinstance(event, PlaySeen):
            announced.setdefault((event.seat, event.card), []).append(event.t)
    delays = []
    for deal in truth["deals"]:
        for play in deal["plays"]:
            settled = max(play["t_settled"], play["t_visible"])
            said = announced.get((play["seat"], play["card"]), ())
            # The same card comes from the same seat in other deals too.
            after = [t for t in said if play["t_settled"] - EARLY <= t <= deal["t_end"]]
            if after:
                delays.append(after[0] - settled)
    return tuple(delays)


def evaluate(made: Made, folder: Path, finder: Finder, reader: Reader) -> FollowedVideo:
    """Make one video if need be, follow it, and compare."""
    video = make(made, folder)
    start = time.monotonic()
    events, log, frames = follow(video, finder, reader)
    seconds = time.monotonic() - start
    truth = json.loads(video.with_suffix(".truth.json").read_text())
    options = ScribeOptions()
    deals = compare(true_deals(truth, events), log, options.rules, made.seed, seconds)
    return FollowedVideo(
        made, tuple(deals), delays_of(truth, log), frames, seconds, float(truth["duration"])
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
    video = evaluate(made, work.folder, finder, reader)
    keep(video, result_path(work.folder, made, work.weights))
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
    """Both models' versions, as reports name them. Raises `UserError` as loading them does."""
    finder, reader = Finder.from_folder(folder), Reader.from_folder(folder)
    return f"{finder.weights.version}+{reader.weights.version}"


def report(done: Sequence[FollowedVideo], weights: str, jobs: int = 1) -> str:
    """Markdown: a column a level, errors by stage, how far a probability is to be believed, and every
    error of every deal that is not wholly right."""
    levels = sorted({video.made.level for video in done}, key=("easy", "normal", "hard").index)
    tallies = {level: Tally(level) for level in levels}
    for video in done:
        for deal in video.deals:
            tallies[video.made.level].add(deal)
    rows = [_row("deals", [str(tallies[v].deals) for v in levels])]
    for name, share in (
        ("plays right", lambda t: (t.right, t.plays)),
        ("deals wholly right, untouched", lambda t: (t.wholly_right, t.deals)),
        ("card points right", lambda t: (t.points_right, t.deals)),
    ):
        rows.append(_row(name, [_percent(*share(tallies[v])) for v in levels]))
    rows.append(_row("proved renúncias in truth", [str(tallies[v].revokes) for v in levels]))
    rows.append(_row("… missed", [str(tallies[v].revokes_missed) for v in levels]))
    rows.append(_row("… invented", [str(tallies[v].revokes_invented) for v in levels]))
    rows += [_row(name, [f(v, done) for v in levels]) for name, f in _SPEEDS]
    stages = [_row(s, [str(tallies[v].stages[s]) for v in levels]) for s in STAGES]
    head = _row("", levels) + "\n" + _row("---", ["---"] * len(levels))
    wrong = [_wrong(video) for video in done if any(deal.errors for deal in video.deals)]
    decks = ", ".join(sorted({video.made.deck for video in done}))
    seeds = sorted({video.made.seed for video in done})
    return "\n\n".join(
        [
            "# Following, from pixels",
            f"Written by `sueca models evaluate-following`; weights {weights}; decks {decks};"
            f" seeds {seeds[0]} to {seeds[-1]}. Simulated 720p videos at 15 frames/s, followed without"
            f" any human touch, {jobs} at a time.",
            head + "\n" + "\n".join(rows),
            "## Errors by stage",
            head + "\n" + "\n".join(stages),
            "## Reliability\n\nPlays by the probability written with them, and how many were right.",
            *(f"### {level}\n\n{reliability(tallies[level])}" for level in levels),
            "## Deals not wholly right",
            "\n".join(wrong) or "None.",
        ]
    )


def _delay(level: str, done: Sequence[FollowedVideo]) -> str:
    delays = [d for video in done if video.made.level == level for d in video.delays]
    return f"{np.median(delays):.2f} / {np.percentile(delays, 95):.2f} s" if delays else "–"


def _speed(level: str, done: Sequence[FollowedVideo]) -> str:
    mine = [video for video in done if video.made.level == level]
    return f"{sum(v.duration for v in mine) / sum(v.seconds for v in mine):.1f} × real time"


_SPEEDS = (("settled → announced, median / p95", _delay), ("speed", _speed))


def _row(name: str, cells: Sequence[str]) -> str:
    return "| " + " | ".join((name, *cells)) + " |"


def _percent(part: int, whole: int) -> str:
    return f"{100 * part / whole:.2f}% ({part}/{whole})" if whole else "–"


def _wrong(video: FollowedVideo) -> str:
    errors = "; ".join(f"{e.stage}: {e.detail}" for deal in video.deals for e in deal.errors)
    return f"- {video.made.name}: {errors}"
