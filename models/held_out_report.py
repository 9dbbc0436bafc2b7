"""The report on held-out artists' decks: per deck, per rank and per size, beside the targets."""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TypedDict

from models.figures import Figures, by_rank, calibration_error, precision, share
from models.held_out import Measured, Outcome
from models.report import TargetDocument, rank_table, table, target_document
from models.targets import HELD_OUT, Checked, check, rank_targets, shortfalls, target_table

SIZES = ((0, 60), (60, 80), (80, 110), (110, 150), (150, 1000))
"""Bands of a card's long side in pixels of the 720p frame; the finder sees half of that."""

MAIN = ("cards", "finder_recall", "finder_precision", "read_at_truth", "both", "ece")


class Document(TypedDict):
    """The JSON report."""

    by_deck: dict[str, Figures]
    by_size: dict[str, Figures]
    stills: dict[str, int]
    vazas: dict[str, int]
    targets: list[TargetDocument]


def summary(measured: Measured, deck: str | None = None) -> Figures:
    """The figures of one deck, or of all."""
    rows = [o for o in measured.outcomes if deck in (None, o.deck)]
    invented = sum(n for d, n in measured.invented.items() if deck in (None, d))
    right = [o.read_at_truth == o.card for o in rows]
    return {
        "cards": len(rows),
        "finder_recall": share(o.found for o in rows),
        "finder_precision": precision(sum(o.found for o in rows), invented),
        "read_at_truth": share(right),
        "both": share(o.read_found == o.card for o in rows),
        "ece": round(calibration_error(right, [o.p for o in rows]), 4),
        "invented": invented,
        **by_rank((o.card, o.read_at_truth == o.card) for o in rows),
    }


def by_deck(measured: Measured) -> dict[str, Figures]:
    """The figures of every deck, and of all under `all`."""
    decks = sorted({o.deck for o in measured.outcomes} | set(measured.invented))
    return {deck: summary(measured, deck) for deck in decks} | {"all": summary(measured)}


def by_size(measured: Measured) -> dict[str, Figures]:
    """Found and read, by the length of the card in the frame."""
    return {
        f"{low}-{high}": _band([o for o in measured.outcomes if low <= o.size < high])
        for low, high in SIZES
    }


def _band(rows: Sequence[Outcome]) -> Figures:
    return {
        "cards": len(rows),
        "finder_recall": share(o.found for o in rows),
        "read_at_truth": share(o.read_at_truth == o.card for o in rows),
        "both": share(o.read_found == o.card for o in rows),
    }


def checked(figures: Figures) -> list[Checked]:
    """The targets for held-out artists, aces and courts with them, beside the figures."""
    return check(figures, (*HELD_OUT, *rank_targets(figures, "read_at_truth")))


def document(measured: Measured) -> Document:
    """All figures, as `--json` gives them."""
    each = by_deck(measured)
    return {
        "by_deck": each,
        "by_size": by_size(measured),
        "stills": measured.stills,
        "vazas": measured.vazas,
        "targets": target_document(checked(each["all"])),
    }


def _stills(measured: Measured) -> str:
    return ", ".join(
        f"{measured.stills.get(level, 0)} of {count} {level}"
        for level, count in sorted(measured.vazas.items())
    )


def _counted(outcomes: Iterable[Outcome]) -> str:
    """Cards and how often each, the commonest first."""
    counts = Counter(f"{o.card} ({o.deck})" for o in outcomes)
    return ", ".join(f"{card} × {n}" if n > 1 else card for card, n in counts.most_common())


def text(measured: Measured, weights: str) -> str:
    """The report as Markdown."""
    each = by_deck(measured)
    wrong = [
        f"{o.card} as {o.read_at_truth} ({o.deck})"
        for o in measured.outcomes
        if o.read_at_truth != o.card
    ]
    parts = [
        "# Held-out artists, simulated overhead 720p",
        f"Written by `sueca models evaluate-held-out`; weights {weights}. One still of every quiet vaza of"
        f" the videos of `sueca models evaluate-following` ({_stills(measured)}): a vaza during which a hand"
        " hovered, a card was nudged or taken back, the next lead came early or the camera was knocked has"
        " no moment whose truth is simple. Cards at least half visible. Precision is of cards face up, one"
        " box to a card; what the reader then calls a back counts as invented too. No model was trained or"
        " tuned on these decks; the tracker and the scribe were changed in sight of some of the videos"
        " (docs/following-video.md).",
        table(each, (*MAIN, "invented")),
        target_table(checked(each["all"])),
        "Decks that fall short, in points:",
        shortfalls({d: f for d, f in each.items() if d != "all"}, HELD_OUT),
        "Aces and courts, read right at the true quad; * more than 0.5 point below the average:",
        rank_table(each, "read_at_truth"),
        "By the card's long side in pixels of the frame:",
        table(by_size(measured), ("cards", "finder_recall", "read_at_truth", "both")),
        "Not found: " + (_counted(o for o in measured.outcomes if not o.found) or "none") + ".",
        "Misread at the true quad: " + (", ".join(sorted(wrong)) or "none") + ".",
    ]
    return "\n\n".join(parts) + "\n"
