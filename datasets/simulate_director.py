"""Turns played deals into movement: who reaches where and when, and where every card lands."""

from dataclasses import dataclass, replace

import cv2
import numpy as np

from assistant import sueca as rules
from assistant.sueca import fold
from datasets.simulate_game import PlayedDeal
from datasets.simulate_level import Level
from datasets.simulate_world import (
    OUTWARD,
    SEATS,
    Actor,
    Move,
    Pose,
    Room,
    Seat,
    outline,
)

_TIP_TO_CARD = 30.0  # mm from the fingertips forward to the centre of a held card
_CARD_MM = (63.0, 88.0)
_OUT_OF_SIGHT = 330.0


@dataclass(frozen=True, slots=True)
class PlayTruth:
    """A card played, `t_release` when the fingers let go, `t_settled` when it lies still.

    `pose` is where it came to rest, `trick` from 1 within `deal` (from 0).
    """

    deal: int
    trick: int
    seat: Seat
    card: str
    t_release: float
    t_settled: float
    pose: Pose


@dataclass(frozen=True, slots=True)
class GatherTruth:
    """A trick taken up: first card moved, last card away, whose hand did it."""

    deal: int
    trick: int
    winner: Seat
    by: Seat
    t_start: float
    t_end: float


@dataclass(frozen=True, slots=True)
class TrumpTruth:
    """The dealer's card shown face up from `t_settled` until `t_gone` (picked up or played)."""

    deal: int
    dealer: Seat
    card: str
    t_settled: float
    t_gone: float
    left_lying: bool
    pose: Pose


@dataclass(frozen=True, slots=True)
class Extra:
    """Something that happened besides the plays: `kind`, when, who, and the card if it was one."""

    kind: str
    t0: float
    t1: float
    seat: Seat | None = None
    card: str | None = None


@dataclass(frozen=True, slots=True)
class Performance:
    """All movement of a video. Actors by card label (with the deal's number) and by seat."""

    cards: tuple[Actor, ...]
    hands: dict[Seat, Actor]
    plays: tuple[PlayTruth, ...]
    gathers: tuple[GatherTruth, ...]
    trumps: tuple[TrumpTruth, ...]
    extras: tuple[Extra, ...]
    ends: tuple[float, ...]
    """When each deal is over and its piles taken away."""
    duration: float


class Director:
    """Builds a `Performance`; keeps where everything is while doing so."""

    def __init__(self, rng: np.random.Generator, level: Level, room: Room) -> None:
        self.rng, self.level, self.room = rng, level, room
        self.t = float(rng.uniform(0.8, 1.6))
        self.hands: dict[Seat, Actor] = {seat: Actor(seat) for seat in SEATS}
        self.cards: dict[str, Actor] = {}
        self.order = 0
        self.deal = 0
        self.table: list[tuple[str, Pose]] = []
        self.piles: dict[Seat, int] = dict.fromkeys(SEATS, 0)
        self.piled: dict[str, Seat] = {}
        self.everything: list[Actor] = []
        self.lying_trump: TrumpTruth | None = None
        self.plays: list[PlayTruth] = []
        self.gathers: list[GatherTruth] = []
        self.trumps: list[TrumpTruth] = []
        self.extras: list[Extra] = []
        self.ends: list[float] = []

    def u(self, low: float, high: float) -> float:
        return float(self.rng.uniform(low, high))

    def chance(self, p: float) -> bool:
        return bool(self.rng.random() < p)

    def next_order(self) -> int:
        self.order += 1
        return self.order

    def actor(self, card: str) -> Actor:
        return self.cards.setdefault(card, Actor(f"{self.deal}:{card}"))

    # Reaching

    def inward(self, seat: Seat, at: Pose) -> tuple[float, float]:
        """Unit vector of a seat's arm reaching to a point."""
        sx, sy = self.room.shoulder(seat)
        length = float(np.hypot(at.x - sx, at.y - sy))
        return (at.x - sx) / length, (at.y - sy) / length

    def tip_for(self, seat: Seat, card: Pose, ahead: float = _TIP_TO_CARD) -> Pose:
        """Where the fingertips are when the hand holds a card there."""
        ix, iy = self.inward(seat, card)
        return Pose(card.x - ahead * ix, card.y - ahead * iy, 0.0, card.z + 8)

    def in_hand(self, seat: Seat) -> Pose:
        """Where a card is before it comes into sight."""
        home = self.room.home(seat)
        ix, iy = self.inward(seat, Pose(0, 0))
        angle = float(np.arctan2(iy, ix)) + self.u(-0.3, 0.3)
        return Pose(home.x + _TIP_TO_CARD * ix, home.y + _TIP_TO_CARD * iy, angle, home.z)

    def reach(
        self, seat: Seat, t0: float, t1: float, to: Pose, *, flat: bool = False, bow: float = 0.0
    ) -> None:
        hand = self.hands[seat]
        start = hand.last if hand.moves and not hand.moves[-1].hidden else self.room.home(seat)
        hand.add(Move(t0, t1, start, to, bow=bow, shape="flat" if flat else "pinch"))

    def withdraw(self, seat: Seat, t0: float) -> float:
        """The hand goes home, out of sight; returns when."""
        hand = self.hands[seat]
        t1 = t0 + self.u(0.4, 0.7)
        shape = hand.moves[-1].shape
        hand.add(Move(t0, t1, hand.last, self.room.home(seat), hidden=True, shape=shape))
        return t1

    def when_free(self, seat: Seat, t: float) -> float:
        return max(t, self.hands[seat].free_at + 0.02)

    # Cards

    def covered(self, pose: Pose) -> float:
        """Largest share of a card of the trick that would be hidden with a card laid there."""
        if not self.table:
            return 0.0
        scale, centre = 0.4, 130

        def mask(p: Pose) -> np.ndarray:
            picture = np.zeros((2 * centre, 2 * centre), np.uint8)
            points = outline(p, *_CARD_MM)[:, :2] * scale + centre
            cv2.fillConvexPoly(picture, np.round(points).astype(np.int32), 1)
            return picture

        masks = [mask(p) for _, p in self.table] + [mask(pose)]
        above = np.zeros_like(masks[0])
        worst = 0.0
        for one in reversed(masks):
            worst = max(worst, float((one & above).sum()) / max(1.0, float(one.sum())))
            above |= one
        return worst

    def landing(self, seat: Seat) -> Pose:
        """Where a card thrown from a seat comes to rest."""
        level = self.level
        dx, dy = OUTWARD[seat]
        best: tuple[float, Pose] | None = None
        for _ in range(25):
            x, y = self.room.point(
                seat, self.u(*level.landing), float(self.rng.normal(0, level.aside / 1.5))
            )
            angle = float(np.arctan2(dy, dx)) + float(self.rng.normal(0, level.spin))
            pose = Pose(x, y, angle)
            cover = self.covered(pose)
            if cover <= level.max_cover:
                return pose
            if best is None or cover < best[0]:
                best = (cover, pose)
        if best is None:
            raise RuntimeError("no place tried for a card")
        return best[1]

    def deliver(
        self, seat: Seat, card: str, rest: Pose, t0: float, place: bool
    ) -> tuple[float, float]:
        """A hand brings a card from out of sight and lets it go; returns (released, settled)."""
        start = self.in_hand(seat)
        start = replace(start, angle=nearest_turn(start.angle, rest.angle))
        return self.carry(seat, card, start, rest, t0, t0, place)

    def carry(
        self, seat: Seat, card: str, start: Pose, rest: Pose, t_hand: float, t0: float, place: bool
    ) -> tuple[float, float]:
        """The hand, on its way since `t_hand`, has the card from `t0`; then lets it go."""
        actor, order = self.actor(card), self.next_order()
        dx, dy = OUTWARD[seat]
        short = self.u(2, 8) if place else self.u(45, 100)
        spin = self.u(-0.1, 0.1) if place else self.u(-0.6, 0.6)
        side = self.u(-0.3, 0.3) * short
        release = Pose(
            rest.x + short * dx - side * dy,
            rest.y + short * dy + side * dx,
            rest.angle + spin,
            4.0 if place else 22.0,
        )
        t1 = t0 + self.u(0.5, 0.85)
        bow = self.u(-25, 25)
        actor.add(Move(t0, t1, start, release, order=order, held_by=seat, bow=bow))
        self.reach(seat, t_hand, t1, self.tip_for(seat, release), bow=bow)
        settle = t1 + (self.u(0.1, 0.18) if place else self.u(0.28, 0.5))
        actor.add(Move(t1, settle, release, rest, ease="brake", order=order))
        hand = self.hands[seat]
        stay = t1 + self.u(0.1, 0.3)
        tip = self.tip_for(seat, replace(release, z=10.0), self.u(5, 25))
        hand.add(Move(t1, stay, hand.last, tip))
        self.withdraw(seat, stay)
        return t1, settle

    def play(self, seat: Seat, card: str, trick: int) -> None:
        """One card played; sets `self.t` to when it lies still."""
        t0 = self.when_free(seat, self.t + self.u(*self.level.think))
        rest = self.landing(seat)
        place = self.chance(self.level.place)
        if self.lying_trump and self.lying_trump.card == card:
            released, settled, rest = self.play_trump(rest, t0, place)
        else:
            released, settled = self.deliver(seat, card, rest, t0, place)
        self.table.append((card, rest))
        self.plays.append(PlayTruth(self.deal, trick, seat, card, released, settled, rest))
        self.t = settled

    # The trick goes to its winner

    def pile_pose(self, seat: Seat) -> Pose:
        across = self.room.half_width if seat in "SN" else self.room.half_height
        x, y = self.room.point(seat, self.room.edge(seat) - 78, 0.62 * across)
        dx, dy = OUTWARD[seat]
        step = self.piles[seat] * 3.0
        angle = float(np.arctan2(dy, dx)) + self.u(-0.25, 0.25)
        return Pose(x + self.u(-5, 5) + step * dy, y + self.u(-5, 5) - step * dx, angle, 0.0, 1.0)

    def gather(self, winner: Seat, by: Seat, trick: int) -> None:
        """A hand sweeps the trick together, draws it to the edge, turns it and lays it down."""
        t0 = self.when_free(by, self.t + self.u(0.5, 1.1))
        t1 = t0 + self.u(0.45, 0.7)
        poses = [self.cards[card].last for card, _ in self.table]
        gx, gy = float(np.mean([p.x for p in poses])), float(np.mean([p.y for p in poses]))
        middle = Pose(gx, gy, z=6.0)
        self.reach(by, t0, t1, self.tip_for(by, middle, -25.0), flat=True)
        t2 = t1 + self.u(0.35, 0.55)
        ox, oy = self.room.point(by, self.room.edge(by) - 60, 20.0)
        t3 = t2 + self.u(0.5, 0.75)
        t4 = t3 + self.u(0.4, 0.6)
        pile = self.pile_pose(winner)
        for card, _ in self.table:
            actor, order = self.cards[card], self.next_order()
            now = actor.last
            heap = Pose(
                gx + self.u(-14, 14), gy + self.u(-14, 14), now.angle * 0.6 + pile.angle * 0.4
            )
            drawn = Pose(
                ox + self.u(-7, 7), oy + self.u(-7, 7), heap.angle + self.u(-0.1, 0.1), 15.0
            )
            laid = replace(
                pile,
                x=pile.x + self.u(-3, 3),
                y=pile.y + self.u(-3, 3),
                angle=nearest_turn(pile.angle + self.u(-0.07, 0.07), drawn.angle),
            )
            self.piled[card] = winner
            actor.add(Move(t1, t2, now, heap, order=order))
            actor.add(Move(t2, t3, heap, drawn, order=order))
            actor.add(Move(t3, t4, drawn, laid, order=order, bow=15))
        self.reach(by, t1, t2, self.tip_for(by, middle, -10.0), flat=True, bow=30)
        self.reach(by, t2, t3, self.tip_for(by, Pose(ox, oy, z=15.0), -5.0), flat=True)
        self.reach(by, t3, t4, self.tip_for(by, pile, -5.0), flat=True)
        self.withdraw(by, t4 + 0.1)
        self.piles[winner] += 1
        self.table = []
        self.gathers.append(GatherTruth(self.deal, trick, winner, by, t1, t4))
        self.t = t4

    # The trump card

    def trump_pose(self, dealer: Seat) -> Pose:
        x, y = self.room.point(dealer, self.room.edge(dealer) - 85, -self.u(95, 130))
        dx, dy = OUTWARD[dealer]
        return Pose(x, y, float(np.arctan2(dy, dx)) + self.u(-0.2, 0.2))

    def show_trump(self, dealer: Seat, card: str) -> None:
        pose = self.trump_pose(dealer)
        t0 = self.when_free(dealer, self.t)
        _, settled = self.deliver(dealer, card, pose, t0, place=True)
        left = self.chance(self.level.leave_trump)
        self.lying_trump = TrumpTruth(self.deal, dealer, card, settled, -1.0, left, pose)
        self.t = settled + self.u(2.2, 3.5)
        if not left:
            self.take_trump()

    def take_trump(self) -> None:
        """The dealer picks the shown card up into the hand."""
        shown = self.lying_trump
        if shown is None:
            return
        t0 = self.when_free(shown.dealer, self.t)
        gone = self.pick_up(shown.dealer, shown.card, t0)
        self.trumps.append(replace(shown, t_gone=gone))
        self.lying_trump = None
        self.t = max(self.t, self.cards[shown.card].free_at)

    def pick_up(self, seat: Seat, card: str, t0: float) -> float:
        """A hand fetches a lying card out of sight; returns when the card begins to move."""
        actor = self.cards[card]
        lying = actor.last
        t1, back = t0 + self.u(0.45, 0.7), self.in_hand(seat)
        self.reach(seat, t0, t1, self.tip_for(seat, lying))
        hold = t1 + self.u(0.1, 0.25)
        t2 = hold + self.u(0.45, 0.7)
        end = replace(back, angle=nearest_turn(back.angle, lying.angle))
        actor.add(Move(hold, t2, lying, end, order=self.next_order(), held_by=seat, hidden=True))
        hand = self.hands[seat]
        home = self.tip_for(seat, end)
        hand.add(Move(hold, t2, hand.last, home, hidden=True))
        return hold

    def play_trump(self, rest: Pose, t0: float, place: bool) -> tuple[float, float, Pose]:
        """The dealer plays the trump card from where it has been lying since it was shown."""
        shown = self.lying_trump
        if shown is None:
            raise RuntimeError("no trump card lies on the table")
        lying = self.cards[shown.card].last
        t1 = t0 + self.u(0.45, 0.7)
        self.reach(shown.dealer, t0, t1, self.tip_for(shown.dealer, lying))
        rest = replace(rest, angle=nearest_turn(rest.angle, lying.angle))
        released, settled = self.carry(shown.dealer, shown.card, lying, rest, t1, t1, place)
        self.trumps.append(replace(shown, t_gone=t1))
        self.lying_trump = None
        return released, settled, rest

    # A whole deal

    def perform(self, played: PlayedDeal, number: int) -> None:
        deal = played.deal
        self.deal, self.table = number, []
        self.cards = {}
        self.piled = {}
        self.piles = dict.fromkeys(SEATS, 0)
        dealer = seat_of(deal.dealer)
        if deal.trump_card is None:
            raise ValueError("expected a trump card, got none")
        self.show_trump(dealer, deal.trump_card.text)
        winners = [seat_of(trick.winner) for trick in fold(deal).tricks]
        for k, play in enumerate(deal.plays):
            self.play(seat_of(play.seat), play.card.text, k // 4 + 1)
            if k % 4 == 3:
                winner = winners[k // 4]
                self.gather(winner, self.gatherer(winner), k // 4 + 1)
        self.t += self.u(0.8, 1.4)
        for seat in SEATS:
            self.clear_pile(seat)
        self.ends.append(self.t)
        self.everything += self.cards.values()

    def clear_pile(self, seat: Seat) -> None:
        """After the deal the winner's hand takes the pile off the table."""
        pile = [a for card, a in self.cards.items() if self.piled.get(card) == seat]
        if not pile:
            return
        t0 = self.when_free(seat, self.t)
        t1 = t0 + self.u(0.4, 0.6)
        lying = pile[-1].last
        self.reach(seat, t0, t1, self.tip_for(seat, lying, -5.0), flat=True)
        t2 = t1 + self.u(0.45, 0.6)
        home = self.room.home(seat)
        for actor in sorted(pile, key=lambda a: a.moves[-1].order):
            now = actor.last
            gone = replace(now, x=now.x + home.x - lying.x, y=now.y + home.y - lying.y, z=40.0)
            actor.add(Move(t1, t2, now, gone, order=self.next_order(), hidden=True))
        hand = self.hands[seat]
        hand.add(
            Move(
                t1,
                t2,
                hand.last,
                self.tip_for(seat, replace(home, z=40.0), -5.0),
                shape="flat",
                hidden=True,
            )
        )
        self.t = max(self.t, t2)

    def performance(self) -> Performance:
        """Everything directed so far."""
        return Performance(
            cards=tuple(self.everything),
            hands=self.hands,
            plays=tuple(self.plays),
            gathers=tuple(self.gathers),
            trumps=tuple(self.trumps),
            extras=tuple(self.extras),
            ends=tuple(self.ends),
            duration=self.t + 1.0,
        )

    def gatherer(self, winner: Seat) -> Seat:
        if self.chance(self.level.partner_gathers):
            return SEATS[(SEATS.index(winner) + 2) % 4]
        return winner


def seat_of(seat: rules.Seat | None) -> Seat:
    """The seat's letter. Raises `ValueError` for a seat this room has not."""
    for known in SEATS:
        if seat is not None and seat.value == known:
            return known
    raise ValueError(f"expected a seat of {' '.join(SEATS)}, got {seat}")


def nearest_turn(angle: float, to: float) -> float:
    """The angle plus half turns so that it is nearest to another; a card's ends are alike."""
    return angle + np.pi * round((to - angle) / np.pi)
