"""The WebSocket: the state as text whenever it changes, frames as binary while a game is live."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

import anyio
import anyio.abc
from fastapi import APIRouter, WebSocket, WebSocketDisconnect

from assistant.fold import Game
from assistant.web.api import render
from assistant.web.origin import same_origin
from assistant.web.site import Site
from vision.errors import UserError

router = APIRouter()

NO_SUCH_GAME = 4404
FOREIGN_PAGE = 4403
BROKEN_GAME = 4500
CATCH_UP_SECONDS = 2.0
"""How often the log is looked into for what another program wrote."""
LONGEST_REASON = 120
"""Bytes a close reason may take, by the protocol (123) with room to cut a letter in two."""


@router.websocket("/ws/{name}")
async def follow(websocket: WebSocket, name: str, lang: str = "") -> None:
    """Send a game to one page until it goes away."""
    site: Site = websocket.app.state.site
    await websocket.accept()
    if not same_origin(websocket.headers.get("origin"), websocket.headers.get("host")):
        await websocket.close(FOREIGN_PAGE, "this page may not look on here")
        return
    fault = None
    try:
        async with _wakes(site, name) as wake, anyio.create_task_group() as group:
            group.start_soon(_until_gone, websocket, group)
            group.start_soon(_catch_up, site, name)
            with suppress(WebSocketDisconnect):  # the page closed while a frame was on its way
                fault = await _send(websocket, site, name, lang, wake)
            group.cancel_scope.cancel()
        if fault is not None:
            raise fault
    except KeyError:
        await websocket.close(NO_SUCH_GAME, "there is no such game")
    except UserError as error:
        reason = str(error).encode()[:LONGEST_REASON].decode(errors="ignore")
        await websocket.close(BROKEN_GAME, reason)


@asynccontextmanager
async def _wakes(site: Site, name: str) -> AsyncIterator[asyncio.Event]:
    """An event set whenever the game changes or a frame comes, from whatever thread."""
    loop, wake = asyncio.get_running_loop(), asyncio.Event()
    game = await asyncio.to_thread(site.library.open, name)

    def changed(_: Game) -> None:
        if not loop.is_closed():
            loop.call_soon_threadsafe(wake.set)

    unsubscribe = game.subscribe(changed)
    live = name == site.live
    if live:
        site.publisher.watch(loop, wake)
    try:
        wake.set()
        yield wake
    finally:
        unsubscribe()
        if live:
            site.publisher.unwatch(wake)


async def _send(
    websocket: WebSocket, site: Site, name: str, lang: str, wake: asyncio.Event
) -> UserError | None:
    """Send until cancelled; what makes the game impossible to show is returned."""
    revision, number = -1, 0
    while True:
        await wake.wait()
        wake.clear()
        now = site.library.open(name).game.revision
        if now != revision:
            revision = now
            try:
                state = await asyncio.to_thread(render, site, name, lang)
            except UserError as error:
                return error
            await websocket.send_text(state)
        if name == site.live:
            frame = await asyncio.to_thread(site.publisher.latest)
            if frame is not None and frame.number != number:
                number = frame.number
                await websocket.send_bytes(frame.data)


async def _catch_up(site: Site, name: str) -> None:
    """Take in, now and then, what another program writes to the game: one may follow it while this one
    shows it."""
    while True:
        await asyncio.sleep(CATCH_UP_SECONDS)
        with suppress(UserError):  # told when the game is next opened
            await asyncio.to_thread(site.library.open(name).catch_up)


async def _until_gone(websocket: WebSocket, group: anyio.abc.TaskGroup) -> None:
    """Wait until the page closes, then end `group`; a page has nothing to say on this line."""
    while (await websocket.receive())["type"] != "websocket.disconnect":
        pass  # text or bytes, it is passed over
    group.cancel_scope.cancel()
