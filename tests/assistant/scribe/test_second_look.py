"""Deals in which something was taken for a play that was none: shown only vazas later, and put right then."""

import random

import pytest

from assistant.scribe import deal
from assistant.scribe.decoder import Decoder
from assistant.sueca import DECK
from tests.assistant.scribe.story import (
    Planned,
    Story,
    expected,
    place,
    plan,
    reading,
    tricks,
    write,
)
from vision.types import Point

PARTS_A_PLAY = 0.04
HARD_TO_TELL = (1, 3, 11, 14, 21, 38, 52, 58)
"""Deals that come out wrong without a second look (of the first sixty; with it all are right)."""


def parts(story: Story, card: str, at: Point, entry: Point, rng: random.Random) -> list[int]:
    """A card boxed in parts as well, each a track of its own, surely or hardly read; their tracks."""
    found = []
    for _ in range(rng.choice((1, 2, 3))):
        story.t += rng.uniform(0.1, 1.0)
        other, p = rng.choice(DECK).text, rng.choice((0.5, 0.7, 0.9, 0.999))
        x, y = (v + rng.uniform(-0.03, 0.03) for v in at)
        shares = {f"_{card}": (1 - p) * 0.6} | {f"_{other}": p}
        came = rng.choice((entry, None))
        found.append(story.put(other, (x, y), entry=came, log_probs=reading(**shares)))
    return found


def creased(seed: int) -> tuple[Story, list[Planned]]:
    """A deal with a deck whose creased cards are boxed in parts, the trump card mostly."""
    trump, plays = plan(seed)
    rng, story = random.Random(seed), Story()
    shown = place("W", 0.32), place("W", 0.55)
    if rng.random() < 0.5:
        parts(story, trump, *shown, rng)
    story.t += 0.2
    story.put(trump, shown[0], entry=shown[1])
    if rng.random() < 0.5:
        parts(story, trump, *shown, rng)
    story.t += 3
    for trick in tricks(plays):
        for play in trick:
            story.play(play.seat, play.card)
            if rng.random() < PARTS_A_PLAY:
                spot = place(play.seat), place(play.seat, 0.55)
                story.lying += parts(story, play.card, *spot, rng)
        story.gather()
    return story, plays


@pytest.mark.parametrize("seed", HARD_TO_TELL)
def test_a_card_boxed_in_parts_puts_no_play_out_of_place(seed: int) -> None:
    story, plays = creased(seed)
    assert write(story).standing == expected(plays)


def test_without_a_second_look_such_deals_come_out_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    def look_not(decoder: Decoder, but: frozenset[int] = frozenset()) -> None:
        """The reading stays as it is."""

    monkeypatch.setattr(deal, "look_again", look_not)
    story, plays = creased(HARD_TO_TELL[0])
    assert write(story).standing != expected(plays)


def test_a_card_of_a_vaza_that_nobody_saw_is_not_made_up_by_a_second_look() -> None:
    _, plays = plan(1)
    story = Story()
    unseen = plays[9]
    for trick in tricks(plays):
        for play in trick:
            if play == unseen:
                story.t += 1.2
                continue
            story.play(play.seat, play.card)
        story.gather()
    written = write(story)
    told = [one for one in written.standing if one != (unseen.seat, unseen.card, unseen.trick)]
    assert told == expected([play for play in plays if play != unseen])
