"""What the gathering of cards says of the tricks they were played to."""

from collections.abc import Sequence

from assistant.scribe.case import Case
from assistant.scribe.chances import Chances
from assistant.scribe.hypothesis import CLAIMED, GAP, Hypothesis, Play
from assistant.scribe.sightings import Sighting

ONE_GATHERING = 2.5
"""Cards of one trick leave within so many seconds, unless it is gathered twice."""
STILL_GATHERING = 3.0
"""A card of a trick that was gathered leaves no later than this after the next lead."""


def joins(case: Case, chances: Chances) -> float:
    """How well the sighting goes with the cards of the present trick, by what was gathered."""
    before, sighting = case.before, case.sighting
    split = 0.0
    paid = False  # another card of the trick went in the same gathering, and paid for the split
    seen = lone = 0
    for play in before.plays[before.start :]:
        if play.last == GAP:
            continue
        seen += 1
        other = chances.sightings[play.last]
        if other.gone < sighting.first_seen:
            if other.sweep >= 0:
                long = sighting.first_seen - other.gone > ONE_GATHERING
                return chances.long_after if long else chances.late_join
            lone += 1
        if other.sweep < 0 or sighting.sweep < 0:
            continue
        if other.sweep == sighting.sweep:
            paid = True
        else:
            long = abs(other.gone - sighting.gone) > ONE_GATHERING
            split = min(split, chances.split_long if long else chances.split)
    chance = 0.0 if paid else split
    return min(chance, chances.lone_join) if seen and seen == lone else chance


def departs(case: Case, chances: Chances) -> tuple[float, int]:
    """How well the sighting begins another trick, by what was gathered, and to which seat's
    side the last one was swept (-1: not seen)."""
    before, sighting = case.before, case.sighting
    chance, left, side = chances.early, 0.0, -1
    swept = False
    for play in before.plays[before.start :]:
        if play.last == GAP:
            continue
        other = chances.sightings[play.last]
        if other.gone <= sighting.t:
            chance = max(chance, chances.not_early)
        elif other.gone > sighting.t + STILL_GATHERING:
            left += chances.left_lying
        if other.sweep >= 0:
            swept = True
            if other.sweep == sighting.sweep:
                return chances.split, -1
            if other.exit is not None:
                side = _side(other.exit)
    return chance + (left if swept else 0.0), side


def gathered(
    before: Hypothesis, play: Play, sighting: Sighting, sightings: Sequence[Sighting]
) -> bool:
    """Whether the vaza of `play` is over and all else of it had left before the sighting: a
    card lost from sight went with it, and does not lie where it lay."""
    if play.trick == before.trick or play.trick == CLAIMED:
        return False
    others = [
        sightings[other.last]
        for other in before.plays
        if other.trick == play.trick and other.last not in (GAP, play.last)
    ]
    return bool(others) and all(other.gone < sighting.first_seen for other in others)


def left_alone(play: Play, trick: Sequence[Play], sightings: Sequence[Sighting]) -> bool:
    """Whether this card left while another of its trick lay there still."""
    gone = sightings[play.last]
    if gone.sweep < 0:
        return True
    others = [sightings[p.last] for p in trick if p.last not in (GAP, play.last)]
    return any(other.sweep != gone.sweep and other.gone > gone.gone for other in others)


def _side(point: tuple[float, float]) -> int:
    """The seat, 0-3, at whose side of the table's centre a point lies."""
    dx, dy = point[0] - 0.5, point[1] - 0.5
    if abs(dy) >= abs(dx):
        return 0 if dy > 0 else 2
    return 1 if dx > 0 else 3
