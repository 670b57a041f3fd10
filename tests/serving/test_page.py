"""The serving lesson as Streamlit runs it, and in a real browser."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect
from streamlit.testing.v1 import AppTest

from model.serving.records import Comparison
from pages.frame.lesson_state import LessonState
from tests.driving.harness import by_key
from tests.driving.home_page import PATIENCE_MS
from tests.frame.accessibility import assert_accessible_to_all
from tests.frame.driving import (
    PATIENCE_SECONDS,
    captions,
    errors,
    kept,
    open_lesson,
    press,
    show_model,
    words,
)
from tests.tiny_models import tiny

BAD = {
    "": "write a prompt",
    "Hi | many": "a number from 1 to 64, not “many”",
    "Hi | 65": "a number from 1 to 64",
    "Hi\n" * 9: "room for 8 requests, not for 9",
    "? " * 1400: "shorten it",
}
LANES = ".st-key-serving_batches_lanes_box .cartesianlayer .scatterlayer"
COVERED = f"() => getComputedStyle(document.querySelector('{LANES}')).clipPath !== 'none'"


def lesson(app: AppTest) -> LessonState:
    return kept(app, "serving_lesson", LessonState)


def told(app: AppTest) -> str:
    """All that stands on the page as markup."""
    return " ".join(re.sub(r"<(?!p class)[^>]*>", "<", h.proto.body) for h in app.get("html"))


def serve(app: AppTest, key: str) -> Comparison:
    """Start a run and let it come to its end."""
    press(app, f"{key}_run")
    job = lesson(app).jobs[key]
    while job.is_running:
        job.run_for(PATIENCE_SECONDS)
        app.run()
        assert not app.exception
    assert isinstance(job.result, Comparison)
    return job.result


def test_the_reader_s_own_requests_are_served_and_every_lane_has_its_own_tokens() -> None:
    asked = {"prompts": "Hi | 3\n\na | b | 2\nNo number", "long_prompt": "The dog ran. " * 4}
    sizes = {"slots": "2", "arrivals": "together", "axis": "passes", "chunk": "8", "blocks": "2"}
    app = open_lesson("pages/serving.py", **asked, **sizes)
    assert "A prefix in common saves 2 blocks" in captions(app), "recorded"
    assert re.findall(r"send (\d+) requests\b.* room for (\d+) at", words(app)) == [("3", "2")]
    static, continuous = serve(app, "serving_batches").runs
    assert len(app.dataframe) == 2, "what the other policy gives is asked first"
    app.button_group(key="serving_said").set_value("nobody").run()
    assert len(re.findall('class="remember"', told(app))) == 1
    assert [request.n_out for request in static.requests] == [3, 2, 16]
    assert {request.arrives for request in static.requests} == {0.0}
    assert len(continuous.passes) < len(static.passes)
    assert static.policy.n_slots == 2
    assert serve(app, "serving_chunks").runs[1].policy.chunk == 8
    assert serve(app, "serving_memory").runs[1].policy.n_blocks == 2
    assert "Recorded 20" not in captions(app)
    assert captions(app).count("6 of 6 lanes have exactly the tokens") == 2
    assert captions(app).count("8 of 8 lanes have exactly the tokens") == 1
    tables = [table.value for table in app.dataframe]
    assert [list(table["policy"])[-1] for table in tables] == ["one at a time"] * 3


def test_bad_requests_get_one_sentence_and_the_last_run_stays() -> None:
    app = open_lesson("pages/serving.py", prompts="Hi | 2")
    serve(app, "serving_batches")
    jobs = lesson(app).jobs
    before = jobs["serving_batches"]
    for typed, remedy in BAD.items():
        app.text_area(key="serving_prompts").set_value(typed).run()
        press(app, "serving_batches_run")
        assert remedy in errors(app)
        assert jobs["serving_batches"] is before
    app.text_area(key="serving_prompts").set_value("Hi | **b**").run()
    press(app, "serving_batches_run")
    assert r"“\*\*b\*\*”" in app.error[0].value, "as it was typed, not as Markdown"
    app.text_area(key="serving_long_prompt").set_value(" ").run()
    press(app, "serving_chunks_run")
    assert "The long prompt is empty" in errors(app)
    assert "serving_chunks" not in jobs
    show_model(app, tiny("mamba"))
    app.text_area(key="serving_prompts").set_value("Hi").run()
    press(app, "serving_batches_run")
    assert not lesson(app).jobs
    assert "cannot be cropped" in errors(app)


@pytest.mark.browser
def test_the_lanes_fill_until_a_press_and_a_run_can_be_stopped(
    turn_to: Callable[[str], Page],
) -> None:
    page = turn_to("serving")
    for key in ("serving_batches_lanes", "serving_chunks_lanes", "serving_memory_blocks"):
        expect(by_key(page, key).first).to_be_visible(timeout=4 * PATIENCE_MS)
    assert by_key(page, "serving_batches_fill").count() == 0, "nothing moves before an answer"
    by_key(page, "serving_said").locator("button").first.click()
    again = by_key(page, "serving_batches_fill").get_by_role("button")
    expect(again).to_contain_text("Show all", timeout=4 * PATIENCE_MS)
    found = by_key(page, "serving_batches_lanes_box").locator(".annotation")
    told = by_key(page, "serving_said_told").locator("p")
    expect(told).to_be_visible()
    expect(page.locator(".remember")).to_be_hidden()  # the lanes say it first
    expect(found.last).to_be_hidden()
    expect(again).to_contain_text("Watch again", timeout=4 * PATIENCE_MS)
    expect(page.locator(".remember")).to_be_visible()
    expect(found.last).to_be_visible()
    clock = page.context.new_cdp_session(page)
    clock.send("Animation.enable")
    clock.send("Animation.setPlaybackRate", {"playbackRate": 0})
    again.click()
    expect(again).to_contain_text("Show all")
    assert page.evaluate(COVERED)
    again.click()
    expect(again).to_contain_text("Watch again")
    assert not page.evaluate(COVERED)
    clock.send("Animation.setPlaybackRate", {"playbackRate": 1})
    page.emulate_media(reduced_motion="reduce")
    again.click()
    expect(again).to_contain_text("Watch again")
    assert not page.evaluate(COVERED), "whoever wants no motion sees all lanes at once"
    page.emulate_media(reduced_motion="no-preference")
    button = by_key(page, "serving_memory_run").get_by_role("button")
    expect(button).to_contain_text("Serve", timeout=4 * PATIENCE_MS)
    button.click()
    expect(button).to_contain_text("Stop", timeout=PATIENCE_MS)
    button.click()
    expect(button).to_contain_text("Serve", timeout=PATIENCE_MS)
    assert_accessible_to_all(page)
