"""What the tracker believes, told as scenes of sightings: no pixels, no clock."""

import math
from collections.abc import Mapping, Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.vision.readings import reading
from vision import geometry
from vision.track import Activity, Change, Sighting, State, Track
from vision.tracker import Tracker
from vision.types import Face, Point, Quad, Reading

STEP = 0.13
SHORT, LONG = 0.08, 0.115


def card(at: Point = (0.5, 0.5), angle: float = 0.4) -> Quad:
    return geometry.rectangle(at, SHORT, LONG, angle)


def seen(quad: Quad, face: Face = "up", p: float = 0.9, read: str | None = None) -> Sighting:
    return Sighting(quad, face, p, None if read is None else surely(read))


def surely(label: str, p: float = 0.99) -> Reading:
    return reading(label, p)


class Table:
    """Feeds a tracker look by look and remembers what became of the tracks."""

    def __init__(self) -> None:
        self.tracker = Tracker()
        self.t = 0.0
        self.frame = 0
        self.changes: list[tuple[Change, int]] = []

    def look(
        self,
        *sightings: Sighting,
        times: int = 1,
        activity: Mapping[int, Activity] | None = None,
        finder: bool = True,
    ) -> list[Change]:
        happened = []
        for _ in range(times):
            self.t += STEP
            self.frame += 1
            said = activity or {}
            for change, track in self.tracker.step(
                self.t, self.frame, list(sightings) if finder else None, said
            ):
                self.changes.append((change, track.id))
                happened.append(change)
        return happened

    @property
    def settled(self) -> list[Track]:
        return [track for track in self.tracker.tracks if track.lies]


def table_with(*quads: Quad) -> Table:
    table = Table()
    table.look(*(seen(quad) for quad in quads), times=3)
    assert len(table.settled) == len(quads)
    table.changes.clear()
    return table


GONE_BARE = Activity(same=0.0, bare=1.0)
CHANGED = Activity(same=0.1, bare=0.1)
UNDER_ARM = Activity(moving=0.6, same=0.2, bare=0.1, reached=True)
UNDER_STILL_ARM = Activity(same=0.2, bare=0.1, reached=True)


def test_a_card_settles_when_two_looks_agree() -> None:
    table = Table()
    assert table.look(seen(card())) == []
    assert table.look(seen(card())) == [Change.SETTLED]


def test_a_settled_card_is_announced_once() -> None:
    table = Table()
    table.look(seen(card()), times=20)
    assert [change for change, _ in table.changes] == [Change.SETTLED]


def test_a_card_in_flight_never_settles() -> None:
    table = Table()
    for i in range(8):
        table.look(seen(card((0.1 + 0.1 * i, 0.5), 0.5 * i)))
    assert table.settled == []


def test_a_sliding_card_settles_where_it_stops() -> None:
    table = Table()
    for i in range(4):
        table.look(seen(card((0.4 + 0.03 * i, 0.5))))
    table.look(seen(card((0.5, 0.5))), times=2)
    (track,) = table.settled
    assert geometry.centre(track.quad) == pytest.approx((0.5, 0.5), abs=0.005)


def test_a_hand_seen_once_as_a_card_leaves_no_trace() -> None:
    table = table_with(card())
    table.look(seen(card()), seen(card((0.8, 0.2)), p=0.4))
    table.look(seen(card()), times=4)
    assert len(table.tracker.tracks) == 1
    assert Change.SETTLED not in [change for change, _ in table.changes]


def test_under_a_moving_hand_more_looks_are_needed() -> None:
    table = Table()
    table.look(seen(card()))
    (track,) = table.tracker.tracks
    restless = {track.id: Activity(moving=0.5)}
    assert table.look(seen(card()), activity=restless) == []
    assert table.look(seen(card()), times=2, activity=restless) == [Change.SETTLED]


def test_a_card_first_boxed_broader_than_long_is_not_cut_out_sideways_ever_after() -> None:
    in_flight = geometry.rectangle((0.5, 0.5), 0.092, 0.108, 0.4 + math.pi / 2)
    table = Table()
    table.look(seen(in_flight))
    table.look(seen(card()), times=3)
    [track] = table.settled
    short, long = geometry.side_lengths(track.quad)
    assert short < long
    assert geometry.angle_difference(geometry.long_angle(track.quad), 0.4) < math.radians(3)


def test_which_end_of_a_card_comes_first_stays_as_it_was_first_seen() -> None:
    a, b, c, d = card()
    table = table_with((a, b, c, d))
    table.look(seen((c, d, a, b)), times=4)
    assert math.dist(table.settled[0].quad[0], a) < 0.01


def test_two_cards_landing_at_once_both_settle() -> None:
    table = Table()
    both = (seen(card((0.4, 0.5))), seen(card((0.6, 0.5), 1.2)))
    assert table.look(*both, times=2) == [Change.SETTLED] * 2


def test_a_card_found_twice_in_one_look_is_one_card() -> None:
    table = Table()
    table.look(seen(card()), seen(card((0.502, 0.5)), p=0.5), times=3)
    assert len(table.tracker.tracks) == 1


def test_a_miss_is_no_evidence_while_the_place_looks_the_same() -> None:
    table = table_with(card())
    table.look(times=20)
    assert len(table.settled) == 1
    assert table.changes == []


def test_a_card_under_a_hand_is_believed_in() -> None:
    table = table_with(card())
    (track,) = table.settled
    table.look(times=10, activity={track.id: UNDER_ARM})
    assert table.settled == [track]
    assert table.changes == [(Change.HIDDEN, track.id)]


def test_a_card_under_a_resting_arm_is_believed_in() -> None:
    table = table_with(card())
    (track,) = table.settled
    table.look(times=20, activity={track.id: UNDER_STILL_ARM})
    assert table.settled == [track]


def test_a_card_seen_again_after_a_hand_says_so() -> None:
    table = table_with(card())
    (track,) = table.settled
    table.look(times=4, activity={track.id: UNDER_ARM})
    table.look(seen(card()))
    assert table.changes == [(Change.HIDDEN, track.id), (Change.SEEN, track.id)]


def test_a_hand_that_only_passes_is_not_told() -> None:
    table = table_with(card())
    (track,) = table.settled
    table.look(times=1, activity={track.id: UNDER_ARM})
    table.look(seen(card()), times=3)
    assert table.changes == []


def test_a_card_is_gone_after_two_looks_at_its_bare_place() -> None:
    table = table_with(card())
    (track,) = table.settled
    assert table.look(activity={track.id: GONE_BARE}) == []
    assert table.look(activity={track.id: GONE_BARE}) == [Change.HIDDEN, Change.GONE][1:]
    assert table.tracker.tracks == ()


def test_a_card_missing_from_a_changed_place_is_gone_in_the_end() -> None:
    table = table_with(card())
    (track,) = table.settled
    table.look(times=4, activity={track.id: CHANGED})
    assert table.settled == [track]
    table.look(times=4, activity={track.id: CHANGED})
    assert table.changes[-1] == (Change.GONE, track.id)


def test_a_card_mostly_covered_by_another_is_believed_in() -> None:
    low, high = card((0.5, 0.5), 0.4), card((0.52, 0.505), 0.5)
    table = table_with(low)
    (track,) = table.settled
    covered = {track.id: Activity(same=0.5, open=0.25)}
    table.look(seen(high), times=10, activity=covered)
    assert [t.state for t in table.settled] == [State.RESTING] * 2
    assert (Change.HIDDEN, track.id) in table.changes


def test_a_card_landing_on_another_does_not_take_its_name() -> None:
    """Cover of 70%: the finder now sees the upper card alone."""
    low = card((0.5, 0.5), 0.4)
    high = card((0.53, 0.5), 0.4)
    assert 0.5 < geometry.covered(low, high) < 0.8
    table = table_with(low)
    (track,) = table.settled
    table.look(seen(high), times=3, activity={track.id: Activity(same=0.3, open=0.3)})
    assert len(table.settled) == 2
    assert geometry.centre(track.quad) == pytest.approx((0.5, 0.5), abs=0.005)


def test_a_card_thrown_across_one_that_just_came_to_lie_does_not_take_its_track() -> None:
    table = Table()
    table.look(seen(card(), read="6D"))
    (lying,) = table.tracker.tracks
    across = card((0.51, 0.5), 0.9)
    assert geometry.iou(card(), across) > 0.4  # near enough to be the first card, moved on
    table.look(seen(across, read="JD"), times=2)
    table.look(seen(across, read="JD"), seen(card(), read="6D"), times=2)
    assert len(table.settled) == 2
    assert lying.first_seen < table.settled[-1].first_seen
    assert geometry.iou(lying.quad, card()) > 0.9


def test_a_card_read_anyhow_while_it_slides_stays_one_card() -> None:
    """Blurred in motion a card may be read as almost anything, but not surely."""
    table = Table()
    for i, label in enumerate(("6S", "QS", "7S")):
        quad = card((0.4 + 0.03 * i, 0.5))
        table.look(Sighting(quad, "up", 0.9, surely(label, 0.4)))
    table.look(seen(card((0.46, 0.5)), read="6S"), times=2)
    assert [track.id for track in table.settled] == [1]


def under_a_hand(*, looks: int, read: str | None) -> tuple[Table, Track]:
    """A card seen a few times beside the hand that lays it: that is not enough for it to settle."""
    table = Table()
    table.look(seen(card(), read=read))
    (track,) = table.tracker.tracks
    for _ in range(looks - 1):
        table.look(seen(card(), read=read), activity={track.id: Activity(moving=0.5)})
    assert table.settled == []
    return table, track


def test_a_card_covered_before_it_had_settled_lies_under_the_other() -> None:
    table, track = under_a_hand(looks=2, read="7D")
    thrown = seen(card((0.5, 0.51), 1.5), read="2S")
    assert table.look(thrown) == [Change.SETTLED]
    assert table.settled == [track]
    table.look(thrown, times=6, activity={track.id: Activity(same=0.2, bare=0.1, open=0.2)})
    first, second = table.settled
    assert (first, table.tracker.above(first)) == (track, (second,))


def test_a_card_whose_box_wanders_under_the_hand_lies_where_it_is_covered() -> None:
    table = Table()
    for i in range(3):
        table.look(seen(card((0.5, 0.5 + 0.012 * i)), read="2H"))
    (track,) = table.tracker.tracks
    assert not track.lies
    assert table.look(seen(card((0.51, 0.53), 1.3), read="JH")) == [Change.SETTLED]
    assert track.rest_since == track.first_seen


def test_a_card_that_flies_under_another_does_not_lie_where_it_was_seen() -> None:
    table = Table()
    for i in range(3):
        table.look(seen(card((0.5, 0.4 + 0.035 * i)), read="2H"))
    table.look(seen(card((0.5, 0.48), 1.3), read="JH"))
    assert table.settled == []


@pytest.mark.parametrize(
    ("looks", "read", "over"),
    [(1, "7D", "2S"), (2, None, "2S"), (2, "7D", "7D"), (2, "7D", None), (2, "7D", "other")],
)
def test_what_was_not_seen_at_rest_and_read_or_not_covered_by_another_card_does_not_lie(
    looks: int, read: str | None, over: str | None
) -> None:
    table, track = under_a_hand(looks=looks, read=read)
    table.look(seen(card((0.52, 0.53), 1.3), read=over), times=6)
    assert track.state is State.GONE or geometry.iou(track.quad, card()) < 0.9


def test_a_card_beside_one_that_is_missed_does_not_settle_it() -> None:
    table, track = under_a_hand(looks=2, read="7D")
    table.look(seen(card((0.6, 0.5)), read="2S"), times=6)
    assert track.state is State.GONE


def test_a_later_card_lies_on_an_earlier_one() -> None:
    table = table_with(card())
    (low,) = table.settled
    table.look(seen(card()), seen(card((0.55, 0.5), 1.3)), times=3)
    high = table.settled[1]
    assert table.tracker.above(low) == (high,)
    assert table.tracker.above(high) == ()


def test_a_nudged_card_is_moved_not_new() -> None:
    table = table_with(card())
    (track,) = table.settled
    table.look(seen(card((0.515, 0.506))), times=3)
    assert table.changes == [(Change.MOVED, track.id)]
    assert geometry.centre(track.quad) == pytest.approx((0.515, 0.506), abs=0.005)


def test_no_verdict_while_a_card_comes_to_rest_nearby() -> None:
    """It may be the same card, pushed further than one look can follow."""
    table = table_with(card())
    (track,) = table.settled
    table.look(seen(card((0.6, 0.55))), activity={track.id: GONE_BARE})
    assert table.settled == [track]


def test_an_adopted_card_keeps_its_number_and_lies_on_top() -> None:
    table = table_with(card(), card((0.6, 0.5), 1.3))
    old, other = table.settled
    there = seen(card((0.57, 0.6), 1.0))
    table.look(seen(other.quad), there, times=3, activity={old.id: UNDER_ARM})
    new = next(t for t in table.settled if t.id not in (old.id, other.id))
    table.tracker.adopt(old, new)
    assert [t.id for t in table.settled] == [other.id, old.id]
    assert table.tracker.above(other) == (old,)


def test_things_of_another_size_are_no_cards_once_the_size_is_known() -> None:
    table = table_with(card((0.2, 0.2)), card((0.5, 0.5)), card((0.8, 0.2)))
    for track in table.settled:
        table.tracker.learn_size(track)
    coaster = geometry.rectangle((0.3, 0.8), 0.2, 0.25, 0)
    table.look(seen(coaster), times=4)
    assert len(table.tracker.tracks) == 3


@pytest.mark.parametrize(("part", "whole"), [(1.0, 1.0), (0.9, 1.0), (0.7, 0.4), (0.55, 0.0)])
def test_a_box_that_takes_in_a_part_of_a_card_is_known_by_the_usual_size(
    part: float, whole: float
) -> None:
    table = table_with(card((0.2, 0.2)), card((0.5, 0.5)), card((0.8, 0.2)))
    known = table.settled
    assert table.tracker.wholeness(known[0]) == 1.0  # nothing is known of sizes yet
    for track in known:
        table.tracker.learn_size(track)
    short, long = geometry.side_lengths(card())
    table.look(
        *(seen(t.quad) for t in known),
        seen(geometry.rectangle((0.3, 0.8), short, long * part, 0)),
        times=4,
    )
    (new,) = [track for track in table.settled if track not in known]
    assert table.tracker.wholeness(new) == pytest.approx(whole, abs=0.02)


def test_phantoms_that_settled_do_not_hide_the_cards_that_follow() -> None:
    squares = [geometry.rectangle((0.2 + 0.3 * i, 0.8), 0.2, 0.25, 0) for i in range(3)]
    table = Table()
    table.look(*(seen(square, "down") for square in squares), times=4)
    table.look(seen(card((0.5, 0.3))), times=4)
    assert any(geometry.area(t.quad) < 0.03 for t in table.settled)


def test_a_card_turned_over_changes_face() -> None:
    table = Table()
    table.look(seen(card(), "down"), times=4)
    (track,) = table.settled
    assert track.face == "down"
    table.look(seen(card(), "up"), times=6)
    assert track.face == "up"


def test_frames_without_a_look_change_nothing_at_rest() -> None:
    table = table_with(card())
    assert table.look(times=50, finder=False) == []
    assert not table.tracker.busy


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10_000), st.integers(1, 6))
def test_noise_and_misses_neither_lose_nor_invent_cards(seed: int, count: int) -> None:
    """Finder noise of 2% of a card's length and one look in ten missed, for twelve seconds."""
    rng = np.random.default_rng(seed)
    places = [(0.15 + 0.14 * i, 0.3 + 0.07 * (i % 3)) for i in range(count)]
    angles = rng.uniform(0, math.pi, count)
    table = Table()
    for _ in range(90):
        table.look(*_noisy(places, angles, rng))
    assert len(table.settled) == count
    assert [change for change, _ in table.changes].count(Change.SETTLED) == count
    assert Change.GONE not in [change for change, _ in table.changes]


def _noisy(
    places: Sequence[Point], angles: Sequence[float], rng: np.random.Generator
) -> list[Sighting]:
    found = []
    for at, angle in zip(places, angles, strict=True):
        if rng.random() < 0.1:
            continue
        jitter = rng.normal(0, 0.02 * LONG, (4, 2))
        found.append(seen(geometry.order_quad(np.asarray(card(at, angle)) + jitter)))
    return found
