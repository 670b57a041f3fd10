"""What the class looks at: one page that asks for the room, and the picture of its address.

It needs no secret, as it shows nothing that is not for the class.
"""

import io

import segno
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from model.classroom.limits import MAX_ADDRESS
from model.classroom.members import RoomError
from model.classroom.room import Room
from model.classroom.rooms import find_room
from model.sentences import Sentence
from pages.lessons.classroom.wire import NO_STORE, if_new, in_one_sentence, showing
from viz.palette import code


@in_one_sentence
async def state(request: Request) -> Response:
    """Answers with what the projector shows."""
    room = _room(request)
    await close_in_time(room)
    return if_new(request, room.screen())


async def close_in_time(room: Room) -> None:
    """Shows the votes of a question whose time is over: nobody has to press."""
    if room.teacher is not None and room.teacher.is_time_over:
        await run_in_threadpool(room.teacher.close)


@in_one_sentence
async def picture(request: Request) -> Response:
    """Answers with a room's address as a QR code: dark on light, as cameras read it best."""
    _room(request)
    address = request.query_params.get("at", "")
    if not 0 < len(address) <= MAX_ADDRESS:
        raise RoomError(Sentence("That is no address of a room."))
    drawn = io.BytesIO()
    tones = {"dark": code("ink", "light"), "light": code("paper", "light")}
    segno.make(address, micro=False).save(drawn, kind="svg", border=2, **tones)
    return Response(drawn.getvalue(), media_type="image/svg+xml", headers=NO_STORE)


def _room(request: Request) -> Room:
    """Returns the room that is asked for; who was shown a version of it has been there."""
    seen = request.query_params.get("version", "")
    return find_room(request.path_params["code"], seen)


def routes(base: str) -> tuple[Route, ...]:
    """Returns what a projector asks, below the server's base path."""
    screen = f"{base}/room/{{code}}/projector"
    return (
        Route(screen, showing("projector", base)),
        Route(f"{screen}/state", state),
        Route(f"{screen}/qr.svg", picture),
    )
