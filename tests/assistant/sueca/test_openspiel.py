"""Every legal set and every winner of random deals, against an independent program."""

import pytest

from tests.assistant.sueca.referee import compare

DEALS = 300  # a few thousand are played by `make soak`


def test_openspiel_agrees_on_every_legal_set_and_winner() -> None:
    pyspiel = pytest.importorskip(
        "pyspiel", reason="OpenSpiel is not installed (pip install open_spiel)"
    )
    assert sum(compare(pyspiel, seed) for seed in range(DEALS)) == 40 * DEALS
