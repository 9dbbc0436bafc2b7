"""The engine against data from elsewhere, read where present and never copied here."""

import json
from pathlib import Path
from typing import Any

import pytest

from assistant.notation import read_game
from assistant.sueca import (
    Card,
    Deal,
    FlagKind,
    Play,
    Suit,
    audit,
    fold,
    legal_cards,
    preset,
)
from assistant.sueca.seats import SEATS

ORACLES = Path(__file__).parents[4] / "shared" / "oracles"
pytestmark = pytest.mark.skipif(not ORACLES.is_dir(), reason=f"no data from elsewhere at {ORACLES}")


def judge_states() -> list[dict[str, Any]]:
    path = ORACLES / "judge_states.json"
    return json.loads(path.read_text()) if path.is_file() else []


def judge_deal(state: dict[str, Any]) -> Deal:
    """A judge's state as a deal: its players 0-3 sit S E N W, cards indexed by player."""
    trump = Card.parse(state["trump"])
    plays = []
    for trick in [*state["previous"], state["current"]]:
        for i in range(4):
            player = (trick["leader"] + i) % 4
            if trick["cards"][player] is not None:
                plays.append(Play(SEATS[player], Card.parse(trick["cards"][player])))
    return Deal(preset("portuguesa"), SEATS[state["trump_player"]], trump, tuple(plays))


@pytest.mark.parametrize("state", judge_states(), ids=lambda state: state["name"])
def test_the_judge_agrees_on_winners_points_and_legal_cards(state: dict[str, Any]) -> None:
    folded = fold(judge_deal(state))
    leaders = [trick["leader"] for trick in state["previous"]] + [state["current"]["leader"]]
    assert [trick.winner.index for trick in folded.tricks] == leaders[1:]
    assert list(folded.points) == state["points"]
    hand = [Card.parse(card) for card in state["hand"]]
    suit = state["current"]["suit"]
    led = Suit(suit) if suit else None
    theirs = [card for card in hand if card.suit is led] or hand
    ours = legal_cards(hand, folded.led, folded.deal.trump_suit, folded.deal.rules)
    assert sorted(ours) == sorted(theirs)


@pytest.mark.parametrize(("name", "points"), [("game1", (76, 44)), ("game2", (60, 60))])
def test_games_in_plain_text_score_as_expected(name: str, points: tuple[int, int]) -> None:
    reading = read_game(ORACLES / f"{name}.sueca")
    (entry,) = reading.game.deals
    state = fold(entry.deal)
    assert reading.faults == ()
    assert state.points == points
    assert state.complete
    assert audit(state, final=True) == ()
    assert state.trump_holder is not None


def test_the_game_with_a_card_that_is_not_in_the_deck() -> None:
    (entry,) = read_game(ORACLES / "game1b.sueca").game.deals
    flags = audit(entry.deal, final=True)
    assert [flag.kind for flag in flags] == [FlagKind.UNKNOWN_CARD, FlagKind.MISSING_CARDS]
    assert flags[0].cards[0].text == "8S"
