"""The lesson on stopping as Streamlit runs it, and what it draws."""

import re
from itertools import pairwise
from math import log10

import pytest
from streamlit.testing.v1 import AppTest

from model.job import finish
from model.language_model import LanguageModel
from model.loading import load_model
from model.sampling import Settings
from model.stopping import StopStrings
from model.stopping.experiments import moments, write_to_the_end
from model.stopping.records import EndCurve, EndStep
from model.stopping.small_cases import end_in_a_round, next_tokens, search_string
from pages.lessons.stopping.lesson import AFTER_A_STOP, LATER, MASKS, StoppingLesson
from pages.lessons.stopping.settings import EXAMPLES, SETTINGS
from pages.lessons.stopping.small_cases import (
    CASES,
    DRAFT,
    DROPPED,
    LITTLE,
    STRING,
    TEXT,
    WITH_DRAFT,
)
from tests.frame.driving import errors, kept, open_lesson, press, words
from viz.format import percent
from viz.palette import colour
from viz.stopping.end_chart import LEAST, end_figure
from viz.stopping.end_picture import TOLD, end_picture, end_words, large_steps, where_words
from viz.stopping.small_cases import round_picture
from viz.stopping.stream_picture import moments_table, stream_picture
from viz.strip import HATCH

VIETNAMESE, STOP = EXAMPLES["Vietnamese"]


def lesson(app: AppTest) -> StoppingLesson:
    return kept(app, "stopping_lesson", StoppingLesson)


@pytest.mark.usefixtures("storyteller")
def test_a_reader_s_own_text_streams_to_its_stop_string() -> None:
    app = open_lesson("pages/stopping.py", text=VIETNAMESE, stop=STOP)
    assert not errors(app)
    steps = lesson(app).stepper.steps
    while steps.can_step:
        app.button(key="stopping_step").click().run()
    last = steps.moments[-1]
    assert (last.match, last.sent) == (STOP, VIETNAMESE.partition(STOP)[0])
    app.button(key="stopping_back").click().run()
    assert steps.can_step
    app.text_area(key="stopping_stop").set_value("a\n" * 5).run()
    assert errors(app)
    assert lesson(app).stepper.steps is steps


@pytest.mark.parametrize("name", EXAMPLES)
def test_every_example_sends_what_its_end_leaves(storyteller: LanguageModel, name: str) -> None:
    text, stop = EXAMPLES[name]
    strings = tuple(stop.split("\n")) if stop else ()
    found = moments(storyteller, text, StopStrings(strings))
    ended_by = [string for string in strings if string in text]
    assert found[-1].sent == (text.partition(ended_by[0])[0] if ended_by else text)
    assert "".join(moment.new for moment in found) == found[-1].sent
    assert any(moment.held for moment in found)
    for n_shown in range(len(found) + 1):
        picture = stream_picture(found, n_shown, strings)
        n_held = len(found[n_shown - 1].held) if n_shown else 0
        assert picture.count('title="held') == 2 * n_held  # in its token, and in the tray
        n_left_out = (
            0 if n_shown < len(found) else sum(len(m.data) for m in found) - found[-1].n_sent
        )
        assert picture.count('title="left out') == n_left_out
        assert moments_table(found, n_shown).count("<tr") == len(found) + 1


def test_a_text_is_data_in_the_picture(storyteller: LanguageModel) -> None:
    found = moments(storyteller, "<script>x</script>", StopStrings(("</",)))
    assert "<script" not in stream_picture(found, len(found), ("</",)).lower()
    assert "<script" not in moments_table(found, len(found)).lower()


def test_the_end_token_is_measured_before_and_after_the_settings(
    storyteller: LanguageModel,
) -> None:
    asked = storyteller, "Once upon a time"
    for settings in (Settings(repetition_penalty=1.5), Settings(top_p=0.9)):
        curve = finish(write_to_the_end(*asked, settings, (), 12, 0))
        assert (len(curve.steps), curve.finished, curve.n_prompt_ends) == (12, "length", 1)
        assert all(0 < step.raw < 1 and step.masked != step.raw for step in curve.steps)
    assert all(step.masked == 0 or step.masked > step.raw for step in curve.steps)  # top-p
    assert any(step.masked == 0 for step in curve.steps)
    lines = end_figure(curve).figure.data
    assert list(lines[0]["y"]) == [max(LEAST, step.raw) for step in curve.steps]
    low, high = end_figure(curve).figure.layout["yaxis"]["range"]
    assert low < log10(LEAST) < 0 < high


SAMPLED = Settings(**{name: SETTINGS[name] for name in MASKS})


@pytest.mark.parametrize("n_pressed", range(3))
def test_the_end_is_likely_after_a_sentence_alone_in_the_first_texts(
    storyteller: LanguageModel, n_pressed: int
) -> None:
    asked = storyteller, SETTINGS["prompt"], SAMPLED, ()
    curve = finish(write_to_the_end(*asked, SETTINGS["limit"], SETTINGS["seed"] + n_pressed))
    hits = [any(a <= step.pointer < b for a, b in step.segments) for step in curve.steps]
    assert curve.finished == "eos"
    assert hits == [False] * (len(hits) - 1) + [True]
    widths = [sum(b - a for a, b in step.segments) for step in curve.steps]
    assert widths == pytest.approx([step.masked for step in curve.steps], abs=1e-9)
    stopped = [".", *(step.label for step in curve.steps[:-1])]  # before each step
    pairs = list(zip(stopped, widths, strict=True))
    assert max(width for label, width in pairs if label.endswith((".", "!"))) > 0.3
    assert max(width for label, width in pairs if not label.endswith((".", "!"))) < 0.01


def test_the_pointer_misses_the_end_until_it_falls_on_it(storyteller: LanguageModel) -> None:
    asked = storyteller, SETTINGS["prompt"], SAMPLED, ()
    curve = finish(write_to_the_end(*asked, SETTINGS["limit"], SETTINGS["seed"]))
    shown, covered = (
        str(end_picture(curve, SETTINGS["prompt"], is_covered=is_it)) for is_it in (False, True)
    )
    large = large_steps(curve, SETTINGS["prompt"])
    for drawn, n in ((shown, len(large)), (covered, 1)):
        assert drawn.count("end-pointer") == n, "one bar is open, as an example"
        assert drawn.count("end-row") == len(large), "nothing moves"
        assert drawn.count("end-column") == len(curve.steps) + 1
    assert shown.count("end-high") == len(curve.steps)
    heights = re.findall(r'height:([\d.]+)%[^>]*class="end-high"', shown)
    highs = [100 * step.masked for step in curve.steps]
    assert list(map(float, heights)) == pytest.approx(highs, abs=0.006), "of the whole bar"
    assert "end-high" not in covered
    assert ">end</span>" in shown
    assert ">end</span>" not in covered, "the last column would tell the answer"
    assert ">end</b>" not in covered
    stops = [step for before, step in pairwise(curve.steps) if before.label == "."]
    assert 0 < curve.steps[0].masked < TOLD < min(step.masked for step in stops)
    numbers = [percent(step.masked) for step in stops]
    told = re.findall(r"end-number\"><b[^>]*>(.+?)</b>", shown)
    assert told == numbers, "after each sentence, where the column is seen"
    first = percent(curve.steps[large[0]].masked)
    assert set(re.findall(r"<b[^>]*>([^<]*%)</b>", covered)) == {first}
    assert all(a <= step.pointer < b for step in curve.steps for a, b in [step.drawn])
    cut = finish(write_to_the_end(*asked, 3, SETTINGS["seed"]))
    assert cut.finished == "length"
    assert colour("kept-ink") not in end_picture(cut, SETTINGS["prompt"]), "nothing is hit"


def test_the_large_bars_are_within_a_sentence_after_one_and_the_last() -> None:
    def curve(*masked: float, labels: str) -> EndCurve:
        steps = tuple(
            EndStep(label, share, share, (), 0.5, (0.4, 0.6))
            for label, share in zip(labels, masked, strict=True)
        )
        return EndCurve(steps, "eos", None, labels, 0)

    usual = curve(0.3, 0.1, 0.02, 0.4, 0.01, 0.2, 0.5, labels="ab.cd.e")
    assert large_steps(usual, "It ended.") == [3, 5, 6], "the prompt's own end is not the first"
    assert large_steps(usual, "It did not end") == [0, 3, 6]
    assert large_steps(curve(0.3, 0.1, 0.5, labels="abc"), "It ended.") == [0, 1, 2]
    assert large_steps(curve(0.5, labels="a"), "It ended.") == [0]
    assert large_steps(curve(labels=""), "It ended.") == []
    assert "Nothing" in end_words(curve(labels=""))
    end_picture(curve(labels=""), "")
    assert percent(1 / 54_321) in where_words(curve(0.5, 1 / 54_321, labels="ab"), "It ended.")
    data = str(end_picture(curve(0.1, 0.2, labels="<>"), "<script>"))
    assert "<script" not in data


@pytest.mark.usefixtures("storyteller")
def test_a_stream_stands_still_until_its_question_is_answered() -> None:
    app = open_lesson("pages/stopping.py")
    assert app.button(key="stopping_play").disabled
    app.session_state["stopping_said"] = LATER
    app.run()
    assert not app.button(key="stopping_play").disabled


@pytest.mark.usefixtures("storyteller")
def test_the_end_is_asked_for_first_and_each_press_writes_another_text() -> None:
    app = open_lesson("pages/stopping.py")
    assert not any("end-high" in html.proto.body for html in app.get("html"))
    app.session_state["stopping_end_said"] = AFTER_A_STOP
    app.run()
    assert any("end-high" in html.proto.body for html in app.get("html"))
    first = lesson(app).asked
    press(app, "stopping_ends_run")
    assert lesson(app).asked == first | {"seed": first["seed"] + 1}
    app.session_state["stopping_temperature"] = 0.0  # another setting keeps its seed
    press(app, "stopping_ends_run")
    assert lesson(app).asked["seed"] == first["seed"] + 1


def test_a_stop_string_ends_the_text_that_is_written(storyteller: LanguageModel) -> None:
    work = write_to_the_end(
        storyteller, "Once upon a time", Settings(temperature=0), (" little g",), 60, 0
    )
    curve = finish(work)
    assert (curve.finished, curve.stopped_by) == ("stop", " little g")
    assert " little g" not in curve.sent


def test_the_small_cases_are_computed_by_the_model(storyteller: LanguageModel) -> None:
    without, behind = (next_tokens(storyteller, LITTLE + end) for end in ("", " "))
    assert behind.labels == (*without.labels, "␣")
    assert {name.strip("␣") for name, _ in without.best}.isdisjoint(name for name, _ in behind.best)
    assert sum(chance for _, chance in behind.best) < 1
    found = search_string(storyteller, TEXT, STRING)
    first, end = found.span
    assert not found.is_found_by_ids
    touched = "".join(found.labels[first:end]).replace("␣", " ")
    assert STRING in touched
    assert not touched.startswith(STRING), "it begins inside a token"
    assert found.sent == TEXT.partition(STRING)[0]
    assert search_string(storyteller, TEXT, " sat on").is_found_by_ids
    with pytest.raises(ValueError, match="part of it"):
        search_string(storyteller, TEXT, "dog")


def test_what_stands_behind_an_accepted_end_is_dropped_and_was_not_tested(
    storyteller: LanguageModel,
) -> None:
    """Adversary: a round that keeps what the target agrees with keeps the next story's start."""
    last = end_in_a_round(storyteller, load_model(DRAFT), WITH_DRAFT)
    n_kept = last.n_accepted
    assert last.has_ended
    assert 0 < n_kept < len(last.proposals)
    assert last.proposals[n_kept - 1] == "<|endoftext|>"
    assert last.proposals[n_kept:] == last.best[n_kept : len(last.proposals)], "the target agrees"
    assert last.n_read - last.n_kept == len(last.proposals) - n_kept + 1
    assert round_picture(last).count(HATCH) == len(last.proposals) - n_kept


@pytest.mark.usefixtures("storyteller")
def test_a_small_case_is_computed_when_it_is_opened_and_asks_before_it_shows() -> None:
    app = open_lesson("pages/stopping.py")
    assert not lesson(app).small_cases
    for key in CASES:
        app.session_state[f"stopping_{key}"] = True
    app.run()
    assert set(lesson(app).small_cases) == set(CASES)
    n_covered = len(app.get("html"))
    for key, said in zip(CASES, ("no", "no", DROPPED), strict=True):
        app.session_state[f"stopping_{key}_said"] = said
    app.run()
    assert not errors(app)
    assert len(app.get("html")) == n_covered + len(CASES)
    assert words(app).count("That is right.") == len(CASES)
