"""The lesson as Streamlit runs it, and in a real browser."""

import math
from collections.abc import Callable
from statistics import fmean
from typing import Any

import pytest
from playwright.sync_api import Page, expect
from streamlit.testing.v1 import AppTest

from model.held_out import held_out
from model.job import Job
from model.language_model import LanguageModel
from model.recorded import recorded_job
from model.snowball.records import ForkStep
from pages.frame.offers import DEFAULT_PROMPT
from pages.lessons.snowball import errors as error_parts
from pages.lessons.snowball import fork, written
from pages.lessons.snowball import held_out as held_out_parts
from pages.lessons.snowball.fork import FORK
from pages.lessons.snowball.mistake import RECORDED, Mistakes, write_mistake
from pages.lessons.snowball.settings import MISTAKES, OWN
from pages.lessons.snowball.state import SnowballLesson
from tests.driving.harness import by_key
from tests.frame.accessibility import assert_accessible_to_all
from tests.frame.driving import errors, kept, open_home, open_lesson, press, words
from tests.home.home_text import write
from viz.format import percent
from viz.snowball.mistake import sure_words

RUN_FOR = Job.run_for


@pytest.fixture(autouse=True)
def _short(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same page with less of everything, in slices long enough for a whole job."""
    monkeypatch.setattr(Job, "run_for", lambda job, _: RUN_FOR(job, 60.0))
    for module, name, value in (
        (fork, "N_TOKENS", 10),
        (error_parts, "N_TOKENS", 6),
        (error_parts, "N_FORKS", 5),
        (written, "N_WRITTEN", 40),
        (written, "N_TEXTS", 2),
        (written, "LENGTHS", (48,)),
        (held_out_parts, "N_POSITIONS", 6),
        (held_out_parts, "held_out", lambda name: held_out(name)[:3]),
        (held_out_parts, "N_TARGETS", 4),
        (held_out_parts, "MAX_CONTEXT", {"stories": 8}),
    ):
        monkeypatch.setattr(module, name, value)


@pytest.fixture
def app() -> AppTest:
    return open_lesson("pages/snowball.py")


def state(app: AppTest) -> SnowballLesson:
    return kept(app, "snowball_lesson", SnowballLesson)


def done(app: AppTest, key: str) -> Any:
    """What a job found once its button is pressed."""
    press(app, f"{key}_run")
    job = state(app).jobs[key]
    assert job.is_done
    return job.found


def steps(app: AppTest) -> tuple[ForkStep, ...]:
    """What stands on the page of the fork; nothing before there is one."""
    job = state(app).jobs.get(FORK)
    return (job.found if job else None) or ()


def test_each_mistake_is_gone_on_from_by_itself(app: AppTest) -> None:
    assert not state(app).mistakes, "the question comes first"
    app.session_state["snowball_expected"] = "correct it"
    app.query_params["prompt"] = state(app).text.text  # the page says it in its address by now
    for name, prompt, word, right in (
        ("A contradiction", "He loved his", "car", " ball"),
        ("A wrong name", "One day,", "Sam", " Max"),
        ("A wrong fact", "The little fish lives in a", "tree", " big blue sea."),
    ):
        app.segmented_control(key="snowball_mistake").set_value(name).run()
        assert not app.exception
        (steps,) = [s for p, s in state(app).mistakes.items() if p.endswith(prompt)]
        assert [steps[0].original.label == f"␣{word}", steps[0].forced.label] == [False, f"␣{word}"]
        control = "".join(step.original.label.replace("␣", " ") for step in steps if step.original)
        assert control.startswith(right), "by itself the model writes no such error"
        assert word not in control
        assert math.exp(steps[0].forced.logprob) < 0.05, "the model itself finds it unlikely"
    assert "tree" in "".join(step.forced.label for step in steps[1:] if step.forced)
    assert sure_words(steps).startswith("about as sure"), "the scene of a lesson says so"
    bodies = [one.proto.body for one in app.get("html")]
    (html,) = [body for body in bodies if "sure, on average" in body]
    (picture,) = [body for body in bodies if "mistake-text" in body]
    for side in ("original", "forced"):
        tokens = [getattr(step, side) for step in steps[1:]]
        sure = percent(fmean(math.exp(token.logprob) for token in tokens if token))
        assert sure in html
        assert sure in picture
    keys = [getattr(one, "key", None) for one in app.main]
    assert keys.index("snowball_mistake") < keys.index("snowball_prompt"), "it stays the first"


def test_the_recorded_mistakes_are_what_the_model_writes(storyteller: LanguageModel) -> None:
    job = recorded_job(RECORDED, Mistakes)
    assert job is not None
    for prompt, word, seed in MISTAKES.values():
        here = write_mistake(storyteller, prompt, word, seed)
        assert [s.forced and s.forced.token_id for s in here] == [
            s.forced and s.forced.token_id for s in job.result[prompt]
        ]


def test_by_most_seeds_a_wrong_name_and_a_contradiction_are_gone_on_from(
    storyteller: LanguageModel,
) -> None:
    n_seeds = 20
    for name, right in (("A wrong name", "Max"), ("A contradiction", "ball")):
        prompt, word, _ = MISTAKES[name]
        n_gone_on = 0
        for seed in range(n_seeds):
            steps = write_mistake(storyteller, prompt, word, seed)
            text = "".join(step.forced.label for step in steps if step.forced)
            n_gone_on += right not in text
        assert n_gone_on > 0.7 * n_seeds, name


def test_a_token_is_forced_at_a_place_and_going_back_to_it_counts_what_it_costs(
    app: AppTest,
) -> None:
    text = state(app).text
    assert text.text.startswith(DEFAULT_PROMPT)
    assert len(text.steps) == 10
    press(app, "snowball_rewind_run")  # of the token that is chosen, before it is put in
    assert not errors(app)
    found_first = app.dataframe[-1].value
    found = done(app, FORK)
    assert [s.original.token_id for s in found if s.original] == text.ids[-len(found) :]
    assert f"of {len(found)} positions" in words(app)
    press(app, "snowball_rewind_run")
    table = app.dataframe[-1].value
    assert list(table["discarded"]) == [0, 1, 4, 7]
    assert list(table["as without it"]) == ["no", "yes", "yes", "yes"]
    assert list(table["text from there on"]) == list(found_first["text from there on"])
    app.number_input(key="snowball_place").set_value(2).run()
    assert not steps(app), "another place takes the fork away until the next press"
    assert len(done(app, FORK)) == 9


def test_the_first_page_s_prompt_is_forked_here_and_left_as_it_is_there() -> None:
    app = open_home()
    home, prompt = app.session_state["reader"], "Once upon a time"
    written = write(home, prompt, 3, seed=5)
    app.switch_page("pages/snowball.py").run()
    assert done(app, FORK)
    assert state(app).text.prompt_ids == home.generation.prompt_ids == written[:-3]
    assert state(app).text.seed == 5
    assert (home.prompt, home.generation.ids) == (prompt, written)


def test_another_text_and_a_word_of_ones_own_are_taken_and_what_will_not_do_is_refused(
    app: AppTest,
) -> None:
    for prompt, said in (("Once upon a time", ""), ("word " * 300, "shorten it")):
        app.text_input(key="snowball_prompt").set_value(prompt)
        press(app, "snowball_write")
        assert said in errors(app)
        assert state(app).text.text.startswith("Once upon a time")
        assert len(state(app).text.steps) == 10
    app.selectbox(key="snowball_token").set_value(OWN).run()
    app.text_input(key="snowball_word").set_value("hippopotamus").run()
    press(app, f"{FORK}_run")
    assert "not one: choose another word" in errors(app)
    assert not steps(app)
    app.text_input(key="snowball_word").set_value("tree").run()
    assert done(app, FORK)[0].forced.label == "␣tree"


def test_every_section_measures() -> None:
    app = open_lesson("pages/teacher_forcing.py")
    found = done(app, "snowball_instruction")
    assert found.n_same == found.n_first == 64
    app.text_input(key="snowball_instruction").set_value(" ").run()
    press(app, "snowball_instruction_run")
    assert "Write an instruction" in errors(app)
    assert state(app).jobs["snowball_instruction"].found is found
    assert done(app, "snowball_forks").n_texts == 5
    assert "slips per text" in words(app)
    assert done(app, "snowball_exposure").free.shape == (3, 6)
    assert "3 stories" in words(app)
    assert done(app, "snowball_long").surprise.shape[1] == 48
    assert {"storyteller", "storyteller_early"} <= set(done(app, "snowball_context").losses)


WRITTEN = """() => {
  const shown = (node) => Number(getComputedStyle(node).opacity);
  const texts = [...document.querySelectorAll(".mistake-text > :last-child")];
  return [
    ...texts.map((text) => [...text.querySelectorAll(".mistake-token")].filter(shown).length),
    Math.max(...[...document.querySelectorAll(".mistake-text > div .mistake-token")].map(shown)),
    shown(document.querySelector(".remember")),
  ];
}"""


@pytest.mark.browser
def test_both_texts_are_written_together_and_what_they_tell_comes_after_them(
    turn_to: Callable[[str], Page],
) -> None:
    page = turn_to("snowball")
    expect(page.locator(".mistake-token")).to_have_count(0)
    page.emulate_media(reduced_motion="no-preference")
    by_key(page, "snowball_expected").locator("button").first.click()
    page.wait_for_function("() => document.querySelector('.mistake-token')")
    seen = [page.evaluate(WRITTEN)]
    while not seen[-1][3]:
        page.wait_for_timeout(100)
        seen.append(page.evaluate(WRITTEN))
    (first, _, sure, told), last = seen[0], seen[-1]
    assert first < last[0], "not all at once"
    assert (sure, told) == (0, 0), "neither comes before the last token"
    for forced, original, sure, _ in seen:
        assert abs(forced - original) <= 2, "the wrong word stands there from the first"
        assert sure == 0 or forced == last[0]
    page.emulate_media(reduced_motion="reduce")
    assert page.evaluate(WRITTEN) == [last[0], last[1], 1, 1]


@pytest.mark.browser
def test_a_click_chooses_the_place_and_force_parts_the_texts(
    turn_to: Callable[[str], Page],
) -> None:
    page = turn_to("snowball")
    strip = by_key(page, "snowball_strip")
    force = by_key(page, "snowball_fork_run").get_by_role("button")
    strip.locator("button").nth(6).click()
    expect(by_key(page, "snowball_place").locator("input")).to_have_value("7")
    expect(strip.locator("button.is-place")).to_have_attribute("data-place", "6")
    strip.locator("button.is-place").press("ArrowRight")
    expect(strip.locator('[data-place="7"]')).to_be_focused()
    expect(force).to_be_enabled()
    force.click()
    expect(strip.locator(".is-slip")).to_have_count(1)
    expect(by_key(page, "snowball_gap")).to_be_visible()
    assert strip.locator(".forced").count() == strip.locator(".pair").count()
    assert_accessible_to_all(page)
