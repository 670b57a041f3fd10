"""A pupil's own record: kept in the browser, read with care, shown and printed as one page."""

import json
import re
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from pages.lessons.tour.scenes import lesson_names, read_lesson

pytestmark = pytest.mark.browser

IMPORT = 'const kept = await import("/pages/frame/live/record.js");'
DRAW = """
async (data) => {
  const { default: draw } = await import("/pages/lessons/tour/record.js");
  draw({ data, parentElement: document.body });
}
"""
PRINTER = """() => {
  const { get } = Object.getOwnPropertyDescriptor(HTMLIFrameElement.prototype, "contentWindow");
  const contentWindow = {
    get() {
      const own = get.call(this);
      own.print = () => globalThis.printed = own.document.documentElement.outerHTML;
      return own;
    },
  };
  Object.defineProperties(HTMLIFrameElement.prototype, { contentWindow });
}"""  # what a printer is given
PAGES = [["kv_cache", "The KV cache"], ["snowball", "Error propagation"], ["guess", "Guess"]]


def answer(said: str = "yes", **more: Any) -> dict[str, Any]:
    given = {"place": "kv_cache", "title": "The KV cache", "question": "Is it?", "right": "no"}
    return given | {"said": said, "isRight": False} | more


def kept(page: Page, *calls: tuple[str, Any]) -> dict[str, Any]:
    """Makes calls of the module; returns the record."""
    found: dict[str, Any] = page.evaluate(
        f"async (calls) => {{ {IMPORT} for (const [name, given] of calls) kept[name](given);"
        " return kept.readRecord(); }",
        list(calls),
    )
    return found


def test_a_record_keeps_the_newest_answer_of_each_question_and_five_lines(scripts: Page) -> None:
    scripts.evaluate("localStorage.clear()")
    calls: list[tuple[str, Any]] = [("keepAnswer", answer(said)) for said in ("yes", "no")]
    calls += [("keepAnswer", answer("3", question="How many?")), ("keepSeen", "guess")]
    calls += [("keepAnswer", bad) for bad in (answer(""), {}, answer("x" * 601), answer(isRight=1))]
    calls += [("keepLine", {"text": f"{i} cats", "link": f"./?seed={i}"}) for i in range(6)]
    calls += [("keepLine", {"text": "5 cats ran", "link": "./?seed=5"}), ("chooseBest", 1)]
    calls += [("keepLine", {"text": "a bird", "link": "./?seed=9"})]
    calls += [("keepLine", {"text": "bad", "link": "javascript:alert(1)"})]
    sentences = [{"question": "How many?", "words": "Few."}, {"question": "Who?", "words": "I."}]
    calls += [("keepRemembered", {"place": "kv_cache", "sentences": sentences})]
    calls += [("keepRemembered", {"place": "guess", "sentences": sentences[::-1]})]
    record = kept(scripts, *calls)
    assert [one.get("remember") for one in record["answers"]] == ["Few.", None]
    assert [one["said"] for one in record["answers"]] == ["3", "no"]
    assert record["seen"] == ["guess"]
    texts = [line["text"] for line in record["lines"]]
    assert texts == ["a bird", "5 cats ran", "4 cats", "3 cats", "2 cats"]
    assert texts[record["best"]] == "4 cats", "who wrote another one keeps the choice"

    scripts.evaluate(DRAW, {"title": "Mine", "pages": PAGES, "chosen": "?lang=de"})
    first = scripts.locator(".pages a").first
    expect(first).to_have_attribute("href", "./kv_cache?lang=de")
    marks = [text[0] for text in scripts.locator(".pages li").all_text_contents()]
    assert "".join(marks) == "✓○✓"
    expect(scripts.locator("blockquote")).to_have_text("4 cats")
    expect(scripts.locator("section li", has_text="I said")).to_have_count(2)
    scripts.evaluate(PRINTER)
    scripts.get_by_role("button", name="Print").click()
    paper = scripts.evaluate("printed")
    assert "4 cats" in paper
    assert "How many?" in paper
    assert "Forget" not in paper, "buttons are for the screen"
    scripts.get_by_role("button", name="Forget").click()
    assert kept(scripts)["answers"] == []


def test_the_answers_of_all_lessons_are_printed_on_one_page(scripts: Page) -> None:
    scenes = [scene for name in lesson_names() for scene in read_lesson(name).scenes]
    asked = [
        answer(scene.right, title=scene.page or "home", question=scene.question, right=scene.right)
        for scene in scenes
    ]
    kept(scripts, *(("keepAnswer", one) for one in asked))
    scripts.evaluate(DRAW, {"title": "Mine", "pages": PAGES, "chosen": ""})
    scripts.evaluate(PRINTER)
    scripts.get_by_role("button", name="Print").click()
    scripts.set_content(scripts.evaluate("printed"))
    assert scripts.locator("section li", has_text="I said").count() == len(scenes)
    assert len(re.findall(rb"/Type\s*/Page\b", scripts.pdf(prefer_css_page_size=True))) == 1


@pytest.mark.parametrize(
    "stored",
    [
        "{",
        "null",
        "[]",
        json.dumps({"answers": 5, "lines": {"text": "a"}, "seen": [1], "best": 7}),
        json.dumps({"answers": [None, {"place": {}}], "lines": [{"text": "<b>"}], "best": "0"}),
    ],
)
def test_what_was_tampered_with_is_an_empty_record(scripts: Page, stored: str) -> None:
    scripts.evaluate("(text) => localStorage.setItem('ott-record', text)", stored)
    assert kept(scripts) == {"answers": [], "lines": [], "seen": [], "best": 0}
    scripts.evaluate(DRAW, {"title": "Mine", "pages": PAGES, "chosen": ""})
    expect(scripts.locator("button")).to_have_count(0)
