"""The sample videos of the demonstration and the tests, and how each is made.

`python -m datasets.simulate_samples` makes the bundled one again.
"""

from pathlib import Path

from datasets.drawn import table_deck
from datasets.simulate import Options, simulate

SAMPLE = Path(__file__).parent / "samples" / "sample.mp4"
"""One deal under selminha in which E revokes and proves it; its truth is for tests only."""

_SAMPLE_BIT_RATE = 560_000  # keeps a deal of 105 s under 8 MB


def make_sample(video: Path = SAMPLE) -> Path:
    """Make the bundled sample again; returns its truth's path."""
    options = Options(seed=11, revoke="E", surface="felt", bit_rate=_SAMPLE_BIT_RATE)
    return simulate(options, table_deck(21, "ARDV"), video)


def make_second_sample(video: Path) -> Path:
    """Another seed, deck, letters, table and revoker: too large to bundle, made by the tests."""
    options = Options(
        seed=12, revoke="N", surface="plain", fps=12.0, bit_rate=_SAMPLE_BIT_RATE, dealer="S"
    )
    return simulate(options, table_deck(26, "AKQJ"), video)


if __name__ == "__main__":
    print(make_sample())
