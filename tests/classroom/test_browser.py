"""A teacher and two phones on the app's own server: join, answer, close, append, reload."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from benchmarks.harness import Witness, by_key, visit, wait_idle
from benchmarks.home_page import PATIENCE
from tests.frame.accessibility import (
    assert_accessible,
    assert_accessible_to_all,
    forget_first_requests,
)

pytestmark = pytest.mark.browser


def call(url: str, phone: str = "", body: Any = None) -> tuple[int, Any]:
    """Speaks to the server as a phone does; returns status and what was told."""
    data = None if body is None else body if isinstance(body, bytes) else json.dumps(body).encode()
    request = urllib.request.Request(url, data, {"x-phone": phone})
    try:
        with urllib.request.urlopen(request, timeout=10) as answer:
            told = answer.read()
            return answer.status, json.loads(told) if told else None
    except urllib.error.HTTPError as error:
        return error.code, json.loads(error.read())


@pytest.fixture
def room(page: Page, url: str, witness: Witness) -> str:
    """A room that was just opened on the teacher's page; its address."""
    visit(page, f"{url}/classroom")
    forget_first_requests(witness)
    assert_accessible(page)
    by_key(page, "classroom_open").get_by_role("button").click()
    code = page.locator("[data-testid=stHtml] b").first
    expect(code).to_be_visible(timeout=PATIENCE)
    assert_accessible_to_all(page)
    page.set_viewport_size({"width": 1280, "height": 800})
    return f"{url}/room/{code.inner_text()}"


def press(page: Page, key: str) -> None:
    by_key(page, key).get_by_role("button").click()


def predict_a_number(page: Page, phone: Page) -> None:
    page.get_by_role("button", name="A question of your own").click()
    options = page.get_by_role("textbox", name="Answers, one a line")
    options.fill("")
    options.press("Control+Enter")
    press(page, "classroom_choice")
    field = phone.locator("#word")
    expect(field).to_have_attribute("type", "number", timeout=PATIENCE)
    field.fill("12.5")
    phone.locator("#write button").click()
    expect(page.get_by_text("1 of 1 have answered")).to_be_visible(timeout=PATIENCE)
    press(page, "classroom_close")
    expect(by_key(page, "classroom_votes")).to_be_visible(timeout=PATIENCE)


def test_a_round_with_phones_and_a_teacher_who_reloads(
    page: Page, window: BrowserContext, room: str, witness: Witness
) -> None:
    phone = window.new_page()
    phone.goto(room)
    phone.locator("#name").fill("Ada")
    phone.locator("#join button").click()
    expect(phone.locator("#text")).to_have_text("The cat sat on the")
    press(page, "classroom_next")
    options = phone.locator("#options button")
    expect(options).to_have_count(5, timeout=PATIENCE)
    options.nth(1).click()
    expect(options.nth(1)).to_have_attribute("aria-pressed", "true")
    expect(page.get_by_text("1 of 1 have answered")).to_be_visible(timeout=PATIENCE)

    phone.reload()  # keeps its place and its answer
    expect(options.nth(1)).to_have_attribute("aria-pressed", "true", timeout=PATIENCE)
    press(page, "classroom_close")
    expect(by_key(page, "classroom_class")).to_be_visible(timeout=PATIENCE)
    expect(options.nth(1)).to_be_disabled(timeout=PATIENCE)
    press(page, "classroom_append_draw")
    expect(by_key(page, "classroom_score")).to_contain_text("Ada", timeout=PATIENCE)
    expect(phone.locator("#revealed")).not_to_be_empty(timeout=PATIENCE)
    text = phone.locator("#text").inner_text()
    assert text.startswith("The cat sat on the")
    assert len(text) > len("The cat sat on the")

    predict_a_number(page, phone)
    for path, body in NO_PHONE_SENDS:
        status, told = call(f"{room}/{path}", "stranger", body)
        assert (status, told["error"][-1]) == (409, "."), (path, body)

    page.reload()
    wait_idle(page)
    forget_first_requests(witness)
    shown = page.get_by_test_id("stHtml").filter(has_text="The cat sat on the")
    expect(shown).to_be_visible(timeout=PATIENCE)
    assert shown.inner_text().replace("␣", " ").strip() == text
    link = phone.locator("#over").get_attribute("href")
    assert link is not None
    assert link.startswith("/?")
    phone.goto(room.partition("/room")[0] + link)
    wait_idle(phone)
    expect(phone.locator(".token")).to_have_count(7, timeout=PATIENCE)  # start, five, and one
    hold = by_key(phone, "live").get_by_role("checkbox", name="Hold")
    expect(hold).to_be_checked()
    by_key(phone, "live").get_by_role("button", name="Next", exact=True).click()
    phone.wait_for_function("location.search.includes('run=2')", timeout=PATIENCE)
    assert "hold=1" in phone.url


NO_PHONE_SENDS = [
    ("join", b"{"),
    ("join", b"[" * 1999),
    ("join", b"x" * 10_000),
    ("join", [1]),
    ("answer", {"number": "one", "option": 0}),
    ("answer", {"number": 1, "option": "first"}),
    ("answer", {"number": 1, "option": 0, "confidence": "very"}),
    ("answer", {"number": 1, "option": 0}),
    ("state", None),
]


def test_what_no_phone_sends_gets_one_sentence(url: str) -> None:
    for code in ("ZZZZ", "x" * 500):
        for path, body in NO_PHONE_SENDS:
            status, told = call(f"{url}/room/{code}/{path}", "stranger", body)
            assert status == 409, (path, body)
            assert told["error"].endswith(".")
            assert len(told["error"]) < 300


def test_a_phone_of_no_room_is_asked_for_the_code(page: Page, url: str, witness: Witness) -> None:
    page.goto(f"{url}/room/ZZZZ")
    page.locator("#join button").click()
    expect(page.locator("#error")).not_to_be_empty()
    expect(page.locator("#code")).to_have_value("ZZZZ")
    witness.errors.clear()  # the browser says that the answer was a refusal
