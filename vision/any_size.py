"""Photographs, whose cards may be of any size: at which size to look, and looking again."""

from collections.abc import Callable, Iterator
from typing import NamedTuple

import cv2
import numpy as np

from vision.boxes import Rows, mirrored, scaled, turned_back
from vision.types import Image

FIRST_SIDE, SECOND_SIDE = 416, 640
BEST_LENGTH = 90.0
"""A photograph's cards may be of any size. It is first seen at `FIRST_SIDE`, then so that its cards are
about `BEST_LENGTH` pixels long there, where the finder was trained most and finds best; where nothing is
found at first, at `SECOND_SIDE`."""

SIDES = (128, 1280)
GOOD_ENOUGH = 1.35
"""Within this factor of the best length the first look is kept."""

CLOSE_UP_SIDE = 192
CLOSE_UP_MARGIN = 0.3
CLOSE_UP, CLOSE_UP_SURE = 0.6, 0.8
"""For cards that fill the picture it is also seen small, with a grey margin of this part of its side round
it: the network was trained on cards with a table about them. If the surest thing found there has a p of
more than `CLOSE_UP_SURE` and is longer than `CLOSE_UP` of the picture, the picture is a close-up. (By the
area that a look explains as cards, one large false box outweighs fifteen small cards.)"""

OTHER_SIZES = (1.25, 0.8)
"""Of the size that counts: at these, too, a photograph is looked at again."""

GREY = 114
"""What a picture is padded with."""

Look = Callable[[Image, int], Rows]
"""What is found in a picture when its longer side is seen as so many pixels."""


class Found(NamedTuple):
    """The look that counts: its rows, and at which side it was; 0 where the picture is a close-up."""

    rows: Rows
    side: int


def any_size(
    look: Look,
    image: Image,
    best_length: float = BEST_LENGTH,
    said: Callable[[Rows], Rows] = lambda rows: rows,
) -> Found:
    """What is found in a photograph whose cards may be of any size, parts of cards too.

    First the whole picture at `FIRST_SIDE`, then so that the cards found are about `best_length` pixels
    long: the look with more and surer cards counts. A picture that is surely a close-up counts as that.
    Of a look's rows those that are `said` decide; all of them come along.
    """
    close = Found(_close_up(look, image), 0)
    told = said(close.rows)
    longest = CLOSE_UP * max(image.shape[:2])
    if len(told) and told[0, 5] > CLOSE_UP_SURE and told[0, 2:4].max() > longest:
        return close
    first = Found(look(image, FIRST_SIDE), FIRST_SIDE)
    told = said(first.rows)
    if not len(told):
        first = Found(look(image, SECOND_SIDE), SECOND_SIDE)
        return first if len(said(first.rows)) else close
    side = side_for(image, float(np.median(told[:, 2:4].max(axis=1))), best_length)
    if FIRST_SIDE / GOOD_ENOUGH < side < FIRST_SIDE * GOOD_ENOUGH:
        return first
    second = Found(look(image, side), side)
    return second if said(second.rows)[:, 5].sum() > told[:, 5].sum() else first


def looks_again(look: Look, image: Image, side: int) -> Iterator[Rows]:
    """The same picture looked at in the mirror, turned by a quarter, and at other sizes."""
    width = image.shape[1]
    yield mirrored(look(np.ascontiguousarray(image[:, ::-1]), side), width)
    yield turned_back(look(np.ascontiguousarray(np.rot90(image)), side), width)
    for factor in OTHER_SIZES:
        yield look(image, round(side * factor))


def side_for(image: Image, length: float, wanted: float) -> int:
    """At which side, within `SIDES`, cards `length` pixels long in the image are about `wanted` long."""
    side = float(wanted / max(length, 1.0) * max(image.shape[:2]))
    return round(min(max(side, SIDES[0]), SIDES[1]))


def _close_up(look: Callable[[Image, int], Rows], image: Image) -> Rows:
    """What is found in a picture of little more than one card."""
    height, width = image.shape[:2]
    scale = CLOSE_UP_SIDE / (1 + 2 * CLOSE_UP_MARGIN) / max(height, width)
    size = (max(1, round(width * scale)), max(1, round(height * scale)))
    method = cv2.INTER_AREA if scale < 1 else cv2.INTER_LINEAR
    margin = round(CLOSE_UP_MARGIN * max(size))
    small = cv2.copyMakeBorder(
        cv2.resize(image, size, interpolation=method),
        *(margin,) * 4,
        cv2.BORDER_CONSTANT,
        value=(GREY,) * 3,
    )
    rows = look(np.asarray(small, np.uint8), CLOSE_UP_SIDE).copy()
    rows[:, :2] -= margin
    return scaled(rows, scale)
