"""`sueca models …`: train, evaluate and export. Training needs the `train` extra, evaluating does not."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from models import evaluate as measuring
from models.cli_evaluate import (
    AsJson,
    WeightsFolder,
    evaluate,
    evaluate_at_table,
    evaluate_bad_input,
    evaluate_following,
    evaluate_held_out,
    evaluate_learning,
    folder_exists,
)
from vision.errors import UserError
from vision.finder import Finder
from vision.reader import Reader
from vision.weights import load_weights, weights_folder

if TYPE_CHECKING:
    from models.finder_training import SceneSet

app = typer.Typer(no_args_is_help=True, help="The models' life: train, evaluate, export.")
for command in (
    evaluate,
    evaluate_at_table,
    evaluate_held_out,
    evaluate_following,
    evaluate_bad_input,
    evaluate_learning,
):
    app.command()(command)

NO_TORCH = "PyTorch is not installed: pip install 'sueca-a-mesa[train]' (see docs/training.md)"


class Which(StrEnum):
    """The models, and the one network they are compared with."""

    finder = "finder"
    verifier = "verifier"
    reader = "reader"
    one_stage = "one-stage"


@app.command()
def train(
    which: Which,
    data: Annotated[
        Path,
        typer.Option(
            help="A folder made by 'sueca datasets build'; for the verifier, by 'cut-views'."
        ),
    ],
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
        Path | None,
        typer.Option(help="A folder of the same kind made of photographs, mixed in."),
    ] = None,
    seed: Annotated[int, typer.Option(help="Order and augmentation of the pictures.")] = 1,
    as_json: AsJson = False,
) -> None:
    """Train one model; run it again after an interruption and it goes on."""
    try:
        from models import training
    except ImportError as error:
        raise UserError(NO_TORCH) from error
    if base is not None and not base.exists():
        raise UserError(f"no checkpoint at {base}")
    job = training.Job(data, out, epochs, rate, batch, base, real, seed)
    checkpoint = training.RUN[which.value](job)
    _tell(as_json, {"model": which.value, "checkpoint": str(checkpoint)}, f"{checkpoint}")


@app.command()
def factors(
    data: Annotated[Path, typer.Option(help="A folder made by 'sueca datasets build'.")],
    real: Annotated[Path, typer.Option(help="A folder made by 'sueca models self-label'.")],
    dev: Annotated[Path, typer.Option(help="Labelled photographs to measure on (dev.json).")],
    out: Annotated[Path, typer.Option(help="Where checkpoints and figures go; resumed.")],
    epochs: Annotated[int, typer.Option(help="Passes over the data for each variant.")] = 3,
    mixes: Annotated[
        Path | None,
        typer.Option(
            help="A folder with packages/, composed/ and drawn/, each made by"
            " 'sueca datasets build --decks'; they are compared too."
        ),
    ] = None,
    base: Annotated[
        Path | None,
        typer.Option(help="A reader to train on from; without, all start from nothing."),
    ] = None,
    report: Annotated[Path | None, typer.Option(help="Write the table (Markdown) here.")] = None,
    as_json: AsJson = False,
) -> None:
    """Train readers that differ in one thing each, and compare them on real photographs."""
    try:
        from models import factors as comparing
    except ImportError as error:
        raise UserError(NO_TORCH) from error
    folder_exists(report)
    tell = partial(typer.echo, err=as_json)
    rows = comparing.measure(
        comparing.FACTORS, data, real, dev, out, epochs, mixes=mixes, base=base, report=tell
    )
    if report is not None:
        report.write_text(comparing.report(rows, epochs, base is None), encoding="utf-8")
    if as_json:
        print(json.dumps(rows, ensure_ascii=False))


@app.command()
def export(
    which: Which,
    checkpoint: Annotated[Path, typer.Argument(help="The .pt of a training run.")],
    out: Annotated[Path, typer.Option(help="The weights folder to write into.")],
    temperature: Annotated[float, typer.Option(help="Divides the reader's logits.")] = 1.0,
    threshold: Annotated[float, typer.Option(help="Least probability of a detection.")] = 0.4,
    as_json: AsJson = False,
) -> None:
    """Write the OpenVINO files of a trained model, with their hash, into a weights folder."""
    try:
        import torch

        from models.export import export as write
    except ImportError as error:
        raise UserError(NO_TORCH) from error
    if not checkpoint.exists():
        raise UserError(f"no checkpoint at {checkpoint}: train one with 'sueca models train'")
    network = torch.load(checkpoint, map_location="cpu", weights_only=False)["model"].float()
    write(which.value, network, out, temperature, threshold)
    version = load_weights(which.value, out).version
    _tell(
        as_json,
        {"model": which.value, "folder": str(out), "version": version},
        f"{which.value} {version} in {out}",
    )


@app.command()
def int8(
    out: Annotated[Path, typer.Option(help="The weights folder for the 8-bit models.")],
    train_photographs: Annotated[
        Path, typer.Option(help="Labelled photographs (train.json) the ranges are learnt on.")
    ],
    measured: Annotated[
        list[Path], typer.Argument(help="Manifests of photographs to measure on, dev.json.")
    ],
    every: Annotated[int, typer.Option(min=1, help="Measure on every n-th photograph only.")] = 12,
    weights: WeightsFolder = None,
    report: Annotated[Path | None, typer.Option(help="Write the table (Markdown) here.")] = None,
    as_json: AsJson = False,
) -> None:
    """Make 8-bit models and compare them with the ones they are made of; needs nncf."""
    from models import int8 as eight

    folder_exists(report)
    ours = weights or weights_folder()
    # Never those of every `every`-th, which may be measured on.
    known = measuring.load_photographs(train_photographs)
    eight.quantize(ours, out, [p for i, p in enumerate(known) if i % every][:: eight.SPREAD])
    pairs = [
        ("fp16", ours, ours),
        ("int8 finder", out, ours),
        ("int8 reader", ours, out),
        ("int8 both", out, out),
    ]
    tables = [
        (path.stem, eight.compare(pairs, measuring.load_photographs(path)[::every]))
        for path in measured
    ]
    said = eight.report(tables)
    if report is not None:
        report.write_text(said, encoding="utf-8")
    if as_json:
        told = {name: [asdict(row) for row in rows] for name, rows in tables}
        print(json.dumps(told, ensure_ascii=False))
    else:
        print(said)


@app.command()
def self_label(
    photographs: Annotated[Path, typer.Argument(help="A manifest of photographs with boxes.")],
    out: Annotated[Path, typer.Option(help="The folder to write training files into.")],
    weights: WeightsFolder = None,
    as_json: AsJson = False,
) -> None:
    """Turn photographs labelled with upright boxes into training data for both models."""
    from models.selflabel import self_label as label

    folder = weights or weights_folder()
    finder, reader = Finder.from_folder(folder), Reader.from_folder(folder)
    done = label(measuring.load_photographs(photographs), finder, reader, out)
    _tell(
        as_json,
        asdict(done),
        f"{done.used} of {done.cards} cards got a quad; "
        f"{done.whole} of {done.photographs} photographs are whole",
    )


Pictures = Annotated[
    Path, typer.Argument(help="A folder with scenes, or a manifest of photographs with boxes.")
]


@app.command()
def cut_proposals(
    data: Pictures,
    out: Annotated[Path, typer.Option(help="The folder to write crops into.")],
    weights: WeightsFolder = None,
    first: Annotated[int, typer.Option(min=0, help="Only so many pictures; 0 for all.")] = 0,
    seed: Annotated[int, typer.Option(help="How far off photographs are seen.")] = 1,
    as_json: AsJson = False,
) -> None:
    """Cut crops for the reader as the finder boxes cards, out of pictures whose truth is known."""
    load_scenes = _scene_loader()
    from models import proposals

    finder = Finder.from_folder(weights or weights_folder())
    if data.is_dir():
        scenes = load_scenes(data, "labels").first(first)
        pictures, total = proposals.of_scenes(scenes, finder), len(scenes.jpeg)
    else:
        photographs = measuring.load_photographs(data, first)
        pictures, total = proposals.of_photographs(photographs, finder, seed), len(photographs)
    *_, done = _shown(proposals.cut(pictures, out), total)
    said = (
        f"{done.cards} cards and {done.others} others cut out of {done.pictures} pictures, in {out}"
    )
    _tell(as_json, asdict(done), said)


@app.command()
def cut_views(
    data: Pictures,
    out: Annotated[Path, typer.Option(help="The folder to write views into; gone on with.")],
    weights: WeightsFolder = None,
    seed: Annotated[int, typer.Option(help="How large the pictures are seen.")] = 1,
    as_json: AsJson = False,
) -> None:
    """Cut views of all that the finder proposes, with the truth, for the verifier to learn from."""
    load_scenes = _scene_loader()
    from models import views

    finder = Finder.from_folder(weights or weights_folder())
    if data.is_dir():
        scenes = load_scenes(data)
        steps, total = views.of_scenes(scenes, finder, out, seed), len(scenes.jpeg)
    else:
        photographs = measuring.load_photographs(data)
        steps, total = views.of_photographs(photographs, finder, out, seed), len(photographs)
    *_, seen = _shown(steps, total)
    cut = sum(len(shard) for shard in views.load_views(out))
    _tell(as_json, {"pictures": seen, "views": cut}, f"{cut} views of {seen} pictures, in {out}")


def _scene_loader() -> "Callable[..., SceneSet]":
    """`models.finder_training.load_scenes`.

    Raises:
        UserError: PyTorch is not installed.
    """
    try:
        from models.finder_training import load_scenes
    except ImportError as error:
        raise UserError(NO_TORCH) from error
    return load_scenes


Step = TypeVar("Step")


def _shown(steps: Iterable[Step], total: int) -> Iterator[Step]:
    """The same steps, with a bar on stderr."""
    from rich.console import Console
    from rich.progress import track

    yield from track(steps, "cutting", total=total, console=Console(stderr=True))


@app.command()
def calibrate(
    crops: Annotated[Path, typer.Argument(help="A folder of crops the reader was not trained on.")],
    weights: Annotated[Path, typer.Option(help="The weights folder whose reader is calibrated.")],
    as_json: AsJson = False,
) -> None:
    """Fit the reader's temperature on crops that are neither training nor test pictures."""
    from models.calibration import calibrate as fit

    temperature = fit(crops, weights)
    _tell(as_json, {"temperature": round(temperature, 4)}, f"temperature {temperature:.3f}")


def _tell(as_json: bool, document: Mapping[str, object], line: str) -> None:
    """What a command did, as one JSON document or as one line."""
    print(json.dumps(document, ensure_ascii=False) if as_json else line)
