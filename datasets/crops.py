"""Single cards as the reader sees them: drawn in camera pixels, photographed, then rectified like any."""

from dataclasses import dataclass

import cv2
import numpy as np

from datasets.art import Deck, Rgba
from datasets.backs import made_back
from datasets.photo import Picture, Rng, photograph
from datasets.table import clutter, hand, surface
from datasets.wear import curled, worn
from vision.crop import CROP_HEIGHT, CROP_WIDTH, rectify
from vision.geometry import as_quad, nearest_rectangle, rectangle
from vision.labels import BACK, CARDS, INDEX, OTHER
from vision.types import Image

CARD_PIXELS = (36, 300)
"""Length of the card in the camera's pixels: from a whole table at 720p to a close-up."""

NOT_OF_THE_40 = (*(r + s for r in ("8", "9", "10") for s in "SHDC"), "JOKER")

ODDS_BACK, ODDS_OTHER = 0.04, 0.16
MADE_BACKS = 0.5
"""How many of the backs are ones that no package prints."""
ODDS_NO_CARD = 0.3
"""Of what is `other`, this much is no card at all."""

COURT_WEIGHT = 2.0
"""Courts are drawn this much oftener than number cards: they are what readers confuse."""

ODDS_COVERED = 0.55
"""How often other cards lie over the one to be read; one of its index corners stays in sight."""

SEVERITIES = (0.3, 0.6, 1.0)
"""How bad the camera may be: two crops in three are of a decent one, as most tables' are."""

CORNER_SEEN = 0.85
"""A card counts as readable when this much of one of its index corners shows."""

ODDS_PART = 0.4
"""How often a covered card is cut out as finders often box it: by what shows of it, not by where it lies."""


@dataclass(frozen=True, slots=True)
class Crop:
    """`image` (192, 128, 3) BGR; `label` an index into `vision.labels.LABELS`; `pixels` card length."""

    image: Image
    label: int
    pixels: float


def warp_card(picture: Picture, face: Rgba, quad: np.ndarray, length: float) -> np.ndarray:
    """Lay `face` onto `picture` under `quad` (4, 2). Returns its alpha, (height, width) float32."""
    height, width = face.shape[:2]
    if length < height * 0.8:  # average down first: warping alone would alias
        scale = max(length * 1.1, 8) / height
        face = cv2.resize(face, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
        height, width = face.shape[:2]
    source = np.float32([[0, 0], [width, 0], [width, height], [0, height]])
    low = np.floor(quad.min(axis=0)).astype(int) - 1
    high = np.ceil(quad.max(axis=0)).astype(int) + 2
    x1, y1 = max(0, low[0]), max(0, low[1])
    x2, y2 = min(picture.shape[1], high[0]), min(picture.shape[0], high[1])
    alpha = np.zeros(picture.shape[:2], np.float32)
    if x2 <= x1 or y2 <= y1:
        return alpha
    matrix = cv2.getPerspectiveTransform(source, np.float32(quad - [x1, y1]))
    patch = cv2.warpPerspective(face, matrix, (x2 - x1, y2 - y1), flags=cv2.INTER_LINEAR)
    part = patch[..., 3:].astype(np.float32) / 255
    area = picture[y1:y2, x1:x2]
    area[:] = area * (1 - part) + patch[..., :3] * part
    alpha[y1:y2, x1:x2] = part[..., 0]
    return alpha


def card_quad(
    centre: tuple[float, float], length: float, aspect: float, angle: float
) -> np.ndarray:
    """(4, 2): a card's corners, short side first, clockwise, its top towards `angle` - 90 degrees."""
    w, h = length / aspect / 2, length / 2
    corners = np.array([[-w, -h], [w, -h], [w, h], [-w, h]])
    turn = np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]])
    return corners @ turn + centre


def tilted(quad: np.ndarray, rng: Rng, amount: float) -> np.ndarray:
    """The quad under a little perspective: shrunk along a direction, one side nearer."""
    centre = quad.mean(axis=0)
    direction = rng.uniform(0, 2 * np.pi)
    axis = np.array([np.cos(direction), np.sin(direction)])
    rel = quad - centre
    along = rel @ axis
    squeeze = 1 - amount * rng.uniform(0, 0.5)
    reach = max(np.abs(along).max(), 1e-6)
    depth = 1 + amount * rng.uniform(0, 0.35) * along / reach
    rel = rel - np.outer(along * (1 - squeeze), axis)
    return centre + rel / depth[:, None]


def found_quad(quad: np.ndarray, rng: Rng) -> np.ndarray:
    """The quad as the finder would give it: an oriented rectangle or the true corners, a bit off."""
    if rng.random() < 0.6:
        box = np.array(rectangle(*nearest_rectangle(as_quad(quad))))
    else:
        box = quad.copy()
    length = np.linalg.norm(box[1] - box[2])
    centre = box.mean(axis=0)
    turn = rng.normal(0, np.radians(2.0))
    c, s = np.cos(turn), np.sin(turn)
    scale = np.exp(rng.normal(0, 0.03, 2))
    box = (box - centre) * scale @ np.array([[c, s], [-s, c]]) + centre
    box = box + rng.normal(0, 0.018 * length, 2) + rng.normal(0, 0.007 * length, (4, 2))
    return np.roll(box, 2, axis=0) if rng.random() < 0.5 else box


def corners_seen(alpha_over: np.ndarray, quad: np.ndarray) -> float:
    """How much of the better of the two index corners is left uncovered, 0-1."""
    matrix = cv2.getPerspectiveTransform(
        np.float32(quad), np.float32([[0, 0], [40, 0], [40, 60], [0, 60]])
    )
    flat = cv2.warpPerspective(alpha_over, matrix, (40, 60), borderValue=1.0)
    return 1 - float(min(flat[:18, :11].mean(), flat[-18:, -11:].mean()))


def part_in_sight(alpha_over: np.ndarray, quad: np.ndarray) -> np.ndarray:
    """(4, 2): the part of the card at `quad` that sticks out from under what lies over it, its top first.

    Cut along the card's own sides, so that it starts at the same corner; all of it where nothing is hidden.
    """
    grid = np.float32([[0, 0], [40, 0], [40, 60], [0, 60]])
    onto = cv2.getPerspectiveTransform(np.float32(quad), grid)
    seen = cv2.warpPerspective(alpha_over, onto, (40, 60), borderValue=1.0) < 0.5
    columns, rows = (np.flatnonzero(seen.mean(axis=axis) > 0.1) for axis in (0, 1))
    if not len(columns) or not len(rows):
        return quad
    x1, x2, y1, y2 = columns[0], columns[-1] + 1, rows[0], rows[-1] + 1
    part = np.float32([[[x1, y1], [x2, y1], [x2, y2], [x1, y2]]])
    return np.asarray(cv2.perspectiveTransform(part, np.linalg.inv(onto))[0], float)


def pick(rng: Rng, decks: list[Deck], photographs: Image) -> tuple[Rgba, int]:
    """A face (or back, or what is not of the 40) and its label; `photographs` for backs that are pictures."""
    deck = decks[int(rng.integers(len(decks)))]
    draw = rng.random()
    if draw < ODDS_BACK * MADE_BACKS:
        return made_back(rng, deck.faces[CARDS[0]], photographs), INDEX[BACK]
    if draw < ODDS_BACK and deck.backs:
        return deck.backs[int(rng.integers(len(deck.backs)))], INDEX[BACK]
    if draw < ODDS_BACK + ODDS_OTHER:
        names = [n for n in NOT_OF_THE_40 if n in deck.faces]
        return deck.faces[names[int(rng.integers(len(names)))]], INDEX[OTHER]
    cards = [c for c in CARDS if c in deck.faces]
    weights = np.array([COURT_WEIGHT if c[0] in "KQJ" else 1.0 for c in cards])
    card = cards[int(rng.choice(len(cards), p=weights / weights.sum()))]
    return deck.faces[card], INDEX[card if deck.french else OTHER]


def _lying_over(rng: Rng, quad: np.ndarray, length: float, aspect: float) -> np.ndarray:
    """Where a covering card lies: fanned out along the card under it, or thrown anyhow."""
    middle, across = quad.mean(axis=0), (quad[1] - quad[0]) / np.linalg.norm(quad[1] - quad[0])
    along = np.array([-across[1], across[0]])
    heading = float(np.arctan2(-across[1], across[0]))
    if rng.random() < 0.5:
        where = middle + across * length * rng.normal(0, 0.4) + along * length * rng.normal(0, 0.3)
        return card_quad(tuple(where), length, aspect, heading + rng.normal(0, 0.2))
    where = middle + rng.normal(0, length * 0.45, 2)
    return card_quad(tuple(where), length, aspect, rng.uniform(0, 2 * np.pi))


def _no_card(rng: Rng, length: float, photographs: Image) -> Crop:
    """What a finder may take for a card: a patch of table, a chip, a packet, print."""
    side = int(length * 1.5) + 8
    picture = surface(rng, side, photographs)
    for _ in range(int(rng.integers(0, 4))):
        clutter(picture, rng, length, photographs)
    quad = card_quad((side / 2, side / 2), length, 1.45, rng.uniform(0, 2 * np.pi))
    image = photograph(picture, rng, softness=length / 60)
    return Crop(rectify(image, tuple(map(tuple, quad))), INDEX[OTHER], length)


def make_crop(rng: Rng, decks: list[Deck], photographs: Image) -> Crop:
    """One training crop. `decks` in any mix; `photographs` as of `datasets.art.backgrounds`."""
    face, label = pick(rng, decks, photographs)
    if rng.random() < 0.25:
        face = worn(face, rng)
    low, high = np.log(CARD_PIXELS)
    length = float(np.exp(rng.uniform(low, high)))
    if label == INDEX[OTHER] and rng.random() < ODDS_NO_CARD:
        return _no_card(rng, length, photographs)
    side = int(length * 1.5) + 8
    picture = surface(rng, side, photographs)
    if rng.random() < 0.25:
        face = curled(face, rng)
    angle = rng.uniform(0, 2 * np.pi)
    aspect = face.shape[0] / face.shape[1]
    centre = (side / 2, side / 2)
    quad = tilted(card_quad(centre, length, aspect, angle), rng, rng.choice([0.25, 1.0]))

    def other_card() -> None:
        extra, _ = pick(rng, decks, photographs)
        if below:
            where = rng.normal(side / 2, length * 0.55, 2)
            lay = card_quad(tuple(where), length, aspect, rng.uniform(0, 2 * np.pi))
        else:
            lay = _lying_over(rng, quad, length, aspect)
        before, covered = picture.copy(), over.copy()
        over[:] = np.maximum(over, warp_card(picture, extra, lay, length))
        if below or corners_seen(over, quad) >= CORNER_SEEN:
            return
        picture[:] = before
        over[:] = covered

    over = np.zeros((side, side), np.float32)
    below = True
    for _ in range(int(rng.integers(0, 3)) if rng.random() < 0.4 else 0):
        other_card()
    over[:] = 0
    below = False
    soft_shadow(picture, quad, rng, length)
    warp_card(picture, face, quad, length)
    for _ in range(int(rng.integers(1, 4)) if rng.random() < ODDS_COVERED else 0):
        other_card()
    if rng.random() < 0.04:
        hand(picture, rng, length * 0.5, tuple(rng.normal(side / 2, length * 0.6, 2)))
    # Defocus that hides a 1/9-card index entirely teaches nothing: sigma up to 1/45 of the card.
    severity = SEVERITIES[int(rng.integers(len(SEVERITIES)))]
    image = photograph(picture, rng, max(0.7, length / 45), severity)
    boxed = part_in_sight(over, quad) if over.any() and rng.random() < ODDS_PART else quad
    crop = rectify(image, tuple(map(tuple, found_quad(boxed, rng))))
    assert crop.shape[:2] == (CROP_HEIGHT, CROP_WIDTH)
    return Crop(crop, label, length)


def soft_shadow(picture: Picture, quad: np.ndarray, rng: Rng, length: float) -> None:
    """The dark rim a card leaves on what it lies on."""
    shift = rng.normal(0, length * 0.012, 2)
    sigma, depth = max(0.5, length * rng.uniform(0.004, 0.03)), rng.uniform(0.1, 0.6)
    corners, reach = quad + shift, int(3 * sigma) + 2
    x1, y1 = np.maximum(np.floor(corners.min(axis=0)).astype(int) - reach, 0)
    x2, y2 = np.ceil(corners.max(axis=0)).astype(int) + reach
    area = picture[y1 : max(y1, y2), x1 : max(x1, x2)]
    if not area.size:
        return
    mask = np.zeros(area.shape[:2], np.float32)
    cv2.fillConvexPoly(mask, (corners - (x1, y1)).astype(np.int32), 1.0)
    area *= (1 - cv2.GaussianBlur(mask, (0, 0), sigma) * np.float32(depth))[..., None]
