"""The whole deal decoded once more: which cards go with which plays, and how sure each play is.

The beam decides card by card, so an early card may have been read before a later one showed that
it was another. Here all readings of a deal's plays are assigned to the forty cards together, and
each play is asked what else it could have been.
"""

import math
from dataclasses import dataclass

import numpy as np
from scipy.optimize import linear_sum_assignment

from assistant.scribe.decoder import Decoder, weights
from assistant.scribe.hypothesis import GAP, Hypothesis, Kind, Play
from assistant.scribe.tables import CARD_COUNT, FULL_DECK, SUIT, TEXT

CONSIDERED = 10.0
"""An exchange of cards is tried where the readings alone make it at most so much (nats) worse."""
ROUNDS = 4
COURTS = "KQJ"
"""A deck's art may make two courts of a suit alike: then both are misread, and for one reason."""


@dataclass(frozen=True, slots=True)
class Surety:
    """How sure one play is: `p` of card, seat and trick together, and other cards it may be."""

    p: float
    alternatives: tuple[tuple[int, float], ...]


@dataclass(frozen=True, slots=True)
class Decoded:
    """The likeliest reading and, for each of its plays in order, how sure it is."""

    reading: Hypothesis
    sureties: tuple[Surety, ...]


def marginals(beam: list[Hypothesis]) -> Decoded:
    """The best reading of a beam, each play's surety being the share of readings that agree.

    They agree that a seat played a card to a trick, in whichever sighting of that card they see it.
    """
    best = beam[0]
    # A reading in which another deal has begun has nothing to say about this one's plays.
    beam = [reading for reading in beam if reading.restarted == best.restarted]
    shares = weights(beam)
    agree = [0.0] * len(best.plays)
    others: list[dict[int, float]] = [{} for _ in best.plays]
    for reading, share in zip(beam, shares, strict=True):
        same = _shared(best.plays, reading.plays)
        for i in range(same):
            agree[i] += share
        theirs = {_whose(play): play for play in reading.plays[same:]}
        said = {(play.seat, play.trick, play.card) for play in reading.plays[same:]}
        for i, play in enumerate(best.plays[same:], same):
            if (play.seat, play.trick, play.card) in said:
                agree[i] += share
                continue
            other = theirs.get(_whose(play))
            if other is None:
                continue
            if other.card != play.card and other.card != GAP:
                others[i][other.card] = others[i].get(other.card, 0.0) + share
    return Decoded(best, tuple(_surety(p, o) for p, o in zip(agree, others, strict=True)))


def _shared(one: tuple[Play, ...], two: tuple[Play, ...]) -> int:
    """How many plays two readings have in common from the first on."""
    for count, (play, other) in enumerate(zip(one, two, strict=False)):
        if play is not other and play != other:
            return count
    return min(len(one), len(two))


def _whose(play: Play) -> tuple[int, int, int]:
    """What makes a play of one reading the same as that of another: the sighting it was seen in,
    or for a play that nobody saw, its seat and trick."""
    return (GAP, play.seat, play.trick) if play.sighting == GAP else (play.sighting, 0, 0)


def _surety(p: float, others: dict[int, float]) -> Surety:
    ranked = sorted(others.items(), key=lambda pair: -pair[1])
    return Surety(min(p, 1.0), tuple(ranked[:3]))


class Refiner:
    """Re-decodes what a decoder has read."""

    def __init__(self, decoder: Decoder) -> None:
        self._decoder = decoder

    def decode(self) -> Decoded:
        """The deal's likeliest reading after assignment and exchanges, with sureties."""
        beam = self._decoder.beam
        best = self._assigned(beam[0])
        for _ in range(ROUNDS):
            tried = self._exchanges(best)
            better = max((one for _, one in tried), key=lambda one: one.score, default=best)
            if better.score <= best.score + 1e-9:
                break
            best = better
        structure = marginals(_same_cards_first(beam, best))
        return self._sure(best, tried, structure)

    def _evidence(self, reading: Hypothesis) -> dict[int, list[float]]:
        """By sighting of a play: log-likelihood ratios (40) from all sightings of its card."""
        evidence = {
            play.sighting: list(self._decoder.book.sightings[play.sighting].card_ll)
            for play in reading.plays
            if play.sighting != GAP
        }
        for action in reading.actions:
            if action.kind == Kind.REPEAT:
                row = evidence.get(reading.plays[action.target].sighting)
                if row is not None:
                    again = self._decoder.book.sightings[action.sighting].card_ll
                    row[:] = [a + b for a, b in zip(row, again, strict=True)]
        return evidence

    def _assigned(self, reading: Hypothesis) -> Hypothesis:
        evidence = self._evidence(reading)
        if not evidence:
            return reading
        rows = list(evidence)
        _, columns = linear_sum_assignment(-np.array([evidence[row] for row in rows]))
        cards = {row: int(card) for row, card in zip(rows, columns, strict=True)}
        if all(cards[p.sighting] == p.card for p in reading.plays if p.sighting != GAP):
            return reading
        other = self._decoder.reread(reading, cards)
        return other if other is not None and other.score > reading.score else reading

    def _exchanges(self, reading: Hypothesis) -> list[tuple[dict[int, int], Hypothesis]]:
        """Readings in which one play was another card, or two or three exchange their cards."""
        evidence = self._evidence(reading)
        holder = {p.card: p.sighting for p in reading.plays if p.sighting != GAP}
        left = [c for c in range(CARD_COUNT) if (FULL_DECK & ~reading.used) >> c & 1]
        tried = []
        seen: set[tuple[tuple[int, int], ...]] = set()
        for card, row in holder.items():
            here = evidence[row]
            for other in range(CARD_COUNT):
                loss = here[card] - here[other]
                if other == card or loss > CONSIDERED:
                    continue
                for change, more in self._changes(row, card, other, holder, left, evidence):
                    key = tuple(sorted(change.items()))
                    if loss + more > CONSIDERED or key in seen:
                        continue
                    seen.add(key)
                    one = self._decoder.reread(reading, change)
                    if one is not None:
                        tried.append((change, one))
        return tried

    def _changes(
        self,
        row: int,
        card: int,
        other: int,
        holder: dict[int, int],
        left: list[int],
        evidence: dict[int, list[float]],
    ) -> list[tuple[dict[int, int], float]]:
        """Ways to let `row` be `other`, each with what it costs the play that holds `other`."""
        if other not in holder:
            return [({row: other}, 0.0)]
        rival = holder[other]
        theirs = evidence[rival]
        return [({row: other, rival: new}, theirs[other] - theirs[new]) for new in (card, *left)]

    def _sure(
        self,
        best: Hypothesis,
        tried: list[tuple[dict[int, int], Hypothesis]],
        structure: Decoded,
    ) -> Decoded:
        odds: dict[int, dict[int, float]] = {}
        evidence = self._evidence(best)
        for change, one in tried:
            worse = one.score - best.score + _told_twice(change, best, evidence)
            chance = math.exp(min(worse, 0.0))
            for row, card in change.items():
                mine = odds.setdefault(row, {})
                mine[card] = mine.get(card, 0.0) + chance
        sureties = []
        for play, placed in zip(best.plays, structure.sureties, strict=True):
            mine = odds.get(play.sighting, {}) if play.sighting != GAP else {}
            total = 1 + sum(mine.values())
            shares = {card: chance / total for card, chance in mine.items()}
            sureties.append(_surety(placed.p / total, shares))
        return Decoded(best, tuple(sureties))


def _told_twice(
    change: dict[int, int], best: Hypothesis, evidence: dict[int, list[float]]
) -> float:
    """How much of the evidence against exchanging two courts of a suit is the same told twice.

    What makes this deck's king look like its queen makes the queen look like the king, so that
    the two readings are worth no more than the better one of them.
    """
    held = {play.sighting: play.card for play in best.plays if play.sighting in change}
    if len(held) != 2 or set(held.values()) != set(change.values()):
        return 0.0
    one, two = held.values()
    if SUIT[one] != SUIT[two] or TEXT[one][0] not in COURTS or TEXT[two][0] not in COURTS:
        return 0.0
    return max(0.0, min(evidence[at][held[at]] - evidence[at][change[at]] for at in held))


def _same_cards_first(beam: list[Hypothesis], best: Hypothesis) -> list[Hypothesis]:
    """The beam as votes on seats and tricks alone: every reading with the best one's cards."""
    cards = {play.sighting: play.card for play in best.plays}
    votes = [best]
    for one in beam:
        if one.actions == best.actions:
            continue
        vote = Hypothesis(score=one.score)
        vote.plays = tuple(
            play._replace(card=cards.get(play.sighting, play.card)) for play in one.plays
        )
        votes.append(vote)
    return votes
