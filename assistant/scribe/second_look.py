"""A second look at what was a play and what was none, where a deal so read makes little sense.

A card taken for a play that was none, or for none that was one, puts the cards after it out of place.
What shows it may come vazas later, and by then the readings in which it is otherwise have been let go: so
each such sighting is judged the other way, and all that followed is read anew.
"""

from assistant.scribe.decoder import NO_PLAY, Decoder, Supposed
from assistant.scribe.hypothesis import GAP, Hypothesis, Manner

MORE_SENSE = 3.0
"""Judged otherwise, a deal must be so much likelier (nats) for it to be believed."""
BEFORE = 1
"""So many vazas before the one that makes no sense are looked at too."""


def look_again(decoder: Decoder, but: frozenset[int] = frozenset()) -> None:
    """Judge anew what was a play, one sighting after the other, as long as it makes more sense.

    Vazas in `but` may be odd: they were looked at before.
    """
    while (better := _better(decoder, odd_tricks(decoder.beam[0]) - but)) is not None:
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
    supposed = [decoder.suppose(at, at in unplayed) for at in _in_doubt(best, odd)]
    # Of cards laid down because the rest are ours no order is asked: anything makes some sense then.
    supposed = [one for one in supposed if one.best.claiming <= best.claiming]
    likeliest = max(supposed, key=lambda one: one.best.score, default=None)
    if likeliest is None or likeliest.best.score < best.score + MORE_SENSE:
        return None
    return likeliest


def _in_doubt(reading: Hypothesis, odd: frozenset[int]) -> list[int]:
    """The sightings of the odd vazas, and of those before them."""
    near = {trick - back for trick in odd for back in range(BEFORE + 1)}
    last_of = {play.trick: play.sighting for play in reading.plays if play.sighting != GAP}
    found: set[int] = set()
    for trick in near:
        since = max((at for other, at in last_of.items() if 0 < other < trick), default=-1)
        found |= set(range(since + 1, last_of.get(trick, since) + 1))
    return sorted(found)
