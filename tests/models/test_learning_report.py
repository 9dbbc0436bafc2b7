"""What learning a deck is worth: figures without and with the profile, and what is learnt from."""

from pathlib import Path

import numpy as np

from datasets.stills import Picture, Shown
from models.evaluate import Labelled, Photograph
from models.learning_report import (
    Look,
    Report,
    box_of_each,
    covering,
    figures,
    look_at_photographs,
    markdown,
    measured,
    sweep,
)
from models.remarks import HALF_HIDDEN
from vision.labels import CARDS as ALL
from vision.labels import INDEX, LABELS
from vision.profile import DeckProfile, profile_of
from vision.types import Detection, Image, Quad

CARDS = ("KS", "QS", "JS")
SEEN = np.eye(3, 8, dtype=np.float32)


def profile() -> DeckProfile:
    return profile_of("x", "abc", SEEN[:, None, :], CARDS)


def look(card: str, read_as: str) -> Look:
    p = np.full((1, len(LABELS)), 1e-4, np.float32)
    p[0, INDEX[card]], p[0, INDEX[read_as]] = 0.4, 0.6
    return Look(card, np.log(p / p.sum()), SEEN[[CARDS.index(card)]])


def test_a_card_the_reader_mistakes_and_the_profile_knows_is_wrong_before_and_right_after() -> None:
    row = measured("x", "true quad", [look("KS", "QS"), look("JS", "JS")], profile())
    assert (row.cards, row.before, row.after, row.wrong) == (2, 0.5, 1.0, ())


def test_what_stays_wrong_is_named() -> None:
    row = measured("x", "true quad", [look("KS", "other")], profile())
    assert row.wrong == ("KS as other",)


def test_of_several_turns_the_one_most_like_a_card_counts() -> None:
    clear, dim = look("KS", "KS"), look("KS", "other")
    both = Look(
        "KS",
        np.concatenate([dim.log_probs, clear.log_probs]),
        np.concatenate([dim.features, clear.features]),
    )
    assert both.said(profile(), 0.0)[0] == "KS"


def test_a_handful_of_photographs_shows_every_card_there_is() -> None:
    def photograph(*cards: str) -> Photograph:
        labelled = tuple(Labelled(card, (0, 0, 9, 9), None) for card in cards)
        return Photograph(Path("-".join(cards)), "x", labelled, True)

    some = [photograph("KS"), photograph("KS", "QS"), photograph("JS", "QS"), photograph("other")]
    assert [p.path.name for p in covering(some)] == ["KS-QS", "JS-QS"]


def quad(x: float, y: float, w: float = 40, h: float = 60) -> Quad:
    return ((x, y), (x + w, y), (x + w, y + h), (x, y + h))


def test_a_box_on_a_card_half_under_another_is_not_taken_for_the_other_s() -> None:
    under, over = Shown("JD", quad(0, 0), 0.3), Shown("5C", quad(0, 15), 1.0)
    picture = Picture(np.zeros((100, 100, 3), np.uint8), (under, over))
    assert box_of_each(picture, [quad(0, 2)]) == {0: 0}
    assert box_of_each(picture, [quad(0, 2), quad(0, 14)]) == {0: 0, 1: 1}


class Eyes:
    """Stands in for finder and reader: finds what it is told, reads every crop as 2C."""

    def __init__(self, quads: list[Quad]) -> None:
        self.quads = quads

    def find_any_size(self, image: Image) -> list[Detection]:
        return [Detection(quad, 0.9, "up") for quad in self.quads]

    def look(self, crops: list[Image]) -> tuple[np.ndarray, np.ndarray]:
        row = np.full(len(LABELS), -9, np.float32)
        row[INDEX["2C"]] = -0.01
        return np.tile(row, (len(crops), 1)), np.ones((len(crops), 8), np.float32)


class Held(Photograph):
    def image(self) -> Image:
        return np.zeros((400, 600, 3), np.uint8)


def test_labels_count_as_they_stand_and_then_without_hidden_cards() -> None:
    remark = next(r for r in HALF_HIDDEN if r.card == "3C")
    beside = [r.card for r in HALF_HIDDEN if r.image == remark.image]
    assert beside == ["2C", "3C"]
    places = [quad(60 * i, 10) for i in range(4)]
    labels = ("AC", "2C", "3C", "4C")
    cards = tuple(
        Labelled(label, (*place[0], *place[2]), None)
        for label, place in zip(labels, places, strict=True)
    )
    eyes = Eyes(places[:3])
    seen = look_at_photographs([Held(Path(remark.image), "x", cards, True)], eyes, eyes)  # type: ignore[arg-type]
    assert ([look.card for look in seen.looks], seen.missed) == (["AC", "2C", "3C"], 1)
    assert ([look.card for look in seen.heeding], seen.missed_heeding) == (["AC"], 1)


def test_the_report_gives_what_is_heeded_second_and_says_why_a_card_is_wrong() -> None:
    deck = profile_of("x", "abc", np.eye(len(ALL), 64, dtype=np.float32)[:, None, :])
    wrong = Look("KS", look("KS", "other").log_probs, np.ones((1, 64), np.float32), "p.jpg", 0.71)
    row = measured("tasca", "found in dev", [wrong], deck, missed=2)
    report = Report("abc", (), (row,), (row,), (), sweep([(deck, [wrong])], []))
    said = markdown(report)
    assert "KS as other (60%), p.jpg: its box agrees with the card's by 0.71; likest is" in said
    assert said.index("0 of 1 rows reach") < said.index("With labels taken for")
    assert said.count("| tasca | found in dev | 1 | 2 | 0.0000 |") == 2
    assert figures(report)["heeding"] == figures(report)["measured"]
