"""From frames to table events: `Follower` joins gate, finder, tracker and reader.

The models are passed in as functions, so that this module knows no vendor and can be tested
without weights.
"""

import math

import numpy as np

from vision import geometry
from vision.clearing import Clearing
from vision.events import (
    CameraMoved,
    CardCovered,
    CardGone,
    CardUncovered,
    SourceGap,
    TableCleared,
    TableEvent,
)
from vision.health import HealthWatch
from vision.knock import Found, GoesOn, Knock, KnockWatch
from vision.known_cards import SAME_LOOK, KnownCards, Read, moved
from vision.looking import Find, Looking, on_table
from vision.motion import Motion, MotionGate
from vision.places import Places
from vision.proposing import Proposals
from vision.reading import READS_AGAIN
from vision.strange import StrangeCards
from vision.table import Table, propose_table
from vision.traces import Traces
from vision.track import Activity, Change, Sighting, State, Track
from vision.tracker import Tracker
from vision.types import Frame, Image
from vision.view import FrameView

_LOOK_EVERY = 0.12
"""Seconds between looks of the finder while something is going on."""
_LOOK_ANYWAY = 1.5
"""Seconds after which the finder looks though nothing happened: it may have missed something."""
_STILL_SHARE = 0.0004
"""Part of the table that must be new and still for a look: a tenth of a small card."""
_PEACE = 0.05
"""A card is pictured anew only with less than this share of its pixels moving."""

_NO_IMAGE: Image = np.zeros((1, 1, 3), dtype=np.uint8)


class Follower:
    """Follows one table. Feed frames in order with `step`; it has no clock and does no I/O.

    `find` gives the cards in a part of an image, in pixels of the image, `read` one `Reading` a quad.
    Without a `table` one is proposed from the first frame, or where that shows none, from later ones until a
    card is known.
    """

    def __init__(self, find: Find, read: Read, table: Table | None = None) -> None:
        self._table = table
        self._gate = MotionGate()
        self._tracker = Tracker()
        self._places = Places()
        self._knocks = KnockWatch()
        self._traces: Traces | None = None
        self._looked_at = -math.inf
        self._looks = 0
        self._clearing = Clearing()
        self._proposals: Proposals | None = None
        self._health = HealthWatch()
        self._cards = KnownCards(read, self._tracker, self._places, self._health)
        self._looking = Looking(find, self._tracker, self._cards)
        self._strange = StrangeCards()
        self._left_out: list[Track] = []
        self._view: FrameView | None = None

    @property
    def table(self) -> Table | None:
        """The table as now believed; None before the first frame when none was given."""
        return self._table

    def calibrate(self, table: Table) -> None:
        """Take `table`, marked by hand, from now on. Cards known keep their tracks; those that lie
        outside it leave the game with the next frame. A knock not got over is forgotten."""
        since = self._knocks.seen_since
        if since > -math.inf and self._view is not None:
            self._look_anew(self._view.t)
        self._knocks = KnockWatch()
        self._proposals = None
        self._lay(table, since)

    @property
    def looks(self) -> int:
        """How many frames the finder was run on."""
        return self._looks

    @property
    def view(self) -> FrameView | None:
        """The cards believed to lie on the table in the latest frame."""
        return self._view

    def step(self, frame: Frame) -> tuple[TableEvent, ...]:
        """Take in a frame and return what became known by it, in order."""
        events: list[TableEvent] = []
        table = self._fit_table(frame.image)
        motion = self._gate.step(frame.image, frame.t)
        knock = self._knocks.step(frame.image, motion, table, self._cards.quads(table))
        if knock is not None:
            motion = self._take_knock(knock, frame, motion, events)
        self._propose(frame.image, motion)
        table = self._table or table
        if not self._knocks.shaking:
            self._follow(frame, table, motion, events)
        found = not table.whole_picture
        events += self._health.step(
            frame.t, frame.index, frame.image, self._cards.quads(table), found
        )
        self._view = self._seen(frame, table)
        return tuple(events)

    def gap(self, gap: SourceGap) -> tuple[TableEvent, ...]:
        """No frames came for a while: whatever moves after it says nothing of before."""
        self._gate.reset()
        self._places.look_away(gap.t)
        self._looked_at = -math.inf
        self._knocks.doubt()
        return (gap,)

    def finish(self) -> tuple[TableEvent, ...]:
        """The source has ended: announce cards that were still waited for."""
        events: list[TableEvent] = []
        if self._view is None or self._table is None:
            return ()
        frame = Frame(_NO_IMAGE, self._view.frame, self._view.t)
        self._cards.tell_waiting(frame, self._table, self._traces, events)
        return tuple(events)

    # --- one frame ---

    def _follow(self, frame: Frame, table: Table, motion: Motion, events: list[TableEvent]) -> None:
        traces = self._traces_for(table, motion)
        self._leave_out(frame, events)
        traces.keep(frame.t, motion.changed)
        self._places.watch(motion)
        activity = self._places.activity(self._tracker.tracks, table, motion, traces)
        sightings = self._look(frame, table) if self._due(frame.t, motion) else None
        changes = self._tracker.step(frame.t, frame.index, sightings, activity)
        for change, track in changes:
            self._take(change, track, frame, table, motion, traces, events)
        if changes:
            self._places.forget(self._tracker.tracks)
            self._places.arrange(self._tracker, table, motion)
        if sightings is not None:
            self._refresh(table, motion, activity)
        self._cards.read_due(frame, table, activity)
        self._cards.tell(frame, table, traces, activity, events)
        events += self._strange.step(frame.t, frame.index, self._cards.lying(activity))
        self._places.learn(self._tracker.tracks, table, motion)
        self._check_cleared(frame, events)

    def _fit_table(self, image: Image) -> Table:
        size = (image.shape[1], image.shape[0])
        if self._table is None:
            self._table = propose_table(image)
            self._proposals = Proposals() if self._table.whole_picture else None
        elif self._table.image_size != size:
            self._table = self._table.resized(*size)
            self._traces = None
        return self._table

    def _traces_for(self, table: Table, motion: Motion) -> Traces:
        if self._traces is None:
            height, width = motion.gray.shape
            self._traces = Traces(table, (height, width), motion.scale)
            self._gate.set_area(self._traces.area)
        return self._traces

    def _due(self, t: float, motion: Motion) -> bool:
        """Whether the finder should look at this frame."""
        since = t - self._looked_at
        if since >= _LOOK_ANYWAY:
            return True
        if since < _LOOK_EVERY:
            return False
        return motion.still_share > _STILL_SHARE or self._tracker.busy

    def _look(self, frame: Frame, table: Table) -> list[Sighting]:
        self._looked_at = frame.t
        self._looks += 1
        return self._looking.look(frame.image, table)

    def _take(
        self,
        change: Change,
        track: Track,
        frame: Frame,
        table: Table,
        motion: Motion,
        traces: Traces,
        events: list[TableEvent],
    ) -> None:
        """Act on what the tracker says of a track."""
        card = self._cards.of(track)
        quad = table.quad_to_image(track.quad)
        if change is Change.SETTLED:
            background = self._gate.background
            assert background is not None
            self._places.settle(track, table, motion, background)
            card.stirred = self._places.stirred(track, table, motion)
            if track.last_seen < frame.t:
                self._cards.glimpsed(track)
            self._gate.absorb(quad)
        elif change is Change.MOVED:
            self._places.picture(track, motion)
            self._gate.absorb(quad)
            self._cards.read_anew(track)
            if card.told is not None:
                events.append(moved(track, frame, quad))
        elif change is Change.HIDDEN and card.told is not None:
            events.append(CardCovered(track.id, frame.t, frame.index))
        elif change is Change.SEEN:
            card.wanted = max(card.wanted, READS_AGAIN)
            if card.told is not None:
                events.append(CardUncovered(track.id, frame.t, frame.index))
        elif change is Change.GONE:
            self._cards.gone(track, frame, table, traces, events)
            self._gate.absorb(quad)
        elif change is Change.DROPPED:
            self._cards.forget(track)

    def _refresh(self, table: Table, motion: Motion, activity: dict[int, Activity]) -> None:
        """Picture anew the cards just found in peace, where their picture is old or wrong."""
        for track in self._tracker.tracks:
            said = activity.get(track.id)
            if said is None or track.last_seen < motion.t or track.state is not State.RESTING:
                continue
            if said.moving > _PEACE or said.reached or said.bare > 0.5:
                continue
            changed = said.same < SAME_LOOK
            if changed:
                self._cards.read_anew(track)
            if changed or self._places.stale(track, motion.t):
                self._places.picture(track, motion)
                self._gate.absorb(table.quad_to_image(track.quad))

    def _check_cleared(self, frame: Frame, events: list[TableEvent]) -> None:
        assert self._table is not None
        lying = frozenset(
            track.id
            for track in self._tracker.tracks
            if self._cards.faces_up(track) and self._table.in_play(geometry.centre(track.quad))
        )
        if self._clearing.step(frame.t, lying):
            events.append(TableCleared(frame.t, frame.index))

    def _leave_out(self, frame: Frame, events: list[TableEvent]) -> None:
        """Drop the cards that a newly marked table has left outside."""
        for track in self._left_out:
            card = self._cards.forget(track)
            if track in self._tracker.tracks:
                self._tracker.drop(track)
            if card is not None and card.told is not None:
                events.append(CardGone(track.id, frame.t, frame.index, None))
        self._left_out = []

    # --- the camera, the page ---

    def _take_knock(
        self, knock: Knock, frame: Frame, motion: Motion, events: list[TableEvent]
    ) -> Motion:
        """Act on what the watch for knocks says; returns the frame's motion as seen anew."""
        if isinstance(knock, GoesOn):
            self._look_anew(motion.t)
            return self._gate.step(frame.image, frame.t)
        events.append(CameraMoved(frame.t, frame.index, isinstance(knock, Found)))
        if isinstance(knock, Found):
            self._follow_camera(knock, motion)
            return self._gate.step(frame.image, frame.t)
        return motion

    def _follow_camera(self, found: Found, motion: Motion) -> None:
        """The camera moved: so did the table and all that was remembered of the picture."""
        self._places.moved(found.matrix, motion.scale, found.since)
        self._look_anew(motion.t)
        self._lay(found.table, found.since)
        self._traces_for(found.table, motion)
        self._places.arrange(self._tracker, found.table, motion)

    def _look_anew(self, t: float) -> None:
        """Nothing that was remembered of the picture, but for the cards' places, holds at `t`."""
        self._gate.reset()
        self._places.look_away(t)
        self._traces = None
        self._looked_at = -math.inf

    def _lay(self, table: Table, since: float) -> None:
        """Take `table`; cards last seen at `since` or later stay where they are in the picture, the
        others where they are on the table."""
        old, self._table = self._table, table
        self._traces = None
        self._looked_at = -math.inf
        if old is None or since == math.inf:
            return
        self._tracker.carry(lambda quad: table.quad_to_table(old.quad_to_image(quad)), since)
        self._left_out += [
            track for track in self._tracker.tracks if not on_table(geometry.centre(track.quad))
        ]

    def _propose(self, image: Image, motion: Motion) -> None:
        """Look for a table's edge where none was seen so far."""
        # Once a card is known another table would be another game.
        if self._proposals is None or self._cards.any_told or self._knocks.shaking:
            return
        table = self._proposals.step(image, motion)
        if table is not None:
            self.calibrate(table)

    def _seen(self, frame: Frame, table: Table) -> FrameView:
        return FrameView(
            frame.t,
            frame.index,
            table.corners,
            self._cards.seen(table),
            self._knocks.shaking,
            self._health.troubles,
        )
