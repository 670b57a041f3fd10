"""The speculative lesson's second part: the clock, the arithmetic, and drafts beside each other."""

from __future__ import annotations

from collections.abc import Iterator

import streamlit as st

from model.records.speculative import DraftReport
from model.speculative_timing import (
    SpeedTest,
    predict_speed_up,
    report_draft,
    textbook_round,
    textbook_speed_up,
    tokens_per_round,
)
from model.tokenizing import encode
from pages.parts.code_that_ran import show_code
from pages.parts.kv_growth import show_chart, theme_now
from pages.parts.models import shared_model
from pages.parts.spec_state import LOOKUP, Choice, Lesson, Run, offered_drafts
from viz.speculative_charts import acceptance_figure, round_figure, speed_figure
from viz.units import count, digits, duration, percent

SLICE_SECONDS = 0.35  # of work between two looks at the buttons
CLOCK_SECONDS = 0.15  # after which the next slice is asked for
N_REPORT_TOKENS, N_REPORT_DRAFT = 48, 6
PROMPTS = (
    "Once upon a time there was a little girl who",
    "One day, a boy named Tim went to the park. He saw",
    "The dragon opened the door and",
)
PRESETS = ("measured here", "textbook, illustrative")


def show_speed(lesson: Lesson) -> None:
    """Offer the race against plain decoding, and show its parts."""
    st.header("Sooner by how much?", anchor=False)
    st.markdown(
        "**A round pays where the guesses stay and the draft is cheap: too few guesses leave the "
        "target waiting, too many are guessed in vain.** Greedy, the same texts on both sides."
    )
    is_running = _is_running(lesson.speed_run)
    st.fragment(_speed, run_every=CLOCK_SECONDS if is_running else None)(lesson, is_running)
    show_code(
        SpeedTest._measure,
        tokens_per_round,
        predict_speed_up,
        textbook_speed_up,
        key="spec_code_2",
    )


def _is_running(run: Run | None) -> bool:
    return run is not None and run.is_running


def run_controls(run: Run | None, start: str, key: str, on_start: object, on_stop: object) -> None:
    """Show Start or Stop, how far the work is, and what went wrong."""
    with st.container(horizontal=True, vertical_alignment="center", key=f"{key}_buttons"):
        if run is not None and run.is_running:
            st.button("Stop", key=f"{key}_stop", on_click=on_stop, icon=":material/stop:")  # type: ignore[arg-type]  # a callback
        else:
            st.button(start, key=f"{key}_run", type="primary", on_click=on_start)  # type: ignore[arg-type]  # a callback
    if run is not None and run.is_running:
        st.progress(min(1.0, run.done), f"{round(100 * run.done)} %")
    if run is not None and run.notice:
        st.error(run.notice)


def _speed(lesson: Lesson, has_clock: bool) -> None:
    run, test = lesson.speed_run, lesson.speed
    if _is_running(run) != has_clock:
        st.rerun()  # the fragment's clock starts and stops with the whole page
    run_controls(
        run,
        "Measure",
        "spec_speed",
        lambda: lesson.try_to(lambda: _start_speed(lesson)),
        lambda: _stop(lesson.speed_run),
    )
    lm, theme = lesson.lm, theme_now()
    where = f"{lm.device}, {str(lm.dtype).removeprefix('torch.')}"
    if test is not None and test.n_done:
        where = f"{where}, {lm.name} with {lesson.speed_draft}"
        speeds = test.speeds()
        show_chart(
            speed_figure(speeds, test.extremes(), test.extremes_at, where, theme), "spec_speeds"
        )
        _numbers(test)
    _arithmetic(test, where)
    if run is not None and run.is_running:
        run.slice(SLICE_SECONDS)  # after all is drawn, so that nothing fades while it runs
        if not run.is_running:
            st.rerun()


def _start_speed(lesson: Lesson) -> None:
    lesson.walk.is_playing = False  # it would be timed as well
    choice = lesson.choice
    prompts = [encode(lesson.lm, prompt) for prompt in PROMPTS]
    test = SpeedTest(lesson.lm, choice.make, prompts)
    lesson.speed, lesson.speed_draft = test, choice.name
    lesson.speed_run = Run(_work(test))


def _work(test: SpeedTest) -> Iterator[float]:
    n_texts = 2 + len(test.lengths) + test.n_units * (len(test.lengths) + 3)
    n_written = 0
    while test.advance():
        n_written += 1
        yield min(1.0, n_written / n_texts)


def _stop(run: Run | None) -> None:
    if run is not None:
        run.stop()


def _numbers(test: SpeedTest) -> None:
    """Show the parts, and whether the texts were the same."""
    parts, speeds = test.parts(), test.speeds()
    best = max(speeds, key=lambda one: one.measured)
    way = "adaptive" if best.n_draft is None else f"{best.n_draft} a round"
    ratio = parts.verify_seconds[5] / parts.decode_seconds
    cells = [
        ("measured speed-up", f"{best.measured:.2f}", f"at its best, {way}; medians of 3 runs"),
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
        (
            "same texts",
            "yes" if all(one.is_same for one in speeds) else "no",
            f"{count(sum(one.n_tokens for one in speeds))} tokens against plain greedy decoding; "
            "promised in float32 only",
        ),
    ]
    with st.container(horizontal=True, key="spec_numbers"):
        for name, value, note in cells:
            with st.container(width=195, gap=None):
                st.metric(name, value)
                st.caption(note)
    st.caption(
        "Both sides read with the same passes and stop at the same tokens; reading the prompt is "
        "not counted. Of each part the mean over a text counts, and of all texts the median. "
        "Prediction: tokens a round by the measured acceptance at each place, over draft steps, "
        "one verification and what lies between. The textbook formula takes a verification for one "
        "decode step and one chance for all places."
    )


def _arithmetic(test: SpeedTest | None, where: str) -> None:
    """Draw a round as time: as it was measured, or the textbook's example."""
    st.subheader("The arithmetic of a round", anchor=False)
    is_measured = test is not None and test.n_done > 0
    chosen = st.segmented_control(
        "Whose numbers",
        PRESETS,
        default=PRESETS[0],
        key="spec_preset",
        label_visibility="collapsed",
        persist_state="session",
    )
    if chosen != PRESETS[1] and is_measured and test is not None:
        cost = test.cost(int(st.session_state.get("spec_length", 4)))
    else:
        cost = textbook_round()
        if chosen != PRESETS[1]:
            st.caption("Nothing has been measured yet, so this is the textbook’s example.")
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
    is_running = _is_running(lesson.report_run)
    st.fragment(_drafts, run_every=CLOCK_SECONDS if is_running else None)(lesson, is_running)
    show_code(report_draft, key="spec_code_3")


def _drafts(lesson: Lesson, has_clock: bool) -> None:
    run = lesson.report_run
    if _is_running(run) != has_clock:
        st.rerun()
    run_controls(
        run,
        "Compare drafts",
        "spec_drafts",
        lambda: lesson.try_to(lambda: _start_reports(lesson)),
        lambda: _stop(lesson.report_run),
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
    if run is not None and run.is_running:
        run.slice(SLICE_SECONDS)
        if not run.is_running:
            st.rerun()


def _start_reports(lesson: Lesson) -> None:
    lesson.walk.is_playing = False
    lesson.reports = []
    lesson.report_run = Run(_reports(lesson))


def _reports(lesson: Lesson) -> Iterator[float]:
    names = list(dict.fromkeys([lesson.choice.name, *offered_drafts()]))
    prompts = [encode(lesson.lm, prompt) for prompt in PROMPTS]
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
