"""The beam-search lesson below its title: the tree that grows, a step, the ranking, the cache."""

import math
from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import Any

import streamlit as st
from markupsafe import Markup
from streamlit.delta_generator import DeltaGenerator

from model.batch import Batch
from model.beam_search import BeamSearch, rank_finished
from model.beam_search.records import FinishedBeam
from model.loading import LanguageModel
from model.sentences import Sentence
from model.tokenizing import end_of, labels_of_text, text_of
from pages.frame.code_that_ran import show_code
from pages.frame.course import show_summary
from pages.frame.figures import draw_when_opened, show_chart
from pages.frame.layout import is_presenting
from pages.frame.lesson_state import lesson_state
from pages.frame.link import offer_link, refuse
from pages.frame.question import answered, was_answered
from pages.frame.second_run import draw_in_second_run
from pages.frame.stepper import show_stepper
from pages.lessons.beam_search.beginning import show_beginning
from pages.lessons.beam_search.comparisons import Costs, ExactSearch
from pages.lessons.beam_search.settings import SETTINGS, request_now
from pages.lessons.beam_search.state import (
    BeamLesson,
    BeamSteps,
    SearchRequest,
    begin,
)
from viz.beam_search.step_charts import cache_figure, candidates_figure, ranking_table
from viz.beam_search.tree import COLUMN_PIXELS, tree_figure
from viz.format import digits, nats, percent, plural

LESSON, SAID = "beam_lesson", "beam_said"
AT_TOKENS, LATER, NEVER = {2: "token 2", 3: "token 3"}, "later", "never"
FIRST_STEPS = 1  # of the tree that the question stands above
PLAY_SECONDS = 0.9  # between two steps: paced for the eye
N_PROMPT = 8  # characters of the prompt in the tree
MORE = 1.05  # times as likely: less is called the same
_TEXT = Markup('<p>{} <b translate="no">{}</b> {}{}</p>')
_TEXTS = Markup('<div class="beam-texts">{}</div>')


def show_beam_lesson(waiting: DeltaGenerator) -> None:
    """Draws the page for this reader."""
    lesson = lesson_state(LESSON, waiting, _begin, settings=SETTINGS, over_server=True)
    show_stepper(lambda: lesson.stepper, lambda: _steps(lesson), PLAY_SECONDS)
    with st.expander("Another prompt, more beams", key="beam_setup"):
        _controls(lesson)
    show_code(
        BeamSearch.step,
        BeamSearch._divide,
        BeamSearch._cannot_win,
        FinishedBeam.score,
        Batch.reorder,
        Batch.read,
        key="beam_code_1",
    )
    offer_link(SETTINGS, lesson.lm, lambda: {"searched": lesson.stepper.steps.request.penalty})
    draw_in_second_run(lambda: _show_laboratory(lesson))


def _show_laboratory(lesson: BeamLesson) -> None:
    ExactSearch(lesson).show()
    Costs(lesson).show()


def _begin(lm: LanguageModel, old: BeamLesson | None) -> BeamLesson:
    """Searches anew for what was searched with the model before, or for what a link asks."""
    if old is None:
        if max(SETTINGS["selected"], default=0) >= lm.vocab_size:
            refuse(SETTINGS, "selected", Sentence("the model has no such token"))
        # as far as the beginning that is asked for; the question is about the first tokens
        n_steps = max(FIRST_STEPS, len(SETTINGS["selected"]))
        return BeamLesson(lm, begin(lm, request_now(SETTINGS["searched"]), n_steps))
    SETTINGS.forget("selected")
    try:
        return BeamLesson(lm, begin(lm, old.stepper.steps.request))
    except ValueError as error:
        lesson = BeamLesson(lm, begin(lm, SearchRequest()))
        lesson.stepper.problem = f"{error} The page shows its first example instead."
        SETTINGS.put(**asdict(SearchRequest()))
        return lesson


def _controls(lesson: BeamLesson) -> None:
    """Lets the reader change the search; the new one goes as far as the old one was shown."""
    again: dict[str, Any] = {"on_change": _search_again, "args": (lesson,)}
    with st.container(horizontal=True, vertical_alignment="bottom", key="beam_sliders"):
        SETTINGS.widget("prompt", **again)
        SETTINGS.widget("beams", width=170, **again)
        SETTINGS.widget("tokens", width=170, **again)
        SETTINGS.widget("ends", width=240, **again)


def _search_again(lesson: BeamLesson, length_penalty: float | None = None) -> None:
    """Searches by what the controls say; if that cannot be, the search on the page stays.

    It is asked for among the steps' figures as well: the stepper says why.
    """
    steps = lesson.stepper.steps
    penalty = steps.request.penalty if length_penalty is None else length_penalty
    with lesson.stepper.attempt("The search before it stays below."):
        lesson.stepper = begin(lesson.lm, request_now(penalty), steps.n_shown)
        SETTINGS.forget("selected")
        st.session_state.pop(SAID, None)


def _steps(lesson: BeamLesson) -> None:
    stepper, steps = lesson.stepper, lesson.stepper.steps
    stepper.show(waits=not _asked(steps)).markdown(_progress(steps))
    _tree(lesson)
    best = _best_now(steps)
    show_beginning(lesson, () if best is None else tuple(steps.search.ids_of(best)))
    if not steps.shown:
        return
    title = "The candidates, the ranking and the cache"
    draw_when_opened(title, lambda: _show_ranking(lesson), key="beam_more")


def _asked(steps: BeamSteps) -> bool:
    """Asks beside the first tokens; a link that opens the tree further on is asked nothing.

    The tree answers: the verdict comes with the token at which it does, or with the last one.
    """
    at = steps.overtaken_at()  # the whole search: the tree's frame has room for it from the start
    if steps.n_shown > FIRST_STEPS and not was_answered(SAID):
        return True
    right = NEVER if at is None else AT_TOKENS.get(at, LATER)
    question = (
        "Greedy takes the likeliest token each time. When is another text likelier than greedy’s?"
    )
    is_open = steps.n_shown < (len(steps.search.steps) if at is None else at)
    until = "Press Play to see it." if is_open else ""
    return answered(question, (*AT_TOKENS.values(), LATER, NEVER), right, SAID, until=until)


def _show_ranking(lesson: BeamLesson) -> None:
    steps = lesson.stepper.steps
    left, right = st.columns(2, gap="large")
    with left:
        st.markdown("The candidates of all beams compete in one ranking.")
        chart = candidates_figure(steps.search.nodes, steps.shown[-1], _prompt_end(steps))
        show_chart(chart, "beam_candidates")
    with right:
        _ranking(lesson)
    _cache(steps)


def _texts(steps: BeamSteps) -> None:
    """Writes greedy's text and the best one so far, framed as they are drawn."""
    search, best, greedy = steps.search, _best_now(steps), steps.greedy()
    n_greedy = steps.n_shown if steps.can_step else greedy.depth
    best_total = 0.0 if best is None else search.nodes[best].total
    greedy_total = math.fsum(greedy.logprobs[:n_greedy])
    times = math.exp(best_total - greedy_total)
    more = f", {digits(times, 2)} times as likely" if times > MORE else ""
    best_ids = () if best is None else search.ids_of(best)
    lines = [
        _TEXT.format(name, _written(steps, ids) or "…", percent(math.exp(total)), end)
        for name, ids, total, end in (
            ("greedy", greedy.token_ids[:n_greedy], greedy_total, ""),
            ("best", best_ids, best_total, more),
        )
    ]
    st.html(_TEXTS.format(Markup("").join(lines)))


def _written(steps: BeamSteps, ids: Sequence[int]) -> str:
    """Returns what some tokens write after the prompt."""
    tokenizer, prompt = steps.search.lm.tokenizer, steps.search.start.ids
    return text_of(tokenizer, [*prompt, *ids]).removeprefix(text_of(tokenizer, prompt)).lstrip()


def _progress(steps: BeamSteps) -> str:
    """Says how far the search is, and what the tree's numbers are."""
    search = steps.search
    return (
        f"Token {steps.n_shown} of {len(search.steps)}. {plural(search.n_beams, 'text')} "
        f"{'is' if search.n_beams == 1 else 'are'} kept. Numbers: probability of the whole text."
    )


def _why_over(steps: BeamSteps) -> str:
    """Says why the search goes on no longer, once it is over."""
    search, n = steps.search, len(steps.shown[-1].beams) if steps.shown else 1
    if steps.can_step or steps.n_shown == search.max_new_tokens:
        return ""
    finished = plural(len(search.finished), "finished text")
    return f" No beam can beat {finished}, so the search drops the last {plural(n, 'beam')}."


def _tree(lesson: BeamLesson) -> None:
    steps, search, lm = lesson.stepper.steps, lesson.stepper.steps.search, lesson.lm
    at = steps.overtaken_at()
    chart = tree_figure(
        search.nodes,
        steps.shown,
        search.n_beams,
        len(search.steps),
        _prompt_end(steps),
        _best_now(steps),
        is_over=not steps.can_step,
        in_line=is_presenting(),
        crossed_at=None if at is None or at > steps.n_shown else at,
    )
    pruned_at = steps.greedy_pruned_at()
    greedy = f" The search pruned greedy’s text at token {pruned_at}." if pruned_at else ""
    caption = f"{chart.caption}{greedy}{_why_over(steps)} The model is {lm.shown}."
    wide = round(COLUMN_PIXELS * (len(search.steps) + 1))
    st.html(f"<style>.st-key-beam_tree {{min-width: {wide}px;}}</style>")
    with st.container(key="beam_tree_box"):
        show_chart(replace(chart, caption=caption), "beam_tree", below=lambda: _found(steps))


def _found(steps: BeamSteps) -> None:
    _texts(steps)
    show_summary("pages/beam_search.py", ExactSearch.title, Costs.title, asked=SAID)


def _best_now(steps: BeamSteps) -> int | None:
    """Returns where the best text so far ends, by the penalty of the slider."""
    return steps.best_at(steps.n_shown, SETTINGS["penalty"])


def _prompt_end(steps: BeamSteps) -> str:
    return end_of(steps.search.lm.tokenizer, steps.search.start.ids, N_PROMPT)


def _ranking(lesson: BeamLesson) -> None:
    """Ranks what is finished, live, by any length penalty; offers to search by it."""
    steps = lesson.stepper.steps
    searched, finished = steps.request.penalty, steps.finished
    st.markdown("Finished texts are ranked by Σ log p ÷ lengthᵃ.")
    penalty = SETTINGS.widget("penalty")
    if finished:
        column, number = st.column_config.Column, st.column_config.NumberColumn
        st.dataframe(
            ranking_table(finished, penalty, searched),
            hide_index=True,
            key="beam_ranking",
            height=min(320, 36 * len(finished) + 40),
            column_config={
                **{name: column(width=62) for name in ("rank", "moved", "tokens", "ends by")},
                "text": column(width=165),
                "sum log p": number(format="%.2f", width=82),
                "score": number(format="%.3f", width=70),
            },
        )
        best = rank_finished(finished, penalty)[0]
        st.caption(
            f"The search with a = {searched:g} has finished {plural(len(finished), 'text')}. "
            "Re-ranking them finds no new ones. A positive a favours longer texts. Best: "
            f"{nats(best.total)} over {plural(best.depth, 'token')}."
        )
    else:
        st.caption(
            "No sequence has finished; press Step. A positive a favours longer texts: Σ log p is "
            "negative, and dividing it by more brings it nearer to 0."
        )
    if penalty != searched:
        st.button(
            f"Search again with a = {penalty:g}",
            key="beam_again",
            on_click=_search_again,
            args=(lesson, penalty),
            help="The penalty also decides when the search may stop, so it may find other texts.",
        )


def _cache(steps: BeamSteps) -> None:
    search, lm = steps.search, steps.search.lm
    st.markdown(
        "All beams are rows of one batch: one pass reads them all, and each row continues the "
        "cache of its parent."
    )
    read = [step for step in steps.shown if step.seconds]
    if not read:
        st.caption("The model has not read any generated token yet.")
        return
    labels = labels_of_text(lm, search.start.ids)
    per_token = lm.cache_shape.bytes_per_token
    show_chart(cache_figure(search.nodes, read[-1], labels, per_token), "beam_cache")
