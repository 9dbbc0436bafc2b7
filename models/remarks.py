"""Labels of `shared/real/dev` that its pictures show to be wrong, or to be of cards nobody asks about.

Every label whose box or quad lies far from what is found there was looked at by eye
(`docs/reports/photographs/report.md` says how). A report gives its figures with them and without.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from models.evaluate import Box, Looked, Measured, Tally, clipped, expected_label, matched, upright
from vision.errors import UserError

Why = Literal["quad", "part", "hidden"]

WORDS: dict[Why, str] = {
    "quad": "the quad is not the card's: some of its corners lie on the card's face or beside it",
    "part": "the box is drawn round what shows of a card partly covered, not round the card",
    "hidden": "less than half of the card shows",
}
"""What is to be said of a label. The target of issue 4 is about whole cards at least half visible."""

HALF = 0.5
"""What is found over this much of a label left out is that card, and not invented."""


@dataclass(frozen=True, slots=True)
class Remark:
    """`number` counts the labels with a box of that picture from 0; `card` is what it says there."""

    image: str
    number: int
    card: str
    why: Why


def _of(image: str, why: Why, *cards: tuple[int, str]) -> tuple[Remark, ...]:
    return tuple(Remark(image, number, card, why) for number, card in cards)


REMARKS: tuple[Remark, ...] = ()


@dataclass(frozen=True, slots=True)
class Without:
    """What is measured where the labels remarked on are left out, and the remarks that were met."""

    measured: Measured
    remarks: tuple[Remark, ...]


class Heeding:
    """Counts the same looks as `models.evaluate.measure`, the remarks heeded."""

    def __init__(self, remarks: Sequence[Remark] = REMARKS) -> None:
        self._all, self._met, self._tally = remarks, list[Remark](), Tally()

    def note(self, looked: Looked) -> None:
        self._met += _of_picture(looked, self._all)
        self._tally.add(heeded(looked, self._all))

    def without(self) -> Without:
        return Without(self._tally.measured(), tuple(self._met))


def _of_picture(looked: Looked, remarks: Sequence[Remark]) -> list[Remark]:
    """The remarks on one photograph.

    Raises:
        UserError: its labels are not those remarked on: another edition of the photographs.
    """
    ours = [r for r in remarks if r.image == looked.photograph.path.name]
    cards = looked.photograph.cards
    for r in ours:
        if r.number >= len(cards) or cards[r.number].label != expected_label(r.card):
            raise UserError(f"{r.image}: label {r.number} is no {r.card}; mend models/remarks.py")
    return ours


def heeded(looked: Looked, remarks: Sequence[Remark] = REMARKS) -> Looked:
    """The same look, as if the labels remarked on were not there: neither missed nor invented."""
    out = {r.number for r in _of_picture(looked, remarks)}
    if not out:
        return looked
    cards = looked.photograph.cards
    kept = [i for i in range(len(cards)) if i not in out]
    photograph = replace(looked.photograph, cards=tuple(cards[i] for i in kept))
    boxes = [clipped(upright(one.quad), looked.image) for one in looked.seen]
    taken = set(matched(photograph.cards, [one.quad for one in looked.seen], looked.image).values())
    excused = _excused([cards[i].box for i in sorted(out)], boxes, taken)
    seen = tuple(one for j, one in enumerate(looked.seen) if j not in excused)
    pairs = matched(photograph.cards, [one.quad for one in seen], looked.image)
    outcomes = tuple(
        replace(
            looked.outcomes[i],
            found=k in pairs,
            read_found=seen[pairs[k]].label if k in pairs else None,
            p_found=seen[pairs[k]].p if k in pairs else 0.0,
        )
        for k, i in enumerate(kept)
    )
    return Looked(photograph, looked.image, seen, pairs, outcomes)


def _excused(out: Sequence[Box], boxes: Sequence[Box], taken: set[int]) -> set[int]:
    """Which of the found boxes lie on labels left out: for each label at most one, the best."""
    excused: set[int] = set()
    for label in out:
        free = [j for j in range(len(boxes)) if j not in taken and j not in excused]
        best = max(free, key=lambda j: _part_of(label, boxes[j]), default=None)
        if best is not None and _part_of(label, boxes[best]) >= HALF:
            excused.add(best)
    return excused


def _part_of(label: Box, box: Box) -> float:
    """How much of the label lies in the box."""
    w = min(label[2], box[2]) - max(label[0], box[0])
    h = min(label[3], box[3]) - max(label[1], box[1])
    return max(0.0, w) * max(0.0, h) / max(1e-9, (label[2] - label[0]) * (label[3] - label[1]))
