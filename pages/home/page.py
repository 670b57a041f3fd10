"""The home page below its title: the reader's tab, the toolbar, the live component."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from model.loading import LanguageModel, LoadError
from model.sentences import MAX_SENTENCE, as_many_as_fit
from model.server.logits import EngineError
from model.weights.hub import ask
from pages.frame.first_paint import base_path
from pages.frame.layout import is_presenting, presenter_toggle, show_error, switch
from pages.frame.lesson_state import SESSION, progress_caption
from pages.frame.models import shared_model
from pages.frame.offers import (
    DEFAULT_MODEL,
    DEFAULT_PROMPT,
    default_model,
    folder_of,
    is_restricted,
    server_model,
)
from pages.home.branch import MAX_SEED, Notice
from pages.home.component import live
from pages.home.link import LinkState, follow_or_say, read_link
from pages.home.model_dialog import WANTED, model_button, offer_opening, show_dialog
from pages.home.run_export import SAVED_RUN
from pages.home.session import Session
from pages.home.tab import Tab, shown_of
from pages.home.tab_record import bring_back
from viz.format import count

TAB = "tab"  # what this browser tab has
TOOLBAR_OF = "toolbar_of"  # the branch whose toolbar is on the page


def show_home(toolbar: DeltaGenerator, waiting: DeltaGenerator) -> None:
    """Draws the page for this reader, opening a session first if there is none."""
    try:
        tab = _tab(waiting)
    except EngineError as error:
        _say_away(error, waiting)
        return
    waiting.empty()
    with toolbar:
        _toolbar(tab)
    tab.presenter, tab.hide_bars = is_presenting(), bool(st.session_state.get("hide_bars"))
    tab.n_runs += 1
    live(f"{base_path()}/loop/{tab.secret}", tab.n_runs)
    # pandas and plotly come in behind what can be pressed
    from pages.home.home_extras import show_experiments, show_files

    show_experiments(tab)
    show_files(tab)
    show_dialog(tab.session.lm)  # last, for a job in it is part of this run


def _say_away(error: EngineError, waiting: DeltaGenerator) -> None:
    """Says that the model's server gave no text; the address keeps what it asks for."""
    waiting.empty()
    show_error(str(error))
    st.markdown("Until then this page’s address and this tab keep your text.")
    with st.container(horizontal=True, key="server_away"):
        st.button("Try again", type="primary", key="server_again")
        st.link_button(f"Open {DEFAULT_MODEL} in another tab", f"?model={DEFAULT_MODEL}")


# The session


def _tab(waiting: DeltaGenerator) -> Tab:
    """Returns what this tab has: its session as the address, a file or the dialog asks.

    Raises:
        EngineError: The model's server gives no text, and there is none yet.
    """
    tab: Tab | None = st.session_state.get(TAB)
    link = st.session_state.pop(SAVED_RUN, None)
    if tab is None:
        link = read_link(st.query_params.to_dict(), default_model())
        tab = st.session_state[TAB] = Tab(_go_to(link, None, waiting))
    elif link is not None:
        tab.session = _go_to(link, tab, waiting)
    if tab.record is not None:
        tab.session = _bring_back(tab, waiting)
    wanted, lm = st.session_state.pop(WANTED, (None, None))
    if lm is not None:
        link = st.session_state.pop("waiting_link", None)
        is_linked = link is not None and link.model == wanted.name
        session = tab.session
        tab.session = _open(link, waiting, lm) if is_linked else _change_model(session, lm)
    st.session_state[SESSION] = tab.session
    return tab


def _go_to(link: LinkState, tab: Tab | None, waiting: DeltaGenerator) -> Session:
    """Goes where a link leads; a text of the model in use stands beside what was written so far."""
    session = None if tab is None else tab.session
    if tab is not None and session is not None and link.model in ("", session.lm.name):
        with tab.lock:
            _go_on_with(link, session)
        return session
    if link.model != server_model() and _is_to_fetch(link.model):
        # the page comes at once, the model when it is here
        st.session_state["waiting_link"] = link
        offer_opening(link.model, _dtype(link))
        if session is not None:
            return session
        link = replace(link, model=DEFAULT_MODEL, dtype="auto", chat=None, choices=[])
    if session is None:
        return _open(link, waiting)
    try:  # what is here stays where its model cannot be had
        lm = _load(link.model, waiting, _dtype(link))
        Session(lm, DEFAULT_PROMPT)
        return _open(link, waiting, lm)
    except ValueError as error:
        told = [str(error), f"{session.lm.name} stays in use."]
        session.notice = Notice("error", as_many_as_fit(told, MAX_SENTENCE, " "))
        return session


def _go_on_with(link: LinkState, session: Session) -> None:
    """Writes a link's text beside what the session has; what cannot be written is said."""
    try:
        session.start(link.prompt, link.seed, chat=bool(link.chat))
        follow_or_say(session, link, link.problems)
    except ValueError as error:
        session.notice = Notice("error", str(error))


def _is_to_fetch(name: str) -> bool:
    """Tells whether a model has to come from the hub, and can."""
    try:
        return folder_of(name) is None and bool(ask(name).n_bytes)
    except LoadError:
        return False


def _open(link: LinkState, waiting: DeltaGenerator, loaded: LanguageModel | None = None) -> Session:
    """Opens a session as a link asks; where it asks too much, says so and opens what can be.

    Raises:
        EngineError: The model's server gives no text: another model's would be another text.
    """
    problems = list(link.problems)
    try:
        lm = loaded or _load(link.model, waiting, _dtype(link))
    except LoadError as error:
        if link.model == server_model():
            raise EngineError(str(error)) from error
        problems += [str(error), f"{DEFAULT_MODEL} is used in its place."]
        lm = _load(DEFAULT_MODEL, waiting)
        link.choices = []
    if link.chat and not lm.has_chat_template:
        problems.append(f"{lm.name} has no chat template: the prompt stands as it was written.")
    session = _begin(lm, link, problems)
    if session is None:
        problems.append(f"{DEFAULT_MODEL} is used in its place.")
        lm = _load(DEFAULT_MODEL, waiting)
        session = _begin(lm, link, []) or Session(lm, DEFAULT_PROMPT)
    follow_or_say(session, link, problems)
    return session


def _begin(lm: LanguageModel, link: LinkState, problems: list[str]) -> Session | None:
    """Begins the text of a link, else the default one; None where the model takes neither."""
    for prompt in (link.prompt, DEFAULT_PROMPT):
        try:
            session = Session(lm, prompt, link.seed, chat=bool(link.chat))
            if link.chat is None:
                _tell_of_chat(session)
            return session
        except EngineError:
            raise
        except ValueError as error:
            problems.append(str(error))
            link.choices = []
    return None


def _bring_back(tab: Tab, waiting: DeltaGenerator) -> Session:
    """Takes back the texts of another model; what is here stays where they cannot be written."""
    record, tab.record = tab.record, None
    assert record is not None
    try:
        return bring_back(tab.session, record, partial(_open, waiting=waiting))
    except ValueError as error:
        tab.session.notice = Notice("error", str(error))
        return tab.session


def _change_model(session: Session, lm: LanguageModel) -> Session:
    """Starts the same prompt on another model; if that fails, the model in use stays in use."""
    try:
        changed = Session(lm, session.prompt, session.seed, chat=session.chat)
    except ValueError as error:
        session.notice = Notice("error", f"{error} {session.lm.name} stays in use.")
        return session
    changed.controls = session.controls
    _tell_of_chat(changed)
    return changed


def _tell_of_chat(session: Session) -> None:
    """Says that a chat model continues plain text here, and where it can be asked instead."""
    if session.lm.has_chat_template and not session.chat and session.notice is None:
        session.notice = Notice(
            "info",
            f"{session.lm.name} was trained on chats as well. Here it continues your prompt as "
            f"plain text; “{_begins_with(session)}” above turns its chat template on.",
        )


def _load(name: str, waiting: DeltaGenerator, dtype: str = "auto") -> LanguageModel:
    return shared_model(name, progress_caption(waiting), dtype=dtype)


def _dtype(link: LinkState) -> str:
    """Returns the format that is asked for; those who share a server take what it chooses."""
    return "auto" if is_restricted() else link.dtype


# The toolbar

ON = (
    "On: your prompt stands in a message of a user, and the model answers it, as it was trained "
    "to in chats."
)
OFF = (
    "Off: the prompt stands as you wrote it, and the model continues it, as a base model does. "
    "This model was also trained on chats: turn the template on to ask it something."
)


def _begins_with(session: Session) -> str:
    """Names what the text begins with, as the toolbar does."""
    if not session.lm.has_chat_template:
        return f"Seed {session.seed}"
    return f"{'Chat template' if session.chat else 'Plain text'} · seed {session.seed}"


def _toolbar(tab: Tab) -> None:
    session = tab.session
    number, lm = session.active.number, session.lm
    tab.shown, st.session_state[TOOLBAR_OF] = shown_of(session), number
    model_button(lm)
    with st.popover(_begins_with(session), help="What the text begins with"):
        if lm.local is None:
            st.caption(_what_is_sent(lm.vocab_size, lm.backend.n_best(lm.vocab_size)))
        # widgets of this branch alone: in the browser those of another still say what it had
        with st.container(key="seed"):
            seed = f"seed_{number}"
            st.session_state[seed] = session.seed
            st.number_input(
                "Seed of the pointers",
                min_value=0,
                max_value=MAX_SEED,
                step=1,
                key=seed,
                on_change=_take,
                args=(tab, seed, number, Session.reseed),
                help="The same seed gives the same text; what is written already stays.",
            )
        if lm.has_chat_template:
            with st.container(key="chat"):
                chat = f"chat_{number}"
                st.session_state[chat] = session.chat
                words = "Chat template around the prompt"
                args = (tab, chat, number, Session.wrap_in_chat)
                st.toggle(words, key=chat, on_change=_take, args=args)
                st.caption(ON if session.chat else OFF)
    about = "Hides the distribution until you have guessed the next token."
    switch("Predict first", "hide_bars", "predict", about)
    presenter_toggle()


def _what_is_sent(n_vocab: int, n_sent: int) -> str:
    """Says which probabilities are the server's, and what the others are."""
    if n_sent == n_vocab:
        return f"Runs on a server, which sends the log-probability of all {count(n_vocab)} tokens."
    return (
        f"Runs on a server, which sends the best {count(n_sent)} of {count(n_vocab)} "
        "log-probabilities, and all of them where a draw or a mask needs more."
    )


def _take(tab: Tab, key: str, branch: int, take: Callable[[Session, Any], None]) -> None:
    """Lets a session take what a widget says, if that still speaks of the text that is written.

    Right after another branch was chosen the browser still sends the widgets of the one before, and
    Streamlit, which has forgotten them by then, takes what they say for a change.
    """
    with tab.lock:
        if st.session_state[TOOLBAR_OF] == branch and tab.shown == shown_of(tab.session):
            take(tab.session, st.session_state[key])
