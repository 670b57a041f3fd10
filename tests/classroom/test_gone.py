"""A room whose server was killed and started again is gone: each page says what happened."""

import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from benchmarks.harness import ROOT, by_key, serve, visit, wait_idle

pytestmark = pytest.mark.browser


@pytest.fixture
def window(browser: Browser) -> Iterator[BrowserContext]:
    """A window whose server goes away."""
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    yield context
    context.close()


def room_opened(teacher: Page, url: str) -> tuple[str, str]:
    """Opens a room; returns its code and the address of its desk."""
    visit(teacher, f"{url}/classroom")
    by_key(teacher, "classroom_open").get_by_role("button").click()
    desk = teacher.get_by_role("link", name="Open the desk").get_attribute("href") or ""
    return Path(desk).parts[1], desk.removeprefix(".")


def opened(window: BrowserContext, address: str) -> Page:
    page = window.new_page()
    page.goto(address)
    return page


def test_whoever_was_in_a_room_is_told_that_its_server_was_started_again(
    window: BrowserContext,
) -> None:
    with serve() as first:
        teacher = window.new_page()
        code, at = room_opened(teacher, first.url)
        desk = opened(window, f"{first.url}{at}")
        projector = opened(window, f"{first.url}/room/{code}/projector")
        phone = opened(window, f"{first.url}/room/{code}")
        phone.locator("#join button").click()
        expect(phone.locator("#text")).to_contain_text("The cat")
        desk.locator("#next").click()
        expect(projector.locator("#options li")).to_have_count(5)
        first.process.kill()
        first.process.wait()
        pages = (desk, projector, phone)
        for page in pages:
            expect(page.locator("#error")).to_contain_text("Trying again")
        expect(projector.locator("#options li")).to_have_count(5)  # what was asked stays meanwhile
    with serve(port=urlsplit(first.url).port):
        for page in pages:
            said = page.locator("#error")
            expect(said).to_contain_text("the server was started again")
            assert (said.text_content() or "").count(".") == 2, "what happened, and what to do"
        expect(projector.locator("#options, #qr, #counts, #ask")).to_have_count(4)
        for gone in ("#options", "#qr", "#counts", "#ask"):
            expect(projector.locator(gone)).to_be_hidden()
        expect(desk.locator("#desk")).to_be_hidden()
        expect(phone.locator("#join")).to_be_visible()
        teacher.reload()
        wait_idle(teacher)
        expect(teacher.get_by_text(f"Room {code} is no more")).to_be_visible()


def copy_of(path: str) -> int:
    """To which copy docs/nginx.conf sends an address: the port of its map."""
    rules = re.findall(r"~\*(\S+) 127\.0\.0\.1:(\d+);", (ROOT / "docs/nginx.conf").read_text())
    (port,) = {int(port) for rule, port in rules if re.search(rule, path, re.IGNORECASE)}
    return port


def test_a_copy_that_comes_back_takes_nobody_out_of_a_room_of_the_other(
    window: BrowserContext,
) -> None:
    with serve(env={"ONE_TOKEN_COPY": "b"}) as other:
        with serve(env={"ONE_TOKEN_COPY": "a"}) as first:
            assert room_opened(window.new_page(), first.url)[0][0] == "A"
            first.process.kill()
            first.process.wait()
        code, at = room_opened(window.new_page(), other.url)
        assert (copy_of("/room/aBCDF"), copy_of(f"/tokens/room/{code.lower()}")) == (8501, 8502)
        with serve(env={"ONE_TOKEN_COPY": "a"}, port=urlsplit(first.url).port):
            urls = {8501: first.url, 8502: other.url}
            desk = opened(window, f"{urls[copy_of(at)]}{at}")
            desk.locator("#next").click()
            for path in (f"/room/{code}/projector", f"/room/{code.lower()}"):
                page = opened(window, f"{urls[copy_of(path)]}{path}")
                if "projector" not in path:
                    page.locator("#join button").click()
                expect(page.locator("#ask")).to_have_text("What comes next?")
            expect(desk.locator("#counts")).to_have_text("0 of 1 have answered")
