"""The scribe: table events in, log events out, as they become known and never silently changed."""

import math
from dataclasses import dataclass, field, replace
from typing import Literal

from assistant.events import CameraEvent, DealEnded, DealStarted, Noticed, PlayRetracted, Seat
from assistant.scribe.beginning import ended_short, surely_under_way
from assistant.scribe.carried import Carried
from assistant.scribe.circumstances import Circumstances
from assistant.scribe.deal import SeenDeal
from assistant.scribe.deal_log import DealLog
from assistant.scribe.hypothesis import GAP, Play, closed
from assistant.scribe.notices import Notices
from assistant.scribe.oddities import TurnOrder, misdealt
from assistant.scribe.priors import Priors
from assistant.scribe.refine import Decoded, Refiner, Surety, marginals
from assistant.scribe.tables import SEATS, TEXT
from assistant.scribe.unseen import fill
from assistant.sueca import SUITS, RuleSet, preset
from vision.events import (
    CardGone,
    CardMoved,
    CardPlaced,
    CardReread,
    ForeignCard,
    SameCardTwice,
    TableCleared,
    TableEvent,
    ViewTrouble,
)

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


@dataclass(frozen=True, slots=True)
class _BrokenOff:
    """A deal that the end of the source broke off, and the cards `unseen` in the deal before."""

    deal: SeenDeal
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
        self._number, self._now = carried.deal, carried.now
        self._notices = Notices(carried.foreign, frozenset(carried.unseen))
        self._order = TurnOrder(options.rules.step, carried.turns)
        self._blind = carried.blind
        self._broken_off: _BrokenOff | None = None
        since = 0.0 if first else None
        self._deal = self._dealt(self._told(carried.ended, first), carried.next_play_id, since)

    @property
    def between_deals(self) -> bool:
        """Whether a deal is over and nothing has come since: `carried` is all there is to know."""
        return not self._deal.open and not self._deal.events and self._broken_off is None

    @property
    def carried(self) -> Carried:
        """What to begin another scribe with, between deals, so that it goes on as this one."""
        return Carried(
            deal=self._number,
            next_play_id=self._deal.log.next_id,
            now=self._now,
            ended=self._deal.decoder.told.ended,
            blind=self._blind,
            foreign=self._notices.foreign,
            unseen=tuple(sorted(self._notices.unseen)),
            turns=self._order.turns,
        )

    @property
    def under_way(self) -> bool:
        """Whether something of a deal that is not over was seen, or the source broke one off."""
        best = self._deal.decoder.beam[0]
        begun = self._deal.open or bool(best.plays) or best.shown >= 0
        return begun or self._broken_off is not None

    def feed(self, event: TableEvent) -> list[CameraEvent]:
        """Take in one event; returns what is to be logged because of it, in order.

        The source may go on after `finish`: then the deal that its end broke off goes on too.
        """
        return [*self.settle(event), *self.take_in(event)]

    def settle(self, event: TableEvent) -> list[CameraEvent]:
        """What is to be logged before `event`, which is taken in next: that a deal which was broken
        off goes on, that one is over because a card is laid which is none of its own."""
        known = event.t
        if isinstance(event, CardPlaced) and event.announced is not None:
            known = event.announced
        self._now = max(self._now, known)
        out = self._reopen()
        if (
            isinstance(event, CardPlaced)
            and not self._silent
            and self._deal.surely_over(self._now, event)
        ):
            out += self._end("complete")
        return out

    def take_in(self, event: TableEvent) -> list[CameraEvent]:
        """Take in one event for which `settle` has been asked; returns what is to be logged because
        of it."""
        return [*self._go_round(event), *self._taken(event)]

    def _taken(self, event: TableEvent) -> list[CameraEvent]:
        noticed = self._notices.of(event)
        if isinstance(event, ViewTrouble) and event.kind == "mirrored":
            self._blind = not event.over
            return [*noticed, *self._given_up(event.t)]
        if isinstance(event, SameCardTwice):
            self._deal.log.again.add(event.label)
        if self._silent or (noticed and not isinstance(event, ForeignCard)):
            return [*noticed]
        out: list[CameraEvent] = [*noticed]
        self._deal.see(event)
        if isinstance(event, CardGone):
            out += self._foreign_gathered(event.t)
        seen = isinstance(event, CardPlaced | CardReread | CardMoved | ForeignCard)
        if seen or self._deal.gathers(event):
            out += self._write()
        if isinstance(event, TableCleared) and self._deal.surely_over(self._now):
            out += self._end("complete")
        return out

    def _foreign_gathered(self, t: float) -> list[Noticed]:
        """The cards of none of the 40 that were gathered with a vaza before they could be looked at long."""
        out: list[Noticed] = []
        for one in self._deal.decoder.book.sightings:
            if one.foreign and one.sweep >= 0:
                out += self._notices.foreign_card(t, one.track, one.centre)
        return out

    def finish(self) -> list[CameraEvent]:
        """The source has ended; returns the last revisions and the end of the deal."""
        out = self._write()
        if self._deal.open:
            self._deal.reconsider()
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
        if self._deal.open:
            out = [PlayRetracted(self._now, one.play_id) for one in self._deal.log.written.values()]
            out.append(DealEnded(self._now, self._number, "void"))
        self._begin(-math.inf, since=t)
        return out

    # One deal ---------------------------------------------------------------------------------

    def _told(self, ended: float, first: bool = False) -> Circumstances:
        options = self._options
        dealer = SEATS.index(options.dealer) if first and options.dealer else -1
        trump = SUIT_LETTERS.index(options.trump[-1]) if first and options.trump else -1
        return Circumstances(options.rules.step, dealer, trump, ended)

    def _dealt(self, told: Circumstances, next_play_id: int, since: float | None) -> SeenDeal:
        return SeenDeal(self._options.priors, told, DealLog(next_play_id), since)

    def _begin(self, ended: float, since: float | None = None) -> None:
        """Another deal begins; the last one ended at `ended`. Where watching began at `since`, it may have
        been under way then."""
        self._deal = self._dealt(self._told(ended), self._deal.log.next_id, since)

    def _reopen(self) -> list[CameraEvent]:
        """The source has ended and goes on after all: so does the deal that it ended, though its
        cards may all have been played and nobody had taken away the last."""
        off, self._broken_off = self._broken_off, None
        if off is None:
            return []
        self._deal = off.deal.resumed()
        self._notices.unseen = off.unseen
        return [self._started(), *self._write()]

    def _end(self, reason: Literal["complete", "source-ended"]) -> list[CameraEvent]:
        deal, lacking = self._deal, self._notices.unseen
        if reason == "source-ended":
            deal.decoder.conclude()
        decoded = Refiner(deal.decoder).decode()
        reading = closed(decoded.reading, self._options.rules.step)
        unseen = len(reading.plays) - len(decoded.sureties)
        as_seen = Decoded(reading, (*decoded.sureties, *[Surety(1.0, ())] * unseen))
        sightings = deal.decoder.book.sightings
        decoded, plays, filled = as_seen, reading.plays, frozenset[str]()
        if not deal.log.strange(sightings):
            # With a foreign card or one of another deck among them, what is missing was not played.
            decoded, plays, filled = self._filled(as_seen)
        if filled & lacking:
            # What did not come up in the last deal either is not in the deck: nobody played it.
            decoded, plays = as_seen, reading.plays
        out = self._tell(decoded, plays, final=True)
        out += self._notices.deal_over(self._now, filled)
        if (twice := misdealt(reading, sightings)) is not None:
            out.append(Noticed(self._now, "misdealt", twice))
        out += self._tell_under_way(over=True)
        over = "complete" if reading.complete else reason
        out.append(DealEnded(self._now, self._number, over))
        self._begin(self._now)
        self._broken_off = _BrokenOff(deal, lacking) if reason == "source-ended" else None
        return out

    def _filled(self, decoded: Decoded) -> tuple[Decoded, tuple[Play, ...], frozenset[str]]:
        """A deal that is over with the plays that nobody saw, worked out of the cards that are missing, and
        those cards."""
        reading = decoded.reading
        plays, sureties = fill(reading, decoded.sureties, self._options.priors)
        cards = (play.card for play in plays if play.sighting == GAP and play.card != GAP)
        return Decoded(reading, sureties), plays, frozenset(TEXT[card] for card in cards)

    def _write(self) -> list[CameraEvent]:
        """Log what the best reading says now and the log does not."""
        self._deal.look_again()
        beam = self._deal.decoder.beam
        if beam[0].restarted >= 0:
            return self._redeal()
        if not self._deal.open and not self._deal.begun():
            return []
        decoded = marginals(beam)
        return self._tell(decoded, decoded.reading.plays, final=False)

    def _redeal(self) -> list[CameraEvent]:
        """Another deal seems to have begun: wait until it is sure, then close the old one."""
        deal = self._deal
        if not deal.surely_redealt():
            return []
        first = deal.decoder.beam[0].restarted
        since = deal.sighting(first).first_seen - 0.1
        theirs = {s.uid for s in deal.decoder.book.sightings[first:]}
        out: list[CameraEvent] = [
            PlayRetracted(self._now, written.play_id)
            for uid, written in deal.log.written.items()
            if uid in theirs
        ]
        deal.told = [(uid, play) for uid, play in deal.told if uid not in theirs]
        out += self._tell_under_way(over=True)
        out.append(DealEnded(self._now, self._number, "new-deal"))
        self._begin(-math.inf)
        for event in deal.events:
            if event.t >= since:
                self._deal.see(event)
        return out + self._write()

    def _tell(self, decoded: Decoded, plays: tuple[Play, ...], final: bool) -> list[CameraEvent]:
        deal = self._deal
        out: list[CameraEvent] = []
        if not deal.open and (plays or decoded.reading.shown >= 0):
            self._number += 1
            deal.open = True
            out.append(self._started())
        out += deal.log.tell(deal.decoder, decoded, plays, self._now, final)
        deal.is_told(plays, decoded.reading.shown)
        return out + self._tell_under_way(over=False)

    def _tell_under_way(self, over: bool) -> list[CameraEvent]:
        """That vazas were played before watching began: once it is sure, or the deal is `over`."""
        plays = [play for _, play in self._deal.told]
        if self._deal.dealt or not (ended_short if over else surely_under_way)(plays):
            return []
        self._deal.known_begun()
        return [Noticed(self._now, "under-way")]

    def _started(self) -> DealStarted:
        first = self._number == self._options.first_deal
        dealer = self._options.dealer if first else None
        return DealStarted(self._now, self._number, self._options.rules.name, dealer)
