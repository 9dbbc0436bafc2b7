"""A simulated game without pixels: table events as a tracker would send them, with their truth.

Hands are dealt and played by the rules (or deliberately against them), and every play goes through
the statistics of a level: how cards are read, missed, lost and found, taken back, swept up. Easy,
normal and hard are measured on `datasets`' videos; rough, adverse and tangled are worse than any of them.
Thousands of deals can be followed in minutes.
"""

import random
from dataclasses import dataclass, replace

from assistant.sueca import Card, RuleSet, Seat, preset
from datasets.eventsim_deal import OneDeal, TruePlay
from datasets.eventsim_reading import Reader
from datasets.eventsim_statistics import Statistics
from datasets.eventsim_table import TrackedTable
from vision.events import TableEvent

EASY = Statistics(
    top1=0.9994,
    along=0.135,
    spread=0.025,
    entry_missing=0.001,
    entry_spread=0.12,
    settle=(0.1, 0.27),
    exit_missing=0.01,
    partner_gathers=0.0,
    trump_lying=0.0,
)
NORMAL = Statistics(
    top1=0.9994,
    overconfident=1.05,
    along=0.118,
    spread=0.033,
    entry_missing=0.001,
    entry_wrong=0.002,
    entry_spread=0.13,
    settle=(0.1, 0.27),
    together=0.1,
    hidden=0.01,
    cover=0.15,
    split=0.005,
    split_other=0.5,
    lost=0.001,
    nudge=0.03,
    taken_back=0.01,
    look_again=0.02,
    false_card=0.02,
    exit_missing=0.01,
    ragged=0.6,
    partner_gathers=0.15,
    trump_lying=0.25,
    trump_unseen=0.02,
    out_of_turn=0.02,
)
HARD = Statistics(
    top1=0.997,
    blunder=0.0008,
    overconfident=1.1,
    miss=0.0005,
    merged=0.001,
    along=0.093,
    spread=0.045,
    entry_missing=0.005,
    entry_wrong=0.03,
    entry_spread=0.16,
    settle=(0.1, 0.4),
    together=0.25,
    hidden=0.02,
    cover=0.3,
    overlaid=0.001,
    split=0.07,
    split_other=0.3,
    lost=0.004,
    nudge=0.1,
    taken_back=0.03,
    early_lead=0.25,
    look_again=0.08,
    false_card=0.08,
    partner_gathers=0.3,
    exit_missing=0.025,
    ragged=1.0,
    trump_lying=0.5,
    trump_unseen=0.05,
    revoke=0.3,
    out_of_turn=0.06,
)
"""What the tracker sends of a card is as measured on videos of these levels (`models.tracker_figures`
measures both alike; docs/following-video.md has them side by side), what players do as they do there
(`datasets.simulate_level`). What never came up in 800 plays is 0 at easy and normal, but for misreadings:
half a one is assumed. Assumed at normal and hard, for no video has them: cards out of turn, the dealer's card
unseen, things taken for cards."""
ROUGH = Statistics(
    top1=0.98,
    blunder=0.001,
    overconfident=1.25,
    miss=0.0015,
    along=0.12,
    spread=0.075,
    entry_missing=0.4,
    entry_wrong=0.01,
    entry_spread=0.45,
    together=0.08,
    hidden=0.08,
    cover=0.3,
    lost=0.03,
    nudge=0.08,
    taken_back=0.01,
    early_lead=0.15,
    look_again=0.04,
    false_card=0.08,
    partner_gathers=0.2,
    exit_missing=0.35,
    ragged=1.0,
    trump_lying=0.4,
    trump_unseen=0.05,
    revoke=0.3,
    out_of_turn=0.06,
)
"""Hard as it was assumed before anything was measured: worse entries and exits, cards hidden longer and lost
more often. What tries the scribe starts from here."""
ADVERSE = replace(
    ROUGH,
    phantoms=1.5,
    phantom_flickers=0.08,
    unseen_bursts=0.08,
    replaced_unseen=0.2,
    late=0.015,
    split=0.015,
    merged=0.003,
    court_habit=0.3,
)
"""Rough, and the finder and tracker fail as they did on the worst simulated videos: flowers of the
cloth taken for cards from the first frame, cards without a track in bursts, found late or twice."""
TANGLED = replace(ROUGH, shown_split=0.1, overlaid=0.005, hovered=0.01)
"""Rough, and cards and hands get into each other's way: what hard simulated videos had too, here some
times as often as there, so that a few hundred deals say how it is borne."""
LEVELS: dict[str, Statistics] = {
    "easy": EASY,
    "normal": NORMAL,
    "hard": HARD,
    "rough": ROUGH,
    "adverse": ADVERSE,
    "tangled": TANGLED,
}


@dataclass(frozen=True, slots=True)
class TrueDeal:
    """A deal as it was. `claimed` the number of the trick after which the rest was laid down."""

    dealer: Seat
    trump: Card
    plays: tuple[TruePlay, ...]
    claimed: int | None = None


@dataclass(frozen=True, slots=True)
class Recording:
    """Events in the order they became known, and the deals they came from."""

    events: tuple[TableEvent, ...]
    deals: tuple[TrueDeal, ...]
    seed: int


class DealSimulator:
    """Plays deals one after another on one table and keeps their events and truth."""

    def __init__(self, seed: int, statistics: Statistics, rules: RuleSet | None = None) -> None:
        self.seed = seed
        self.rules = rules or preset("selminha")
        self.rng = random.Random(seed)
        self.statistics = statistics
        self.table = TrackedTable(statistics, self.rng, Reader(statistics, self.rng))
        self.deals: list[TrueDeal] = []

    def recording(self) -> Recording:
        """All so far, events in order of time."""
        events = sorted(self.table.events, key=lambda event: event.t)
        return Recording(tuple(events), tuple(self.deals), self.seed)

    def play_deal(
        self,
        dealer: Seat,
        first_trick: int = 1,
        last_trick: int = 10,
        claim_after: int | None = None,
    ) -> None:
        """One deal, seen from `first_trick` to `last_trick`; the rest laid down at once after
        trick `claim_after`, if one is named."""
        if self.table.phantoms is None:
            self.table.reader.new_deck()
            self.table.lay_cloth()
        deal = OneDeal(self.rules, self.table, dealer)
        deal.show_trump(seen=first_trick == 1)
        for trick in range(1, 11):
            seen_from = len(self.table.events)
            if claim_after is not None and trick > claim_after:
                deal.lay_down_the_rest(trick)
                break
            deal.play_trick(trick)
            if not first_trick <= trick <= last_trick:
                del self.table.events[seen_from:]
                deal.forget(trick)
        deal.finish()
        self.deals.append(TrueDeal(dealer, deal.trump, tuple(deal.plays), claim_after))


def simulate_deal(seed: int, statistics: Statistics, rules: RuleSet | None = None) -> Recording:
    """One deal from a random dealer; the same seed gives the same recording."""
    return simulate_match(seed, statistics, 1, rules)


def simulate_match(
    seed: int, statistics: Statistics, deals: int, rules: RuleSet | None = None
) -> Recording:
    """Several deals one after another, the deal passing on as the rules say."""
    simulator = DealSimulator(seed, statistics, rules)
    dealer = simulator.rng.choice(simulator.rules.seats)
    for _ in range(deals):
        simulator.play_deal(dealer)
        dealer = simulator.rules.next_seat(dealer)
    return simulator.recording()
