"""A tiny animated table for tests: cards laid, thrown, nudged and swept, with noisy stand-ins for
the two models. Pixels are drawn only so far as motion and places need them."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import cv2
import numpy as np

from vision import geometry
from vision.geometry import Array
from vision.labels import BACK, INDEX, LABELS, OTHER
from vision.types import Detection, Face, Frame, Image, Point, Quad, Reading, Window

WIDTH, HEIGHT, FPS = 640, 360, 15.0
SHORT, LONG = 34.0, 48.0
TABLE: Quad = ((100.0, 20.0), (540.0, 20.0), (540.0, 340.0), (100.0, 340.0))
_CLOTH, _FLOOR, _SKIN = (60, 110, 40), (70, 80, 95), (120, 160, 215)
_OUTSIDE: dict[str, Point] = {
    "S": (330.0, 420.0),
    "E": (700.0, 170.0),
    "N": (310.0, -60.0),
    "W": (-60.0, 190.0),
}


@dataclass(frozen=True)
class Lay:
    """A hand brings a card from a seat's side; it lies from `t` on."""

    seat: str
    card: str
    at: Point
    t: float
    angle: float = 1.2
    thrown: bool = False
    face: Face = "up"


@dataclass(frozen=True)
class Shift:
    """A card is pushed by a hand to another place, arriving at `t`."""

    seat: str
    card: str
    to: Point
    t: float


@dataclass(frozen=True)
class Sweep:
    """A seat gathers cards (all that lie face up, or those named); they are off by `t`."""

    seat: str
    t: float
    cards: tuple[str, ...] = ()


@dataclass(frozen=True)
class Rest:
    """A hand comes from a seat, rests on a place from `t` for `hold` seconds and leaves."""

    seat: str
    at: Point
    t: float
    hold: float


Act = Lay | Shift | Sweep | Rest


@dataclass(frozen=True)
class Lying:
    card: str
    quad: Quad
    face: Face
    moving: bool


@dataclass
class Scene:
    """Frames of the acts at FPS, and models that see what was drawn, with noise.

    `knock` is when the camera is knocked and by how many pixels; `turn` by how many degrees about
    the picture's middle; `swing` how far it swings first. A `plain` floor and cloth have no texture.
    """

    acts: Sequence[Act]
    length: float
    seed: int = 1
    noise: float = 0.015
    misses: float = 0.05
    grain: float = 2.0
    gain_drift: float = 0.0
    flicker: float = 0.0
    knock: tuple[float, Point] | None = None
    turn: float = 0.0
    swing: float = 30.0
    plain: bool = False
    lamp_at: float = math.inf
    black_until: float = 0.0
    fps: float = FPS
    _now: float = field(default=0.0, init=False)

    def __post_init__(self) -> None:
        self._rng = np.random.default_rng(self.seed)
        # Of its own: what is read shall not change what is found.
        self._eye = np.random.default_rng((self.seed, 1))

    def frames(self) -> Iterator[Frame]:
        for index in range(round(self.length * self.fps)):
            self._now = index / self.fps
            yield Frame(self._draw(self._now), index, self._now)

    # --- what is where ---

    def lying(self, t: float) -> list[Lying]:
        """Cards in the picture at `t`, lowest first."""
        found: dict[str, Lying] = {}
        for act in sorted(self.acts, key=lambda a: a.t):
            if isinstance(act, Lay) and t >= act.t - 0.4:
                found.pop(act.card, None)
                found[act.card] = _laid(act, t)
            elif isinstance(act, Shift) and t >= act.t - 0.4 and act.card in found:
                found[act.card] = _shifted(act, found[act.card], t)
            elif isinstance(act, Sweep) and t >= act.t - 0.6:
                taken = act.cards or tuple(c for c, one in found.items() if one.face == "up")
                for card in taken:
                    if t >= act.t:
                        found.pop(card, None)
                    elif card in found:
                        found[card] = _swept(act, found[card], t)
        return list(found.values())

    def arms(self, t: float) -> list[tuple[Point, Point]]:
        """(from, hand) of the arms in the picture."""
        arms = []
        for act in self.acts:
            hand = _hand(act, t)
            if hand is not None:
                arms.append((_OUTSIDE[act.seat], hand))
        return arms

    def view(self, t: float) -> Array:
        """(3, 3) what the camera's knock did to the picture by `t`: pixels to pixels."""
        if self.knock is None or t < self.knock[0]:
            return np.eye(3)
        # It swings for a third of a second before it hangs still.
        swing = max(0.0, 0.33 - (t - self.knock[0])) * self.swing
        dx, dy = self.knock[1]
        matrix = cv2.getRotationMatrix2D((WIDTH / 2, HEIGHT / 2), self.turn, 1.0)
        matrix[:, 2] += (dx + swing * math.sin(40 * t), dy)
        return np.vstack([matrix, [0.0, 0.0, 1.0]])

    def _draw(self, t: float) -> Image:
        image = (_PLAIN_IMAGE if self.plain else _TABLE_IMAGE).copy()
        for one in self.lying(t):
            _draw_card(image, one)
        for start, hand in self.arms(t):
            cv2.line(image, _pixel(start), _pixel(hand), _SKIN, 30, cv2.LINE_AA)
            cv2.circle(image, _pixel(hand), 22, _SKIN, -1, cv2.LINE_AA)
        view = self.view(t)
        if (view != np.eye(3)).any():
            size = (WIDTH, HEIGHT)
            image = cv2.warpAffine(image, view[:2], size, borderMode=cv2.BORDER_REPLICATE)
        gain = 1 + self.gain_drift * math.sin(t / 3)
        rows = 1 + self.flicker * np.sin(np.arange(HEIGHT) / 40 + 9 * t)[:, None, None]
        lamp = np.linspace(1.7, 0.8, WIDTH)[None, :, None] if t >= self.lamp_at else 1.0
        lit = 0.0 if t < self.black_until else gain * rows * lamp
        noisy = image * lit + self._rng.normal(0, self.grain, image.shape)
        return np.clip(noisy, 0, 255).astype(np.uint8)

    # --- the stand-ins for the models ---

    def find(self, image: Image, window: Window) -> list[Detection]:
        found = []
        cards = self.lying(self._now)
        view = self.view(self._now)
        for i, one in enumerate(cards):
            if self._visible(one, cards[i + 1 :]) < 0.3 or self._rng.random() < self.misses:
                continue
            jitter = self._rng.normal(0, self.noise * LONG, (4, 2))
            quad = geometry.order_quad(
                [
                    (x + j[0], y + j[1])
                    for (x, y), j in zip(geometry.map_quad(view, one.quad), jitter, strict=True)
                ]
            )
            found.append(Detection(quad, 0.9, one.face))
        for _, hand in self.arms(self._now):
            if self._rng.random() < 0.15:
                wild = geometry.rectangle(hand, SHORT, LONG, float(self._rng.uniform(0, 3)))
                found.append(Detection(wild, 0.4, "up"))
        return found

    def read(self, image: Image, quads: Sequence[Quad]) -> list[Reading]:
        return [self._read(quad) for quad in quads]

    def _read(self, quad: Quad) -> Reading:
        view = self.view(self._now)
        cards = self.lying(self._now)
        label, clear = OTHER, 1.0
        for i, one in enumerate(cards):
            there = geometry.map_quad(view, one.quad)
            if geometry.iou(there, quad) > 0.6 and self._visible(one, cards[i + 1 :]) > 0.3:
                label = one.card if one.face == "up" else BACK
                clear = self._visible(one, cards[i + 1 :])
        logits = self._eye.normal(0, 1, len(LABELS))
        logits[INDEX[label]] += 2 + 5 * clear
        logs = logits - np.log(np.exp(logits).sum())
        return Reading(tuple(float(x) for x in logs))

    def _visible(self, one: Lying, above: Sequence[Lying]) -> float:
        hidden = sum(geometry.covered(one.quad, other.quad) for other in above)
        for start, hand in self.arms(self._now):
            around = geometry.rectangle(hand, 44, 45, 0)
            forearm = _strip(start, hand, 30)
            hidden += max(geometry.covered(one.quad, around), geometry.covered(one.quad, forearm))
        return max(0.0, 1 - hidden)


def _pixel(point: Point) -> tuple[int, int]:
    return (round(point[0]), round(point[1]))


def _between(a: Point, b: Point, share: float) -> Point:
    share = min(1.0, max(0.0, share))
    return (a[0] + share * (b[0] - a[0]), a[1] + share * (b[1] - a[1]))


def _strip(a: Point, b: Point, width: float) -> Quad:
    angle = math.atan2(b[1] - a[1], b[0] - a[0])
    middle = _between(a, b, 0.5)
    return geometry.rectangle(middle, width, max(math.dist(a, b), width + 1), angle)


def _laid(act: Lay, t: float) -> Lying:
    share = 1 - (act.t - t) / (0.3 if act.thrown else 0.4)
    at = _between(_OUTSIDE[act.seat], act.at, share)
    angle = act.angle + (3 * (1 - min(1.0, max(0.0, share))) if act.thrown else 0)
    return Lying(act.card, geometry.rectangle(at, SHORT, LONG, angle), act.face, t < act.t)


def _shifted(act: Shift, one: Lying, t: float) -> Lying:
    at = _between(geometry.centre(one.quad), act.to, 1 - (act.t - t) / 0.4)
    quad = geometry.rectangle(at, SHORT, LONG, geometry.long_angle(one.quad))
    return Lying(one.card, quad, one.face, t < act.t)


def _swept(act: Sweep, one: Lying, t: float) -> Lying:
    at = _between(geometry.centre(one.quad), _OUTSIDE[act.seat], 1 - (act.t - t) / 0.6)
    quad = geometry.rectangle(at, SHORT, LONG, geometry.long_angle(one.quad))
    return Lying(one.card, quad, one.face, True)


def _hand(act: Act, t: float) -> Point | None:
    home = _OUTSIDE[act.seat]
    if isinstance(act, Lay | Shift):
        if isinstance(act, Lay) and act.thrown:
            return None
        goal = act.at if isinstance(act, Lay) else act.to
        return _path(home, goal, t, act.t - 0.4, act.t, act.t + 0.1, act.t + 0.5)
    if isinstance(act, Rest):
        end = act.t + act.hold
        return _path(home, act.at, t, act.t - 0.4, act.t, end, end + 0.4)
    return _path(home, (320.0, 180.0), t, act.t - 1.0, act.t - 0.6, act.t - 0.6, act.t)


def _path(
    home: Point, goal: Point, t: float, leave: float, there: float, back: float, gone: float
) -> Point | None:
    if not leave <= t <= gone:
        return None
    if t < there:
        return _between(home, goal, (t - leave) / (there - leave))
    if t <= back:
        return goal
    return _between(goal, home, (t - back) / (gone - back))


def _draw_card(image: Image, one: Lying) -> None:
    colour = (240, 240, 240) if one.face == "up" else (150, 60, 60)
    corners = np.round(np.array(one.quad)).astype(np.int32)
    cv2.fillConvexPoly(image, corners, colour, cv2.LINE_AA)
    if one.face == "up":
        rng = np.random.default_rng(INDEX[one.card])
        matrix = geometry.homography(geometry.UNIT_SQUARE, one.quad)
        for point in rng.uniform(0.15, 0.85, (6, 2)):
            spot = geometry.map_point(matrix, (float(point[0]), float(point[1])))
            cv2.circle(image, _pixel(spot), 3, (30, 30, 160), -1, cv2.LINE_AA)


def _table_image(plain: bool) -> Image:
    rng = np.random.default_rng(7)
    image = np.zeros((HEIGHT, WIDTH, 3), dtype=np.uint8)
    image[:] = _FLOOR
    floor = rng.integers(-25, 25, (HEIGHT // 8, WIDTH // 8)).astype(np.float32)
    texture = cv2.resize(floor, (WIDTH, HEIGHT), interpolation=cv2.INTER_NEAREST)
    if plain:
        texture[:] = 0
    image = np.clip(image + texture[..., None], 0, 255).astype(np.uint8)
    cv2.fillConvexPoly(image, np.array(TABLE).astype(np.int32), _CLOTH)
    weave = rng.normal(0, 3, (HEIGHT, WIDTH, 1))
    return np.clip(image + weave, 0, 255).astype(np.uint8)


_TABLE_IMAGE, _PLAIN_IMAGE = _table_image(False), _table_image(True)
