"""What the three pages of a room have in common on the wire: how one is put together, how one asks.

Served beside Streamlit by the same process (`streamlit.starlette.App` takes routes): a phone costs
a small answer a second, and no session. Knows rooms and the wire; no model.
"""

import asyncio
import json
from collections.abc import Awaitable, Callable
from functools import cache
from pathlib import Path
from typing import Any, TypeAlias
from urllib.parse import quote

from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, JSONResponse, Response

from model.classroom.limits import MAX_BODY_SECONDS, MAX_PHONE_BODY
from model.classroom.members import RoomError
from model.classroom.rooms import NoRoomError
from model.sentences import Sentence
from pages.frame.assets import address as address_of_file
from pages.frame.assets import address_of_words, faces, name_of
from pages.frame.first_paint import ROOT_TAG, root_tag
from pages.frame.words import Language, in_language, speaking, spoken_in, told
from pages.lessons.classroom.wrong_codes import WrongCodes
from viz.palette import code, root_rule

NO_STORE = {"Cache-Control": "no-store"}
_WRONG_CODES = WrongCodes()
_FOLDER = Path(__file__).parent
_SAFE = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self' "
    "'unsafe-inline'; img-src 'self' data:; connect-src 'self'; font-src 'self'; frame-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "Referrer-Policy": "no-referrer",
}
_ICON = "data:image/svg+xml," + quote(
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">'
    f'<path d="M4 4h24v18H16l-8 7v-7H4z" fill="{code("kept", "light")}"/></svg>'
)

Handler: TypeAlias = Callable[[Request], Awaitable[Response]]


@cache
def _page(name: str, base: str, language: Language) -> str:
    """Returns a page: its markup with the addresses of its style sheets, script and words."""
    head = [f'<link rel="icon" href="{_ICON}">']
    named = faces(lambda file: f"{base}/{address_of_file(file)}")
    head.append(f"<style>{named}{root_rule()}</style>")
    for sheet in ("room.css", "drawn.css", f"{name}.css"):
        head.append(f'<link rel="stylesheet" href="{_address(sheet, base)}">')
    entry, where = _address(f"{name}.js", base), address_of_words(language)
    tag = root_tag(language, where and f"{base}/{where}")
    if where:  # the script waits for its words
        first = f"{base}/{address_of_file('frame/live/words_first.js')}"
        head.append(f'<script type="module" src="{first}"></script>')
        tag = tag.replace(">", f' data-entry="{entry}">')
    else:
        head.append(f'<script type="module" src="{entry}"></script>')
    markup = (_FOLDER / f"{name}.html").read_text("utf-8").replace(ROOT_TAG, tag)
    return markup.replace("<!-- head -->", "\n    ".join(head))


def _address(file: str, base: str) -> str:
    return f"{base}/{address_of_file(name_of(_FOLDER / file))}"


def showing(name: str, base: str) -> Handler:
    """Returns what answers with a page; it asks for the room itself."""

    async def show(request: Request) -> Response:
        page = _page(name, base, spoken_in(request))
        return HTMLResponse(page, headers=NO_STORE | _SAFE)

    return show


def in_one_sentence(handle: Handler) -> Handler:
    """Answers what is refused with its sentence."""

    async def handled(request: Request) -> Response:
        with speaking(spoken_in(request)):
            return await answered(request)

    async def answered(request: Request) -> Response:
        try:
            return await handle(request)
        except NoRoomError as error:
            close = {"Connection": "close"} if await _WRONG_CODES.hold() else {}
            return JSONResponse({"error": told(error)}, status_code=409, headers=NO_STORE | close)
        except ValueError as error:
            return JSONResponse({"error": told(error)}, status_code=409, headers=NO_STORE)
        except ClientDisconnect:  # a phone that went out of reach: nobody reads the answer
            return Response(status_code=400)

    return handled


def if_new(request: Request, shown: dict[str, Any]) -> Response:
    """Answers with what a page shows, or with nothing where that has not changed."""
    if request.query_params.get("version") == shown["version"]:
        return Response(status_code=204, headers=NO_STORE)
    return JSONResponse(in_language(shown), headers=NO_STORE)


async def body_of(request: Request, limit: int = MAX_PHONE_BODY) -> dict[str, Any]:
    """Reads what was sent.

    Raises:
        RoomError: where it is too much, or no JSON object.
    """
    data = b""
    try:
        async with asyncio.timeout(MAX_BODY_SECONDS):
            async for part in request.stream():
                data += part
                if len(data) > limit:
                    raise RoomError(Sentence("That is too long: write less."))
    except TimeoutError:
        raise RoomError(Sentence("It did not come whole: press again.")) from None
    try:
        sent = json.loads(data or b"{}")
    except (ValueError, RecursionError):
        sent = None
    if not isinstance(sent, dict):
        raise RoomError(Sentence("That cannot be read: load the page again."))
    return sent


def text_in(sent: dict[str, Any], name: str) -> str:
    """Returns a text that was sent under a name; empty where none was."""
    text = sent.get(name, "")
    return text.encode("utf-8", "ignore").decode() if isinstance(text, str) else ""
