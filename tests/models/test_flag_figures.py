"""What is told of renúncias is held against the truth, and the chances told with them are borne out."""

from dataclasses import replace

import pytest

from assistant.sueca import Card, Deal, Play, Seat, preset
from datasets.eventsim import NORMAL, TrueDeal, simulate_deal
from models.flag_figures import KINDS, JudgedFlag, judge, reliability

RULES = preset("selminha")
DEALS = 250
REVOKING = replace(NORMAL, revoke=0.25)
PROVED, DOUBTED, STILL_OUT = KINDS


def deal_of(text: str) -> Deal:
    """`S:2H E:2C …`, dealt by West with the two of spades turned up."""
    plays = tuple(Play(Seat[one[0]], Card.parse(one[2:])) for one in text.split())
    return Deal(RULES, Seat.W, Card.parse("2S"), plays)


REVOKED = deal_of("S:2H E:2C N:4H W:5H W:6H S:AH E:3H N:QH")


def true(deal: TrueDeal) -> Deal:
    plays = tuple(Play(play.seat, play.card, play.t) for play in deal.plays)
    return Deal(RULES, deal.dealer, deal.trump, plays)


def test_a_renuncia_that_was_one_is_told_once_and_is_so() -> None:
    (flag,) = judge(REVOKED, REVOKED)
    assert flag == JudgedFlag(PROVED, 1.0, True)


def test_a_renuncia_by_a_card_never_played_is_not_so() -> None:
    misread = REVOKED.corrected(6, Play(Seat.E, Card.parse("KH")))
    truth = deal_of("S:2H E:2C N:4H W:5H W:6H S:AH E:3C N:QH")
    assert [flag.true for flag in judge(misread, truth)] == [False]


def test_a_renuncia_that_hangs_on_a_doubtful_play_is_told_as_possible() -> None:
    doubted = REVOKED.corrected(6, Play(Seat.E, Card.parse("3H"), p=0.7))
    assert judge(doubted, REVOKED) == (JudgedFlag(DOUBTED, 0.7, True),)


def test_what_only_the_cards_still_out_speak_for_is_as_often_so_as_is_told() -> None:
    # One deal in four has a player who does not follow once: about one in a hundred of those who could.
    deals = [true(simulate_deal(seed, REVOKING).deals[0]) for seed in range(DEALS)]
    flags = [f for deal in deals for f in judge(deal, deal) if f.kind == STILL_OUT]
    assert len(flags) > DEALS / 10
    told = sum(flag.p for flag in flags) / len(flags)
    so = sum(flag.true for flag in flags) / len(flags)
    assert told == pytest.approx(so, abs=0.15)


def test_the_table_gives_flags_by_kind_and_chance() -> None:
    text = reliability([JudgedFlag(PROVED, 0.97, True), JudgedFlag(PROVED, 0.96, False)])
    assert "| proved | 0.95 to 0.98 | 2 | 0.9650 | 0.5000 |" in text
    assert reliability([]) == "No renúncia was told."
