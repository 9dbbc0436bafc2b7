"""A second look at what was a play and what was none, where a deal so read makes little sense.

A card taken for a play that was none, or for none that was one, puts the cards after it out of place.
What shows it may come vazas later, and by then the readings in which it is otherwise have been let go: so
each such sighting is judged the other way, and all that followed is read anew.
"""

from assistant.scribe.decoder import NO_PLAY, Decoder, Supposed
from assistant.scribe.hypothesis import GAP, Hypothesis, Manner

MORE_SENSE = 3.0
"""Judged otherwise, a deal must be so much likelier (nats) for it to be believed."""
ROUNDS = 5
"""So many sightings are judged otherwise at most, each some tenths of a second's work."""
BEFORE = 1
"""So many vazas before the one that makes no sense are looked at too."""


def look_again(decoder: Decoder, but: frozenset[int] = frozenset()) -> None:
    """Judge anew what was a play, one sighting after the other, while that makes more sense.

    Vazas in `but` may be odd: they were looked at before.
    """
    for _ in range(ROUNDS):
        better = _better(decoder, odd_tricks(decoder.beam[0]) - but)
        if better is None:
            break
        decoder.take(better)


def odd_tricks(reading: Hypothesis) -> frozenset[int]:
    """The vazas with a play that nobody saw, or one out of turn."""
    odd = {play.trick for play in reading.plays if play.card == GAP}
    out = {action.sighting for action in reading.actions if action.manner == Manner.OUT_OF_TURN}
    return frozenset(odd | {play.trick for play in reading.plays if play.sighting in out})


def _better(decoder: Decoder, odd: frozenset[int]) -> Supposed | None:
    """The likeliest of the readings in which one sighting is judged otherwise, if it makes more sense."""
    best = decoder.beam[0]
    unplayed = {action.sighting for action in best.actions if action.kind in NO_PLAY}
    found, least = None, best.score + MORE_SENSE
    for at in _in_doubt(best, odd):
        supposed = decoder.suppose(at, at in unplayed)
        # Of cards laid down because the rest are ours no order is asked: anything makes some sense then.
        if supposed is None or supposed.best.claiming > best.claiming:
            continue
        if supposed.best.score >= least:
            found, least = supposed, supposed.best.score
    return found


def _in_doubt(reading: Hypothesis, odd: frozenset[int]) -> list[int]:
    """The sightings of the odd vazas, and of those before them."""
    near = {trick - back for trick in odd for back in range(BEFORE + 1)}
    last_of = {play.trick: play.sighting for play in reading.plays if play.sighting != GAP}
    found: set[int] = set()
    for trick in near:
        since = max((at for other, at in last_of.items() if 0 < other < trick), default=-1)
        found |= set(range(since + 1, last_of.get(trick, since) + 1))
    return sorted(found)
