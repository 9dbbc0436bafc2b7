"""Two hours at the table with memory flat and frames as quick at the end as before; fails where not.

Run by `make soak`: python -m tests.soak.endurance [HOURS]
"""

import sys

from tests.bench.endurance import HOURS, MOST_GROWTH_MB, MOST_SLOWING, endure, tell


def main(real: bool = False) -> int:
    """0 where all is flat."""
    found = endure(float(sys.argv[1]) if len(sys.argv) > 1 else HOURS, real)
    print(tell(found))
    # Fewer deals than half of what was played: the run says nothing of the scribe.
    followed = found.deals >= found.expected / 2
    flat = found.growth_mb <= MOST_GROWTH_MB
    quick = found.late_ms <= MOST_SLOWING * found.early_ms
    if not followed:
        print("  too few deals were followed to say anything")
    if not flat:
        print("  memory is not flat")
    if not quick:
        print("  frames take longer and longer")
    return 0 if followed and flat and quick else 1


if __name__ == "__main__":
    sys.exit(main())
