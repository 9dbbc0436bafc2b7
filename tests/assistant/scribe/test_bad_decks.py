"""Decks and pictures that are not what Sueca needs: said, and nothing made up of them."""

from dataclasses import replace

import pytest

from assistant.events import DealEnded, Noticed, PlaySeen
from assistant.scribe import ScribeOptions
from assistant.scribe.notices import FOREIGN_DECK, MOST_FOREIGN
from assistant.sueca import preset
from tests.assistant.scribe.story import (
    Planned,
    Story,
    Written,
    deal_again,
    expected,
    place,
    plan,
    reading,
    tell,
    tricks,
    write,
)
from vision.events import (
    CameraMoved,
    CardPlaced,
    ForeignCard,
    SameCardTwice,
    TableCleared,
    TableEvent,
    ViewTrouble,
)
from vision.labels import OTHER
from vision.types import Point


def noticed(written: Written) -> list[tuple[str, str]]:
    return [(one.kind, one.detail) for one in written.log if isinstance(one, Noticed)]


def foreign(story: Story, seat: str) -> None:
    """A seat plays an 8, 9, 10 or joker, and everybody looks at it for a while."""
    track = story.play(seat, OTHER, reading(other=0.97))
    story.t += 3.2
    story.events.append(ForeignCard(track, story.t, round(story.t * 15), place(seat)))


def played_with(foreign_plays: set[int], lacking: str | None = None) -> tuple[Story, list[Planned]]:
    """A deal in which some plays (by number) are foreign cards, or one card is not played at all."""
    trump, plays = plan()
    story = Story()
    story.show("W", trump)
    for trick, cards in enumerate(tricks(plays)):
        for place_in_trick, play in enumerate(cards):
            if 4 * trick + place_in_trick in foreign_plays:
                foreign(story, play.seat)
            elif play.card == lacking:
                story.t += 1.2
            else:
                story.play(play.seat, play.card)
        story.gather()
    return story, plays


# --- a poker deck ---


def test_a_foreign_card_is_told_and_becomes_no_play() -> None:
    story, plays = played_with({13})
    written = write(story)
    assert noticed(written) == [("foreign-card", plays[13].seat)]
    assert written.standing == expected(plays[:13] + plays[14:])


def test_foreign_cards_alone_are_no_game() -> None:
    story = Story()
    for seat in "SENW" * 3:
        foreign(story, seat)
    written = write(story)
    assert written.plays == {}
    assert not any(isinstance(event, PlaySeen) for event in written.log)
    assert noticed(written).count(("foreign-deck", "")) == 1
    assert noticed(written)[FOREIGN_DECK] == ("foreign-deck", "")


def test_things_that_lay_there_from_the_start_are_no_foreign_cards() -> None:
    """Coasters and prints that are taken for cards and read as none of the 40 (seen in hard-1011)."""
    story = Story()
    for seat in "SENW":
        lie(story, place(seat, 0.2), stirred=False)
    assert noticed(write(story)) == []


def test_piles_at_the_table_s_edge_are_no_foreign_cards_whatever_their_back_looks_like() -> None:
    """A back without a pattern is read as none of the 40 (seen in easy-1014 and easy-1017)."""
    story = Story()
    for seat in "SENW":
        lie(story, place(seat, 0.35, aside=0.3), stirred=True)
    assert noticed(write(story)) == []


def lie(story: Story, where: Point, stirred: bool) -> None:
    """Something lies there that is taken for a card and read as none of the 40."""
    track = story.put(OTHER, where, log_probs=reading(other=0.99), stirred=stirred)
    story.t += 4
    story.events.append(ForeignCard(track, story.t, round(story.t * 15), where))


def test_a_table_full_of_things_is_not_told_for_ever() -> None:
    story = Story()
    for n in range(30):
        foreign(story, "SENW"[n % 4])
    kinds = [kind for kind, _ in noticed(write(story))]
    assert kinds.count("foreign-card") == MOST_FOREIGN


def gathered_at_once(foreign_plays: set[int], log_probs: tuple[float, ...]) -> Story:
    """A deal in which some plays (by number) are none of the 40, each vaza taken away at once."""
    trump, plays = plan()
    story = Story()
    story.show("W", trump)
    for trick, cards in enumerate(tricks(plays)):
        for place_in_trick, play in enumerate(cards):
            foreign_too = 4 * trick + place_in_trick in foreign_plays
            story.play(play.seat, play.card, log_probs if foreign_too else None)
        story.gather()
    return story


def test_foreign_cards_gathered_before_they_were_looked_at_long_are_told_all_the_same() -> None:
    """Seven of eight in a poker deck followed from its pixels."""
    _, plays = plan()
    written = write(gathered_at_once({6, 13, 22}, reading(other=0.999)))
    told = [("foreign-card", plays[at].seat) for at in (6, 13, 22)]
    assert noticed(written) == [*told, ("foreign-deck", "")]
    assert written.standing == expected([p for i, p in enumerate(plays) if i not in (6, 13, 22)])


def test_what_is_hardly_surely_foreign_is_not_told_for_being_gathered() -> None:
    written = write(gathered_at_once({13}, reading(other=0.97)))
    assert "foreign-card" not in dict(noticed(written))


def test_a_foreign_card_that_turns_out_to_be_a_card_is_a_play_after_all() -> None:
    trump, plays = plan()
    story = Story()
    story.show("W", trump)
    for trick in tricks(plays):
        for play in trick:
            if play is plays[13]:
                foreign(story, play.seat)
                story.reread(story.lying[-1], reading(**{f"_{play.card}": 0.999}))
            else:
                story.play(play.seat, play.card)
        story.gather()
    assert write(story).standing == expected(plays)


# --- a deck that lacks a card, two decks ---


@pytest.mark.parametrize("at", [18, 39])
def test_what_nobody_saw_is_worked_out_but_never_sure(at: int) -> None:
    lacking = plan()[1][at].card
    story, _ = played_with(set(), lacking)
    written = write(story)
    assert [kind for kind, _ in noticed(written)] == ["unseen-play"]
    assert written.play(lacking).p <= 0.85


def test_a_card_that_stays_away_for_two_deals_is_missing_from_the_deck() -> None:
    lacking = plan()[1][39].card
    first, _ = played_with(set(), lacking)
    second, _ = played_with(set(), lacking)
    story = first
    shift = first.t + 60
    for event in second.events:
        story.events.append(later(event, shift))
    written = write(story)
    assert ("card-lacking", lacking) in noticed(written)
    made_up = [e for e in written.log if isinstance(e, PlaySeen) and e.card == lacking]
    assert [play.t < shift for play in made_up] == [
        True
    ]  # of the first deal, when nobody could know


def later(event, seconds: float):  # type: ignore[no-untyped-def]
    """The same event of another deal: later, and of other tracks."""
    changes = {"t": event.t + seconds}
    if hasattr(event, "first_seen"):
        changes["first_seen"] = event.first_seen + seconds
    if hasattr(event, "track"):
        changes["track"] = event.track + 1000
    return replace(event, **changes)


def test_the_same_card_twice_on_the_table_is_told() -> None:
    story = Story()
    story.events.append(SameCardTwice((1, 2), 4.0, 60, "7H"))
    assert noticed(write(story)) == [("same-card-twice", "7H")]


def test_a_card_played_again_vazas_later_is_of_a_second_deck() -> None:
    trump, plays = plan()
    again = plays[22]
    story = Story()
    story.show("W", trump)
    for cards in tricks(plays):
        for play in cards:
            story.play(play.seat, plays[5].card if play is again else play.card)
        story.gather()
    written = write(story)
    assert noticed(written) == [("same-card-again", plays[5].card)]
    (told,) = (one for one in written.log if isinstance(one, Noticed))
    assert (
        story.events[0].t < told.t < story.events[-1].t - 15
    )  # at once, not when the deal is over
    # Which of the two is the deck's own nobody can know; nothing is made up for the other.
    sure = [play for play in plays if play not in (plays[5], again)]
    assert len(written.standing) == len(plays) - 1
    assert set(expected(sure)) < set(written.standing)


def test_with_two_decks_nothing_is_made_up_of_cards_that_come_again() -> None:
    """Each of them was taken for another card, misread, in two decks followed from their pixels."""
    trump, plays = plan()
    again = {22: plays[5].card, 30: plays[8].card, 35: plays[17].card}
    story = Story()
    story.show("W", trump)
    for trick, cards in enumerate(tricks(plays)):
        for place_in_trick, play in enumerate(cards):
            story.play(play.seat, again.get(4 * trick + place_in_trick, play.card))
        story.gather()
    written = write(story)
    assert {kind for kind, _ in noticed(written)} == {"same-card-again"}
    played = [again.get(at, play.card) for at, play in enumerate(plays)]
    assert {card for _, card, _ in written.standing} <= set(played)


def test_a_card_that_the_next_vaza_lacks_is_none_of_the_last_looked_at_again() -> None:
    """So in a deck with one card of another, followed from its pixels."""
    trump, plays = plan()
    story = Story()
    story.show("W", trump)
    for cards in tricks(plays):
        for play in cards:
            story.play(play.seat, plays[16].card if play is plays[21] else play.card)
        story.gather()
    written = write(story)
    assert noticed(written) == [("same-card-again", plays[16].card)]


def test_an_ordinary_deal_has_nothing_odd_about_it() -> None:
    assert noticed(write(tell())) == []


# --- a misdeal ---


def last_trick(seats: str) -> Written:
    """A whole deal whose last vaza is laid down by `seats`, in place of the four players in turn."""
    trump, plays = plan()
    story = Story()
    story.show("W", trump)
    for cards in tricks(plays)[:-1]:
        story.trick(cards)
    story.trick([replace(play, seat=seat) for play, seat in zip(plays[-4:], seats, strict=True)])
    return write(story)


def test_who_had_a_card_too_many_is_told_when_the_last_vaza_shows_it() -> None:
    leader, *others = (play.seat for play in plan()[1][-4:])
    long, short = others[0], others[2]
    written = last_trick("".join([leader, long, others[1], long]))
    assert ("misdealt", long) in noticed(written)
    assert short not in [detail for kind, detail in noticed(written) if kind == "misdealt"]


def test_a_last_vaza_with_a_card_of_each_is_no_misdeal() -> None:
    seats = "".join(play.seat for play in plan()[1][-4:])
    assert noticed(last_trick(seats)) == []


# --- the picture ---


def in_a_mirror(event: TableEvent) -> TableEvent:
    """The same event with left and right exchanged."""
    if not isinstance(event, CardPlaced):
        return event
    entry = None if event.entry is None else (1 - event.entry[0], event.entry[1])
    return replace(event, centre=(1 - event.centre[0], event.centre[1]), entry=entry)


def mirrored_story() -> Story:
    story = tell()
    story.events = [in_a_mirror(event) for event in story.events]
    return story


def test_cards_that_go_round_the_wrong_way_are_told_when_two_vazas_lie() -> None:
    story = mirrored_story()
    told = [one for one in write(story).log if isinstance(one, Noticed)]
    first, second = [event.t for event in story.events if isinstance(event, TableCleared)][:2]
    (when,) = [one.t for one in told if one.kind == "wrong-way-round"]
    assert first < when < second


def test_and_nothing_is_written_of_cards_that_lie_on_the_wrong_sides() -> None:
    written = write(mirrored_story())
    assert written.plays == {}
    assert [event.reason for event in written.log if isinstance(event, DealEnded)] == ["void"]
    told = next(i for i, one in enumerate(written.log) if isinstance(one, Noticed))
    later = [type(one) for one in written.log[told:]]
    assert PlaySeen not in later


def test_until_they_go_round_the_right_way_again() -> None:
    story = mirrored_story()
    half = len(story.events) // 2
    story.events[half:] = tell().events[half:]
    plays = deal_again(story, 5, "S", pause=20)
    written = write(story)
    assert noticed(written)[:2] == [("wrong-way-round", ""), ("trouble-over", "wrong-way-round")]
    assert set(expected(plays)) <= set(written.standing)


def test_or_the_picture_is_known_to_be_no_longer_mirrored() -> None:
    story = mirrored_story()
    end = story.events[-1].t
    story.events.append(ViewTrouble(end + 1, 1, "mirrored"))
    story.events.append(ViewTrouble(end + 9, 2, "mirrored", over=True))
    plays = deal_again(story, 5, "S", pause=20)
    written = write(story)
    assert noticed(written) == [
        ("wrong-way-round", ""),
        ("mirrored", ""),
        ("trouble-over", "wrong-way-round"),
        ("trouble-over", "mirrored"),
    ]
    assert written.standing == expected(plays)


@pytest.mark.parametrize("number", [0, 1, 9])
def test_one_who_plays_out_of_turn_does_not_make_the_cards_go_the_wrong_way(number: int) -> None:
    trump, plays = plan()
    story = Story()
    story.show("W", trump)
    for at, (first, second, third, fourth) in enumerate(tricks(plays)):
        story.trick([first, third, second, fourth] if at == number else tricks(plays)[at])
    assert "wrong-way-round" not in dict(noticed(write(story)))


def test_rules_played_clockwise_go_round_the_right_way_in_their_own_direction() -> None:
    written = write(mirrored_story(), ScribeOptions(rules=preset("classica")))
    assert "wrong-way-round" not in dict(noticed(written))


def test_a_mirrored_picture_takes_back_what_was_written() -> None:
    story = tell()
    half = story.events[60].t
    story.events.append(ViewTrouble(half, 1, "mirrored"))
    written = write(story)
    assert written.plays == {}
    ends = [event.reason for event in written.log if isinstance(event, DealEnded)]
    assert ends == ["void"]
    assert noticed(written) == [("mirrored", "")]


def test_a_picture_put_right_is_followed_from_then_on() -> None:
    story = tell()
    _, plays = plan()
    start = story.events[0].t
    story.events = [
        ViewTrouble(start - 0.5, 1, "mirrored"),
        ViewTrouble(start - 0.2, 2, "mirrored", over=True),
        *story.events,
    ]
    assert write(story).standing == expected(plays)


def test_trouble_with_the_light_is_noted_and_the_game_goes_on() -> None:
    story = tell()
    story.events.append(ViewTrouble(20.0, 300, "dark"))
    story.events.append(ViewTrouble(25.0, 375, "dark", over=True))
    written = write(story)
    assert noticed(written) == [("dark", ""), ("trouble-over", "dark")]
    assert written.standing == expected(plan()[1])


def test_a_table_lost_from_sight_is_another_thing_than_a_camera_moved() -> None:
    story = Story()
    story.events = [CameraMoved(1.0, 15, True), CameraMoved(2.0, 30, False)]
    assert [kind for kind, _ in noticed(write(story))] == ["camera-moved", "table-lost"]
