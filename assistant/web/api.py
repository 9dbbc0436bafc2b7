"""The JSON API: what a person says about a game, and the record to take away."""

from http import HTTPStatus
from typing import Annotated, cast
from urllib.parse import quote

from fastapi import APIRouter, Depends, HTTPException, Query, Request, Response
from fastapi.responses import JSONResponse
from pydantic import TypeAdapter

from assistant.events import (
    AccusationMade,
    CountingChosen,
    DealerCorrected,
    FlagRuled,
    PersonEvent,
    PlayCorrected,
    PlayersNamed,
    PlayRemoved,
    Seat,
    TableMarked,
    TrumpCorrected,
)
from assistant.fold import Game
from assistant.i18n import pick_language
from assistant.live import LiveGame
from assistant.observed import record_of
from assistant.web import says
from assistant.web.site import Site
from assistant.web.view import GameView, game_view, place_of
from vision.errors import UserError
from vision.table import table_from_corners

TABLE_NAME = "table.json"

router = APIRouter(prefix="/api/games")

_VIEW = TypeAdapter(GameView)
NOTHING = Response(status_code=HTTPStatus.NO_CONTENT)
ENTRY = "X-Entry"


def site_of(request: Request) -> Site:
    """The site this application serves."""
    return cast(Site, request.app.state.site)


def game_of(name: str, site: Annotated[Site, Depends(site_of)]) -> LiveGame:
    """The game of the address, or 404; with what another program has written to it meanwhile."""
    try:
        game = site.library.open(name)
    except KeyError:
        raise HTTPException(HTTPStatus.NOT_FOUND, "there is no such game") from None
    game.catch_up()
    return game


AGame = Annotated[LiveGame, Depends(game_of)]
ASite = Annotated[Site, Depends(site_of)]


def render(site: Site, name: str, lang: str) -> str:
    """The page's state of a game, as JSON text."""
    live = site.library.open(name)
    view = game_view(live.game, name, live=name == site.live, lang=pick_language(lang))
    return _VIEW.dump_json(view).decode()


@router.get("")
def games(site: ASite) -> JSONResponse:
    """Every game in the folder; one that cannot be read is listed with what is wrong."""
    found = (_summary(site, name) for name in site.library.names())
    return JSONResponse([about for about in found if about is not None])


def _summary(site: Site, name: str) -> dict[str, object] | None:
    """What the list says of a game; None where it went while the list was made."""
    about: dict[str, object] = {"name": name, "live": name == site.live, "fault": None}
    try:
        game = site.library.look(name)
    except KeyError:
        return None
    except UserError as error:
        return {**about, "fault": str(error), "players": {}, "deals": 0}
    return {**about, "players": dict(game.names), "deals": len(game.deals)}


@router.get("/{name}/state")
def state(name: str, game: AGame, site: ASite, lang: str = "") -> Response:
    """What the WebSocket sends, once."""
    return Response(render(site, name, lang), media_type="application/json")


@router.get("/{name}/record")
def record(
    name: str, game: AGame, lang: str = "en", match: Annotated[int | None, Query(ge=1)] = None
) -> Response:
    """The game record of one match (the latest unless said), to keep."""
    try:
        text = record_of(game.game, pick_language(lang), match).to_json()
    except IndexError as error:
        raise HTTPException(HTTPStatus.NOT_FOUND, str(error)) from None
    suffix = "" if match is None else f"-{match}"
    kept_as = f"attachment; filename*=UTF-8''{quote(name + suffix)}.json"
    return Response(text, media_type="application/json", headers={"Content-Disposition": kept_as})


@router.patch("/{name}/plays/{play_id}")
def correct(play_id: int, said: says.Correction, game: AGame) -> Response:
    """A person says what a play was."""
    if game.game.play(play_id) is None:
        raise HTTPException(HTTPStatus.NOT_FOUND, "there is no such play any more")
    return _say(game, PlayCorrected(game.now, play_id, said.card, said.seat, said.trick))


@router.delete("/{name}/plays/{play_id}")
def remove(play_id: int, game: AGame) -> Response:
    """A person says there was no such play."""
    if game.game.play(play_id) is None:
        raise HTTPException(HTTPStatus.NOT_FOUND, "there is no such play any more")
    return _say(game, PlayRemoved(game.now, play_id))


@router.post("/{name}/plays")
def add(said: says.Addition, game: AGame) -> Response:
    """A person adds a play the camera missed, at its place in the turn."""
    _check_deal(game, said.deal)
    played = place_of(game.game, said.deal, said.trick, said.seat)
    return _said(game.add_play(said.deal, said.trick, said.seat, said.card, played))


@router.post("/{name}/trump")
def trump(said: says.TrumpWord, game: AGame) -> Response:
    """A person names the trump card."""
    _check_deal(game, said.deal)
    return _say(game, TrumpCorrected(game.now, said.deal, said.card))


@router.post("/{name}/dealer")
def dealer(said: says.DealerWord, game: AGame) -> Response:
    """A person says who dealt."""
    _check_deal(game, said.deal)
    return _say(game, DealerCorrected(game.now, said.deal, said.dealer))


@router.post("/{name}/players")
def players(said: says.Names, game: AGame) -> Response:
    """A person writes names at the table."""
    given = said.model_dump(exclude_none=True)
    names = tuple((cast(Seat, seat), name) for seat, name in given.items())
    return _say(game, PlayersNamed(game.now, names)) if names else NOTHING


@router.post("/{name}/counting")
def counting(said: says.CountingWord, game: AGame) -> Response:
    """The table chooses when card points are shown."""
    return _say(game, CountingChosen(game.now, said.counting))


@router.post("/{name}/flags")
def rule(said: says.Ruling, game: AGame) -> Response:
    """The table's verdict on a flag."""
    _check_deal(game, said.deal)
    return _say(game, FlagRuled(game.now, said.deal, said.flag, said.ruling))


@router.post("/{name}/accusations")
def accuse(said: says.AccusationWord, game: AGame) -> Response:
    """A player accuses an opponent of a renúncia; the record decides."""
    _check_deal(game, said.deal)
    made = AccusationMade(game.now, said.deal, said.accuser, said.accused, said.trick)
    return _say(game, made)


@router.post("/{name}/table")
def table(said: says.TableWord, name: str, game: AGame, site: ASite) -> Response:
    """A person marks the table in the picture; kept as a table file beside the game too."""
    try:
        marked = table_from_corners(said.corners, said.size)
    except UserError as error:
        raise HTTPException(HTTPStatus.UNPROCESSABLE_ENTITY, str(error)) from None
    try:
        marked.save(site.library.folder / name / TABLE_NAME)
    except OSError as error:
        raise UserError(
            f"{TABLE_NAME} cannot be written ({error.strerror}); free some disk space or check "
            "the folder's permissions"
        ) from error
    return _say(game, TableMarked(game.now, said.corners, said.size))


@router.post("/{name}/undo")
def undo(game: AGame, entry: int | None = None) -> Response:
    """Take back a person's latest word; only the one numbered `entry`, where that is given."""
    if game.game.undoable is None:
        raise HTTPException(HTTPStatus.CONFLICT, "there is nothing to undo")
    if entry is None:
        game.undo()
    elif not game.undo_only(entry):
        raise HTTPException(HTTPStatus.CONFLICT, "someone has said something else since")
    return NOTHING


def _say(game: LiveGame, event: PersonEvent) -> Response:
    return _said(game.say(event))


def _said(game: Game) -> Response:
    """The number of a person's word, by which the one who said it can take it back."""
    return Response(status_code=HTTPStatus.NO_CONTENT, headers={ENTRY: str(game.undoable)})


def _check_deal(game: LiveGame, number: int) -> None:
    if all(deal.number != number for deal in game.game.deals):
        raise HTTPException(HTTPStatus.NOT_FOUND, "there is no such deal")
