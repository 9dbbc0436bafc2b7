"""A deal that was broken off is gone on with: it ends as if nothing had happened."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from assistant.commands.going_on import gone_on
from assistant.events import Noticed, PlayCorrected, PlayersNamed, PlayRemoved
from assistant.fold import Game
from assistant.journal import Journal, read_journal
from assistant.library import Library
from assistant.replay import replay
from assistant.scribe import Scribe, ScribeOptions
from datasets.eventsim import HARD, simulate_match
from tests.assistant.scribe.story import Story, clear, expected, plan, reading, tell, tricks
from tests.assistant.table import NAME, Evening, plays, resumed, score
from vision.events import CardPlaced, ForeignCard, SameCardTwice, TableEvent, ViewTrouble

TRUMP, PLAYS = plan(1)


def _events(story: Story) -> list[TableEvent]:
    return sorted(story.events, key=lambda event: event.t)


STORY = _events(tell(1))
DEALT_AGAIN = _events(tell(9, "N"))


def _after(card: str, story: Sequence[TableEvent] = STORY) -> int:
    """How many events there are when a card has been played (the trump card is shown before)."""
    places = [i for i, e in enumerate(story) if getattr(e, "log_probs", None) == clear(card)]
    return places[-1] + 1


def _whole(game: Game) -> bool:
    """One deal, with all its plays, its trump and its score as they were."""
    (deal,) = game.deals
    assert (deal.ended, deal.dealer) == ("complete", "W")
    assert deal.trump is not None
    assert deal.trump.card == TRUMP
    assert plays(game) == expected(PLAYS)
    assert score(game) == [((76, 44), (1, 0), True)]
    return True


@pytest.fixture
def evening(tmp_path: Path) -> Evening:
    return Evening(tmp_path)


class TestTheSameDealGoesOn:
    @pytest.mark.parametrize("cut", range(1, 92, 5))
    def test_after_a_power_cut_at_any_moment(self, evening: Evening, cut: int) -> None:
        evening.run(STORY[:cut], power_cut=True)
        assert _whole(evening.run(resumed(STORY, cut)))

    @pytest.mark.parametrize("cut", range(3, 92, 5))
    def test_after_ctrl_c_at_any_moment(self, evening: Evening, cut: int) -> None:
        evening.run(STORY[:cut])
        assert _whole(evening.run(resumed(STORY, cut)))

    @pytest.mark.parametrize("first", [4, 33, 70])
    def test_twice(self, evening: Evening, first: int) -> None:
        evening.run(STORY[:first], power_cut=True)
        rest = resumed(STORY, first)
        second = len(rest) // 2
        evening.run(rest[:second], power_cut=True)
        assert _whole(evening.run(resumed(rest, second)))

    def test_though_a_run_in_between_ended_before_it_saw_anything(self, evening: Evening) -> None:
        cut = _after(tricks(PLAYS)[5][2].card)
        evening.run(STORY[:cut], power_cut=True)
        evening.run([], seconds=1.0)
        assert _whole(evening.run(resumed(STORY, cut)))

    @pytest.mark.parametrize("trick", [1, 5, 10])
    def test_though_its_vaza_was_gathered_meanwhile(self, evening: Evening, trick: int) -> None:
        cut = _after(tricks(PLAYS)[trick - 1][3].card)
        evening.run(STORY[:cut], power_cut=True)
        assert _whole(evening.run(resumed(STORY, cut, swept=True)))

    @pytest.mark.parametrize("trick", [2, 6, 9])
    @pytest.mark.parametrize("seen", [1, 2, 3])
    def test_though_a_vaza_was_played_to_its_end_meanwhile(
        self, evening: Evening, trick: int, seen: int
    ) -> None:
        unseen = tricks(PLAYS)[trick - 1][seen:]
        evening.run(STORY[: _after(tricks(PLAYS)[trick - 1][seen - 1].card)], power_cut=True)
        game = evening.run(resumed(STORY, _gathered(trick), swept=True))
        (deal,) = game.deals
        right = [play for play in expected(PLAYS) if play not in expected(unseen)]
        assert [play for play in plays(game) if play in right] == right
        assert deal.ended == "complete"
        assert {card for _, card, _ in plays(game)} == {play.card for play in PLAYS}

    @pytest.mark.parametrize("place", [1, 2, 3])
    def test_though_a_card_was_played_meanwhile(self, evening: Evening, place: int) -> None:
        cut = _after(tricks(PLAYS)[4][place - 1].card)
        evening.run(STORY[:cut], power_cut=True)
        assert _whole(evening.run(resumed(STORY, cut + 1)))

    def test_though_the_dealers_card_that_lay_there_was_taken_up_meanwhile(
        self, evening: Evening
    ) -> None:
        story = Story()
        shown = story.show("W", TRUMP, take_back=False)
        for trick in tricks(PLAYS):
            if trick[0].trick == 2:
                story.gone(shown, "W")
            story.trick(trick)
        events = _events(story)
        cut = _after(PLAYS[1].card, events)
        evening.run(events[:cut], power_cut=True)
        rest = [e for e in resumed(events, cut) if not (isinstance(e, CardPlaced) and _lay(e))]
        assert _whole(evening.run(rest))

    def test_though_a_hand_hides_a_card_at_first(self, evening: Evening) -> None:
        cut = _after(tricks(PLAYS)[3][1].card)
        evening.run(STORY[:cut], power_cut=True)
        late = [
            _seen_late(event) if isinstance(event, CardPlaced) and event.track == 1 else event
            for event in resumed(STORY, cut)
        ]
        assert _whole(evening.run(late))

    @pytest.mark.parametrize("seen", [1, 2, 3, 4])
    def test_and_what_lies_there_still_is_no_news_however_unsurely_it_is_read(
        self, evening: Evening, seen: int
    ) -> None:
        events = _events(_half_read(seen))
        before = evening.run(events, power_cut=True).deals[0].plays
        after = evening.run(resumed(events, len(events)), power_cut=True).deals[0].plays
        assert len(before) == 12 + seen
        assert after == before

    def test_and_a_foreign_card_that_lies_there_still_is_told_once(self, evening: Evening) -> None:
        story = Story()
        joker = story.thing((0.7, 0.3))
        events = _events(tell(1, story=story))
        foreign = ForeignCard(joker, events[0].t + 0.1, 0, (0.7, 0.3))
        cut = 40
        evening.run([events[0], foreign, *events[1:cut]], power_cut=True)
        rest = resumed(events, cut)
        again = next(e for e in rest if isinstance(e, CardPlaced) and e.centre[0] > 0.68)
        game = evening.run([replace(foreign, track=again.track, t=2.0), *rest])
        assert [n.kind for n in game.notices] == ["foreign-card", "source-gap"]

    def test_with_a_crash_between_the_journal_and_the_log(self, evening: Evening) -> None:
        cut = _after(PLAYS[17].card)
        evening.run(STORY[: cut - 1], power_cut=True)
        kept = read_journal(evening.journal)
        assert kept is not None
        journal = Journal(evening.journal, kept.header, kept)
        journal.append(STORY[cut - 1 : cut])
        journal.close()
        assert _whole(evening.run(resumed(STORY, cut)))

    def test_with_a_last_line_cut_in_the_middle(self, evening: Evening) -> None:
        cut = _after(PLAYS[17].card)
        evening.run(STORY[:cut], power_cut=True)
        with evening.journal.open("ab") as file:
            file.write(b'{"event":"CardGone","tra')
        assert _whole(evening.run(resumed(STORY, cut)))
        assert evening.remarks == []

    def test_and_times_and_numbers_of_plays_go_on(self, evening: Evening) -> None:
        evening.run(STORY[:40], power_cut=True)
        evening.run(resumed(STORY, 40))
        entries = evening.game().entries
        assert [e.event.t for e in entries] == sorted(e.event.t for e in entries)
        assert [e.event.kind for e in entries if isinstance(e.event, Noticed)] == ["source-gap"]

    def test_with_the_troubles_of_the_picture_over(self, evening: Evening) -> None:
        evening.run([*STORY[:40], ViewTrouble(STORY[39].t, 0, "dark")], power_cut=True)
        game = evening.run(resumed(STORY, 40))
        assert [n.kind for n in game.notices] == ["dark", "source-gap", "trouble-over"]
        assert _whole(game)


def _half_read(seen: int) -> Story:
    """Three vazas and so many cards of the fourth, each of which may be its suit's queen or king."""
    story = Story()
    story.show("W", TRUMP)
    for trick in tricks(PLAYS)[:3]:
        story.trick(trick)
    for play in tricks(PLAYS)[3][:seen]:
        other = ("K" if play.card[0] == "Q" else "Q") + play.card[1]
        story.play(play.seat, play.card, reading(**{f"_{play.card}": 0.55, f"_{other}": 0.44}))
    return story


def _gathered(trick: int) -> int:
    """How many events there are when a vaza has been gathered."""
    if trick == 10:
        return len(STORY)
    return _after(tricks(PLAYS)[trick][0].card) - 1


def _lay(card: CardPlaced) -> bool:
    """Whether a card lies there unstirred, at the dealer's side and not before the dealer."""
    return not card.stirred and card.centre[0] < 0.3 and card.face == "up"


def _seen_late(card: CardPlaced) -> CardPlaced:
    return replace(card, t=card.t + 4.9, first_seen=4.8, announced=5.4)


class TestAnotherDealIsOnTheTable:
    @pytest.mark.parametrize("cut", [6, 20, 41, 62, 80])
    @pytest.mark.parametrize("power_cut", [True, False])
    def test_the_old_one_is_closed_and_the_new_one_is_whole(
        self, evening: Evening, cut: int, power_cut: bool
    ) -> None:
        evening.run(STORY[:cut], power_cut=power_cut)
        game = evening.run(resumed(DEALT_AGAIN, 0))
        first, second = game.deals
        assert (first.ended, second.ended) == ("new-deal", "complete")
        before = expected(PLAYS)[: len(first.plays)]
        assert plays(game, 0) == before
        assert plays(game) == expected(plan(9, "N")[1])

    def test_who_names_its_dealer_begins_it_at_once(self, evening: Evening) -> None:
        evening.run(STORY[:41], power_cut=True)
        game = evening.run(resumed(DEALT_AGAIN, 0), dealer="N")
        assert [deal.ended for deal in game.deals] == ["stopped", "complete"]
        assert plays(game) == expected(plan(9, "N")[1])
        assert evening.rejoined == [False, False]

    def test_after_a_whole_deal_the_next_one_is_begun(self, evening: Evening) -> None:
        evening.run(STORY, power_cut=True)
        game = evening.run(resumed(DEALT_AGAIN, 0))
        assert [deal.ended for deal in game.deals] == ["complete", "complete"]
        assert plays(game, 0) == expected(PLAYS)
        assert plays(game) == expected(plan(9, "N")[1])
        assert evening.rejoined == [False, False]


class TestWhatAPersonSaidHolds:
    @pytest.mark.parametrize("power_cut", [True, False])
    def test_of_plays_and_players(self, evening: Evening, power_cut: bool) -> None:
        cut = _after(PLAYS[21].card)
        before = evening.run(STORY[:cut], power_cut=power_cut)
        renamed, removed, moved = (before.deals[0].plays[i].play_id for i in (2, 9, 20))
        game = evening.game()
        game.say(PlayersNamed(game.now, (("S", "Ana"),)))
        game.say(PlayCorrected(game.now, renamed, card="AS"))
        game.say(PlayRemoved(game.now, removed))
        game.say(PlayCorrected(game.now, moved, seat="N"))
        game.close()
        after = evening.run(resumed(STORY, cut))
        (deal,) = after.deals
        assert dict(after.names) == {"S": "Ana"}
        play = after.play(renamed)
        assert play is not None
        assert (play.card, play.camera_card) == ("AS", PLAYS[2].card)
        assert after.play(removed) is None
        other = after.play(moved)
        assert other is not None
        assert other.seat == "N"
        assert len(deal.plays) == 39


class TestWithoutAReadableJournal:
    @pytest.mark.parametrize("damage", [b"", b"\x00\xff\n", b"{}\n", b'{"format":2}\n'])
    def test_the_deal_is_closed_as_broken_off_and_it_is_said_in_one_line(
        self, evening: Evening, damage: bytes
    ) -> None:
        evening.run(STORY[:40], power_cut=True)
        evening.journal.write_bytes(damage)
        game = evening.run(resumed(STORY, 40))
        assert game.deals[0].ended == "stopped"
        (remark,) = evening.remarks
        assert remark.startswith("deal 1 cannot be gone on with")
        assert "\n" not in remark
        assert read_journal(evening.journal) is not None

    def test_nor_is_it_gone_on_with_by_one_that_tells_of_less_than_was_written(
        self, evening: Evening
    ) -> None:
        evening.run(STORY[:40], power_cut=True)
        lines = evening.journal.read_bytes().splitlines(keepends=True)
        evening.journal.write_bytes(b"".join(lines[:20]))
        assert evening.run(resumed(STORY, 40)).deals[0].ended == "stopped"
        assert len(evening.remarks) == 1

    def test_where_there_is_none_nothing_is_said(self, evening: Evening) -> None:
        evening.run(STORY[:40], power_cut=True)
        evening.journal.unlink()
        assert evening.run(resumed(STORY, 40)).deals[0].ended == "stopped"
        assert evening.remarks == []


class TestTheJournal:
    def test_begins_anew_with_each_deal(self, evening: Evening) -> None:
        evening.run(STORY, power_cut=True)
        kept = read_journal(evening.journal)
        assert kept is not None
        assert kept.lines == ()
        assert kept.header.carried is not None
        assert kept.header.carried.deal == 1

    @pytest.mark.parametrize("seed", [1, 2])
    def test_brings_a_scribe_back_to_just_where_it_was(self, tmp_path: Path, seed: int) -> None:
        events = list(simulate_match(seed, HARD, 2).events)
        scribe = Scribe()
        said = [scribe.feed(event) for event in events]
        for cut in range(5, len(events), len(events) // 8):
            evening = Evening(tmp_path / str(cut))
            evening.run(events[:cut], power_cut=True)
            kept = read_journal(evening.journal)
            assert kept is not None
            replayed = replay(kept, evening.game().entries)
            assert replayed.unwritten == ()
            assert [replayed.scribe.feed(event) for event in events[cut:]] == said[cut:]

    def test_of_a_game_of_nothing_goes_with_it(self, tmp_path: Path) -> None:
        library = Library(tmp_path)
        name, game = library.begin(NAME)
        gone_on(library.journal(name), game, ScribeOptions(), None).journal.close()
        library.discard(name)
        assert list(tmp_path.iterdir()) == []


def test_two_cards_alike_keep_their_tracks_apart(evening: Evening) -> None:
    """What speaks of two tracks is told with the game's tracks, too."""
    evening.run(STORY[:40], power_cut=True)
    rest = resumed(STORY, 40)
    game = evening.run([*rest, SameCardTwice((1, 2), rest[-1].t, 0, "7H")])
    assert "same-card-twice" in [notice.kind for notice in game.notices]
