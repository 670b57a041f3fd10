"""A page opened by a link, and the link to what a page shows: both by the page's table of settings.

What was stepped so far need not travel: from the same settings and pointers, the same steps follow.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar
from urllib.parse import parse_qs

import streamlit as st

from model.loading import LanguageModel, LoadError
from model.sentences import Sentence
from pages.frame.fields import LinkValues, read_fields, write_fields
from pages.frame.layout import as_written, say_in_address
from pages.frame.offers import folder_of, server_model
from pages.frame.settings_table import SettingsTable
from pages.frame.words import _, told

HELP = (
    "The link opens this page with its present text and settings. The steps so far are not in it: "
    "from the same settings, the same steps follow."
)

State = TypeVar("State")


@dataclass
class _Followed:
    """How far a link was followed in this session."""

    asked: LinkValues
    is_begun: bool = False
    first: dict[str, Any] | None = None  # what the page began with, by the fields' names


# Before the page begins


def begin_by_link(
    settings: SettingsTable, begin: Callable[[], State], *, fixed: str | None = None
) -> State:
    """Begins a page as its link asks; where that cannot be had, without a part of it or all of it.

    Args:
        settings: What may be asked for; it is put in place first.
        begin: Makes the page's state from the settings, and from `asked` and `asked_model`.
        fixed: The model that is shown whatever a link asks; None where it may ask for one.
    """
    followed = _follow(settings)
    asked = followed.asked
    if followed.is_begun:  # what begins later begins by what is on the page
        return begin()
    if fixed is not None and asked.values.pop("model", fixed) != fixed:
        asked.faults.append(
            Sentence("the page shows {model}, the model of the first page", model=fixed)
        )
    model = {name: asked.values[name] for name in ("model",) if name in asked.values}
    rest = {name: value for name, value in asked.values.items() if name != "model"}
    attempts = [model | rest, rest, model, {}]
    for i, wanted in enumerate(attempts):
        if wanted in attempts[:i]:
            continue
        asked.values = dict(wanted)
        settings.forget(*(rest.keys() - wanted.keys()))
        settings.put(**{name: wanted[name] for name in rest if name in wanted})
        try:
            begun = begin()
        except ValueError as error:
            if not wanted:
                raise
            fault = told(error).rstrip(".。")
            asked.faults += [] if fault in asked.faults else [fault]
        else:
            break
    followed.is_begun = True
    return begun


def asked(settings: SettingsTable, name: str) -> Any:
    """Returns what a link asks to begin with; None where it says nothing of it."""
    followed = _follow(settings)
    return None if followed.is_begun else followed.asked.values.get(name)


def asked_model(settings: SettingsTable) -> str | None:
    """Returns the model that a link asks to begin with; None where it names none.

    Raises:
        LoadError: It is not on this disk; the first page shows a download and can stop it.
    """
    name = (asked(settings, "model") or "").strip() or None
    if name and name != server_model() and folder_of(name) is None:
        raise LoadError(
            Sentence(
                "{name} is not on this machine: open it on the first page, then return.", name=name
            )
        )
    return name


def refuse(settings: SettingsTable, name: str, why: str) -> None:
    """Leaves one setting of a link out, for a reason of a few words; the rest is followed."""
    link = _follow(settings).asked
    link.faults.append(why)
    del link.values[name]
    settings.forget(name)


def _follow(settings: SettingsTable) -> _Followed:
    """Reads the page's query, once for each topic of a session."""
    key = f"{settings.topic}_link_followed"
    if key not in st.session_state:
        params = {name: st.query_params.get_all(name) for name in st.query_params}
        st.session_state[key] = _Followed(read_fields(params, settings.fields))
    followed: _Followed = st.session_state[key]
    return followed


# On the page


def show_faults(settings: SettingsTable) -> None:
    """Says what of the link was not followed, until the reader goes on from there."""
    if sentence := _follow(settings).asked.sentence():
        st.warning(as_written(_(sentence)))


def offer_link(
    settings: SettingsTable,
    lm: LanguageModel,
    more: Callable[[], Mapping[str, Any]] = dict,
    caption: str = "",
) -> None:
    """Offers the link to what the page shows, as it is when asked for; the address says it as well.

    Args:
        settings: What travels, where it is not the default.
        lm: The model on the page.
        more: Returns what stands on the page otherwise than in the settings, by name.
        caption: What stands in the same row.
    """
    with st.container(
        horizontal=True,
        horizontal_alignment="right",
        vertical_alignment="center",
        key=f"{settings.topic}_link_row",
    ):
        if caption:
            st.caption(caption)
        with st.container(width="content"):
            st.fragment(_offer)(settings, lm, more)


def _offer(
    settings: SettingsTable, lm: LanguageModel, more: Callable[[], Mapping[str, Any]]
) -> None:
    values = {"model": lm.name} | settings.values() | dict(more())
    _forget_faults(_follow(settings), values)
    query = write_fields(values, settings.fields)
    faults = read_fields(parse_qs(query[1:], keep_blank_values=True), settings.fields).faults
    if not faults:
        say_in_address("address", [one.name for one in settings.fields], query, in_scenes=False)
    pressed = f"{settings.topic}_link_asked"
    st.button(
        "Copy link",
        type="tertiary",
        icon=":material/link:",
        key=f"{settings.topic}_link",
        on_click=st.session_state.__setitem__,
        args=(pressed, True),
    )
    if st.session_state.pop(pressed, False):
        _show_link(query, faults)


@st.dialog("Link to this page")
def _show_link(query: str, faults: list[str]) -> None:
    """Shows the link of the moment of the press, above the page.

    A popover would do, but its being open travels to the server and back: one that is opened again
    before the server has heard of its closing is closed by the answer to that.
    """
    if faults:
        st.caption(as_written(f"This fits in no link: {faults[0]}. Shorten it."))
    else:
        st.code(f"{st.context.url or ''}{query}", language=None, wrap_lines=True)
        st.caption(HELP)


def _forget_faults(followed: _Followed, values: Mapping[str, Any]) -> None:
    """Lets go of what was not followed once a setting is another than at the beginning."""
    if followed.first is None:
        followed.first = {name: value for name, value in values.items() if value is not None}
    if any(values.get(name) != value for name, value in followed.first.items()):
        followed.asked.faults.clear()
