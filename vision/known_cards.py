"""What is known of the cards that the tracker follows: reading them, and telling of them.

A card is announced when it has been read enough, told of again when it is read otherwise, and said to
be gone when its track ends.
"""

import copy
import math
from collections.abc import Callable, Iterator, Sequence

from vision import geometry
from vision.events import CardGone, CardMoved, CardPlaced, CardReread, TableEvent
from vision.evidence import SURE, Evidence
from vision.health import HealthWatch, mirrored_quad
from vision.labels import BACK, CARDS, INDEX, OTHER
from vision.places import Places
from vision.reading import (
    READS_AGAIN,
    CardState,
    believable,
    face_of,
    readable,
    reading_due,
    ready,
)
from vision.strange import LyingCard
from vision.table import Table
from vision.traces import Traces
from vision.track import Activity, State, Track
from vision.tracker import Tracker
from vision.types import Frame, Image, Point, Quad, Reading
from vision.view import SeenCard

Read = Callable[[Image, Sequence[Quad]], Sequence[Reading]]

_LEAST_WEIGHT = 0.15
"""A box that takes in a part of a card is read too, for what it is worth."""
_READS_AT_ONCE = 6
"""Cards read in one frame at most, those least read first."""
SAME_LOOK = 0.6
"""With less than this share of its telling pixels as they were, what lies at a place looks changed."""
_WELL_SEEN = 0.8
"""A card is compared with its mirror image when so much of it is open to view, in peace."""
_NOTABLE = 0.1
"""A change of the best card's probability worth telling."""
_SAME_CARD = 0.6
"""A card that vanished and one that appeared beside it are one if both are read so surely."""


class KnownCards:
    """The cards of one tracker. `read` gives one `Reading` a quad; `any_told` says whether a card was
    ever announced."""

    def __init__(self, read: Read, tracker: Tracker, places: Places, health: HealthWatch) -> None:
        self._read = read
        self._tracker = tracker
        self._places = places
        self._health = health
        self._states: dict[int, CardState] = {}
        self.any_told = False

    def of(self, track: Track) -> CardState:
        """What is known of a track; nothing yet where it is new."""
        return self._states.setdefault(track.id, CardState())

    def forget(self, track: Track) -> CardState | None:
        """The track is no more; returns what was known of it."""
        return self._states.pop(track.id, None)

    def glimpsed(self, track: Track) -> None:
        """A card settled under another: what was read of it before is what is known of it."""
        self.of(track).evidence = copy.deepcopy(track.glimpses)

    def read_anew(self, track: Track) -> None:
        """A card is found where one lay, or close by, and looks changed: another may have been laid squarely
        on it, or it was turned over."""
        card = self._states.get(track.id)
        if card is not None:
            card.fresh = Evidence()
            card.wanted = max(card.wanted, READS_AGAIN)

    def probability(self, track: Track, card: str) -> float:
        """How likely a track is that card, 0 to 1, by all that was read of it."""
        known = self._states.get(track.id)
        return 0.0 if known is None else math.exp(known.evidence.log_probs()[INDEX[card]])

    def glance(self, image: Image, quads: Sequence[Quad]) -> Sequence[Reading]:
        """Read cards found where none is known to lie, `quads` in image pixels; of many only the first."""
        return self._read(image, quads[:_READS_AT_ONCE]) if quads else ()

    def read_due(self, frame: Frame, table: Table, activity: dict[int, Activity]) -> None:
        """Read the cards that are due and can be read now, the least read of them first."""
        chosen: list[tuple[Track, CardState, float]] = []
        for track in self._tracker.tracks:
            card = self._states.get(track.id)
            if card is None or track.state is not State.RESTING or not reading_due(card, frame.t):
                continue
            weight = readable(track, activity.get(track.id))
            if weight > 0:
                weight *= max(_LEAST_WEIGHT, self._tracker.wholeness(track))
                chosen.append((track, card, weight))
        chosen.sort(key=lambda item: item[1].evidence.count)
        chosen = chosen[:_READS_AT_ONCE]
        if not chosen:
            return
        quads = [table.quad_to_image(track.quad) for track, _, _ in chosen]
        # A card that was just read well is read once as its mirror image too.
        asked = [i for i, (_, card, weight) in enumerate(chosen) if _to_mirror(card, weight)]
        mirrors = [mirrored_quad(quads[i]) for i in asked]
        readings = self._read(frame.image, [*quads, *mirrors])
        for (_, card, weight), reading in zip(chosen, readings, strict=False):
            card.evidence.add(reading, weight)
            if weight >= _WELL_SEEN:
                card.look_afresh(reading, weight)
            card.read_at = frame.t
            card.wanted = max(0, card.wanted - 1)
        for i, mirror in zip(asked, readings[len(quads) :], strict=True):
            chosen[i][1].mirror_asked = True
            self._health.compare(readings[i], mirror)

    def tell(
        self,
        frame: Frame,
        table: Table,
        traces: Traces,
        activity: dict[int, Activity],
        events: list[TableEvent],
    ) -> None:
        """Tell of the cards that have been read enough, and of those that are read otherwise now."""
        for track in self._tracker.tracks:
            card = self._states.get(track.id)
            if card is None or not card.evidence.count or not track.lies:
                continue
            if card.told is not None:
                self._tell_again(track, card, frame, events)
            elif ready(track, card, frame.t):
                old = self._vanished_twin(track, card, activity)
                if old is None:
                    self._announce(track, card, frame, table, traces, events)
                else:
                    self._adopt(old, track, frame, table, events)

    def tell_waiting(
        self, frame: Frame, table: Table, traces: Traces | None, events: list[TableEvent]
    ) -> None:
        """The source has ended: announce the cards that were still waited for."""
        for track in self._tracker.tracks:
            card = self._states.get(track.id)
            if card is None or card.told is not None or not card.evidence.count or not track.lies:
                continue
            if card.evidence.best()[0] != OTHER:
                self._announce(track, card, frame, table, traces, events)

    def gone(
        self, track: Track, frame: Frame, table: Table, traces: Traces, events: list[TableEvent]
    ) -> None:
        """Tell that a card has gone, if it was told of, and forget it."""
        card = self.of(track)
        read = card.evidence.count and card.evidence.best()[0] != OTHER
        if card.told is None and read and believable(card):
            # Taken up again before it was surely read: it lay there all the same.
            self._announce(track, card, frame, table, traces, events)
        if card.told is not None:
            quad = table.quad_to_image(track.quad)
            since = self._places.confirmed(track) - 0.2
            events.append(CardGone(track.id, frame.t, frame.index, traces.departure(quad, since)))
        self.forget(track)

    def faces_up(self, track: Track) -> bool:
        """Whether a track was announced and last said to lie face up."""
        card = self._states.get(track.id)
        return card is not None and card.told is not None and card.told_face == "up"

    def lying(self, activity: dict[int, Activity]) -> list[LyingCard]:
        """What is believed of the face-up cards, for those that look for strange ones."""
        cards = []
        for track in self._tracker.tracks:
            if not self.faces_up(track):
                continue
            card = self._states[track.id]
            in_view = track.state is State.RESTING and readable(track, activity.get(track.id)) > 0.9
            label, p = card.evidence.best()
            cards.append(LyingCard(track.id, label, p, card.evidence.count, track.quad, in_view))
        return cards

    def quads(self, table: Table) -> Iterator[Quad]:
        """The quads, in image pixels, of all that lies and is read as a card or a back."""
        for track in self._tracker.tracks:
            card = self._states.get(track.id)
            if card is None or not track.lies or not card.evidence.count:
                continue
            if card.evidence.best()[0] != OTHER:
                yield table.quad_to_image(track.quad)

    def seen(self, table: Table) -> tuple[SeenCard, ...]:
        """All that is followed, as the page draws it."""
        cards = []
        for track in self._tracker.tracks:
            card = self._states.get(track.id)
            label: str | None = None
            p: float | None = None
            if card is not None and card.evidence.count:
                label, p = card.evidence.best()
            face = track.face if card is None else face_of(track, card)
            quad = table.quad_to_image(track.quad)
            cards.append(SeenCard(track.id, label, p, quad, face, track.hidden, track.lies))
        return tuple(cards)

    def _announce(
        self,
        track: Track,
        card: CardState,
        frame: Frame,
        table: Table,
        traces: Traces | None,
        events: list[TableEvent],
    ) -> None:
        quad = table.quad_to_image(track.quad)
        entry: Point | None = None
        if traces is not None:
            entry = traces.arrival(quad, track.rest_since)
        label, p = card.evidence.best()
        face = face_of(track, card)
        card.told = CardPlaced(
            track=track.id,
            t=track.rest_since,
            frame=track.rest_frame,
            first_seen=track.first_seen,
            face=face,
            centre=geometry.centre(track.quad),
            angle=geometry.long_angle(track.quad),
            entry=entry,
            quad=quad,
            log_probs=card.evidence.log_probs(),
            announced=frame.t,
            stirred=card.stirred,
        )
        card.told_label, card.told_p, card.told_face = label, p, face
        self.any_told = True
        if label in CARDS and p >= SURE and card.stirred:
            self._tracker.learn_size(track)
        events.append(card.told)

    def _tell_again(
        self, track: Track, card: CardState, frame: Frame, events: list[TableEvent]
    ) -> None:
        label, p = card.evidence.best()
        face = face_of(track, card)
        same = label == card.told_label and face == card.told_face
        if same and abs(p - card.told_p) < _NOTABLE:
            return
        card.told_label, card.told_p, card.told_face = label, p, face
        events.append(CardReread(track.id, frame.t, frame.index, face, card.evidence.log_probs()))

    def _vanished_twin(
        self, track: Track, card: CardState, activity: dict[int, Activity]
    ) -> Track | None:
        """A card told of, out of sight just now, that is read as this new one is."""
        label, p = card.evidence.best()
        if p < _SAME_CARD or label in (OTHER, BACK):
            return None
        for other in self._tracker.tracks:
            known = self._states.get(other.id)
            if other is track or known is None or known.told is None or not other.lies:
                continue
            said = activity.get(other.id, Activity())
            unseen = other.last_seen < track.last_seen and said.same < SAME_LOOK
            if unseen and known.evidence.best()[0] == label and known.told_p >= _SAME_CARD:
                return other
        return None

    def _adopt(
        self, old: Track, new: Track, frame: Frame, table: Table, events: list[TableEvent]
    ) -> None:
        known = self._states[old.id]
        fresh = self._states.pop(new.id)
        self._tracker.adopt(old, new)
        self._places.rename(new.id, old.id)
        known.wanted = max(fresh.wanted, READS_AGAIN)
        events.append(moved(old, frame, table.quad_to_image(old.quad)))


def _to_mirror(card: CardState, weight: float) -> bool:
    """Whether a card is to be compared with its mirror image now: once, when it is seen well."""
    return not card.mirror_asked and card.evidence.count > 0 and weight >= _WELL_SEEN


def moved(track: Track, frame: Frame, quad: Quad) -> CardMoved:
    """The event that a card was moved to where its track now is, `quad` in image pixels."""
    centre, angle = geometry.centre(track.quad), geometry.long_angle(track.quad)
    return CardMoved(track.id, frame.t, frame.index, centre, angle, quad)
