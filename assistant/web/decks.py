"""The JSON API of the decks: photographs in, found cards out, and what a person makes of them."""

import base64
from http import HTTPStatus
from typing import Annotated

import cv2
import numpy as np
from fastapi import APIRouter, HTTPException, Response
from fastapi.responses import JSONResponse
from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from assistant.web.api import NOTHING, ASite
from assistant.web.says import CardText
from vision.crop import CROP_HEIGHT, CROP_WIDTH
from vision.decks import deck_path
from vision.errors import UserError
from vision.images import decode_image
from vision.labels import CARDS
from vision.learning import DeckProblem, LearntCard
from vision.types import Image

PREFIX = "/api/decks"
MOST_PHOTOGRAPHS = 6

router = APIRouter(prefix=PREFIX)

Base64 = Annotated[str, StringConstraints(max_length=12_000_000)]
DeckName = Annotated[str, StringConstraints(min_length=1, max_length=60, strip_whitespace=True)]


class _Said(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Photographs(_Said):
    """Photographs of one deck, each a JPEG or PNG in base64."""

    photographs: Annotated[list[Base64], Field(min_length=1, max_length=MOST_PHOTOGRAPHS)]


class NamedCrop(_Said):
    """A card and its picture, a PNG in base64 as it was sent to the page."""

    card: CardText
    crop: Base64


class NewDeck(_Said):
    """A deck to keep: each of the 40 cards once. `replace` the one of that name."""

    name: DeckName
    cards: Annotated[list[NamedCrop], Field(min_length=len(CARDS), max_length=len(CARDS))]
    replace: bool = False


class Choice(_Said):
    """The deck of this table; None for none."""

    name: DeckName | None


@router.get("")
def decks(site: ASite) -> JSONResponse:
    """The decks there are and the one chosen."""
    return JSONResponse({"decks": list(site.decks.names()), "chosen": site.decks.chosen()})


@router.post("/found")
def found(said: Photographs, site: ASite) -> JSONResponse:
    """The 40 cards in photographs, each with its picture and whether it wants a second look."""
    images = [_photograph(text, n) for n, text in enumerate(said.photographs, 1)]
    try:
        deck = site.decks.find(images)
    except DeckProblem as problem:
        about = {
            "detail": str(problem), "kind": problem.kind, "photos": problem.photos,
            "cards": problem.cards, "seen": problem.seen,
        }  # fmt: skip
        return JSONResponse(about, HTTPStatus.UNPROCESSABLE_ENTITY)
    return JSONResponse(
        {
            "cards": [_card(card) for card in deck.cards],
            "again": deck.again,
            "strangers": deck.strangers,
        }
    )


@router.post("")
def keep(said: NewDeck, site: ASite) -> Response:
    """Learn the deck and choose it for this table."""
    crops = {named.card: named.crop for named in said.cards}
    if set(crops) != set(CARDS):
        _refuse(HTTPStatus.UNPROCESSABLE_ENTITY, "each of the 40 cards must be there once")
    pictures = [_crop(crops[card]) for card in CARDS]
    try:
        deck_path(said.name)
    except UserError as error:
        _refuse(HTTPStatus.UNPROCESSABLE_ENTITY, str(error))
    if said.name in site.decks.names() and not said.replace:
        _refuse(HTTPStatus.CONFLICT, "there is a deck of that name already")
    site.decks.keep(said.name, pictures)
    return NOTHING


@router.post("/chosen")
def choose(said: Choice, site: ASite) -> Response:
    """Choose the deck of this table."""
    if said.name is not None:
        _known(said.name, site)
    site.decks.choose(said.name)
    return NOTHING


@router.delete("/{name}")
def remove(name: str, site: ASite) -> Response:
    """Forget a deck."""
    _known(name, site)
    site.decks.remove(name)
    return NOTHING


def _known(name: str, site: ASite) -> None:
    if name not in site.decks.names():
        _refuse(HTTPStatus.NOT_FOUND, "there is no such deck")


def _refuse(status: HTTPStatus, text: str) -> None:
    raise HTTPException(status, text)


def _photograph(text: str, number: int) -> Image:
    try:
        return decode_image(_bytes(text), f"photograph {number}")
    except UserError as error:
        raise HTTPException(HTTPStatus.UNPROCESSABLE_ENTITY, str(error)) from None


def _crop(text: str) -> Image:
    data = np.frombuffer(_bytes(text), np.uint8)
    crop = cv2.imdecode(data, cv2.IMREAD_COLOR) if len(data) else None
    if crop is None or crop.shape != (CROP_HEIGHT, CROP_WIDTH, 3):
        raise HTTPException(HTTPStatus.UNPROCESSABLE_ENTITY, "a picture of a card is broken")
    return np.asarray(crop, np.uint8)


def _bytes(text: str) -> bytes:
    try:
        return base64.b64decode(text, validate=True)
    except ValueError:  # binascii's, and that of letters beyond ASCII
        raise HTTPException(HTTPStatus.UNPROCESSABLE_ENTITY, "a picture is no base64") from None


def _card(card: LearntCard) -> dict[str, object]:
    _, png = cv2.imencode(".png", card.crop)
    return {
        "card": card.card,
        "p": round(card.p, 4),
        "doubtful": card.doubtful,
        "photo": card.photo + 1,
        "crop": base64.b64encode(png.tobytes()).decode(),
    }
