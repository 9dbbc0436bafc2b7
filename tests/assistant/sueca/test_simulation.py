"""A bounded run of the simulation that `make soak` runs with 100,000 deals."""

import pytest

from tests.assistant.sueca.simulation import FAULTS, simulate

DEALS = {"selminha": 1000, "classica": 400, "italiana": 400, "dupla": 100, "dupla-6": 100}


@pytest.mark.parametrize("rules", DEALS)
def test_no_revoke_is_missed_and_none_invented(rules: str) -> None:
    counts = simulate(DEALS[rules], rules, seed=2024)
    assert counts["revokes"] > 0
    assert {name: counts[name] for name in FAULTS} == dict.fromkeys(FAULTS, 0)
