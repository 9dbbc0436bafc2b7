"""What can go wrong at a simulated table without pixels, and how often."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Statistics:
    """What can happen and how often: chances per play, unless another unit is named.

    `top1` share of crops read right; `blunder` share read surely and wrong; `overconfident` the
    factor on log-probabilities (1: calibrated). `along`, `spread` where played cards come to lie
    (see `assistant.scribe.priors.Geometry`, which is not told these). `entry_spread` in radians.
    """

    top1: float = 0.9995
    blunder: float = 0.0
    overconfident: float = 1.0
    miss: float = 0.0
    along: float = 0.15
    spread: float = 0.05
    entry_missing: float = 0.05
    entry_wrong: float = 0.0
    entry_spread: float = 0.25
    settle: tuple[float, float] = (0.2, 0.5)  # seconds from lying there to being sent
    think: tuple[float, float] = (0.7, 2.5)  # seconds from one play to the next
    together: float = 0.0  # two play within a quarter of a second
    hidden: float = 0.0  # a hand stays over the card for seconds
    cover: float = 0.05
    lost: float = 0.0  # a track lost and found again in the same place
    nudge: float = 0.0
    taken_back: float = 0.0
    early_lead: float = 0.0  # per trick: led before the last one is swept up
    look_again: float = 0.0  # per trick
    false_card: float = 0.0  # per trick: something that is no card, taken for one
    partner_gathers: float = 0.1  # per trick
    exit_missing: float = 0.1
    ragged: float = 0.3  # seconds over which the cards of a trick leave
    trump_lying: float = 0.2  # per deal: the dealer's card lies there until it is played
    trump_unseen: float = 0.0  # per deal
    revoke: float = 0.2  # per deal: one player set to revoke once, where the cards allow it
    out_of_turn: float = 0.0  # per deal: one trick in which two play in the wrong order
    counting: float = 0.3  # per deal: some cards are turned up again while it is counted
    # What goes wrong only at the last two levels; where all are 0 nothing more is drawn.
    phantoms: float = 0.0  # per deal, on average: prints of the cloth taken for cards
    phantom_flickers: float = 0.0  # per phantom and trick: lost and found again
    unseen_bursts: float = 0.0  # per trick: one of its cards, or two or three, have no track
    replaced_unseen: float = 0.0  # per card taken back: what is played instead has no track
    late: float = 0.0  # not found for seconds, or until it was gone
    split: float = 0.0  # two tracks for one card, side by side
    split_other: float = 0.0  # of these, the second is read as a card that looks alike
    merged: float = 0.0  # no track of its own: it is taken for the card it lies on
    court_habit: float = 0.0  # per deal: two courts of each suit look alike in this deck
    shown_split: float = 0.0  # per deal: two tracks for the dealer's card, side by side
    overlaid: float = 0.0  # it comes to lie on another card, whose track goes on as its own
    hovered: float = 0.0  # a hand above it hides it; its leaving seems to bring the card
