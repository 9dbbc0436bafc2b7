"""Builders for the tests: whole deals as the camera would log them, drawn from a seed."""

import random
from collections.abc import Iterator
from typing import cast

import cv2
import numpy as np

from assistant import sueca
from assistant.events import (
    CameraEvent,
    DealEnded,
    DealStarted,
    PlaySeen,
    Seat,
    TrickGathered,
    TrumpShown,
)
from assistant.sueca.cards import DECK, Card, Suit
from assistant.sueca.moves import legal_cards, winning_place
from assistant.sueca.rules import RuleSet, preset
from vision.types import Image, Quad

SECONDS_A_PLAY = 2.0


def played_deal(
    seed: int,
    *,
    number: int = 1,
    rules: str = "selminha",
    dealer: Seat = "W",
    tricks: int = 10,
    revoke: bool = False,
) -> tuple[CameraEvent, ...]:
    """A deal of `tricks` vazas. Everyone follows suit, but with `revoke` East once does not."""
    return tuple(_deal(random.Random(seed), number, preset(rules), dealer, tricks, revoke))


def _deal(
    draw: random.Random, number: int, rules: RuleSet, dealer: Seat, tricks: int, revoke: bool
) -> Iterator[CameraEvent]:
    hands, trump = _hands(draw, rules, dealer)
    t = 1000.0 * (number - 1)
    play_id = 100 * (number - 1)
    yield DealStarted(t, number, rules.name, dealer)
    yield TrumpShown(t + 1, trump.text, dealer, p=0.998)
    seat = str(rules.next_seat(_seat(rules, dealer)))
    for trick in range(1, tricks + 1):
        table: list[tuple[str, Card]] = []
        for _ in range(4):
            t += SECONDS_A_PLAY
            play_id += 1
            led = table[0][1].suit if table else None
            choices = legal_cards(hands[seat], led, trump.suit, rules)
            discards = [card for card in hands[seat] if led not in (None, card.suit)]
            if revoke and seat == "E" and discards and choices[0].suit is led and trick < 9:
                choices, revoke = tuple(discards), False
            card = draw.choice(choices)
            hands[seat].remove(card)
            table.append((seat, card))
            yield PlaySeen(t + 0.4, play_id, cast(Seat, seat), card.text, trick, t, p=0.999)
            seat = str(rules.next_seat(_seat(rules, seat)))
        seat = table[winning_place((card for _, card in table), cast(Suit, trump.suit))][0]
        yield TrickGathered(t + 1, trick, cast(Seat, seat))
    if tricks == rules.tricks:
        yield DealEnded(t + 2, number)


def _seat(rules: RuleSet, name: str) -> sueca.Seat:
    return next(seat for seat in rules.seats if seat == name)


def _hands(draw: random.Random, rules: RuleSet, dealer: str) -> tuple[dict[str, list[Card]], Card]:
    cards = draw.sample(DECK, 40)
    hands = {str(seat): cards[i * 10 : i * 10 + 10] for i, seat in enumerate(rules.seats)}
    return hands, hands[dealer][-1]


def table_picture(width: int = 960, height: int = 540) -> Image:
    """A picture with something in it: a green cloth and a grey card."""
    image = np.zeros((height, width, 3), np.uint8)
    image[:] = (60, 90, 40)
    cv2.fillPoly(image, [np.array(QUAD, np.int32)], (225, 230, 230))
    return image


QUAD: Quad = ((420, 180), (520, 190), (508, 330), (408, 320))
"""Where the card of `table_picture` lies, in pixels."""
