"""The lesson on the mask as Streamlit runs it: texts, edits, the mask off, the loop, bad input."""

from __future__ import annotations

import json
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from model.loading import LanguageModel
from model.tokenizing import text_of
from pages.lessons.causal_mask import losses as mask_losses
from pages.lessons.causal_mask import training as mask_training
from pages.lessons.causal_mask.lesson import EXAMPLES
from pages.lessons.causal_mask.state import MaskLesson, Reading
from tests.frame.driving import captions, kept, open_home, open_lesson, press
from tests.tiny_models import tiny


@pytest.fixture
def app() -> AppTest:
    """The lesson, opened without the first page."""
    return open_lesson("pages/causal_mask.py")


def lesson(app: AppTest) -> MaskLesson:
    return kept(app, "mask_lesson", MaskLesson)


def metric(app: AppTest, label: str) -> str:
    return str(next(one.value for one in app.metric if one.label == label))


def spec(app: AppTest, key: str) -> dict[str, Any]:
    return dict(json.loads(app.get_by_key(key).proto.spec))


def test_it_opens_with_all_that_it_claims_measured(app: AppTest) -> None:
    said = captions(app)
    assert "Largest weight on a later position, in all layers and heads: 0" in said
    assert "“␣girl” replaced by “␣boy” at position 10" in said
    assert metric(app, "Largest change before it") == "0"
    assert metric(app, "Without the mask") != "0"
    assert "most at “␣ball”" in said
    assert metric(app, "Bits per byte").startswith("0.")
    assert not app.error


def test_the_mask_can_be_taken_off_and_put_on_again(app: AppTest) -> None:
    app.segmented_control(key="mask_mask").set_value("off").run()
    assert not app.exception
    assert "of all attention looks ahead" in captions(app)
    n_maps = [trace["type"] for trace in spec(app, "mask_map")["data"]].count("heatmap")
    assert n_maps == 2
    app.segmented_control(key="mask_mask").set_value("on").run()
    assert "looks ahead" not in captions(app)


def test_layer_and_head_choose_the_map(app: AppTest) -> None:
    app.selectbox(key="mask_layer").set_value(2).run()
    app.selectbox(key="mask_head").set_value(0).run()
    assert not app.exception
    assert "layer 3, the mean of all heads" in captions(app)


def test_another_token_is_changed_and_a_typed_word_stands_there(app: AppTest) -> None:
    press(app, "mask_late")
    assert "Largest change of any logit before it: exactly 0" in captions(app)
    press(app, "mask_early")
    app.text_input(key="mask_instead").set_value("dog").run()
    assert "“␣girl” replaced by “␣dog” at position 10" in captions(app)
    app.text_input(key="mask_instead").set_value("girl").run()
    assert "stands there already" in app.error[0].value
    assert "“␣girl” replaced by “␣boy”" in captions(app)
    app.text_input(key="mask_instead").set_value("xq zz kj ww vv qq jj kk pp yy").run()
    assert not app.exception
    assert "write between 1 and 8" in app.error[0].value


def test_a_text_is_taken_and_a_bad_one_leaves_it(app: AppTest) -> None:
    press(app, "mask_example_2")
    assert lesson(app).reading.labels[-1] == "."
    kept = lesson(app).reading
    for text, words in (
        ("word " * 400, "shorten it"),
        ("", "write"),
        ("a", "too short"),
    ):
        app.text_area(key="mask_text").set_value(text).run()
        assert not app.exception
        assert words in app.error[0].value
        assert lesson(app).reading is kept
    app.text_area(key="mask_text").set_value("The dog ran to the big tree.").run()
    assert not app.error
    assert "".join(lesson(app).reading.labels[1:4]) == "The␣dog␣ran"


def test_a_long_text_is_mapped_as_far_as_a_picture_shows_it(app: AppTest) -> None:
    app.text_area(key="mask_text").set_value("The dog ran. " * 16).run()
    assert not app.exception
    assert "The maps are of the first 48 tokens" in captions(app)
    assert len(lesson(app).reading.ids) > 60


def test_labels_that_look_like_markup_stay_characters(app: AppTest) -> None:
    app.text_area(key="mask_text").set_value("<script> **b** $x$ :smile: <b>cat</b> sat").run()
    assert not app.exception
    assert "<script>" not in json.dumps(spec(app, "mask_map"))


def test_the_loop_finds_the_same_losses_and_can_be_stopped(
    app: AppTest, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mask_losses, "SLICE_SECONDS", 0.0)
    press(app, "mask_run")
    press(app, "mask_stop")
    assert "Stopped after 0 of 32 steps" in captions(app)
    monkeypatch.setattr(mask_losses, "SLICE_SECONDS", 60.0)
    press(app, "mask_run")
    if lesson(app).is_running:
        app.run()
    run = lesson(app).run
    assert run is not None
    assert run.work.is_done
    app.run()
    assert not app.exception
    assert metric(app, "Passes of the model") == "1 and 32"
    assert "times as long" in captions(app)


def test_two_copies_are_trained_and_can_be_stopped(
    app: AppTest, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mask_training, "SLICE_SECONDS", 0.001)
    press(app, "mask_train")
    press(app, "mask_train_stop")
    run = lesson(app).trained
    assert run is not None
    assert not run.is_running
    assert not run.work.is_at_work
    assert 1 <= len(run.work.moments) <= 5
    assert "trained without the mask" in captions(app)
    assert metric(app, "With the mask").endswith("nats")
    press(app, "mask_example_1")
    assert lesson(app).trained is None


def test_the_first_page_s_text_can_be_read_and_stays_as_it_is() -> None:
    app = open_home()
    app.switch_page("pages/causal_mask.py").run()
    home = list(app.session_state["reader"].generation.ids)
    press(app, "mask_home")
    assert lesson(app).reading.ids == home
    assert app.session_state["reader"].generation.ids == home


@pytest.mark.parametrize("architecture", ["gpt2", "bloom", "mamba"])
def test_any_model_is_shown_and_what_it_cannot_do_is_said(app: AppTest, architecture: str) -> None:
    lm = tiny(architecture)
    app.session_state["mask_lesson"] = MaskLesson(lm, Reading(lm, list(range(5, 25))))
    app.run()
    assert not app.exception
    said = " ".join(info.value for info in app.info)
    assert ("built into its layers" in said) == (architecture != "gpt2")
    assert ("no attention weights" in said) == (architecture == "mamba")
    assert metric(app, "Largest change before it")


def test_presenter_draws_larger(app: AppTest) -> None:
    height = spec(app, "mask_losses")["layout"]["height"]
    app.toggle(key="presenter").set_value(True).run()
    assert not app.exception
    assert spec(app, "mask_losses")["layout"]["height"] > 1.2 * height


def test_every_example_fits(storyteller: LanguageModel) -> None:
    state = MaskLesson(storyteller, Reading(storyteller, [0]))
    for text in EXAMPLES.values():
        state.read(text)
        assert state.notice is None
        assert text_of(storyteller.tokenizer, state.reading.ids) == text
