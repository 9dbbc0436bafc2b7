"""From frames to table events, on a small animated table with noisy stand-ins for the models."""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache

import pytest

from tests.vision.scenes import HEIGHT, TABLE, WIDTH, Act, Lay, Lying, Rest, Scene, Shift, Sweep
from vision import events as ev
from vision import geometry
from vision.labels import LABELS, OTHER
from vision.pipeline import Follower
from vision.table import table_from_corners
from vision.types import Detection, Face, Image, Point, Window

TABLE_OF_SCENES = table_from_corners(TABLE, (WIDTH, HEIGHT))
TRICK = (
    Lay("S", "AS", (320, 220), 1.0),
    Lay("E", "7S", (370, 180), 2.0, 0.3),
    Lay("N", "2H", (315, 150), 3.0, 1.6, thrown=True),
    Lay("W", "KS", (270, 185), 4.0, 2.2),
)


def followed(scene: Scene) -> tuple[list[ev.TableEvent], Follower]:
    follower = Follower(scene.find, scene.read, TABLE_OF_SCENES)
    happened: list[ev.TableEvent] = []
    for frame in scene.frames():
        happened += follower.step(frame)
    happened += follower.finish()
    return happened, follower


def events_of(scene: Scene) -> list[ev.TableEvent]:
    return followed(scene)[0]


@cache
def trick_and_sweep() -> tuple[ev.TableEvent, ...]:
    return tuple(events_of(Scene([*TRICK, Sweep("E", 6.5)], 7.5)))


def label(event: ev.CardPlaced | ev.CardReread) -> str:
    return LABELS[max(range(len(LABELS)), key=event.log_probs.__getitem__)]


def placed(happened: Sequence[ev.TableEvent]) -> list[ev.CardPlaced]:
    return [event for event in happened if isinstance(event, ev.CardPlaced)]


def gone(happened: Sequence[ev.TableEvent]) -> list[ev.CardGone]:
    return [event for event in happened if isinstance(event, ev.CardGone)]


def seat(point: Point | None) -> str:
    assert point is not None
    return TABLE_OF_SCENES.seat_at(point)


# --- a plain trick ---


def test_the_cards_of_a_trick_are_placed_in_order() -> None:
    assert [label(event) for event in placed(trick_and_sweep())] == ["AS", "7S", "2H", "KS"]


def test_each_card_comes_from_the_seat_that_played_it() -> None:
    assert [seat(event.entry) for event in placed(trick_and_sweep())] == ["S", "E", "N", "W"]


def test_a_card_is_announced_within_half_a_second_of_lying() -> None:
    for act, event in zip(TRICK, placed(trick_and_sweep()), strict=True):
        assert event.announced is not None
        assert event.announced - act.t <= 0.5
        assert abs(event.t - act.t) <= 0.3


def test_a_card_lies_where_it_was_laid() -> None:
    for act, event in zip(TRICK, placed(trick_and_sweep()), strict=True):
        at = geometry.map_point(TABLE_OF_SCENES.to_table, act.at)
        assert math.dist(event.centre, at) < 0.02


def test_a_swept_trick_is_gone_to_the_seat_that_gathered_it() -> None:
    left = gone(trick_and_sweep())
    assert len(left) == 4
    assert {seat(event.exit) for event in left} == {"E"}
    assert isinstance(trick_and_sweep()[-1], ev.TableCleared)


def test_the_same_frames_give_the_same_events() -> None:
    scene = [*TRICK[:2], Sweep("E", 4.0)]
    assert events_of(Scene(scene, 4.5)) == events_of(Scene(scene, 4.5))


# --- what tables are like ---


def test_an_empty_table_is_silent() -> None:
    assert events_of(Scene([], 4.0, grain=4, gain_drift=0.1, flicker=0.05)) == []


def test_the_finder_rests_while_nothing_happens() -> None:
    _, follower = followed(Scene([], 6.0))
    assert follower.looks <= 6


def test_the_finder_is_shown_the_table_and_not_the_floor_round_it() -> None:
    scene = Scene(TRICK, 5.0)
    shown = set[Window]()

    def find(image: Image, window: Window) -> list[Detection]:
        shown.add(window)
        return scene.find(image, window)

    follower = Follower(find, scene.read, TABLE_OF_SCENES)
    for frame in scene.frames():
        follower.step(frame)
    assert shown == {TABLE_OF_SCENES.window}


def test_drift_and_flicker_change_nothing() -> None:
    acts = [*TRICK, Sweep("E", 6.5)]
    happened = events_of(Scene(acts, 7.5, gain_drift=0.15, flicker=0.05, grain=4))
    assert [label(event) for event in placed(happened)] == ["AS", "7S", "2H", "KS"]
    assert len(gone(happened)) == 4


def test_two_cards_at_once_are_two_cards_from_two_seats() -> None:
    acts = [Lay("S", "AS", (320, 235), 1.0), Lay("W", "7S", (250, 170), 1.05, 0.3)]
    found = placed(events_of(Scene(acts, 2.5)))
    assert {label(e): seat(e.entry) for e in found} == {"AS": "S", "7S": "W"}


def test_a_card_laid_over_another_leaves_it_believed_in() -> None:
    low, high = Lay("S", "AS", (320, 200), 1.0, 0.5), Lay("E", "7S", (333, 196), 2.5, 0.9)
    happened = events_of(Scene([low, high], 5.0))
    assert [label(event) for event in placed(happened)] == ["AS", "7S"]
    assert gone(happened) == []


def test_a_doubtful_card_is_followed_if_it_is_read_as_another_than_it_lies_across() -> None:
    acts = [Lay("S", "AS", (320, 200), 1.0, 0.5), Lay("E", "7S", (333, 196), 2.5, 0.9)]

    @dataclass
    class SevenDoubtful(Scene):
        def find(self, image: Image, window: Window) -> list[Detection]:
            found = super().find(image, window)
            sevens = [self.read(image, [one.quad])[0].best == "7S" for one in found]
            return [replace(o, doubtful=s) for o, s in zip(found, sevens, strict=True)]

    happened = events_of(SevenDoubtful(acts, 5.0))
    assert [label(event) for event in placed(happened)] == ["AS", "7S"]


def test_a_card_boxed_twice_is_followed_once() -> None:
    @dataclass
    class Twice(Scene):
        def find(self, image: Image, window: Window) -> list[Detection]:
            found = super().find(image, window)
            return found + [
                replace(one, quad=geometry.grow(one.quad, 1.35), doubtful=True) for one in found
            ]

    happened = events_of(Twice(TRICK, 5.0))
    assert [label(event) for event in placed(happened)] == ["AS", "7S", "2H", "KS"]


@pytest.mark.parametrize("seed", range(1, 5))
def test_a_card_laid_squarely_on_another_is_read_in_its_place_or_on_top_of_it(seed: int) -> None:
    """Which of the two depends on how nearly the boxes agree; what lies on top is known either way."""
    low, high = Lay("S", "AS", (320, 220), 0.6), Lay("E", "7H", (323.6, 224.8), 2.2, 1.27)
    _, follower = followed(Scene([low, high], 4.0, seed=seed))
    assert follower.view is not None
    *under, top = [card.label for card in follower.view.cards]
    assert top == "7H"
    assert under in ([], ["AS"])


def test_a_card_turned_over_where_it_lies_is_known_at_once() -> None:
    @dataclass
    class TurnedOver(Scene):
        def lying(self, t: float) -> list[Lying]:
            face: Face = "down" if t < 2.5 else "up"
            return [replace(one, face=face) for one in super().lying(t)]

    acts: list[Act] = [Lay("S", "AS", (320, 220), 0.6), Rest("S", (320, 220), 2.4, 0.3)]
    happened = events_of(TurnedOver(acts, 4.5))
    seen = [
        event for event in happened if isinstance(event, ev.CardReread) and label(event) == "AS"
    ]
    assert seen[0].face == "up"
    assert seen[0].t < 3.3


def test_an_arm_resting_on_a_card_does_not_take_it() -> None:
    acts: list[Act] = [Lay("S", "AS", (320, 200), 1.0), Rest("E", (325, 200), 3.0, 3.0)]
    happened = events_of(Scene(acts, 7.5))
    kinds = Counter(type(event) for event in happened)
    assert kinds[ev.CardPlaced] == 1
    assert kinds[ev.CardGone] == 0
    assert kinds[ev.CardCovered] == kinds[ev.CardUncovered]


def test_a_card_taken_back_is_gone_and_the_next_is_new() -> None:
    acts = [
        Lay("S", "AS", (320, 220), 1.0),
        Sweep("S", 3.0, ("AS",)),
        Lay("S", "2H", (330, 215), 4.2),
    ]
    happened = events_of(Scene(acts, 5.5))
    assert [label(event) for event in placed(happened)] == ["AS", "2H"]
    assert [seat(event.exit) for event in gone(happened)] == ["S"]


def test_a_pushed_card_keeps_its_track() -> None:
    acts: list[Act] = [Lay("S", "AS", (320, 220), 1.0), Shift("E", "AS", (345, 205), 3.0)]
    happened = events_of(Scene(acts, 5.0))
    moved = [event for event in happened if isinstance(event, ev.CardMoved)]
    assert len(placed(happened)) == 1
    assert gone(happened) == []
    at = geometry.map_point(TABLE_OF_SCENES.to_table, (345, 205))
    assert math.dist(moved[-1].centre, at) < 0.02


def test_a_face_down_pile_is_face_down() -> None:
    acts = [
        Lay("E", "3C", (490, 60), 1.0, 0.1, face="down"),
        Lay("E", "4C", (492, 62), 2.5, 0.2, face="down"),
        Lay("E", "5C", (489, 61), 4.0, 0.05, face="down"),
    ]
    found = placed(events_of(Scene(acts, 5.5)))
    assert found
    assert {event.face for event in found} == {"down"}


def test_the_next_lead_may_be_down_before_the_trick_is_gone() -> None:
    acts = [
        Lay("S", "AS", (320, 220), 1.0),
        Lay("E", "7S", (370, 180), 2.0, 0.3),
        Lay("W", "2H", (200, 250), 3.9, 0.8),
        Sweep("E", 4.2, ("AS", "7S")),
    ]
    happened = events_of(Scene(acts, 5.5))
    assert [label(event) for event in placed(happened)] == ["AS", "7S", "2H"]
    by_track = {event.track: label(event) for event in placed(happened)}
    assert {by_track[event.track] for event in gone(happened)} == {"AS", "7S"}


def test_a_knocked_camera_is_registered_and_loses_no_card() -> None:
    acts = [*TRICK[:2], Lay("N", "2H", (315, 130), 6.0, 1.6)]
    happened, follower = followed(Scene(acts, 7.0, knock=(3.5, (9.0, -6.0))))
    knocks = [event for event in happened if isinstance(event, ev.CameraMoved)]
    assert [event.registered for event in knocks] == [True]
    assert [label(event) for event in placed(happened)] == ["AS", "7S", "2H"]
    assert gone(happened) == []
    assert follower.table is not None
    corner = follower.table.corners[0]
    assert corner == pytest.approx((TABLE[0][0] + 9, TABLE[0][1] - 6), abs=1.5)


def test_after_a_gap_cards_are_looked_for_anew() -> None:
    scene = Scene([Lay("S", "AS", (320, 220), 1.0)], 2.0)
    follower = Follower(scene.find, scene.read, TABLE_OF_SCENES)
    frames = list(scene.frames())
    for frame in frames[:3]:
        follower.step(frame)
    gap = ev.SourceGap(frames[2].t, frames[-1].t, 3)
    assert follower.gap(gap) == (gap,)
    follower.step(frames[-1])
    assert follower.looks >= 2


@pytest.mark.parametrize("fps", [10, 30])
def test_other_frame_rates_follow_alike(fps: float) -> None:
    happened = events_of(Scene(TRICK, 5.0, fps=fps))
    assert [label(event) for event in placed(happened)] == ["AS", "7S", "2H", "KS"]
    assert [seat(event.entry) for event in placed(happened)] == ["S", "E", "N", "W"]


def test_what_lay_there_in_the_first_picture_was_not_stirred_and_what_is_laid_was() -> None:
    lay_there = Lay("N", "3C", (420, 90), -5.0)
    happened = placed(events_of(Scene([lay_there, *TRICK], 5.0)))
    assert {label(event): event.stirred for event in happened} == {
        "3C": False,
        "AS": True,
        "7S": True,
        "2H": True,
        "KS": True,
    }


def test_after_a_gap_nobody_can_say_what_was_stirred() -> None:
    scene = Scene([Lay("S", "AS", (320, 220), 1.0)], 3.0)
    follower = Follower(scene.find, scene.read, TABLE_OF_SCENES)
    frames = list(scene.frames())
    follower.step(frames[0])
    follower.gap(ev.SourceGap(frames[0].t, frames[25].t, 25))
    happened = [event for frame in frames[25:] for event in follower.step(frame)]
    assert [event.stirred for event in placed(happened)] == [True]


# --- the page's view ---


def test_the_view_shows_the_cards_with_their_labels_on_the_picture() -> None:
    _, follower = followed(Scene(TRICK[:2], 3.0))
    view = follower.view
    assert view is not None
    assert {card.label for card in view.cards if card.settled} == {"AS", "7S"}
    for card in view.cards:
        wanted = next(act for act in TRICK if act.card == card.label).at
        assert math.dist(geometry.centre(card.quad), wanted) < 5
        assert card.p is not None
        assert card.p > 0.8


# --- strange things, and a table marked anew ---


def test_a_foreign_card_is_told_and_not_the_cards_beside_it() -> None:
    acts = [Lay("S", OTHER, (320, 220), 1.0), Lay("E", "7S", (380, 180), 1.5, 0.3)]
    happened = events_of(Scene(acts, 6.5, misses=0.0))
    foreign = [event for event in happened if isinstance(event, ev.ForeignCard)]
    strange = {event.track for event in placed(happened) if label(event) == OTHER}
    assert [event.track for event in foreign] == list(strange)


def test_a_trump_card_left_lying_does_not_keep_the_table_from_being_cleared() -> None:
    rest = tuple(act.card for act in TRICK)
    acts = [
        Lay("W", "JD", (180, 190), 0.6, 1.5),
        *[replace(act, t=act.t + 1) for act in TRICK],
        Sweep("E", 7.0, rest),
    ]
    happened = events_of(Scene(acts, 10.5))
    cleared = [event.t for event in happened if isinstance(event, ev.TableCleared)]
    assert len(cleared) == 1
    assert cleared[0] > max(event.t for event in gone(happened))


def test_a_card_taken_back_beside_another_clears_no_table() -> None:
    acts = [*TRICK[:2], Sweep("E", 3.5, ("7S",))]
    assert not any(isinstance(e, ev.TableCleared) for e in events_of(Scene(acts, 7.0)))


def test_marking_the_table_anew_announces_no_card_again() -> None:
    scene = Scene(TRICK[:2], 5.0)
    follower = Follower(scene.find, scene.read, TABLE_OF_SCENES)
    happened: list[ev.TableEvent] = []
    for frame in scene.frames():
        happened += follower.step(frame)
        if frame.index == 50:
            x = 15.0
            moved = tuple((a + x, b - 10) for a, b in TABLE)
            follower.calibrate(table_from_corners(moved, (WIDTH, HEIGHT)))  # type: ignore[arg-type]
    assert [label(event) for event in placed(happened)] == ["AS", "7S"]
    assert gone(happened) == []


def test_cards_outside_a_table_marked_anew_are_gone() -> None:
    acts = [Lay("W", "AS", (160, 180), 1.0), Lay("E", "7S", (420, 180), 2.0, 0.3)]
    scene = Scene(acts, 5.0)
    follower = Follower(scene.find, scene.read, TABLE_OF_SCENES)
    happened: list[ev.TableEvent] = []
    for frame in scene.frames():
        happened += follower.step(frame)
        if frame.index == 50:
            right = ((300.0, 20.0), (540.0, 20.0), (540.0, 340.0), (300.0, 340.0))
            follower.calibrate(table_from_corners(right, (WIDTH, HEIGHT)))
    names = {event.track: label(event) for event in placed(happened)}
    assert [names[event.track] for event in gone(happened)] == ["AS"]
