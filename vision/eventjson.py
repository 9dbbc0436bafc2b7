"""Table events as lines of JSON, each with the name of its class under `event`.

What is read back equals what was written. Numbers are kept to the last bit, so that whoever
decides by them decides the same again.
"""

import json
from typing import Any, get_args

from pydantic import TypeAdapter, ValidationError

from vision.events import CardPlaced, CardReread, TableEvent
from vision.labels import LABELS

# Any: the adapters are of different types; what comes out is checked by `event_from_json`.
_ADAPTERS: dict[str, TypeAdapter[Any]] = {
    kind.__name__: TypeAdapter(kind) for kind in get_args(TableEvent)
}


def event_to_json(event: TableEvent) -> str:
    """One line, without its end."""
    kind = type(event).__name__
    # Not dump_json: it writes null for infinity, which could not be read back.
    fields = _ADAPTERS[kind].dump_python(event, mode="json")
    return json.dumps({"event": kind, **fields}, separators=(",", ":"))


def event_from_json(line: str) -> TableEvent:
    """The event of a line. Raises `ValueError` where it is none."""
    fields = json.loads(line)
    kind = fields.pop("event", None) if isinstance(fields, dict) else None
    if kind not in _ADAPTERS:
        raise ValueError(f"expected a table event, got {line[:60]!r}")
    try:
        event: TableEvent = _ADAPTERS[kind].validate_python(fields)
    except ValidationError as error:
        raise ValueError(f"expected a {kind}, got {line[:60]!r}") from error
    if isinstance(event, CardPlaced | CardReread) and len(event.log_probs) != len(LABELS):
        raise ValueError(f"expected {len(LABELS)} log-probabilities, got {len(event.log_probs)}")
    return event
