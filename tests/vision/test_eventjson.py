"""Table events as lines of JSON: what is read back equals what was written, to the last bit."""

from typing import get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vision.eventjson import event_from_json, event_to_json
from vision.events import CardPlaced, CardReread, TableEvent
from vision.labels import LABELS

NUMBERS = st.floats(allow_nan=False)
POINTS = st.tuples(NUMBERS, NUMBERS)
READINGS = st.tuples(*[NUMBERS] * len(LABELS))
FACES = st.sampled_from(["up", "down"])
COUNTS = st.integers(0, 10**6)
SPECIAL = {
    CardPlaced: st.builds(
        CardPlaced, COUNTS, NUMBERS, COUNTS, NUMBERS, FACES, POINTS, NUMBERS, st.none() | POINTS,
        st.tuples(*[POINTS] * 4), READINGS, st.none() | NUMBERS, st.booleans(),
    ),
    CardReread: st.builds(CardReread, COUNTS, NUMBERS, COUNTS, FACES, READINGS),
}  # fmt: skip


@pytest.mark.parametrize("kind", get_args(TableEvent), ids=lambda kind: kind.__name__)
def test_every_kind_comes_back_as_it_was(kind: type[TableEvent]) -> None:
    events = SPECIAL.get(kind, st.from_type(kind).filter(lambda event: event.t == event.t))

    @settings(max_examples=20, deadline=None, database=None)
    @given(events)
    def comes_back(event: TableEvent) -> None:
        line = event_to_json(event)
        assert "\n" not in line
        assert repr(event_from_json(line)) == repr(event)

    comes_back()


@pytest.mark.parametrize(
    "line",
    [
        "", "{", "7", "{}", '{"event":"Nothing"}', '{"event":"CardGone","track":1}',
        '{"event":"CardReread","track":1,"t":1.0,"frame":1,"face":"up","log_probs":[-1.0]}',
        '{"event":"CardReread","track":1,"t":1.0,"frame":1,"face":"side","log_probs":[]}',
    ],
)  # fmt: skip
def test_what_is_no_event_is_refused(line: str) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 - whatever the line
        event_from_json(line)
