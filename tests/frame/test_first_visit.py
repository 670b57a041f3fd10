"""What a browser that has never been here asks for, and what it asks for again."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from benchmarks.bench_weight import PAGES, weigh
from pages.frame.assets import ROOT, address
from tests.browser import SCREEN
from tests.driving.harness import Server
from tests.nightly import by_night

pytestmark = pytest.mark.browser

NAMED = re.compile(r'href="\./([^"]+\.(?:js|css))"|src="\./([^"]+\.js)"')


@pytest.mark.parametrize(("name", "path", "usable", "limit"), by_night(PAGES, PAGES[:1]))
def test_a_first_visit_is_light_and_a_second_asks_for_nothing_that_has_not_changed(
    browser: Browser, server: Server, name: str, path: str, usable: str, limit: float
) -> None:
    context = browser.new_context(viewport=SCREEN)
    first = weigh(context, f"{server.url}/{path}", usable)
    second = weigh(context, f"{server.url}/{path}", usable)
    head = context.request.get(f"{server.url}/{path}").text()
    context.close()

    assert first.n_bytes < limit
    asked = {each.removeprefix(f"{server.url}/") for each in first.sizes}
    assert {each for each in asked if each.startswith("labels/")}
    assert address("frame/live/labels.js") in asked
    assert not any("SourceSans" in each for each in asked)
    # a picture to send is drawn after a press
    assert not any("picture_maker" in each for each in asked)
    assert {Path(each).stem for each in asked if each.endswith(".woff2")} >= {"sans", "serif"}
    # of six connections one is to be free for what Streamlit asks before it connects
    assert not re.findall(r'<link (?![^>]*fetchpriority="low")[^>]*"\./assets/', head)
    # nothing of ours is found only when another module has come; on the first page nothing at all
    named = {module or entry for module, entry in NAMED.findall(head)}
    found_late = {each for each in asked if each.endswith((".js", ".css"))} - named
    assert not {each for each in found_late if name == "home" or each.startswith(ROOT)}
    assert {each for each in named if each.startswith(ROOT)} <= asked

    again = {each.removeprefix(f"{server.url}/") for each in second.sizes}
    ours = {each for each in again if not each.endswith(("_stcore/health", "_stcore/host-config"))}
    assert {each for each in ours if not each.startswith("loop/")} <= {path}
    assert second.sizes[f"{server.url}/{path}"] < 1_000  # that it is as it was
    assert first.socket_bytes < 100_000  # neither script nor labels in it


@pytest.mark.parametrize("tag", by_night(("de", "fr", "es", "ar"), ("de",)))
def test_a_visit_in_another_language_is_as_light(
    browser: Browser, server: Server, tag: str
) -> None:
    _, path, usable, limit = PAGES[0]
    with browser.new_context(viewport=SCREEN, locale=tag) as context:
        visit = weigh(context, f"{server.url}/{path}", usable)
    assert visit.n_bytes < limit
    faces = {each for each in visit.sizes if each.endswith(("sans.woff2", "serif.woff2"))}
    assert bool(faces) == (tag in {"de", "fr", "es"}), "letters of its own are in no face of ours"
    assert sum("/words/" in address for address in visit.sizes) == 1
