"""A camera that shows the wrong thing, from its frames to the log: said, and nothing made up."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pytest

from assistant.commands.watch import _mirror
from assistant.events import Noticed
from assistant.fold import Game
from assistant.live import LiveGame
from assistant.log import GameLog
from assistant.observed import matches_of
from assistant.scribe import Scribe, ScribeOptions
from assistant.session import Session
from tests.vision.scenes import HEIGHT, TABLE, WIDTH, Lay, Scene, Sweep
from vision.events import SourceGap
from vision.geometry import area, order_quad
from vision.labels import INDEX, LABELS, OTHER
from vision.pipeline import Follower
from vision.table import Table, table_from_corners, whole_picture
from vision.types import Detection, Frame, Image, Quad, Reading, Window

TABLE_OF_SCENES = table_from_corners(TABLE, (WIDTH, HEIGHT))
ORDER = "SENW"
PLACES = {"S": (320, 225), "E": (375, 180), "N": (318, 135), "W": (265, 185)}


def game_of(
    frames: Iterator[Frame],
    find: Callable[[Image, Window], Sequence[Detection]],
    read: Callable[[Image, Sequence[Quad]], Sequence[Reading]],
    table: Table = TABLE_OF_SCENES,
) -> Game:
    """The game that comes of following these frames."""
    live = LiveGame(GameLog(Path(":memory:")))
    session = Session(Follower(find, read, table), Scribe(ScribeOptions()), live, None)
    session.run(frames, lambda frame, view: None)
    live.close()
    return live.game


def kinds(game: Game) -> list[str]:
    return [notice.kind for notice in game.notices if isinstance(notice, Noticed)]


def pictures(image: Image, seconds: int, fps: float = 1.0) -> Iterator[Frame]:
    return (Frame(image, n, n / fps) for n in range(round(seconds * fps)))


def no_cards(image: Image, window: Window) -> Sequence[Detection]:
    return ()


def no_readings(image: Image, quads: Sequence[Quad]) -> Sequence[Reading]:
    return ()


def test_an_empty_table_for_ten_minutes_is_no_game() -> None:
    scene = Scene([], 1.0)
    frame = next(scene.frames())
    game = game_of(pictures(frame.image, 600, fps=0.5), no_cards, no_readings)
    assert kinds(game) == ["no-cards"]
    assert game.deals == ()


def test_a_camera_that_looks_at_the_wall_is_told_to_look_down() -> None:
    grain = np.random.default_rng(5).normal(180, 3, (90, 160, 3)).astype(np.uint8)
    game = game_of(pictures(grain, 60), no_cards, no_readings, whole_picture((160, 90)))
    assert kinds(game) == ["no-table"]


@pytest.mark.parametrize(("light", "kind"), [(0.1, "dark"), (5.0, "overexposed")])
def test_a_picture_too_dark_or_too_bright_is_told(light: float, kind: str) -> None:
    image = next(Scene([], 1.0).frames()).image
    lit = np.clip(image * light, 0, 255).astype(np.uint8)
    game = game_of(pictures(lit, 20), no_cards, no_readings)
    assert kinds(game) == [kind]


def trick(cards: Sequence[str], t: float) -> list[Lay | Sweep]:
    """Four seats lay a card each, and South sweeps them up."""
    laid: list[Lay | Sweep] = [
        Lay(seat, card, PLACES[seat], t + 1.0 * n, 0.4 + n)
        for n, (seat, card) in enumerate(zip(ORDER, cards, strict=True))
    ]
    return [*laid, Sweep("S", t + 5.0)]


COURTS = ("QH", "JH", "KH", "AH"), ("QS", "KS", "JS", "AS"), ("QC", "JC", "KC", "AC")


def in_a_mirror(scene: Scene) -> Callable[[Image, Sequence[Quad]], Sequence[Reading]]:
    """A reader before which court cards stand mirrored: read well only when flipped back."""

    def read(image: Image, quads: Sequence[Quad]) -> list[Reading]:
        readings = []
        for quad in quads:
            flipped = area(quad) < 0 or _turns_back(quad)
            right = quad if not flipped else (quad[1], quad[0], quad[3], quad[2])
            (plain,) = scene.read(image, [right])
            readings.append(plain if flipped else _mistaken(plain))
        return readings

    return read


def _turns_back(quad: Quad) -> bool:
    """Whether the corners run counter-clockwise as seen."""
    (ax, ay), (bx, by), (cx, cy), _ = quad
    return (bx - ax) * (cy - by) - (by - ay) * (cx - bx) < 0


def _mistaken(reading: Reading) -> Reading:
    """Another card, and not surely."""
    best = LABELS.index(reading.best)
    logs = np.full(len(LABELS), -6.0)
    logs[(best + 3) % 40] = np.log(0.55)
    logs[INDEX[OTHER]] = np.log(0.35)
    return Reading(tuple(float(x) for x in logs))


def test_a_mirrored_stream_is_told_and_leaves_no_plays() -> None:
    acts = [act for n, cards in enumerate(COURTS) for act in trick(cards, 1.0 + 7 * n)]
    scene = Scene(acts, 20.0, misses=0.0, grain=1.0)
    game = game_of(scene.frames(), scene.find, in_a_mirror(scene))
    assert "mirrored" in kinds(game)
    assert all(deal.plays == () for deal in game.deals)
    assert all(match.deals == () for match in matches_of(game))


def test_the_same_stream_the_right_way_round_is_not_called_mirrored() -> None:
    acts = trick(COURTS[0], 1.0) + trick(COURTS[1], 8.0)
    scene = Scene(acts, 13.5, misses=0.0, grain=1.0)
    game = game_of(scene.frames(), scene.find, scene.read)
    assert kinds(game) == []
    assert len(game.deals[0].plays) == 8


def test_flipping_the_frames_undoes_the_mirror_and_keeps_the_gaps() -> None:
    image = next(Scene([], 1.0).frames()).image
    gap = SourceGap(0.0, 2.0, 1)
    flipped = list(_mirror([Frame(image, 0, 0.0), gap]))
    assert isinstance(flipped[0], Frame)
    assert np.array_equal(flipped[0].image, image[:, ::-1])
    assert flipped[1] is gap


# --- the picture turned or flipped whole, cards read as they are ---

NUMBERS = ("2H", "3H", "4H", "5H"), ("2S", "3S", "4S", "5S"), ("2C", "3C", "4C", "5C")


@dataclass(frozen=True)
class Turned:
    """A scene whose picture is flipped left to right, or turned upside down (both flips)."""

    scene: Scene
    upside_down: bool

    def frames(self) -> Iterator[Frame]:
        rows = slice(None, None, -1) if self.upside_down else slice(None)
        for frame in self.scene.frames():
            image = np.ascontiguousarray(frame.image[rows, ::-1])
            yield Frame(image, frame.index, frame.t)

    def find(self, image: Image, window: Window) -> list[Detection]:
        return [replace(one, quad=self._there(one.quad)) for one in self.scene.find(image, window)]

    def read(self, image: Image, quads: Sequence[Quad]) -> list[Reading]:
        return self.scene.read(image, [self._there(quad) for quad in quads])

    def _there(self, quad: Quad) -> Quad:
        """The quad in the other picture; there and back are the same."""
        return order_quad([(WIDTH - x, HEIGHT - y if self.upside_down else y) for x, y in quad])

    def game(self) -> Game:
        return game_of(self.frames(), self.find, self.read)


def test_a_camera_upside_down_follows_the_game_from_the_other_side() -> None:
    acts = trick(NUMBERS[0], 1.0) + trick(NUMBERS[1], 8.0)
    game = Turned(Scene(acts, 13.5, misses=0.0, grain=1.0), upside_down=True).game()
    assert kinds(game) == []
    assert [play.seat for play in game.deals[0].plays] == list("NWSE" * 2)


def test_a_flipped_stream_of_cards_that_look_alike_in_a_mirror_is_told_by_how_they_go_round() -> (
    None
):
    acts = [act for n, cards in enumerate(NUMBERS) for act in trick(cards, 1.0 + 7 * n)]
    game = Turned(Scene(acts, 22.0, misses=0.0, grain=1.0), upside_down=False).game()
    assert kinds(game).count("wrong-way-round") == 1
