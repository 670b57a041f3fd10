"""When to use the loop and when not (C45): each row points to the measurements that say so."""

from __future__ import annotations

import streamlit as st

ROWS = (
    (
        "Open-ended text: stories, dialogue, completion",
        "the loop",
        "Each token depends on those before it, and chance makes texts differ.",
        "C01 C10 C16",
    ),
    (
        "A text that people read while it is written",
        "the loop",
        "The first token is there long before the last.",
        "C08",
    ),
    (
        "One label, one score or one vector, in real time",
        "one parallel pass",
        "A pass over the input gives it; generating an answer adds a pass for every token.",
        "C03 C30",
    ),
    (
        "Much to read, little to write",
        "the loop, kept short",
        "Input tokens are cheap and output tokens are dear: limit the output.",
        "C22 C23 C29",
    ),
    (
        "Many texts under a bound on time",
        "batching, or speculative decoding",
        "A batch spreads one reading of the weights; a draft saves passes of the large model.",
        "C28 C31 C32",
    ),
    (
        "A hole between a given beginning and end",
        "a model that fills",
        "The loop sees only what is before; a filling model sees both sides, and may clash.",
        "C33 C34 C39",
    ),
    (
        "A text that must carry over everything from its source",
        "the loop with a check, or copying",
        "An early wrong token steers all that follows, and nothing goes back to mend it.",
        "C02 C35 C44",
    ),
    (
        "An output of a given form",
        "the loop under a constraint",
        "The mask keeps the form, and may lead into a dead end.",
        "C18",
    ),
)


def show_when() -> None:
    """List the tasks."""
    st.header("When to use the loop, and when not", anchor=False)
    st.markdown("**C45** The loop is one way to use a model. What the measurements say of others:")
    st.markdown(
        "\n".join(
            f"- {task}: **{choice}**. {why} Measured by {claims.replace(' ', ', ')}."
            for task, choice, why, claims in ROWS
        )
    )
