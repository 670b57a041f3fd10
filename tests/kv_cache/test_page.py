"""The cache lesson as Streamlit runs it: the text that grows, the race and Stop, bad input."""

import re
from types import SimpleNamespace

import pytest
from streamlit.testing.v1 import AppTest

from model.generation import Generation
from model.job import Job
from model.kv_cache.block_cache import BLOCK
from model.kv_cache.records import PrefixReuse, Race
from model.sampling import Settings
from pages.lessons.kv_cache.growth import ANSWERS
from pages.lessons.kv_cache.settings import COMMON
from pages.lessons.kv_cache.state import N_WATCHED, CacheLesson
from tests.frame.driving import (
    captions,
    errors,
    kept,
    open_home,
    open_lesson,
    press,
    words,
)
from tests.home.home_text import write
from tests.jobs import run_until
from tests.tiny_models import tiny


@pytest.fixture
def app() -> AppTest:
    """The lesson, opened without the first page, its question answered."""
    return answered(open_lesson("pages/kv_cache.py"))


def answered(app: AppTest) -> AppTest:
    app.session_state["kv_said"] = ANSWERS[-1]
    return app.run()


def lesson(app: AppTest) -> CacheLesson:
    return kept(app, "kv_lesson", CacheLesson)


def test_the_page_starts_with_the_first_page_s_prompt() -> None:
    app = open_home()
    home = write(app.session_state["reader"], "Once upon a time", 3)
    app.switch_page("pages/kv_cache.py").run()
    assert lesson(app).text.generation.ids == home[:-3]
    assert app.button(key="kv_step").disabled, "the question comes first"
    assert "Press Play" in words(answered(app))
    assert "That is right" not in words(app), "the picture answers first"
    press(app, "kv_step")
    assert lesson(app).text.generation.ids == home[:-2], "it writes what it wrote there"
    assert app.session_state["reader"].generation.ids == home


def test_c06_c26_a_text_grows_by_a_column_is_taken_back_watched_and_begun_anew(
    app: AppTest,
) -> None:
    n_before = lesson(app).text.generation.cache_tokens
    press(app, "kv_step")
    press(app, "kv_step")
    assert f"for each of {n_before + 2} positions" in captions(app)
    assert "agree to the byte" in captions(app)
    press(app, "kv_watch")
    assert "what it leaves can be written again" in captions(app)
    assert len(lesson(app).text.generation.steps) == 2
    press(app, "kv_back")
    assert lesson(app).text.generation.cache_tokens == n_before + 1
    assert f"for each of {n_before + 1} positions" in captions(app)
    press(app, "kv_reset")
    assert lesson(app).text.generation.cache_tokens == n_before
    for text, remedy in (("Once upon a time", ""), ("word " * 300, "shorten it")):
        app.text_input(key="kv_prompt").set_value(text)
        press(app, "kv_begin")
        assert lesson(app).text.generation.text == "Once upon a time"
        assert remedy in errors(app)


def test_play_is_no_longer_offered_where_the_picture_is_whole(app: AppTest) -> None:
    for _ in range(N_WATCHED):
        assert not app.button(key="kv_play").disabled
        assert "That is right" not in words(app), "the picture answers first"
        press(app, "kv_step")
    assert app.button(key="kv_play").disabled
    assert "That is right" in words(app)
    press(app, "kv_step")
    assert not app.button(key="kv_play").disabled, "Step goes on, and Play with it"


def test_of_columns_nobody_is_asked_where_none_are_kept(app: AppTest) -> None:
    assert "kv_said" in {group.key for group in app.button_group}
    lm = tiny("mamba")
    text = Generation(lm, "the dog")
    app.session_state["reader"] = SimpleNamespace(
        lm=lm, generation=text, controls=SimpleNamespace(settings=Settings)
    )
    app.run()
    assert not app.exception
    assert lesson(app).text.generation.ids == text.ids
    assert "kv_said" not in {group.key for group in app.button_group}


def test_the_numbers_behind_every_figure_come_when_they_are_opened(app: AppTest) -> None:
    figures = [chart.proto.id for chart in app.get("plotly_chart")]
    folds = [one for one in app.expander if one.label.lower().endswith("the numbers")]
    assert len(figures) == len(folds) > 3
    assert numbers(app) == []  # nothing is sent that nobody asked for
    app.session_state["kv_grid_more"] = True
    app.run()
    keys, values = (re.findall("<tr>", table) for table in numbers(app)[1:])
    assert len(keys) == len(values) > 8  # a row for each head of each layer


def numbers(app: AppTest) -> list[str]:
    """The tables of figures on the page, as they are sent."""
    sent = "".join(one.proto.body for one in app.get("html"))
    return re.findall('<div class="numbers">(.*?)</div>', sent, re.DOTALL)


def test_c24_c25_a_race_can_be_stopped_and_keeps_what_it_measured(app: AppTest) -> None:
    press(app, "kv_play")
    press(app, "kv_race_run")
    assert not lesson(app).stepper.is_playing
    app.run()
    press(app, "kv_race_run")
    job: Job[Race] = lesson(app).jobs["kv_race"]
    assert not job.is_running
    assert 0 < len(job.result.steps) < job.progress.n_total
    assert "counter and formula agree to the last operation" in captions(app)
    assert {metric.label for metric in app.metric} >= {"largest gap of logits", "same best token"}


def test_the_calculator_follows_its_inputs_and_takes_a_model_by_its_config(app: AppTest) -> None:
    def row(model: str) -> dict[str, str]:
        assert not app.exception
        rows = app.dataframe[-1].value.to_dict("records")
        return next(row for row in rows if row["model"] == model)

    assert row("Llama-2-13B")["a sequence"] == "6.71\u202fGB"
    app.number_input(key="kv_context").set_value(1000).run()
    assert row("GPT-2")["a sequence"] == "36.9\u202fMB"
    config = (
        '{"model_type": "mistral", "num_hidden_layers": 3, "num_attention_heads": 8, '
        '"num_key_value_heads": 2, "hidden_size": 64, "intermediate_size": 96, "vocab_size": 500}'
    )
    app.text_area(key="kv_config").set_value(config).run()
    assert row("a pasted mistral")["heads"] == "8 heads share 2"
    assert row("a pasted mistral")["a token"] == f"{2 * 3 * 2 * 8 * 2}\u202fB"
    for wrong, refusal in (
        ('{"model_type": "vit"}', "no causal language model"),
        ('{"model_type": "mamba", "hidden_size": 64}', "its cache does not grow"),
    ):
        app.text_area(key="kv_config").set_value(wrong).run()
        assert refusal in errors(app)
        assert row("GPT-2")["a sequence"] == "36.9\u202fMB"


def test_a_small_cache_is_shown_once_the_reader_has_said_a_number(app: AppTest) -> None:
    assert "smaller by" not in {metric.label for metric in app.metric}
    app.session_state["kv_small_said"] = "at 3 bits"
    app.run()
    app.select_slider(key="kv_small_bits").set_value(2).run()
    shown = {metric.label: metric.value for metric in app.metric}
    assert not app.exception
    assert float(shown["smaller by"].split()[0]) > 5


def test_an_edited_prompt_is_shown_once_the_reader_has_said_which_edit_keeps_most(
    app: AppTest,
) -> None:
    keys = {area.key for area in app.text_area}
    assert not keys & {"kv_first", "kv_second"}
    app.session_state["kv_prefix_said"] = "the first word"
    app.run()
    assert "right is **the last word**" in "".join(one.value for one in app.markdown)
    # the last word keeps most, the first word none but the token that begins every text
    kept = []
    for i in range(3):
        press(app, f"kv_change_{i}")
        kept.append(squares(app).count("solid"))
    assert kept[0] < kept[1] < kept[2]
    assert str(app.text_area(key="kv_second").value).startswith(COMMON[:20])
    # in blocks what is not whole is read again
    n_common = kept[2]
    app.segmented_control(key="kv_unit").set_value(BLOCK).run()
    assert squares(app).count("solid") == n_common // BLOCK * BLOCK
    # a class by what was recorded
    app.number_input(key="kv_readers").set_value(1).run()
    shown = {metric.label: metric.value for metric in app.metric}
    assert shown["bytes, each alone"] == shown["bytes, beginning shared"]
    assert not app.exception


def squares(app: AppTest) -> list[str]:
    """The borders of the second prompt's tokens, as they are sent."""
    strips = [one.proto.body for one in app.get("html") if "border:1.5px" in one.proto.body]
    return re.findall(r"border:1.5px (\w+) ", strips[-1])


def test_two_prompts_share_their_start_and_bad_input_keeps_the_last_figure(app: AppTest) -> None:
    app.session_state["kv_prefix_said"] = "the last word"
    app.run()
    app.text_area(key="kv_first").set_value("The cat sat on the mat")
    app.text_area(key="kv_second").set_value("The cat sat on the sofa")
    press(app, "kv_prefix_run")
    job: Job[PrefixReuse] = lesson(app).jobs["kv_prefix"]
    run_until(job, 999)
    app.run()
    assert "taken from the first prompt’s cache" in captions(app)
    assert app.get_by_key("kv_changes")
    app.text_area(key="kv_second").set_value("word " * 1500)
    press(app, "kv_prefix_run")
    assert "shorten it" in errors(app)
    assert lesson(app).jobs["kv_prefix"] is job
    assert (job.is_done, job.result.n_common) == (True, 6)
