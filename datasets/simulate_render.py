"""Draws the simulated table as the camera sees it at a moment."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np
import numpy.typing as npt

from datasets.drawn import JOKER, Deck
from datasets.simulate_game import SECOND
from datasets.simulate_look import (
    HAND_LENGTH_MM,
    HAND_WIDTH_MM,
    TIP_MM,
    Arm,
    Floats32,
    Image,
    Light,
)
from datasets.simulate_things import Thing
from datasets.simulate_wear import NEW, Condition, bend, wear
from datasets.simulate_world import Actor, Camera, Floats, Move, Pose, Room, Seat, outline
from vision.labels import BACK, CARDS

_EXTRA_RESOLUTION = 1.35  # texture pixels per image pixel, so that warping down does not alias
_BLUR_STEP_PX = 2.5  # a motion-blurred thing is drawn about this often along its way
_MOST_STEPS = 7
_PAD_PX = 24  # room around a thing's picture for its shadow to fade in
_SOLID = 60  # of 255: a hand as dense as this hides what is under it
_EDGE_ON = 0.02  # a card turned so far that hardly anything of it is seen has no shape to bend
_PAD = ((_PAD_PX, _PAD_PX), (_PAD_PX, _PAD_PX), (0, 0))


HAND = 255
"""Marks a hand in `Shot.owner`; a card is marked by 1 + its place in `vision.labels.CARDS`."""


@dataclass(frozen=True, slots=True)
class Shot:
    """A moment: the picture (height, width, 3) before the camera's own faults; `cover`
    (height, width), 255 where a hand covers the table; `owner` (height, width), what is seen at each
    pixel: 0 the table, a card, or `HAND`; None unless asked for."""

    picture: Image
    cover: Image
    owner: Image | None


@dataclass(frozen=True, slots=True)
class Layer:
    """A picture to lay over another: premultiplied BGR and alpha, its upper left corner."""

    colour: Image
    alpha: Image
    x: int
    y: int


def warp(texture: Image, quads: Sequence[Floats], size: tuple[int, int]) -> Layer | None:
    """A BGRA premultiplied texture seen at several quads in turn, averaged; None if out of view."""
    every = np.concatenate(quads)
    low = np.maximum(np.floor(every.min(0)) - 1, 0).astype(int)
    high = np.minimum(np.ceil(every.max(0)) + 2, size).astype(int)
    w, h = (high - low).tolist()
    if w <= 1 or h <= 1:
        return None
    th, tw = texture.shape[:2]
    # Image points are at pixel centres, as OpenCV has it; a texture's corners are half a pixel out.
    source = np.array([[0, 0], [tw, 0], [tw, th], [0, th]], np.float32) - 0.5
    total: npt.NDArray[np.uint16] | None = None
    for quad in quads:
        to_image = cv2.getPerspectiveTransform(source, (quad - low).astype(np.float32))
        one = cv2.warpPerspective(texture, to_image, (w, h), flags=cv2.INTER_LINEAR)
        if len(quads) == 1:
            return Layer(one[..., :3], one[..., 3], *low.tolist())
        total = one.astype(np.uint16) if total is None else total + one
    if total is None:
        return None
    mean = (total // len(quads)).astype(np.uint8)
    return Layer(mean[..., :3], mean[..., 3], *low.tolist())


def _padded(quad: Floats, picture: Image) -> Floats:
    """The quad of a picture with a rim of `_PAD_PX` around it, given the picture's own."""
    h, w = picture.shape[:2]
    across, down = (quad[1] - quad[0]) * _PAD_PX / w, (quad[3] - quad[0]) * _PAD_PX / h
    return quad + np.stack([-across - down, across - down, across + down, down - across])


def lay(picture: Image, layer: Layer, brightness: float = 1.0) -> None:
    """Lay a layer over a picture in place."""
    h, w = layer.alpha.shape
    part = picture[layer.y : layer.y + h, layer.x : layer.x + w]
    inverse = cv2.cvtColor(255 - layer.alpha, cv2.COLOR_GRAY2BGR)
    below = cv2.multiply(part, inverse, scale=1 / 255)
    cv2.addWeighted(below, 1.0, np.ascontiguousarray(layer.colour), brightness, 0.0, dst=below)
    part[:] = below


def darken(picture: Image, alpha: Image, x: int, y: int, strength: float) -> None:
    """Multiply part of a picture by 1 - strength * alpha, in place."""
    h, w = alpha.shape
    part = picture[y : y + h, x : x + w]
    factor = cv2.LUT(alpha, np.round(255 - strength * np.arange(256)).astype(np.uint8))
    part[:] = cv2.multiply(part, cv2.cvtColor(factor, cv2.COLOR_GRAY2BGR), scale=1 / 255)


class Renderer:
    """Draws frames; keeps the empty table and the resting cards so that only changes are drawn."""

    def __init__(
        self,
        deck: Deck,
        room: Room,
        light: Light,
        arms: dict[Seat, Arm],
        conditions: Mapping[str, Condition] | None = None,
        owners: bool = False,
    ) -> None:
        """`conditions`: how worn and bent each card is. `owners`: fill `Shot.owner`."""
        self.deck, self.room, self.light, self.arms = deck, room, light, arms
        self._conditions, self._owners = conditions or {}, owners

    def see(self, camera: Camera, empty: Image, things: Sequence[Thing] = ()) -> None:
        """Set or move the camera; `empty` is what it sees of the table with nothing on it."""
        self.camera, self.empty = camera, empty.copy()
        self.gloss = self.light.reflection(camera) if self.light.glare else None
        self.bright: Floats32 = self.light.field(camera)
        centre = camera.project(np.array([[-50.0, 0, 0], [50.0, 0, 0]]))
        self.scale = float(np.linalg.norm(centre[1] - centre[0])) / 100
        width = round(self.deck.width_mm * self.scale * _EXTRA_RESOLUTION)
        size = (width, round(width * self.deck.height_mm / self.deck.width_mm))
        self._size, self._textures = size, {}
        for thing in things:
            self._lay_thing(thing)
        self._board = self.empty.copy()
        self._owner_board = np.zeros(empty.shape[:2], np.uint8)
        self._on_board: list[tuple[str, Move]] = []

    def texture(self, label: str) -> Image:
        """A card's picture at about the size it is seen, BGRA premultiplied."""
        if label not in self._textures:
            face = cv2.resize(self.deck.faces[label], self._size, interpolation=cv2.INTER_AREA)
            alpha = cv2.resize(self.deck.alpha, self._size, interpolation=cv2.INTER_AREA)
            colour = cv2.multiply(face, cv2.cvtColor(alpha, cv2.COLOR_GRAY2BGR), scale=1 / 255)
            # A thin grey rim is the cut edge of the board the card is made of.
            edge = cv2.erode(alpha, np.ones((3, 3), np.uint8), borderValue=0)
            colour[edge < alpha] = (colour[edge < alpha] * 0.86).astype(np.uint8)
            worn = wear(np.dstack([colour, alpha]), self._conditions.get(label, NEW))
            self._textures[label] = worn
        return self._textures[label]

    def quad(self, pose: Pose) -> Floats:
        """(4, 2): a card's corners in the image."""
        return self.camera.project(outline(pose, self.deck.width_mm, self.deck.height_mm))

    def _lamp(self, at: Floats) -> float:
        w, h = self.camera.size
        x, y = np.clip(at.mean(0), 0, (w - 1, h - 1)).astype(int)
        return float(self.bright[y, x, 0])

    def _shadow_of(self, points: Floats) -> Floats:
        """Where the lamp throws the shadow of points (n, 3), in the image."""
        lamp = self.light
        z = points[:, 2:]
        away = (points[:, :2] - (lamp.x, lamp.y)) * z / (lamp.z - z)
        return self.camera.project(np.column_stack([points[:, :2] + away, np.zeros(len(points))]))

    def _card_shadow(self, picture: Image, pose: Pose) -> None:
        points = outline(pose, self.deck.width_mm, self.deck.height_mm)
        self._soft_shadow(picture, points + np.array([0, 0, 1.2]), 0.9 + 0.06 * pose.z)

    def _soft_shadow(self, picture: Image, points: Floats, soft_mm: float) -> None:
        """The shadow of a flat thing with corners `points` (4, 3) mm, `soft_mm` at its edge."""
        quad = self._shadow_of(points)
        soft, height = soft_mm * self.scale, float(points[:, 2].mean())
        reach = int(3 * soft) + 2
        low = np.maximum(np.floor(quad.min(0)).astype(int) - reach, 0)
        high = np.minimum(np.ceil(quad.max(0)).astype(int) + reach, self.camera.size)
        w, h = (high - low).tolist()
        if w <= 0 or h <= 0:
            return
        mask = np.zeros((h, w), np.uint8)
        cv2.fillConvexPoly(mask, np.round((quad - low) * 16).astype(np.int32), 255, cv2.LINE_AA, 4)
        mask = cv2.GaussianBlur(mask, (0, 0), soft)
        darken(picture, mask, int(low[0]), int(low[1]), self.light.shadow * (0.9 - 0.005 * height))

    def lay_card(
        self, picture: Image, label: str, poses: Sequence[Pose], owner: Image | None = None
    ) -> None:
        """A card, blurred over several poses if it moves, with its shadow."""
        pose = poses[-1]
        quads = [self.quad(p) for p in poses]
        if owner is not None:
            mark = 1 + CARDS.index(label)
            cv2.fillConvexPoly(owner, np.round(quads[-1]).astype(np.int32), mark)
        condition = self._conditions.get(label, NEW)
        rise = 0.5 * condition.arch
        self._card_shadow(picture, replace(pose, z=pose.z + rise) if rise else pose)
        texture = self.texture(label if pose.turn < 0.5 else BACK)
        if not condition.flat:
            texture, quads = self._bent(texture, condition, pose, quads)
        layer = warp(texture, quads, self.camera.size)
        if layer is not None:
            lay(picture, layer, min(1.0, self._lamp(quads[-1]) * self._sheen(pose)))
            self._shine(picture, layer)

    def _bent(
        self, texture: Image, condition: Condition, pose: Pose, quads: list[Floats]
    ) -> tuple[Image, list[Floats]]:
        """The picture of a curled card with a rim around it, and the quads that go with it."""
        h, w = texture.shape[:2]
        rimmed = [_padded(quad, texture) for quad in quads]
        points = outline(pose, self.deck.width_mm, self.deck.height_mm)
        middle = points.mean(0)
        ends = self.camera.project(np.stack([middle, middle + np.array([0.0, 0.0, 1.0])]))
        quad = quads[-1]
        axes = np.column_stack([(quad[1] - quad[0]) / w, (quad[3] - quad[0]) / h])
        if abs(np.linalg.det(axes)) < _EDGE_ON:
            return np.pad(texture, _PAD), rimmed
        per_mm = np.linalg.solve(axes, ends[1] - ends[0])
        across, down = points[1] - points[0], points[3] - points[0]
        lamp = np.array([self.light.x - middle[0], self.light.y - middle[1]]) / self.light.z
        to_lamp = np.array(
            [lamp @ across[:2] / np.linalg.norm(across), lamp @ down[:2] / np.linalg.norm(down)]
        )
        size_mm = (
            self.deck.width_mm * (1 + 2 * _PAD_PX / w),
            self.deck.height_mm * (1 + 2 * _PAD_PX / h),
        )
        return bend(np.pad(texture, _PAD), condition, size_mm, per_mm, to_lamp), rimmed

    def _shine(self, picture: Image, layer: Layer) -> None:
        """Add the lamp's reflection where the layer covers the picture."""
        if self.gloss is None:
            return
        h, w = layer.alpha.shape
        part = picture[layer.y : layer.y + h, layer.x : layer.x + w]
        shine = self.gloss[layer.y : layer.y + h, layer.x : layer.x + w]
        shine = cv2.multiply(shine, np.ascontiguousarray(layer.alpha), scale=1 / 255)
        part[:] = cv2.add(part, cv2.cvtColor(shine, cv2.COLOR_GRAY2BGR))

    @staticmethod
    def _sheen(pose: Pose) -> float:
        """A tilted card catches less light."""
        return 1.0 if pose.turn in (0.0, 1.0) else 0.8 + 0.2 * abs(float(np.cos(np.pi * pose.turn)))

    def _lay_thing(self, thing: Thing) -> None:
        points = outline(thing.pose, thing.width, thing.height)
        quad = self.camera.project(points)
        shade = self._shadow_of(points + np.array([0, 0, 1 + 0.6 * thing.tall]))
        # Its own outline, spread a little, is its shadow: a round thing has a round one.
        shadow = warp(
            np.pad(thing.picture, _PAD), [_padded(shade, thing.picture)], self.camera.size
        )
        if shadow is not None:
            soft = cv2.GaussianBlur(shadow.alpha, (0, 0), (1 + 0.05 * thing.tall) * self.scale)
            darken(self.empty, soft, shadow.x, shadow.y, self.light.shadow * 0.9)
        layer = warp(thing.picture, [quad], self.camera.size)
        if layer is not None:
            lay(self.empty, layer, min(1.0, self._lamp(quad)))

    # Hands

    def _hand_outline(self, seat: Seat, pose: Pose) -> Floats:
        sx, sy = self.room.shoulder(seat)
        angle = float(np.arctan2(pose.y - sy, pose.x - sx)) + np.pi / 2
        x0, x1 = -HAND_WIDTH_MM / 2, HAND_WIDTH_MM / 2
        y0, y1 = -TIP_MM, HAND_LENGTH_MM - TIP_MM
        local = np.array([[x0, y0], [x1, y0], [x1, y1], [x0, y1]])
        c, s = np.cos(angle), np.sin(angle)
        flat = local @ np.array([[c, s], [-s, c]]) + (pose.x, pose.y)
        # The arm rises from the fingertips to the elbow.
        heights = np.array([pose.z, pose.z, pose.z + 70, pose.z + 70])
        return np.column_stack([flat, heights])

    def hand_layer(self, seat: Seat, picture: Image, poses: Sequence[Pose]) -> Layer | None:
        outlines = [self._hand_outline(seat, p) for p in poses]
        return warp(picture, [self.camera.project(o) for o in outlines], self.camera.size)

    def hand_shadow(self, picture: Image, seat: Seat, arm: Image, pose: Pose) -> None:
        quad = self._shadow_of(self._hand_outline(seat, Pose(pose.x, pose.y, z=pose.z * 0.6)))
        w, h = self.camera.size
        small = warp(arm[::4, ::4], [quad / 4], (w // 4, h // 4))
        if small is None:
            return
        alpha = cv2.GaussianBlur(small.alpha, (0, 0), 1.2 + 0.02 * pose.z)
        alpha = cv2.resize(alpha, None, fx=4, fy=4, interpolation=cv2.INTER_LINEAR)
        x, y = 4 * small.x, 4 * small.y
        alpha = alpha[: h - y, : w - x]
        darken(picture, alpha, x, y, self.light.shadow)

    # Frames

    def board(self, resting: list[tuple[str, Move]]) -> Image:
        """The table with the cards that lie still; not to be drawn on."""
        kept = len(self._on_board)
        if resting[:kept] != self._on_board:
            self._board, kept = self.empty.copy(), 0
            self._owner_board[:] = 0
        owner = self._owner_board if self._owners else None
        for label, move in resting[kept:]:
            self.lay_card(self._board, label, [move.end], owner)
        self._on_board = list(resting)
        return self._board

    def _poses(self, move: Move, t: float, shutter: float) -> list[Pose]:
        """Poses over the time the shutter is open, as many as the motion needs."""
        now, before = move.at(t), move.at(max(move.t0, t - shutter))
        way = float(np.hypot(now.x - before.x, now.y - before.y)) + 60 * abs(
            now.angle - before.angle
        )
        n = min(_MOST_STEPS, 1 + int(way * self.scale / _BLUR_STEP_PX))
        return [move.at(max(move.t0, t - shutter * k / n)) for k in range(n - 1, -1, -1)]

    def frame(
        self, t: float, cards: Sequence[Actor], hands: dict[Seat, Actor], shutter: float
    ) -> Shot:
        """What the camera sees at time `t`, blurred over the `shutter` seconds before it."""
        seen = in_order(t, cards)
        still = [one for one in seen if t >= one[1].t1]
        moving = [one for one in seen if t < one[1].t1]
        picture = self.board(still).copy()
        owner = self._owner_board.copy() if self._owners else None
        shot = Shot(picture, np.zeros(picture.shape[:2], np.uint8), owner)
        shown = [(seat, m) for seat, hand in hands.items() if (m := hand.move_at(t)) is not None]
        for seat, move in shown:
            self.hand_shadow(picture, seat, self.arms[seat].layer(move.shape), move.at(t))
        for label, move in moving:
            if move.held_by is None:
                self.lay_card(picture, label, self._poses(move, t, shutter), owner)
        for seat, move in shown:
            poses = self._poses(move, t, shutter)
            arm = self.arms[seat]
            held = [one for one in moving if one[1].held_by == seat]
            _cover(shot, self.hand_layer(seat, arm.layer(move.shape), poses))
            for label, one in held:
                self.lay_card(picture, label, self._poses(one, t, shutter), owner)
            if move.shape == "pinch":
                _cover(shot, self.hand_layer(seat, arm.over, poses))
        return shot

    def uncovered(self, pose: Pose, cover: Image, share: float) -> bool:
        """Whether a card there is wholly in the picture and less than `share` of it is covered."""
        quad = self.quad(pose)
        w, h = self.camera.size
        low, high = np.floor(quad.min(0)).astype(int), np.ceil(quad.max(0)).astype(int) + 1
        if (low < 0).any() or (high > (w, h)).any():
            return False
        mask = np.zeros((high - low)[::-1].tolist(), np.uint8)
        cv2.fillConvexPoly(mask, np.round(quad - low).astype(np.int32), 1)
        hidden = (cover[low[1] : high[1], low[0] : high[0]] > _SOLID) & (mask > 0)
        return float(hidden.sum()) <= share * float(mask.sum())


def in_order(t: float, cards: Sequence[Actor]) -> list[tuple[str, Move]]:
    """The cards in sight at `t` with what each is doing, the lowest in the heap first."""
    seen = [(_face_of(a), m) for a in cards if (m := a.move_at(t)) is not None]
    seen.sort(key=lambda one: one[1].order)
    return seen


def _face_of(card: Actor) -> str:
    """What is printed on a piece of cardboard, as decks name it."""
    text = card.name.partition(":")[2].removesuffix(SECOND)
    return JOKER if text == JOKER.upper() else text


def _cover(shot: Shot, layer: Layer | None) -> None:
    """Lay part of a hand over a picture."""
    if layer is None:
        return
    h, w = layer.alpha.shape
    lay(shot.picture, layer)
    at = slice(layer.y, layer.y + h), slice(layer.x, layer.x + w)
    np.maximum(shot.cover[at], layer.alpha, out=shot.cover[at])
    if shot.owner is not None:
        shot.owner[at][layer.alpha > _SOLID] = HAND
