"""The page that checks a class's network and devices, by itself and in a browser."""

import json
from urllib.parse import quote

import pytest
from playwright.sync_api import Browser, Page, expect
from starlette.applications import Starlette

from pages.lessons.classroom import check
from pages.lessons.classroom.address import reach
from pages.lessons.classroom.check import KEPT_SECONDS, MAX_DEVICES, Devices
from tests.driving.harness import Server
from tests.frame.accessibility import violations
from tests.frame.asgi import Answered, ask

SCHOOL = "http://192.0.2.7:8501/check"


@pytest.fixture(autouse=True)
def devices(monkeypatch: pytest.MonkeyPatch) -> Devices:
    monkeypatch.setattr(check, "_devices", new := Devices())
    return new


def report(body: object) -> Answered:
    app = Starlette(routes=list(check.routes("")))
    return ask(app, "/check/report", {}, "POST", json.dumps(body).encode())


def test_devices_are_counted_once_by_their_newest_report_and_forgotten() -> None:
    now = [0.0]
    seen = Devices(lambda: now[0])
    seen.report("a", ["storage", "clock"])
    seen.report("a", ["clock"])
    seen.report("b", ["clock"])
    assert seen.count() == (2, {"clock": 2})
    now[0] = KEPT_SECONDS + 1
    seen.report("b", [])
    assert seen.count() == (1, {})


def test_no_more_devices_are_kept_than_the_limit_and_the_oldest_go_first() -> None:
    seen = Devices()
    for number in range(MAX_DEVICES + 5):
        seen.report(str(number), ["clock"] if number < 5 else [])
    assert seen.count() == (MAX_DEVICES, {})


@pytest.mark.parametrize(
    "body",
    [
        [],
        {},
        {"device": "", "faults": []},
        {"device": "x" * 25, "faults": []},
        {"device": 7, "faults": []},
        {"device": "a"},
        {"device": "a", "faults": "clock"},
        {"device": "a", "faults": ["<b>"]},
        {"device": "a", "faults": [[]]},
        {"device": "a", "faults": ["clock", "clock"]},
        {"device": "a", "faults": [None]},
    ],
)
def test_what_is_no_report_is_refused_and_counts_nothing(body: object, devices: Devices) -> None:
    answer = report(body)
    assert (answer.status, devices.count()) == (409, (0, {}))
    assert "Traceback" not in answer.text


def test_a_report_is_counted(devices: Devices) -> None:
    assert report({"device": "a", "faults": ["speed"]}).status == 200
    assert devices.count() == (1, {"speed": 1})


@pytest.mark.parametrize(
    ("url", "address", "is_reached"),
    [
        (SCHOOL, SCHOOL, True),
        (
            "https://tokens.school.example/base/check",
            "https://tokens.school.example/base/check",
            True,
        ),
        ("http://[2001:db8::7]:8501/check", "http://[2001:db8::7]:8501/check", True),
        ("http://localhost:8501/check", "http://localhost:8501/check", False),
        ("http://127.0.0.1:8501/check", "http://127.0.0.1:8501/check", False),
        ("http://[::1]/check", "http://[::1]/check", False),
    ],
)
def test_phones_are_told_the_address_by_which_the_page_was_opened(
    url: str, address: str, is_reached: bool
) -> None:
    found, remedy = reach(url, "/check")
    assert found == address
    assert (remedy is None) == is_reached
    assert is_reached or "one-token --host" in str(remedy)


@pytest.mark.parametrize(
    "at", ["", "x" * 301, "javascript:alert(1)", "http://", "http://[::1", "http://a:99999/", "ö"]
)
def test_what_is_no_address_is_refused_in_a_sentence(at: str) -> None:
    app = Starlette(routes=list(check.routes("")))
    scope_path = f"/check/state?at={quote(at)}"
    assert ask_with_query(app, scope_path).status == 409


def ask_with_query(app: Starlette, path: str) -> Answered:
    """Asks for an address with a query, which `ask` leaves out."""

    async def with_query(scope, receive, send):  # type: ignore[no-untyped-def] # an ASGI app
        name, _, query = path.partition("?")
        await app({**scope, "path": name, "query_string": query.encode()}, receive, send)

    return ask(with_query, path.partition("?")[0], {})


def test_the_state_has_a_picture_only_where_phones_reach_the_server() -> None:
    app = Starlette(routes=list(check.routes("")))
    shown = json.loads(ask_with_query(app, f"/check/state?at={quote(SCHOOL)}").text)
    assert shown["picture"].startswith("data:image/svg+xml")
    assert (shown["address"], shown["remedy"], shown["n_devices"]) == (SCHOOL, None, 0)
    local = json.loads(ask_with_query(app, "/check/state?at=http://localhost:8501/check").text)
    assert local["picture"] is None


# in a browser


def failed(page: Page) -> list[str]:
    expect(page.locator("#checks li")).to_have_count(5, timeout=20_000)
    found: list[str] = page.locator("#checks .fault").evaluate_all(
        "rows => rows.map((row) => row.dataset.check)"
    )
    return found


@pytest.mark.browser
def test_a_device_passes_and_each_fault_is_found(browser: Browser, server: Server) -> None:
    window = browser.new_context()
    page = window.new_page()
    page.goto(f"{server.url}/check")
    assert failed(page) == []
    expect(page.locator("#devices")).to_contain_text("1 device opened", timeout=10_000)
    assert not violations(page)
    faults = {
        "storage": "Storage.prototype.setItem = () => {};",  # and says nothing of it
        "clock": "const own = Date.now; Date.now = () => own() - 3_600_000;",
        "connection": "WebSocket = class extends EventTarget { constructor() { super();"
        " setTimeout(() => this.onerror(), 50); } close() {} };",
        "browser": "delete Document.prototype.adoptedStyleSheets;",
    }
    other = window.new_page()
    coarse = "performance.now = () => Math.floor((Date.now() / 1e6) % 1) * 1e6;"
    other.add_init_script(coarse + "".join(faults.values()))
    other.goto(f"{server.url}/check")
    assert set(failed(other)) == faults.keys()
    expect(other.locator("[data-check=speed]")).to_contain_text("less than 100")
    expect(page.locator("#devices")).to_contain_text("Clock: 1", timeout=10_000)
    window.close()
