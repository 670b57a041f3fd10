"""What phones open: one light page of their own, and the four addresses that it asks.

Served beside Streamlit by the same process (`streamlit.starlette.App` takes routes): a phone costs
a small answer a second, and no session. Knows rooms and the wire; no model.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from functools import cache
from pathlib import Path
from typing import Any

from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Route

from model.classroom.limits import network_of
from model.classroom.records import Answer
from model.classroom.room import Room, RoomError
from model.classroom.rooms import find_room
from viz.palette import declarations

MAX_BODY = 2_000  # bytes that a phone may send
MAX_BODY_SECONDS = 10.0  # in which all of it has to come
TOKEN = "x-phone"  # the header that says which phone asks
_FOLDER = Path(__file__).parent
_NO_STORE = {"Cache-Control": "no-store"}
_SAFE = {
    "Content-Security-Policy": "default-src 'none'; script-src 'unsafe-inline'; "
    "style-src 'unsafe-inline'; connect-src 'self'; base-uri 'none'; form-action 'none'",
    "Referrer-Policy": "no-referrer",
}

Answered = Callable[[Request], Awaitable[Response]]


@cache
def phone_page() -> str:
    """Return the page of a phone: markup, style and script in one answer."""
    markup, style, script = (
        (_FOLDER / f"phone.{kind}").read_text("utf-8") for kind in ("html", "css", "js")
    )
    colours = f":root{{color-scheme:light dark;{declarations()}}}"
    return markup.replace("/* style */", colours + style).replace("// script", script)


async def show_phone(_: Request) -> Response:
    """Answer with the page; it asks for the room itself."""
    return HTMLResponse(phone_page(), headers=_NO_STORE | _SAFE)


def _in_one_sentence(handle: Answered) -> Answered:
    """Answer what a room refuses with its sentence."""

    async def handled(request: Request) -> Response:
        try:
            return await handle(request)
        except RoomError as error:
            return JSONResponse({"error": str(error)}, status_code=409, headers=_NO_STORE)
        except ClientDisconnect:  # a phone that went out of reach: nobody reads the answer
            return Response(status_code=400)

    return handled


@_in_one_sentence
async def join(request: Request) -> Response:
    """Take a person in; answer with the phone's token."""
    room, sent = _room(request), await _body(request)
    return JSONResponse(
        {"token": room.join(_text(sent, "name"), _address(request))}, headers=_NO_STORE
    )


@_in_one_sentence
async def state(request: Request) -> Response:
    """Answer with what the phone shows, or with nothing where that has not changed."""
    view = _room(request).view(request.headers.get(TOKEN, ""))
    if request.query_params.get("version") == str(view["version"]):
        return Response(status_code=204, headers=_NO_STORE)
    return JSONResponse(view, headers=_NO_STORE)


@_in_one_sentence
async def answer(request: Request) -> Response:
    """Take the phone's answer to the question."""
    room, sent = _room(request), await _body(request)
    option, number, confidence = sent.get("option"), sent.get("number"), sent.get("confidence", 1)
    if not isinstance(number, int) or not isinstance(option, int | None):
        raise RoomError("That answer cannot be read: press again.")
    if not isinstance(confidence, int | float):
        raise RoomError("That confidence is no number: choose one that is offered.")
    given = Answer(option, _text(sent, "word"), confidence)
    room.answer(request.headers.get(TOKEN, ""), number, given)
    return JSONResponse({}, headers=_NO_STORE)


def _room(request: Request) -> Room:
    token = request.headers.get(TOKEN, "")
    return find_room(request.path_params["code"], _address(request), token)


def _address(request: Request) -> str:
    """Tell where a phone comes from; of a proxy on this machine uvicorn takes its word."""
    return network_of(request.client.host if request.client else None)


async def _body(request: Request) -> dict[str, Any]:
    """Read what a phone sent.

    Raises:
        RoomError: where it is too much, or no JSON object.
    """
    data = b""
    try:
        async with asyncio.timeout(MAX_BODY_SECONDS):
            async for part in request.stream():
                data += part
                if len(data) > MAX_BODY:
                    raise RoomError("That is too long: write less.")
    except TimeoutError:
        raise RoomError("It did not come whole: press again.") from None
    try:
        sent = json.loads(data or b"{}")
    except (ValueError, RecursionError):
        sent = None
    if not isinstance(sent, dict):
        raise RoomError("That cannot be read: load the page again.")
    return sent


def _text(sent: dict[str, Any], name: str) -> str:
    text = sent.get(name, "")
    return text.encode("utf-8", "ignore").decode() if isinstance(text, str) else ""


def routes(base: str) -> tuple[Route, ...]:
    """Return what a phone asks, below the server's base path."""
    room = f"{base}/room/{{code}}"
    return (
        Route(f"{base}/room", show_phone),
        Route(room, show_phone),
        Route(f"{room}/join", join, methods=["POST"]),
        Route(f"{room}/state", state),
        Route(f"{room}/answer", answer, methods=["POST"]),
    )
