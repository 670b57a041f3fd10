"""A beginning in the tree that the reader chooses, and its link to all that may follow it."""

import math
from urllib.parse import urlencode

import streamlit as st

from model.beam_search import BeamSearch
from model.tokenizing import encode, text_of
from pages.lessons.beam_search.settings import SETTINGS
from pages.lessons.beam_search.state import BeamLesson, BeamSteps
from viz.format import percent

MAX_TREE_TOKENS = 4  # of the tree of all continuations
N_BELOW = 2  # of them that are left below a beginning that is longer
Beginning = tuple[int, ...]  # ids of its tokens after the prompt


def show_beginning(lesson: BeamLesson, best: Beginning) -> None:
    """Lets the reader choose a text of the tree, and links to all that may follow it.

    Args:
        lesson: What the reader has on the page.
        best: The best text so far, which is meant until another is chosen.
    """
    steps = lesson.stepper.steps
    names = {(): "the best text so far"} | _drawn(steps)
    wanted = SETTINGS["selected"]
    if wanted not in names:
        names[wanted] = f"{_text(steps.search, wanted)} ({_lost(steps, wanted)})"
    with st.container(horizontal=True, vertical_alignment="bottom", key="beam_beginning"):
        chosen = st.selectbox(
            "A beginning in the tree",
            list(names),
            list(names).index(wanted),
            format_func=names.__getitem__,
            key=SETTINGS.key("selected"),
            persist_state="session",
            width=420,
        )
        link = futures_link(lesson, chosen or best)
        st.link_button("All that may follow it", link, type="tertiary")


def futures_link(lesson: BeamLesson, ids: Beginning) -> str:
    """Returns the address of the tree of all continuations, opened at a beginning.

    The prompt takes in what goes beyond the tree's tokens, as far as it reads as the same ids.
    """
    search, request = lesson.stepper.steps.search, lesson.stepper.steps.request
    whole, within = request.prompt, (*range(len(ids) - N_BELOW, len(ids) + 1), 0)
    for cut in within if len(ids) > MAX_TREE_TOKENS else (0,):
        start = [*search.start.ids, *ids[:cut]]
        prompt = text_of(lesson.lm.tokenizer, start) if cut else whole
        if cut == 0 or encode(lesson.lm, prompt) == start:
            break
    rest = ids[cut:][:MAX_TREE_TOKENS]
    parts: dict[str, object] = {"model": lesson.lm.name, "prompt": prompt, "beams": request.beams}
    parts["tokens"] = max(min(request.tokens, MAX_TREE_TOKENS), len(rest))
    if rest:
        parts["selected"] = ",".join(map(str, rest))
    return f"./futures?{urlencode(parts)}"


def _drawn(steps: BeamSteps) -> dict[Beginning, str]:
    """Returns the texts of the tree as they are offered, those that are kept first in each step."""
    search = steps.search
    nodes = [search.nodes[i] for step in steps.shown for i in step.node_ids]
    nodes.sort(key=lambda node: (node.depth, node.fate == "pruned", node.rank))
    found = {}
    for node in nodes:
        ids = tuple(search.ids_of(node.node_id))
        found[ids] = f"{_text(search, ids)} ({percent(math.exp(node.total))}, {node.fate})"
    return found


def _text(search: BeamSearch, ids: Beginning) -> str:
    tokenizer, prompt = search.lm.tokenizer, search.start.ids
    text = text_of(tokenizer, [*prompt, *ids]).removeprefix(text_of(tokenizer, prompt))
    return " ".join(text.split())


def _lost(steps: BeamSteps, ids: Beginning) -> str:
    """Says where the search loses a beginning that is not in the tree."""
    drawn = _drawn(steps)
    n = next(n for n in range(len(ids), -1, -1) if ids[:n] in drawn or n == 0)
    return f"not in the tree from token {n + 1} on" if n < steps.n_shown else "not searched yet"
