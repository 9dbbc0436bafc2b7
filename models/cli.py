"""`sueca models …`: train, evaluate and export. Training needs the `train` extra, evaluating does not."""

import json
import re
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from models import evaluate as measuring
from models.report import write_report
from vision.errors import UserError
from vision.finder import Finder
from vision.reader import Reader
from vision.weights import weights_folder

app = typer.Typer(no_args_is_help=True, help="The models' life: train, evaluate, export.")

NO_TORCH = "PyTorch is not installed: pip install 'sueca-a-mesa[train]' (see docs/training.md)"


class Which(StrEnum):
    """The two models."""

    finder = "finder"
    reader = "reader"


@app.command()
def train(
    which: Which,
    data: Annotated[Path, typer.Option(help="A folder made by 'sueca datasets build'.")],
    out: Annotated[
        Path, typer.Option(help="Where checkpoints and logs go; resumed if they exist.")
    ],
    epochs: Annotated[int, typer.Option(help="Passes over the data.")] = 8,
    rate: Annotated[float, typer.Option(help="Peak learning rate.")] = 0.002,
    batch: Annotated[int, typer.Option(help="Pictures a step; 0 chooses.")] = 0,
    base: Annotated[
        Path | None, typer.Option(help="An Ultralytics checkpoint to start from.")
    ] = None,
    real: Annotated[
        Path | None, typer.Option(help="Labelled photographs (train.json) mixed in, to fine-tune.")
    ] = None,
    seed: Annotated[int, typer.Option(help="Order and augmentation of the pictures.")] = 1,
) -> None:
    """Train one model; run it again after an interruption and it goes on."""
    try:
        from models import training
    except ImportError as error:
        raise UserError(NO_TORCH) from error
    if base is not None and not base.exists():
        raise UserError(f"no checkpoint at {base}")
    job = training.Job(data, out, epochs, rate, batch, base, real, seed)
    training.RUN[which.value](job)


@app.command()
def factors(
    data: Annotated[Path, typer.Option(help="A folder made by 'sueca datasets build'.")],
    real: Annotated[Path, typer.Option(help="A folder made by 'sueca models self-label'.")],
    dev: Annotated[Path, typer.Option(help="Labelled photographs to measure on (dev.json).")],
    out: Annotated[Path, typer.Option(help="Where checkpoints and figures go; resumed.")],
    epochs: Annotated[int, typer.Option(help="Passes over the data for each variant.")] = 3,
    report: Annotated[Path | None, typer.Option(help="Write the table (Markdown) here.")] = None,
) -> None:
    """Train readers that differ in one thing each, and compare them on real photographs."""
    try:
        from models import factors as comparing
    except ImportError as error:
        raise UserError(NO_TORCH) from error
    rows = comparing.measure(comparing.FACTORS, data, real, dev, out, epochs, report=typer.echo)
    if report is not None:
        report.write_text(comparing.report(rows, epochs))


@app.command()
def export(
    which: Which,
    checkpoint: Annotated[Path, typer.Argument(help="The .pt of a training run.")],
    out: Annotated[Path, typer.Option(help="The weights folder to write into.")],
    temperature: Annotated[float, typer.Option(help="Divides the reader's logits.")] = 1.0,
    threshold: Annotated[float, typer.Option(help="Least probability of a detection.")] = 0.4,
) -> None:
    """Write the OpenVINO files of a trained model, with their hash, into a weights folder."""
    try:
        import torch

        from models.export import export as write
    except ImportError as error:
        raise UserError(NO_TORCH) from error
    if not checkpoint.exists():
        raise UserError(f"no checkpoint at {checkpoint}: train one with 'sueca models train'")
    model = torch.load(checkpoint, map_location="cpu", weights_only=False)["model"].float()
    write(which.value, model, out, temperature, threshold)


@app.command()
def evaluate(
    photographs: Annotated[
        Path, typer.Argument(help="A manifest of labelled photographs, ../shared/real/dev.json.")
    ] = Path("../shared/real/dev.json"),
    weights: Annotated[Path | None, typer.Option(help="A weights folder; default: ours.")] = None,
    report: Annotated[
        Path | None, typer.Option(help="Write figures (JSON), a table and plots into this folder.")
    ] = None,
    every: Annotated[int, typer.Option(min=1, help="Measure on every n-th photograph only.")] = 1,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON document on stdout.")] = False,
) -> None:
    """Measure finder and reader on labelled photographs."""
    folder = weights or weights_folder()
    finder, reader = Finder.from_folder(folder), Reader.from_folder(folder)
    some = measuring.load_photographs(photographs)[::every]
    measured = measuring.measure(some, finder, reader)
    if report is not None:
        write_report(measured, report)
    if as_json:
        print(json.dumps(measuring.figures(measured), ensure_ascii=False))
    else:
        print(measuring.table(measured))


@app.command()
def self_label(
    photographs: Annotated[Path, typer.Argument(help="A manifest of photographs with boxes.")],
    out: Annotated[Path, typer.Option(help="The folder to write training files into.")],
    weights: Annotated[Path | None, typer.Option(help="A weights folder; default: ours.")] = None,
) -> None:
    """Turn photographs labelled with upright boxes into training data for both models."""
    from models.selflabel import self_label as label

    folder = weights or weights_folder()
    finder, reader = Finder.from_folder(folder), Reader.from_folder(folder)
    done = label(measuring.load_photographs(photographs), finder, reader, out)
    print(
        f"{done.used} of {done.cards} cards got a quad; "
        f"{done.whole} of {done.photographs} photographs are whole"
    )


@app.command()
def calibrate(
    crops: Annotated[Path, typer.Argument(help="A folder of crops the reader was not trained on.")],
    weights: Annotated[Path, typer.Option(help="The weights folder whose reader is calibrated.")],
) -> None:
    """Fit the reader's temperature on crops that are neither training nor test pictures."""
    from models.calibration import calibrate as fit

    print(f"temperature {fit(crops, weights):.3f}")


@app.command()
def evaluate_following(
    level: Annotated[list[str] | None, typer.Option(help="easy, normal, hard; repeatable.")] = None,
    seeds: Annotated[str, typer.Option(help="First and last seed, 1000-1019.")] = "1000-1004",
    deck: Annotated[
        list[str] | None, typer.Option(help="drawn:SEED or package:NAME; used in turn; repeatable.")
    ] = None,
    videos: Annotated[Path, typer.Option(help="Where videos are made and kept.")] = Path(
        "build/following"
    ),
    out: Annotated[Path | None, typer.Option(help="Write the report (Markdown) here.")] = None,
    weights: Annotated[Path | None, typer.Option(help="A weights folder; default: ours.")] = None,
) -> None:
    """Follow simulated games from their pixels and compare them with their truth."""
    from models import following_videos as following

    match = re.fullmatch(r"(\d+)-(\d+)", seeds)
    if match is None:
        raise UserError(f"--seeds {seeds}: give the first and the last, as in 1000-1019")
    decks = deck or ["drawn:500", "drawn:501", "drawn:502"]
    folder = weights or weights_folder()
    made = [
        following.Made(one, seed, decks[seed % len(decks)])
        for one in level or ["easy", "normal", "hard"]
        for seed in range(int(match[1]), int(match[2]) + 1)
    ]
    finder, reader = Finder.from_folder(folder), Reader.from_folder(folder)
    done = following.run(made, videos, finder, reader)
    text = following.report(done, f"{finder.weights.version}+{reader.weights.version}")
    if out is not None:
        out.write_text(text + "\n", encoding="utf-8")
    print(text)


@app.command()
def evaluate_held_out(
    videos: Annotated[Path, typer.Option(help="Videos made by evaluate-following.")] = Path(
        "build/following"
    ),
    out: Annotated[Path | None, typer.Option(help="Write the report (Markdown) here.")] = None,
    weights: Annotated[Path | None, typer.Option(help="A weights folder; default: ours.")] = None,
) -> None:
    """Measure finder and reader on stills of simulated tables with unseen artists' decks."""
    from models import held_out

    folder = weights or weights_folder()
    finder, reader = Finder.from_folder(folder), Reader.from_folder(folder)
    paths = sorted(p for p in videos.glob("*.mp4") if p.with_suffix(".truth.json").exists())
    if not paths:
        raise UserError(f"no videos in {videos}: run 'sueca models evaluate-following' first")
    outcomes, invented = held_out.measure(paths, finder, reader)
    text = held_out.report(outcomes, invented, f"{finder.weights.version}+{reader.weights.version}")
    if out is not None:
        out.write_text(text, encoding="utf-8")
    print(text)


@app.command()
def evaluate_learning(
    real: Annotated[
        Path, typer.Option(help="The folder of labelled photographs; left out where it is not.")
    ] = Path("../shared/real"),
    out: Annotated[
        Path | None, typer.Option(help="Write the report (Markdown, figures as JSON beside) here.")
    ] = None,
    weights: Annotated[Path | None, typer.Option(help="A weights folder; default: ours.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON document on stdout.")] = False,
) -> None:
    """Measure what 'deck learn' is worth: cards read with and without the deck's profile."""
    from models import learning_report

    folder = weights or weights_folder()
    finder, reader = Finder.from_folder(folder), Reader.from_folder(folder)
    report = learning_report.run(real if real.exists() else None, finder, reader)
    if out is not None:
        learning_report.write(report, out)
    if as_json:
        print(json.dumps(learning_report.figures(report), ensure_ascii=False))
    else:
        print(learning_report.markdown(report))
