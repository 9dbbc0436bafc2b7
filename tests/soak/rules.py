"""The long tests of the rules; run by `make soak`, figures written to docs/reports/rules.md.

python -m tests.soak.rules [--deals 100000] [--report docs/reports/rules.md]
"""

import argparse
import importlib
import os
import platform
import sys
import time
from collections import Counter
from pathlib import Path

from tests.assistant.sueca.referee import compare
from tests.assistant.sueca.simulation import CHANCES, FAULTS, LIVE_EVERY, simulate
from tests.bench.rules import TARGET, report

REPORT = Path("docs/reports/rules.md")
SEED = 1
REFEREE_DEALS = 5000
SHARES = {"selminha": 1.0, "classica": 0.1, "italiana": 0.1, "dupla": 0.01, "dupla-6": 0.01}
"""Deals of each preset as a share of `--deals`."""

SHOWN = (
    "deals",
    "deals with a revoke",
    "revokes",
    "revokes proved",
    "plays audited live",
    "flags among several",
    *FAULTS,
)


def simulation_lines(deals: int) -> tuple[list[str], int]:
    """A table of the simulation, and the number of faults in it."""
    columns: dict[str, Counter[str]] = {}
    for rules, share in SHARES.items():
        began = time.monotonic()
        columns[rules] = simulate(max(1, int(deals * share)), rules, SEED)
        print(f"{rules}: {time.monotonic() - began:.0f} s", file=sys.stderr)
    lines = [f"| | {' | '.join(columns)} |", "|---" * (len(columns) + 1) + "|"]
    for name in SHOWN:
        cells = " | ".join(f"{counts[name]:,}" for counts in columns.values())
        lines.append(f"| {name} | {cells} |")
    return lines, sum(counts[name] for counts in columns.values() for name in FAULTS)


def referee_line(deals: int) -> str:
    """What OpenSpiel says, or why it says nothing."""
    try:
        pyspiel = importlib.import_module("pyspiel")
    except ImportError:
        return "OpenSpiel is not installed here, so it was not asked."
    plays = sum(compare(pyspiel, seed) for seed in range(deals))
    return (
        f"OpenSpiel (`oh_hell`) and the engine agree on every legal set, every turn and every "
        f"winner of {deals:,} random deals, {plays:,} plays."
    )


def main() -> int:
    """Run everything, write the report; exit status 1 if anything is wrong."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--deals", type=int, default=100_000)
    parser.add_argument("--report", type=Path, default=REPORT)
    chosen = parser.parse_args()
    table, faults = simulation_lines(chosen.deals)
    chances = ", ".join(f"{chance:.0%}" for chance in CHANCES)
    lines = [
        "# The rules engine: soak and speed",
        "",
        f"Written by `python -m tests.soak.rules --deals {chosen.deals}` (`make soak`); Python "
        f"{platform.python_version()}, {platform.machine()}, {os.cpu_count()} cores.",
        "",
        "## Random deals",
        "",
        f"Seed {SEED}. In each deal every player takes any card of the hand, legal or not, with "
        f"chance {chances} (one of these, drawn for the deal). The truth comes from the hands, the "
        f"engine sees the plays alone. In one deal of {LIVE_EVERY} the audit runs after every play "
        "too. The lines from 'revokes missed' on must be zero.",
        "",
        *table,
        "",
        "## An independent referee",
        "",
        referee_line(min(REFEREE_DEALS, chosen.deals)),
        "",
        "## Speed",
        "",
        f"One core, processor time; the target is {TARGET:,} deals/s and 10 ms for a play.",
        "",
        *report(),
        "",
    ]
    chosen.report.parent.mkdir(parents=True, exist_ok=True)
    chosen.report.write_text("\n".join(lines), encoding="utf-8")
    print("\n".join(lines))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
