"""Three small cases around the end of a text: each asks, then shows what this model does."""

from collections.abc import Callable
from itertools import takewhile
from typing import Any

import streamlit as st

from model.loading import LanguageModel
from model.stopping.records import NextTokens, RoundEnd, StringSearch
from model.stopping.small_cases import end_in_a_round, next_tokens, search_string
from pages.frame.attempts import made_or_said
from pages.frame.models import shared_model
from pages.frame.question import answered
from pages.lessons.stopping.settings import EXAMPLES
from viz.format import count, plural
from viz.labels import in_sentence
from viz.stopping.small_cases import next_tokens_picture, round_picture, search_picture
from viz.strip import SPACE

LITTLE = "Once upon a time there was a little"
TEXT, STRING = EXAMPLES["It begins inside a token"]
WITH_DRAFT = "The king looked at the"
DRAFT = "scribbler"
YES_NO = ("yes", "no")
DROPPED, READ_ON = "they are dropped", "they stay in the text"


def show_small_cases(lm: LanguageModel, made: dict[str, Any]) -> None:
    """Draws a drawer for each case; it is computed when it is opened first.

    Args:
        lm: The page's model.
        made: What was computed for this reader with it.
    """
    for key, (title, make, show) in CASES.items():
        _show_case(lm, made, key, title, make, show)


@st.fragment
def _show_case(
    lm: LanguageModel,
    made: dict[str, Any],
    key: str,
    title: str,
    make: Callable[[LanguageModel], Any],
    show: Callable[[Any], None],
) -> None:
    drawer = st.expander(title, key=f"stopping_{key}", on_change="rerun")
    if not drawer.open:
        return
    with drawer:
        found = made[key] if key in made else made_or_said(lambda: make(lm))
        if found is not None:
            made[key] = found
            show(found)


def _make_space(lm: LanguageModel) -> tuple[NextTokens, NextTokens]:
    return next_tokens(lm, LITTLE), next_tokens(lm, f"{LITTLE} ")


def _show_space(prompts: tuple[NextTokens, NextTokens]) -> None:
    without, behind = prompts
    word, first = (in_sentence(one.best[0][0].lstrip(SPACE)) for one in prompts)
    if not answered(
        f"After “{LITTLE}” this model’s first choice is {word}. A space is typed behind "
        "“little”. Is it still the first choice?",
        YES_NO,
        YES_NO[word != first],
        "stopping_space_said",
    ):
        return
    st.html(next_tokens_picture(without, behind))
    n_more = len(behind.labels) - len(without.labels)
    cost = f"costs {plural(n_more, 'token')} more" if n_more > 0 else "costs no token here"
    st.markdown(
        f"The space {cost}. In most vocabularies a word and the "
        "space before it are one token, so in training hardly any word followed a space that "
        "stood alone. **Leave the last space out.**"
    )


def _make_search(lm: LanguageModel) -> StringSearch:
    return search_string(lm, TEXT, STRING)


def _show_search(found: StringSearch) -> None:
    if not answered(
        f"“{TEXT}” The stop string is “{STRING}”. A program looks for the string’s tokens among "
        "the tokens of the text. Does it find them?",
        YES_NO,
        YES_NO[not found.is_found_by_ids],
        "stopping_search_said",
    ):
        return
    st.html(search_picture(found))
    first, end = found.span
    st.markdown(
        f"The string lies in {plural(end - first, 'token')} of the text, and those need not be its "
        "own. So it is looked for in the **characters**, and the client sees all before them: "
        f"“{found.sent}”."
    )


def _make_round(lm: LanguageModel) -> RoundEnd:
    return end_in_a_round(lm, shared_model(DRAFT), WITH_DRAFT)


def _show_round(last: RoundEnd) -> None:
    n_behind = len(last.proposals) - last.n_accepted
    if not last.has_ended or n_behind == 0:
        st.markdown("Here the text of this model did not end in the middle of a round.")
        return
    behind = range(last.n_accepted, len(last.proposals))
    n_agreed = len(list(takewhile(lambda i: last.proposals[i] == last.best[i], behind)))
    although = (
        f", although the model would have written {count(n_agreed)} of them too" if n_agreed else ""
    )
    if not answered(
        f"In speculative decoding a small model proposes {count(len(last.proposals))} tokens, and "
        f"the large one checks them all in one pass. Number {count(last.n_accepted)} is the end "
        f"token, and it is accepted. What becomes of the {count(n_behind)} behind it?",
        (DROPPED, READ_ON),
        DROPPED,
        "stopping_round_said",
    ):
        return
    st.html(round_picture(last))
    st.markdown(
        f"They are dropped{although}: the text is over. The cache goes back from "
        f"{count(last.n_read)} positions to {count(last.n_kept)}. *Measured in the last round of a "
        f"text from “{WITH_DRAFT}”, greedily.*"
    )


CASES: dict[str, tuple[str, Callable[[LanguageModel], Any], Callable[[Any], None]]] = {
    "space": ("The prompt’s last space", _make_space, _show_space),
    "search": ("A stop string that begins inside a token", _make_search, _show_search),
    "round": ("An end token in the middle of a speculative round", _make_round, _show_round),
}
