"""From the log to the game: a pure fold, the same for a live game and one reopened years later.

A person's word outranks the camera's: a field a person has set is no longer changed by what the
camera says later, and a play a person has touched is no longer retracted. What the camera last
said is kept beside it.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Literal, get_args

from assistant.events import (
    AccusationMade,
    Alternatives,
    CountingChosen,
    DealEnded,
    DealerCorrected,
    DealStarted,
    Event,
    FlagRuled,
    Noticed,
    PersonEvent,
    PlayAdded,
    PlayCorrected,
    PlayersNamed,
    PlayRemoved,
    PlayRetracted,
    PlayRevised,
    PlaySeen,
    Seat,
    TableMarked,
    TrickGathered,
    TrumpCorrected,
    TrumpShown,
    Undone,
)
from assistant.log import Entry
from vision.types import Quad

Field = Literal["card", "seat", "trick"]

FIRST_RULES = "selminha"
"""The preset of a game whose log starts with a play: no `DealStarted` has named one yet."""


@dataclass(frozen=True, slots=True)
class Play:
    """A play as it stands. `said` names the fields a person has set.

    `camera_card` is what the camera last read, None for a play that only a person saw.
    """

    play_id: int
    deal: int
    trick: int
    seat: Seat
    card: str
    played: float
    p: float
    alternatives: Alternatives = ()
    said: frozenset[Field] = frozenset()
    camera_card: str | None = None
    frame: int | None = None
    quad: Quad | None = None
    evidence: str | None = None


@dataclass(frozen=True, slots=True)
class Trump:
    """The dealer's face-up card as it stands; `said` where a person named it."""

    card: str
    seat: Seat | None
    p: float
    alternatives: Alternatives = ()
    said: bool = False
    quad: Quad | None = None
    evidence: str | None = None


@dataclass(frozen=True, slots=True)
class Deal:
    """One deal as it stands; `plays` by vaza, then by the time they were played.

    `gathered` holds the numbers of the vazas seen swept up; `ended` why the deal is over, or None.
    `accusations` each with whether the next deal had begun, and this one so was counted.
    """

    number: int
    rules: str
    started: float
    dealer: Seat | None = None
    dealer_said: bool = False
    trump: Trump | None = None
    plays: tuple[Play, ...] = ()
    gathered: frozenset[int] = frozenset()
    ended: str | None = None
    rulings: tuple[FlagRuled, ...] = ()
    accusations: tuple[tuple[AccusationMade, bool], ...] = ()


@dataclass(frozen=True, slots=True)
class Game:
    """Everything the log says, as it stands after entry `revision`.

    `undoable` is the number of the person's latest entry that still holds; None if there is none.
    """

    revision: int = 0
    deals: tuple[Deal, ...] = ()
    names: tuple[tuple[Seat, str], ...] = ()
    counting: Literal["live", "end"] | None = None
    table: TableMarked | None = None
    notices: tuple[Noticed, ...] = ()
    undoable: int | None = None

    def play(self, play_id: int) -> Play | None:
        """The play of that number, if it stands."""
        for deal in self.deals:
            for play in deal.plays:
                if play.play_id == play_id:
                    return play
        return None


def fold(entries: Iterable[Entry]) -> Game:
    """The game that `entries` (oldest first) tell of. Never raises on any order of events."""
    entries = tuple(entries)
    undone = _undone(entries)
    folding = _Folding()
    for entry in entries:
        if entry.number not in undone:
            folding.take(entry.event)
    return Game(
        revision=entries[-1].number if entries else 0,
        deals=tuple(folding.deal(number) for number in sorted(folding.deals)),
        names=tuple(folding.names.items()),
        counting=folding.counting,
        table=folding.table,
        notices=tuple(folding.notices),
        undoable=_undoable(entries, undone),
    )


def _undone(entries: tuple[Entry, ...]) -> frozenset[int]:
    """Numbers of entries that no longer hold. Read backwards, so an `Undone` can be undone."""
    undone: set[int] = set()
    people = {entry.number for entry in entries if entry.source == "person"}
    for entry in reversed(entries):
        if isinstance(entry.event, Undone) and entry.number not in undone:
            undone |= {entry.event.entry} & people
    return frozenset(undone)


def _undoable(entries: tuple[Entry, ...], undone: frozenset[int]) -> int | None:
    for entry in reversed(entries):
        by_person = entry.source == "person" and isinstance(entry.event, PersonEvent)
        if by_person and not isinstance(entry.event, Undone) and entry.number not in undone:
            return entry.number
    return None


@dataclass
class _Folding:
    """The fold's working state; it lives for one call of `fold`."""

    deals: dict[int, Deal] = field(default_factory=dict)
    current: int = 0
    plays: dict[int, Play] = field(default_factory=dict)
    removed: set[int] = field(default_factory=set)
    names: dict[Seat, str] = field(default_factory=dict)
    counting: Literal["live", "end"] | None = None
    table: TableMarked | None = None
    notices: list[Noticed] = field(default_factory=list)

    def deal(self, number: int) -> Deal:
        """The deal with its plays in order, those a person removed left out."""
        plays = [
            play
            for play in self.plays.values()
            if play.deal == number and play.play_id not in self.removed
        ]
        plays.sort(key=lambda play: (play.trick, play.played, abs(play.play_id)))
        return replace(self.deals[number], plays=tuple(plays))

    def take(self, event: Event) -> None:
        match event:
            case PlaySeen() | PlayRevised():
                self._read(event)
            case PlayRetracted(play_id=play_id):
                if play_id in self.plays and not self.plays[play_id].said:
                    del self.plays[play_id]
            case PlayCorrected():
                self._correct(event)
            case PlayAdded():
                self._add(event)
            case PlayRemoved(play_id=play_id):
                self.removed.add(play_id)
            case PlayersNamed(names=names):
                self.names.update(names)
            case CountingChosen(counting=counting):
                self.counting = counting
            case TableMarked():
                self.table = event
            case Noticed():
                self.notices.append(event)
            case _:
                self._take_for_deal(event)

    def _take_for_deal(self, event: Event) -> None:
        match event:
            case DealStarted():
                self._start(event)
            case TrumpShown():
                self._show_trump(event)
            case TrickGathered(trick=trick):
                deal = self._current(event.t)
                self._put(replace(deal, gathered=deal.gathered | {trick}))
            case DealEnded(deal=number, reason=reason):
                self._put(replace(self._deal(number, event.t), ended=reason))
            case TrumpCorrected(deal=number, card=card):
                deal = self._deal(number, event.t)
                seen = deal.trump or Trump(card, None, 1.0)
                self._put(replace(deal, trump=replace(seen, card=card, p=1.0, said=True)))
            case DealerCorrected(deal=number, dealer=dealer):
                deal = self._deal(number, event.t)
                self._put(replace(deal, dealer=dealer, dealer_said=True))
            case FlagRuled(deal=number):
                deal = self._deal(number, event.t)
                self._put(replace(deal, rulings=(*deal.rulings, event)))
            case AccusationMade(deal=number):
                deal = self._deal(number, event.t)
                self._put(
                    replace(deal, accusations=(*deal.accusations, (event, number < self.current)))
                )
            case _:
                pass  # `Undone` has done its work before the fold.

    def _start(self, event: DealStarted) -> None:
        """A deal begins, or goes on where the source's end had broken it off."""
        self.current = event.deal
        said = self.deals.get(event.deal)
        if said is None:
            self.deals[event.deal] = Deal(event.deal, event.rules, event.t, event.dealer)
        elif said.ended is not None:
            self.deals[event.deal] = replace(said, ended=None)
        else:
            self.deals[event.deal] = replace(said, rules=event.rules, started=event.t)

    def _read(self, event: PlaySeen | PlayRevised) -> None:
        """A first or later reading by the camera; fields a person has set stay."""
        before = self.plays.get(event.play_id)
        said = before.said if before else frozenset()
        deal = before.deal if before else self._current(event.t).number
        frame, quad = (before.frame, before.quad) if before else (None, None)
        if isinstance(event, PlaySeen):
            frame, quad = event.frame, event.quad
        self.plays[event.play_id] = Play(
            play_id=event.play_id,
            deal=deal,
            trick=before.trick if before and "trick" in said else event.trick,
            seat=before.seat if before and "seat" in said else event.seat,
            card=before.card if before and "card" in said else event.card,
            played=event.played,
            p=1.0 if "card" in said else event.p,
            alternatives=event.alternatives,
            said=said,
            camera_card=event.card,
            frame=frame,
            quad=quad,
            evidence=event.evidence or (before.evidence if before else None),
        )

    def _correct(self, event: PlayCorrected) -> None:
        play = self.plays.get(event.play_id)
        if play is None:
            return
        given: list[Field] = [name for name in get_args(Field) if getattr(event, name) is not None]
        self.plays[event.play_id] = replace(
            play,
            card=event.card or play.card,
            seat=event.seat or play.seat,
            trick=event.trick or play.trick,
            p=1.0 if event.card else play.p,
            said=play.said | frozenset(given),
        )

    def _add(self, event: PlayAdded) -> None:
        self._deal(event.deal, event.t)
        self.plays[event.play_id] = Play(
            play_id=event.play_id,
            deal=event.deal,
            trick=event.trick,
            seat=event.seat,
            card=event.card,
            played=event.played,
            p=1.0,
            said=frozenset(get_args(Field)),
        )

    def _show_trump(self, event: TrumpShown) -> None:
        deal = self._current(event.t)
        said = deal.trump if deal.trump and deal.trump.said else None
        trump = Trump(
            card=said.card if said else event.card,
            seat=event.seat,
            p=1.0 if said else event.p,
            alternatives=event.alternatives,
            said=said is not None,
            quad=event.quad,
            evidence=event.evidence,
        )
        dealer = deal.dealer if deal.dealer_said or event.seat is None else event.seat
        self._put(replace(deal, trump=trump, dealer=dealer))

    def _current(self, t: float) -> Deal:
        return self._deal(self.current or 1, t)

    def _deal(self, number: int, t: float) -> Deal:
        """The deal of that number; one that no `DealStarted` announced begins with its event."""
        if number not in self.deals:
            self.deals[number] = Deal(number, FIRST_RULES, t)
            self.current = max(self.current, number)
        return self.deals[number]

    def _put(self, deal: Deal) -> None:
        self.deals[deal.number] = deal
