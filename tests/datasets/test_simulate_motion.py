"""Movement at the simulated table: cards come from their player, rest, and go to the piles."""

import numpy as np
import pytest

from datasets.simulate import Options, perform
from datasets.simulate_level import LEVELS
from datasets.simulate_scene import build_scene
from datasets.simulate_world import OUTWARD, Actor, Move, Pose, Room

ROOM = Room(370.0, 320.0)
LEVEL_NAMES = list(LEVELS)


def acted(level: str, seed: int = 1, **more):
    return perform(Options(seed=seed, level=level, **more), ROOM)[1]


def actor_of(performance, play) -> Actor:
    return next(a for a in performance.cards if a.name == f"{play.deal}:{play.card}")


@pytest.mark.parametrize("level", LEVEL_NAMES)
def test_a_played_card_rests_where_and_when_the_truth_says(level):
    performance = acted(level, seed=3)
    for play in performance.plays:
        move = actor_of(performance, play).move_at(play.t_settled + 1e-6)
        assert move is not None
        assert move.at(play.t_settled) == play.pose


@pytest.mark.parametrize("level", LEVEL_NAMES)
def test_cards_are_let_go_in_the_order_of_play(level):
    for seed in range(6):
        released = [play.t_release for play in acted(level, seed).plays]
        assert released == sorted(released)


@pytest.mark.parametrize("level", LEVEL_NAMES)
def test_a_card_lands_on_its_players_side_of_the_middle(level):
    for play in acted(level, seed=5).plays:
        dx, dy = OUTWARD[play.seat]
        assert play.pose.x * dx + play.pose.y * dy > 0


@pytest.mark.parametrize("level", LEVEL_NAMES)
def test_every_trick_ends_face_down(level):
    performance = acted(level, seed=7)
    for gather in performance.gathers:
        for play in performance.plays:
            if (play.deal, play.trick) == (gather.deal, gather.trick):
                move = actor_of(performance, play).move_at(gather.t_end)
                assert move is not None
                assert move.end.turn == 1.0


def test_nothing_lies_on_the_table_when_the_deal_is_over():
    performance = acted("hard", seed=2, deals=2)
    for number, end in enumerate(performance.ends):
        of_this_deal = [a for a in performance.cards if a.name.startswith(f"{number}:")]
        assert all(actor.move_at(end) is None for actor in of_this_deal)


def test_easy_players_wait_for_each_other_and_do_nothing_else():
    performance = acted("easy", seed=4)
    settled = [play.t_settled for play in performance.plays]
    assert not performance.extras
    assert min(np.diff(settled)) > 1.0


def test_hard_tables_show_every_kind_of_trouble():
    kinds = {extra.kind for seed in range(8) for extra in acted("hard", seed).extras}
    assert kinds == {"early-lead", "take-back", "hover", "nudge", "look-again"}


def test_the_trump_card_is_put_away_before_easy_play_and_may_lie_at_a_hard_table():
    easy = acted("easy", seed=1)
    assert easy.trumps[0].t_gone < easy.plays[0].t_release
    lying = [acted("hard", seed).trumps[0] for seed in range(6)]
    assert any(t.left_lying and t.t_gone > t.t_settled + 10 for t in lying)


@pytest.mark.parametrize("level", ["easy", "normal"])
@pytest.mark.parametrize("size", [(1280, 720), (1920, 1080), (640, 480)])
def test_the_whole_table_is_in_the_picture(level, size):
    for seed in range(2):
        scene = build_scene(seed, level, size)
        corners = scene.views[0].camera.project(scene.room.corners)
        assert (corners >= 0).all()
        assert (corners <= size).all()


def test_a_thing_cannot_move_two_ways_at_once():
    actor = Actor("0:7H")
    actor.add(Move(1.0, 2.0, Pose(0, 0), Pose(10, 0)))
    with pytest.raises(ValueError, match=r"move at 1\.50 s before 2\.00 s"):
        actor.add(Move(1.5, 3.0, Pose(10, 0), Pose(20, 0)))


def test_the_last_trick_of_a_misdeal_has_a_card_laid_beside_it_and_is_swept_up_with_it():
    performance = acted("normal", seed=3, deals=2, misdeal="E", dealer="S")
    (left,) = [extra for extra in performance.extras if extra.kind == "left-over"]
    last = [play for play in performance.plays if play.deal == 0][-1]
    (gather,) = [g for g in performance.gathers if (g.deal, g.trick) == (0, 10)]
    assert left.seat == "E"
    assert last.t_settled < left.t0 < gather.t_start
    actor = next(a for a in performance.cards if a.name == f"0:{left.card}")
    move = actor.move_at(gather.t_end)
    assert move is not None
    assert move.end.turn == 1.0
