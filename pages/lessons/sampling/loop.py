"""Greedy decoding can loop: the detector that sees it, and what penalties do about it."""

from __future__ import annotations

import streamlit as st

from model.generation import Generation
from model.job import Job
from model.sampling.experiments import (
    PENALTIES,
    Loop,
    loop_of,
    penalised_once,
    write_with_penalties,
)
from model.tokenizing import label, text_of
from pages.frame.figures import theme_now
from pages.frame.job_panel import show_job
from pages.lessons.sampling.settings import SETTINGS
from pages.lessons.sampling.state import Lab
from viz.format import digits, plural
from viz.sampling.loop_text import loop_html

TITLES = {
    "none": "No penalty",
    "repetition_penalty": "Repetition penalty",
    "presence_penalty": "Presence penalty",
    "frequency_penalty": "Frequency penalty",
}
N_SIGNS = 3  # rows of either sign in the table of the rule


def show_loop(lab: Lab) -> None:
    """Offer the job, and show what it has generated so far."""
    st.subheader("Greedy decoding can loop", anchor=False)
    st.markdown(
        "Greedy decoding gives the same text every time, and each repeat of a phrase makes the "
        "next one likelier. A penalty lowers the logits of tokens that are already there."
    )
    show_job(
        lab.jobs,
        "loop",
        "Generate with each penalty",
        lambda: Job(write_with_penalties(lab.lm, SETTINGS["loop_prompt"])),
        lambda job: _show_texts(lab, job),
        controls=lambda _: SETTINGS.widget("loop_prompt"),
    )


def _show_texts(lab: Lab, job: Job[dict[str, Generation]]) -> None:
    texts = job.found or {}
    for place, (name, text) in zip(_quarters(), texts.items(), strict=True):
        with place:
            _show_text(name, text)
    st.caption(
        f"Measured on {lab.lm.name}, {lab.lm.where}: greedy, up to {job.progress.n_total} tokens "
        "each."
    )
    _show_sign_rule(texts["none"])


def _quarters() -> list[st.delta_generator.DeltaGenerator]:
    return [*st.columns(2, gap="medium"), *st.columns(2, gap="medium")]


def _show_text(name: str, text: Generation) -> None:
    loop = loop_of(text)
    value = f" {PENALTIES[name]:g}" if name in PENALTIES else ""
    st.markdown(f"**{TITLES[name]}{value}:** {_verdict(text, loop)}")
    n_before = len(text.ids) if loop is None else text.n_prompt + loop.start
    before = text_of(text.lm.tokenizer, text.ids[:n_before])
    st.html(loop_html(before, text.text[len(before) :], theme_now()))


def _verdict(text: Generation, loop: Loop | None) -> str:
    """Say in words what the detector saw."""
    if loop is not None:
        return (
            f"a loop of {plural(loop.period, 'token')} from token {loop.start + 1} on, "
            f"{digits(loop.n_times)} times so far."
        )
    length = plural(len(text.steps), "token")
    if text.finished == "eos":
        return f"the model ended it after {length}."
    return f"no loop after {length}."


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
        "**The rule of the sign.** The repetition penalty divides a positive logit and multiplies "
        "a negative one: both go down. Dividing a negative logit would raise it."
    )
    table = dict(zip(columns, zip(*rows, strict=True), strict=True))
    numbers = {
        name: st.column_config.NumberColumn(format="%.3f")
        for name in columns
        if name in ("logit", "after", "if always divided")
    }
    st.dataframe(table, hide_index=True, column_config=numbers, key="sign_rule")
    st.caption("Measured: logits for the token after the greedy text; derived: the rest.")
