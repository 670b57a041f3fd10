"""By which names the server answers, to whom it refuses, and whose scripts its pages run."""

import asyncio
from typing import Any

import pytest
from playwright.sync_api import Page, expect
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.types import Message, Receive, Scope, Send
from streamlit import config

from pages.frame.guard import Guard, hashes_of, is_ours
from tests.driving.harness import Witness
from tests.frame.asgi import ask, run_apart

OURS = (
    *("localhost", "localhost:8501", "127.0.0.1:8501", "[::1]:8501", "192.168.1.7:8501"),
    *(
        "teacher-laptop:8501",
        "teacher.local",
        "app.localhost:1",
        "10.0.0.3",
        "LOCALHOST.",
        "pc.lan",
    ),
)
STRANGERS = (
    *("evil.example", "evil.example:8501", "127.0.0.1.evil.example", "localhost.evil.example"),
    *("evil.example.", "", "a.b", "127.0.0.1.nip.io:8501", "evil.example:x", "x@evil.example"),
)


@pytest.mark.parametrize("host", OURS)
def test_a_server_answers_by_its_address_and_by_local_names(host: str) -> None:
    assert is_ours(host)
    assert ask(Guard(PlainTextResponse("hello")), "/", {"host": host}).status == 200


@pytest.mark.parametrize("host", STRANGERS)
def test_no_name_that_a_stranger_can_point_here_is_answered(host: str) -> None:
    answered = ask(Guard(PlainTextResponse("hello")), "/", {"host": host})
    assert answered.status == 421
    assert answered.text.count("\n") == 1
    assert len(answered.text) < 300
    sent: list[Message] = []

    async def send(message: Message) -> None:
        sent.append(message)

    async def receive() -> Any:
        return {"type": "websocket.connect"}

    scope = {"type": "websocket", "headers": [(b"host", host.encode())]}
    run_apart(Guard(PlainTextResponse("hello"))(scope, receive, send))
    assert [message["type"] for message in sent] == ["websocket.close"]


def test_an_operator_says_which_names_are_theirs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(config, "get_option", lambda _: ["school.example", "*.lab.example"])
    assert is_ours("school.example:443")
    assert is_ours("a.lab.example")
    assert not is_ours("localhost:8501")
    assert not is_ours("evil.example")


@pytest.mark.parametrize(
    ("said", "ancestors"),
    [
        ("", "'self'"),
        ("*", "'self' *"),
        ("https://a.example, https://b.example", "'self' https://a.example https://b.example"),
        ("*; script-src *", "'self' * script-src *"),
    ],
)
def test_frames_are_those_of_the_operator(
    monkeypatch: pytest.MonkeyPatch, said: str, ancestors: str
) -> None:
    monkeypatch.setenv("ONE_TOKEN_EMBED_IN", said)
    headers = ask(Guard(PlainTextResponse("hello")), "/", {"host": "localhost"}).headers
    assert headers["content-security-policy"].split(";")[0] == f"frame-ancestors {ancestors}"
    assert headers["x-content-type-options"] == "nosniff"


@pytest.mark.parametrize("host", ["localhost:8501", "evil; script-src *", "a b"])
def test_scripts_are_the_server_s_own_whoever_asks(
    host: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pages.frame.guard.is_ours", lambda _: True)
    headers = ask(Guard(PlainTextResponse("hello")), "/", {"host": host}).headers
    parts = [part.split() for part in headers["content-security-policy"].split(";")]
    policy = {name: sources for name, *sources in parts}
    (script,) = [source for source in policy["script-src"] if source.startswith("'sha256-")]
    assert policy["script-src"] == ["'self'", "blob:", "'wasm-unsafe-eval'", script]
    assert policy["default-src"] == ["'self'"]
    is_plain = host == "localhost:8501"
    assert policy["connect-src"] == ["'self'", f"ws://{host}", f"wss://{host}"][: 1 + 2 * is_plain]


def test_only_scripts_that_stand_in_a_page_are_named() -> None:
    one, two = "<script>let a = 1;</script>", "<script>\nlet b;\n</script>"
    assert hashes_of(f"<p>{one}</p>{two}").split() == [hashes_of(one), hashes_of(two)]
    assert hashes_of('<script src="x.js"></script>') == ""


@pytest.mark.parametrize(
    ("parts", "status"),
    [([b"half", b"whole"], 200), ([b"half", "hangs up"], None), ([b"half", "waits"], 408)],
)
def test_who_sends_half_is_no_error_of_the_server_and_is_not_waited_for(
    parts: list[bytes | str], status: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pages.frame.guard.MAX_PAUSE", 0.1)
    left, sent = list(parts), list[Message]()

    async def receive() -> Any:
        part = left.pop(0)
        if part == "waits":
            await asyncio.sleep(60)
        if isinstance(part, str):
            return {"type": "http.disconnect"}
        return {"type": "http.request", "body": part, "more_body": bool(left)}

    async def send(message: Message) -> None:
        sent.append(message)

    async def read_all(scope: Scope, receive: Receive, send: Send) -> None:
        body = await Request(scope, receive).body()
        await PlainTextResponse(body)(scope, receive, send)

    scope = {"type": "http", "method": "PUT", "headers": [(b"host", b"localhost")]}
    run_apart(Guard(read_all)(scope, receive, send))
    assert [m["status"] for m in sent if "status" in m] == ([] if status is None else [status])


INJECTED = """() => {
  const run = (tag, more) => document.body.append(Object.assign(document.createElement(tag), more));
  window.ran = [];
  run("script", { textContent: "ran.push('inline')" });
  run("script", { src: "data:text/javascript,ran.push('data')" });
  run("script", { src: "http://127.0.0.1:9/x.js" });
  run("p", { innerHTML: '<img src="x:" onerror="ran.push(1)">' });
  run("a", { href: "javascript:ran.push('link')" });
  document.body.lastChild.click();
  setTimeout("ran.push('text')");
  return new Promise((resolve) => setTimeout(() => resolve(ran), 300));
}"""


@pytest.mark.browser
@pytest.mark.parametrize("path", ["/glossary", "/room", "/nowhere"])
def test_no_script_that_is_put_in_runs(page: Page, url: str, path: str, witness: Witness) -> None:
    """What is the server's own runs: no browser test may meet a message of this kind."""
    page.goto(f"{url}{path}")
    if path == "/nowhere":
        expect(page.get_by_role("dialog")).to_be_visible()  # the console is told of it, too
    witness.errors.clear()
    assert page.evaluate(INJECTED) == []
    assert sum("The page’s policy refuses" in error for error in witness.errors) >= 5
    witness.errors.clear()
    witness.outside.clear()


def test_a_page_s_own_policy_stays() -> None:
    own = PlainTextResponse("phone", headers={"Content-Security-Policy": "default-src 'none'"})
    headers = ask(Guard(own), "/", {"host": "localhost"}).headers
    assert headers["content-security-policy"] == "default-src 'none'"


@pytest.mark.parametrize(
    ("kind", "has_policy"),
    [("text/html", True), ("image/svg+xml", True), ("text/javascript", False), ("text/css", False)],
)
def test_what_is_part_of_a_page_bears_no_policy_of_its_own(kind: str, has_policy: bool) -> None:
    answered = ask(Guard(PlainTextResponse("", media_type=kind)), "/", {"host": "localhost"})
    assert ("content-security-policy" in answered.headers) is has_policy
