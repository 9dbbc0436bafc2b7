"""How fast the rules are: score and audit complete deals, beside a plain naive scorer.

Run by `make bench`. Times are of this process's processor time, so that a busy machine does not
count, all in one run over the same deals.
"""

import random
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from assistant.sueca import Deal, Folder, audit, fold, preset, score_deal
from tests.assistant.sueca.builders import play_deal

DEALS = 2000
LIVE_DEALS = 200
ROUNDS = 3
TARGET = 5000
"""Deals a second that the engine must score and audit."""

NaiveDeal = tuple[str, list[tuple[str, str]]]


@dataclass(frozen=True)
class Speed:
    """`rate` in deals a second, the best of the rounds."""

    what: str
    rate: float


def sample(deals: int, revoke: float = 0.0, rules: str = "selminha") -> list[Deal]:
    """Random complete deals."""
    rng = random.Random(7)
    chosen = preset(rules)
    return [play_deal(rng, chosen, rng.choice(chosen.seats), revoke).deal for _ in range(deals)]


def naive_score(deal: NaiveDeal) -> tuple[dict[str, int], int]:
    """The scorer one would write in an evening: strings and lists, no check of anything."""
    order = "23456QJK7A"
    worth = {"A": 11, "7": 10, "K": 4, "J": 3, "Q": 2}
    trump, plays = deal
    points = {"NS": 0, "EW": 0}
    for start in range(0, len(plays), 4):
        trick = plays[start : start + 4]
        winner, best = trick[0]
        for seat, card in trick[1:]:
            same = card[1] == best[1]
            if (same and order.index(card[0]) > order.index(best[0])) or (
                card[1] == trump and best[1] != trump
            ):
                winner, best = seat, card
        team = "NS" if winner in "NS" else "EW"
        points[team] += sum(worth.get(card[0], 0) for _, card in trick)
    high = max(points.values())
    return points, 0 if high == 60 else 4 if high == 120 else 2 if high > 90 else 1


def naive_revokes(deal: NaiveDeal) -> list[tuple[str, int]]:
    """The revoke check one would write in an evening: look ahead from every discard."""
    _, plays = deal
    found = []
    for start in range(0, len(plays), 4):
        led = plays[start][1][1]
        for seat, card in plays[start + 1 : start + 4]:
            if card[1] != led:
                later = [c for s, c in plays[start + 4 :] if s == seat and c[1] == led]
                if later:
                    found.append((seat, start // 4 + 1))
    return found


def speed(what: str, items: Sequence[object], work: Callable[..., object]) -> Speed:
    """The best rate of a few rounds."""
    best = float("inf")
    for _ in range(ROUNDS):
        began = time.process_time()
        for item in items:
            work(item)
        best = min(best, time.process_time() - began)
    return Speed(what, len(items) / best)


def score_and_audit(deal: Deal) -> object:
    """What `sueca score` does for a complete deal."""
    state = fold(deal)
    return score_deal(state), audit(state, final=True)


def speeds() -> list[Speed]:
    """Engine and naive scorer over the same deals."""
    legal, wild = sample(DEALS), sample(DEALS, revoke=0.2)
    plain = [
        (str(deal.trump)[1], [(p.seat.value, p.card.text) for p in deal.plays]) for deal in legal
    ]
    return [
        speed("score and audit, legal deals", legal, score_and_audit),
        speed("score and audit, one card in five at random", wild, score_and_audit),
        speed("naive scorer, no check of anything", plain, naive_score),
        speed(
            "naive scorer with a revoke check",
            plain,
            lambda deal: (naive_score(deal), naive_revokes(deal)),
        ),
    ]


def live_milliseconds(rules: str, deals: int, revoke: float) -> list[float]:
    """Processor time of the audit after every play, exact chances included, sorted."""
    times = []
    for deal in sample(deals, revoke, rules):
        folder = Folder(replace(deal, plays=()))
        for play in deal.plays:
            folder.push(play)
            state = folder.state()
            began = time.process_time()
            audit(state)
            times.append(1000 * (time.process_time() - began))
    return sorted(times)


def report() -> list[str]:
    """The figures as lines of Markdown."""
    lines = ["| complete deals | deals/s |", "|---|---|"]
    lines += [f"| {one.what} | {one.rate:,.0f} |" for one in speeds()]
    lines += ["", "| audit after every play | mean ms | p99 ms | max ms |", "|---|---|---|---|"]
    for rules, deals, revoke in [
        ("selminha", LIVE_DEALS, 0.0),
        ("selminha", LIVE_DEALS, 0.2),
        ("italiana", LIVE_DEALS, 0.0),
        ("dupla", 10, 0.0),
        ("dupla-6", 10, 0.0),
    ]:
        times = live_milliseconds(rules, deals, revoke)
        mean, p99 = sum(times) / len(times), times[int(0.99 * len(times))]
        how = "legal" if not revoke else f"{revoke:.0%} of cards at random"
        lines.append(f"| {rules}, {how} | {mean:.2f} | {p99:.2f} | {times[-1]:.2f} |")
    return lines


if __name__ == "__main__":
    print(f"Rules: the target is {TARGET:,} deals/s scored and audited on one core.")
    print("\n".join(report()))
