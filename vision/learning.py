"""Learning a deck: which card is which in a few photographs that together show all 40.

Each photograph is searched for cards, each card is read, and of all ways to give the 40 names to the cards
seen, each name once, the likeliest is taken. What is no card of the 40 (an 8, a joker) and what is seen a
second time stays without a name.
"""

import contextlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import cv2
import numpy as np
from scipy.optimize import linear_sum_assignment

from vision.crop import rectify
from vision.decks import KeptDeck, load_deck, save_deck
from vision.errors import UserError
from vision.finder import Finder
from vision.labels import CARDS, INDEX
from vision.network import Array
from vision.profile import VIEWS, DeckProfile, profile_of, stack_views
from vision.reader import TURNS, Reader, turned
from vision.types import Image, Quad
from vision.weights import load_weights

DOUBTFUL = 0.8
"""A card that the reader alone gives less than this is shown to the person for a second look."""

NAMED = 7.0
"""Nats. What a name is worth to the assignment: a card stays without its name only where every crop left
would have to be misread about a thousand to one."""

SEEN_AGAIN = 3.0
"""Nats that speak against a crop's being a card seen once more: most people show each card once."""

AS_GOOD = 0.1
"""Nats by which a card may look less like one under a lesser turn of its box and still be cut out so."""

SURE = 0.8
TOO_MANY_TWICE = 3
"""So many cards, each read twice with `SURE` in one photograph, are two decks and no misreading."""

SAME_PHOTOGRAPH = 3.0
"""Mean grey levels by which two copies of one photograph may differ, made small and compared."""

MOST_NAMED = 12
"""More missing cards than this are counted, not named."""

Kind = Literal["no-card", "same-photograph", "missing", "two-decks"]


class DeckProblem(UserError):
    """Photographs from which a deck cannot be learnt, told also for a page to say in its own words.

    `photos` counts from 1; `seen` is how many of the 40 cards were found, `cards` what is missing or
    lies there twice.
    """

    def __init__(
        self,
        text: str,
        kind: Kind,
        photos: tuple[int, ...] = (),
        cards: tuple[str, ...] = (),
        seen: int = 0,
    ) -> None:
        super().__init__(text)
        self.kind, self.photos, self.cards, self.seen = kind, photos, cards, seen


@dataclass(frozen=True, slots=True)
class LearntCard:
    """A card of the deck as it was found: `photo` counts from 0; `p` the reader's own probability
    that this crop is that card, before the others were considered."""

    card: str
    photo: int
    quad: Quad
    crop: Image
    p: float

    @property
    def doubtful(self) -> bool:
        return self.p < DOUBTFUL


@dataclass(frozen=True, slots=True)
class FoundDeck:
    """The 40 cards in the order of `CARDS`, and how many cards seen are not among them: `again` seen
    a second time, `strangers` no cards of the 40."""

    cards: tuple[LearntCard, ...]
    again: int
    strangers: int


@dataclass(frozen=True, slots=True)
class _Seen:
    """Cards lying face up in all photographs: crops with what the reader says of each.

    `log_probs` (n, 42).
    """

    photos: tuple[int, ...]
    quads: tuple[Quad, ...]
    crops: tuple[Image, ...]
    log_probs: Array


def find_deck(photographs: Sequence[Image], finder: Finder, reader: Reader) -> FoundDeck:
    """The 40 cards in photographs that together show them.

    Raises:
        DeckProblem: a photograph shows no card or is there twice, a card is missing, or more than one
            deck lies there.
    """
    _check_all_differ(photographs)
    seen = _look(photographs, finder, reader)
    names = assign(seen.log_probs)
    _check_one_deck(seen, names)
    _check_complete(names)
    cards = [
        LearntCard(
            CARDS[card], seen.photos[i], seen.quads[i], seen.crops[i],
            float(np.exp(seen.log_probs[i, card])),
        )
        for i, card in names.items()
    ]  # fmt: skip
    rest = [i for i in range(len(seen.crops)) if i not in names]
    again = sum(int(seen.log_probs[i].argmax()) < len(CARDS) for i in rest)
    ordered = tuple(sorted(cards, key=lambda card: INDEX[card.card]))
    return FoundDeck(ordered, again, len(rest) - again)


def assign(log_probs: Array) -> dict[int, int]:
    """Which crop is which card: rows of (n, 42) log-probabilities to card numbers, each card once.

    Some crops may stay without a name, and some cards without a crop.
    """
    cards = log_probs[:, : len(CARDS)].astype(float)
    stranger = np.logaddexp.reduce(log_probs[:, len(CARDS) :].astype(float), axis=1)
    nameless = np.minimum(-stranger, SEEN_AGAIN - cards.max(axis=1))
    costs = np.hstack([-cards - NAMED, np.repeat(nameless[:, None], len(cards), axis=1)])
    rows, columns = linear_sum_assignment(costs)
    pairs = zip(rows.tolist(), columns.tolist(), strict=True)
    return {row: column for row, column in pairs if column < len(CARDS)}


def _check_all_differ(photographs: Sequence[Image]) -> None:
    small = [
        cv2.resize(image, (32, 32), interpolation=cv2.INTER_AREA).astype(float)
        for image in photographs
    ]
    for j in range(len(small)):
        for i in range(j):
            if np.abs(small[i] - small[j]).mean() < SAME_PHOTOGRAPH:
                raise DeckProblem(
                    f"photographs {i + 1} and {j + 1} are the same: give each photograph once",
                    "same-photograph",
                    (i + 1, j + 1),
                )


def _look(photographs: Sequence[Image], finder: Finder, reader: Reader) -> _Seen:
    """Every card that lies face up, cut out under the turn of its box that looks most like a card,
    the least turn among equals."""
    photos: list[int] = []
    quads: list[Quad] = []
    crops: list[Image] = []
    rows: list[Array] = []
    for number, image in enumerate(photographs):
        found = [d.quad for d in finder.find_any_size(image) if d.face == "up"]
        if not found:
            raise DeckProblem(
                f"photograph {number + 1} shows no card face up: leave it out, or lay the cards "
                "apart on a plain table and photograph them from above",
                "no-card",
                (number + 1,),
            )
        for quad in found:
            under = [turned(quad, degrees) for degrees in TURNS]
            cut = [rectify(image, one) for one in under]
            log_probs, _ = reader.look(cut)
            best = straightest(log_probs[:, : len(CARDS)].max(axis=1))
            photos.append(number)
            quads.append(under[best])
            crops.append(cut[best])
            rows.append(log_probs[best])
    return _Seen(tuple(photos), tuple(quads), tuple(crops), np.stack(rows))


def straightest(scores: Array) -> int:
    """The first of the turns, least first, that is as good as the best: (t,) log-probabilities.

    A card that can be read under every turn is to be learnt as it lies, not at a slant.
    """
    return int(np.flatnonzero(scores >= scores.max() - AS_GOOD)[0])


def _check_one_deck(seen: _Seen, names: dict[int, int]) -> None:
    """Refuse photographs in one of which cards surely lie twice."""
    where = {card: seen.photos[i] for i, card in names.items()}
    twice: set[str] = set()
    for i, row in enumerate(seen.log_probs):
        card = int(row.argmax())
        if i in names or card >= len(CARDS) or np.exp(row[card]) < SURE:
            continue
        if where.get(card) == seen.photos[i]:
            twice.add(CARDS[card])
    if len(twice) >= TOO_MANY_TWICE:
        cards = tuple(sorted(twice, key=INDEX.__getitem__))
        raise DeckProblem(
            f"{_listed(cards)} lie twice in one photograph: lay out one deck only",
            "two-decks",
            cards=cards,
        )


def _check_complete(names: dict[int, int]) -> None:
    missing = tuple(card for n, card in enumerate(CARDS) if n not in names.values())
    if missing:
        raise DeckProblem(
            f"{len(names)} of the 40 cards are seen, missing: {_listed(missing)}; lay these out, none "
            "covered, and give one more photograph",
            "missing",
            cards=missing,
            seen=len(names),
        )


def _listed(cards: Sequence[str]) -> str:
    return " ".join(cards) if len(cards) <= MOST_NAMED else f"{len(cards)} cards"


def make_deck(name: str, crops: Sequence[Image], reader: Reader) -> KeptDeck:
    """A learnt deck of 40 crops in the order of `CARDS`."""
    return KeptDeck(name, tuple(crops), learn_profile(name, crops, reader))


def learn_profile(
    name: str, crops: Sequence[Image], reader: Reader, cards: tuple[str, ...] = CARDS
) -> DeckProfile:
    """The profile of one crop of each of `cards`, in their order."""
    _, features = reader.look(stack_views(crops))
    by_card = features.reshape(len(crops), VIEWS, -1)
    return profile_of(name, reader.weights.version, by_card, cards)


def profile_for(name: str, reader: Reader) -> DeckProfile:
    """The profile of a learnt deck for this reader, made anew where another version made the old one.

    Raises:
        UserError: there is no such deck, or its file is damaged.
    """
    deck = load_deck(name)
    if deck.profile.model == reader.weights.version:
        return deck.profile
    remade = make_deck(name, deck.crops, reader)
    with contextlib.suppress(UserError):  # a folder that is not ours: made anew each time
        save_deck(remade)
    return remade.profile


def reader_for(deck: str | None) -> Reader:
    """The reader, with the profile of a learnt deck where one is named.

    Raises:
        UserError: the weights are missing, there is no such deck, or it is damaged.
    """
    reader = Reader(load_weights("reader"))
    if deck:
        reader.profile = profile_for(deck, reader)
    return reader
