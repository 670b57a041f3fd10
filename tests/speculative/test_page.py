"""The speculative lesson as Streamlit runs it, and in a real browser."""

from collections.abc import Callable
from types import SimpleNamespace

import pytest
from playwright.sync_api import Page, expect
from streamlit.testing.v1 import AppTest

from model.generation import Generation
from model.sampling import Settings
from model.speculative.records import CROP, PROPOSE
from pages.lessons.speculative import proof, race, speed
from pages.lessons.speculative.lesson import LOOKUP_SAYS
from pages.lessons.speculative.settings import RACES
from pages.lessons.speculative.state import RoundSteps, SpeculativeLesson
from tests.driving.harness import by_key
from tests.frame.accessibility import assert_accessible_to_all
from tests.frame.driving import errors, kept, open_lesson, press, words
from tests.tiny_models import tiny
from viz.format import duration


@pytest.fixture
def app() -> AppTest:
    return open_lesson("pages/speculative.py", prompt="The cat sat on the")


def lesson(app: AppTest) -> SpeculativeLesson:
    return kept(app, "spec_lesson", SpeculativeLesson)


def steps(app: AppTest) -> RoundSteps:
    return lesson(app).stepper.steps


def test_it_opens_on_a_whole_round_which_unfolds_stage_by_stage_and_folds(app: AppTest) -> None:
    assert lesson(app).pair.draft_name == "scribbler"
    (first,) = steps(app).rounds
    assert steps(app).stage == CROP
    verdicts = [proposal.verdict for proposal in first.proposals]
    assert verdicts == ["accepted", "accepted", "rejected", "not tested"]
    assert "this round gave 3 tokens" in words(app)
    n_before = len(steps(app).text.ids)
    press(app, "spec_step")
    assert steps(app).stage == PROPOSE
    assert "**propose**" in words(app)
    assert len(steps(app).shown()[0]) == n_before
    for _ in range(3):
        press(app, "spec_step")
    assert steps(app).stage == CROP
    assert len(steps(app).shown()[0]) > n_before
    written = list(steps(app).text.ids)
    for _ in range(4):
        press(app, "spec_back")
    assert len(steps(app).text.ids) == n_before
    app.toggle(key="spec_whole").set_value(True).run()
    press(app, "spec_step")
    assert steps(app).text.ids == written, "the same pointers fall again"
    press(app, "spec_reset")
    assert (steps(app).rounds, len(steps(app).text.ids)) == ([], steps(app).text.n_prompt)
    assert app.button(key="spec_back").disabled


def test_prompt_lookup_an_adaptive_draft_and_greedy_can_be_chosen(app: AppTest) -> None:
    assert not app.slider(key="spec_guesses").disabled
    app.toggle(key="spec_whole").set_value(True)
    app.toggle(key="spec_adaptive").set_value(True).run()
    assert app.slider(key="spec_guesses").disabled, "then the draft decides"
    press(app, "spec_step")
    assert len(steps(app).rounds) == 2
    app.text_input(key="spec_prompt").set_value("A red ball. A red ball. A red")
    app.selectbox(key="spec_draft").set_value("prompt lookup").run()
    (first,) = steps(app).rounds
    assert first.proposals[0].label == "␣ball"
    assert (first.n_steps, len(first.caches)) == (0, 1)
    assert LOOKUP_SAYS[CROP] in words(app), "there is one cache, and no pass of a draft"
    app.slider(key="spec_temperature").set_value(0.0).run()
    assert steps(app).rounds[0].is_greedy
    assert app.slider(key="spec_top_p").disabled
    assert app.number_input(key="spec_seed").disabled, "no pointer falls"
    press(app, "spec_step")
    assert not app.error


def test_bad_input_gets_a_sentence_and_what_was_there_stays(app: AppTest) -> None:
    app.text_input(key="spec_prompt").set_value("").run()  # begins at the beginning
    assert not app.error
    before = steps(app)
    assert before.text.n_prompt == 1
    app.selectbox(key="spec_draft").set_value("another model").run()
    for name, said in (
        ("", "Name a draft"),
        ("unmasker", "unmasker is a masked model"),
        ("gapfiller", "gapfiller is a seq2seq model"),
    ):
        app.text_input(key="spec_other").set_value(name).run()
        assert not app.exception
        assert said in app.error[0].value
        assert steps(app) is before


def test_measuring_stops_and_keeps_what_it_measured(
    app: AppTest, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(speed, "N_TOKENS", 4)
    assert "Illustrative" in words(app)
    press(app, "spec_speed_run")
    job = lesson(app).jobs["spec_speed"]
    while job.found is None:
        app.run()
    press(app, "spec_speed_run")
    assert not job.is_running
    assert {metric.label for metric in app.metric} >= {"measured speed-up", "a draft step"}
    assert "Illustrative" not in words(app)
    app.segmented_control(key="spec_preset").set_value("textbook").run()
    assert "Illustrative" in words(app)


def test_a_race_writes_the_greedy_text_both_ways_and_counts_every_token(
    app: AppTest, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(race, "N_TOKENS", 12)
    app.selectbox(key="spec_race").set_value(RACES[1]).run()
    assert app.button(key="spec_race_run").disabled
    app.session_state["spec_said"] = race.SAME
    app.run()
    for draft in ("scribbler", "prompt lookup"):  # one that agrees, one that has nothing to say
        app.selectbox(key="spec_draft").set_value(draft).run()
        press(app, "spec_race_run")
        job = lesson(app).jobs["spec_race"]
        while job.is_running:
            app.run()
        found = job.found
        assert found.draft == draft
        text = Generation(lesson(app).lm, RACES[1])
        for _ in found.token_ids:
            text.step(Settings(temperature=0))
        assert tuple(text.ids[text.n_prompt :]) == found.token_ids
        assert found.is_same
        assert sum(n for _, n in found.rounds) == len(found.token_ids) == 12
        plain, drafted = race.pieces_of(lesson(app), found)
        assert drafted[-1][1:] == (race.TOLD, 12), "once both texts are there"
        written = "".join(word for word, role, _ in drafted if role not in (race.TOLD, "rejected"))
        assert written == "".join(word for word, *_ in plain)
        a_round = duration(found.seconds / len(found.rounds))
        assert a_round in race.round_words(found), "why fewer passes are not as much faster"
    monkeypatch.setattr(race, "MAX_PROMPT", 3)
    press(app, "spec_race_run")
    assert "shorten" in errors(app)
    assert lesson(app).jobs["spec_race"] is job


def test_another_model_on_the_first_page_becomes_the_target(app: AppTest) -> None:
    lm = tiny("llama")
    home = SimpleNamespace(lm=lm, generation=Generation(lm, "the dog"))
    app.text_input(key="spec_prompt").set_value("The cat").run()
    app.session_state["reader"] = home
    app.run()
    assert not app.exception
    assert lesson(app).lm is lm
    assert lesson(app).pair.draft_name == app.selectbox(key="spec_draft").value == "prompt lookup"
    assert "scribbler has another tokenizer" in app.error[0].value
    assert app.text_input(key="spec_prompt").value == "the dog", "what is said is what is written"
    text = steps(app).text
    assert text.ids[: text.n_prompt] == home.generation.prompt_ids


def test_drafts_are_compared_and_both_proofs_run(
    app: AppTest, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(speed, "N_TOKENS", 4)
    monkeypatch.setattr(speed, "COMPARED_PROMPTS", speed.PROMPTS)
    monkeypatch.setattr(proof, "N_DRAWS", 300)
    monkeypatch.setattr(proof, "PROMPTS", proof.PROMPTS[:3])
    for key, said in (
        ("spec_drafts", "is accepted most often"),
        ("spec_greedy", "3 of 3 texts"),
        ("spec_sampled", "χ²"),
    ):
        press(app, f"{key}_run")
        while lesson(app).jobs[key].is_running:
            app.run()
        assert not app.exception
        assert said in words(app)
    names = [report.name for report in lesson(app).jobs["spec_drafts"].found]
    assert names == ["scribbler", "scribbler_taught", "scribbler_plain", "prompt lookup"]
    assert "300 times" in words(app)


@pytest.mark.browser
def test_a_round_unfolds_before_everybody(turn_to: Callable[[str], Page]) -> None:
    page = turn_to("speculative")
    expect(page.get_by_text("Both caches drop what was rejected.")).to_be_visible()
    by_key(page, "spec_step").get_by_role("button").click()
    expect(page.get_by_text("The draft writes ahead")).to_be_visible()
    assert_accessible_to_all(page)
