"""Everything that is wrong with an observed deal, all of it at once, with where it is.

Flags are facts or proofs, never opinions: a revoke is *proved* by the seat's own cards, proved of
one *among* several seats by the cards left over, or *possible* with its exact chance. The same
function serves the live game after every play and the review of a finished deal, so they agree:
a proved flag never goes away and never changes unless a play is corrected or read anew. Where the
plays that would prove a revoke are themselves in doubt, it is only possible.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import StrEnum

from assistant.sueca.cards import SUITS, Card, Suit
from assistant.sueca.chances import (
    claimed_voids,
    dealer_trump,
    offenders,
    standing_claims,
    unseen,
    void_chances,
)
from assistant.sueca.deal import Claim, Deal, DealState, TurnFault, fold
from assistant.sueca.seats import Seat

POSSIBLE_FROM = 0.95
"""The chance of having held the suit from which a discard is worth a *possible* flag: early
discards are always unlikely, and a flag at every one would be noise."""

PROVED_FROM = 0.9
"""A revoke whose plays are read less surely than this, taken together, is told as possible: who
accuses on a misread card pays for it."""

DISCARDS_IN_HAND = 0.01
"""How often a player who could follow does not: what a suspicion is weighed by. Most unlikely discards are
honest ones, dealt so. Nobody has counted it at real tables; the simulators' players do it about as often."""

BISCA_HAND = 3
"""Cards held at once in bisca (004)."""


class FlagKind(StrEnum):
    """What is wrong."""

    UNKNOWN_CARD = "unknown-card"
    REPEATED_CARD = "repeated-card"
    MISSING_CARDS = "missing-cards"
    OUT_OF_TURN = "out-of-turn"
    WRONG_SEAT = "wrong-seat"
    WRONG_COUNT = "wrong-count"
    UNKNOWN_TRUMP = "unknown-trump"
    TRUMP_NOT_WITH_DEALER = "trump-not-with-dealer"
    TRUMP_FROM_STOCK = "trump-still-in-stock"
    REVOKE = "revoke"
    MUST_TRUMP = "must-trump"
    ILLEGAL_ACCUSATION = "illegal-accusation"
    WEAK_HAND = "weak-hand"
    WRONG_DEALER = "wrong-dealer"
    DISAGREES = "disagrees"


class Status(StrEnum):
    """How far it is established. `OBSERVED` is for facts that need no proof."""

    OBSERVED = "observed"
    PROVED = "proved"
    AMONG = "proved-among"
    POSSIBLE = "possible"


PROOF = (Status.PROVED, Status.AMONG)
REVOKES = (FlagKind.REVOKE, FlagKind.MUST_TRUMP)


@dataclass(frozen=True, slots=True)
class Flag:
    """One thing that is wrong.

    `seats`: who, all the suspects where it is one among several. `trick` from 1, None for the deal
    as a whole. `proved_in`: the trick whose cards proved it. `plays`: numbers (from 0) of the plays
    it rests on, for a revoke the discard first and the play that proves it last; `by_shown`: it is
    proved by a card lying face up, not by a play. `p`: for proofs the chance that the readings
    involved are right (below `PROVED_FROM` the revoke is only possible, with `proved_in` said all the
    same), for another possible revoke the chance, over all deals, that the suit was held; `believed`
    says what that makes of it.
    `expected`, `got`: what should have been and what was, where `cards` and `seats` do not say.
    """

    kind: FlagKind
    status: Status
    seats: tuple[Seat, ...] = ()
    trick: int | None = None
    proved_in: int | None = None
    p: float = 1.0
    plays: tuple[int, ...] = ()
    cards: tuple[Card, ...] = ()
    suit: Suit | None = None
    expected: str | None = None
    got: str | None = None
    by_shown: bool = False

    @property
    def believed(self) -> float:
        """The chance that what the flag says is so.

        Where only the cards still out speak for a revoke, by Bayes' rule: a seat that was dealt the suit with
        chance `p` did not follow although it could, with chance `DISCARDS_IN_HAND`, or else had none.
        """
        if self.status is not Status.POSSIBLE or self.proved_in is not None or self.suit is None:
            return self.p
        revoked = self.p * DISCARDS_IN_HAND
        return revoked / (revoked + 1 - self.p)

    @property
    def proves_revoke(self) -> bool:
        """Whether it is proof of a renúncia, if perhaps not of whose."""
        return self.kind in REVOKES and self.status in PROOF


def audit(deal: Deal | DealState, *, final: bool = False) -> tuple[Flag, ...]:
    """All that is wrong with a deal as far as it goes. Never raises on an observed deal.

    `final`: nothing more will be seen, so cards and trump not seen are missing.
    """
    state = fold(deal) if isinstance(deal, Deal) else deal
    flags = [*_facts(state, final), *_revokes(state)]
    if not state.over and not final and state.claims:
        flags += _suspicions(state)
    if len(flags) > 1:
        flags.sort(key=_position)
    return tuple(flags)


def _position(flag: Flag) -> tuple[int, int, str]:
    last = 10_000
    return (flag.trick or last, flag.plays[0] if flag.plays else last, flag.kind)


def _facts(state: DealState, final: bool) -> Iterator[Flag]:
    """What can be seen without any reasoning about hands."""
    if state.foreign or state.repeated or state.misseated:
        yield from _wrong_cards(state)
    if state.turn_faults:
        yield from _wrong_turns(state)
    yield from _wrong_counts(state)
    yield from _trump_faults(state, final)
    if (final or state.over) and not state.complete:
        missing = tuple(state.unseen)
        if missing:
            seats = tuple(
                seat
                for seat, played in zip(state.deal.rules.seats, state.played, strict=True)
                if played < state.deal.rules.hand_size
            )
            yield Flag(FlagKind.MISSING_CARDS, Status.OBSERVED, seats, cards=missing)


def trick_of(state: DealState, play: int) -> int:
    """The number (from 1) of the trick that play number `play` (from 0) belongs to."""
    for trick in state.tricks:
        play -= len(trick.plays)
        if play < 0:
            return trick.number
    return len(state.tricks) + 1


def _at(state: DealState, kind: FlagKind, number: int, *earlier: int) -> Flag:
    play = state.deal.plays[number]
    return Flag(
        kind,
        Status.OBSERVED,
        (play.seat,),
        trick_of(state, number),
        p=play.p,
        plays=(*earlier, number),
        cards=(play.card,),
    )


def _wrong_cards(state: DealState) -> Iterator[Flag]:
    plays = state.deal.plays
    for number in state.foreign:
        yield _at(state, FlagKind.UNKNOWN_CARD, number)
    for number in state.repeated:
        card = plays[number].card
        before = [i for i in range(number) if plays[i].card is card]
        yield _at(state, FlagKind.REPEATED_CARD, number, *before)
    for number in state.misseated:
        yield _at(state, FlagKind.WRONG_SEAT, number)


def _wrong_turns(state: DealState) -> Iterator[Flag]:
    """Who played before another's turn: not where that one's card was not seen."""
    deal = state.deal
    for fault in state.turn_faults:
        if _unseen(state, fault):
            continue
        play = deal.plays[fault.play]
        yield Flag(
            FlagKind.OUT_OF_TURN,
            Status.OBSERVED,
            (play.seat,),
            fault.trick,
            p=play.p,
            plays=(fault.play,),
            cards=(play.card,),
            expected=deal.rules.seats[fault.expected].value,
        )


def _unseen(state: DealState, fault: TurnFault) -> bool:
    """Whether the trick lacks a card, and has none of the seat whose turn it was; or who led it may have
    won the one before with a card that it lacks."""
    seats, tricks, number = state.deal.rules.seats, state.tricks, fault.trick - 1
    leads = fault.play == sum(len(trick.plays) for trick in tricks[:number])
    if leads and number > 0 and _lacks(state, number - 1, state.deal.plays[fault.play].seat):
        return True
    return number < len(tricks) and _lacks(state, number, seats[fault.expected])


def _lacks(state: DealState, number: int, seat: Seat) -> bool:
    """Whether a finished trick (from 0) has too few cards and none of `seat`."""
    plays = state.tricks[number].plays
    short = len(plays) < state.deal.rules.players
    return short and all(play.seat is not seat for play in plays)


def _wrong_counts(state: DealState) -> Iterator[Flag]:
    rules = state.deal.rules
    if state.deal.trick_sizes:
        for trick in state.tricks:
            if len(trick.plays) != rules.players:
                yield Flag(
                    FlagKind.WRONG_COUNT,
                    Status.OBSERVED,
                    trick=trick.number,
                    cards=trick.cards,
                    expected=str(rules.players),
                )
    if max(state.played) > rules.hand_size:
        for seat, played in zip(rules.seats, state.played, strict=True):
            if played > rules.hand_size:
                theirs = tuple(i for i, p in enumerate(state.deal.plays) if p.seat is seat)
                yield Flag(
                    FlagKind.WRONG_COUNT,
                    Status.OBSERVED,
                    (seat,),
                    plays=theirs[rules.hand_size :],
                    expected=str(rules.hand_size),
                )


def _trump_faults(state: DealState, final: bool) -> Iterator[Flag]:
    deal = state.deal
    rules = deal.rules
    card = deal.trump_card
    if deal.trump is None:
        if final:
            yield Flag(FlagKind.UNKNOWN_TRUMP, Status.OBSERVED)
        return
    if card is None:
        return
    if card.foreign:
        yield Flag(FlagKind.UNKNOWN_CARD, Status.OBSERVED, cards=(card,))
    elif rules.stock:
        yield from _trump_in_stock(state, card)
    elif deal.dealer is not None and state.seen[card.index]:
        yield from _trump_elsewhere(state, card, deal.dealer)


def _trump_elsewhere(state: DealState, card: Card, dealer: Seat) -> Iterator[Flag]:
    """The dealer's face-up card was played by somebody else.

    With two packs there is another such card, so only the dealer's empty hand tells.
    """
    rules = state.deal.rules
    numbers = [i for i, play in enumerate(state.deal.plays) if play.card is card]
    if any(state.deal.plays[number].seat is dealer for number in numbers) or not numbers:
        return
    if rules.packs > 1 and state.played[dealer.index % rules.players] < rules.hand_size:
        return
    flag = _at(state, FlagKind.TRUMP_NOT_WITH_DEALER, numbers[0])
    yield replace(flag, expected=dealer.value)


def _trump_in_stock(state: DealState, card: Card) -> Iterator[Flag]:
    """Bisca: the turned-up card lies under the stock and goes to whoever draws last."""
    rules = state.deal.rules
    stock_lasts = rules.tricks - BISCA_HAND
    for trick in state.tricks:
        for play in trick.plays:
            if play.card is not card:
                continue
            drawer = None
            if trick.number > stock_lasts:
                last = state.tricks[stock_lasts - 1].winner.index
                drawer = rules.seats[(last - rules.step) % rules.players]
            if play.seat is not drawer:
                yield Flag(
                    FlagKind.TRUMP_FROM_STOCK,
                    Status.OBSERVED,
                    (play.seat,),
                    trick.number,
                    p=play.p,
                    cards=(card,),
                    expected=drawer.value if drawer else None,
                )


def _revokes(state: DealState) -> Iterator[Flag]:
    """Revokes proved by the offender's own cards: shown face up, or played later.

    A card led proves as much as a card that follows.
    """
    shown = _proved_by_shown(state)
    for fault in state.broken:
        if (fault.claim.play, fault.trump) not in shown:
            yield _proof(state, fault.claim, fault.trump, fault.trick, (fault.play,))
    for (_, trump), (claim, trick) in shown.items():
        yield _proof(state, claim, trump, trick, ())


def _proof(
    state: DealState, claim: Claim, trump: bool, proved_in: int, proof: tuple[int, ...]
) -> Flag:
    deal = state.deal
    plays = (claim.play, *proof)
    p = 1.0
    for number in plays:
        p *= deal.plays[number].p
    return Flag(
        FlagKind.MUST_TRUMP if trump else FlagKind.REVOKE,
        Status.PROVED if p >= PROVED_FROM else Status.POSSIBLE,
        (deal.rules.seats[claim.seat],),
        claim.trick,
        proved_in,
        p,
        plays,
        tuple(deal.plays[number].card for number in plays),
        deal.trump_suit if trump else SUITS[claim.suit],
        by_shown=not proof,
    )


def _proved_by_shown(state: DealState) -> dict[tuple[int, bool], tuple[Claim, int]]:
    """Claims disproved by a card that lay face up: by (play, trump owed?), with the trick.

    The dealer's face-up card counts unless somebody else turned out to hold it.
    """
    deal = state.deal
    cards = [(s.seat.index, s.card, s.after) for s in deal.shown]
    trump = dealer_trump(deal)
    if trump is not None:
        cards.append((*trump, 0))
    found: dict[tuple[int, bool], tuple[Claim, int]] = {}
    for seat, card, after in cards:
        theirs = [c for c in state.claims if c.seat == seat]
        if not theirs or _belied(deal, seat, card):
            continue
        gone = next(
            (i for i, p in enumerate(deal.plays) if p.card is card and p.seat.index == seat), None
        )
        for claim in theirs:
            if gone is not None and gone < claim.play:
                continue
            trick = max(claim.trick, trick_of(state, after) if after else 1)
            if claim.suit == card.suit_index:
                found.setdefault((claim.play, False), (claim, trick))
            elif claim.dodged_trump and card.suit is deal.trump_suit:
                found.setdefault((claim.play, True), (claim, trick))
    return found


def _belied(deal: Deal, seat: int, card: Card) -> bool:
    """Whether another seat played the card, so that `seat` cannot have held it."""
    if deal.rules.packs > 1:
        return False
    return any(play.card is card and play.seat.index != seat for play in deal.plays)


def _suspicions(state: DealState) -> Iterator[Flag]:
    """Revokes that the cards still out prove of someone, or make likely."""
    cards = unseen(state)
    if cards is None:
        return
    deal = state.deal
    now = trick_of(state, len(deal.plays) - 1)
    claims = standing_claims(state)
    group = offenders(cards, claimed_voids(state, claims))
    if group:
        theirs = sorted(c for (seat, _), found in claims.items() if seat in group for c in found)
        plays = tuple(claim.play for claim in theirs)
        p = 1.0
        for number in plays:
            p *= deal.plays[number].p
        yield Flag(
            FlagKind.REVOKE,
            Status.AMONG if p >= PROVED_FROM else Status.POSSIBLE,
            tuple(deal.rules.seats[seat] for seat in group),
            theirs[-1].trick,
            now,
            p,
            plays,
            tuple(deal.plays[number].card for number in plays),
        )
        return
    for chance in void_chances(state):
        if chance.p_held >= POSSIBLE_FROM:
            plays = tuple(claim.play for claim in chance.claims)
            owed_trump = all(SUITS[claim.suit] is not chance.suit for claim in chance.claims)
            yield Flag(
                FlagKind.MUST_TRUMP if owed_trump else FlagKind.REVOKE,
                Status.POSSIBLE,
                (chance.seat,),
                chance.claims[0].trick,
                None,
                chance.p_held,
                plays,
                tuple(deal.plays[number].card for number in plays),
                chance.suit,
            )


__all__ = ["POSSIBLE_FROM", "Flag", "FlagKind", "Status", "audit", "trick_of"]
