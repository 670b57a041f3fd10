"""The circle: the best token again and again, the detector that sees it, what penalties do."""

from __future__ import annotations

import streamlit as st

from model.generation import Generation
from model.sampling.experiments import Loop, penalised_once
from model.tokenizing import label, text_of
from pages.frame.figures import theme_now
from pages.frame.running import in_slices, run_button, show_problem
from pages.lessons.sampling.runs import PENALTIES, LoopRun
from pages.lessons.sampling.state import Lab
from viz.format import digits, plural
from viz.sampling.loop_text import loop_html

PROMPT = "The song went la la la la"
TITLES = {
    "none": "No penalty",
    "repetition_penalty": "Repetition penalty",
    "presence_penalty": "Presence penalty",
    "frequency_penalty": "Frequency penalty",
}
N_SIGNS = 3  # rows of either sign in the table of the rule


def show_loop(state: Lab) -> None:
    """Offer the run, and show it as far as it has come."""
    st.subheader("The best token can lead in a circle", anchor=False)
    st.markdown(
        "Greedy writes the same text every time, and each round of a phrase makes the next round "
        "likelier. A penalty lowers the logits of tokens that are already there."
    )
    in_slices(lambda: state.loops, lambda: _loops(state))


def _loops(state: Lab) -> None:
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.text_input("Prompt to go on from", PROMPT, key="loop_prompt", persist_state="session")
        run_button(state.loops, "Write four ways", "loop", lambda: _start(state))
    show_problem("loop")
    run = state.loops
    if run is None:
        return
    if run.notice:
        st.error(run.notice)
    if run.is_running:
        st.progress(run.done, f"{round(100 * run.done)} % of four texts")
    for place, name in zip(_quarters(), run.texts, strict=True):
        with place:
            _show_text(run, name)
    where = f"{run.lm.name}, {run.lm.where}"
    st.caption(f"Measured on {where}: greedy, up to {run.n_tokens} tokens each.")
    _show_sign_rule(run.texts["none"])


def _start(state: Lab) -> None:
    """Take the prompt as it is at the press, which may have ended its typing."""
    state.loops = LoopRun(state.lm, st.session_state["loop_prompt"])


def _quarters() -> list[st.delta_generator.DeltaGenerator]:
    return [*st.columns(2, gap="medium"), *st.columns(2, gap="medium")]


def _show_text(run: LoopRun, name: str) -> None:
    text, loop = run.texts[name], run.loop_of(name)
    value = f" {PENALTIES[name]:g}" if name in PENALTIES else ""
    st.markdown(f"**{TITLES[name]}{value}:** {_verdict(text, loop)}")
    n_before = len(text.ids) if loop is None else text.n_prompt + loop.start
    before = text_of(text.lm.tokenizer, text.ids[:n_before])
    st.html(loop_html(before, text.text[len(before) :], theme_now()))


def _verdict(text: Generation, loop: Loop | None) -> str:
    """Say in words what the detector saw."""
    if loop is not None:
        return (
            f"a circle of {plural(loop.period, 'token')} from token {loop.start + 1} on, "
            f"{digits(loop.n_times)} times so far."
        )
    length = plural(len(text.steps), "token")
    if text.finished == "eos":
        return f"it found an end of its own after {length}."
    return f"in no circle after {length}."


def _show_sign_rule(text: Generation) -> None:
    """Show on the text's own next logits what the repetition penalty does to either sign."""
    penalty = PENALTIES["repetition_penalty"]
    used = sorted(set(text.ids), key=lambda i: -float(text.logits[i]))
    positive = [i for i in used if text.logits[i] >= 0][:N_SIGNS]
    negative = [i for i in used if text.logits[i] < 0][:N_SIGNS]
    rows = [
        (
            label(text.lm.tokenizer, i, text.lm.vocab_size),
            logit,
            f"÷ {penalty:g}" if logit >= 0 else f"× {penalty:g}",
            penalised_once(logit, penalty),
            logit / penalty,
        )
        for i in positive + negative
        for logit in (float(text.logits[i]),)
    ]
    columns = ["used token", "logit", "rule", "after", "if always divided"]
    st.markdown(
        "**The rule of the sign.** The repetition penalty divides a logit that is positive and "
        "multiplies one that is negative: both go down. Always dividing would lift the negative."
    )
    table = dict(zip(columns, zip(*rows, strict=True), strict=True))
    numbers = {
        name: st.column_config.NumberColumn(format="%.3f")
        for name in columns
        if name in ("logit", "after", "if always divided")
    }
    st.dataframe(table, hide_index=True, column_config=numbers, key="sign_rule")
    st.caption("Measured: logits for the token after the greedy text; derived: the rest.")
