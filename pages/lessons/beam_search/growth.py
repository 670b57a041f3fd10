"""The beam lesson's first part: the tree that grows, a step's contest, the ranking, the cache."""

from __future__ import annotations

from typing import Any

import streamlit as st

from model.batch import Batch
from model.beam_search import BeamSearch, rank_finished
from model.beam_search.records import FinishedBeam
from model.tokenizing import pieces
from pages.frame.code_that_ran import show_code
from pages.frame.figures import show_chart, theme_now
from pages.frame.layout import is_presenting
from pages.frame.link import offer_link
from pages.frame.stepping import at_a_pace, step_buttons
from pages.lessons.beam_search.settings import SETTINGS
from pages.lessons.beam_search.state import BeamLesson, Growing, Wish, greedy_died, grow
from viz.beam_search.step_charts import cache_figure, contest_figure, ranking_table
from viz.beam_search.tree import COLUMN_PIXELS, tree_figure
from viz.format import count, nats, plural

PLAY_SECONDS = 0.9  # between two steps: paced for the eye
TREE_STYLE = """<style>.st-key-beam_tree_box {{overflow-x: auto;}}
.st-key-beam_tree_box > * {{min-width: {0}px;}}</style>"""


def show_growth(lesson: BeamLesson) -> None:
    """Show the search step by step."""
    st.markdown(
        "**Greedy is only locally optimal: a less likely token now can lead to a more likely text. "
        "Beam search keeps several texts, tries every token after each, and goes on with the "
        "likeliest.**"
    )
    _controls(lesson)
    at_a_pace(
        lambda: lesson.growing.is_playing,
        lambda: lesson.growing.step(),
        lambda: _growth(lesson),
        PLAY_SECONDS,
    )
    show_code(
        BeamSearch.step,
        BeamSearch._divide,
        BeamSearch._cannot_win,
        FinishedBeam.score,
        Batch.reorder,
        Batch.read,
        key="beam_code_1",
    )
    offer_link(SETTINGS, lesson.lm, lambda: {"searched": lesson.growing.wish.length_penalty})


def _controls(lesson: BeamLesson) -> None:
    """Let the reader change the search; the new one goes as far as the old one was shown."""
    anew: dict[str, Any] = {"on_change": _search_again, "args": (lesson,)}
    with st.container(horizontal=True, vertical_alignment="bottom", key="beam_controls"):
        SETTINGS.widget("prompt", **anew)
        SETTINGS.widget("beams", width=170, **anew)
        SETTINGS.widget("tokens", width=170, **anew)
        SETTINGS.widget("ends", width=240, **anew)


def put_in(wish: Wish) -> None:
    """Let the controls say what is searched."""
    SETTINGS.put(
        prompt=wish.prompt,
        beams=wish.n_beams,
        tokens=wish.n_tokens,
        ends=wish.ends,
        penalty=wish.length_penalty,
    )


def wish_now(length_penalty: float) -> Wish:
    """Return what the controls ask for, to be searched by a length penalty."""
    texts = SETTINGS["prompt"], SETTINGS["beams"], SETTINGS["tokens"], SETTINGS["ends"]
    return Wish(*texts, length_penalty)


def _search_again(lesson: BeamLesson, length_penalty: float | None = None) -> None:
    """Search by what the controls say; if that cannot be, the search on the page stays."""
    growing = lesson.growing
    old = growing.wish
    penalty = old.length_penalty if length_penalty is None else length_penalty
    try:
        lesson.growing = grow(lesson.lm, wish_now(penalty), max(1, growing.n_shown))
    except ValueError as error:
        growing.is_playing, growing.notice = False, f"{error} The search before it stays below."


def _growth(lesson: BeamLesson) -> None:
    growing = lesson.growing
    _buttons(growing)
    if growing.notice:
        st.error(growing.notice)
    _tree(lesson)
    if not growing.n_shown:
        return
    left, right = st.columns(2, gap="large")
    search, theme = growing.search, theme_now()
    with left:
        st.markdown("**Every beam’s candidates stand in one contest.**")
        step = search.steps[growing.n_shown - 1]
        show_chart(contest_figure(search.nodes, step, _prompt_end(growing), theme), "beam_contest")
    with right:
        _ranking(lesson)
    _cache(growing)


def _buttons(growing: Growing) -> None:
    with st.container(horizontal=True, vertical_alignment="center", key="beam_buttons"):
        step_buttons(
            "beam",
            is_playing=growing.is_playing,
            can_step=growing.can_step,
            can_go_back=growing.n_shown > 0,
            step=growing.step,
            play=growing.play,
            back=growing.back,
            reset=growing.reset,
        )
        st.markdown(_state_of(growing))


def _state_of(growing: Growing) -> str:
    """Say in a sentence how far the search is."""
    search = growing.search
    last = search.steps[growing.n_shown - 1] if growing.n_shown else None
    n_beams = len(last.beams) if last else 1
    if growing.can_step:
        words = f"Token {growing.n_shown} of at most {search.max_new_tokens}"
        few = ""
        if last and last.n_candidates < search.n_beams:
            few = f", for there were only {count(last.n_candidates)} candidates to choose from"
        return f"{words}, {plural(n_beams, 'beam')}{few}."
    why = (
        f"all texts have {plural(search.max_new_tokens, 'token')}."
        if growing.n_shown == search.max_new_tokens
        else f"no beam can beat {plural(len(search.finished), 'finished text')}, so the last "
        f"{plural(n_beams, 'beam')} {'is' if n_beams == 1 else 'are'} dropped."
    )
    return f"The search is over after token {growing.n_shown}: {why}"


def _tree(lesson: BeamLesson) -> None:
    growing, search = lesson.growing, lesson.growing.search
    is_large = is_presenting()
    chart = tree_figure(
        search.nodes,
        search.steps[: growing.n_shown],
        search.n_beams,
        search.max_new_tokens,
        _prompt_end(growing),
        _best_now(growing),
        theme_now(),
        is_over=not growing.can_step,
        is_large=is_large,
    )
    st.html(TREE_STYLE.format(round(COLUMN_PIXELS * (search.max_new_tokens + 1))))
    with st.container(key="beam_tree_box"):
        st.plotly_chart(
            chart.figure,
            key="beam_tree",
            theme=None,
            alt=chart.alt,
            config={"displayModeBar": False},
        )
    died = greedy_died(growing)
    greedy = f" Greedy’s way left the search at token {died}." if died else ""
    lm = lesson.lm
    where = f"{lm.name}, {lm.where}"
    st.caption(f"{chart.caption}{greedy} On {where}.")


def _best_now(growing: Growing) -> int | None:
    """Return where the best text so far ends: the best finished one, else the best beam."""
    finished = growing.finished()
    if finished:
        return rank_finished(finished, SETTINGS["penalty"])[0].node_id
    steps = growing.search.steps[: growing.n_shown]
    return steps[-1].beams[0] if steps and steps[-1].beams else None


def _prompt_end(growing: Growing) -> str:
    start = growing.search.start
    return f"…{''.join(p.joined for p in pieces(start.lm.tokenizer, start.ids))[-10:]}".replace(
        "\n", "⏎"
    )


def _ranking(lesson: BeamLesson) -> None:
    """Rank what is finished, live, by any length penalty; offer to search by it."""
    growing = lesson.growing
    searched = growing.wish.length_penalty
    st.markdown("**What has ended is ranked by Σ log p ÷ lengthᵃ.**")
    penalty = SETTINGS.widget("penalty")
    finished = growing.finished()
    if finished:
        st.dataframe(
            ranking_table(finished, penalty, searched),
            hide_index=True,
            key="beam_ranking",
            height=min(320, 36 * len(finished) + 40),
            column_config={
                "rank": st.column_config.Column(width=45),
                "moved": st.column_config.Column(width=62),
                "text": st.column_config.Column(width=165),
                "tokens": st.column_config.Column(width=62),
                "sum log p": st.column_config.NumberColumn(format="%.2f", width=82),
                "score": st.column_config.NumberColumn(format="%.3f", width=70),
                "ends by": st.column_config.Column(width=62),
            },
        )
        best = rank_finished(finished, penalty)[0]
        st.caption(
            f"Re-ranking of {plural(len(finished), 'text')} that the search with a = {searched:g} "
            f"finished so far: it finds no new ones. A positive a favours longer texts. Best: "
            f"{nats(best.total)} over {plural(best.depth, 'token')}."
        )
    else:
        st.caption(
            "Nothing has ended yet: step on. A positive a favours longer texts, for Σ log p is "
            "negative and dividing by more brings it nearer to 0."
        )
    if penalty != searched:
        st.button(
            f"Search again with a = {penalty:g}",
            key="beam_again",
            on_click=_search_again,
            args=(lesson, penalty),
            help="The penalty also decides when the search may stop, so it may find other texts.",
        )


def _cache(growing: Growing) -> None:
    search = growing.search
    lm = search.lm
    st.markdown(
        "**All beams are rows of one batch: one pass reads them all, and each row takes the cache "
        "of its parent.**"
    )
    read = [step for step in search.steps[: growing.n_shown] if step.seconds]
    if not read:
        st.caption("No pass has followed yet: the first token of every beam was not read.")
        return
    labels = [piece.label for piece in pieces(lm.tokenizer, search.start.ids)]
    per_token = lm.cache_shape.bytes_per_token
    show_chart(cache_figure(search.nodes, read[-1], labels, per_token, theme_now()), "beam_cache")
