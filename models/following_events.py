"""Thousands of deals without pixels, followed by the scribe and compared with their truth.

`python -m models.following_events --deals 1700 --out docs/following-events.md`; `make soak` follows 5,000 a
level.
"""

import argparse
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from assistant.scribe import ScribeOptions
from assistant.sueca import PRESETS, preset
from datasets.eventsim import LEVELS, NORMAL, DealSimulator, simulate_deal, simulate_match
from models import flag_figures
from models.cli_evaluate import folder_exists
from models.following import STAGES, SURELY, TARGETS, Tally, evaluate_recording, reliability, table
from vision.errors import UserError


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
    stages = [(stage, [str(t.stages[stage]) for t in tallies]) for stage in STAGES]
    parts = [
        "# Following, pixel-free",
        f"Simulated table events (`datasets/eventsim.py`), seeds {seeds.start} to {seeds.stop - 1}"
        " at each level, one deal a seed, followed by `assistant.scribe` without any human touch."
        " Written by `python -m models.following_events`. What the tracker makes of a card is drawn at easy,"
        " normal and hard as it was measured on videos ([following-video](following-video.md) has both side"
        " by side); the other levels are worse than any video. Targets are of easy / normal / hard.",
        table(("", "target", *names), _results(tallies)),
        "## Errors by stage\n\nNumber of plays. " + " ".join(_STAGE_WORDS),
        table(("stage", *names), stages),
        "## Reliability of plays\n\nBy the probability written with them, and how many were right.",
        *(f"### {t.level}\n\n{reliability(t)}" for t in tallies),
        "## Reliability of flags\n\n" + _FLAG_WORDS,
        *(f"### {t.level}\n\n{flag_figures.reliability(t.flags)}" for t in tallies),
        *([_situations(situations)] if situations else []),
        "## Deals not wholly right\n\n" + "\n".join(_failing(t) for t in tallies),
    ]
    return "\n\n".join(parts) + "\n"


def _results(tallies: Sequence[Tally]) -> list[tuple[str, list[str]]]:
    rows: list[tuple[str, list[str]]] = [
        ("deals", [str(t.deals) for t in tallies]),
        ("plays right", [_share(t.right, t.plays) for t in tallies]),
        ("deals wholly right, untouched", [_share(t.wholly_right, t.deals) for t in tallies]),
        ("card points right", [_share(t.points_right, t.deals) for t in tallies]),
        ("proved renúncias in truth", [str(t.revokes) for t in tallies]),
        (
            "proved renúncias missed, per 100 deals",
            [_per_hundred(t.revokes_missed, t.deals) for t in tallies],
        ),
        ("… invented, per 100 deals", [_per_hundred(t.revokes_invented, t.deals) for t in tallies]),
        (
            f"of them told as proved (p ≥ {SURELY})",
            [_per_hundred(t.revokes_invented_surely, t.deals) for t in tallies],
        ),
        ("milliseconds a deal", [f"{1000 * t.seconds / max(t.deals, 1):.0f}" for t in tallies]),
    ]
    return [
        (name, ["5,000 in all" if name == "deals" else TARGETS.get(name, ""), *cells])
        for name, cells in rows
    ]


_FLAG_WORDS = (
    "Every renúncia told while a deal was followed, by the chance told with it, and how many were so: what"
    " the seat held in truth says. Where nothing but the cards still out speaks for it, the chance rests on"
    " how often players discard while they could follow (`assistant.sueca.audit.DISCARDS_IN_HAND`), which the"
    " simulator's do about as often as is assumed there."
)
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
    return "## Other situations\n\n" + table(head, rows)


def _share(part: int, whole: int) -> str:
    return f"{100 * part / whole:.3f}%" if whole else "none"


def _per_hundred(count: int, deals: int) -> str:
    return f"{100 * count / deals:.2f}" if deals else "none"


def _failing(tally: Tally) -> str:
    seeds = [str(deal.seed) for deal in tally.failures]
    more = f" and {len(seeds) - _LISTED_SEEDS} more" if len(seeds) > _LISTED_SEEDS else ""
    return f"- {tally.level}: {', '.join(seeds[:_LISTED_SEEDS]) or 'none'}{more}"


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the bench: `python -m models.following_events --deals 5000 --out docs/following-events.md`."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--deals", type=_at_least(1), default=1000)
    parser.add_argument("--first-seed", type=_at_least(0), default=1_000_000)
    parser.add_argument("--level", choices=[*LEVELS], action="append")
    parser.add_argument(
        "--situations", type=_at_least(0), default=0, help="seeds of other situations"
    )
    parser.add_argument("--rules", choices=[*PRESETS], default="selminha")
    parser.add_argument("--out", type=_writable)
    parser.add_argument("--failures", action="store_true", help="print every error")
    chosen = parser.parse_args(arguments)
    seeds = range(chosen.first_seed, chosen.first_seed + chosen.deals)
    options = ScribeOptions(rules=preset(chosen.rules))
    tallies = [evaluate_level(level, seeds, options) for level in chosen.level or LEVELS]
    situations = (
        evaluate_situations(seeds[: chosen.situations], options) if chosen.situations else []
    )
    text = report(tallies, seeds, situations)
    print(text)
    if chosen.failures:
        for tally in [*tallies, *situations]:
            for deal in tally.failures:
                for error in deal.errors:
                    print(f"{tally.level} {deal.seed}: {error.stage}: {error.detail}")
    if chosen.out:
        chosen.out.write_text(text, encoding="utf-8")


def _at_least(least: int) -> Callable[[str], int]:
    """What reads an option that is a number, and refuses what is less."""

    def read(value: str) -> int:
        number = int(value)
        if number < least:
            raise argparse.ArgumentTypeError(f"expected {least} or more, got {number}")
        return number

    return read


def _writable(value: str) -> Path:
    """A file that can be written when the long work is done, told before it begins."""
    path = Path(value)
    try:
        folder_exists(path)
    except UserError as error:
        raise argparse.ArgumentTypeError(str(error)) from error
    return path


if __name__ == "__main__":
    main()
