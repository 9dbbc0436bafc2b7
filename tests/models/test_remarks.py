"""Labels shown to be wrong: left out, they count for nothing and against nothing."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from models.evaluate import (
    Labelled,
    Looked,
    Photograph,
    expected_label,
    load_photographs,
    measure,
)
from models.figures import summary
from models.remarks import (
    HALF_HIDDEN,
    REMARKS,
    Heeding,
    Remark,
    heeded,
    hidden,
    matched_heeding,
)
from models.report import text
from models.sight import Seen
from vision.errors import UserError
from vision.types import Image, Quad, Reading

IMAGE = np.zeros((400, 600, 3), np.uint8)
DEV = Path("../shared/real/dev.json")


def quad(x: float, y: float, w: float = 40, h: float = 60) -> Quad:
    return ((x, y), (x + w, y), (x + w, y + h), (x, y + h))


def card(label: str, x: float, y: float, w: float = 40, h: float = 60) -> Labelled:
    return Labelled(label, (x, y, x + w, y + h), None)


def looked_at(cards: list[Labelled], seen: list[Seen]) -> Looked:
    class Eyes:
        def see(self, image: Image) -> list[Seen]:
            return seen

        def read(self, image: Image, quads: object) -> list[Reading]:
            return []

    class Held(Photograph):
        def image(self) -> Image:
            return IMAGE

    looks: list[Looked] = []
    measure([Held(Path("a.jpg"), "desk", tuple(cards), True)], Eyes(), looks.append)
    return looks[0]


WHOLE, STRIP = card("7H", 10, 10), card("KD", 200, 100, w=12)
"""A card, and what shows of another, labelled so: 12 of its 40 pixels."""
ON_STRIP = Remark("a.jpg", 1, "KD", "part")
BOTH_FOUND = [Seen(quad(10, 10), "7H", 0.9), Seen(quad(200, 100), "KD", 0.9)]


HIDDEN = Remark("a.jpg", 1, "KD", "hidden")
WRONG_QUAD = Remark("a.jpg", 1, "KD", "quad")


def test_a_card_labelled_by_what_shows_is_met_by_the_box_of_the_whole_card() -> None:
    looked = looked_at([WHOLE, STRIP], BOTH_FOUND)
    assert [o.found for o in looked.outcomes] == [True, False]
    assert len(looked.invented) == 1
    heard = heeded(looked, [ON_STRIP])
    assert [(o.label, o.read_found) for o in heard.outcomes] == [("7H", "7H"), ("KD", "KD")]
    assert heard.invented == ()


def test_such_a_card_that_was_not_found_stays_missed() -> None:
    heard = heeded(looked_at([WHOLE, STRIP], BOTH_FOUND[:1]), [ON_STRIP])
    assert [o.found for o in heard.outcomes] == [True, False]


def test_such_a_card_that_is_misread_stays_misread() -> None:
    misread = [BOTH_FOUND[0], Seen(quad(200, 100), "QD", 0.6)]
    heard = heeded(looked_at([WHOLE, STRIP], misread), [ON_STRIP])
    assert [(o.read_found, o.p_found) for o in heard.outcomes] == [("7H", 0.9), ("QD", 0.6)]


def test_a_card_hidden_by_more_than_half_is_neither_missed_nor_invented() -> None:
    for seen in (BOTH_FOUND, BOTH_FOUND[:1]):
        heard = heeded(looked_at([WHOLE, STRIP], seen), [HIDDEN])
        assert [o.label for o in heard.outcomes] == ["7H"]
        assert heard.invented == ()


def test_what_is_found_beside_the_label_stays_invented() -> None:
    looked = looked_at([WHOLE, STRIP], [*BOTH_FOUND, Seen(quad(400, 300), "2C", 0.9)])
    assert [one.label for one in heeded(looked, [ON_STRIP]).invented] == ["2C"]


def test_of_a_heap_found_on_such_a_label_only_one_is_the_card() -> None:
    heap = [Seen(quad(200 + i, 100), "KD", 0.9) for i in range(3)]
    for remark in (ON_STRIP, HIDDEN):
        looked = looked_at([WHOLE, STRIP], [BOTH_FOUND[0], *heap])
        assert len(heeded(looked, [remark]).invented) == 2


def test_a_card_beside_the_label_keeps_what_was_found_on_it() -> None:
    near = card("2C", 205, 100)
    looked = looked_at([WHOLE, STRIP, near], [BOTH_FOUND[0], Seen(quad(205, 100), "2C", 0.9)])
    heard = heeded(looked, [ON_STRIP])
    assert [(o.label, o.found) for o in heard.outcomes] == [
        ("7H", True), ("KD", False), ("2C", True),
    ]  # fmt: skip


def test_what_is_read_under_a_wrong_quad_counts_for_nothing() -> None:
    looked = looked_at([WHOLE, STRIP], BOTH_FOUND)
    read = tuple(replace(o, read_at_truth="2C") for o in looked.outcomes)
    looked = replace(looked, outcomes=read)
    assert [o.read_at_truth for o in heeded(looked, [WRONG_QUAD]).outcomes] == ["2C", None]


def test_boxes_alone_are_matched_with_the_remarks_heeded() -> None:
    photograph = looked_at([WHOLE, STRIP], BOTH_FOUND).photograph
    boxes = [one.quad for one in BOTH_FOUND]
    assert matched_heeding(photograph, boxes, IMAGE, []) == {0: 0}
    assert matched_heeding(photograph, boxes, IMAGE, [ON_STRIP]) == {0: 0, 1: 1}
    assert matched_heeding(photograph, boxes, IMAGE, [HIDDEN]) == {0: 0}
    assert hidden(photograph, [HIDDEN]) == {1}
    assert hidden(photograph, [ON_STRIP]) == set()


def test_a_picture_without_remarks_is_counted_as_it_was_seen() -> None:
    looked = looked_at([WHOLE, STRIP], BOTH_FOUND)
    assert heeded(looked, [Remark("b.jpg", 1, "KD", "part")]) is looked


def test_a_remark_on_another_card_than_the_label_s_is_refused() -> None:
    looked = looked_at([WHOLE, STRIP], BOTH_FOUND)
    with pytest.raises(UserError, match="no QD"):
        heeded(looked, [Remark("a.jpg", 1, "QD", "part")])


def test_the_report_gives_both_figures_and_lists_the_labels() -> None:
    looked, heeding = looked_at([WHOLE, STRIP], BOTH_FOUND), Heeding([ON_STRIP])
    heeding.note(looked)
    with_remarks = heeding.measured()
    assert summary(with_remarks.measured)["finder_recall"] == 1
    said = text(with_remarks.measured, None, with_remarks)
    assert "a.jpg, label 1: KD" in said
    assert "With 1 labels" in said


@pytest.mark.skipif(not DEV.exists(), reason="needs ../shared/real")
def test_every_remark_is_on_a_label_that_is_there() -> None:
    cards = {p.path.name: p.cards for p in load_photographs(DEV)}
    every = REMARKS + HALF_HIDDEN
    for remark in every:
        assert cards[remark.image][remark.number].label == expected_label(remark.card)
    assert len({(r.image, r.number) for r in every}) == len(every)
