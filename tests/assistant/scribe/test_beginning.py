"""A deal that was under way when watching began: said once, when it is sure, and of no other deal."""

import pytest

from assistant.events import DealEnded, DealStarted, Noticed
from assistant.scribe import Scribe
from assistant.scribe.beginning import surely_under_way, vazas_before
from assistant.scribe.hypothesis import Play
from assistant.scribe.tables import CARD_OF, SEATS
from assistant.sueca import Seat
from datasets.eventsim import LEVELS, DealSimulator, simulate_deal
from tests.assistant.scribe.story import (
    Story,
    Written,
    deal_again,
    expected,
    place,
    plan,
    tell,
    tricks,
    write,
)


def said(written: Written) -> int:
    """How often it was said that a deal was under way when watching began."""
    return [one.kind for one in written.log if isinstance(one, Noticed)].count("under-way")


class TestItIsSaid:
    @pytest.mark.parametrize("skipped", range(1, 8))
    def test_however_many_vazas_were_played_before(self, skipped: int) -> None:
        assert said(write(tell(skip_tricks=skipped))) == 1

    def test_before_the_deal_is_over_where_hands_run_out_of_suits_too_soon(self) -> None:
        written = write(tell(seed=18, skip_tricks=5))
        kinds = [
            one.kind if isinstance(one, Noticed) else type(one).__name__ for one in written.log
        ]
        rest = kinds[kinds.index("under-way") :]
        assert rest.count("PlaySeen") >= 4

    def test_at_the_latest_when_the_next_deal_begins_and_of_that_no_more(self) -> None:
        story = tell(skip_tricks=4)
        plays = deal_again(story, 5, "E", pause=25)
        written = write(story)
        assert said(written) == 1
        (told,) = (i for i, e in enumerate(written.log) if getattr(e, "kind", "") == "under-way")
        starts = [i for i, e in enumerate(written.log) if isinstance(e, DealStarted)]
        assert starts[0] < told < starts[1]
        assert set(expected(plays)) <= set(written.standing)

    def test_though_the_dealers_card_lies_there_from_the_first_picture_on(self) -> None:
        trump, plays = plan()
        story = Story(t=0.0)
        lying = story.put(trump, place("W", 0.32), stirred=False)
        for trick in tricks(plays)[4:]:
            if any(play.card == trump for play in trick):
                story.gone(lying)
            story.trick(trick)
        assert said(write(story)) == 1

    def test_where_the_rest_is_laid_down_and_hands_are_too_small(self) -> None:
        assert said(write(laid_down(skipped=4, after=8))) == 1


class TestItIsNotSaid:
    def test_of_a_deal_seen_whole(self) -> None:
        assert said(write(tell())) == 0

    def test_of_one_whose_trump_card_nobody_saw(self) -> None:
        story = Story()
        for trick in tricks(plan()[1]):
            story.trick(trick)
        assert said(write(story)) == 0

    @pytest.mark.parametrize("missed", [(3,), (0, 18, 39), (8, 9, 10)])
    def test_of_one_of_which_some_cards_were_not_seen(self, missed: tuple[int, ...]) -> None:
        story = Story()
        for number, trick in enumerate(tricks(plan()[1])):
            story.trick([p for i, p in enumerate(trick) if 4 * number + i not in missed])
        assert said(write(story)) == 0

    def test_of_one_whose_last_vaza_was_lost_as_other_cards_were(self) -> None:
        story = Story()
        for trick in tricks(plan()[1])[:9]:
            story.trick(trick[:3] if trick[0].trick == 7 else trick)
        assert said(write(story)) == 0

    @pytest.mark.parametrize("played", [1, 3, 6])
    def test_of_one_that_the_players_broke_off(self, played: int) -> None:
        trump, plays = plan()
        story = Story()
        story.show("W", trump)
        for trick in tricks(plays)[:played]:
            story.trick(trick)
        deal_again(story, 5, "E", pause=25)
        written = write(story)
        assert next(e.reason for e in written.log if isinstance(e, DealEnded)) == "new-deal"
        assert said(written) == 0

    def test_of_one_whose_last_cards_were_laid_down_at_once(self) -> None:
        assert said(write(laid_down(skipped=0, after=7))) == 0

    def test_of_the_deal_after_one_that_was_seen_to_its_end(self) -> None:
        story = tell()
        story.t += 30
        for trick in tricks(plan(5, "S")[1])[3:]:
            story.trick(trick)
        assert said(write(story)) == 0


def laid_down(skipped: int, after: int) -> Story:
    """A deal seen after so many vazas, whose last cards all are laid down after vaza `after`."""
    trump, plays = plan()
    story = Story()
    if not skipped:
        story.show("W", trump)
    for trick in tricks(plays)[skipped:after]:
        story.trick(trick)
    story.t += 2
    for seat in "SENW":
        for i, play in enumerate(p for p in plays[4 * after :] if p.seat == seat):
            story.put(play.card, place(seat, 0.28, 0.07 * (i - 1)), entry=place(seat, 0.55))
            story.t += 0.05
    return story


class TestWhatThePlaysSayOfIt:
    def test_ten_vazas_leave_no_room_for_others(self) -> None:
        assert vazas_before(_plays(0)) == [0.0]

    def test_hands_that_run_out_of_suits_speak_for_vazas_before(self) -> None:
        odds = vazas_before(_plays(6, seed=2))
        assert max(range(len(odds)), key=odds.__getitem__) >= 4

    def test_hands_that_always_follow_speak_against(self) -> None:
        suits = [[f"{rank}{suit}" for rank in "A7KJ"] for suit in "SHDC"]
        plays = [
            Play(0, seat, CARD_OF[card], trick, 0)
            for trick, suit in enumerate(suits, start=1)
            for seat, card in enumerate(suit)
        ]
        odds = vazas_before(plays)
        assert odds == sorted(odds, reverse=True)
        assert not surely_under_way(plays)


def _plays(skipped: int, seed: int = 1) -> list[Play]:
    return [
        Play(0, SEATS.index(play.seat), CARD_OF[play.card], play.trick - skipped, 0)
        for play in plan(seed)[1][4 * skipped :]
    ]


@pytest.mark.parametrize("level", LEVELS)
def test_no_simulated_deal_seen_from_its_start_is_said_to_have_been_under_way(level: str) -> None:
    for seed in range(9000, 9004):
        assert not _said_of(simulate_deal(seed, LEVELS[level]).events)


@pytest.mark.parametrize("level", ["easy", "normal", "hard"])
@pytest.mark.parametrize("first", [3, 5, 8])
def test_simulated_deals_that_were_under_way_are_said_to_have_been(level: str, first: int) -> None:
    for seed in range(9000, 9002):
        simulator = DealSimulator(seed, LEVELS[level])
        simulator.play_deal(Seat.S, first_trick=first)
        assert _said_of(simulator.recording().events)


def _said_of(events: tuple) -> bool:  # type: ignore[type-arg]
    scribe = Scribe()
    log = [one for event in events for one in scribe.feed(event)] + scribe.finish()
    return any(isinstance(one, Noticed) and one.kind == "under-way" for one in log)
