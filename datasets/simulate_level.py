"""How hard a simulated table is: every chance and range that tells easy from normal from hard."""

from dataclasses import dataclass
from typing import Literal

LevelName = Literal["easy", "normal", "hard"]
Range = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Level:
    """Ranges are (low, high); chances are per play, per trick or per deal as said. mm, s, rad."""

    name: LevelName
    landing: Range
    """Distance from the table's centre where a card is aimed."""
    aside: float
    """Sideways spread of the aim."""
    spin: float
    """Spread of the angle at rest."""
    max_cover: float
    """Greatest share of an earlier card of the trick that later ones may cover."""
    think: Range
    """From one card settled to the next hand coming."""
    place: float
    """Chance that a card is laid down rather than thrown."""
    tilt: Range
    """Camera's lean from the vertical."""
    roll: float
    blur: Range
    """Defocus, pixels (sigma) at 720p."""
    sharpen: float
    """Greatest weight of the camera's sharpening."""
    fill: Range
    """Share of the picture that the table takes."""
    noise: Range
    """Sensor noise, grey levels (sigma)."""
    exposure: Range
    """Shutter time, s: the length of motion blur."""
    surfaces: tuple[str, ...]
    uneven: Range
    """Fall-off of the lamp's light."""
    drift: float
    """Size of exposure and white-balance drift."""
    flicker: float
    """Size of the bands that mains light leaves in a picture read out row by row."""
    glare: Range
    bit_rate: int
    """Of the video at 720p and 15 frames/s, bits/s."""
    leave_trump: float
    """Chance per deal that the trump card stays face up at the dealer's place until played."""
    together: float
    """Chance per play that the next player does not wait for the card to settle."""
    take_back: float
    """Chance per play that another card is laid first and taken back."""
    early_lead: float
    """Chance per trick that the winner leads before the trick has been gathered."""
    partner_gathers: float
    look_again: float
    """Chance per trick that the last trick is turned up again and looked at."""
    hover: float
    """Chance per play that a hand passes over the cards with nothing in it."""
    nudge: float
    """Chance per play that the withdrawing hand pushes a card along."""
    knock: float
    """Chance per video that the camera is knocked."""
    objects: tuple[int, int]
    """How many things other than cards lie on the table."""
    dropped: float
    """Chance per frame that it is never delivered; the same again that the last one is repeated."""
    worn: Range = (0.0, 0.0)
    """How worn a deck is, 0 as new to 1."""
    bent: Range = (0.0, 0.0)
    """The most a card of the deck arches, mm."""
    dog_eared: float = 0.0
    """Chance per card that a corner is turned up."""


EASY = Level(
    name="easy", landing=(78, 108), aside=22, spin=0.3, max_cover=0.22, think=(0.35, 1.0),
    place=0.5, tilt=(0.0, 0.07), roll=0.02, blur=(0.3, 0.55), sharpen=0.0,
    fill=(0.95, 0.985), noise=(0.8, 1.8),
    exposure=(0.008, 0.02), surfaces=("felt", "plain", "wood"), uneven=(0.1, 0.3), drift=0.0,
    flicker=0.0, glare=(0, 0), bit_rate=900_000, leave_trump=0.0, together=0.0, take_back=0.0,
    early_lead=0.0, partner_gathers=0.0, look_again=0.0, hover=0.0, nudge=0.0, knock=0.0,
    objects=(0, 0), dropped=0.0,
)  # fmt: skip

NORMAL = Level(
    name="normal", landing=(55, 105), aside=38, spin=0.9, max_cover=0.45, think=(0.1, 1.1),
    place=0.35, tilt=(0.05, 0.22), roll=0.06, blur=(0.4, 0.8), sharpen=0.4,
    fill=(0.93, 0.98), noise=(1.5, 3.5),
    exposure=(0.012, 0.033), surfaces=("felt", "plain", "wood", "marble", "gingham"),
    uneven=(0.15, 0.5), drift=0.03, flicker=0.0, glare=(0, 40), bit_rate=900_000,
    leave_trump=0.25, together=0.1, take_back=0.01, early_lead=0.0, partner_gathers=0.15,
    look_again=0.02, hover=0.06, nudge=0.03, knock=0.0, objects=(0, 3), dropped=0.0,
)  # fmt: skip

HARD = Level(
    name="hard", landing=(25, 100), aside=50, spin=3.2, max_cover=0.7, think=(0.0, 0.9),
    place=0.2, tilt=(0.12, 0.436), roll=0.12, blur=(0.5, 1.1), sharpen=0.9,
    fill=(0.88, 0.95), noise=(2.0, 5.0),
    exposure=(0.02, 0.045), surfaces=("felt", "plain", "wood", "marble", "gingham", "flowers"),
    uneven=(0.25, 0.7), drift=0.08, flicker=0.04, glare=(20, 90), bit_rate=700_000,
    leave_trump=0.5, together=0.25, take_back=0.03, early_lead=0.25, partner_gathers=0.3,
    look_again=0.08, hover=0.15, nudge=0.1, knock=0.6, objects=(2, 6), dropped=0.02,
    worn=(0.1, 0.9), bent=(0.0, 7.0), dog_eared=0.12,
)  # fmt: skip

LEVELS: dict[LevelName, Level] = {"easy": EASY, "normal": NORMAL, "hard": HARD}
