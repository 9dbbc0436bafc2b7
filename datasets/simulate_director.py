"""Turns played deals into a performance: the order of events, and what goes astray at a table."""

from dataclasses import replace

from assistant import sueca as rules
from assistant.sueca import Deal, fold, winning_place
from datasets.simulate_game import Misdeal, PlayedDeal
from datasets.simulate_stage import Stage
from datasets.simulate_truth import Extra, Performance, PlayTruth
from datasets.simulate_world import OUTWARD, SEATS, Move, Pose, Seat

_LAST_TRICK = 10
_NUDGE_S = 0.25


class Director(Stage):
    """Strings deals together; `level` says how often hands and cards do what they should not."""

    def perform(self, played: PlayedDeal, number: int) -> None:
        """One deal from the trump card shown to the piles taken away."""
        deal = played.deal
        self.open_deal(number)
        trump = deal.trump_card
        if trump is None:
            raise ValueError("expected a trump card, got none")
        self.show_trump(seat_of(deal.dealer), trump.text)
        pick_up_after = int(self.rng.integers(0, 9)) if self.chance(0.5) else None
        seats = [seat_of(play.seat) for play in deal.plays]
        plays = list(zip(seats, played.pieces, strict=True))
        winners = [seat_of(trick.winner) for trick in fold(deal).tricks]
        done = 0
        for trick in range(1, len(winners) + 1):
            while done < 4 * trick:
                self.play(plays, done)
                done += 1
            cards = [card for _, card in plays[4 * trick - 4 : 4 * trick]]
            if trick < _LAST_TRICK and self.chance(self.level.early_lead):
                self.lead_early(plays, done)
                done += 1
            by = self.gatherer(winners[trick - 1])
            self.gather(winners[trick - 1], by, trick, cards)
            if pick_up_after == trick:
                self.take_trump()
            if trick < _LAST_TRICK and len(self.table) == 0 and self.chance(self.level.look_again):
                self.look_again(by, cards)
        if played.misdeal:
            self.throw_in(plays, done, played.misdeal)
        elif done < len(plays):
            self.play_last_short(deal, plays, done)
        self.close_deal()

    def open_deal(self, number: int) -> None:
        self.deal, self.table = number, []
        self.cards, self.piled = {}, {}
        self.piles = dict.fromkeys(SEATS, 0)

    def close_deal(self) -> None:
        self.t += self.u(0.8, 1.4)
        for seat in SEATS:
            self.clear_pile(seat)
        self.ends.append(self.t)
        self.everything += self.cards.values()
        self.t += self.u(1.0, 1.6)

    def play(self, plays: list[tuple[Seat, str]], k: int) -> None:
        """Play number `k`; sets `self.t` to when its card lies still."""
        seat, card = plays[k]
        start = self.t + self.u(*self.level.think)
        if k % 4 and self.chance(self.level.together):
            start = self.released - self.u(0.1, 0.4)
        if self.chance(self.level.take_back):
            start = self.take_back(seat, [c for s, c in plays[k + 1 :] if s == seat], start)
        if self.chance(self.level.hover):
            self.hover(seat, start)
        t0 = self.when_free(seat, start)
        rest, place = self.landing(seat), self.chance(self.level.place)
        if self.lying_trump and self.lying_trump.card == card:
            released, settled, rest = self.play_trump(rest, t0, place)
        else:
            released, settled = self.deliver(seat, card, rest, t0, place)
        self.table.append((card, rest))
        trick = k // 4 + 1
        self.plays.append(PlayTruth(self.deal, trick, seat, card, released, settled, rest))
        self.released, self.t = released, max(self.t, settled)
        if self.chance(self.level.nudge):
            self.nudge(seat)

    def throw_in(self, plays: list[tuple[Seat, str]], done: int, misdeal: Misdeal) -> None:
        """The last trick of a misdeal: three play, one lays down a card too many, all is swept up."""
        for k in range(done, len(plays)):
            self.play(plays, k)
        long, card = seat_of(misdeal.long), misdeal.left_over.text
        t0 = self.when_free(long, self.t + self.u(1.0, 2.0))  # they look at the empty hand
        rest = self.landing(long)
        if self.lying_trump and self.lying_trump.card == card:
            _, settled, rest = self.play_trump(rest, t0, place=True)
        else:
            _, settled = self.deliver(long, card, rest, t0, place=True)
        self.extras.append(Extra("left-over", settled, settled, long, card, rest))
        self.table.append((card, rest))
        self.t = settled + self.u(2.0, 3.0)
        cards = [c for _, c in plays[done:]]
        self.gather(long, long, _LAST_TRICK, [*cards, card])

    def play_last_short(self, deal: Deal, plays: list[tuple[Seat, str]], done: int) -> None:
        """The last trick where the deck lacks a card: one has none left, and the best of three wins."""
        best = winning_place([play.card for play in deal.plays[done:]], deal.trump_suit)
        winner = plays[done + best][0]
        for k in range(done, len(plays)):
            self.play(plays, k)
        cards = [card for _, card in plays[done:]]
        self.gather(winner, self.gatherer(winner), _LAST_TRICK, cards)

    def gatherer(self, winner: Seat) -> Seat:
        """Who takes the trick up: the winner, or now and then the partner."""
        if self.chance(self.level.partner_gathers):
            return SEATS[(SEATS.index(winner) + 2) % 4]
        return winner

    # What goes astray

    def lead_early(self, plays: list[tuple[Seat, str]], k: int) -> None:
        """The winner leads to the next trick before this one has been taken up."""
        before = self.t
        self.play(plays, k)
        self.extras.append(Extra("early-lead", before, self.t, *plays[k]))

    def take_back(self, seat: Seat, held: list[str], start: float) -> float:
        """The player lays a card, thinks again and takes it back; returns when that is over."""
        lying = self.lying_trump.card if self.lying_trump else None
        choice = [card for card in held if card != lying]
        if not choice:
            return start
        card = choice[int(self.rng.integers(len(choice)))]
        t0 = self.when_free(seat, start)
        _, settled = self.deliver(seat, card, self.landing(seat), t0, self.chance(0.7))
        gone = self.pick_up(seat, card, self.when_free(seat, settled + self.u(0.1, 0.9)))
        self.extras.append(Extra("take-back", settled, gone, seat, card))
        return self.cards[card].free_at + self.u(0.1, 0.6)

    def hover(self, busy: Seat, start: float) -> None:
        """Another player's empty hand comes over the cards, stays a moment and goes."""
        seat = [s for s in SEATS if s != busy][int(self.rng.integers(3))]
        t0 = self.when_free(seat, start)
        x, y = self.room.point(seat, self.u(20, 120), self.u(-80, 80))
        t1 = t0 + self.u(0.4, 0.7)
        self.reach(seat, t0, t1, Pose(x, y, z=self.u(40, 110)), flat=self.chance(0.5))
        hand = self.hands[seat]
        stay = t1 + self.u(0.1, 0.6)
        drift = replace(hand.last, x=x + self.u(-30, 30), y=y + self.u(-30, 30))
        hand.add(Move(t1, stay, hand.last, drift, shape=hand.moves[-1].shape))
        self.extras.append(Extra("hover", t0, self.withdraw(seat, stay), seat))

    def nudge(self, seat: Seat) -> None:
        """The sleeve of the hand that goes pushes a card along."""
        at = int(self.rng.integers(len(self.table)))
        card, pose = self.table[at]
        dx, dy = OUTWARD[seat]
        way, turn = self.u(8, 28), self.u(-0.25, 0.25)
        moved = replace(
            pose,
            x=pose.x + way * dx + self.u(-8, 8),
            y=pose.y + way * dy + self.u(-8, 8),
            angle=pose.angle + turn,
        )
        actor = self.cards[card]
        t0 = max(self.t + 0.05, actor.free_at)
        order = actor.moves[-1].order
        actor.add(Move(t0, t0 + _NUDGE_S, pose, moved, order=order))
        self.table[at] = (card, moved)
        self.extras.append(Extra("nudge", t0, t0 + _NUDGE_S, seat, card, moved))
        self.t = max(self.t, t0 + _NUDGE_S)

    def look_again(self, by: Seat, cards: list[str]) -> None:
        """The last trick is spread face up beside its pile, and turned down again."""
        t0 = self.when_free(by, self.t + self.u(0.3, 0.8))
        t1 = t0 + self.u(0.4, 0.6)
        t2, pile = t1 + self.u(0.4, 0.6), self.cards[cards[0]].last
        dx, dy = OUTWARD[by]
        self.reach(by, t0, t1, self.tip_for(by, pile, -5.0), flat=True)
        t3 = t2 + self.u(1.0, 2.0)
        t4 = t3 + self.u(0.4, 0.6)
        for k, card in enumerate(cards):
            actor, now = self.cards[card], self.cards[card].last
            out, across = 70.0, (k - 1.5) * 30
            spread = Pose(
                now.x - out * dx + across * dy, now.y - out * dy - across * dx, now.angle, 0.0, 0.0
            )
            order = self.next_order()
            actor.add(Move(t1, t2, now, spread, order=order))
            actor.add(Move(t3, t4, spread, now, order=order))
        middle = Pose(pile.x - 60 * dx, pile.y - 60 * dy)
        self.reach(by, t1, t2, self.tip_for(by, middle, -5.0), flat=True)
        aside = self.tip_for(by, middle, 90.0)
        self.reach(by, t2, t3, aside, flat=True)
        self.reach(by, t3, t4, self.tip_for(by, pile, -5.0), flat=True)
        self.extras.append(Extra("look-again", t1, t4, by))
        self.withdraw(by, t4 + 0.05)
        self.t = t4

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
            duration=self.t + 0.5,
        )


def seat_of(seat: rules.Seat | None) -> Seat:
    """The seat's letter. Raises `ValueError` for a seat this room has not."""
    for known in SEATS:
        if seat is not None and seat.value == known:
            return known
    raise ValueError(f"expected a seat of {' '.join(SEATS)}, got {seat}")
