"""What the book makes of tracks before the rules have a say."""

from assistant.scribe.priors import Priors
from assistant.scribe.sightings import Book, Sighting
from tests.assistant.scribe.story import Story, place, reading


def _book(story: Story) -> list[Sighting]:
    book = Book(Priors())
    for event in sorted(story.events, key=lambda event: event.t):
        book.feed(event)
    return book.sightings


def _leave_together(story: Story, tracks: list[int]) -> None:
    story.t += 2.0
    for track in tracks:
        story.gone(track)
        story.t += 0.2


class TestAGathering:
    def test_takes_cards_that_leave_together(self) -> None:
        story = Story()
        _leave_together(story, [story.put("AH", place("S")), story.put("4H", place("E"))])
        assert [sighting.sweep for sighting in _book(story)] == [1, 1]

    def test_is_not_made_by_a_thing_lost_sight_of_as_a_card_is_taken_up(self) -> None:
        story = Story()
        _leave_together(story, [story.put("AH", place("S")), story.thing((0.8, 0.2))])
        assert [sighting.sweep for sighting in _book(story)] == [-1, -1]

    def test_is_not_made_by_a_card_that_was_taken_for_two(self) -> None:
        story = Story()
        part = reading(_KH=0.6, _AH=0.35)
        beside = story.put("AH", place("S", 0.14, 0.04), log_probs=part)
        _leave_together(story, [story.put("AH", place("S")), beside])
        assert [sighting.sweep for sighting in _book(story)] == [-1, -1]

    def test_takes_cards_that_lie_side_by_side(self) -> None:
        story = Story()
        beside = story.put("5C", place("S", 0.14, 0.04))
        _leave_together(story, [story.put("AH", place("S")), beside])
        assert [sighting.sweep for sighting in _book(story)] == [1, 1]
