"""Notices in words: in every language, on the page and in the terminal."""

import io
from pathlib import Path
from typing import get_args

import pytest
from rich.console import Console

from assistant.events import Noticed, PlayersNamed
from assistant.i18n import LANGUAGES
from assistant.live import LiveGame
from assistant.log import GameLog
from assistant.noticetext import TROUBLES, describe_notice, troubles_now
from assistant.sueca import Seat
from assistant.trickprinter import TrickPrinter
from assistant.web.view import game_view
from tests.assistant.games import played_deal
from vision.events import Trouble

OTHERS = (
    Noticed(1.0, "foreign-card", "E"),
    Noticed(1.0, "foreign-deck"),
    Noticed(1.0, "same-card-twice", "7H"),
    Noticed(1.0, "same-card-again", "7H"),
    Noticed(1.0, "misdealt", "E"),
    Noticed(1.0, "wrong-way-round"),
    Noticed(1.0, "trouble-over", "wrong-way-round"),
    Noticed(1.0, "under-way"),
    Noticed(1.0, "card-lacking", "QS"),
    Noticed(1.0, "table-lost"),
    Noticed(1.0, "source-gap", since=0.5),
    Noticed(1.0, "unseen-play", "S played unseen"),
    Noticed(1.0, "rest-claimed"),
    Noticed(1.0, "camera-moved"),
)


@pytest.mark.parametrize("kind", get_args(Trouble))
def test_every_trouble_is_said_in_four_ways_with_its_remedy_and_its_end(kind: str) -> None:
    said = {describe_notice(Noticed(1.0, kind), language) for language in LANGUAGES}
    over = {describe_notice(Noticed(1.0, "trouble-over", kind), lang) for lang in LANGUAGES}
    assert len(said) >= 3  # the two Portuguese may agree
    assert all(": " in text for text in said)
    assert len(over) >= 3


@pytest.mark.parametrize("notice", OTHERS, ids=lambda one: f"{one.kind}-{one.detail}")
def test_every_other_notice_is_translated(notice: Noticed) -> None:
    assert len({describe_notice(notice, language) for language in LANGUAGES}) >= 3


def test_the_card_and_the_player_are_named() -> None:
    assert "7♥" in describe_notice(Noticed(1.0, "same-card-twice", "7H"), "es")
    assert "Rui" in describe_notice(Noticed(1.0, "foreign-card", "E"), "en", {Seat.E: "Rui"})
    assert "East" in describe_notice(Noticed(1.0, "foreign-card", "E"), "en")


def test_a_notice_of_a_newer_log_is_shown_as_it_stands() -> None:
    assert describe_notice(Noticed(1.0, "sun-spot", "a sun spot"), "es") == "A sun spot"
    assert describe_notice(Noticed(1.0, "sun-spot"), "es") == "Sun-spot"


def test_only_what_is_not_over_is_wrong_now() -> None:
    dark, blurred = Noticed(1.0, "dark"), Noticed(2.0, "blurred")
    over = Noticed(3.0, "trouble-over", "dark")
    assert troubles_now((dark, blurred, over)) == (blurred,)
    assert set(TROUBLES) == set(get_args(Trouble))


def game_with(*notices: Noticed) -> LiveGame:
    game = LiveGame(GameLog(Path(":memory:")))
    game.apply(notices)
    return game


def test_the_page_says_what_is_wrong_now_and_what_was() -> None:
    game = game_with(Noticed(1.0, "dark"), Noticed(3.0, "trouble-over", "dark"))
    game.apply([Noticed(9.0, "small-cards")])
    view = game_view(game.game, "a game", live=True, lang="pt-PT")
    assert [notice.kind for notice in view.notices] == ["dark", "trouble-over", "small-cards"]
    assert view.troubles == (view.notices[-1].text,)
    assert view.troubles[0].startswith("As cartas estão pequenas")
    assert game_view(game.game, "a game", live=False, lang="pt-PT").troubles == ()
    game.close()


def test_cards_that_go_the_wrong_way_stay_on_the_page_until_they_do_so_no_more() -> None:
    game = game_with(Noticed(1.0, "wrong-way-round"))
    now = game_view(game.game, "a game", live=True, lang="es").troubles
    assert len(now) == 1
    assert "sentido contrario" in now[0]
    assert "--mirrored" in now[0]
    game.apply([Noticed(9.0, "trouble-over", "wrong-way-round")])
    assert game_view(game.game, "a game", live=True, lang="es").troubles == ()
    game.close()


def test_the_page_and_the_terminal_say_that_a_deal_was_under_way_and_what_to_do() -> None:
    out = io.StringIO()
    game = game_with()
    game.subscribe(TrickPrinter(Console(file=out, width=300), "pt-PT"))
    game.apply([*played_deal(1, tricks=6), Noticed(75.0, "under-way")])
    view = game_view(game.game, "a game", live=True, lang="pt-PT")
    game.close()
    assert view.notices[-1].text.startswith("A mão já tinha começado quando a câmara")
    assert "contem esta mão à parte" in view.notices[-1].text
    assert f"1:15 ! {view.notices[-1].text[:-1]}" in out.getvalue()


def test_the_terminal_says_each_notice_once_with_its_time() -> None:
    out = io.StringIO()
    game = game_with()
    game.subscribe(TrickPrinter(Console(file=out, width=200), "en"))
    game.say(PlayersNamed(0.0, (("E", "Rui\x1b[31m"),)))
    game.apply([Noticed(75.0, "foreign-card", "E")])
    game.apply([Noticed(80.0, "dark")])
    game.close()
    lines = out.getvalue().splitlines()
    assert [line[:7] for line in lines] == ["1:15 ! ", "1:20 ! "]
    assert "\x1b" not in out.getvalue()


def test_a_name_with_brackets_is_no_markup_and_ends_nothing() -> None:
    out = io.StringIO()
    game = game_with()
    game.subscribe(TrickPrinter(Console(file=out, width=200), "en"))
    game.say(PlayersNamed(0.0, (("E", "Rui [/b]"), ("S", "[red]Ana"))))
    game.apply(played_deal(1, tricks=1))
    game.close()
    assert "Rui [/b]" in out.getvalue()
    assert "[red]Ana" in out.getvalue()
