"""Plays that nobody saw: at the end of a deal the cards still missing are theirs."""

import math
from itertools import permutations

from assistant.scribe.hypothesis import GAP, Hypothesis, Play
from assistant.scribe.priors import Priors
from assistant.scribe.refine import Surety
from assistant.scribe.tables import CARD_COUNT, FULL_DECK, SUIT, beats

MOST_GAPS = 5
"""More unseen plays than this are left unseen: the orders to try grow as a factorial."""

UNSEEN_AT_MOST = 0.85
"""No play that nobody saw is surer than this: the deck may lack the card. So it is always marked."""


def fill(
    reading: Hypothesis, sureties: tuple[Surety, ...], priors: Priors
) -> tuple[tuple[Play, ...], tuple[Surety, ...]]:
    """The plays of a complete deal with the missing cards in the gaps, and how sure each is.

    The plays as they are where the deal is not complete or too much of it was not seen.
    """
    gaps = [i for i, play in enumerate(reading.plays) if play.card == GAP]
    missing = [c for c in range(CARD_COUNT) if (FULL_DECK & ~reading.used) >> c & 1]
    if not gaps or len(gaps) > MOST_GAPS or len(missing) != len(gaps) or not reading.complete:
        return reading.plays, sureties
    scored = []
    for order in permutations(missing):
        cards = dict(zip(gaps, order, strict=True))
        plays = tuple(
            play._replace(card=cards.get(i, play.card)) for i, play in enumerate(reading.plays)
        )
        scored.append((_plausible(plays, reading.trump, priors), plays))
    top = max(score for score, _ in scored)
    shares = [(math.exp(score - top), plays) for score, plays in scored]
    total = sum(share for share, _ in shares)
    best = max(shares, key=lambda pair: pair[0])[1]
    sure = list(sureties)
    for i in gaps:
        votes: dict[int, float] = {}
        for share, plays in shares:
            votes[plays[i].card] = votes.get(plays[i].card, 0.0) + share / total
        mine = votes.pop(best[i].card)
        ranked = sorted(votes.items(), key=lambda pair: -pair[1])
        sure[i] = Surety(min(mine * sureties[i].p, UNSEEN_AT_MOST), tuple(ranked[:3]))
    return best, tuple(sure)


def _plausible(plays: tuple[Play, ...], trump: int, priors: Priors) -> float:
    """Log-plausibility of a whole deal by the rules alone: winners lead, players follow suit."""
    score = 0.0
    void: dict[tuple[int, int], bool] = {}
    winner = -1
    for first in range(0, len(plays), 4):
        trick = plays[first : first + 4]
        if winner >= 0 and trick[0].seat != winner:
            score += math.log(priors.wrong_leader)
        lead = SUIT[trick[0].card]
        best = trick[0]
        for play in trick:
            if void.pop((play.seat, SUIT[play.card]), False):
                score += math.log(priors.revoke)
            if SUIT[play.card] != lead:
                void[play.seat, lead] = True
            if play is not best and beats(play.card, best.card, trump):
                best = play
        winner = best.seat
    return score
