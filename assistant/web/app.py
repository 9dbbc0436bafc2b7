"""The web application: static page, JSON API, WebSocket, evidence.

Everything a person changes is one event appended to the log; what the page shows is always made
anew from the log.
"""

from collections.abc import Awaitable, Callable
from http import HTTPStatus
from pathlib import Path
from typing import Annotated
from urllib.parse import quote

from fastapi import Depends, FastAPI, HTTPException, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.middleware.trustedhost import TrustedHostMiddleware
from fastapi.responses import FileResponse, JSONResponse, RedirectResponse
from fastapi.staticfiles import StaticFiles

from assistant.evidence import View
from assistant.web import api, decks, socket
from assistant.web.origin import same_origin
from assistant.web.site import Site
from vision.errors import UserError

STATIC = Path(__file__).parent / "static"

LARGEST_BODY = 64 * 1024
"""Bytes. Nothing a person says to the page is longer, photographs of a deck apart."""

LARGEST_PHOTOGRAPHS = 24 * 1024 * 1024
"""Bytes: the page makes photographs smaller before it sends them, four of them to about 6 MB."""

_HEADERS = {
    # Everything the page needs is its own: it works with the cable pulled out.
    "Content-Security-Policy": (
        "default-src 'self'; img-src 'self' blob:; base-uri 'none'; form-action 'none'; "
        "frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
}


def create_app(site: Site, hosts: tuple[str, ...] = ("*",)) -> FastAPI:
    """The application for one games folder and at most one live game.

    `hosts` are the names it answers to.
    """
    app = FastAPI(title="Sueca à Mesa", docs_url=None, redoc_url=None, openapi_url=None)
    app.state.site = site
    app.middleware("http")(_guard)
    app.add_middleware(TrustedHostMiddleware, allowed_hosts=list(hosts), www_redirect=False)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(UserError, _user_error)
    app.include_router(api.router)
    app.include_router(decks.router)
    app.include_router(socket.router)
    app.mount("/static", StaticFiles(directory=STATIC), name="static")
    _add_pages(app)
    return app


def _add_pages(app: FastAPI) -> None:
    @app.get("/")
    def home(request: Request, site: Annotated[Site, Depends(api.site_of)]) -> RedirectResponse:
        path = f"/game/{quote(site.live)}" if site.live else "/games"
        query = f"?{request.url.query}" if request.url.query else ""
        return RedirectResponse(path + query)

    @app.get("/games")
    def games() -> FileResponse:
        return FileResponse(STATIC / "games.html")

    @app.get("/decks")
    def learnt_decks() -> FileResponse:
        return FileResponse(STATIC / "decks.html")

    @app.get("/game/{name}")
    def game(name: str, site: Annotated[Site, Depends(api.site_of)]) -> FileResponse:
        api.game_of(name, site)
        return FileResponse(STATIC / "game.html")

    @app.get("/evidence/{name}/{pointer}/{view}")
    def evidence(
        name: str, pointer: str, view: View, site: Annotated[Site, Depends(api.site_of)]
    ) -> FileResponse:
        try:
            path = site.library.evidence(name).path(pointer, view)
        except KeyError:
            path = None
        if path is None:
            raise HTTPException(HTTPStatus.NOT_FOUND, "there is no such picture")
        # A picture once kept never changes.
        return FileResponse(path, headers={"Cache-Control": "max-age=31536000, immutable"})


async def _guard(request: Request, call_next: Callable[[Request], Awaitable[Response]]) -> Response:
    """Refuse what another site's page sends, and bodies no page of ours sends."""
    if request.method not in ("GET", "HEAD"):
        if not same_origin(request.headers.get("origin"), request.headers.get("host")):
            return JSONResponse({"detail": "this page may not write here"}, HTTPStatus.FORBIDDEN)
        if "transfer-encoding" in request.headers:  # no page of ours sends one without its length
            return JSONResponse({"detail": "how long is it?"}, HTTPStatus.LENGTH_REQUIRED)
        pictures = request.url.path.startswith(decks.PREFIX)
        most = LARGEST_PHOTOGRAPHS if pictures else LARGEST_BODY
        if int(request.headers.get("content-length") or 0) > most:
            return JSONResponse({"detail": "too long"}, HTTPStatus.REQUEST_ENTITY_TOO_LARGE)
    response = await call_next(request)
    response.headers.update(_HEADERS)
    if request.url.path.startswith(("/static", "/game", "/decks")):
        response.headers["Cache-Control"] = "no-cache"
    return response


def _invalid(_: Request, error: Exception) -> JSONResponse:
    """One line of what is wrong with a request, in place of pydantic's list."""
    assert isinstance(error, RequestValidationError)
    first = error.errors()[0]
    where = ".".join(str(part) for part in first["loc"] if part != "body")
    detail = f"{where}: {first['msg']}" if where else first["msg"]
    return JSONResponse({"detail": detail}, HTTPStatus.UNPROCESSABLE_ENTITY)


def _user_error(_: Request, error: Exception) -> JSONResponse:
    return JSONResponse({"detail": str(error)}, HTTPStatus.INTERNAL_SERVER_ERROR)
