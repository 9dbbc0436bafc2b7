"""`sueca models evaluate…`: how good the models are. None of it needs PyTorch."""

import json
import re
from collections.abc import Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from models import evaluate as measuring
from models.failures import Failures
from models.remarks import Heeding
from models.report import document, text, write_beside, write_report
from models.sight import Live, OneStage, TwoStages
from vision.errors import UserError, one_of
from vision.finder import Finder
from vision.reader import Reader
from vision.weights import load_weights, versions, weights_folder

if TYPE_CHECKING:
    from datasets.eventsim import Recording
    from models.bad_input import BadVideo
    from models.following_results import FollowedVideo, Made

WeightsFolder = Annotated[Path | None, typer.Option(help="A weights folder; default: ours.")]
Photographs = Annotated[
    Path, typer.Argument(help="A manifest of labelled photographs, ../shared/real/dev.json.")
]
DEV = Path("../shared/real/dev.json")
Every = Annotated[int, typer.Option(min=1, help="Measure on every n-th photograph only.")]
AsJson = Annotated[bool, typer.Option("--json", help="One JSON document on stdout.")]
Sheet = Annotated[
    Path | None,
    typer.Option(
        help="Write a contact sheet of what went wrong here (.jpg, .png); it shows others' pictures."
    ),
]
Videos = Annotated[Path, typer.Option(help="Where the videos are made and kept.")]
Seeds = Annotated[str, typer.Option(help="First and last seed, 1000-1019.")]
Decks = Annotated[
    list[str] | None,
    typer.Option(help="drawn:SEED, package:NAME or a folder; used in turn; repeatable."),
]
Again = Annotated[
    bool, typer.Option(help="Follow anew what was followed before with these weights.")
]
Out = Annotated[Path | None, typer.Option(help="Write the report (Markdown) here.")]


DRAWN_DECKS = ["drawn:500", "drawn:501", "drawn:502"]
"""What videos are made with where no deck is named."""


def folder_exists(*files: Path | None) -> None:
    """Refuse, before the long work, a file that could not be written after it.

    Raises:
        UserError: the folder it is to lie in is not there, or it is itself a folder.
    """
    for file in files:
        if file is None:
            continue
        if not file.parent.is_dir():
            raise UserError(f"cannot write {file}: there is no folder {file.parent}; make it first")
        if file.is_dir():
            raise UserError(f"cannot write {file}: it is a folder; name a file in it")


def _models(weights: Path | None) -> tuple[Finder, Reader]:
    folder = weights or weights_folder()
    return Finder.from_folder(folder), Reader.from_folder(folder)


def evaluate(
    photographs: Photographs = DEV,
    weights: WeightsFolder = None,
    report: Annotated[
        Path | None, typer.Option(help="Write figures (JSON), a table and plots into this folder.")
    ] = None,
    failures: Sheet = None,
    one_stage: Annotated[
        Path | None,
        typer.Option(help="A weights folder with a one-stage network, measured beside ours."),
    ] = None,
    every: Every = 1,
    as_json: AsJson = False,
) -> None:
    """Measure finder and reader on labelled photographs."""
    folder_exists(failures)
    some = measuring.load_photographs(photographs)[::every]
    finder, reader = _models(weights)
    two, kept, heeding = TwoStages(finder, reader), Failures(), Heeding()
    version = versions(*finder.all_weights, reader.weights)
    one = OneStage(load_weights("one-stage", one_stage)) if one_stage is not None else None

    def note(looked: measuring.Looked) -> None:
        kept.note(looked)
        heeding.note(looked)

    measured = measuring.measure(some, two, note)
    with_remarks = heeding.measured()
    other = measuring.measure(some, one) if one is not None else None
    if report is not None:
        write_report(measured, report, other, with_remarks, version)
    if failures is not None:
        kept.write(failures)
    if as_json:
        print(json.dumps(document(measured, other, with_remarks), ensure_ascii=False))
    else:
        print(text(measured, other, with_remarks, version))


def evaluate_at_table(
    photographs: Photographs = DEV,
    length: Annotated[
        list[float] | None,
        typer.Option(min=10, help="Pixels that cards are to be long; repeatable."),
    ] = None,
    out: Out = None,
    weights: WeightsFolder = None,
    every: Every = 1,
    as_json: AsJson = False,
) -> None:
    """Measure finder and reader on real cards as small as a camera above a table shows them."""
    from rich.console import Console
    from rich.progress import track

    from models import at_table

    folder_exists(out)
    some = measuring.load_photographs(photographs)[::every]
    finder, reader = _models(weights)
    lengths = length or at_table.LENGTHS
    steps = at_table.at_lengths(some, partial(Live, finder, reader), lengths)
    total = len(lengths) * len(at_table.WINDOWS)
    seen = list(track(steps, "looking", total=total, console=Console(stderr=True)))
    said = at_table.text(seen, versions(*finder.all_weights, reader.weights))
    figures = at_table.document(seen)
    if out is not None:
        write_beside(out, said, figures)
    print(json.dumps(figures, ensure_ascii=False) if as_json else said)


def evaluate_held_out(
    videos: Videos = Path("build/following"),
    out: Out = None,
    failures: Sheet = None,
    weights: WeightsFolder = None,
    as_json: AsJson = False,
) -> None:
    """Measure finder and reader on stills of simulated tables with unseen artists' decks."""
    from models import held_out, held_out_report

    folder_exists(out, failures)
    finder, reader = _models(weights)
    paths = sorted(p for p in videos.glob("*.mp4") if p.with_suffix(".truth.json").exists())
    if not paths:
        raise UserError(f"no videos in {videos}: run 'sueca models evaluate-following' first")
    kept = Failures()
    measured = held_out.measure(paths, finder, reader, kept)
    said = held_out_report.text(measured, versions(*finder.all_weights, reader.weights))
    figures = held_out_report.document(measured)
    if out is not None:
        write_beside(out, said, figures)
    if failures is not None:
        kept.write(failures)
    print(json.dumps(figures, ensure_ascii=False) if as_json else said)


def evaluate_following(
    level: Annotated[list[str] | None, typer.Option(help="easy, normal, hard; repeatable.")] = None,
    seeds: Seeds = "1000-1004",
    deck: Decks = None,
    videos: Videos = Path("build/following"),
    deals: Annotated[int, typer.Option(min=1, max=50, help="In a row, in every video.")] = 1,
    variant: Annotated[
        list[str] | None,
        typer.Option(help="Other videos instead: out-of-turn, 1080p, 10fps, 30fps, …; repeatable."),
    ] = None,
    jobs: Annotated[int, typer.Option(min=1, help="Processes at once.")] = 1,
    again: Again = False,
    out: Out = None,
    weights: WeightsFolder = None,
    as_json: AsJson = False,
) -> None:
    """Follow simulated games from their pixels and compare them with their truth.

    Videos and results are kept: broken off, it goes on where it stopped.
    """
    from rich.console import Console
    from rich.progress import Progress

    from datasets.simulate_level import LEVELS
    from models import following_videos as following
    from models.following_results import Made

    folder_exists(out)
    numbers = _range(seeds)
    levels = [one_of("level", one, LEVELS) for one in level or LEVELS]
    variants = [one_of("variant", one, following.VARIANTS) for one in variant or ()] or [""]
    decks = deck or DRAWN_DECKS
    folder = weights or weights_folder()
    made = [
        Made(one, seed, decks[seed % len(decks)], deals, other)
        for one in levels
        for other in variants
        for seed in numbers
    ]
    with Progress(console=Console(stderr=True)) as progress:
        done = following.run(made, videos, folder, jobs, again, progress)
    version = following.weights_version(folder)
    said = following.report(done, version, jobs, _recordings(made, videos, version))
    _tell(said, version, done, out, as_json)


def _tell(
    said: str,
    version: str,
    videos: "Sequence[FollowedVideo | BadVideo]",
    out: Path | None,
    as_json: bool,
) -> None:
    """Write the report of followed videos and print it, or what it was made of."""
    if out is not None:
        out.write_text(said + "\n", encoding="utf-8")
    if as_json:
        told = {"weights": version, "videos": [asdict(video) for video in videos]}
        print(json.dumps(told, ensure_ascii=False))
    else:
        print(said)


def _range(seeds: str) -> range:
    """The seeds of an option.

    Raises:
        UserError: it is not written as 1000-1019.
    """
    match = re.fullmatch(r"(\d+)-(\d+)", seeds)
    if match is None or int(match[2]) < int(match[1]):
        raise UserError(f"--seeds {seeds}: give the first and the last, as in 1000-1019")
    return range(int(match[1]), int(match[2]) + 1)


def evaluate_bad_input(
    kind: Annotated[
        list[str] | None,
        typer.Option(
            help="poker-deck, two-decks, one-twice, card-missing, upside-down; repeatable; default: all."
        ),
    ] = None,
    level: Annotated[str, typer.Option(help="easy, normal, hard.")] = "normal",
    seeds: Seeds = "1051-1052",
    deck: Decks = None,
    videos: Videos = Path("build/following"),
    again: Again = False,
    out: Out = None,
    weights: WeightsFolder = None,
    as_json: AsJson = False,
) -> None:
    """Follow videos of bad decks and of a camera upside down, and tell what was said of them.

    Videos and their table events are kept: broken off, it goes on where it stopped.
    """
    from rich.console import Console
    from rich.progress import track

    from datasets.simulate_level import LEVELS
    from models import bad_input
    from models.following_results import Made

    folder_exists(out)
    numbers, difficulty = _range(seeds), one_of("level", level, LEVELS)
    kinds = [one_of("kind", one, bad_input.KINDS) for one in kind or bad_input.KINDS]
    decks = deck or DRAWN_DECKS
    made = [Made(difficulty, s, decks[s % len(decks)], 1, one) for one in kinds for s in numbers]
    finder, reader = _models(weights)
    version = versions(*finder.all_weights, reader.weights)
    done = [
        bad_input.evaluate(one, videos, version, finder, reader, again)
        for one in track(made, "following", console=Console(stderr=True))
    ]
    said = bad_input.report(done, version)
    _tell(said, version, done, out, as_json)


def _recordings(made: Sequence["Made"], videos: Path, version: str) -> dict[str, list["Recording"]]:
    """By level, the kept table events of followed videos; fewer where some were followed long ago."""
    from models import recorded
    from models.following_results import events_path, result_path

    by_level: dict[str, list[Recording]] = {}
    for one in made:
        path = events_path(result_path(videos, one, version))
        if path.exists():
            by_level.setdefault(one.level, []).append(recorded.read(path))
    return by_level


def evaluate_learning(
    real: Annotated[
        Path, typer.Option(help="The folder of labelled photographs; left out where it is not.")
    ] = Path("../shared/real"),
    out: Out = None,
    weights: WeightsFolder = None,
    as_json: AsJson = False,
) -> None:
    """Measure what 'deck learn' is worth: cards read with and without the deck's profile."""
    from models import learning_report

    folder_exists(out)
    finder, reader = _models(weights)
    report = learning_report.run(real if real.exists() else None, finder, reader)
    if out is not None:
        learning_report.write(report, out)
    if as_json:
        print(json.dumps(learning_report.figures(report), ensure_ascii=False))
    else:
        print(learning_report.markdown(report))
