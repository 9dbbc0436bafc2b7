"""Whether a deal was under way when watching began: vazas were played before, and nobody saw them.

Nothing that is seen at first says so: the dealer's card may have been taken up before, and piles that lie
face down may as well be the pack. What tells is that hands were smaller: they run out of suits sooner
than full ones, and the deal ends with too few vazas.
"""

import math
from collections import Counter
from collections.abc import Iterator, Sequence

from assistant.scribe.hypothesis import CLAIMED, GAP, Play
from assistant.scribe.tables import FULL_DECK, SEATS, SUIT, SUIT_MASK, TRICKS, VOID

SURELY = math.log(1000)
"""By so much (nats) what was played must be likelier of smaller hands to say in mid-deal that there
were vazas before: of deals seen from their start no more than one in so many ever comes to that."""
SHORT = -4.0
"""By so much where the deal is over with too few vazas and nobody saw its trump card shown, which says
a lot. Where it is less, the players have rather thrown the cards in."""
_DISCARDED = 0.005
"""The chance that who could follow did not, or that a card was read as one of another suit."""
_NO_VAZA = 2
"""So few cards of a last vaza are none, but such as were turned up to be counted."""


def vazas_before(plays: Sequence[Play]) -> list[float]:
    """For each number of vazas that may have been played before those of `plays`: how much likelier
    (nats) that makes what was played than that there were none.

    There were no more than the vazas seen leave room for: `[0.0]` where they are all ten.
    """
    room = TRICKS - _vazas(plays)
    odds = [0.0] * (room + 1)
    for hand, unseen, of_suit, followed in _answers(plays):
        chances = [
            _chance(VOID[unseen][of_suit][max(hand - before, 0)], followed)
            for before in range(room + 1)
        ]
        odds = [so_far + math.log(p / chances[0]) for so_far, p in zip(odds, chances, strict=True)]
    return odds


def surely_under_way(plays: Sequence[Play]) -> bool:
    """Whether what was played says by itself that there were vazas before."""
    odds = vazas_before(plays)[1:]
    return bool(odds) and math.log(sum(math.exp(x) for x in odds) / len(odds)) > SURELY


def ended_short(plays: Sequence[Play]) -> bool:
    """Whether a deal that is over with these plays has too few vazas because some came before.

    Where one is lacking and cards of the others were missed, it was rather missed too.
    """
    vazas = _vazas(plays)
    seen = sum(play.card != GAP for play in plays if play.trick <= vazas)
    if vazas == TRICKS - 1 and seen < vazas * len(SEATS):
        return False
    return vazas < TRICKS and vazas_before(plays)[-1] > SHORT


def _vazas(plays: Sequence[Play]) -> int:
    """How many vazas were seen; of cards laid down because the rest are ours, four are one."""
    cards = Counter(play.trick for play in plays if play.card != GAP)
    laid = cards.pop(CLAIMED, 0)
    last = max(cards, default=0)
    if 0 < cards[last] <= _NO_VAZA and not laid:
        last -= 1
    return min(last + math.ceil(laid / len(SEATS)), TRICKS)


def _chance(void: float, followed: bool) -> float:
    return (1 - void if followed else void) * (1 - _DISCARDED) + _DISCARDED


def _answers(plays: Sequence[Play]) -> Iterator[tuple[int, int, int, bool]]:
    """Of every answer to a lead by a seat not known to be void: how many cards it held if its hand was
    full at first, the cards not yet seen, those of the suit led among them, and whether it followed."""
    left = FULL_DECK
    void: set[tuple[int, int]] = set()
    trick, lead = 0, -1
    for play in plays:
        if play.trick == CLAIMED:
            return
        if play.trick != trick:
            trick, lead = play.trick, SUIT[play.card] if play.card != GAP else -1
        elif play.card != GAP and lead >= 0 and (play.seat, lead) not in void:
            followed = SUIT[play.card] == lead
            of_suit = (left & SUIT_MASK[lead]).bit_count()
            yield TRICKS + 1 - trick, left.bit_count(), of_suit, followed
            if not followed:
                void.add((play.seat, lead))
        if play.card != GAP:
            left &= ~(1 << play.card)
