"""The home page below its title: the reader's tab, the toolbar, the live component."""

from collections.abc import Callable
from contextlib import suppress
from typing import Any
from weakref import WeakSet

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from model.generation import Generation
from model.loading import LanguageModel, LoadError
from model.sentences import MAX_SENTENCE, as_many_as_fit
from model.server.logits import EngineError
from model.weights.check import check_causal
from model.weights.hub import ask
from pages.frame import words
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
from pages.frame.terms import BY_NAME
from pages.frame.typed import whole_typed
from pages.frame.words import N_, _, ngettext, numeral
from pages.home.component import live
from pages.home.in_page_file import runs_in_page
from pages.home.link import SEED, ModelAsked, model_of
from pages.home.model_dialog import WANTED, model_button, offer_opening, show_dialog
from pages.home.page_model import page_model
from pages.home.tab import Tab
from viz.format import count

TAB = "tab"  # what this browser tab has
KINDS = ["csv", "json", "html"]  # of files
_TRIED: WeakSet[LanguageModel] = WeakSet()  # models that have read a text
ASKED = "asked_model"  # that the address or the page asks for


def show_home(toolbar: DeltaGenerator, waiting: DeltaGenerator) -> None:
    """Draws the page for this reader, opening a model first if there is none."""
    try:
        tab = _tab(waiting)
    except EngineError as error:
        _say_away(error, waiting)
        return
    waiting.empty()
    with toolbar:
        _toolbar(tab)
    live(
        {
            "address": f"{base_path()}/loop/{tab.ticket.write()}",
            "page_model": page_model(tab.lm),
            "model": f"{tab.lm.name} {tab.lm.dtype_name}",
            "asked": st.session_state.get(ASKED, ""),
            "commands": tab.commands,
            "shown": tab.shown,
            "kinds": [*KINDS, "live.html"] if runs_in_page(tab.lm) else KINDS,
            "presenter": is_presenting(),
            "hide_bars": bool(st.session_state.get("hide_bars")),
        },
        _hear,
    )
    # pandas and plotly come in behind what can be pressed
    from pages.home.home_extras import show_experiments

    show_experiments(tab)
    show_dialog(tab.lm)  # last, for a job in it is part of this run


def _say_away(error: EngineError, waiting: DeltaGenerator) -> None:
    """Says that the model's server gave no text; the address keeps what it asks for."""
    waiting.empty()
    show_error(words.told(error))
    st.markdown(_("Until then this page’s address and this tab keep your text."))
    with st.container(horizontal=True, key="server_away"):
        st.button(_("Try again"), type="primary", key="server_again")
        elsewhere = _("Open {model} in another tab", model=DEFAULT_MODEL)
        st.link_button(elsewhere, f"?model={DEFAULT_MODEL}")


# The model


def _tab(waiting: DeltaGenerator) -> Tab:
    """Returns what this tab has, with the model that the address, the page or the dialog asks for.

    Raises:
        EngineError: The model's server gives no text.
    """
    tab: Tab | None = st.session_state.get(TAB)
    if tab is None:
        tab = st.session_state[TAB] = _begin(waiting)
    elif (name := st.session_state.pop("page_asks", None)) is not None:
        _go_to(tab, ModelAsked(name), waiting)
    wanted, lm = st.session_state.pop(WANTED, (None, None))
    if lm is not None:
        _change_to(tab, wanted.name, lambda: lm)
    st.session_state[SESSION] = tab
    return tab


def _begin(waiting: DeltaGenerator) -> Tab:
    """Opens the model of the address; if it cannot be had here and now, says so and opens another.

    Raises:
        EngineError: The model's server gives no text: another model's would be another text.
    """
    asked = model_of(st.query_params.to_dict(), default_model())
    if asked.name != server_model() and _is_to_fetch(asked.name):
        # the page comes at once, the model when it is here
        offer_opening(asked.name, _dtype(asked))
        return Tab(_load(ModelAsked(DEFAULT_MODEL), waiting))
    try:
        tab = Tab(_that_writes(_load(asked, waiting)))
    except ValueError as error:
        if asked.name == server_model():
            raise EngineError(*error.args) from error
        tab = Tab(_load(ModelAsked(DEFAULT_MODEL), waiting))
        told = [words.told(error), _("{model} is used in its place.", model=DEFAULT_MODEL)]
        tab.command("say", text=_(as_many_as_fit(told, MAX_SENTENCE, " ")))
        return tab
    st.session_state[ASKED] = asked.name
    return tab


def _go_to(tab: Tab, asked: ModelAsked, waiting: DeltaGenerator) -> None:
    """Goes on with the model of a text that the page has, once it is here."""
    if asked.name != server_model() and _is_to_fetch(asked.name):
        offer_opening(asked.name, _dtype(asked))
    else:
        _change_to(tab, asked.name, lambda: _load(asked, waiting))


def _change_to(tab: Tab, name: str, load: Callable[[], LanguageModel]) -> None:
    """Goes on with another model; if it cannot write, the one in use stays."""
    try:
        tab.use(_that_writes(load()))
        st.session_state[ASKED] = name
    except ValueError as error:
        told = [words.told(error), _("{model} stays in use.", model=tab.lm.name)]
        tab.command("say", text=_(as_many_as_fit(told, MAX_SENTENCE, " ")))


def _that_writes(lm: LanguageModel) -> LanguageModel:
    """Returns a model that has read a text.

    Raises:
        ValueError: It cannot; one sentence.
    """
    if lm not in _TRIED:
        Generation(lm, DEFAULT_PROMPT)
        _TRIED.add(lm)
    return lm


def _is_to_fetch(name: str) -> bool:
    """Tells whether a model has to come from the hub, and can."""
    try:
        return folder_of(name) is None and bool(ask(name).n_bytes)
    except LoadError:
        return False


def _load(asked: ModelAsked, waiting: DeltaGenerator) -> LanguageModel:
    lm = shared_model(asked.name, progress_caption(waiting), dtype=_dtype(asked))
    check_causal(lm.kind, lm.name)
    return lm


def _dtype(asked: ModelAsked) -> str:
    """Returns the format that is asked for; those who share a server take what it chooses."""
    return "auto" if is_restricted() else asked.dtype


def _hear(told: Any) -> None:
    """Takes what the page tells of its session: what the toolbar shows, or a model it needs."""
    tab: Tab | None = st.session_state.get(TAB)
    if tab is None or not isinstance(told, dict):
        return
    if isinstance(name := told.get("model"), str):
        st.session_state["page_asks"] = name
    elif type(seed := told.get("seed")) is int:
        tab.shown = {"seed": seed, "chat": told.get("chat") is True}


# The toolbar

ON = N_(
    "On: your prompt stands in a message of a user, and the model answers it, as it was trained "
    "to in chats."
)
OFF = N_(
    "Off: the prompt stands as you wrote it, and the model continues it, as a base model does. "
    "This model was also trained on chats: turn the template on to ask it something."
)


def _begins_with(tab: Tab) -> str:
    """Names what the text begins with, as the toolbar does."""
    seed = tab.shown["seed"]
    if not tab.lm.has_chat_template:
        return _("Seed {seed}", seed=seed)
    if tab.shown["chat"]:
        return _("Chat template · seed {seed}", seed=seed)
    return _("Plain text · seed {seed}", seed=seed)


def _toolbar(tab: Tab) -> None:
    lm, shown = tab.lm, tab.shown
    with st.popover(_begins_with(tab), help=BY_NAME["seed"].sentence):
        if lm.local is None:
            st.caption(_what_is_sent(lm.vocab_size, lm.backend.n_best(lm.vocab_size)))
        with st.container(key="seed"):
            _show_seed(tab)
        if lm.has_chat_template:
            with st.container(key="chat"):
                key = _control(tab, "chat", shown["chat"])
                label = _("Chat template around the prompt")
                st.toggle(label, key=key, on_change=_change_chat, args=(tab, key))
                st.caption(_(ON if shown["chat"] else OFF))
    switch(_("Guess first"), "hide_bars", "predict")
    model_button(lm)
    presenter_toggle()


def _control(tab: Tab, name: str, value: str | bool) -> str:
    """Returns the key of a control of the session, which is the page's: a change is asked of it.

    It holds the value that the control begins with: in the browser a widget of another text still
    says what that one had.
    """
    key = f"{name}_{tab.shown[name]}"
    st.session_state.setdefault(key, value)
    return key


def _show_seed(tab: Tab) -> None:
    """Draws the field of the seed, and below it why what stands there was not taken."""
    key = _control(tab, "seed", str(tab.shown["seed"]))
    about = _("The same seed gives the same text; what is written already stays.")
    st.text_input(
        _("Seed of the pointers"),
        key=key,
        help=about,
        autocomplete="off",
        on_change=_change_seed,
        args=(tab, key),
    )
    try:
        whole_typed(st.session_state[key], SEED)
    except ValueError as error:
        show_error(words.told(error))


def _change_seed(tab: Tab, key: str) -> None:
    with suppress(ValueError):  # its field says why
        tab.command("seed", seed=whole_typed(st.session_state[key], SEED))


def _change_chat(tab: Tab, key: str) -> None:
    tab.command("chat", chat=st.session_state[key])


def _what_is_sent(n_vocab: int, n_sent: int) -> str:
    """Says which probabilities are the server's, and what the others are."""
    if n_sent == n_vocab:
        return ngettext(
            "Runs on a server, which sends the log-probability of its one token.",
            "Runs on a server, which sends the log-probability of all {n} tokens.",
            n_vocab,
        )
    return _(
        "Runs on a server, which sends the best {n_sent} of {n_vocab} log-probabilities, and all "
        "of them where a draw or a mask needs more.",
        n_sent=numeral(count(n_sent)),
        n_vocab=numeral(count(n_vocab)),
    )
