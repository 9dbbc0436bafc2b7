"""Following cards that lie on a table: no pixels, no clock, no I/O.

A card at rest is a *track*. It is born from a sighting, settles when sightings agree, may slide,
be hidden and seen again, and is gone when its place is plainly empty. Cards in flight and hands
never rest, so they never settle. A settled card is believed in until something says otherwise:
a finder's miss is no evidence while the picture of its place has not changed.

Everything is in table coordinates (unit square) and in seconds of the source.
"""

import math
from collections.abc import Callable, Mapping, Sequence

import numpy as np
from scipy.optimize import linear_sum_assignment

from vision import geometry
from vision.evidence import Evidence
from vision.track import QUIET, Activity, Change, Sighting, State, Track
from vision.types import Quad

SAME_PLACE = 0.72
"""A sighting overlapping a settled track at least so much (IoU) is that card. Two cards of which
one covers 70% of the other overlap by 0.54; finder noise of 3% still overlaps by 0.85."""
_SAME_CARD_MOVING = 0.3
"""A card not yet at rest may have moved on: this overlap is enough."""
_ONE_CARD = 0.8
"""Sightings of one frame overlapping so much are one card found twice."""
_AT_REST = 0.09
"""Corners wandering less than this part of the card's size are finder noise, not motion."""
_SLID = 0.15
"""A settled card whose corners are off by this part of its size has been moved."""
_REST_TIME = 0.12
"""Seconds sightings must agree before a card lies: longer than a card skims one place."""
_REST_HITS = 2
_RESTLESS_HITS = 4
"""Sightings needed where the pixels still move (a hand is just leaving)."""
_MOVING_PLACE = 0.25
"""A place with this share of its pixels moving is not quiet."""
_SLOW, _SLOW_LOOKS = 0.25, 3
"""A card seen so often in a row, its corners never off by more of its size, has all but come to rest: the
hand that lays it covers now one end and now the other, and its box wanders."""
_CROSSED = 0.25
"""A card seen at rest of which another then hides so much lies under it, and is not waited for."""
_LOST_NEW = 3
"""A card never settled is dropped after this many looks without it."""
_THERE = 0.6
"""With this share of its telling pixels unchanged, a card still lies there."""
_BARE = 0.7
"""With this share of its telling pixels as before it came, a card's place is empty."""
_OPEN = 0.35
"""A card less open than this to view (others lie on it) can't be expected to be found."""
_GONE_LOOKS_BARE = 2
_GONE_LOOKS = 5
_GONE_TIME = 0.5
"""Looks, and seconds, an undisturbed place must be without its card before the card is gone; fewer
looks where the place is seen to be as it was before the card came."""
_HIDDEN_AFTER = 0.25
"""Seconds out of sight before a card is said to be hidden: hands pass all the time."""
_SIZE_LIMITS = (0.5, 2.0)
"""All cards are one size; a sighting with less or more than this part of the usual area is none."""
_SIZES_NEEDED = 3
_PART, _MOST_OF_IT = 0.6, 0.85
"""From so small a part of the usual area a box says little of a card, from the other on all of it."""
_NEARBY = 1.8
"""A card pushed aside comes to rest within this many card sizes of where it lay..."""
_YOUNG = 1.0
"""...and within this many seconds."""
_FAMILIAR = 12
"""The place of a card at rest is the mean of at most so many sightings."""


class Tracker:
    """All tracks of a table. Feed `step` every frame, with sightings where the finder ran."""

    def __init__(self) -> None:
        self._tracks: list[Track] = []
        self._next_id = 1
        self._areas: list[float] = []

    @property
    def tracks(self) -> tuple[Track, ...]:
        """Live tracks, oldest first; a later one lies on an earlier one where they overlap."""
        return tuple(self._tracks)

    @property
    def busy(self) -> bool:
        """Whether more looks are wanted though nothing may be moving."""
        return any(
            track.state in (State.NEW, State.SLIDING)
            or track.empty_looks > 0
            or track.unseen_since < math.inf
            for track in self._tracks
        )

    def above(self, track: Track) -> tuple[Track, ...]:
        """Settled tracks that came after this one and overlap it."""
        return tuple(
            other
            for other in self._tracks
            if other.lies
            and other.settled_at > track.settled_at
            and geometry.intersection_area(track.quad, other.quad) > 0
        )

    def step(
        self,
        t: float,
        frame: int,
        sightings: Sequence[Sighting] | None,
        activity: Mapping[int, Activity],
    ) -> list[tuple[Change, Track]]:
        """Take in a frame; `sightings` None where the finder did not run, `activity` by track id.

        Returns what became of tracks, in order.
        """
        changes: list[tuple[Change, Track]] = []
        if sightings is not None:
            self._look(t, frame, sightings, activity, changes)
        for track in self._tracks:
            self._judge_hidden(track, t, activity.get(track.id, QUIET), changes)
        self._tracks = [track for track in self._tracks if track.state is not State.GONE]
        return changes

    def adopt(self, old: Track, new: Track) -> None:
        """`new` turned out to be the card `old`, moved: the old track goes on in its place."""
        self._tracks.remove(new)
        old.quad, old.state = new.quad, State.RESTING
        old.rest_since, old.rest_frame, old.last_seen = (
            new.rest_since,
            new.rest_frame,
            new.last_seen,
        )
        # It lies on top of what came before the move.
        old.settled_at = new.settled_at
        old.hits, old.misses = new.hits, 0
        self._clear(old)
        old.hidden = False
        if old not in self._tracks:
            self._tracks.append(old)
        self._tracks.sort(key=lambda track: track.settled_at)

    def learn_size(self, track: Track) -> None:
        """This track was surely read as a card: now other things' sizes may be told from it.

        What merely settled teaches nothing: a checked cloth has settled squares enough.
        """
        self._areas = [*self._areas[-30:], geometry.area(track.quad)]

    def _usual_area(self) -> float | None:
        """The area of a card here; None before enough were surely read."""
        known = len(self._areas) >= _SIZES_NEEDED
        return float(np.median(self._areas)) if known else None

    def wholeness(self, track: Track) -> float:
        """How much of a card the track's box takes in, 0 to 1, by the size of cards surely read.

        Of a card half covered the finder may box what shows: what is read there may be less than the card,
        a five where a seven lies. 1 while the usual size is not known.
        """
        usual = self._usual_area()
        if usual is None:
            return 1.0
        part = geometry.area(track.quad) / usual
        return min(1.0, max(0.0, (part - _PART) / (_MOST_OF_IT - _PART)))

    def carry(self, to: Callable[[Quad], Quad], since: float = -math.inf) -> None:
        """The table was marked anew: `to` takes quads from its old coordinates to the new. Only
        tracks last seen at `since` seconds or later are carried along."""
        for track in self._tracks:
            if track.last_seen >= since:
                track.quad = to(track.quad)
        self._areas = []  # of another scale now; cards read from here on teach it anew

    def drop(self, track: Track) -> None:
        """Forget a track that was found to be no card."""
        self._tracks.remove(track)
        track.state = State.GONE

    # --- one look of the finder ---

    def _look(
        self,
        t: float,
        frame: int,
        sightings: Sequence[Sighting],
        activity: Mapping[int, Activity],
        changes: list[tuple[Change, Track]],
    ) -> None:
        usable = self._plausible(_without_doubles(sightings))
        pairs = _assign(self._tracks, usable)
        matched = set()
        for track, sighting in pairs:
            matched.add(id(sighting))
            self._seen(track, sighting, t, frame, activity.get(track.id, QUIET), changes)
        found = {id(track) for track, _ in pairs}
        for track in self._tracks:
            if id(track) not in found and not self._covered_at_once(track, usable, t, changes):
                self._missed(track, t, activity.get(track.id, QUIET), changes)
        for sighting in usable:
            if id(sighting) not in matched:
                self._born(sighting, t, frame)

    def claimed_by(self, sighting: Sighting) -> Track | None:
        """The card known to lie where something is seen, None where none is."""
        for track in self._tracks:
            if track.state is State.RESTING and _iou(track, sighting) >= SAME_PLACE:
                return track
        return None

    def _plausible(self, sightings: Sequence[Sighting]) -> list[Sighting]:
        """Sightings of a card's size, once enough cards are known to tell."""
        usual = self._usual_area()
        if usual is None:
            return list(sightings)
        low, high = (usual * limit for limit in _SIZE_LIMITS)
        return [s for s in sightings if low <= geometry.area(s.quad) <= high]

    def _born(self, sighting: Sighting, t: float, frame: int) -> None:
        track = Track(self._next_id, sighting.quad, t, t, frame, t, p=sighting.p)
        track.slow_since, track.slow_frame = t, frame
        self._next_id += 1
        _vote(track, sighting)
        _glimpse(track, sighting)
        self._tracks.append(track)

    def _seen(
        self,
        track: Track,
        sighting: Sighting,
        t: float,
        frame: int,
        activity: Activity,
        changes: list[tuple[Change, Track]],
    ) -> None:
        before, quad = _aligned(track.quad, sighting.quad)
        off = _offset(before, quad)
        track.misses = 0
        track.last_seen = t
        track.p = max(sighting.p, 0.8 * track.p)
        _vote(track, sighting)
        if track.hidden:
            track.hidden = False
            changes.append((Change.SEEN, track))
        self._clear(track)
        if off > _SLOW:
            track.slow_since, track.slow_frame, track.slow_looks = t, frame, 0
            track.glimpses = Evidence()
        track.slow_looks += 1
        _glimpse(track, sighting)
        limit = _SLID if track.state is State.RESTING else _AT_REST
        if off > limit:
            track.quad, track.hits = quad, 1
            track.rest_since, track.rest_frame = t, frame
            if track.state is State.RESTING:
                track.state = State.SLIDING
            return
        track.hits += 1
        share = 1 / min(track.hits, _FAMILIAR)
        track.quad = _blend(before, quad, share)
        if track.state is not State.RESTING and self._at_rest(track, t, activity):
            self._settle(track, t, changes)

    def _at_rest(self, track: Track, t: float, activity: Activity) -> bool:
        needed = _RESTLESS_HITS if activity.moving > _MOVING_PLACE else _REST_HITS
        return track.hits >= needed and t - track.rest_since >= _REST_TIME

    def _settle(self, track: Track, t: float, changes: list[tuple[Change, Track]]) -> None:
        was = track.state
        track.state = State.RESTING
        if was is State.SLIDING:
            changes.append((Change.MOVED, track))
            return
        track.settled_at = t
        changes.append((Change.SETTLED, track))

    def _covered_at_once(
        self,
        track: Track,
        sightings: Sequence[Sighting],
        t: float,
        changes: list[tuple[Change, Track]],
    ) -> bool:
        """Settle a card seen at rest, and read, that another card was laid across before it had settled."""
        rested = track.hits >= _REST_HITS and track.last_seen - track.rest_since >= _REST_TIME
        slow = track.slow_looks >= _SLOW_LOOKS
        if track.state is not State.NEW or not (rested or slow) or track.glimpses.card() is None:
            return False
        hidden = _CROSSED * geometry.area(track.quad)
        for other in sightings:
            across = geometry.intersection_area(track.quad, other.quad) >= hidden
            if across and _told_apart(track, other):
                track.misses += 1
                track.rest_since, track.rest_frame = track.slow_since, track.slow_frame
                self._settle(track, t, changes)
                return True
        return False

    def _missed(
        self, track: Track, t: float, activity: Activity, changes: list[tuple[Change, Track]]
    ) -> None:
        track.misses += 1
        if track.state is State.NEW:
            if track.misses >= min(_LOST_NEW, track.hits + 1):
                track.state = State.GONE
                changes.append((Change.DROPPED, track))
            return
        if self._explained(activity) and track.state is State.RESTING:
            track.empty_looks, track.empty_since = 0, math.inf
            return
        if activity.moving > _MOVING_PLACE or self._contested(track):
            # Something goes on there: no verdict now, and none from before it either.
            track.empty_looks, track.empty_since = 0, math.inf
            return
        bare = activity.bare >= _BARE
        if activity.reached and not bare:
            return
        track.empty_looks += 1
        track.empty_since = min(track.empty_since, t)
        enough = _GONE_LOOKS_BARE if bare else _GONE_LOOKS
        patience = 0.0 if bare else _GONE_TIME
        if track.empty_looks >= enough and t - track.empty_since >= patience:
            track.state = State.GONE
            changes.append((Change.GONE, track))

    def _explained(self, activity: Activity) -> bool:
        """Whether a card may well lie there though the finder did not see it."""
        return activity.same >= _THERE or (activity.open < _OPEN and activity.bare < _BARE)

    def _contested(self, track: Track) -> bool:
        """Whether a card is just coming to rest by a track's place: it may be that card, moved."""
        reach = _NEARBY * math.sqrt(geometry.area(track.quad))
        middle = geometry.centre(track.quad)
        return any(
            other.state is State.NEW
            and other.last_seen - other.first_seen < _YOUNG
            and math.dist(middle, geometry.centre(other.quad)) < reach
            for other in self._tracks
        )

    def _judge_hidden(
        self, track: Track, t: float, activity: Activity, changes: list[tuple[Change, Track]]
    ) -> None:
        if track.state is not State.RESTING:
            return
        covered = activity.open < _OPEN
        if activity.same >= _THERE and not covered:
            if track.hidden:
                track.hidden = False
                changes.append((Change.SEEN, track))
            if track.empty_looks == 0:
                track.unseen_since = math.inf
            return
        if track.last_seen >= t:
            return
        if not covered:
            track.unseen_since = min(track.unseen_since, t)
        since = 0.0 if covered else t - track.unseen_since
        if not track.hidden and (covered or since >= _HIDDEN_AFTER):
            track.hidden = True
            changes.append((Change.HIDDEN, track))

    def _clear(self, track: Track) -> None:
        track.empty_looks, track.empty_since = 0, math.inf
        track.unseen_since = math.inf


def _vote(track: Track, sighting: Sighting) -> None:
    """Old votes fade, so that a card turned over changes face within a few looks."""
    track.up *= 0.8
    track.down *= 0.8
    if sighting.face == "up":
        track.up += sighting.p
    else:
        track.down += sighting.p


def _iou(track: Track, sighting: Sighting) -> float:
    return geometry.iou(track.quad, sighting.quad)


def _glimpse(track: Track, sighting: Sighting) -> None:
    if sighting.reading is not None:
        track.glimpses.add(sighting.reading)


def _told_apart(track: Track, sighting: Sighting) -> bool:
    """Whether a card that moves and one that is seen are surely read as two cards."""
    if track.state is State.RESTING:
        return False  # what lies in a known place is judged by what is read of it, look after look
    return sighting.reading is not None and track.glimpses.another(sighting.reading)


def _without_doubles(sightings: Sequence[Sighting]) -> list[Sighting]:
    kept: list[Sighting] = []
    for sighting in sorted(sightings, key=lambda s: -s.p):
        if all(geometry.iou(sighting.quad, other.quad) < _ONE_CARD for other in kept):
            kept.append(sighting)
    return kept


def _assign(tracks: Sequence[Track], sightings: Sequence[Sighting]) -> list[tuple[Track, Sighting]]:
    """Sightings assigned to tracks for the greatest total overlap, weak pairs left out."""
    if not tracks or not sightings:
        return []
    overlap = np.zeros((len(tracks), len(sightings)))
    for i, track in enumerate(tracks):
        least = SAME_PLACE if track.state is State.RESTING else _SAME_CARD_MOVING
        for j, sighting in enumerate(sightings):
            value = _iou(track, sighting)
            if value >= least and not _told_apart(track, sighting):
                # A settled card has the first claim on what lies in its place.
                overlap[i, j] = value + (0.5 if track.lies else 0.0)
    rows, columns = linear_sum_assignment(-overlap)
    return [
        (tracks[i], sightings[j]) for i, j in zip(rows, columns, strict=True) if overlap[i, j] > 0
    ]


def _aligned(anchor: Quad, quad: Quad) -> tuple[Quad, Quad]:
    """Both quads, started at corners that fit each other.

    Which end of a card comes first is not known, and stays as it is in `anchor`. Which sides are the
    short ones `quad` says, the later look: a card still in flight, blurred or half hidden by a hand,
    may be boxed broader than long, and would be cut out sideways for as long as it lies.
    """
    turn = min(
        range(4),
        key=lambda k: sum(map(math.dist, anchor, geometry.begun(quad, k))),
    )
    sides_differ = turn % 2
    return geometry.begun(anchor, sides_differ), geometry.begun(quad, turn + sides_differ)


def _offset(anchor: Quad, quad: Quad) -> float:
    """The mean distance of aligned corners, in parts of the card's size."""
    size = math.sqrt(max(geometry.area(anchor), 1e-9))
    return sum(math.dist(p, q) for p, q in zip(anchor, quad, strict=True)) / 4 / size


def _blend(old: Quad, new: Quad, share: float) -> Quad:
    return geometry.as_quad(
        [
            (x + share * (u - x), y + share * (v - y))
            for (x, y), (u, v) in zip(old, new, strict=True)
        ]
    )
