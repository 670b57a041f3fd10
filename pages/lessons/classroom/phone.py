"""What phones open: one light page of their own, and the three addresses that it asks."""

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from model.classroom.members import RoomError
from model.classroom.records import Answer
from model.classroom.room import Room
from model.classroom.rooms import find_room
from model.sentences import Sentence
from pages.frame.readers import network_of
from pages.frame.typed import as_programs_write
from pages.lessons.classroom.wire import (
    NO_STORE,
    body_of,
    if_new,
    in_one_sentence,
    showing,
    text_in,
)

TOKEN = "x-phone"  # the header that says which phone asks


@in_one_sentence
async def join(request: Request) -> Response:
    """Takes a person in; answer with the phone's token."""
    client, room, sent = request.client, _room(request), await body_of(request)
    token = room.join(text_in(sent, "name"), network_of(client and client.host))
    return JSONResponse({"token": token}, headers=NO_STORE)


@in_one_sentence
async def state(request: Request) -> Response:
    """Answers with what the phone shows."""
    room = _room(request)
    if room.closing is not None:  # whoever comes late is told that, too
        return if_new(request, room.screen())
    return if_new(request, room.view(request.headers.get(TOKEN, "")))


@in_one_sentence
async def answer(request: Request) -> Response:
    """Takes the phone's answer to the question."""
    room, token = _room(request), request.headers.get(TOKEN, "")
    room.check_phone(token)
    sent = await body_of(request)
    option, number, confidence = sent.get("option"), sent.get("number"), sent.get("confidence", 1)
    if not isinstance(number, int) or not isinstance(option, int | None):
        raise RoomError(Sentence("That answer cannot be read: press again."))
    if not isinstance(confidence, int | float):
        raise RoomError(Sentence("That confidence is no number: choose one that is offered."))
    word, question = text_in(sent, "word"), room.question
    if word and question is not None and question.kind == "number":
        word = as_programs_write(word)
    given = Answer(option, word, confidence)
    room.answer(token, number, given)
    return JSONResponse({}, headers=NO_STORE)


def _room(request: Request) -> Room:
    return find_room(request.path_params["code"], request.headers.get(TOKEN, ""))


def routes(base: str) -> tuple[Route, ...]:
    """Returns what a phone asks, below the server's base path."""
    room, page = f"{base}/room/{{code}}", showing("phone", base)
    return (
        Route(f"{base}/room", page),
        Route(room, page),
        Route(f"{room}/join", join, methods=["POST"]),
        Route(f"{room}/state", state),
        Route(f"{room}/answer", answer, methods=["POST"]),
    )
