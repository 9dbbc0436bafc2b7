"""Seats and partnerships.

Four players sit at `S E N W`, the sides of the image seen from above: S→E→N→W is
counter-clockwise. Six or eight players (`dupla`) are numbered `1`-`8` counter-clockwise, since
partners alternate and no compass names fit.
"""

from enum import StrEnum
from typing import Final


class Team(StrEnum):
    """A partnership: `NS` and `EW` at a table of four, `odd` and `even` at a larger one."""

    NS = "NS"
    EW = "EW"
    ODD = "odd"
    EVEN = "even"


class Seat(StrEnum):
    """A seat. `index` is its place counter-clockwise; partners have the same parity."""

    index: int  # type: ignore[assignment]  # shadows str.index, which no one asks of a seat
    numbered: bool

    S = "S", 0, False
    E = "E", 1, False
    N = "N", 2, False
    W = "W", 3, False
    P1 = "1", 0, True
    P2 = "2", 1, True
    P3 = "3", 2, True
    P4 = "4", 3, True
    P5 = "5", 4, True
    P6 = "6", 5, True
    P7 = "7", 6, True
    P8 = "8", 7, True

    def __new__(cls, name: str, index: int = 0, numbered: bool = False) -> "Seat":
        member = str.__new__(cls, name)
        member._value_ = name
        member.index = index
        member.numbered = numbered
        return member

    @property
    def team(self) -> Team:
        """The partnership this seat belongs to."""
        return (BIG_TEAMS if self.numbered else TEAMS)[self.index & 1]


SEATS: Final = (Seat.S, Seat.E, Seat.N, Seat.W)
NUMBERED_SEATS: Final = tuple(seat for seat in Seat if seat.numbered)
TEAMS: Final = (Team.NS, Team.EW)
BIG_TEAMS: Final = (Team.ODD, Team.EVEN)


_BY_NAME: Final[dict[str, Seat]] = {seat.value: seat for seat in Seat}


def parse_seat(text: str) -> Seat:
    """The seat called `text`. Raises `ValueError` naming the seats there are."""
    try:
        return _BY_NAME[text]
    except KeyError:
        raise ValueError(f"expected a seat S, E, N or W (1 to 8), got {text!r}") from None


def other_team(team: Team) -> Team:
    """The opponents of `team`."""
    pair = TEAMS if team in TEAMS else BIG_TEAMS
    return pair[1 - pair.index(team)]
