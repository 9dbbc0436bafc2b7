"""The truth file of a simulated video: what happened, as plain JSON values.

Times are seconds from the start of the video, quads and corners image pixels (clockwise from a
corner of a short side, whole numbers at pixel centres), tricks numbered from 1.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from assistant.sueca import Play, fold
from assistant.sueca import Seat as RuleSeat
from datasets.drawn import Deck
from datasets.simulate_game import SECOND, Pack, PlayedDeal
from datasets.simulate_level import LevelName
from datasets.simulate_scene import Scene
from datasets.simulate_truth import Extra, Performance, PlayTruth
from datasets.simulate_world import Floats, Pose, Seat, outline


@dataclass(frozen=True, slots=True)
class Options:
    """What to simulate. `size` (width, height) pixels; `rules` the name of a preset for four.

    `revoke`: the seat that revokes once in every deal; `out_of_turn`: the seat that plays once
    before its turn in every deal; `misdeal`: the seat with a card too many in the first deal, which
    is thrown in. `dealer`: of the first deal, else random. `bit_rate` bits/s, else by level.
    `pack`: what is dealt from. `upside_down`: the camera hangs the wrong way round; the truth's seats are
    those of the picture's sides then, as always.
    `frames`: keep the truth of every frame too (`datasets.simulate_frames`).
    """

    seed: int = 1
    level: LevelName = "easy"
    rules: str = "selminha"
    deals: int = 1
    size: tuple[int, int] = (1280, 720)
    fps: float = 15.0
    revoke: Seat | None = None
    out_of_turn: Seat | None = None
    misdeal: Seat | None = None
    dealer: Seat | None = None
    surface: str | None = None
    bit_rate: int | None = None
    frames: bool = False
    pack: Pack = "sueca"
    upside_down: bool = False


@dataclass(frozen=True, slots=True)
class Told:
    """All that is known of a video once it has been made."""

    played: Sequence[PlayedDeal]
    performance: Performance
    scene: Scene
    visible: dict[tuple[int, str], float]
    lost: int


class _Teller:
    def __init__(self, deck: Deck, told: Told) -> None:
        self.deck, self.told = deck, told

    def quad(self, pose: Pose, t: float) -> list[list[float]]:
        """Where a card lies in the picture at a time."""
        camera = self.told.scene.view_at(t).camera
        return _points(camera.project(outline(pose, self.deck.width_mm, self.deck.height_mm)))

    def play(self, play: PlayTruth) -> dict[str, object]:
        visible = self.told.visible.get((play.deal, play.card), play.t_settled)
        return {
            "seat": play.seat,
            "card": play.card.removesuffix(SECOND),
            "trick": play.trick,
            "t_release": round(play.t_release, 3),
            "t_visible": round(visible, 3),
            "t_settled": round(play.t_settled, 3),
            "quad": self.quad(play.pose, play.t_settled),
        }

    def tricks(self, number: int) -> list[dict[str, object]]:
        """Every trick; the last of a misdeal has no winner and counts for nobody."""
        gathers = [g for g in self.told.performance.gathers if g.deal == number]
        state = fold(self.told.played[number].deal)
        told = [
            _trick(trick.leader, trick.winner, trick.plays, trick.points) for trick in state.tricks
        ]
        if state.table:
            told.append(_trick(state.table[0].seat, None, state.table, 0))
        for trick, gather in zip(told, gathers, strict=True):
            trick["by"] = gather.by
            trick["t_start"] = round(gather.t_start, 3)
            trick["t_end"] = round(gather.t_end, 3)
        return told

    def deal(self, number: int) -> dict[str, object]:
        performance, one = self.told.performance, self.told.played[number]
        trump = next(t for t in performance.trumps if t.deal == number)
        points = fold(one.deal).team_points
        told: dict[str, object] = {
            "dealer": trump.dealer,
            "trump": trump.card,
            "trump_shown": {
                "t_settled": round(trump.t_settled, 3),
                "t_gone": round(trump.t_gone, 3),
                "left_lying": trump.left_lying,
                "quad": self.quad(trump.pose, trump.t_settled),
            },
            "plays": [self.play(play) for play in performance.plays if play.deal == number],
            "tricks": self.tricks(number),
            "points": {team.value: n for team, n in points.items()},
            "revokes": [
                {"seat": r.seat.value, "trick": r.trick, "proved_in": r.proved_in}
                for r in one.revokes
            ],
            "out_of_turn": [
                {"seat": seat.value, "trick": trick} for seat, trick in one.out_of_turn
            ],
            "t_end": round(performance.ends[number], 3),
        }
        if one.misdeal:
            told["misdeal"] = {
                "long": one.misdeal.long.value,
                "short": one.misdeal.short.value,
                "left_over": one.misdeal.left_over.text,
            }
        return told

    def extra(self, extra: Extra) -> dict[str, object]:
        return {
            "kind": extra.kind,
            "t0": round(extra.t0, 3),
            "t1": round(extra.t1, 3),
            "seat": extra.seat,
            "card": extra.card.removesuffix(SECOND) if extra.card else None,
            "quad": self.quad(extra.pose, extra.t1) if extra.pose else None,
        }

    def views(self) -> list[dict[str, object]]:
        room = self.told.scene.room
        return [
            {
                "t": round(view.t, 3),
                "still": view.still,
                "corners": _points(view.camera.project(room.corners)),
            }
            for view in self.told.scene.views
        ]


def _trick(
    leader: RuleSeat, winner: RuleSeat | None, plays: Sequence[Play], points: int
) -> dict[str, object]:
    return {
        "leader": leader.value,
        "winner": winner.value if winner else None,
        "cards": [play.card.text for play in plays],
        "points": points,
    }


def _points(quad: Floats) -> list[list[float]]:
    return [[round(float(x), 1), round(float(y), 1)] for x, y in quad]


def describe(options: Options, deck: Deck, told: Told) -> dict[str, object]:
    """The truth about a video. `table.corners` are those of the first view, upper left first."""
    teller, room = _Teller(deck, told), told.scene.room
    views = teller.views()
    truth: dict[str, object] = {
        "rules": options.rules,
        "level": options.level,
        "seed": options.seed,
        "deck": deck.name,
        "surface": told.scene.surface,
        "size": list(options.size),
        "fps": options.fps,
        "duration": round(told.performance.duration, 3),
        "frames_lost": told.lost,
        "table": {
            "corners": views[0]["corners"],
            "mm": [round(2 * room.half_width, 1), round(2 * room.half_height, 1)],
        },
        "views": views,
        "card_mm": [deck.width_mm, deck.height_mm],
        "deals": [teller.deal(number) for number in range(len(told.played))],
        "extras": [teller.extra(extra) for extra in told.performance.extras],
    }
    if options.pack != "sueca":
        truth["pack"] = options.pack
    return (
        {name: _turned(one, name) for name, one in truth.items()} if options.upside_down else truth
    )


_ACROSS = {"S": "N", "E": "W", "N": "S", "W": "E"}
_SEATS_NAMED = frozenset({"seat", "dealer", "leader", "winner", "by", "long", "short"})


def _turned(told: Any, name: str) -> Any:
    """The value `name` of a truth with seats and the order of the table's corners as they are in a picture
    turned by half a circle; quads are the picture's already."""
    if isinstance(told, dict):
        return {key: _turned(value, key) for key, value in told.items()}
    if name in _SEATS_NAMED:
        return _ACROSS.get(told)
    if name == "corners":
        return [*told[2:], *told[:2]]
    return [_turned(one, "") for one in told] if isinstance(told, list) else told
