"""A teacher and a phone on the app's own server: join, answer, close, append, reload."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from benchmarks.harness import Witness, by_key, visit, wait_idle
from tests.frame.accessibility import (
    assert_accessible,
    assert_accessible_to_all,
    forget_first_requests,
)

pytestmark = pytest.mark.browser

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


def refusal(url: str, body: Any) -> str:
    """What the server says to what no phone sends."""
    data = None if body is None else body if isinstance(body, bytes) else json.dumps(body).encode()
    request = urllib.request.Request(url, data, {"x-phone": "stranger"})
    with pytest.raises(urllib.error.HTTPError) as refused:
        urllib.request.urlopen(request, timeout=10)
    assert refused.value.code == 409
    return str(json.loads(refused.value.read())["error"])


def press(page: Page, key: str) -> None:
    by_key(page, key).get_by_role("button").click()


def open_a_room(page: Page, url: str) -> str:
    """On the teacher's page; returns the room's code."""
    visit(page, f"{url}/classroom")
    assert_accessible(page)
    press(page, "classroom_open")
    code = page.locator("[data-testid=stHtml] b").first
    expect(code).to_be_visible()
    assert_accessible_to_all(page)
    page.set_viewport_size({"width": 1280, "height": 800})
    return code.inner_text()


def join(phone: Page, url: str, code: str) -> None:
    """By a code that was mistyped at first."""
    phone.goto(f"{url}/room/ZZZZ")
    phone.locator("#name").fill("Ada")
    phone.locator("#join button").click()
    expect(phone.locator("#error")).not_to_be_empty()
    expect(phone.locator("#code")).to_have_value("ZZZZ")
    phone.locator("#code").fill(code.lower())
    phone.locator("#join button").click()
    expect(phone.locator("#text")).to_have_text("The cat sat on the")


def predict_a_number(page: Page, phone: Page) -> None:
    page.get_by_role("button", name="A question of your own").click()
    options = page.get_by_role("textbox", name="Answers, one a line")
    options.fill("")
    options.press("Control+Enter")
    press(page, "classroom_choice")
    field = phone.locator("#word")
    expect(field).to_have_attribute("type", "number")
    field.fill("12.5")
    phone.locator("#write button").click()
    expect(page.get_by_text("1 of 1 have answered")).to_be_visible()
    press(page, "classroom_close")
    expect(by_key(page, "classroom_votes")).to_be_visible()


def test_a_round_with_a_phone_and_a_teacher_who_reloads(
    page: Page, window: BrowserContext, url: str, witness: Witness
) -> None:
    code = open_a_room(page, url)
    phone = window.new_page()
    join(phone, url, code)
    press(page, "classroom_next")
    options = phone.locator("#options button")
    expect(options).to_have_count(5)
    options.nth(1).click()
    expect(options.nth(1)).to_have_attribute("aria-pressed", "true")
    expect(page.get_by_text("1 of 1 have answered")).to_be_visible()

    phone.reload()  # keeps its place and its answer
    expect(options.nth(1)).to_have_attribute("aria-pressed", "true")
    press(page, "classroom_close")
    expect(by_key(page, "classroom_class")).to_be_visible()
    expect(options.nth(1)).to_be_disabled()
    press(page, "classroom_append_draw")
    expect(by_key(page, "classroom_score")).to_contain_text("Ada")
    expect(phone.locator("#revealed")).not_to_be_empty()
    text = phone.locator("#text").inner_text()
    assert text.startswith("The cat sat on the")
    assert len(text) > len("The cat sat on the")

    predict_a_number(page, phone)
    for at in (code, "ZZZZ", "x" * 500):
        for path, body in NO_PHONE_SENDS:
            said = refusal(f"{url}/room/{at}/{path}", body)
            assert said.endswith("."), (path, body)
            assert len(said) < 300

    page.reload()
    wait_idle(page)
    forget_first_requests(witness)
    shown = page.get_by_test_id("stHtml").filter(has_text="The cat sat on the")
    expect(shown).to_be_visible()
    assert shown.inner_text().replace("␣", " ").strip() == text
    link = phone.locator("#over").get_attribute("href")
    assert link is not None
    assert link.startswith("/?")
    phone.goto(url + link)
    wait_idle(phone)
    expect(phone.locator(".token")).to_have_count(7)  # start, five, and one
    hold = by_key(phone, "live").get_by_role("checkbox", name="Hold")
    expect(hold).to_be_checked()
    by_key(phone, "live").get_by_role("button", name="Next", exact=True).click()
    phone.wait_for_function("location.search.includes('run=2')")
    assert "hold=1" in phone.url
