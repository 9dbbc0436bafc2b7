"""What the log says of one deal so far, and what it is to be told next."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

from assistant.events import (
    CameraEvent,
    Noticed,
    PlayRetracted,
    PlayRevised,
    PlaySeen,
    Seat,
    TrickGathered,
    TrumpShown,
)
from assistant.scribe.decoder import Decoder, weights
from assistant.scribe.hypothesis import CLAIMED, GAP, Hypothesis, Kind, Play
from assistant.scribe.notices import nearest_seat
from assistant.scribe.oddities import of_second_deck
from assistant.scribe.refine import Decoded, Surety
from assistant.scribe.sightings import NEVER, Sighting
from assistant.scribe.tables import LABEL_ORDER, SEATS, TEXT, TRICKS
from assistant.sueca import SUITS
from vision.types import Point

TELL_AGAIN = 0.05
"""A play's probability is logged anew when it moved by more than this."""
TRUMP_AFTER, SURE_OF_TRUMP = 2, 0.9
"""How surely a trump card is told, and from which vaza on the suit of an unseen one, as `?H`."""


@dataclass(slots=True)
class Written:
    """What the log says of one play so far."""

    play_id: int
    seat: Seat
    card: str
    trick: int
    played: float
    p: float


def known_by(sighting: Sighting | None, place: int) -> tuple[int, int]:
    """What the log knows a play by: its sighting's, or where nobody saw it its place among the plays."""
    return sighting.uid if sighting else (-1 - place, 0)


_SECOND_DECK = 2
"""So many cards that come again are of a second deck, and the rules know nothing of what was played."""


@dataclass(slots=True)
class DealLog:
    """What the log says of a deal: `written` of its plays, by the sighting of each; which tricks
    were `gathered`; the trump as it was `shown`; that the rest was laid down, `claim_told`; which
    cards were played `again`, of a second deck. `next_id` is the next play's number."""

    next_id: int
    written: dict[tuple[int, int], Written] = field(default_factory=dict)
    gathered: set[int] = field(default_factory=set)
    shown: tuple[str, Seat | None] | None = None
    claim_told: bool = False
    again: set[str] = field(default_factory=set)

    def tell(
        self,
        decoder: Decoder,
        decoded: Decoded,
        plays: tuple[Play, ...],
        now: float,
        final: bool,
    ) -> list[CameraEvent]:
        """What the log lacks of what was `decoded`, with these plays in it: it is told at `now`, and
        `final` when the deal is over."""
        out: list[CameraEvent] = []
        reading, sightings = decoded.reading, decoder.book.sightings
        out += self._tell_trump(decoder, reading, now, final)
        out += self._tell_second_deck(reading, sightings, now)
        strange = self._surely_strange(sightings)
        standing: set[tuple[int, int]] = set()
        told: list[CameraEvent] = []
        last = -math.inf
        for place, (play, surety) in enumerate(zip(plays, decoded.sureties, strict=True)):
            if play.card == GAP or (strange and _read_otherwise(play, sightings)):
                continue
            sighting = sightings[play.sighting] if play.sighting != GAP else None
            uid = known_by(sighting, place)
            played = max(sighting.t if sighting else last, last + 1e-3)
            last = played
            standing.add(uid)
            told += self._tell_play(uid, play, sighting, played, surety, now, final)
        for uid in [uid for uid in self.written if uid not in standing]:
            out.append(PlayRetracted(now, self.written.pop(uid).play_id))
        out += told
        out += self._tell_claim(reading, now)
        return out + self._tell_gathered(reading, sightings, now)

    def strange(self, sightings: Sequence[Sighting]) -> bool:
        """Whether the deck seems to be none of Sueca's: it has foreign cards, or a card twice."""
        return bool(self.again) or any(sighting.foreign for sighting in sightings)

    def _surely_strange(self, sightings: Sequence[Sighting]) -> bool:
        """The same beyond one card that may have been misread."""
        return len(self.again) >= _SECOND_DECK or any(one.foreign for one in sightings)

    def _tell_play(
        self,
        uid: tuple[int, int],
        play: Play,
        sighting: Sighting | None,
        played: float,
        surety: Surety,
        now: float,
        final: bool,
    ) -> list[CameraEvent]:
        seat, card = SEATS[play.seat], TEXT[play.card]
        trick = play.trick if play.trick != CLAIMED else self._claimed_trick(uid, play)
        p = round(surety.p, 6)
        before = self.written.get(uid)
        if before is not None:
            same = (before.seat, before.card, before.trick) == (seat, card, trick)
            moved = abs(before.played - played) > 1e-6
            if same and not moved and abs(before.p - p) <= (0.005 if final else TELL_AGAIN):
                return []
        others = tuple((TEXT[c], round(p, 6)) for c, p in surety.alternatives if p > 1e-6)
        if before is None:
            new = Written(self.next_id, seat, card, trick, played, p)
            self.next_id += 1
            self.written[uid] = new
            seen = PlaySeen(now, new.play_id, seat, card, trick, played, p, others)
            if sighting is None:
                notice = f"{seat} played unseen in trick {trick}; {card} is what is missing"
                return [seen, Noticed(now, "unseen-play", notice)]
            return [
                PlaySeen(
                    now,
                    new.play_id,
                    seat,
                    card,
                    trick,
                    played,
                    p,
                    others,
                    sighting.track,
                    sighting.frame,
                    sighting.quad,
                )
            ]
        self.written[uid] = Written(before.play_id, seat, card, trick, played, p)
        return [PlayRevised(now, before.play_id, seat, card, trick, played, p, others)]

    def _claimed_trick(self, uid: tuple[int, int], play: Play) -> int:
        """A vaza for a card laid down at once: the seat's next one that has none of its cards."""
        mine = {w.trick for u, w in self.written.items() if u != uid and w.seat == SEATS[play.seat]}
        here = self.written.get(uid)
        if here is not None and here.seat == SEATS[play.seat] and here.trick not in mine:
            return here.trick
        return next((t for t in range(1, TRICKS + 1) if t not in mine), TRICKS)

    def _tell_trump(
        self, decoder: Decoder, reading: Hypothesis, now: float, final: bool
    ) -> list[CameraEvent]:
        if reading.shown < 0:
            return self._tell_trump_suit(decoder, reading, now)
        action = next(a for a in reading.actions if a.kind == Kind.SHOW)
        card = (TEXT[action.card], SEATS[action.seat])
        if card == self.shown:
            return []
        sighting = decoder.book.sightings[action.sighting]
        beam = decoder.beam
        votes: dict[int, float] = {}
        for one, share in zip(beam, weights(beam), strict=True):
            for other in one.actions:
                if other.kind == Kind.SHOW:
                    votes[other.card] = votes.get(other.card, 0.0) + share
        p = votes.pop(action.card, 0.0)
        if p < SURE_OF_TRUMP and not final:
            return []
        self.shown = card
        others = sorted(votes.items(), key=lambda pair: -pair[1])[:3]
        return [
            TrumpShown(
                now,
                card[0],
                card[1],
                round(p, 6),
                tuple((TEXT[c], round(q, 6)) for c, q in others),
                sighting.track,
                sighting.frame,
                sighting.quad,
            )
        ]

    def _tell_trump_suit(
        self, decoder: Decoder, reading: Hypothesis, now: float
    ) -> list[CameraEvent]:
        """The card was not seen, but who went on leading may have given the suit away."""
        if reading.trick < TRUMP_AFTER:
            return []
        beam = decoder.beam
        pairs = zip(beam, weights(beam), strict=True)
        p = sum(share for one, share in pairs if one.trump == reading.trump)
        card = f"?{SUITS[reading.trump]}"
        if p < SURE_OF_TRUMP or self.shown == (card, None):
            return []
        self.shown = (card, None)
        return [TrumpShown(now, card, None, round(p, 6))]

    def _tell_second_deck(
        self, reading: Hypothesis, sightings: Sequence[Sighting], now: float
    ) -> list[CameraEvent]:
        twice = of_second_deck(reading, sightings)
        new = [card for card in twice if card not in self.again]
        self.again.update(new)
        return [Noticed(now, "same-card-again", card) for card in new]

    def _tell_claim(self, reading: Hypothesis, now: float) -> list[CameraEvent]:
        if not reading.claiming or self.claim_told:
            return []
        self.claim_told = True
        first = next(play for play in reading.plays if play.trick == CLAIMED)
        detail = f"{SEATS[first.seat]} lays down the rest after trick {reading.trick}"
        return [Noticed(now, "rest-claimed", detail)]

    def _tell_gathered(
        self, reading: Hypothesis, sightings: Sequence[Sighting], now: float
    ) -> list[CameraEvent]:
        out: list[CameraEvent] = []
        tricks: dict[int, list[Sighting]] = {}
        for play in reading.plays:
            if play.last != GAP and play.trick != CLAIMED:
                tricks.setdefault(play.trick, []).append(sightings[play.last])
        for number, cards in tricks.items():
            done = number < reading.trick or len(cards) == 4
            if number in self.gathered or not done or any(c.gone == NEVER for c in cards):
                continue
            self.gathered.add(number)
            exits = [c.exit for c in cards if c.exit is not None]
            by = nearest_seat(_mean(exits)) if exits else None
            out.append(TrickGathered(now, number, by))
        return out


def _read_otherwise(play: Play, sightings: Sequence[Sighting]) -> bool:
    """Whether a play is told as another card than it reads as: the rules have put it right. With a strange
    deck they know nothing of what was played, and it would be made up."""
    seen = [sightings[at] for at in (play.sighting, play.last) if at != GAP]
    return all(sighting.likeliest != LABEL_ORDER[play.card] for sighting in seen)


def _mean(points: list[Point]) -> Point:
    return (sum(x for x, _ in points) / len(points), sum(y for _, y in points) / len(points))
