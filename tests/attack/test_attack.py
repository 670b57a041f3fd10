"""Whatever is put in, the answer is right or one short sentence, soon, and nothing is lost."""

import asyncio
import dataclasses
import json
import re
import shutil
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from starlette.applications import Starlette
from streamlit.testing.v1 import AppTest

from model.classroom.limits import JOINING_SECONDS, MAX_PHONES
from model.classroom.members import RoomError
from model.classroom.records import Answer
from model.classroom.room import Room
from model.classroom.rooms import find_room
from model.constraints.decoding import Constraint
from model.constraints.patterns import Form
from model.loading import LanguageModel, LoadError, load_model
from model.machine import child as child_process
from model.machine.child import Child, EndedError
from model.server.opening import open_server
from model.tokenizing import encode
from model.weights import check, shapes
from pages.frame import models, offers
from pages.home.tab import Tab
from pages.lessons.classroom import desk, phone, projector, wrong_codes
from pages.lessons.classroom.state import open_class
from tests.attack.cases import (
    ANSWERS,
    ASKED_MODELS,
    BIG,
    CARDS,
    CONSTRAINTS,
    EVENTS,
    FOLDERS,
    LINKS,
    RECORDS,
    REQUESTS,
    ROOM_REQUESTS,
    SAVED,
    SHAPES,
    TEMPLATES,
    WORDS,
    Change,
)
from tests.driving.harness import Server
from tests.driving.in_page import InPage
from tests.driving.visitor import Visitor
from tests.frame.asgi import ask
from tests.frame.driving import offered, offered_of_itself, open_home, opened
from tests.home.home_text import request as text_request
from tests.home.home_text import write
from tests.home.page_session import PageSession
from tests.nightly import by_night
from tests.server.fake_vllm import FakeVllm
from tests.tiny_models import bare_model, save, tiny, tokenizer

MAX_SENTENCE = 300
PATIENCE_SECONDS = 10


def is_short(said: str) -> bool:
    """Whether this is one line of a few words that ends, with no folder of the server in it."""
    is_line = "\n" not in said and said.endswith(".") and 0 < len(said) <= MAX_SENTENCE
    return is_line and "Traceback" not in said and "/tmp/" not in said


def assert_said(session: PageSession, word: str) -> None:
    """What a reader is told holds a word, and is nothing or short."""
    assert word in session.notice
    assert not session.notice or is_short(session.notice)


def go_on(session: PageSession) -> None:
    """Presses Next, which works as ever."""
    n_before = len(session.ids)
    assert session.do("next").notice == ""
    assert len(session.ids) == n_before + 1


@pytest.fixture(autouse=True)
def _soon(request: pytest.FixtureRequest) -> Iterator[None]:
    """Every answer comes in time, as far as this process is busy with it.

    What a page does of itself when it is opened for the first time is none of a link's work.
    """
    case = getattr(request.node, "callspec", None)
    page = case.params.get("page", "generate") if case else "generate"
    if page != "generate":
        offered_of_itself(page)
    started = time.process_time()
    yield
    assert time.process_time() - started < PATIENCE_SECONDS


LESSONS_BY_DAY = {"beam_search", "futures", "causal_mask", "sampling"}


@pytest.mark.parametrize(
    ("page", "link", "says"),
    by_night(LINKS, [one for one in LINKS if one[0] in {"generate"} | LESSONS_BY_DAY]),
)
def test_a_link(page: str, link: dict[str, str], says: str, in_page: InPage) -> None:
    app = open_home(**link) if page == "generate" else opened(page, **link)
    alerts = [alert.value for alert in (*app.warning, *app.error)]
    if page == "generate":
        session = PageSession(in_page, app.session_state["reader"].lm, **link)
        for command in app.session_state["reader"].commands:
            session.do(**command)
        alerts += [session.notice]
        go_on(session)
    else:
        followed = {"tokens": link["tokens"]} if "model" in link else {}
        assert offered(app) == offered_of_itself(page) | followed
    said = " ".join(alerts).replace("\\", "")
    assert says in said
    assert not said or is_short(said)


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save(tmp_path_factory.mktemp("llama"), bare_model("llama"))


def change(path: Path, content: Change) -> None:
    """Spoils one file of a model."""
    if content is None:
        path.unlink()
    elif callable(content):
        path.write_bytes(content(path.read_bytes()))
    elif isinstance(content, dict):
        merged = json.loads(path.read_text()) | content
        path.write_text(json.dumps({key: x for key, x in merged.items() if x is not None}))
    else:
        path.write_bytes(content if isinstance(content, bytes) else content.encode())


@pytest.mark.parametrize(("files", "says"), FOLDERS)
def test_a_folder(
    good: Path,
    tmp_path: Path,
    files: dict[str, Change],
    says: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(check, "_TRIAL_SECONDS", 2.0)
    folder = shutil.copytree(good, tmp_path / "model")
    for name, content in files.items():
        change(folder / name, content)
    with pytest.raises(LoadError) as caught:
        load_model(str(folder), "cpu", is_guarded=True)
    assert says in str(caught.value)
    assert is_short(str(caught.value))


def test_a_child_that_waits_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    assert child_process.MAX_IDLE_SECONDS < PATIENCE_SECONDS
    monkeypatch.setattr(child_process, "MAX_IDLE_SECONDS", 1.0)
    with (
        Child("tests.attack.waiting", seconds=600) as child,
        pytest.raises(EndedError, match="it did nothing for 1 s"),
    ):
        child.ask()


def test_a_child_that_ends_itself_was_not_out_of_time() -> None:
    with (
        Child("tests.attack.exiting", seconds=600) as child,
        pytest.raises(EndedError, match="it ended the process"),
    ):
        child.ask()


def test_what_a_child_imports_is_no_part_of_a_question_s_time() -> None:
    with Child("tests.attack.rehearsing", seconds=0.5) as child:
        assert child.ask(seconds=0) == 0
        with pytest.raises(EndedError, match="it took more than"):
            child.ask(seconds=1)


@pytest.mark.parametrize(("template", "says"), TEMPLATES)
def test_a_chat_template(template: str, says: str, in_page: InPage) -> None:
    words = tokenizer(chat_template=template)
    lm = dataclasses.replace(tiny("llama"), name="m", tokenizer=words, has_chat_template=True)
    session = PageSession(in_page, lm, "the cat", chat="1")
    assert re.search(rf"failed \(.*({says})", session.notice)
    assert is_short(session.notice)
    assert not session.header["chat"]
    assert session.ids == encode(lm, "the cat")


@pytest.mark.parametrize(("kind", "source", "says"), CONSTRAINTS)
def test_a_constraint(kind: Form, source: str, says: str) -> None:
    with pytest.raises(ValueError, match=says) as caught:
        Constraint(tiny("llama"), kind, source)
    assert is_short(str(caught.value))


@pytest.mark.parametrize(("text", "says"), SHAPES)
def test_a_pasted_config(text: str, says: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shapes, "_PASTED_SECONDS", 2.0)
    with pytest.raises(ValueError, match=says) as caught:
        shapes.read_shape(text)
    assert is_short(str(caught.value))


@pytest.mark.parametrize(("event", "says"), EVENTS)
def test_an_event(
    in_page: InPage, storyteller: LanguageModel, event: dict[str, Any], says: str
) -> None:
    session = PageSession(in_page, storyteller, "The cat sat on the")
    go_on(session)
    before = [session.header[name] for name in ("ids", "controls", "prompt", "seed", "chat")]
    session.do(**event)
    assert_said(session, says)
    after = [session.header[name] for name in ("ids", "controls", "prompt", "seed", "chat")]
    assert after == before
    go_on(session)


@pytest.mark.parametrize(("fields", "says"), REQUESTS)
def test_a_request(storyteller: LanguageModel, fields: dict[str, Any], says: str) -> None:
    """What no page of ours asks gets a sentence, and no pass."""
    tab = Tab(storyteller)
    ids = write(tab, "The cat sat on the", 2)
    before = [text.last_pass for text in tab.texts.generations]
    with pytest.raises(ValueError, match=says) as caught:
        tab.answer(text_request(ids, 6) | {"kind": "step", "count": 1, "next_seed": 0} | fields)
    assert is_short(str(caught.value))
    assert [text.last_pass for text in tab.texts.generations] == before
    assert write(tab, "The cat sat on the", 2) == ids


@pytest.fixture(scope="module")
def vllm(storyteller: LanguageModel) -> Iterator[FakeVllm]:
    fake = FakeVllm(storyteller)
    yield fake
    fake.kill()


@pytest.mark.parametrize(("card", "says"), CARDS)
def test_a_card_of_a_server(vllm: FakeVllm, card: str, says: str) -> None:
    vllm.trouble = [card]
    with pytest.raises(LoadError, match=says) as caught:
        open_server(vllm.url)
    assert is_short(str(caught.value))


@pytest.mark.parametrize(("answer", "says"), ANSWERS)
def test_an_answer_of_a_server(in_page: InPage, vllm: FakeVllm, answer: str, says: str) -> None:
    session = PageSession(in_page, open_server(vllm.url), "The cat sat on the")
    before = session.ids
    vllm.trouble = [answer]
    session.do("next")
    assert_said(session, says or ".")
    assert session.ids == before
    go_on(session)


@pytest.fixture
def session(in_page: InPage, storyteller: LanguageModel) -> PageSession:
    """What a reader has who has just pressed Next three times."""
    session = PageSession(in_page, storyteller, "The cat sat on the")
    for _ in range(3):
        go_on(session)
    return session


@pytest.mark.parametrize(("changes", "says"), RECORDS)
def test_a_record_of_a_tab(in_page: InPage, session: PageSession, changes: Any, says: str) -> None:
    session.do("branch", position=len(session.ids) - 1).do("switch", id=0)
    before = session.ids
    record: Any = changes
    if isinstance(changes, dict):
        record = in_page("kept")
        record["branches"][-1] |= changes.get("last", {})
        record |= {key: value for key, value in changes.items() if key != "last"}
    in_page("keep", record=record)
    session = PageSession(in_page, session.tab.lm, "The cat sat on the", run="3")
    assert_said(session, says)
    assert session.ids == before, "from the record, or from the address"
    for text in session.header["branches"]:  # what was read may still be no text of this model
        session.do("switch", id=text["id"])
        assert_said(session, "")
    go_on(session.do("prompt", text="Once upon a time"))


@pytest.fixture(scope="module")
def home() -> AppTest:
    return open_home()


@pytest.mark.parametrize(("name", "says"), ASKED_MODELS)
def test_a_model_that_the_page_asks_for(home: AppTest, name: str, says: str) -> None:
    tab = home.session_state["reader"]
    home.session_state["page_asks"] = name
    home.run()
    assert not home.exception
    said = tab.commands[-1]["text"]
    assert re.search(says, said)
    assert is_short(said)
    assert tab.lm.name == "storyteller"


@pytest.mark.parametrize(("query", "says"), SAVED)
def test_a_saved_run(session: PageSession, query: str, says: str) -> None:
    before = session.ids
    session.do("open run", text=json.dumps({"link": query}))
    assert_said(session, says)
    assert before in [session.ids, *(text["ids"] for text in session.header["branches"])]
    go_on(session)


@pytest.mark.parametrize(("sent", "shown"), WORDS)
def test_what_a_phone_writes(sent: str, shown: str) -> None:
    room = Room("BCDF", "key")
    room.join(shown)
    phone = room.join("Bo")
    number = room.ask("choice", "Which?", [], may_write=True).number
    with pytest.raises(RoomError) as refused:
        room.join(sent) if shown else room.answer(phone, number, Answer(None, sent, 1))
    assert is_short(str(refused.value))
    if shown:
        room.answer(phone, number, Answer(None, sent, 1))
        assert [word[: len(shown)] for word, _ in room.close().words] == [shown]


def test_nobody_fills_a_room_with_phones_that_never_ask() -> None:
    now = [0.0]
    room = Room("BCDF", "key", lambda: now[0])
    here = room.join("Ada")
    for _ in range(MAX_PHONES - 1):
        room.join()
    now[0] += 2 * JOINING_SECONDS
    room.view(here)
    for i in range(MAX_PHONES - 1):
        room.view(room.join(f"p{i}"))
    assert room.n_people == MAX_PHONES
    room.view(here)


@pytest.mark.parametrize(("path", "body", "says"), ROOM_REQUESTS)
def test_a_stranger_at_the_class_s_own_address(
    storyteller: LanguageModel,
    path: str,
    body: object,
    says: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(wrong_codes, "WRONG_SECONDS", 0.0)
    opened = open_class(storyteller)
    room, routes = opened.room, [*phone.routes(""), *projector.routes(""), *desk.routes("")]
    app, ada = Starlette(routes=routes), room.join("Ada")

    def answered(path: str, body: object, **headers: str) -> dict[str, Any]:
        """Asks from one address of all, whatever the headers say of it."""
        sent, method = json.dumps(body).encode(), "GET" if body is None else "POST"
        answer = ask(app, f"/room/{path.format(code=room.code)}", headers, method, sent)
        return dict(json.loads(answer.text))

    for i in range(150):
        answer = answered(path, body, **{"x-forwarded-for": f"198.51.100.{i}", "x-phone": "no"})
        assert says in answer.get("error", "")
    assert not says or is_short(answer["error"])
    pupils = [answered("{code}/join", {"name": f"p{i}"})["token"] for i in range(30)]
    for token in (ada, *pupils):
        assert answered("{code}/state", None, **{"x-phone": token})["text"] == room.text
    assert answered("{code}/desk/state", None, **{"x-desk": room.key})["n_presses"] == 0
    other = open_class(storyteller)
    assert find_room(other.room.code) is other.room
    for each in (opened, other):
        each.end()


ALONE, OPEN = "127.0.0.1", "0.0.0.0"
PROXIED, NAMED = "behind a proxy that is named", "behind one, by a name that is allowed"


@pytest.mark.parametrize(
    ("address", "listed", "root", "name", "opens"),  # what is opened; None where it is refused
    [
        (ALONE, "", "", "some/model", "some/model"),
        (ALONE, "", "", "{here}/in/m", "{here}/in/m"),
        (ALONE, "scribbler", "", "some/model", None),
        (ALONE, "scribbler", "", "{here}/in/m", None),
        (ALONE, "", "{here}/in", "{here}/out", None),
        ("127.0.0.1.evil", "", "", "some/model", None),
        (PROXIED, "", "", "unmasker", "unmasker"),
        (PROXIED, "", "", "some/model", None),
        (PROXIED, "", "", "{here}/in/m", None),
        (NAMED, "", "", "some/model", None),
        (NAMED, "", "", "{here}/in/m", None),
        (OPEN, "", "", "unmasker", "unmasker"),
        (OPEN, "", "", "some/model", None),
        (OPEN, "", "", "{here}/in/m", None),
        (OPEN, "", "", "/etc/passwd", None),
        (OPEN, "a/b,c/d", "", "c/d", "c/d"),
        (OPEN, "a/b,c/d", "", "some/model", None),
        (OPEN, "any", "", "some/model", "some/model"),
        (OPEN, "any", "", "{here}/in/m", None),
        (OPEN, "{here}/in/m", "", "m", "{here}/in/m"),
        (OPEN, "{here}/in/m", "", "{here}/in/m", "{here}/in/m"),
        (OPEN, "", "{here}/in", "m", "{here}/in/m"),
        (OPEN, "", "{here}/in", "{here}/in/m", "{here}/in/m"),
        (OPEN, "", "{here}/in", "../out", None),
        (OPEN, "", "{here}/in", "link", None),
        (OPEN, "", "{here}/in", ".", None),
        (OPEN, "", "{here}/in", "some/model", None),
        (OPEN, "", "{here}/in", "\ud800", None),
        (OPEN, "", "{here}/in", "m\0", None),
        (OPEN, "", "{here}/in", BIG, None),
    ],
)
def test_who_may_open_what(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    address: str,
    listed: str,
    root: str,
    name: str,
    opens: str | None,
) -> None:
    for folder in ("in/m", "out"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "in/link").symlink_to(tmp_path / "out")
    here = {"here": str(tmp_path)}
    monkeypatch.setenv("ONE_TOKEN_MODELS", listed.format(**here))
    monkeypatch.setenv("ONE_TOKEN_FOLDER", root.format(**here))
    names = ["tokens.school.example"] if address == NAMED else []
    of_server = {"server.address": ALONE if address in (NAMED, PROXIED) else address}
    monkeypatch.setattr(offers.st.config, "get_option", lambda name: of_server.get(name, names))
    monkeypatch.setenv("FORWARDED_ALLOW_IPS", ALONE if address == PROXIED else "")
    if opens is None:
        with pytest.raises(LoadError, match=r"offers .* only: choose one of them") as caught:
            models.shared_model(name.format(**here))
        assert is_short(str(caught.value))
    else:
        shown, source = offers.resolve(name.format(**here))
        assert source == opens.format(**here)
        assert address == ALONE or str(tmp_path) not in shown


async def flood(url: str) -> list[float]:
    """Presses as one reader while others do what no page does; returns how long each press took."""
    async with Visitor(url, prompt="Once upon a time") as bystander:
        others = [asyncio.create_task(disturb(url, i)) for i in range(6)]
        seconds = [await bystander.do("next") for _ in range(10)]
        await asyncio.gather(*others)
        seconds += [await bystander.do("next")]
    return seconds


async def disturb(url: str, number: int) -> None:
    """Opens a link that asks too much, forges events, sends bytes that are no message, and goes."""
    async with Visitor(url, prompt="a" * 9_000, model="/etc", use=BIG) as visitor:
        forged = {"kind": "step", "ids": [number] * 10**5, "n_prompt": 1, "seed": 0}
        values: list[Any] = [[1], "x", {"kind": {}}, {"kind": BIG}, forged]
        for value in values:
            with suppress(RuntimeError):  # what is no request is refused
                await visitor.post(json.dumps(value).encode())
        if number % 2:
            await visitor.socket.send(b"\xff" * 1_000)


def test_a_flood_keeps_nobody_from_writing(server: Server) -> None:
    printed_before = len(server.log())
    with ThreadPoolExecutor(1) as alone:  # a browser's tests leave a loop in this thread
        seconds = alone.submit(asyncio.run, flood(server.url)).result()
    assert max(seconds) < PATIENCE_SECONDS
    assert server.is_healthy()
    assert "/pages/" not in server.log()[printed_before:]  # a traceback that runs through our code
