"""Components of our own: the payload's layout, and how a script, its style and labels come."""

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import pytest
from playwright.sync_api import Page, Route

from pages.frame import component
from pages.frame.component import encode_payload
from tests.browser import ORIGIN


@pytest.mark.parametrize("n_letters", range(4))
def test_arrays_begin_on_a_multiple_of_four(n_letters: int) -> None:
    payload = encode_payload({"text": "a" * n_letters}, {"ids": np.arange(3)})
    assert len(payload) % 4 == 0
    assert payload.endswith(np.arange(3, dtype="<i4").tobytes())


# its script, in a page that Streamlit is not needed for

ENTRY = f"{ORIGIN}drawn/mount.js"
SHEET = f"{ORIGIN}drawn/a.css"
DRAWN = """export default ({ data, parentElement }) => {
  const { color } = getComputedStyle(parentElement.host);
  parentElement.append(`${data} ${color} ${parentElement.adoptedStyleSheets.length};`);
  return () => parentElement.append(`-${data};`);
};"""
# calls as Streamlit does: at once, at once again, and once more when all is there
PLAY = """async ([script, calls]) => {
  const address = URL.createObjectURL(new Blob([script], { type: "text/javascript" }));
  const { default: draw } = await import(address);
  const host = document.body.appendChild(document.createElement("div"));
  const parentElement = host.attachShadow({ mode: "open" });
  const early = calls.map((data) => draw({ data, parentElement }));
  const before = parentElement.textContent;
  const [first] = await Promise.all(early);
  const close = draw({ data: "late", parentElement });
  for (const one of [first, close]) one?.();
  return [before, parentElement.textContent];
}"""


def script_of(n_sheets: int) -> str:
    return component.script("drawn/mount.js", "words.js", ["drawn/a.css"] * n_sheets)


@contextmanager
def served(page: Page, answers: dict[str, tuple[int, str, str]], slow: str = "") -> Iterator[None]:
    """Answers for these addresses; the slow one last of all."""

    def answer(route: Route) -> None:
        if route.request.url == slow:
            page.wait_for_timeout(300)
        status, kind, text = answers[route.request.url]
        route.fulfill(status=status, content_type=kind, body=text)

    for address in answers:
        page.route(address, answer)
    yield
    for address in answers:
        page.unroute(address)


@pytest.mark.browser
@pytest.mark.parametrize("slow", [ENTRY, SHEET])
def test_calls_are_made_in_order_and_never_without_their_style(scripts: Page, slow: str) -> None:
    answers = {
        ENTRY: (200, "text/javascript", DRAWN),
        SHEET: (200, "text/css", ":host { color: rgb(1, 2, 3); }"),
    }
    with served(scripts, answers, slow):
        before, after = scripts.evaluate(PLAY, [script_of(1), ["1", "2"]])
    assert before == ""
    assert after == "1 rgb(1, 2, 3) 1;2 rgb(1, 2, 3) 1;late rgb(1, 2, 3) 1;-1;-late;"


@pytest.mark.browser
@pytest.mark.parametrize("gone", [ENTRY, SHEET])
def test_what_does_not_come_is_said_in_one_sentence(scripts: Page, gone: str) -> None:
    answers = {ENTRY: (200, "text/javascript", DRAWN), SHEET: (200, "text/css", "p {}")}
    with served(scripts, answers | {gone: (404, "text/plain", "Not found")}):
        before, after = scripts.evaluate(PLAY, [script_of(1), ["1", "2"]])
    assert before == ""
    assert after.count(".") == 2
    assert "Load the page again" in after


# labels, which come as a file

LABELS = """async () => {
  const { giveLabels, labelsAt } = await import("/pages/frame/live/labels.js");
  const [asked, told] = [[], []];
  const answers = [["labels/a", 200, ["x"]], ["labels/b", 404, {}]];
  globalThis.fetch = async (address) => {
    asked.push(new URL(address).pathname);
    const [, status, labels] = answers.find(([name]) => address.pathname.endsWith(name));
    return new Response(JSON.stringify(labels), { status });
  };
  const look = (address, who) => labelsAt(address, () => told.push(who));
  giveLabels("here", ["h"]);
  const first = [look("labels/a", 1), look("labels/a", 2), look("labels/b", 3), look("here", 4)];
  await new Promise((resolve) => setTimeout(resolve, 50));
  told.sort();
  return { first, then: ["labels/a", "labels/b"].map((each) => look(each, 5)), asked, told };
}"""


@pytest.mark.browser
def test_labels_are_fetched_once_and_all_who_wait_are_told(scripts: Page) -> None:
    assert scripts.evaluate(LABELS) == {
        "first": [None, None, None, ["h"]],
        "then": [["x"], {}],  # where they do not come the page shows ids
        "asked": ["/labels/a", "/labels/b"],
        "told": [1, 2, 3],
    }
