"""Random deals by the thousand: no false proved flag, no revoke missed.

The truth is what the hands say; the engine sees the plays alone.
"""

import random
from collections import Counter
from dataclasses import replace

from assistant.sueca import Folder, Status, audit, fold, preset, score_deal
from assistant.sueca.audit import REVOKES
from tests.assistant.sueca.builders import Played, play_deal

LIVE_EVERY = 20
"""Every so many deals the audit runs after every play too: a hundred times the work."""

CHANCES = (0.0, 0.0, 0.0, 0.02, 0.1, 0.5)
"""How often a player grabs any card at all: half of the deals are legal throughout."""


def simulate(deals: int, rules_name: str, seed: int) -> Counter[str]:
    """Play and audit `deals` deals; what was found, what was missed, what was invented."""
    rng = random.Random(seed)
    rules = preset(rules_name)
    counts: Counter[str] = Counter()
    for number in range(deals):
        played = play_deal(rng, rules, rng.choice(rules.seats), rng.choice(CHANCES))
        _final(played, counts)
        if number % LIVE_EVERY == 0:
            _live(played, counts)
    return counts


def _final(played: Played, counts: Counter[str]) -> None:
    state = fold(played.deal)
    flags = audit(state, final=True)
    proved = {(f.seats[0], f.trick) for f in flags if f.kind in REVOKES}
    counts["deals"] += 1
    counts["deals with a revoke"] += bool(played.revokes)
    counts["revokes"] += len(played.revokes)
    counts["revokes proved"] += len(proved & played.revokes)
    counts["revokes missed"] += len(played.revokes - proved)
    counts["revokes invented"] += len(proved - played.revokes)
    counts["other flags"] += sum(flag.kind not in REVOKES for flag in flags)
    counts["points not shared out"] += sum(state.points) != played.deal.rules.total_points
    counts["deals not scored"] += score_deal(state) is None


def _live(played: Played, counts: Counter[str]) -> None:
    """After every play: proved flags are true and stay, and one among several holds an offender."""
    folder = Folder(replace(played.deal, plays=()))
    before: set[object] = set()
    offenders = {seat for seat, _ in played.revokes}
    for play in played.deal.plays:
        folder.push(play)
        counts["plays audited live"] += 1
        now = set()
        for flag in audit(folder.state()):
            if flag.status is Status.PROVED:
                now.add(flag)
                counts["live flags false"] += (flag.seats[0], flag.trick) not in played.revokes
            elif flag.status is Status.AMONG:
                counts["flags among several"] += 1
                counts["among several, none guilty"] += not offenders & set(flag.seats)
        counts["live flags withdrawn"] += len(before - now)
        before = now
    final = set(audit(played.deal, final=True))
    counts["live and final differ"] += final != before


FAULTS = (
    "revokes missed",
    "revokes invented",
    "other flags",
    "points not shared out",
    "deals not scored",
    "live flags false",
    "among several, none guilty",
    "live flags withdrawn",
    "live and final differ",
)
"""What must be zero."""
