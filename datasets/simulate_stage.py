"""The stage on which a deal is performed: reaching, carrying, landing, gathering, piling up."""

from collections.abc import Sequence
from dataclasses import replace

import cv2
import numpy as np

from datasets.simulate_level import Level
from datasets.simulate_things import pile_spot
from datasets.simulate_truth import Extra, GatherTruth, PlayTruth, TrumpTruth
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


class Stage:
    """Single actions of the players; keeps where everything is while they are strung together."""

    def __init__(self, rng: np.random.Generator, level: Level, room: Room) -> None:
        self.rng, self.level, self.room = rng, level, room
        self.t = float(rng.uniform(0.8, 1.6))
        self.hands: dict[Seat, Actor] = {seat: Actor(seat) for seat in SEATS}
        self.cards: dict[str, Actor] = {}
        self.released = self.t
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

    # The trick goes to its winner

    def pile_pose(self, seat: Seat) -> Pose:
        x, y = pile_spot(self.room, seat)
        dx, dy = OUTWARD[seat]
        step = self.piles[seat] * 3.0
        angle = float(np.arctan2(dy, dx)) + self.u(-0.25, 0.25)
        return Pose(x + self.u(-5, 5) + step * dy, y + self.u(-5, 5) - step * dx, angle, 0.0, 1.0)

    def gather(self, winner: Seat, by: Seat, trick: int, cards: Sequence[str]) -> None:
        """A hand sweeps the trick together, draws it to the edge, turns it and lays it down."""
        t0 = self.when_free(by, self.t + self.u(0.5, 1.1))
        t1 = t0 + self.u(0.45, 0.7)
        t2 = t1 + self.u(0.35, 0.55)
        t3 = t2 + self.u(0.5, 0.75)
        t4 = t3 + self.u(0.4, 0.6)
        poses = [self.cards[card].last for card in cards]
        middle = Pose(
            float(np.mean([p.x for p in poses])), float(np.mean([p.y for p in poses])), z=6.0
        )
        ox, oy = self.room.point(by, self.room.edge(by) - 60, 20.0)
        edge, pile = Pose(ox, oy, z=15.0), self.pile_pose(by)
        for card in cards:
            self.sweep(card, (t1, t2, t3, t4), middle, edge, pile)
            self.piled[card] = by
        self.reach(by, t0, t1, self.tip_for(by, middle, -25.0), flat=True)
        self.reach(by, t1, t2, self.tip_for(by, middle, -10.0), flat=True, bow=30)
        self.reach(by, t2, t3, self.tip_for(by, edge, -5.0), flat=True)
        self.reach(by, t3, t4, self.tip_for(by, pile, -5.0), flat=True)
        self.withdraw(by, t4 + 0.1)
        self.piles[by] += 1
        self.table = [(card, pose) for card, pose in self.table if card not in cards]
        self.gathers.append(GatherTruth(self.deal, trick, winner, by, t1, t4))
        self.t = t4

    def sweep(
        self,
        card: str,
        times: tuple[float, float, float, float],
        middle: Pose,
        edge: Pose,
        pile: Pose,
    ) -> None:
        """One card of a trick: into the heap, to the edge, turned on to the pile."""
        actor, order = self.cards[card], self.next_order()
        now, (t1, t2, t3, t4) = actor.last, times
        angle = now.angle * 0.6 + nearest_turn(pile.angle, now.angle) * 0.4
        heap = Pose(middle.x + self.u(-14, 14), middle.y + self.u(-14, 14), angle)
        drawn = Pose(
            edge.x + self.u(-7, 7), edge.y + self.u(-7, 7), angle + self.u(-0.1, 0.1), edge.z
        )
        laid = replace(
            pile,
            x=pile.x + self.u(-3, 3),
            y=pile.y + self.u(-3, 3),
            angle=nearest_turn(pile.angle + self.u(-0.07, 0.07), drawn.angle),
        )
        actor.add(Move(t1, t2, now, heap, order=order))
        actor.add(Move(t2, t3, heap, drawn, order=order))
        actor.add(Move(t3, t4, drawn, laid, order=order, bow=15))

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
        hand, away = self.hands[seat], self.tip_for(seat, replace(home, z=40.0), -5.0)
        hand.add(Move(t1, t2, hand.last, away, shape="flat", hidden=True))
        self.t = max(self.t, t2)

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


def nearest_turn(angle: float, to: float) -> float:
    """The angle plus half turns so that it is nearest to another; a card's ends are alike."""
    return angle + np.pi * round((to - angle) / np.pi)
