"""One deal while it is followed: what was seen of it, whether it has begun and whether it is over."""

import math
from collections.abc import Sequence

from assistant.scribe.circumstances import AT_ONCE, COUNTING_SECONDS, DEALING_SECONDS, Circumstances
from assistant.scribe.deal_log import DealLog, known_by
from assistant.scribe.decoder import Decoder, weights
from assistant.scribe.hypothesis import GAP, Kind, Play
from assistant.scribe.priors import Priors
from assistant.scribe.second_look import look_again, odd_tricks
from assistant.scribe.sightings import NEVER, Sighting
from assistant.scribe.tables import TRICKS
from vision.events import CardGone, CardPlaced, TableCleared, TableEvent

SURE_OF_END = 0.9
"""The share of readings that must agree before a deal is taken to be over, or to have begun."""
REST_AFTER_DEAL = 4.0
"""Seconds without a card after which a complete deal is over, though its cards still lie there."""
BEGUN_AFTER_COUNTING = 5
"""Plays that make a new deal of cards turned up soon after the last one; twice as many where
there was not even time to deal."""
CONFIRM_REDEAL = 4
"""Cards of a new deal to be seen before an unfinished one is given up."""


class SeenDeal:
    """A deal's `events`, the `decoder` that reads them, and what the `log` says of it; `open` when
    that says it has begun.

    Where watching began at `since`, the deal may have been under way then; `dealt` once it was seen to begin:
    its trump card was shown. `told` are the plays last told of, each with what it is known by.
    """

    def __init__(
        self, priors: Priors, circumstances: Circumstances, log: DealLog, since: float | None = None
    ) -> None:
        self._priors = priors
        self.decoder = Decoder(priors, circumstances)
        self.log = log
        self.events: list[TableEvent] = []
        self.open = False
        self._since = since
        self.dealt = since is None
        self.told: list[tuple[tuple[int, int], Play]] = []
        self._odd: frozenset[int] = frozenset()
        self._looked_at = -1  # plays of the deal when it was last looked at more widely

    def see(self, event: TableEvent) -> None:
        """Take an event in as one of this deal's."""
        self.events.append(event)
        self.decoder.feed(event)

    def sighting(self, at: int) -> Sighting:
        """The sighting that a play or an action points to."""
        return self.decoder.book.sightings[at]

    def resumed(self) -> "SeenDeal":
        """The same deal, to be gone on with as though it had not been ended."""
        deal = SeenDeal(self._priors, self.decoder.told, self.log, self._since)
        deal.open = self.open
        for event in self.events:
            deal.see(event)
        return deal

    def is_told(self, plays: Sequence[Play], shown: int) -> None:
        """Note that the log now tells of these plays, and of the trump card seen in sighting `shown`."""
        self.told = [
            (known_by(self.sighting(play.sighting) if play.sighting != GAP else None, place), play)
            for place, play in enumerate(plays)
        ]
        first_seen = self.sighting(shown).first_seen if shown >= 0 else -math.inf
        self.dealt = self._since is None or first_seen > self._since + AT_ONCE

    def known_begun(self) -> None:
        """It has been said that the deal was under way: nothing more is to be said of its beginning."""
        self._since, self.dealt = None, True

    def begun(self) -> bool:
        """Whether a deal is under way, and not only the last one being counted."""
        beam = self.decoder.beam
        best = beam[0]
        if best.complete:
            return True
        first = [a.sighting for a in best.actions if a.kind in (Kind.LEAD, Kind.SHOW)][:1]
        if not first:
            return False
        begun = sum(
            share
            for one, share in zip(beam, weights(beam), strict=True)
            if one.plays or one.shown >= 0
        )
        waited = self.sighting(first[0]).key - self.decoder.told.ended
        needed = 0 if waited > COUNTING_SECONDS else BEGUN_AFTER_COUNTING
        if waited < DEALING_SECONDS:
            needed *= 2
        return begun > SURE_OF_END and len(best.plays) >= needed

    def surely_over(self, now: float, next_card: CardPlaced | None = None) -> bool:
        """Whether the deal is over, after a second look where the reading of it is strange.

        One that takes nine vazas for ten must not end the deal: the last one's cards would be lost.
        So where one vaza may have been none, what comes before anybody could have dealt is waited for.
        """
        if not self._over(now, next_card):
            return False
        best = self.decoder.beam[0]
        if best.strange and len(best.plays) != self._looked_at:
            self.reconsider()
            self._looked_at = len(self.decoder.beam[0].plays)
            if not self._over(now, next_card):
                return False
        best = self.decoder.beam[0]
        if not best.thin:
            return True
        if next_card is None:
            return False
        last = [self.sighting(play.last) for play in best.plays[-4:] if play.last != GAP]
        since = max((card.gone if card.gone < NEVER else card.t for card in last), default=0.0)
        return next_card.first_seen > since + DEALING_SECONDS

    def reconsider(self) -> None:
        """Give a reading that is strange a second look, and where that finds nothing a wider one."""
        if self.decoder.beam[0].strange:
            look_again(self.decoder)
        if self.decoder.beam[0].strange:
            self.decoder.look_wider()

    def look_again(self) -> None:
        """Give the reading a second look as soon as another vaza is odd."""
        if not odd_tricks(self.decoder.beam[0]) <= self._odd:
            look_again(self.decoder, but=self._odd)
            self._odd |= odd_tricks(self.decoder.beam[0])

    def _over(self, now: float, next_card: CardPlaced | None) -> bool:
        """Whether every card has been played and the last vaza lies there no more."""
        beam = self.decoder.beam
        best = beam[0]
        if not self.open or (not best.complete and best.trick < TRICKS):
            return False
        last = [self.sighting(p.last) for p in best.plays[-4:] if p.last != GAP and p.trick != 9]
        gone = all(card.gone < NEVER for card in last)
        if not best.complete:
            # The last vaza is taken away with a card missing: nobody will play to it any more.
            return gone and len(last) > 1 and all(card.sweep >= 0 for card in last)
        shares = weights(beam)
        if sum(s for one, s in zip(beam, shares, strict=True) if one.complete) < SURE_OF_END:
            return False
        if gone:
            return next_card is None or next_card.first_seen > max(c.gone for c in last) - 1.0
        rested = max((card.t for card in last), default=now) + REST_AFTER_DEAL
        return now > rested if next_card is None else next_card.first_seen > rested

    def surely_redealt(self) -> bool:
        """Whether it is sure that another deal has begun before this one was played out."""
        beam = self.decoder.beam
        anew = sum(s for one, s in zip(beam, weights(beam), strict=True) if one.restarted >= 0)
        return anew >= SURE_OF_END and len(beam[0].plays) >= CONFIRM_REDEAL

    def gathers(self, event: TableEvent) -> bool:
        """Whether this event may have completed the gathering of the present vaza."""
        if isinstance(event, TableCleared):
            return True
        if not isinstance(event, CardGone):
            return False
        mine = [w for uid, w in self.log.written.items() if uid[0] == event.track]
        if not mine:
            return False
        lying = [
            s
            for s in self.decoder.book.sightings
            if s.gone == NEVER
            and s.uid in self.log.written
            and self.log.written[s.uid].trick == mine[-1].trick
        ]
        return not lying
