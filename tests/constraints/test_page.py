"""The constrained-decoding lesson as Streamlit runs it, and in a real browser."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect
from streamlit.testing.v1 import AppTest

from model.loading import LanguageModel
from model.sampling import Settings
from pages.lessons.constraints.state import EXAMPLES, FIRST, ConstraintLesson, begin
from tests.driving.harness import by_key
from tests.driving.home_page import PATIENCE_MS
from tests.frame.accessibility import assert_accessible_to_all
from tests.frame.driving import captions, errors, kept, open_lesson, press, show_model
from tests.tiny_models import tiny
from viz.constraints.mask_chart import DEAD_END_MASS
from viz.constraints.walk_picture import N_PLACES, RULE, name_of
from viz.format import percent


@pytest.fixture
def app() -> AppTest:
    """The lesson, opened without the first page."""
    return open_lesson("pages/constraints.py")


def lesson(app: AppTest) -> ConstraintLesson:
    return kept(app, "constraint_lesson", ConstraintLesson)


def generate_all(app: AppTest) -> None:
    """Take every step that is left, and draw the page."""
    steps = lesson(app).stepper.steps
    while steps.can_step:
        steps.step()
    app.run()
    assert not app.exception


@pytest.mark.parametrize("name", EXAMPLES)
def test_every_example_can_be_completed(storyteller: LanguageModel, name: str) -> None:
    steps = begin(storyteller, EXAMPLES[name]).steps
    while steps.can_step:
        steps.step()
    assert steps.generation.is_complete


def test_an_example_is_taken_stepped_and_completed_beside_the_methods(app: AppTest) -> None:
    assert "“his bed”" in captions(app), "the methods, recorded"
    press(app, "constraint_methods_run")
    press(app, "constraint_methods_run")
    assert not lesson(app).jobs["constraint_methods"].is_running
    (name, request) = list(EXAMPLES.items())[-1]
    app.selectbox(key="constraint_example").set_value(name).run()
    assert lesson(app).stepper.steps.request == request
    assert app.get_by_key("constraint_kind").value == request.kind
    press(app, "constraint_step")
    generation = lesson(app).generation
    assert len(generation.steps) == 1
    press(app, "constraint_play")
    generate_all(app)
    assert not lesson(app).stepper.is_playing
    assert app.button(key="constraint_step").disabled
    assert app.code[0].value == generation.result().text.strip()
    assert not app.info


def test_another_kind_brings_an_example_and_the_temperature_holds_for_each_step(
    app: AppTest,
) -> None:
    app.get_by_key("constraint_kind").set_value("pattern").run()
    assert app.selectbox(key="constraint_example").value == "A name and an age"
    texts = []
    for temperature in (0.0, 1.5):
        app.slider(key="constraint_temperature").set_value(temperature).run()
        for _ in range(4):
            press(app, "constraint_step")
        texts.append([step.label for step in lesson(app).generation.steps])
        press(app, "constraint_reset")
    assert texts[0] != texts[1]
    app.text_area(key="constraint_constraint").set_value("[a-z]{90}").run()
    generate_all(app)
    assert "not met" in app.info[0].value, "what ran out of room is not called complete"


def test_what_a_model_cannot_read_leaves_the_text_or_gives_way_to_the_example(app: AppTest) -> None:
    stepper = lesson(app).stepper
    app.text_input(key="constraint_prompt").set_value("🍓" * 1500).run()
    assert "shorten" in errors(app)
    assert lesson(app).stepper is stepper
    app.text_input(key="constraint_prompt").set_value("the " * 150).run()
    assert not app.error
    show_model(app, tiny("llama"))
    assert "first example" in errors(app)
    assert lesson(app).stepper.steps.request == EXAMPLES[FIRST]
    assert app.text_input(key="constraint_prompt").value == EXAMPLES[FIRST].prompt


def test_the_ending_is_asked_before_the_mask_shows_it_and_again_for_another_rule(
    app: AppTest,
) -> None:
    assert app.get_by_key("constraint_said").options == ["his bed", "the mud"]
    first = lesson(app).generation.look(Settings(temperature=0))
    assert f"{RULE} {percent(first.mass)}" in picture(app), "what the guess is built on"
    assert picture(app).count(f">{RULE}") == 2, "both endings have two tokens"
    assert "morning" not in picture(app)
    assert app.button(key="constraint_step").disabled
    app.get_by_key("constraint_said").set_value("his bed").run()
    assert lesson(app).written() == " the mud"
    assert not app.button(key="constraint_step").disabled
    press(app, "constraint_step")
    step = lesson(app).generation.steps[0]
    assert step.mass > DEAD_END_MASS
    generate_all(app)
    wanted = lesson(app).generation.steps[1].wanted.strip("␣")
    assert wanted == "morning"
    assert lesson(app).left_by_the_rule(0) is None
    assert lesson(app).left_by_the_rule(1) == "mud"
    assert f"<em>{wanted}</em>" in picture(app)
    assert "<em>mud</em>" in picture(app)
    assert percent(lesson(app).generation.steps[1].mass) in picture(app)
    app.selectbox(key="constraint_example").set_value("Bread or shoes").run()
    assert app.session_state["constraint_said"] is None
    app.get_by_key("constraint_said").set_value("some bread").run()
    generate_all(app)
    parts = [name_of(step.label) for step in lesson(app).generation.steps]
    assert len(parts) > N_PLACES, "its last word comes in pieces, and these are named"
    assert re.search(r"<em>\w+(·\w+)+</em>", picture(app))
    press(app, "constraint_reset")
    app.slider(key="constraint_temperature").set_value(1.0).run()
    assert not app.button(key="constraint_step").disabled, "then a pointer draws"


def picture(app: AppTest) -> str:
    """The bars of the walk, and the sentence below them."""
    (found,) = (html.value for html in app.get("html") if 'class="walk"' in html.value)
    return str(found)


@pytest.mark.nightly  # by day the AppTests above
@pytest.mark.browser
def test_two_steps_lead_to_a_dead_end_and_a_bad_pattern_is_one_sentence(
    turn_to: Callable[[str], Page],
) -> None:
    page = turn_to("constraints")
    step = by_key(page, "constraint_step").get_by_role("button")
    by_key(page, "constraint_said").locator("button").first.click()
    expect(step).to_be_enabled(timeout=3 * PATIENCE_MS)
    step.click()
    by_key(page, "constraint_tokens").locator("summary").first.click()
    expect(page.get_by_text("allowed along this path")).to_be_visible(timeout=PATIENCE_MS)
    step.click()
    expect(page.get_by_text("Dead end at token 2")).to_be_visible(timeout=PATIENCE_MS)

    by_key(page, "constraint_setup").locator("summary").click()
    page.get_by_text("Pattern", exact=True).click()
    area = by_key(page, "constraint_constraint").locator("textarea")
    expect(area).not_to_have_value(" his bed\n the mud", timeout=PATIENCE_MS)
    area.fill("[0-9")
    area.press("Control+Enter")
    expect(page.get_by_text("The pattern cannot be used")).to_be_visible(timeout=PATIENCE_MS)
    step.click()  # what was there before the bad pattern goes on
    expect(by_key(page, "constraint_back").get_by_role("button")).to_be_enabled(timeout=PATIENCE_MS)
    assert_accessible_to_all(page)
