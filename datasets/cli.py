"""Commands that `datasets` gives to `sueca`: `simulate`, and the group `datasets`."""

import json
import re
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import cv2
import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from assistant.sueca import PRESETS
from datasets import build as building
from datasets import check as checking
from datasets import simulate as simulation
from datasets.deck_named import deck_named
from datasets.drawn import Deck
from datasets.simulate_level import LEVELS
from datasets.simulate_look import SURFACES
from datasets.simulate_world import SEATS
from vision.errors import UserError, one_of

app = typer.Typer(name="datasets", help="Decks, scenes and simulated tables.", no_args_is_help=True)

_NOT_AT_THIS_TABLE = ("tres", "dupla", "aberta", "bisca")
_RULES = [name for name in PRESETS if name.partition("-")[0] not in _NOT_AT_THIS_TABLE]
_SMALLEST, _LARGEST = 240, 4096


def _size(text: str) -> tuple[int, int]:
    match = re.fullmatch(r"(\d+)x(\d+)", text)
    size = (int(match[1]), int(match[2])) if match else (0, 0)
    if not all(_SMALLEST <= side <= _LARGEST and side % 2 == 0 for side in size):
        raise UserError(
            f"--size {text}: give width x height as 1280x720, even numbers {_SMALLEST}-{_LARGEST}"
        )
    return size


def _render(options: simulation.Options, deck: Deck, out: Path, quiet: bool) -> Path:
    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), disable=quiet) as bar:
        task = bar.add_task(out.name, total=None)
        return simulation.simulate(
            options, deck, out, lambda done, total: bar.update(task, completed=done, total=total)
        )


def simulate(
    out: Annotated[Path, typer.Argument(help="The video to write (.mp4).")],
    level: Annotated[str, typer.Option(help="easy, normal or hard.")] = "easy",
    seed: Annotated[int, typer.Option(min=0, help="The same seed gives the same video.")] = 1,
    deck: Annotated[
        str, typer.Option(help="drawn, drawn:SEED, package:NAME or a folder of card pictures.")
    ] = "drawn",
    rules: Annotated[str, typer.Option(help="A preset for four players.")] = "selminha",
    deals: Annotated[int, typer.Option(min=1, max=50)] = 1,
    size: Annotated[str, typer.Option(help="Width x height in pixels.")] = "1280x720",
    fps: Annotated[float, typer.Option(min=5, max=60)] = 15.0,
    revoke: Annotated[str | None, typer.Option(help="The seat (S E N W) that revokes.")] = None,
    out_of_turn: Annotated[
        str | None, typer.Option(help="The seat that plays once before its turn.")
    ] = None,
    misdeal: Annotated[
        str | None,
        typer.Option(help="The seat dealt a card too many in the first deal, which is thrown in."),
    ] = None,
    pack: Annotated[
        str, typer.Option(help=f"What is dealt from: {', '.join(simulation.PACKS)}.")
    ] = "sueca",
    upside_down: Annotated[bool, typer.Option(help="Hang the camera the wrong way round.")] = False,
    dealer: Annotated[str | None, typer.Option(help="The first dealer's seat.")] = None,
    surface: Annotated[
        str | None, typer.Option(help=f"Of the table: {', '.join(SURFACES)}.")
    ] = None,
    bit_rate: Annotated[int | None, typer.Option(min=50_000, help="Bits per second.")] = None,
    frames: Annotated[
        bool, typer.Option(help="Keep the truth of every frame too, as NAME.frames.npz.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON document on stdout.")] = False,
) -> None:
    """Write a simulated game on a simulated table, with its truth beside it as JSON."""
    seats = {"revoke": revoke, "out-of-turn": out_of_turn, "misdeal": misdeal, "dealer": dealer}
    for name, seat in seats.items():
        if seat is not None:
            one_of(name, seat, SEATS)
    one_of("pack", pack, simulation.PACKS)
    if pack != "sueca" and (revoke or out_of_turn or misdeal or frames):
        raise UserError(
            f"--pack {pack} cannot go with --revoke, --out-of-turn, --misdeal or --frames; leave these out"
        )
    if surface is not None:
        one_of("surface", surface, SURFACES)
    if out.suffix.lower() != ".mp4":
        raise UserError(f"{out}: expected a name that ends in .mp4")
    if not out.parent.is_dir():
        raise UserError(f"{out.parent}: no such folder; make it first")
    if out.is_dir():
        raise UserError(f"{out}: is a folder; name a video in it")
    options = simulation.Options(
        seed=seed,
        level=one_of("level", level, LEVELS),  # type: ignore[arg-type]
        rules=one_of("rules", rules, _RULES),
        deals=deals,
        size=_size(size),
        fps=fps,
        revoke=revoke,  # type: ignore[arg-type]
        out_of_turn=out_of_turn,  # type: ignore[arg-type]
        misdeal=misdeal,  # type: ignore[arg-type]
        dealer=dealer,  # type: ignore[arg-type]
        surface=surface,
        bit_rate=bit_rate,
        frames=frames,
        pack=pack,  # type: ignore[arg-type]
        upside_down=upside_down,
    )
    truth = _render(options, deck_named(deck, seed), out, as_json)
    if as_json:
        print(json.dumps({"video": str(out), "truth": str(truth)}))
    else:
        Console(stderr=True, markup=False, soft_wrap=True).print(f"{out}, truth in {truth}")


@app.command()
def build(
    out: Annotated[
        Path, typer.Option(help="The folder of the dataset; what is there of it is kept.")
    ],
    crops: Annotated[int, typer.Option(min=0, help="Single cards for the reader.")] = 96_000,
    scenes: Annotated[int, typer.Option(min=0, help="Tables for the finder.")] = 14_000,
    seed: Annotated[int, typer.Option(min=0, help="The same seed gives the same pictures.")] = 1,
    jobs: Annotated[int, typer.Option(min=1, help="Processes at once.")] = 2,
    decks: Annotated[
        str, typer.Option(help="Out of which decks: all, packages, composed or drawn.")
    ] = "all",
    as_json: Annotated[bool, typer.Option("--json", help="One JSON document on stdout.")] = False,
) -> None:
    """Build training pictures out of the installed card art; goes on where it was interrupted."""
    one_of("decks", decks, building.DECKS)
    manifest = building.build(out, crops, scenes, seed, jobs, decks)
    if as_json:
        print(json.dumps({"manifest": str(manifest), "crops": crops, "scenes": scenes}))
    else:
        print(manifest)


@app.command()
def check(
    folder: Annotated[Path, typer.Argument(help="A folder made by 'sueca datasets build'.")],
    sheets: Annotated[
        Path | None, typer.Option(help="Write contact sheets (PNG) into this folder.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON document on stdout.")] = False,
) -> None:
    """Look for bad labels and files that are not as built; exit status 1 if there are any."""
    found = checking.check(folder)
    if sheets is not None:
        sheets.mkdir(parents=True, exist_ok=True)
        if found.crops:
            cv2.imwrite(str(sheets / "crops.png"), checking.crop_sheet(folder))
        if found.scenes:
            cv2.imwrite(str(sheets / "scenes.png"), checking.scene_sheet(folder))
    if as_json:
        print(json.dumps(asdict(found), ensure_ascii=False))
    else:
        print(f"{found.crops} crops, {found.scenes} scenes with {found.boxes} boxes")
        for fault in found.faults:
            print(fault)
    if found.faults:
        raise typer.Exit(1)
