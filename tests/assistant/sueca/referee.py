"""OpenSpiel's Oh Hell as an independent referee: it knows legal cards and who wins a trick.

Ten ranks of its thirteen stand for the ten strengths; the card turned up for trumps is one of
those never dealt. It says nothing of the order of strength, points or games.
"""

import random
from typing import Any

from assistant.sueca import Deal, Folder, Play, deal_cards, legal_cards, pack, preset
from assistant.sueca.seats import SEATS

GAME = "oh_hell(players=4,num_suits=4,num_cards_per_suit=13,num_tricks_fixed=10)"
THEIR_SUITS = "CDSH"
FIRST_UNDEALT_RANK = 10


def action(card: Any) -> int:
    """Their number of a card: rank * 4 + suit."""
    return int(card.strength) * 4 + THEIR_SUITS.index(card.suit.value)


def compare(pyspiel: Any, seed: int) -> int:
    """Play one random deal under both; the number of plays. Raises `AssertionError` at once."""
    rng = random.Random(seed)
    rules = preset("portuguesa")
    deck = list(pack(rules))
    rng.shuffle(deck)
    dealer = rng.choice(SEATS)
    hands, trump_card = deal_cards(rules, dealer, deck)
    trump = trump_card.suit
    assert trump is not None
    state = pyspiel.load_game(GAME).new_initial_state()
    state.apply_action(10)
    state.apply_action(dealer.index)
    for number in range(40):
        state.apply_action(action(hands[SEATS[number % 4]][number // 4]))
    state.apply_action(FIRST_UNDEALT_RANK * 4 + THEIR_SUITS.index(trump.value))
    while not state.legal_actions()[0] < 52:
        state.apply_action(state.legal_actions()[0])  # bids mean nothing here
    folder = Folder(Deal(rules, dealer, trump_card))
    left = {seat: list(hand) for seat, hand in hands.items()}
    for _ in range(40):
        ours = folder.state()
        assert ours.turn is not None
        assert ours.turn.index == state.current_player()
        legal = legal_cards(left[ours.turn], ours.led, trump, rules)
        assert sorted(map(action, legal)) == sorted(state.legal_actions())
        card = rng.choice(legal)
        left[ours.turn].remove(card)
        folder.push(Play(ours.turn, card))
        state.apply_action(action(card))
    end = folder.state()
    won = [sum(trick.winner is seat for trick in end.tricks) for seat in SEATS]
    theirs = next(line for line in str(state).splitlines() if line.startswith("Tricks Won"))
    assert won == [int(word) for word in theirs.split(":")[1].split()]
    return 40
