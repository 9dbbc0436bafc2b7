"""Finder and reader on simulated overhead 720p tables with decks of artists they never saw.

Takes one still of every quiet vaza out of the videos of `models.following_videos`: the moment before the
vaza is gathered, when all its cards lie there and the truth knows where. A vaza in which something else went
on has no such moment; of hard videos most have none, and the report says how many.
"""

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from datasets.stills import visible_parts
from models.evaluate import one_to_one
from models.failures import Failures
from vision.finder import Finder
from vision.geometry import iou, side_lengths
from vision.reader import Reader
from vision.sources import open_source
from vision.types import Detection, Frame, Image, Quad

HALF = 0.5
"""Cards less visible than this are not asked for."""

BEFORE_GATHER = 0.25
"""Seconds before the hand comes for the vaza."""


@dataclass(frozen=True, slots=True)
class StillCard:
    """A card of a still: what it is, where, and which part of it shows."""

    card: str
    quad: Quad
    visible: float


@dataclass(frozen=True, slots=True)
class Still:
    """A frame of a video and the face-up cards that lie in it."""

    deck: str
    level: str
    image: Image
    cards: tuple[StillCard, ...]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one card at least half visible; `size` its long side in pixels of the frame."""

    deck: str
    card: str
    size: float
    found: bool
    read_at_truth: str
    p: float
    read_found: str | None


@dataclass(frozen=True, slots=True)
class Measured:
    """All outcomes, and the face-up detections that lie on no card, by deck; by level, of how many vazas
    there are stills, and how many there were."""

    outcomes: tuple[Outcome, ...]
    invented: dict[str, int]
    stills: dict[str, int] = field(default_factory=dict)
    vazas: dict[str, int] = field(default_factory=dict)


def stills(video: Path) -> Iterator[Still]:
    """One still of each vaza of a video with its truth beside it.

    Vazas during which something else went on (a hand hovering, a card nudged or taken back, the next
    lead already down, the camera knocked) are left out: there the truth of a still is not simple.
    """
    truth = _truth(video)
    wanted = [moment for deal in truth["deals"] for moment in _moments(deal, truth)]
    with open_source(str(video)) as source:
        for item in source:
            if not wanted:
                return
            if isinstance(item, Frame) and item.t >= wanted[0][0]:
                lying = wanted.pop(0)[1]
                parts = visible_parts([quad for _, quad in lying], item.image.shape[:2])
                cards = tuple(
                    StillCard(card, quad, part)
                    for (card, quad), part in zip(lying, parts, strict=True)
                )
                yield Still(truth["deck"], truth["level"], item.image, cards)


def _truth(video: Path) -> dict:  # type: ignore[type-arg]
    told: dict = json.loads(video.with_suffix(".truth.json").read_text())  # type: ignore[type-arg]
    return told


def _moments(deal: dict, truth: dict) -> Iterator[tuple[float, list[tuple[str, Quad]]]]:  # type: ignore[type-arg]
    """When to take a still, and the face-up cards that then lie on the table, lowest first."""
    busy = [(extra["t0"] - 0.5, extra["t1"] + 0.5) for extra in truth["extras"]]
    busy += [(view["t"] - 1, view["t"] + 2) for view in truth["views"][1:]]
    shown = deal["trump_shown"]
    for number, trick in enumerate(deal["tricks"], 1):
        plays = [play for play in deal["plays"] if play["trick"] == number]
        first, last = (f(play["t_settled"] for play in plays) for f in (min, max))
        when = trick["t_start"] - BEFORE_GATHER
        if when < last or any(low < when and first < high for low, high in busy):
            continue
        lying = [(play["card"], _quad(play["quad"])) for play in plays]
        if shown["left_lying"] and when < shown["t_gone"]:
            lying.insert(0, (deal["trump"], _quad(shown["quad"])))
        yield when, lying


def _quad(points: list[list[float]]) -> Quad:
    a, b, c, d = ((float(x), float(y)) for x, y in points)
    return (a, b, c, d)


def measure(
    videos: Sequence[Path], finder: Finder, reader: Reader, failures: Failures | None = None
) -> Measured:
    """Outcomes of the stills of videos; `failures` keeps pictures of what went wrong."""
    outcomes: list[Outcome] = []
    invented: dict[str, int] = {}
    taken, vazas = Counter[str](), Counter[str]()
    for video in videos:
        truth = _truth(video)
        vazas[truth["level"]] += sum(len(deal["tricks"]) for deal in truth["deals"])
        for still in stills(video):
            taken[still.level] += 1
            found = [d for d in finder.find(still.image) if d.face == "up"]
            lies_on = met(still.cards, found)
            strangers = [d for j, d in enumerate(found) if j not in lies_on.values()]
            some = look_at(still, found, lies_on, reader)
            outcomes += [outcome for outcome, _ in some]
            invented[still.deck] = invented.get(still.deck, 0) + len(strangers)
            if failures is not None:
                _note(failures, still, some, strangers)
    return Measured(tuple(outcomes), invented, dict(taken), dict(vazas))


def met(cards: Sequence[StillCard], found: Sequence[Detection]) -> dict[int, int]:
    """Which box is which card's, one to one: number of the card to that of the box."""
    return one_to_one([[iou(card.quad, box.quad) for box in found] for card in cards])


def look_at(
    still: Still, found: Sequence[Detection], lies_on: Mapping[int, int], reader: Reader
) -> list[tuple[Outcome, Quad]]:
    """What became of every card of a still that is at least half visible, and where it lies."""
    shown = [(i, card) for i, card in enumerate(still.cards) if card.visible >= HALF]
    looked = []
    readings = reader.read(still.image, [card.quad for _, card in shown])
    for (i, card), reading in zip(shown, readings, strict=True):
        hit = i in lies_on
        place = found[lies_on[i]].quad if hit else card.quad
        said = reader.read(still.image, [place])[0].best if hit else None
        p = float(np.exp(max(reading.log_probs)))
        size = side_lengths(card.quad)[1]
        outcome = Outcome(still.deck, card.card, size, hit, reading.best, p, said)
        looked.append((outcome, card.quad))
    return looked


def _note(
    failures: Failures,
    still: Still,
    looked: Sequence[tuple[Outcome, Quad]],
    strangers: Sequence[Detection],
) -> None:
    for o, quad in looked:
        if not o.found:
            failures.add("missed", still.deck, o.card, still.image, quad)
        elif o.read_at_truth != o.card:
            words = f"{o.card} > {o.read_at_truth} {o.p:.0%}"
            failures.add("misread", still.deck, words, still.image, quad)
        elif o.read_found != o.card:
            words = f"{o.card} > {o.read_found} (box)"
            failures.add("misread", still.deck, words, still.image, quad)
    for stranger in strangers:
        failures.add("invented", still.deck, f"{stranger.p:.0%}", still.image, stranger.quad)
