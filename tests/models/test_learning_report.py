"""What learning a deck is worth: figures without and with the profile, and what is learnt from."""

from pathlib import Path

import numpy as np

from models.evaluate import Labelled, Photograph
from models.learning_report import Look, covering, measured
from vision.labels import INDEX, LABELS
from vision.profile import DeckProfile, profile_of

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
