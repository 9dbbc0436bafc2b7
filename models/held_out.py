"""Finder and reader on simulated overhead 720p tables with decks of artists they never saw.

Takes one still of every vaza out of the videos of `models.following_videos`: the moment before the vaza is
gathered, when all its cards lie there and the truth knows where.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from datasets.stills import visible_parts
from models.evaluate import calibration_error, share
from vision.finder import Finder
from vision.geometry import iou
from vision.reader import Reader
from vision.sources import open_source
from vision.types import Frame, Image, Quad

SAME_PLACE = 0.5
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
    """What became of one card at least half visible."""

    deck: str
    card: str
    found: bool
    read_at_truth: str
    p: float
    read_found: str | None


def stills(video: Path) -> Iterator[Still]:
    """One still of each vaza of a video with its truth beside it.

    Vazas during which something else went on (a hand hovering, a card nudged or taken back, the next
    lead already down, the camera knocked) are left out: there the truth of a still is not simple.
    """
    truth = json.loads(video.with_suffix(".truth.json").read_text())
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


def measure(videos: Sequence[Path], finder: Finder, reader: Reader) -> tuple[list[Outcome], int]:
    """Outcomes of every card at least half visible, and face-up detections that lie on no card."""
    outcomes: list[Outcome] = []
    invented = 0
    for video in videos:
        for still in stills(video):
            found = [d for d in finder.find(still.image) if d.face == "up"]
            invented += sum(
                all(iou(d.quad, c.quad) < SAME_PLACE for c in still.cards) for d in found
            )
            shown = [card for card in still.cards if card.visible >= HALF]
            at_truth = reader.read(still.image, [card.quad for card in shown])
            for card, reading in zip(shown, at_truth, strict=True):
                near = max(found, key=lambda d, c=card: iou(d.quad, c.quad), default=None)  # type: ignore[misc]
                hit = near is not None and iou(near.quad, card.quad) >= SAME_PLACE
                said = reader.read(still.image, [near.quad])[0].best if near and hit else None
                p = float(np.exp(max(reading.log_probs)))
                outcomes.append(Outcome(still.deck, card.card, hit, reading.best, p, said))
    return outcomes, invented


def report(outcomes: Sequence[Outcome], invented: int, weights: str) -> str:
    """Markdown: a row a deck and one for all."""
    lines = [
        "# Held-out artists, simulated overhead 720p",
        "",
        f"Written by `sueca models evaluate-held-out`; weights {weights}. One still of every vaza of the"
        " videos of `sueca models evaluate-following`; cards at least half visible.",
        "",
        "| deck | cards | finder recall | read at the true quad | both | ECE |",
        "|---|---|---|---|---|---|",
    ]
    for deck in [*sorted({o.deck for o in outcomes}), None]:
        rows = [o for o in outcomes if deck in (None, o.deck)]
        right = [o.read_at_truth == o.card for o in rows]
        cells = (
            deck or "all",
            len(rows),
            share(o.found for o in rows),
            share(right),
            share(o.read_found == o.card for o in rows),
            round(calibration_error(right, [o.p for o in rows]), 4),
        )
        lines.append("| " + " | ".join(str(cell) for cell in cells) + " |")
    hits = sum(o.found for o in outcomes)
    lines += [
        "",
        f"Finder precision, face up: {hits / max(1, hits + invented):.4f} ({invented} invented).",
    ]
    wrong = [f"{o.card} as {o.read_at_truth}" for o in outcomes if o.read_at_truth != o.card]
    lines += ["", "Misread at the true quad: " + (", ".join(sorted(wrong)) or "none") + "."]
    return "\n".join(lines) + "\n"
