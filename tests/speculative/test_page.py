"""The speculative lesson as Streamlit runs it: rounds, drafts, runs that stop, bad input."""

from __future__ import annotations

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from model.generation import Generation
from model.timing import one_at_a_time
from pages.lessons.speculative import proof as spec_proof
from pages.lessons.speculative import speed as spec_speed
from pages.lessons.speculative.state import CROP, PROPOSE, Lesson
from tests.frame.driving import kept, open_lesson, press, words
from tests.tiny_models import bare_model, save, tiny


@pytest.fixture
def app() -> AppTest:
    """The lesson, opened without the first page."""
    return open_lesson("pages/speculative.py")


def lesson(app: AppTest) -> Lesson:
    return kept(app, "spec_lesson", Lesson)


def test_it_opens_on_a_whole_round_of_the_shipped_pair(app: AppTest) -> None:
    walk = lesson(app).walk
    assert lesson(app).choice.name == "scribbler"
    assert (len(walk.rounds), walk.stage) == (1, CROP)
    verdicts = [proposal.verdict for proposal in walk.rounds[0].proposals]
    assert verdicts == ["accepted", "accepted", "rejected", "not tested"]
    assert "this round gave 3 tokens for one pass of the target" in words(app)


def test_a_round_unfolds_stage_by_stage_and_back_folds_it(app: AppTest) -> None:
    n_before = len(lesson(app).walk.text.ids)
    press(app, "spec_step")
    assert lesson(app).walk.stage == PROPOSE
    assert "**propose**" in words(app)
    assert len(lesson(app).walk.shown_ids) == n_before
    for _ in range(3):
        press(app, "spec_step")
    assert lesson(app).walk.stage == CROP
    assert len(lesson(app).walk.shown_ids) > n_before
    written = list(lesson(app).walk.text.ids)
    for _ in range(4):
        press(app, "spec_back")
    assert len(lesson(app).walk.text.ids) == n_before
    app.toggle(key="spec_whole").set_value(True).run()
    press(app, "spec_step")
    assert lesson(app).walk.text.ids == written, "the same coins fall again"


def test_play_goes_on_until_pause(app: AppTest) -> None:
    press(app, "spec_play")
    stage = lesson(app).walk.stage
    app.run()
    assert (len(lesson(app).walk.rounds), lesson(app).walk.stage) != (1, stage)
    press(app, "spec_play")
    assert not lesson(app).walk.is_playing


def test_prompt_lookup_and_an_adaptive_draft_can_be_chosen(app: AppTest) -> None:
    app.toggle(key="spec_adaptive").set_value(True).run()
    app.toggle(key="spec_whole").set_value(True).run()
    press(app, "spec_step")
    assert len(lesson(app).walk.rounds) == 2
    app.text_input(key="spec_prompt").set_value("A red ball. A red ball. A red").run()
    app.selectbox(key="spec_draft").set_value("prompt lookup").run()
    assert not app.exception
    one = lesson(app).walk.rounds[0]
    assert one.proposals[0].label == "␣ball"
    assert one.n_steps == 0
    assert len(one.caches) == 1


def test_greedy_shows_no_coins(app: AppTest) -> None:
    app.slider(key="spec_temperature").set_value(0.0).run()
    assert not app.exception
    assert lesson(app).walk.rounds[0].is_greedy
    assert app.slider(key="spec_top_p").disabled
    assert app.number_input(key="spec_seed").disabled
    press(app, "spec_step")
    assert not app.error


def test_bad_input_gets_a_sentence_and_what_was_there_stays(app: AppTest, tmp_path: Path) -> None:
    walk = lesson(app).walk
    app.text_input(key="spec_prompt").set_value("word " * 200).run()
    assert "shorten it" in app.error[0].value
    assert lesson(app).walk is walk
    app.text_input(key="spec_prompt").set_value("The cat").run()
    assert not app.error
    walk = lesson(app).walk
    app.selectbox(key="spec_draft").set_value("another model").run()
    assert "Name a draft" in app.error[0].value
    folder = save(tmp_path / "other", bare_model("llama"))
    app.text_input(key="spec_other").set_value(str(folder)).run()
    assert not app.exception
    assert "has another tokenizer than storyteller: ids 0, 1, 2 and" in app.error[0].value
    assert lesson(app).walk is walk


def test_measuring_runs_in_slices_stops_and_keeps_what_it_measured(
    app: AppTest, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(spec_speed, "SLICE_SECONDS", 0.05)
    assert "Illustrative" in words(app)
    press(app, "spec_speed_run")
    test = lesson(app).speed
    assert test is not None
    test.n_tokens, test.lengths = 4, (1, 4)
    while not test.n_done:
        test.advance()
    press(app, "spec_speed_stop")
    assert not app.exception
    assert {metric.label for metric in app.metric} >= {"measured speed-up", "a draft step"}
    assert "tokens are those of plain greedy decoding" in words(app)
    assert "one run, not yet whole" in words(app)
    assert "the measured parts predict" in words(app)
    assert "at best, with the bonus, it gives 5 tokens" in words(app)


def test_measuring_waits_while_another_reader_measures(app: AppTest) -> None:
    with one_at_a_time() as has_turn:
        assert has_turn
        press(app, "spec_speed_run")
        app.run()
        run = lesson(app).speed_run
        assert run is not None
        assert run.is_waiting
        assert run.done == 0
        assert "waiting for another reader" in app.get("progress")[0].proto.text
    app.run()
    assert not run.is_waiting
    assert run.done > 0
    press(app, "spec_speed_stop")


def test_the_length_of_a_round_is_the_draft_s_own_where_it_is_adaptive(app: AppTest) -> None:
    assert not app.slider(key="spec_guesses").disabled
    app.toggle(key="spec_adaptive").set_value(True).run()
    assert app.slider(key="spec_guesses").disabled


def test_a_draft_of_another_kind_is_refused(app: AppTest) -> None:
    walk = lesson(app).walk
    app.selectbox(key="spec_draft").set_value("another model").run()
    for name, kind in (("unmasker", "masked"), ("gapfiller", "seq2seq")):
        app.text_input(key="spec_other").set_value(name).run()
        assert not app.exception
        assert app.error[0].value == f"{name} is a {kind} model: choose a causal one."
        assert lesson(app).walk is walk


def test_another_model_on_the_first_page_becomes_the_target(app: AppTest) -> None:
    class Reader:
        lm = tiny("llama")
        generation = Generation(lm, "the dog")

    app.text_input(key="spec_prompt").set_value("The cat").run()
    app.session_state["reader"] = Reader()
    app.run()
    assert not app.exception
    found = lesson(app)
    assert found.lm is Reader.lm
    assert found.choice.name == app.selectbox(key="spec_draft").value == "prompt lookup"
    assert "scribbler has another tokenizer than" in app.error[0].value
    assert "Prompt lookup drafts for now." in app.error[0].value
    assert app.text_input(key="spec_prompt").value == "the dog", "what is said is what is written"
    assert found.walk.text.ids[: found.walk.text.n_prompt] == Reader.generation.prompt_ids
    press(app, "spec_step")
    press(app, "spec_back")


def test_an_empty_text_begins_at_the_beginning(app: AppTest) -> None:
    app.text_input(key="spec_prompt").set_value("").run()
    assert not app.exception
    assert not app.error
    assert lesson(app).walk.text.n_prompt == 1


def test_drafts_are_compared(app: AppTest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spec_speed, "N_REPORT_TOKENS", 4)
    monkeypatch.setattr(spec_speed, "SLICE_SECONDS", 30)
    press(app, "spec_drafts_run")
    app.run()
    assert lesson(app).reports[0].name == "scribbler"
    assert lesson(app).reports[-1].name == "prompt lookup"
    assert "is believed most" in words(app)


def test_both_proofs_run_and_say_what_they_found(
    app: AppTest, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(spec_proof, "N_DRAWS", 300)
    monkeypatch.setattr(spec_proof, "N_TOKENS", 4)
    monkeypatch.setattr(spec_proof, "SLICE_SECONDS", 0.2)
    press(app, "spec_same_run")
    press(app, "spec_same_stop")
    n_texts = len(lesson(app).compared)
    assert 0 < n_texts < 100
    assert f"{n_texts} of {n_texts} text" in words(app)
    monkeypatch.setattr(spec_proof, "SLICE_SECONDS", 60)
    press(app, "spec_law_run")
    app.run()
    assert "χ²" in words(app)
    assert "300 times the first two tokens" in words(app)
