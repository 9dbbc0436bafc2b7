"""The scribe: table events in, log events out, as they become known and never silently changed."""

import math
from dataclasses import dataclass, field, replace
from typing import Literal

from assistant.events import (
    CameraEvent,
    DealEnded,
    DealStarted,
    Noticed,
    PlayRetracted,
    PlayRevised,
    PlaySeen,
    Seat,
    TrickGathered,
    TrumpShown,
)
from assistant.scribe.beginning import ended_short, surely_under_way
from assistant.scribe.carried import Carried
from assistant.scribe.decoder import Decoder, weights
from assistant.scribe.hypothesis import CLAIMED, GAP, Hypothesis, Kind, Play, closed
from assistant.scribe.meanings import AT_ONCE, COUNTING_SECONDS, DEALING_SECONDS, Circumstances
from assistant.scribe.notices import Notices, nearest_seat
from assistant.scribe.oddities import TurnOrder, misdealt, of_second_deck
from assistant.scribe.priors import Priors
from assistant.scribe.refine import Decoded, Refiner, Surety, marginals
from assistant.scribe.sightings import NEVER, Sighting
from assistant.scribe.tables import SEATS, TEXT, TRICKS
from assistant.scribe.unseen import fill
from assistant.sueca import SUITS, RuleSet, preset
from vision.events import (
    CardGone,
    CardMoved,
    CardPlaced,
    CardReread,
    ForeignCard,
    TableCleared,
    TableEvent,
    ViewTrouble,
)
from vision.types import Point

TELL_AGAIN = 0.05
"""A play's probability is logged anew when it moved by more than this."""
SURE_OF_END = 0.9
"""The share of readings that must agree before a deal is taken to be over, or to have begun."""
REST_AFTER_DEAL = 4.0
"""Seconds without a card after which a complete deal is over, though its cards still lie there."""
TRUMP_AFTER, SURE_OF_TRUMP = 2, 0.9
"""How surely a trump card is told, and from which vaza on the suit of an unseen one, as `?H`."""
BEGUN_AFTER_COUNTING = 5
"""Plays that make a new deal of cards turned up soon after the last one; twice as many where
there was not even time to deal."""
CONFIRM_REDEAL = 4
"""Cards of a new deal to be seen before an unfinished one is given up."""
SUIT_LETTERS = "".join(SUITS)


@dataclass(frozen=True, slots=True)
class ScribeOptions:
    """What is known beforehand. `dealer` and `trump` (a suit letter or a card) are the first
    deal's, None where the scribe is to find out. `first_deal` and `first_play_id` are where to count
    on from when a game is taken up again."""

    rules: RuleSet = field(default_factory=lambda: preset("selminha"))
    dealer: Seat | None = None
    trump: str | None = None
    first_deal: int = 1
    first_play_id: int = 1
    priors: Priors = field(default_factory=Priors)


@dataclass(slots=True)
class _Written:
    """What the log says of one play so far."""

    play_id: int
    seat: Seat
    card: str
    trick: int
    played: float
    p: float


@dataclass(slots=True)
class _BrokenOff:
    """A deal that the end of the source broke off: what was seen of it, what the log says, and the
    cards `unseen` in the deal before."""

    told: Circumstances
    events: list[TableEvent]
    written: dict[tuple[int, int], _Written]
    gathered: set[int]
    shown: tuple[str, Seat | None] | None
    claim_told: bool
    again: set[str]
    since: float | None
    unseen: frozenset[str]


class Scribe:
    """Writes down a game from the table's events. Holds no clock: time is the events'.

    Begun with what another `carried` over from a deal, it goes on as that one would.
    """

    def __init__(
        self, options: ScribeOptions | None = None, carried: Carried | None = None
    ) -> None:
        self._options = options = options or ScribeOptions()
        first = carried is None
        carried = carried or Carried(options.first_deal - 1, options.first_play_id, now=0.0)
        self._deal, self._next_id = carried.deal, carried.next_play_id
        self._now = carried.now
        self._notices = Notices(carried.foreign, frozenset(carried.unseen))
        self._order = TurnOrder(options.rules.step, carried.turns)
        self._blind = carried.blind
        self._broken_off: _BrokenOff | None = None
        self._begin(self._told(carried.ended, first), since=0.0 if first else None)

    @property
    def between_deals(self) -> bool:
        """Whether a deal is over and nothing has come since: `carried` is all there is to know."""
        return not self._deal_open and not self._events and self._broken_off is None

    @property
    def carried(self) -> Carried:
        """What to begin another scribe with, between deals, so that it goes on as this one."""
        return Carried(
            deal=self._deal,
            next_play_id=self._next_id,
            now=self._now,
            ended=self._decoder.told.ended,
            blind=self._blind,
            foreign=self._notices.foreign,
            unseen=tuple(sorted(self._notices.unseen)),
            turns=self._order.turns,
        )

    @property
    def under_way(self) -> bool:
        """Whether something of a deal that is not over was seen, or the source broke one off."""
        best = self._decoder.beam[0]
        begun = self._deal_open or bool(best.plays) or best.shown >= 0
        return begun or self._broken_off is not None

    def feed(self, event: TableEvent) -> list[CameraEvent]:
        """Take in one event; returns what is to be logged because of it, in order.

        The source may go on after `finish`: then the deal that its end broke off goes on too.
        """
        return [*self.settle(event), *self._go_round(event), *self._feed(event)]

    def settle(self, event: TableEvent) -> list[CameraEvent]:
        """What is to be logged before `event`, which is fed next, is taken in: that a deal which
        was broken off goes on, that one is over because a card is laid which is none of its own."""
        known = event.t
        if isinstance(event, CardPlaced) and event.announced is not None:
            known = event.announced
        self._now = max(self._now, known)
        out = self._reopen()
        if isinstance(event, CardPlaced) and not self._silent and self._surely_over(event):
            out += self._end("complete")
        return out

    def _feed(self, event: TableEvent) -> list[CameraEvent]:
        noticed = self._notices.of(event)
        if isinstance(event, ViewTrouble) and event.kind == "mirrored":
            self._blind = not event.over
            return [*noticed, *self._given_up(event.t)]
        if self._silent or (noticed and not isinstance(event, ForeignCard)):
            return [*noticed]
        out: list[CameraEvent] = [*noticed]
        self._see(event)
        seen = isinstance(event, CardPlaced | CardReread | CardMoved | ForeignCard)
        if seen or self._gathers(event):
            out += self._write()
        if isinstance(event, TableCleared) and self._surely_over(None):
            out += self._end("complete")
        return out

    def finish(self) -> list[CameraEvent]:
        """The source has ended; returns the last revisions and the end of the deal."""
        out = self._write()
        if self._deal_open:
            if self._decoder.beam[0].strange:
                self._decoder.look_wider()
            out += self._end("source-ended")
        return out

    @property
    def _silent(self) -> bool:
        """Whether seats, or cards too, are seen wrongly, as in a mirror: nothing is written then."""
        return self._blind or self._order.told

    def _go_round(self, event: TableEvent) -> list[CameraEvent]:
        """What is to be logged because the cards go round the wrong way, or no more."""
        noticed = [replace(one, t=self._now) for one in self._order.feed(event)]
        return [*noticed, *self._given_up(event.t)] if noticed else []

    def _given_up(self, t: float) -> list[CameraEvent]:
        """Take back this deal, of which seats were seen wrongly, and begin anew at `t`."""
        out: list[CameraEvent] = []
        if self._deal_open:
            out = [PlayRetracted(self._now, one.play_id) for one in self._written.values()]
            out.append(DealEnded(self._now, self._deal, "void"))
        self._begin(self._told(-math.inf), since=t)
        return out

    # One deal ---------------------------------------------------------------------------------

    def _told(self, ended: float, first: bool = False) -> Circumstances:
        options = self._options
        dealer = SEATS.index(options.dealer) if first and options.dealer else -1
        trump = SUIT_LETTERS.index(options.trump[-1]) if first and options.trump else -1
        return Circumstances(options.rules.step, dealer, trump, ended)

    def _begin(self, told: Circumstances, since: float | None = None) -> None:
        """Begin a deal; where watching began at `since`, it may have been under way then."""
        self._decoder = Decoder(self._options.priors, told)
        self._events: list[TableEvent] = []
        self._written: dict[tuple[int, int], _Written] = {}
        self._gathered: set[int] = set()
        self._shown: tuple[str, Seat | None] | None = None
        self._claim_told = False
        self._looked_at = -1  # plays of the deal when it was last looked at more widely
        self._again: set[str] = set()
        self._since = since
        self._dealt = since is None  # whether this deal was seen to begin: its trump card was shown
        self._told_plays: list[tuple[tuple[int, int], Play]] = []
        self._deal_open = False

    def _see(self, event: TableEvent) -> None:
        """Take an event in as one of this deal's."""
        self._events.append(event)
        self._decoder.feed(event)

    def _broken(self, unseen: frozenset[str]) -> _BrokenOff:
        return _BrokenOff(
            self._decoder.told,
            self._events,
            self._written,
            self._gathered,
            self._shown,
            self._claim_told,
            self._again,
            self._since,
            unseen,
        )

    def _reopen(self) -> list[CameraEvent]:
        """The source has ended and goes on after all: so does the deal that it ended, though its
        cards may all have been played and nobody had taken away the last."""
        off, self._broken_off = self._broken_off, None
        if off is None:
            return []
        self._begin(off.told, off.since)
        self._written, self._gathered, self._shown = off.written, off.gathered, off.shown
        self._claim_told, self._again = off.claim_told, off.again
        self._notices.unseen = off.unseen
        self._deal_open = True
        for event in off.events:
            self._see(event)
        return [self._started(), *self._write()]

    def _surely_over(self, next_card: CardPlaced | None) -> bool:
        """Whether the deal is over, after a second look where the reading of it is strange.

        One that takes nine vazas for ten must not end the deal: the last one's cards would be lost.
        So where one vaza may have been none, what comes before anybody could have dealt is waited for.
        """
        if not self._over(next_card):
            return False
        best = self._decoder.beam[0]
        if best.strange and len(best.plays) != self._looked_at:
            self._decoder.look_wider()
            self._looked_at = len(self._decoder.beam[0].plays)
            if not self._over(next_card):
                return False
        best = self._decoder.beam[0]
        if not best.thin:
            return True
        if next_card is None:
            return False
        last = [self._sighting(play.last) for play in best.plays[-4:] if play.last != GAP]
        since = max((card.gone if card.gone < NEVER else card.t for card in last), default=0.0)
        return next_card.first_seen > since + DEALING_SECONDS

    def _over(self, next_card: CardPlaced | None) -> bool:
        """Whether every card has been played and the last vaza lies there no more."""
        beam = self._decoder.beam
        best = beam[0]
        if not self._deal_open or (not best.complete and best.trick < TRICKS):
            return False
        last = [self._sighting(p.last) for p in best.plays[-4:] if p.last != GAP and p.trick != 9]
        gone = all(card.gone < NEVER for card in last)
        if not best.complete:
            # The last vaza is taken away with a card missing: nobody will play to it any more.
            return gone and len(last) > 1 and all(card.sweep >= 0 for card in last)
        shares = weights(beam)
        if sum(s for one, s in zip(beam, shares, strict=True) if one.complete) < SURE_OF_END:
            return False
        if gone:
            return next_card is None or next_card.first_seen > max(c.gone for c in last) - 1.0
        rested = max((card.t for card in last), default=self._now) + REST_AFTER_DEAL
        return self._now > rested if next_card is None else next_card.first_seen > rested

    def _end(self, reason: Literal["complete", "source-ended"]) -> list[CameraEvent]:
        lacking = self._notices.unseen
        if reason == "source-ended":
            self._decoder.conclude()
        decoded = Refiner(self._decoder).decode()
        reading = closed(decoded.reading, self._options.rules.step)
        unseen = len(reading.plays) - len(decoded.sureties)
        sureties = (*decoded.sureties, *[Surety(1.0, ())] * unseen)
        plays = reading.plays
        sightings = self._decoder.book.sightings
        strange = any(sighting.foreign for sighting in sightings)
        if not strange and not self._again:
            # With a foreign card or one of another deck among them, what is missing was not played.
            plays, sureties = fill(reading, sureties, self._options.priors)
        out = self._tell(Decoded(reading, sureties), plays, final=True)
        filled = {TEXT[play.card] for play in plays if play.sighting == GAP and play.card != GAP}
        out += self._notices.deal_over(self._now, filled)
        if (twice := misdealt(reading, sightings)) is not None:
            out.append(Noticed(self._now, "misdealt", twice))
        out += self._tell_under_way(over=True)
        over = "complete" if reading.complete else reason
        out.append(DealEnded(self._now, self._deal, over))
        off = self._broken(lacking) if reason == "source-ended" else None
        self._begin(self._told(self._now))
        self._broken_off = off
        return out

    def _gathers(self, event: TableEvent) -> bool:
        """Whether this event may have completed the gathering of the present vaza."""
        if isinstance(event, TableCleared):
            return True
        if not isinstance(event, CardGone):
            return False
        mine = [w for uid, w in self._written.items() if uid[0] == event.track]
        if not mine:
            return False
        lying = [
            s
            for s in self._decoder.book.sightings
            if s.gone == NEVER
            and s.uid in self._written
            and self._written[s.uid].trick == mine[-1].trick
        ]
        return not lying

    def _write(self) -> list[CameraEvent]:
        """Log what the best reading says now and the log does not."""
        beam = self._decoder.beam
        best = beam[0]
        if best.restarted >= 0:
            return self._redeal(beam)
        if not self._deal_open and not self._begun(best):
            return []
        decoded = marginals(beam)
        return self._tell(decoded, decoded.reading.plays, final=False)

    def _begun(self, best: Hypothesis) -> bool:
        """Whether a deal is under way, and not only the last one being counted."""
        if best.complete:
            return True
        first = [a.sighting for a in best.actions if a.kind in (Kind.LEAD, Kind.SHOW)][:1]
        if not first:
            return False
        beam = self._decoder.beam
        begun = sum(
            share
            for one, share in zip(beam, weights(beam), strict=True)
            if one.plays or one.shown >= 0
        )
        waited = self._sighting(first[0]).key - self._decoder.told.ended
        needed = 0 if waited > COUNTING_SECONDS else BEGUN_AFTER_COUNTING
        if waited < DEALING_SECONDS:
            needed *= 2
        return begun > SURE_OF_END and len(best.plays) >= needed

    def _redeal(self, beam: list[Hypothesis]) -> list[CameraEvent]:
        """Another deal seems to have begun: wait until it is sure, then close the old one."""
        shares = weights(beam)
        best = beam[0]
        anew = sum(s for one, s in zip(beam, shares, strict=True) if one.restarted >= 0)
        if anew < SURE_OF_END or len(best.plays) < CONFIRM_REDEAL:
            return []
        since = self._sighting(best.restarted).first_seen - 0.1
        events = self._events
        theirs = {s.uid for s in self._decoder.book.sightings[best.restarted :]}
        out: list[CameraEvent] = [
            PlayRetracted(self._now, written.play_id)
            for uid, written in self._written.items()
            if uid in theirs
        ]
        self._told_plays = [(uid, play) for uid, play in self._told_plays if uid not in theirs]
        out += self._tell_under_way(over=True)
        out.append(DealEnded(self._now, self._deal, "new-deal"))
        self._begin(self._told(-math.inf))
        for event in events:
            if event.t >= since:
                self._see(event)
        return out + self._write()

    # The log ----------------------------------------------------------------------------------

    def _tell(self, decoded: Decoded, plays: tuple[Play, ...], final: bool) -> list[CameraEvent]:
        out: list[CameraEvent] = []
        reading = decoded.reading
        if not self._deal_open and (plays or reading.shown >= 0):
            self._deal += 1
            self._deal_open = True
            out.append(self._started())
        out += self._tell_trump(reading, final)
        standing: set[tuple[int, int]] = set()
        told: list[CameraEvent] = []
        last = -math.inf
        self._told_plays = []
        for place, (play, surety) in enumerate(zip(plays, decoded.sureties, strict=True)):
            sighting = self._sighting(play.sighting) if play.sighting != GAP else None
            uid = sighting.uid if sighting else (-1 - place, 0)
            self._told_plays.append((uid, play))
            if play.card == GAP:
                continue
            played = max(sighting.t if sighting else last, last + 1e-3)
            last = played
            standing.add(uid)
            told += self._tell_play(uid, play, sighting, played, surety, final)
        for uid in [uid for uid in self._written if uid not in standing]:
            out.append(PlayRetracted(self._now, self._written.pop(uid).play_id))
        out += told
        out += self._tell_second_deck(reading)
        out += self._tell_claim(reading)
        shown = self._sighting(reading.shown).first_seen if reading.shown >= 0 else -math.inf
        self._dealt = self._since is None or shown > self._since + AT_ONCE
        out += self._tell_under_way(over=False)
        return out + self._tell_gathered(reading)

    def _started(self) -> DealStarted:
        first = self._deal == self._options.first_deal
        dealer = self._options.dealer if first else None
        return DealStarted(self._now, self._deal, self._options.rules.name, dealer)

    def _tell_play(
        self,
        uid: tuple[int, int],
        play: Play,
        sighting: Sighting | None,
        played: float,
        surety: Surety,
        final: bool,
    ) -> list[CameraEvent]:
        seat, card = SEATS[play.seat], TEXT[play.card]
        trick = play.trick if play.trick != CLAIMED else self._claimed_trick(uid, play)
        p = round(surety.p, 6)
        before = self._written.get(uid)
        if before is not None:
            same = (before.seat, before.card, before.trick) == (seat, card, trick)
            moved = abs(before.played - played) > 1e-6
            if same and not moved and abs(before.p - p) <= (0.005 if final else TELL_AGAIN):
                return []
        others = tuple((TEXT[c], round(p, 6)) for c, p in surety.alternatives if p > 1e-6)
        if before is None:
            now = _Written(self._next_id, seat, card, trick, played, p)
            self._next_id += 1
            self._written[uid] = now
            seen = PlaySeen(self._now, now.play_id, seat, card, trick, played, p, others)
            if sighting is None:
                notice = f"{seat} played unseen in trick {trick}; {card} is what is missing"
                return [seen, Noticed(self._now, "unseen-play", notice)]
            return [
                PlaySeen(
                    self._now,
                    now.play_id,
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
        self._written[uid] = _Written(before.play_id, seat, card, trick, played, p)
        return [PlayRevised(self._now, before.play_id, seat, card, trick, played, p, others)]

    def _claimed_trick(self, uid: tuple[int, int], play: Play) -> int:
        """A vaza for a card laid down at once: the seat's next one that has none of its cards."""
        mine = {
            w.trick for u, w in self._written.items() if u != uid and w.seat == SEATS[play.seat]
        }
        here = self._written.get(uid)
        if here is not None and here.seat == SEATS[play.seat] and here.trick not in mine:
            return here.trick
        return next((t for t in range(1, TRICKS + 1) if t not in mine), TRICKS)

    def _tell_trump(self, reading: Hypothesis, final: bool) -> list[CameraEvent]:
        if reading.shown < 0:
            return self._tell_trump_suit(reading)
        action = next(a for a in reading.actions if a.kind == Kind.SHOW)
        now = (TEXT[action.card], SEATS[action.seat])
        if now == self._shown:
            return []
        sighting = self._sighting(action.sighting)
        beam = self._decoder.beam
        votes: dict[int, float] = {}
        for one, share in zip(beam, weights(beam), strict=True):
            for other in one.actions:
                if other.kind == Kind.SHOW:
                    votes[other.card] = votes.get(other.card, 0.0) + share
        p = votes.pop(action.card, 0.0)
        if p < SURE_OF_TRUMP and not final:
            return []
        self._shown = now
        others = sorted(votes.items(), key=lambda pair: -pair[1])[:3]
        return [
            TrumpShown(
                self._now,
                now[0],
                now[1],
                round(p, 6),
                tuple((TEXT[c], round(q, 6)) for c, q in others),
                sighting.track,
                sighting.frame,
                sighting.quad,
            )
        ]

    def _tell_trump_suit(self, reading: Hypothesis) -> list[CameraEvent]:
        """The card was not seen, but who went on leading may have given the suit away."""
        if reading.trick < TRUMP_AFTER:
            return []
        beam = self._decoder.beam
        pairs = zip(beam, weights(beam), strict=True)
        p = sum(share for one, share in pairs if one.trump == reading.trump)
        card = f"?{SUITS[reading.trump]}"
        if p < SURE_OF_TRUMP or self._shown == (card, None):
            return []
        self._shown = (card, None)
        return [TrumpShown(self._now, card, None, round(p, 6))]

    def _tell_second_deck(self, reading: Hypothesis) -> list[CameraEvent]:
        twice = of_second_deck(reading, self._decoder.book.sightings)
        new = [card for card in twice if card not in self._again]
        self._again.update(new)
        return [Noticed(self._now, "same-card-again", card) for card in new]

    def _tell_claim(self, reading: Hypothesis) -> list[CameraEvent]:
        if not reading.claiming or self._claim_told:
            return []
        self._claim_told = True
        first = next(play for play in reading.plays if play.trick == CLAIMED)
        detail = f"{SEATS[first.seat]} lays down the rest after trick {reading.trick}"
        return [Noticed(self._now, "rest-claimed", detail)]

    def _tell_under_way(self, over: bool) -> list[CameraEvent]:
        """That vazas were played before watching began: once it is sure, or the deal is `over`."""
        plays = [play for _, play in self._told_plays]
        if self._dealt or not (ended_short if over else surely_under_way)(plays):
            return []
        self._since, self._dealt = None, True
        return [Noticed(self._now, "under-way")]

    def _tell_gathered(self, reading: Hypothesis) -> list[CameraEvent]:
        out: list[CameraEvent] = []
        tricks: dict[int, list[Sighting]] = {}
        for play in reading.plays:
            if play.last != GAP and play.trick != CLAIMED:
                tricks.setdefault(play.trick, []).append(self._sighting(play.last))
        for number, cards in tricks.items():
            done = number < reading.trick or len(cards) == 4
            if number in self._gathered or not done or any(c.gone == NEVER for c in cards):
                continue
            self._gathered.add(number)
            exits = [c.exit for c in cards if c.exit is not None]
            by = nearest_seat(_mean(exits)) if exits else None
            out.append(TrickGathered(self._now, number, by))
        return out

    def _sighting(self, at: int) -> Sighting:
        return self._decoder.book.sightings[at]


def _mean(points: list[Point]) -> Point:
    return (sum(x for x, _ in points) / len(points), sum(y for _, y in points) / len(points))
