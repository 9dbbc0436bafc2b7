"""Dealing a pack, cutting for the deal, and bisca played from its stock."""

import random
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.sueca import (
    PRESETS,
    Deal,
    FirstDealer,
    IllegalMove,
    Play,
    Seat,
    TrumpCard,
    audit,
    deal_bisca,
    deal_cards,
    first_dealer,
    fold,
    pack,
    preset,
)
from assistant.sueca.seats import SEATS
from tests.assistant.sueca.builders import cards, naive_winner


@pytest.mark.parametrize("name", PRESETS)
def test_a_pack_has_the_cards_the_rules_say(name: str) -> None:
    assert len(pack(preset(name))) == preset(name).deck_size


@pytest.mark.parametrize("name", [name for name in PRESETS if name != "bisca"])
def test_every_seat_gets_its_hand_and_the_dealer_the_card_turned_up(name: str) -> None:
    rules = preset(name)
    dealer = rules.seats[1]
    hands, trump = deal_cards(rules, dealer, pack(rules))
    assert {len(hand) for hand in hands.values()} == {rules.hand_size}
    assert sorted(card for hand in hands.values() for card in hand) == sorted(pack(rules))
    assert trump is hands[dealer][-1]


def test_001_by_option_the_dealers_first_card_is_turned_up_dealing_the_other_way_round() -> None:
    rules = replace(preset("classica"), name="x", trump_card=TrumpCard.FIRST)
    hands, trump = deal_cards(rules, Seat.S, pack(rules))
    assert trump is pack(rules)[0] is hands[Seat.S][0]
    assert hands[Seat.E] == pack(rules)[10:20]  # the player to the dealer's right comes next


def test_a_pack_that_is_not_whole_is_refused() -> None:
    with pytest.raises(ValueError, match="expected the 40 cards"):
        deal_cards(preset("selminha"), Seat.S, pack(preset("selminha"))[1:])


@pytest.mark.parametrize(
    ("how", "seat"), [(FirstDealer.HIGHEST, Seat.N), (FirstDealer.LOWEST, Seat.E)]
)
def test_004_the_highest_or_the_lowest_cut_deals(how: FirstDealer, seat: Seat) -> None:
    rules = replace(preset("portuguesa"), name="x", first_dealer=how)
    cuts = list(zip(SEATS, cards("KH 2C 7D JS"), strict=True))
    assert first_dealer(rules, cuts) is seat


def test_equal_cuts_cut_again() -> None:
    rules = replace(preset("portuguesa"), name="x", first_dealer=FirstDealer.HIGHEST)
    with pytest.raises(ValueError, match="cut again"):
        first_dealer(rules, list(zip(SEATS, cards("7H 7C 2D JS"), strict=True)))


@given(seed=st.integers(0, 2**32))
def test_004_bisca_three_cards_refilled_winner_first_trump_card_last(seed: int) -> None:
    rng = random.Random(seed)
    rules = preset("bisca")
    deck = list(pack(rules))
    rng.shuffle(deck)
    dealer = rng.choice(SEATS)
    game = deal_bisca(rules, dealer, deck)
    plays: list[Play] = []
    trump = game.trump
    for number in range(40):
        sizes = sorted(len(hand) for hand in game.hands)
        assert sizes[-1] <= 3
        if number == 28:  # the stock is gone: whoever drew last holds the card turned up
            last = SEATS[(game.turn.index - 1) % 4]
            assert trump in game.hands[last.index]
        card = rng.choice(game.hands[game.turn.index])
        plays.append(Play(game.turn, card))
        game = game.play(game.turn, card)
        if number % 4 == 3:
            assert game.turn is naive_winner(plays[-4:], trump.text[-1])
    deal = Deal(rules, dealer, trump, tuple(plays))
    assert audit(deal, final=True) == ()
    assert sum(fold(deal).points) == 120


def test_bisca_refuses_a_card_out_of_turn_or_not_held() -> None:
    rules = preset("bisca")
    game = deal_bisca(rules, Seat.W, pack(rules))
    with pytest.raises(IllegalMove, match="expected a card from S, got one from E"):
        game.play(Seat.E, game.hands[1][0])
    with pytest.raises(IllegalMove, match="expected a card held by S"):
        game.play(Seat.S, game.hands[1][0])


def test_bisca_is_not_dealt_under_other_rules() -> None:
    with pytest.raises(ValueError, match="expected rules with a stock"):
        deal_bisca(preset("selminha"), Seat.W, pack(preset("selminha")))
