"""A look of the finder at the table: what is seen there, and what is read of it where it is new."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from vision import geometry
from vision.doubtful import Boxed, believed, surely
from vision.known_cards import KnownCards
from vision.table import Table
from vision.track import Sighting, Track
from vision.tracker import Tracker
from vision.types import Detection, Image, Point, Reading, Window

Find = Callable[[Image, Window], Sequence[Detection]]

_TABLE_SLACK = 0.03
"""A card may stick out over the table's edge by this much (its centre, table units)."""


class Looking:
    """`find` gives the cards in a part of an image, doubtful ones among them, in pixels of the image."""

    def __init__(self, find: Find, tracker: Tracker, cards: KnownCards) -> None:
        self._find = find
        self._tracker = tracker
        self._cards = cards

    def look(self, image: Image, table: Table) -> list[Sighting]:
        """The cards seen on the table. What is no card known to lie is read: a card that comes to lie across
        another is told from it by what it shows."""
        seen: list[Sighting] = []
        doubtful: list[bool] = []
        for detection in self._find(image, table.window):
            quad = table.quad_to_table(detection.quad)
            if on_table(geometry.centre(quad)) and geometry.is_convex(quad):
                seen.append(Sighting(quad, detection.face, detection.p))
                doubtful.append(detection.doubtful)
        known = [self._tracker.claimed_by(one) for one in seen]
        readings = self._read(image, table, seen, known)
        boxes = [
            Boxed(one.quad, surely(readings.get(i)), doubtful[i] and known[i] is None)
            for i, one in enumerate(seen)
        ]

        def p(i: int, card: str) -> float:
            track = known[i]
            if track is not None:
                return self._cards.probability(track, card)
            return readings[i].p(card) if i in readings else 0.0

        return [replace(seen[i], reading=readings.get(i)) for i in believed(boxes, p)]

    def _read(
        self,
        image: Image,
        table: Table,
        seen: Sequence[Sighting],
        known: Sequence[Track | None],
    ) -> dict[int, Reading]:
        """What is read of those that lie face up where no card is known to lie, by their number."""
        fresh = [i for i, one in enumerate(seen) if one.face == "up" and known[i] is None]
        readings = self._cards.glance(image, [table.quad_to_image(seen[i].quad) for i in fresh])
        return dict(zip(fresh, readings, strict=False))


def on_table(point: Point) -> bool:
    """Whether a place, table coordinates, is on the table or hardly beyond its edge."""
    return all(-_TABLE_SLACK <= x <= 1 + _TABLE_SLACK for x in point)
