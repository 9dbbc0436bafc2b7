"""One reading of a deal so far, and what follows from one more action.

`assistant.scribe.meanings` lists every way a sighting can be meant (`Action`) with its score;
`follow` builds the hypothesis an action leads to. Scores are log-probabilities up to a constant
that is the same for all hypotheses of the same sightings. A hypothesis is never changed once
built; it is not a frozen dataclass only because building one is the decoder's inner loop.
"""

from collections import Counter
from dataclasses import dataclass
from enum import IntEnum
from typing import NamedTuple

from assistant.scribe.tables import ALL_SEATS, SUIT, TRICKS, beats

GAP = -1
"""The sighting, or the card, of a play that nobody saw."""
COUNTING = -1
"""`looking` while the last deal's cards are turned up and counted, before any of this deal's."""
CLAIMED = 0
"""The trick of a card laid down because the rest are ours: which of the rest is not said."""


class Kind(IntEnum):
    """What a sighting may be."""

    FALSE = 0  # no card of this deal
    PLAY = 1  # a play to the trick on the table
    LEAD = 2  # the first play of the next trick
    REPEAT = 3  # a card already played, seen again
    REPLACE = 4  # a play in the place of one taken back, or of one that nobody had seen
    SHOW = 5  # the dealer's trump card, shown
    HOLD = 6  # read after the next sighting
    CLAIM = 7  # one of the remaining cards, laid down at once
    RESTART = 8  # the first sighting of another deal
    TAKE_BACK = 9  # a play taken back, where nobody saw the one made instead
    SHOWN_AGAIN = 10  # the dealer's card, seen again before it is played


class Manner(IntEnum):
    """How a play stands to the turn of play."""

    IN_TURN = 0
    OUT_OF_TURN = 1
    AFTER_MISSED = 2  # those whose turn it was have played unseen


class Action(NamedTuple):
    """One meaning of one sighting. `target` is a place in `plays`, or a trump suit for a LEAD;
    `winner` the seat that took the trick before a LEAD, -1 where that is not said."""

    kind: Kind
    sighting: int
    seat: int = -1
    card: int = -1
    manner: Manner = Manner.IN_TURN
    target: int = -1
    winner: int = -1


class Play(NamedTuple):
    """A card played. `last` is the latest sighting of it; `trick` from 1, or `CLAIMED`."""

    sighting: int
    seat: int
    card: int
    trick: int
    last: int


@dataclass(slots=True)
class Hypothesis:
    """The deal as this reading has it.

    `used` the cards played, as bits; `mask` the seats that have played to trick `trick`, and
    `gaps` those of them that nobody saw; `voids` the suits a seat did not follow, bit
    seat * 4 + suit; `trump` -1 until a first lead or a shown card says it; `owned` cards known to
    be in a hand, `(card, seat)`; `backs` plays taken back for others that nobody saw, bit
    trick * 4 + seat; `looking` the trick whose cards are being looked at again.
    """

    score: float = 0.0
    plays: tuple[Play, ...] = ()
    used: int = 0
    trick: int = 0
    mask: int = ALL_SEATS
    gaps: int = 0
    leader: int = -1
    lead_suit: int = -1
    best_seat: int = -1
    best_card: int = -1
    start: int = 0
    voids: int = 0
    trump: int = -1
    dealer: int = -1
    shown: int = -1
    owned: tuple[tuple[int, int], ...] = ()
    backs: int = 0
    claiming: bool = False
    looking: int = 0
    held: int = -1
    restarted: int = -1
    actions: tuple[Action, ...] = ()
    parent: "Hypothesis | None" = None

    @property
    def complete(self) -> bool:
        """Whether all forty plays are accounted for, seen or not."""
        if self.claiming:
            return len(self.plays) >= TRICKS * 4
        return self.trick == TRICKS and self.mask == ALL_SEATS

    @property
    def strange(self) -> int:
        """How much in this reading is out of the ordinary: unseen plays and plays out of turn."""
        return sum(play.card == GAP for play in self.plays) + sum(
            action.manner == Manner.OUT_OF_TURN for action in self.actions
        )

    @property
    def thin(self) -> bool:
        """Whether there is a trick of which only one card was seen, or none: it may have been no
        trick, and that card no play."""
        unseen = Counter(play.trick for play in self.plays if play.card == GAP)
        return any(count >= 3 for trick, count in unseen.items() if trick != CLAIMED)

    def copy(self, score: float, action: Action) -> "Hypothesis":
        """The same state with one more action, to be changed by `follow`."""
        return Hypothesis(
            score,
            self.plays,
            self.used,
            self.trick,
            self.mask,
            self.gaps,
            self.leader,
            self.lead_suit,
            self.best_seat,
            self.best_card,
            self.start,
            self.voids,
            self.trump,
            self.dealer,
            self.shown,
            self.owned,
            self.backs,
            self.claiming,
            0,
            self.held,
            self.restarted,
            (*self.actions, action),
            self,
        )

    def before(self, count: int) -> "Hypothesis | None":
        """This reading as it was after its first `count` actions."""
        one: Hypothesis | None = self
        while one is not None and len(one.actions) > count:
            one = one.parent
        return one

    def waiting(self, step: int) -> int:
        """The seat whose turn it is in the present trick; `step` +1 counter-clockwise."""
        seat = self.leader
        while self.mask >> seat & 1:
            seat = (seat + step) % 4
        return seat


def follow(before: Hypothesis, action: Action, score: float, step: int) -> Hypothesis:
    """The hypothesis after `action`; `step` is +1 where turns go counter-clockwise, else -1."""
    after = before.copy(score, action)
    kind = action.kind
    if kind == Kind.FALSE:
        after.looking = before.looking
        if not before.plays and before.shown < 0:
            after.looking = COUNTING
    elif kind == Kind.PLAY:
        _skip(after, action, after.waiting(step), step)
        _play(after, action)
    elif kind == Kind.LEAD:
        _lead(after, action, step)
    elif kind == Kind.REPEAT:
        play = after.plays[action.target]
        again = play._replace(last=action.sighting)
        after.plays = (*after.plays[: action.target], again, *after.plays[action.target + 1 :])
        over = play.trick < after.trick or after.mask == ALL_SEATS
        after.looking = play.trick if over else 0
    elif kind == Kind.REPLACE:
        now = Play(action.sighting, action.seat, action.card, after.trick, action.sighting)
        _replace(after, action.target, now)
    elif kind == Kind.TAKE_BACK:
        seat = after.plays[action.target].seat
        after.backs |= 1 << (after.trick * 4 + seat)
        _replace(after, action.target, Play(GAP, seat, GAP, after.trick, GAP))
    elif kind == Kind.SHOW:
        after.shown, after.dealer = action.sighting, action.seat
        after.trump = SUIT[action.card]
        after.owned = (*after.owned, (action.card, action.seat))
    elif kind == Kind.HOLD:
        after.held = action.sighting
    elif kind == Kind.CLAIM:
        if not after.claiming:
            _close(after, step)
            after.claiming = True
        after.plays = (
            *after.plays,
            Play(action.sighting, action.seat, action.card, CLAIMED, action.sighting),
        )
        after.used |= 1 << action.card
    elif kind == Kind.RESTART:
        after.restarted = action.sighting
    return after


def closed(reading: Hypothesis, step: int) -> Hypothesis:
    """The reading of a deal that is over: who was not seen to play to the last trick did so."""
    if reading.trick != TRICKS or reading.complete:
        return reading
    after = reading.copy(reading.score, Action(Kind.FALSE, GAP))
    after.actions = reading.actions
    _close(after, step)
    return after


def _play(after: Hypothesis, action: Action) -> None:
    seat, card = action.seat, action.card
    after.plays = (*after.plays, Play(action.sighting, seat, card, after.trick, action.sighting))
    after.used |= 1 << card
    after.mask |= 1 << seat
    suit = SUIT[card]
    after.voids &= ~(1 << (seat * 4 + suit))
    if after.lead_suit >= 0 and suit != after.lead_suit:
        after.voids |= 1 << (seat * 4 + after.lead_suit)
    if after.best_card < 0 or beats(card, after.best_card, after.trump):
        after.best_seat, after.best_card = seat, card
    if after.owned:
        after.owned = tuple(pair for pair in after.owned if pair[0] != card)


def _gap(after: Hypothesis, seat: int) -> None:
    after.plays = (*after.plays, Play(GAP, seat, GAP, after.trick, GAP))
    after.mask |= 1 << seat
    after.gaps |= 1 << seat


def _skip(after: Hypothesis, action: Action, seat: int, step: int) -> None:
    """Where the manner says so, those from `seat` on whose turn came before played unseen."""
    if action.manner != Manner.AFTER_MISSED:
        return
    while seat != action.seat:
        if not after.mask >> seat & 1:
            _gap(after, seat)
        seat = (seat + step) % 4


def _close(after: Hypothesis, step: int) -> None:
    """The present trick is over: whoever has not been seen to play has played unseen."""
    while after.mask != ALL_SEATS:
        _gap(after, after.waiting(step))


def _lead(after: Hypothesis, action: Action, step: int) -> None:
    _close(after, step)
    winner = action.winner if action.winner >= 0 else action.seat
    after.trick += 1
    after.start = len(after.plays)
    after.mask = after.gaps = 0
    after.best_seat = after.best_card = -1
    if after.trump < 0:
        after.trump = action.target
    if action.manner == Manner.AFTER_MISSED:
        after.leader, after.lead_suit = winner, -1
        _skip(after, action, winner, step)
    else:
        after.leader, after.lead_suit = action.seat, SUIT[action.card]
    _play(after, action)


def _replace(after: Hypothesis, target: int, now: Play) -> None:
    """Put `now` in the place of a play of the present trick that was taken back, or that had not
    been seen yet."""
    gone = after.plays[target]
    trick = list(after.plays[after.start :])
    trick[target - after.start] = now
    if gone.card != GAP:
        after.used &= ~(1 << gone.card)
        after.owned = (*after.owned, (gone.card, gone.seat))
        if after.lead_suit >= 0 and SUIT[gone.card] != after.lead_suit:
            after.voids &= ~(1 << (gone.seat * 4 + after.lead_suit))
    after.plays = after.plays[: after.start]
    after.mask = after.gaps = 0
    after.best_seat = after.best_card = -1
    first = trick[0]
    after.lead_suit = SUIT[first.card] if first.card != GAP else -1
    for play in trick:
        if play.card == GAP:
            _gap(after, play.seat)
        else:
            _play(after, Action(Kind.PLAY, play.sighting, play.seat, play.card))
