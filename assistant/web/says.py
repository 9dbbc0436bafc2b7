"""What a person may say to the page, as it arrives: checked here, events from here on."""

from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, model_validator

from assistant.events import Seat

CardText = Annotated[str, StringConstraints(pattern=r"^[A234567QJK][SHDC]$")]
Trick = Annotated[int, Field(ge=1, le=20)]
DealNumber = Annotated[int, Field(ge=1, le=10_000)]
LONGEST_NAME = 24
"""Letters of a player's name: more find no room at a seat."""

Name = Annotated[str, StringConstraints(max_length=LONGEST_NAME, strip_whitespace=True)]


class _Said(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Correction(_Said):
    """What a play really was; None leaves it."""

    card: CardText | None = None
    seat: Seat | None = None
    trick: Trick | None = None

    @model_validator(mode="after")
    def _says_something(self) -> Self:
        if self.card is None and self.seat is None and self.trick is None:
            raise ValueError("give a card, a seat or a vaza")
        return self


class Addition(_Said):
    """A play the camera missed."""

    deal: DealNumber
    trick: Trick
    seat: Seat
    card: CardText


class TrumpWord(_Said):
    """The trump card of a deal."""

    deal: DealNumber
    card: CardText


class DealerWord(_Said):
    """Who dealt."""

    deal: DealNumber
    dealer: Seat


class CountingWord(_Said):
    """When card points are shown."""

    counting: Literal["live", "end"]


class Ruling(_Said):
    """The table's verdict on a flag."""

    deal: DealNumber
    flag: Annotated[str, StringConstraints(min_length=1, max_length=200)]
    ruling: Literal["upheld", "dismissed"]


class AccusationWord(_Said):
    """Who accuses whom of a renúncia, in which vaza (None: any)."""

    deal: DealNumber
    accuser: Seat
    accused: Seat
    trick: Trick | None = None


Pixel = Annotated[float, Field(ge=-100_000, le=100_000)]
Corner = tuple[Pixel, Pixel]
Side = Annotated[int, Field(ge=1, le=100_000)]


class TableWord(_Said):
    """The table's four corners, in any order, in pixels of a picture of `size`."""

    corners: tuple[Corner, Corner, Corner, Corner]
    size: tuple[Side, Side]


class Names(_Said):
    """Players' names; a seat left out keeps its own."""

    S: Name | None = None
    E: Name | None = None
    N: Name | None = None
    W: Name | None = None
