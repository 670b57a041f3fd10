"""The speculative lesson's second part: the clock, the arithmetic, and drafts beside each other."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import streamlit as st

from model.speculative.proof import PROMPTS as HUNDRED_PROMPTS
from model.speculative.records import DraftReport
from model.speculative.timing import (
    SpeedTest,
    predict_speed_up,
    report_draft,
    textbook_round,
    textbook_speed_up,
    tokens_per_round,
)
from model.tokenizing import encode
from pages.frame.code_that_ran import show_code
from pages.frame.figures import show_chart, show_metrics, theme_now
from pages.frame.models import shared_model
from pages.frame.running import halt, in_slices, is_running, start_or_stop
from pages.lessons.speculative.settings import SETTINGS
from pages.lessons.speculative.state import LOOKUP, Choice, Lesson, Run, offered_drafts
from viz.format import count, digits, duration, percent, plural
from viz.speculative.charts import acceptance_figure, round_figure, speed_figure

SLICE_SECONDS = 0.35  # of work between two looks at the buttons
N_REPORT_TOKENS, N_REPORT_DRAFT = 48, 6
PROMPTS = (
    "Once upon a time there was a little girl who",
    "One day, a boy named Tim went to the park. He saw",
    "The dragon opened the door and",
)
REPORT_PROMPTS = (*PROMPTS, *HUNDRED_PROMPTS[4::11])  # agreement varies much from text to text


def show_speed(lesson: Lesson) -> None:
    """Offer the race against plain decoding, and show its parts."""
    st.header("Sooner by how much?", anchor=False)
    st.markdown(
        "**A round pays where the guesses stay and the draft is cheap: too few guesses leave the "
        "target waiting, too many are guessed in vain.** Greedy, the same texts on both sides."
    )
    in_slices(lambda: lesson.speed_run, lambda: _speed(lesson), SLICE_SECONDS)
    show_code(
        SpeedTest._measure,
        tokens_per_round,
        predict_speed_up,
        textbook_speed_up,
        key="spec_code_2",
    )


def run_controls(
    lesson: Lesson, run: Run | None, title: str, key: str, start: Callable[[], None]
) -> None:
    """Show Start or Stop, how far the work is, and what went wrong."""
    with st.container(horizontal=True, vertical_alignment="center", key=f"{key}_buttons"):
        start_or_stop(
            is_running=is_running(run),
            title=title,
            key=key,
            start=lambda: lesson.try_to(start),
            stop=lambda: halt(run),
        )
    if run is not None and run.is_running:
        waiting = ", waiting for another reader’s measurement" if run.is_waiting else ""
        st.progress(min(1.0, run.done), f"{round(100 * run.done)} %{waiting}")
    if run is not None and run.notice:
        st.error(run.notice)


def _speed(lesson: Lesson) -> None:
    test = lesson.speed
    run_controls(lesson, lesson.speed_run, "Measure", "spec_speed", lambda: _start_speed(lesson))
    lm, theme = lesson.lm, theme_now()
    where = lm.where
    if test is not None and test.n_done:
        where = f"{where}, {lm.name} with {lesson.speed_draft}"
        speeds = test.speeds()
        show_chart(
            speed_figure(speeds, test.extremes(), test.extremes_at, where, theme), "spec_speeds"
        )
        _numbers(test)
    _arithmetic(test, where)


def _start_speed(lesson: Lesson) -> None:
    lesson.walk.is_playing = False  # it would be timed as well
    choice = lesson.choice
    prompts = [encode(lesson.lm, prompt) for prompt in PROMPTS]
    test = SpeedTest(lesson.lm, choice.make, prompts)
    lesson.speed, lesson.speed_draft = test, choice.name
    lesson.speed_run = Run(_work(test), is_timed=True)


def _work(test: SpeedTest) -> Iterator[float]:
    n_written, n_texts = 0, test.n_texts
    while test.advance():
        n_written += 1
        yield min(1.0, n_written / n_texts)


def _numbers(test: SpeedTest) -> None:
    """Show the parts, and whether the texts were the same."""
    parts, speeds = test.parts(), test.speeds()
    best = max(speeds, key=lambda one: one.measured)
    way = "adaptive" if best.n_draft is None else f"{best.n_draft} a round"
    ratio = parts.verify_seconds[5] / parts.decode_seconds
    n_runs = test.n_runs_done
    runs = "one run, not yet whole" if n_runs == 0 else f"medians of {plural(n_runs, 'run')}"
    cells = [
        ("measured speed-up", f"{best.measured:.2f}", f"at its best, {way}; {runs}"),
        (
            "guesses that stayed",
            percent(parts.overall),
            f"of {count(sum(parts.n_tested))} that were looked at",
        ),
        (
            "tokens per target pass",
            f"{best.tokens_per_round:.2f}",
            f"{digits(best.mean_proposed, 2)} guesses in a round; a text’s last round may be short",
        ),
        (
            "a draft step",
            duration(parts.draft_seconds),
            f"{parts.draft_seconds / parts.decode_seconds:.2f} of a plain step of the target",
        ),
        (
            "a verification of 5",
            duration(parts.verify_seconds[5]),
            f"{ratio:.2f} of a plain step ({duration(parts.decode_seconds)})",
        ),
    ]
    show_metrics(cells, "spec_numbers")
    n_tokens = count(sum(one.n_tokens for one in speeds))
    same = f"All {n_tokens} tokens are those of plain greedy decoding"
    if not all(one.is_same for one in speeds):
        same = f"Not all {n_tokens} tokens are those of plain greedy decoding"
    st.caption(
        f"{same}; the same text is promised in float32 only. "
        "Both sides read with the same passes and stop at the same tokens; reading the prompt is "
        "not counted. Of each part the mean over a text counts, and of all texts the median. "
        "Prediction: tokens a round by the measured acceptance at each place, over draft steps, "
        "one verification and what lies between. The textbook formula takes a verification for one "
        "decode step and one chance for all places."
    )


def _arithmetic(test: SpeedTest | None, where: str) -> None:
    """Draw a round as time: as it was measured, or the textbook's example."""
    st.subheader("The arithmetic of a round", anchor=False)
    cost = textbook_round()
    if test is None or not test.n_done:
        st.markdown("The textbook’s example; press Measure for the numbers of this machine.")
    else:
        chosen = SETTINGS.widget("preset", label_visibility="collapsed")
        if chosen == "measured":
            cost = test.cost(SETTINGS["guesses"])
    show_chart(round_figure(cost, where, theme_now()), "spec_round")


# Drafts beside each other


def show_drafts(lesson: Lesson) -> None:
    """Offer to compare the drafts that go with this target."""
    st.header("Agreement comes from distillation", anchor=False)
    st.markdown(
        "**A draft taught by the target guesses what the target would say; one of the same size "
        "that was taught by text alone agrees less.** Prompt lookup has no model: it agrees where "
        "the text repeats itself."
    )
    in_slices(lambda: lesson.report_run, lambda: _drafts(lesson), SLICE_SECONDS)
    show_code(report_draft, key="spec_code_3")


def _drafts(lesson: Lesson) -> None:
    run_controls(
        lesson, lesson.report_run, "Compare drafts", "spec_drafts", lambda: _start_reports(lesson)
    )
    if lesson.reports:
        show_chart(acceptance_figure(lesson.reports, theme_now()), "spec_acceptance")
        st.dataframe(
            {
                "draft": [one.name for one in lesson.reports],
                "guesses that stayed": [percent(one.overall) for one in lesson.reports],
                "tokens per target pass": [
                    f"{one.n_tokens / one.n_rounds:.2f}" for one in lesson.reports
                ],
                "tokens written": [one.n_tokens for one in lesson.reports],
            },
            hide_index=True,
            key="spec_reports",
        )


def _start_reports(lesson: Lesson) -> None:
    lesson.walk.is_playing = False
    lesson.reports = []
    lesson.report_run = Run(_reports(lesson))


def _reports(lesson: Lesson) -> Iterator[float]:
    names = list(dict.fromkeys([lesson.choice.name, *offered_drafts()]))
    prompts = [encode(lesson.lm, prompt) for prompt in REPORT_PROMPTS]
    for index, name in enumerate(names):
        try:
            choice = lesson.choice if name == lesson.choice.name else _choice(lesson, name)
        except ValueError:
            continue  # another tokenizer: the page has said so where it was chosen
        reports = report_draft(
            lesson.lm, choice.make, choice.name, prompts, N_REPORT_TOKENS, N_REPORT_DRAFT
        )
        for step, report in enumerate(reports, start=1):
            kept: list[DraftReport] = [one for one in lesson.reports if one.name != report.name]
            lesson.reports = [*kept, report]
            yield (index + step / len(prompts)) / len(names)


def _choice(lesson: Lesson, name: str) -> Choice:
    return Choice(lesson.lm, None if name == LOOKUP else shared_model(name))
