"""The speculative lesson as Streamlit runs it: rounds, drafts, runs that stop, bad input."""

from __future__ import annotations

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from pages.parts import spec_proof, spec_speed
from pages.parts.spec_state import CROP, PROPOSE, Lesson
from tests.tiny_models import bare_model, save

ROOT = Path(__file__).parents[2]


@pytest.fixture
def app() -> AppTest:
    """The lesson, opened without the first page."""
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120)
    app.switch_page("pages/speculative.py").run()
    assert not app.exception
    return app


def lesson(app: AppTest) -> Lesson:
    found = app.session_state["spec_lesson"]
    assert isinstance(found, Lesson)
    return found


def press(app: AppTest, key: str) -> None:
    app.button(key=key).click().run()
    assert not app.exception


def words(app: AppTest) -> str:
    return " ".join(one.value for one in [*app.caption, *app.markdown])


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
    assert {metric.label for metric in app.metric} >= {"measured speed-up", "same texts"}
    assert "the measured parts predict" in words(app)
    assert "at best, with the bonus, it gives 5 tokens" in words(app)


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
