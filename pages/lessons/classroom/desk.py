"""The teacher's desk: a page of its own, in a window or on a phone, and the presses that it sends.

Whoever has the room's key is the teacher; there are no accounts. The key stands behind the # of the
link, which no browser sends and no log keeps, and goes into a header from there.
"""

import csv
import io
from collections.abc import Callable
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from model.classroom.limits import MAX_DESK_BODY
from model.classroom.members import RoomError
from model.classroom.records import Tally
from model.classroom.room import Room
from model.classroom.rooms import find_desk
from model.sentences import Sentence
from pages.frame.typed import as_programs_write
from pages.frame.words import in_language, language
from pages.lessons.classroom.advice import advise, recommended
from pages.lessons.classroom.one_at_a_time import ENDED
from pages.lessons.classroom.projector import close_in_time
from pages.lessons.classroom.script import described, lessons, speech_of
from pages.lessons.classroom.state import SAID, Classroom
from pages.lessons.classroom.wire import (
    NO_STORE,
    body_of,
    if_new,
    in_one_sentence,
    showing,
    text_in,
)
from viz.format import guard, percent

KEY = "x-desk"  # the header that says who asks
MAX_SECONDS = 600
NO_BUTTON = Sentence("This desk has no such button: load the page again.")
MAX_WRITTEN = 12  # words that a desk lists, to remove one


@in_one_sentence
async def state(request: Request) -> Response:
    """Answers with what the desk shows; once its room is closed, how the lesson ended."""
    room = _room(request)
    if room.closing is not None:
        return if_new(request, room.screen())
    desk = _desk(request)
    room.note_page()
    room.spoken = speech_of(language())
    await close_in_time(room)
    return if_new(request, view(desk, is_first=not request.query_params.get("version")))


@in_one_sentence
async def press(request: Request) -> Response:
    """Does what was pressed, unless that was done; answers with what the desk shows then.

    A desk sends how many presses it has seen. If others were done since, it was sent twice, or
    another desk came first: nothing is done, and the desk shows why.
    """
    desk = _desk(request)
    sent = await body_of(request, MAX_DESK_BODY)
    do = PRESSES.get(text_in(sent, "do"))
    if do is None or _whole(sent, "n_presses") < 0:
        raise RoomError(NO_BUTTON)
    is_done = await run_in_threadpool(desk.press, _whole(sent, "n_presses"), lambda: do(desk, sent))
    return JSONResponse(in_language(view(desk)) | {"is_late": not is_done}, headers=NO_STORE)


@in_one_sentence
async def table(request: Request) -> Response:
    """Answers with what was asked and answered, as a file."""
    about = {"Content-Disposition": 'attachment; filename="room.csv"'} | NO_STORE
    text = to_csv(_room(request).tallies)
    return Response(text.encode("utf-8-sig"), media_type="text/csv", headers=about)


def _room(request: Request) -> Room:
    return find_desk(request.path_params["code"], request.headers.get(KEY, ""))


def _desk(request: Request) -> Classroom:
    room = _room(request)
    if not isinstance(room.teacher, Classroom):
        raise RoomError(ENDED)
    return room.teacher


def view(desk: Classroom, *, is_first: bool = False) -> dict[str, Any]:
    """Returns all that the desk shows; a fresh page is told which lessons there are."""
    text, room, script = desk.text, desk.room, desk.script.lesson
    known = {"true": text.true_id, "favourite": desk.favourite_id}
    appends = {"draw": ""}
    appends |= {how: text.words([i])[0] for how, i in known.items() if i is not None}
    shown = room.screen()
    shown |= {
        "version": f"{shown['version']}.{desk.n_presses}",
        "n_presses": desk.n_presses,
        "prompt": text.prompt,
        "thinking": room.thinking(),
        "script": described(script) if script else None,
        "place": desk.place,
        "seconds": desk.script.seconds,
        "minutes_planned": desk.script.minutes(desk.place + 1),
        "minutes_before": desk.script.minutes(max(0, desk.place)),
        "minutes_in_all": desk.script.minutes(desk.n_items),
        "right": desk.right,
        "about": desk.about,
        "can_close": room.is_open,
        "can_reveal": desk.can_reveal,
        "can_ask_again": desk.tally is not None and not desk.has_appended,
        "can_append": {} if room.is_open else appends,
        "can_go_back": bool(text.generation.steps),
        "is_revealed": desk.is_revealed,
        "is_beside": desk.votes is not None,  # what Reveal shows
        "can_count": room.question is not None and not (desk.is_revealed or desk.has_appended),
        "written": room.written()[:MAX_WRITTEN],
        "advice": advise(desk),
        "recommended": recommended(desk),
        "has_page": desk.has_page,
    }
    return shown | ({"lessons": lessons()} if is_first else {})


def to_csv(tallies: list[Tally]) -> str:
    """Writes what was asked and how often each answer was given: nobody's name is in it."""
    out = io.StringIO()
    lines = csv.writer(out)
    lines.writerow(("question", "kind", "words", "answer", "votes", "probability"))
    for tally in tallies:
        asked = tally.question
        head = (asked.number, asked.kind, guard(asked.words))
        shares = [percent(share) for share in asked.shares] or [""] * len(asked.options)
        for name, n_votes, share in zip(asked.options, tally.counts, shares, strict=True):
            lines.writerow((*head, guard(name), n_votes, share))
        for word, n_votes in tally.words:
            lines.writerow((*head, guard(word), n_votes, ""))
    return out.getvalue()


# What may be pressed, and what of it was sent


def _whole(sent: dict[str, Any], name: str) -> int:
    number = sent.get(name)
    return number if isinstance(number, int) and not isinstance(number, bool) else -1


def _seconds(sent: dict[str, Any]) -> float | None:
    seconds = min(_whole(sent, "seconds"), MAX_SECONDS)
    return float(seconds) if seconds > 0 else None


def _append(desk: Classroom, sent: dict[str, Any]) -> None:
    how = next((how for how in SAID if how == sent.get("how")), None)
    if how is None:
        raise RoomError(NO_BUTTON)
    desk.append(how)


def _own(desk: Classroom, sent: dict[str, Any]) -> None:
    words, options, right = (text_in(sent, name) for name in ("words", "options", "right"))
    if right.strip() and not options.strip():
        right = as_programs_write(right)
    desk.ask_own(words, options, right, seconds=_seconds(sent))


def _hands(desk: Classroom, sent: dict[str, Any]) -> None:
    counts = sent.get("counts")
    if not isinstance(counts, list) or not all(type(n) is int for n in counts):
        raise RoomError(Sentence("Type a whole number of hands for each answer."))
    desk.count_hands(counts, text_in(sent, "words"))


PRESSES: dict[str, Callable[[Classroom, dict[str, Any]], None]] = {
    "begin": lambda desk, sent: desk.begin(text_in(sent, "prompt"), text_in(sent, "continuation")),
    "append": _append,
    "back": lambda desk, _: desk.back(),
    "script": lambda desk, sent: desk.open_script(text_in(sent, "name")),
    "scene": lambda desk, sent: desk.show_scene(_whole(sent, "place")),
    "item": lambda desk, sent: desk.ask_item(
        _whole(sent, "place"), may_write=sent.get("may_write") is True, seconds=_seconds(sent)
    ),
    "finish": lambda desk, _: desk.show_end(),
    "page": lambda desk, sent: desk.show_page(sent.get("is_shown") is True),
    "next": lambda desk, sent: desk.ask_next(
        may_write=sent.get("may_write") is True, seconds=_seconds(sent)
    ),
    "sampler": lambda desk, sent: desk.ask_draws(seconds=_seconds(sent)),
    "own": _own,
    "again": lambda desk, _: desk.ask_again(),
    "close": lambda desk, _: desk.close(),
    "hands": _hands,
    "remove": lambda desk, sent: desk.remove_word(text_in(sent, "word")),
    "reveal": lambda desk, _: desk.reveal(),
    "end": lambda desk, _: desk.end(),
}


def routes(base: str) -> tuple[Route, ...]:
    """Returns what a desk asks, below the server's base path."""
    desk = f"{base}/room/{{code}}/desk"
    return (
        Route(desk, showing("desk", base)),
        Route(f"{desk}/state", state),
        Route(f"{desk}/press", press, methods=["POST"]),
        Route(f"{desk}/room.csv", table),
    )
