"""What each card's place looked like before it came and with it there.

Comparing a place now with both tells, without the finder, whether the card lies there still, has
gone, or is out of sight: only pixels that differ between the two pictures are asked.
"""

from collections.abc import Iterable
from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from vision import geometry
from vision.geometry import Array
from vision.motion import Gray, Mask, Motion, quad_mask
from vision.table import Table
from vision.traces import Traces
from vision.track import Activity, Track
from vision.tracker import Tracker

_TELLING = 12.0
"""Grey levels by which a pixel must differ between two pictures to tell them apart."""
_ENOUGH = 8
"""With fewer telling pixels nothing is said."""
_UNKNOWN = 0.5
"""Neither there nor gone: below `tracker._THERE`, so that the finder decides."""
_CLOSER = 0.5
"""A pixel is as in one of the pictures when within this part of their difference of it."""
_LEARN_EVERY = 0.5
_LEARN_RATE = 0.3
"""The bare table is learnt slowly, where no card lies and nothing has changed."""
_STIRRED_FOR = 5.0
"""Seconds for which a place is remembered to have changed: as long as a card may lie unfound."""
_STIRRED_SHARE = 0.3
"""A card brought by a hand or thrown changes at least so much of its place; noise does not."""
_REFRESH_AFTER = 1.0
"""Seconds after which a card seen in peace is pictured anew (light drifts)."""


@dataclass(slots=True)
class _Place:
    """Pictures (h, w) of one card's place, and its pixels (flat indices) in them."""

    before: Gray
    after: Gray
    taken: float
    confirmed: float
    pixels: npt.NDArray[np.intp]
    open_pixels: npt.NDArray[np.intp]
    open_share: float


class Places:
    """The places of all settled tracks."""

    def __init__(self) -> None:
        self._places: dict[int, _Place] = {}
        self._empty: Gray | None = None
        self._learnt_at = -np.inf
        self._changed_at: npt.NDArray[np.float64] | None = None
        self._looked_away = -np.inf

    def settle(self, track: Track, table: Table, motion: Motion, before: Gray) -> None:
        """Picture the place of a track that has just come to rest; `before` (h, w) without it."""
        pixels = _pixels(track, table, motion)
        self._places[track.id] = _Place(
            before.copy(), motion.gray, motion.t, motion.t, pixels, pixels, 1.0
        )

    def watch(self, motion: Motion) -> None:
        """Remember when each pixel last moved or differed from what lay there."""
        if self._changed_at is None or self._changed_at.shape != motion.gray.shape:
            self._changed_at = np.full(motion.gray.shape, -np.inf)
        self._changed_at[(motion.changed | motion.moving) == 1] = motion.t

    def look_away(self, t: float) -> None:
        """Up to `t` nothing was seen, or not from here: anything may have changed."""
        self._looked_away = t

    def stirred(self, track: Track, table: Table, motion: Motion) -> bool:
        """Whether the place of a track changed in the seconds before it was first seen, or since.

        What lay there in the first picture, and a print of the cloth, came with no change.
        """
        if self._changed_at is None or self._looked_away >= track.first_seen - _STIRRED_FOR:
            return True
        when = self._changed_at.ravel()[_pixels(track, table, motion)]
        share = float((when >= track.first_seen - _STIRRED_FOR).mean()) if len(when) else 1.0
        return share >= _STIRRED_SHARE

    def picture(self, track: Track, motion: Motion) -> None:
        """Picture a track anew: it is seen where it lies, and in peace."""
        place = self._places.get(track.id)
        if place is not None:
            place.after, place.taken = motion.gray, motion.t

    def stale(self, track: Track, t: float) -> bool:
        """Whether a track's picture is old enough to be taken anew."""
        place = self._places.get(track.id)
        return place is not None and t - place.taken >= _REFRESH_AFTER

    def confirmed(self, track: Track) -> float:
        """When a track was last seen, or seen unchanged, in its place."""
        place = self._places.get(track.id)
        return max(track.last_seen, place.confirmed if place is not None else track.last_seen)

    def forget(self, tracks: Iterable[Track]) -> None:
        """Keep only the places of these tracks."""
        alive = {track.id for track in tracks}
        self._places = {i: place for i, place in self._places.items() if i in alive}

    def rename(self, new: int, old: int) -> None:
        """The track `new` turned out to be the card `old`."""
        place = self._places.pop(new, None)
        if place is not None:
            self._places[old] = place

    def arrange(self, tracker: Tracker, table: Table, motion: Motion) -> None:
        """Work out which part of each place lies open; call when tracks came, moved or went."""
        for track in tracker.tracks:
            place = self._places.get(track.id)
            if place is None:
                continue
            place.pixels = _pixels(track, table, motion)
            above = np.zeros(motion.gray.shape, dtype=np.uint8)
            for other in tracker.above(track):
                quad = table.quad_to_image(other.quad)
                above |= quad_mask(quad, motion.scale, motion.gray.shape)
            place.open_pixels = place.pixels[above.ravel()[place.pixels] == 0]
            place.open_share = len(place.open_pixels) / max(1, len(place.pixels))

    def activity(
        self, tracks: Iterable[Track], table: Table, motion: Motion, traces: Traces
    ) -> dict[int, Activity]:
        """What the pixels say of each track's place, by track id."""
        said = {}
        for track in tracks:
            place = self._places.get(track.id)
            if place is None:
                pixels = _pixels(track, table, motion)
                moving = _share(motion.moving.ravel()[pixels])
                said[track.id] = Activity(moving=moving, same=_UNKNOWN)
                continue
            activity = self._compare(place, motion)
            if activity.same < _CERTAIN and activity.moving < 1.0:
                quad = table.quad_to_image(track.quad)
                reached = traces.reaches_border(quad, motion.changed)
                activity = Activity(
                    activity.moving, activity.same, activity.bare, reached, activity.open
                )
            if activity.same >= _CERTAIN:
                place.confirmed = motion.t
            said[track.id] = activity
        return said

    def learn(self, tracks: Iterable[Track], table: Table, motion: Motion) -> None:
        """Learn what the bare table looks like, where no track is and nothing changed."""
        if self._empty is None or self._empty.shape != motion.gray.shape:
            self._empty = motion.gray.copy()
        if motion.t - self._learnt_at < _LEARN_EVERY:
            return
        self._learnt_at = motion.t
        free: Mask = (1 - motion.changed) & (1 - motion.moving)
        for track in tracks:
            quad = table.quad_to_image(track.quad)
            free &= 1 - quad_mask(quad, motion.scale, motion.gray.shape)
        free_now = free == 1
        self._empty[free_now] += _LEARN_RATE * (motion.gray[free_now] - self._empty[free_now])

    def moved(self, matrix: Array, scale: float, since: float = np.inf) -> None:
        """The picture moved by a (3, 3) projection of image pixels: so did the places, but for
        those pictured at `since` seconds or later."""
        small = geometry.at_scale(matrix, scale)
        if self._empty is not None:
            # What was learnt before and after is mixed by now: better begin anew.
            self._empty = _warped(self._empty, small) if since == np.inf else None
        for place in self._places.values():
            if place.taken >= since:
                continue
            place.before = _warped(place.before, small)
            place.after = _warped(place.after, small)

    def _compare(self, place: _Place, motion: Motion) -> Activity:
        pixels = place.open_pixels
        moving = _share(motion.moving.ravel()[pixels if len(pixels) else place.pixels])
        now = motion.gray.ravel()[pixels]
        after = place.after.ravel()[pixels]
        before = place.before.ravel()[pixels]
        same, bare = _nearer(now, after, before)
        if self._empty is not None:
            _, vacant = _nearer(now, after, self._empty.ravel()[pixels])
            bare = max(bare, vacant)
        return Activity(moving, same, bare, False, place.open_share)


_CERTAIN = 0.6
"""With this share of telling pixels as pictured, nothing more need be asked."""


def _nearer(
    now: npt.NDArray[np.float32],
    after: npt.NDArray[np.float32],
    before: npt.NDArray[np.float32],
) -> tuple[float, float]:
    """Shares of the telling pixels that look as `after` and as `before`."""
    apart = np.abs(after - before)
    telling = apart > _TELLING
    if int(telling.sum()) < _ENOUGH:
        return _UNKNOWN, 0.0
    limit = _CLOSER * apart[telling]
    same = np.abs(now[telling] - after[telling]) < limit
    bare = np.abs(now[telling] - before[telling]) < limit
    return float(same.mean()), float(bare.mean())


def _pixels(track: Track, table: Table, motion: Motion) -> npt.NDArray[np.intp]:
    quad = table.quad_to_image(track.quad)
    return np.flatnonzero(quad_mask(quad, motion.scale, motion.gray.shape))


def _share(values: npt.NDArray[np.uint8]) -> float:
    return float(values.mean()) if len(values) else 0.0


def _warped(gray: Gray, matrix: Array) -> Gray:
    size = (gray.shape[1], gray.shape[0])
    return np.asarray(
        cv2.warpPerspective(gray, matrix, size, borderMode=cv2.BORDER_REPLICATE), dtype=np.float32
    )
