"""Whole tables as the finder sees them, with an oriented box for every card, covered ones included."""

from dataclasses import dataclass, field

import cv2
import numpy as np

from datasets.art import Deck, Rgba
from datasets.backs import made_back
from datasets.crops import NOT_OF_THE_40, card_quad, soft_shadow, warp_card
from datasets.photo import Picture, Rng, photograph
from datasets.table import clutter, hand, score_pad, surface
from datasets.wear import bent, creased, dulled, worn
from vision.labels import BACK, CARDS, INDEX, OTHER
from vision.types import Image

SCENE_SIDE = 512
"""Pixels. Training cuts 320-pixel windows out of it at random scales."""

LENGTHS = (20, 300)
"""Card length in scene pixels: a whole table at 720p halved for the finder, up to a close-up."""

CLOSE_UPS = 0.1
"""How many scenes show a card or two nearly as large as the picture."""

ODDS_DULL = 0.1
"""How often a card is darker than the others of its deck: on a light cloth it is the harder one to see."""

BENT_DECKS, ODDS_BENT = 0.4, 0.5
"""How many decks have bent cards, and how many of theirs are. Where one half lies in the light and the other
in the dark, a finder that never saw such boxes the halves."""
CREASED_DECKS, ODDS_CREASED = 0.5, 0.6
"""How many decks have been folded, and how many of their cards. A line across a white card is the edge of a
card to a finder that never saw one."""

TILTS, TILT_ODDS = (0.06, 0.2, 0.55, 1.0), (0.45, 0.27, 0.18, 0.1)
"""How steeply the camera looks at most, and how often: a tilt shortens what lies along it by half as much."""

MADE_BACKS = 0.6
"""How often a scene's face-down cards have a back that no package prints."""

PILES, SECOND_PILE = 0.4, 0.5
"""How often gathered vazas lie about, and how often the other side has won one too."""
CROSSWISE = 0.25
"""How often a pile's vazas lie across each other, so that they can be counted."""

PADS = 0.2
"""How often a score pad lies on the table. Of all things that are no card it is the one always there where
points are written down by hand."""
PAD_LONG = (0.8, 1.8)
"""Card lengths."""

VISIBLE = 0.12
"""A card less visible than this is no card to find."""

UP, DOWN = 0, 1


@dataclass(frozen=True, slots=True)
class Scene:
    """`image` (512, 512, 3) BGR; `quads` (n, 4, 2) pixels; `classes` (n,) 0 up, 1 down; `labels` (n,)
    indices into `vision.labels.LABELS`; `visible` (n,) shares."""

    image: Image
    quads: np.ndarray
    classes: np.ndarray
    labels: np.ndarray
    visible: np.ndarray


@dataclass
class _Table:
    """A scene being laid: what lies lowest comes first."""

    picture: Picture
    rng: Rng
    matrix: np.ndarray
    back: Rgba | None = None
    """What the cards lying face down show instead of their deck's own backs."""
    bent: bool = False
    """Whether the deck has been bent by hands."""
    creased: bool = False
    """Whether its cards have been folded."""
    quads: list[np.ndarray] = field(default_factory=list)
    classes: list[int] = field(default_factory=list)
    labels: list[int] = field(default_factory=list)
    shown: list[np.ndarray] = field(default_factory=list)

    def look(self) -> None:
        """See cloth and things through the camera, as the cards will be: a chip seen from a chair is oval."""
        size = (self.picture.shape[1], self.picture.shape[0])
        self.picture = cv2.warpPerspective(
            self.picture, self.matrix, size, borderMode=cv2.BORDER_REFLECT
        )

    def lay(
        self, deck: Deck, centre: tuple[float, float], angle: float, length: float, face: int
    ) -> None:
        """Put one card down; positions in plane pixels, seen through the camera's homography."""
        rng = self.rng
        backs = deck.backs if self.back is None else (self.back,)
        if face == DOWN and backs:
            art, label = backs[int(rng.integers(len(backs)))], BACK
        else:
            face = UP
            names = NOT_OF_THE_40 if rng.random() < 0.1 else CARDS
            name = names[int(rng.integers(len(names)))]
            name = name if name in deck.faces else "AS"
            art, label = deck.faces[name], name if deck.french and name in CARDS else OTHER
        if rng.random() < 0.1:
            art = worn(art, rng)
        if rng.random() < ODDS_DULL:
            art = dulled(art, rng)
        if self.creased and rng.random() < ODDS_CREASED:
            art = creased(art, rng)
        if self.bent and rng.random() < ODDS_BENT:
            art = bent(art, rng)
        flat = card_quad(centre, length, art.shape[0] / art.shape[1], angle)
        quad = cv2.perspectiveTransform(np.float32(flat)[None], self.matrix)[0].astype(float)
        seen_length = (
            float(np.linalg.norm(quad[1] - quad[2]) + np.linalg.norm(quad[0] - quad[3])) / 2
        )
        soft_shadow(self.picture, quad, rng, seen_length)
        alpha = warp_card(self.picture, art, quad, seen_length)
        self.quads.append(quad)
        self.classes.append(face)
        self.labels.append(INDEX[label])
        self.shown.append(alpha > 0.5)

    def hide(self, mask: np.ndarray) -> None:
        """What is covered by anything but a card: hands, glasses."""
        self.shown.append(mask)


def _camera(rng: Rng, side: int) -> np.ndarray:
    """A homography from the table's plane to the picture: overhead mostly, sometimes steep, and at times
    from a chair at the table, where a card looks as broad as it is long."""
    tilt = rng.choice(TILTS, p=TILT_ODDS) * rng.uniform(0, 1)
    corners = np.float32([[0, 0], [side, 0], [side, side], [0, side]])
    direction = rng.uniform(0, 2 * np.pi)
    axis = np.array([np.cos(direction), np.sin(direction)])
    rel = corners - side / 2
    along = rel @ axis
    depth = 1 + tilt * along / side
    squeezed = rel - np.outer(along * tilt * 0.5, axis)
    return cv2.getPerspectiveTransform(corners, np.float32(squeezed / depth[:, None] + side / 2))


def _arrange(rng: Rng, side: int, length: float) -> list[tuple[float, float, float]]:
    """(x, y, angle) of the cards of a scene, lowest first: scatter, trick, spread, pile, grid."""
    kind = rng.random()
    spots: list[tuple[float, float, float]] = []
    turn = rng.uniform(0, 2 * np.pi)
    x0, y0 = rng.uniform(0.25 * side, 0.75 * side, 2)
    if kind < 0.4:  # a trick: one card a side, thrown towards the middle
        for i in range(int(rng.integers(1, 5))):
            away = turn + i * np.pi / 2
            reach = length * abs(rng.normal(0.5, 0.3))
            x, y = x0 + np.cos(away) * reach, y0 + np.sin(away) * reach
            spots.append((x, y, away + np.pi / 2 + rng.normal(0, 0.5)))
    elif kind < 0.6:
        for _ in range(int(rng.integers(1, 9))):
            spots.append((*rng.uniform(0.03 * side, 0.97 * side, 2), rng.uniform(0, 2 * np.pi)))
    elif kind < 0.8:  # a hand fanned out or laid down in a row, or two or three cards overlapping
        count, step = int(rng.integers(3, 11)), length * rng.uniform(0.16, 0.9)
        if kind < 0.69:
            count, step = int(rng.integers(2, 5)), length * rng.uniform(0.12, 0.5)
        bend = rng.uniform(-0.12, 0.12)
        x, y, heading = x0, y0, turn
        x -= np.cos(heading) * step * count / 2
        y -= np.sin(heading) * step * count / 2
        for _ in range(count):
            spots.append((x, y, heading + rng.normal(0, 0.04)))
            heading += bend
            x, y = x + np.cos(heading) * step, y + np.sin(heading) * step
    else:  # rows and columns
        rows, columns = int(rng.integers(1, 4)), int(rng.integers(2, 6))
        for r in range(rows):
            for c in range(columns):
                dx = (c - columns / 2 + 0.5) * length * rng.uniform(0.76, 1.0)
                dy = (r - rows / 2 + 0.5) * length * rng.uniform(1.05, 1.3)
                x = x0 + dx * np.cos(turn) - dy * np.sin(turn)
                y = y0 + dx * np.sin(turn) + dy * np.cos(turn)
                spots.append((x, y, turn + rng.normal(0, 0.05)))
    return spots


def _pile(table: _Table, deck: Deck, side: int, length: float) -> None:
    """A pile of gathered cards, face down, each a little off the one below."""
    rng = table.rng
    x, y = rng.uniform(0.05 * side, 0.95 * side, 2)
    angle = rng.uniform(0, 2 * np.pi)
    loose = rng.uniform(0.01, 0.12)
    across = np.pi / 2 if rng.random() < CROSSWISE else 0.0
    for i in range(int(rng.integers(1, 6))):
        dx, dy = rng.normal(0, loose * length, 2)
        turned = angle + across * (i % 2) + rng.normal(0, loose * 2)
        table.lay(deck, (x + dx, y + dy), turned, length, DOWN)


def _room(table: _Table, side: int, photographs: Image) -> None:
    """Leave the table's edge in view: beyond a straight line lies a floor."""
    rng = table.rng
    floor = surface(rng, side, photographs) * rng.uniform(0.3, 0.9)
    angle, offset = rng.uniform(0, 2 * np.pi), rng.uniform(0.25, 0.48) * side
    y, x = np.mgrid[0:side, 0:side]
    beyond = (x - side / 2) * np.cos(angle) + (y - side / 2) * np.sin(angle) > offset
    table.picture[beyond] = floor[beyond]


def _cover(table: _Table, draw: object, *args: object) -> None:
    """Draw something over the cards and note what it hides."""
    before = table.picture.copy()
    draw(table.picture, table.rng, *args)  # type: ignore[operator]
    low, high = before - 2, before + 2
    table.hide(cv2.inRange(table.picture, low, high) == 0)


def make_scene(rng: Rng, decks: list[Deck], photographs: Image, side: int = SCENE_SIDE) -> Scene:
    """One training scene of 0 to about 25 cards."""
    low, high = np.log(LENGTHS)
    length = float(np.exp(rng.uniform(low, high)))
    if rng.random() < CLOSE_UPS:
        length = rng.uniform(300, 560)
    table = _Table(surface(rng, side, photographs), rng, _camera(rng, side))
    if rng.random() < 0.25:
        _room(table, side, photographs)
    deck = decks[int(rng.integers(len(decks)))]
    for _ in range(int(rng.poisson(1.6))):
        clutter(table.picture, rng, length, photographs)
    if rng.random() < PADS:
        spot = (rng.uniform(0, side), rng.uniform(0, side))
        score_pad(table.picture, rng, spot, length * rng.uniform(*PAD_LONG))
    table.look()
    if rng.random() < MADE_BACKS:
        table.back = made_back(rng, deck.faces["AS"], photographs)
    table.bent, table.creased = rng.random() < BENT_DECKS, rng.random() < CREASED_DECKS
    if rng.random() < PILES:
        _pile(table, deck, side, length)
        if rng.random() < SECOND_PILE:
            _pile(table, deck, side, length)
    if rng.random() < 0.9:
        spots = _arrange(rng, side, length)
        down = rng.random() < 0.08
        for x, y, angle in spots:
            face = DOWN if down or rng.random() < 0.06 else UP
            table.lay(deck, (x, y), angle, length * np.exp(rng.normal(0, 0.01)), face)
    if rng.random() < 0.15 and len(photographs):  # a second deck's card, a stranger
        stranger = decks[int(rng.integers(len(decks)))]
        table.lay(stranger, tuple(rng.uniform(0, side, 2)), rng.uniform(0, 7), length, UP)
    for _ in range(int(rng.integers(1, 3)) if rng.random() < 0.3 else 0):
        _cover(table, hand, length * rng.uniform(0.7, 1.3))
    if rng.random() < 0.1:
        _cover(table, clutter, length, photographs)
    image = photograph(table.picture, rng, softness=max(0.6, min(length / 40, 4.0)))
    return _labelled(table, image)


def _labelled(table: _Table, image: Image) -> Scene:
    """Which cards show enough to be found; a card's `shown` masks alternate with covers' ones."""
    side = image.shape[0]
    over = np.zeros((side, side), bool)
    visible: list[float] = []
    cards = len(table.quads)
    covers = table.shown[cards:] if len(table.shown) > cards else []
    for mask in covers:
        over |= mask
    for quad, mask in zip(reversed(table.quads), reversed(table.shown[:cards]), strict=True):
        whole = max(1.0, float(cv2.contourArea(np.float32(quad))))
        visible.append(float((mask & ~over).sum()) / whole)
        over |= mask
    shares = np.array(visible[::-1])
    keep = shares >= VISIBLE
    quads = np.array(table.quads, np.float32).reshape(-1, 4, 2)
    classes, labels = np.array(table.classes, np.int64), np.array(table.labels, np.int64)
    return Scene(image, quads[keep], classes[keep], labels[keep], shares[keep])
