"""The home page below its title: the reader's session, the toolbar, the live component."""

from __future__ import annotations

from functools import partial
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from model.fast.turns import TURNS
from model.loading import LanguageModel, LoadError
from model.sentences import MAX_SENTENCE, as_many_as_fit
from model.tokenizing import vocabulary_labels
from pages.frame.component import trigger_value
from pages.frame.layout import as_written, is_presenting, presenter_toggle
from pages.frame.lesson_state import SESSION, progress_caption
from pages.frame.models import (
    DEFAULT_MODEL,
    DEFAULT_PROMPT,
    offered_models,
    shared_model,
    takes_names,
)
from pages.home.branch import Notice
from pages.home.component import live, prefetch, vocabulary
from pages.home.link import LinkState, follow, read_link
from pages.home.payload import build_payload
from pages.home.session import MAX_SEED, Session
from pages.home.tab_record import bring_back

LOOK_AHEAD_SECONDS = 0.1  # that the step ahead waits, at most, for readers without an answer


def show_home(toolbar: DeltaGenerator, waiting: DeltaGenerator) -> None:
    """Draw the page for this reader, opening a session first if there is none."""
    session = _session(waiting)
    waiting.empty()
    with toolbar:
        _toolbar(session)
    vocabulary(session.lm.name, vocabulary_labels(session.lm))
    _live()
    # pandas and plotly come in behind what can be pressed
    from pages.home.home_extras import show_experiments, show_files

    show_experiments(session)
    show_files(session)


# The session


def _session(waiting: DeltaGenerator) -> Session:
    session: Session | None = st.session_state.get(SESSION)
    if session is None:
        session = _open(read_link(st.query_params.to_dict(), DEFAULT_MODEL), waiting)
        st.session_state[SESSION] = session
    if session.record is not None:
        session = _bring_back(session, waiting)
        st.session_state[SESSION] = session
    wanted = st.session_state.pop("wanted_model", None)
    if wanted and wanted != session.lm.name:
        session = _change_model(session, wanted, waiting)
        st.session_state[SESSION] = session
    return session


def _open(link: LinkState, waiting: DeltaGenerator) -> Session:
    """Open a session as a link asks; where it asks too much, say so and open what can be."""
    problems = list(link.problems)
    try:
        lm = _load(link.model, waiting)
    except LoadError as error:
        problems.append(str(error))
        lm = _load(DEFAULT_MODEL, waiting)
        link.choices = []
    if link.chat and not lm.has_chat_template:
        problems.append(f"{lm.name} has no chat template: the prompt stands as it was written.")
    session = _begin(lm, link, problems)
    if session is None:
        problems.append(f"{DEFAULT_MODEL} is used in its place.")
        lm = _load(DEFAULT_MODEL, waiting)
        session = _begin(lm, link, []) or Session(lm, DEFAULT_PROMPT)
    try:
        follow(session, link)
    except ValueError as error:
        problems.append(f"The link's run was followed in part: {error}")
    if problems:
        told = as_many_as_fit(list(dict.fromkeys(problems)), MAX_SENTENCE, " ")
        session.notice = Notice("error", told)
    return session


def _begin(lm: LanguageModel, link: LinkState, problems: list[str]) -> Session | None:
    """Begin the text of a link, else the default one; None where the model takes neither."""
    for prompt in (link.prompt, DEFAULT_PROMPT):
        try:
            return Session(lm, prompt, link.seed, chat=link.chat)
        except ValueError as error:
            problems.append(str(error))
            link.choices = []
    return None


def _bring_back(session: Session, waiting: DeltaGenerator) -> Session:
    """Take back the branches that the tab kept; what is here stays where they cannot be read."""
    record, session.record = session.record, None
    try:
        return bring_back(session, record, partial(_open, waiting=waiting))
    except ValueError as error:
        session.notice = Notice("error", str(error))
        return session


def _change_model(session: Session, name: str, waiting: DeltaGenerator) -> Session:
    """Start the same prompt on another model; if that fails, the model in use stays in use."""
    try:
        lm = _load(name, waiting)
        changed = Session(lm, session.prompt, session.seed)
    except ValueError as error:
        session.notice = Notice("error", f"{error} {session.lm.name} stays in use.")
        return session
    changed.controls, changed.ack = session.controls, session.ack
    return changed


def _load(name: str, waiting: DeltaGenerator) -> LanguageModel:
    return shared_model(name, progress=progress_caption(waiting))


# The toolbar


def _of_this_text(session: Session) -> tuple[int, bool]:
    """Return what the toolbar shows of the text that is being written."""
    return session.seed, session.chat


def _toolbar(session: Session) -> None:
    st.session_state["toolbar_shows"] = _of_this_text(session)
    st.session_state["toolbar_branch"] = session.active.number
    lm = session.lm
    dtype = lm.dtype_name
    with st.popover(f"{as_written(lm.name)} · {lm.device} · {dtype}", help="Model and seed"):
        _model_choice(session)
        # widgets of this branch alone: in the browser those of another still say what it had
        with st.container(key="seed"):
            seed = f"seed_{session.active.number}"
            st.session_state[seed] = session.seed
            st.number_input(
                "Seed of the coins",
                min_value=0,
                max_value=MAX_SEED,
                step=1,
                key=seed,
                on_change=_take_seed,
                args=(seed, session.active.number),
                help="The same seed gives the same text; what is written already stays.",
            )
        if lm.has_chat_template:
            with st.container(key="chat"):
                chat = f"chat_{session.active.number}"
                st.session_state[chat] = session.chat
                words = "Chat template around the prompt"
                st.toggle(words, key=chat, on_change=_take_chat, args=(chat, session.active.number))
    st.session_state.setdefault("hide_bars", st.query_params.get("predict") == "1")
    st.toggle(
        "Predict first",
        key="hide_bars",
        help="Hides the distribution until you have guessed the next token.",
    )
    presenter_toggle()


def _model_choice(session: Session) -> None:
    names = list(dict.fromkeys([*offered_models(), session.lm.name]))
    st.session_state["model"] = session.lm.name
    st.selectbox(
        "Model",
        names,
        key="model",
        on_change=_want_model,
        accept_new_options=takes_names(),
        help="A shipped model, a folder, or the id of a causal language model on the hub.",
    )


def _want_model() -> None:
    st.session_state["wanted_model"] = (st.session_state["model"] or "").strip()


def _take_seed(key: str, branch: int) -> None:
    session: Session = st.session_state[SESSION]
    if _is_current(session, branch):
        session.reseed(int(st.session_state[key]))


def _take_chat(key: str, branch: int) -> None:
    session: Session = st.session_state[SESSION]
    if _is_current(session, branch):
        session.wrap_in_chat(st.session_state[key])


def _is_current(session: Session, branch: int) -> bool:
    """Tell whether a widget, drawn for that branch, still speaks of the text that is written.

    Right after another branch was chosen the browser still sends the widgets of the one before, and
    Streamlit, which has forgotten them by then, takes what they say for a change.
    """
    is_shown: bool = st.session_state["toolbar_branch"] == branch
    shows: tuple[int, bool] = st.session_state["toolbar_shows"]
    return is_shown and shows == _of_this_text(session)


# The live component


@st.fragment
def _live() -> None:
    session: Session = st.session_state[SESSION]
    if session.record is not None:
        st.rerun()  # what the tab kept may name another model
    payload_of = partial(
        build_payload,
        presenter=is_presenting(),
        hide_bars=bool(st.session_state.get("hide_bars")),
    )
    with TURNS.step():
        live(payload_of(session), on_event=_take_event)
    # the answer is on its way: once others have theirs, take the step that Next would ask for
    TURNS.give_way(LOOK_AHEAD_SECONDS)
    with TURNS.step():
        following = session.prefetch_next()
        prefetch(payload_of(following) if following is not None else b"")
    if st.session_state["toolbar_shows"] != _of_this_text(session):
        st.rerun()  # another branch: its seed and its template belong into the toolbar


def _take_event() -> None:
    event: Any = trigger_value("live", "event")
    if isinstance(event, dict):
        session: Session = st.session_state[SESSION]
        session.handle(event)
