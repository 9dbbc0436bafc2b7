"""What was seen of a followed video, kept: table events and truth, so that the scribe can be asked again.

A gzipped file of lines: first the truth, then an event each (`vision.eventjson`), log-probabilities rounded
to what nobody decides by. The same recording gives the same bytes.
"""

import gzip
import json
from dataclasses import replace
from pathlib import Path

from assistant.sueca import Card, Seat
from datasets.eventsim import Recording, TrueDeal
from datasets.eventsim_deal import TruePlay
from vision.errors import UserError
from vision.eventjson import event_from_json, event_to_json
from vision.events import CardPlaced, CardReread, TableEvent

DECIMALS = 3
"""Of log-probabilities: a thousandth of a nat is a tenth of a per cent of a probability."""


def write(recording: Recording, path: Path) -> None:
    """Write the file, whole or not at all."""
    lines = [json.dumps([recording.seed, *(_deal_to_json(deal) for deal in recording.deals)])]
    lines += [event_to_json(_rounded(event)) for event in recording.events]
    data = gzip.compress(("\n".join(lines) + "\n").encode(), mtime=0)
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_suffix(".part")
    part.write_bytes(data)
    part.replace(path)


def read(path: Path) -> Recording:
    """Read the file back.

    Raises:
        UserError: it is no recording.
    """
    try:
        truth, *lines = gzip.decompress(path.read_bytes()).decode().splitlines()
        seed, *deals = json.loads(truth)
        events = tuple(event_from_json(line) for line in lines)
        return Recording(events, tuple(_deal_from_json(deal) for deal in deals), seed)
    except (OSError, EOFError, ValueError, KeyError, TypeError) as error:
        raise UserError(f"{path}: not a recording of table events; delete it ({error})") from error


def _rounded(event: TableEvent) -> TableEvent:
    if isinstance(event, CardPlaced | CardReread):
        return replace(event, log_probs=tuple(round(p, DECIMALS) for p in event.log_probs))
    return event


def _deal_to_json(deal: TrueDeal) -> dict[str, object]:
    plays = [[p.seat.value, p.card.text, p.trick, p.t, list(p.tracks)] for p in deal.plays]
    return {
        "dealer": deal.dealer.value,
        "trump": deal.trump.text,
        "claimed": deal.claimed,
        "plays": plays,
    }


def _deal_from_json(told: dict) -> TrueDeal:  # type: ignore[type-arg]
    plays = tuple(
        TruePlay(Seat(seat), Card.parse(card), trick, t, tuple(tracks))
        for seat, card, trick, t, tracks in told["plays"]
    )
    return TrueDeal(Seat(told["dealer"]), Card.observed(told["trump"]), plays, told["claimed"])
