"""Where the motion that brought or took a card came from or went.

An arm that lays a card is one region of changed pixels reaching from the card to the border of the
table; a thrown card is a small region that was at the border a moment before. Both are found by
following changed regions through the last few seconds of masks, backwards for an arrival and
forwards for a departure, until they touch the border.
"""

import math
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from vision import geometry
from vision.motion import Mask, quad_mask
from vision.table import Table
from vision.types import Point, Quad

_MEMORY = 5.0
"""Seconds of masks kept."""
_INTERVAL = 0.06
"""Seconds between kept masks, at least: 15 a second are enough to follow an arm."""
_RING = 0.035
"""Width of the table's border, in parts of the table: what touches it reaches out."""
_ARRIVAL_WINDOW = 1.6
"""Seconds before now in which an arrival is looked for."""
_LEAVING = 0.3
"""Seconds after a card came to rest in which the hand that laid it may still be leaving it."""
_AFTER = 0.7
_LINGER = 0.15
"""A contact after the card's appearance weighs this much of one before, less by e in so many
seconds: it may be the next hand."""
_SAME_ARM = 40
"""Small pixels between places on the border where one arm crosses it."""
_PRESENT = 0.5
"""A card is not there yet while less than this part of its place has changed."""
_CONTACTS = 8
"""Frames of contact with the border before the card's appearance that are averaged."""
_FADE = 0.85
"""Weight of each further frame of contact: the nearest to the card's landing tells most."""
_LEAP = 0.3
"""A thrown card moves at most this part of the picture's width between kept masks."""
_FLYING_SIZES = (0.4, 2.5)
"""A card in flight, blurred and with its shadow, in parts of the size of one at rest."""
_SPECK = 12
"""Regions smaller than this many small pixels are noise."""
_STRAIGHT = 24
"""Points looked at along the line from the card to a contact."""
_NEAR = np.ones((7, 7), np.uint8)
"""Regions this near each other (three small pixels) belong together."""


@dataclass(frozen=True, slots=True)
class _Contact:
    """A place on the border (small pixels) that a followed region touched."""

    x: float
    y: float
    weight: float


class Traces:
    """The last seconds of changed regions, and the questions asked of them."""

    def __init__(self, table: Table, shape: tuple[int, int], scale: float) -> None:
        """`shape` (h, w) of the masks to come, `scale` their pixels per image pixel."""
        self._table = table
        self._scale = scale
        self._masks: deque[tuple[float, Mask]] = deque()
        inset = geometry.grow(geometry.UNIT_SQUARE, 1 - 2 * _RING)
        outset = geometry.grow(geometry.UNIT_SQUARE, 1 + 2 * _RING)
        inner = quad_mask(table.quad_to_image(inset), scale, shape)
        self.area: Mask = quad_mask(table.quad_to_image(outset), scale, shape)
        # Where the table runs out of the picture, the picture's edge is its border.
        inner[:3] = inner[-3:] = 0
        inner[:, :3] = inner[:, -3:] = 0
        self.ring: Mask = self.area & (1 - inner)

    def keep(self, t: float, changed: Mask) -> None:
        """Remember a frame's changed mask (h, w)."""
        if self._masks and t - self._masks[-1][0] < _INTERVAL:
            return
        self._masks.append((t, changed & self.area))
        while self._masks and t - self._masks[0][0] > _MEMORY:
            self._masks.popleft()

    def reaches_border(self, quad: Quad, changed: Mask) -> bool:
        """Whether a changed region over a quad (image pixels) reaches the table's border."""
        seed = quad_mask(quad, self._scale, changed.shape) & (1 - self.ring)
        region = _touched(changed & self.area, seed)
        return region is not None and bool((region & self.ring).any())

    def arrival(self, quad: Quad, rest: float) -> Point | None:
        """Where the motion that brought the card at `quad` (image pixels) to `rest` came from.

        A point in table coordinates on the border, or None where nothing was seen to come.
        Looks back from shortly after `rest`. While the card is there, regions over it are asked;
        before that, regions are followed back. What touched the border about when the card
        appeared tells most.
        """
        masks = [(t, m) for t, m in self._masks if -_ARRIVAL_WINDOW <= t - rest <= _LEAVING]
        if not masks:
            return None
        card = quad_mask(quad, self._scale, masks[0][1].shape)
        start = _middle(card)
        contacts: list[tuple[float, _Contact]] = []
        appeared = rest
        earlier: list[Mask] = []
        later = masks[-1][1]
        for t, mask in reversed(masks):
            if earlier or (t < rest and mask[card == 1].mean() < _PRESENT):
                earlier.append(mask)
                continue
            later = mask
            appeared = min(appeared, t)
            region = _touched(mask, card)
            if region is not None:
                contacts += [(t, c) for c in self._contacts(region, start, 1.0)]
        late = [
            _Contact(c.x, c.y, _AFTER * c.weight * math.exp(-max(0.0, t - appeared) / _LINGER))
            for t, c in contacts
        ]
        before, farthest = self._follow(card, earlier, _FADE, _CONTACTS, later)
        return self._agreed([*late, *before]) or self._beyond(start, farthest)

    def departure(self, quad: Quad, since: float) -> Point | None:
        """Where the motion that took the card from `quad` after `since` went, as `arrival`."""
        masks = [mask for t, mask in self._masks if t >= since]
        if not masks:
            return None
        card = quad_mask(quad, self._scale, masks[0].shape)
        # The last touch tells who gathered: an arm comes, takes and goes; weights rise.
        contacts, farthest = self._follow(card, masks, 1 / _FADE, len(masks), None)
        return self._agreed(contacts) or self._beyond(_middle(card), farthest)

    def _follow(
        self, card: Mask, masks: Sequence[Mask], fade: float, most: int, last: Mask | None
    ) -> tuple[list[_Contact], Point]:
        """Follow regions from a card through masks; at most `most` masks that touch the border.

        `last` is the mask before the first followed, None where none may look like a thrown card.
        Returns the contacts, and the middle of the region farthest along that touched nothing.
        """
        region = np.asarray(cv2.dilate(card, _NEAR), dtype=np.uint8)
        start = farthest = _middle(card)
        size = int(card.sum())
        contacts: list[_Contact] = []
        weight, touched = 1.0, 0
        for i, mask in enumerate(masks):
            flying = None
            if last is not None and not touched:
                around = last | masks[i + 1] if i + 1 < len(masks) else last
                flying = self._flying(mask, region, around, size)
            last = None if last is None else mask
            if flying is not None:
                followed: Mask | None = flying
                start = _middle(flying)
            else:
                followed = _touched(mask, region)
            if followed is None:
                if touched:
                    break
                continue
            found = self._contacts(followed, start, weight)
            if found:
                if last is not None and contacts and not _near_any(found, contacts):
                    break
                contacts += found
                weight *= fade
                touched += 1
                if touched >= most:
                    break
            else:
                farthest = _middle(followed)
            region = np.asarray(cv2.dilate(followed, _NEAR), dtype=np.uint8)
        return contacts, farthest

    def _flying(self, mask: Mask, region: Mask, around: Mask, size: int) -> Mask | None:
        """The region of a mask that looks like a card in flight, one leap from `region` at most.

        It is loose (does not touch the border), about as large as a card (`size` pixels), and is
        not there in the masks just before and after (`around`): hands and lying cards are.
        """
        count, labels, stats, middles = cv2.connectedComponentsWithStats(mask)
        here = _middle(region)
        best, nearest = 0, _LEAP * mask.shape[1]
        for i in range(1, count):
            away = math.dist(here, (float(middles[i][0]), float(middles[i][1])))
            if not _FLYING_SIZES[0] <= stats[i, cv2.CC_STAT_AREA] / size <= _FLYING_SIZES[1]:
                continue
            own = labels == i
            if away < nearest and around[own].mean() < 0.5 and not self.ring[own].any():
                best, nearest = i, away
        return (labels == best).astype(np.uint8) if best else None

    def _contacts(self, region: Mask, start: Point, weight: float) -> list[_Contact]:
        """Where a region touches the border, each place weighted by how straight the way is."""
        count, _, stats, middles = cv2.connectedComponentsWithStats(region & self.ring)
        found = []
        for i in range(1, count):
            if stats[i, cv2.CC_STAT_AREA] < 3:
                continue
            x, y = float(middles[i][0]), float(middles[i][1])
            straight = _along(region, start, (x, y))
            found.append(_Contact(x, y, weight * max(straight, 0.05) ** 2))
        return found

    def _agreed(self, contacts: Sequence[_Contact]) -> Point | None:
        """The place most contacts stand for: the weighted mean around the heaviest one."""
        if not contacts:
            return None
        points = np.array([(c.x, c.y) for c in contacts]) / self._scale
        points = geometry.map_points(self._table.to_table, points)
        weights = np.array([c.weight for c in contacts])
        near = np.linalg.norm(points[:, None] - points[None], axis=2) < 0.2
        best = int(np.argmax(near @ weights))
        chosen = near[best]
        x, y = np.average(points[chosen], axis=0, weights=weights[chosen])
        return (float(x), float(y))

    def _beyond(self, start: Point, farthest: Point) -> Point | None:
        """Where the line from the card through the farthest place followed leaves the table."""
        if math.dist(start, farthest) < 6:
            return None
        pair = np.array([start, farthest]) / self._scale
        a, b = geometry.map_points(self._table.to_table, pair)
        dx, dy = b - a
        reach = [
            ((1.0 if d > 0 else 0.0) - c) / d for c, d in ((a[0], dx), (a[1], dy)) if abs(d) > 1e-6
        ]
        ahead = [s for s in reach if s > 0]
        if not ahead:
            return None
        s = min(ahead)
        return (float(a[0] + s * dx), float(a[1] + s * dy))


def _touched(mask: Mask, region: Mask) -> Mask | None:
    """The connected regions of a mask that overlap `region`, None where there are none."""
    if not (mask & region).any():
        return None
    _, labels, stats, _ = cv2.connectedComponentsWithStats(mask)
    hit = np.unique(labels[(region & mask) == 1])
    hit = hit[(hit > 0) & (stats[hit, cv2.CC_STAT_AREA] >= _SPECK)]
    return np.isin(labels, hit).astype(np.uint8) if hit.size else None


def _near_any(found: Sequence[_Contact], known: Sequence[_Contact]) -> bool:
    """Whether some place found is one known already, or next to it."""
    return any(math.dist((a.x, a.y), (b.x, b.y)) < _SAME_ARM for a in found for b in known)


def _middle(region: Mask) -> Point:
    """The centroid of a region, small pixels."""
    moments = cv2.moments(region, True)
    area = max(moments["m00"], 1.0)
    return (moments["m10"] / area, moments["m01"] / area)


def _along(region: Mask, start: Point, end: Point) -> float:
    """The part of the straight line between two places that lies in a region."""
    steps = np.linspace(0, 1, _STRAIGHT)
    xs = np.clip(np.round(start[0] + steps * (end[0] - start[0])), 0, region.shape[1] - 1)
    ys = np.clip(np.round(start[1] + steps * (end[1] - start[1])), 0, region.shape[0] - 1)
    return float(region[ys.astype(int), xs.astype(int)].mean())
