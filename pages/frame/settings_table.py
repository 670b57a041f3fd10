"""The settings of a topic, each declared once: its widget, its value and its link come from here.

    SETTINGS = SettingsTable("beam", Text("prompt", "A text to start from", "Once"), ...)
    SETTINGS.widget("prompt", width=300)
    SETTINGS["prompt"]

Streamlit's `bind="query-params"` does not serve here: the key of a bound widget is the parameter's
name, and our lessons share names such as `prompt` and `seed`, with other bounds, in one session.
"""

from collections.abc import Sequence
from typing import Any

import streamlit as st

from pages.frame.fields import Choice, Field, Number, Switch, Text, Whole
from pages.frame.offers import DEFAULT_MODEL


class SettingsTable:
    """The settings of a topic, in the order of its link."""

    def __init__(self, topic: str, *fields: Field, default_model: str = DEFAULT_MODEL) -> None:
        """Takes the settings down.

        Args:
            topic: What the widgets' keys begin with.
            fields: The settings; `model` comes before them in the link.
            default_model: What the page shows where the link names no other.
        """
        self.topic, self.default_model = topic, default_model
        model = Text("model", "Model", default_model, max_characters=200)
        self.fields = (model, *fields)
        self._by_name = {field.name: field for field in fields}

    def without(self, *names: str) -> "SettingsTable":
        """Returns the settings of a page of this topic that lacks some of them."""
        fields = (field for name, field in self._by_name.items() if name not in names)
        return SettingsTable(self.topic, *fields, default_model=self.default_model)

    def key(self, name: str) -> str:
        """Returns the key of a setting's widget."""
        return f"{self.topic}_{name}"

    def __getitem__(self, name: str) -> Any:
        """Returns what a setting is now."""
        field, value = self._by_name[name], st.session_state.get(self.key(name))
        if isinstance(field, Text) and isinstance(value, str):
            return value[: field.max_characters]  # a forged widget's may have more
        return field.default if value is None else value

    def values(self) -> dict[str, Any]:
        """Returns what all settings are now, by name."""
        return {name: self[name] for name in self._by_name}

    def put(self, **values: Any) -> None:
        """Sets some settings; their widgets are drawn after it."""
        for name, value in values.items():
            st.session_state[self.key(name)] = value

    def forget(self, *names: str) -> None:
        """Takes some settings back to what the page begins with."""
        for name in names:
            st.session_state.pop(self.key(name), None)

    def widget(self, name: str, **more: Any) -> Any:
        """Shows a setting's widget, and returns its value.

        Args:
            name: Of the setting.
            more: What only this place knows: `width`, `disabled`, `on_change`, `height` for a text
                of several lines; `low`, `high` or `options` where they depend on the model.

        The default is told twice: kept for the session, and to the browser, which would show the
        least value where what is kept gets lost on its way, as it may while the page is drawn anew.
        """
        field, key = self._by_name[name], self.key(name)
        if field.default is not None:
            st.session_state.setdefault(key, field.default)
        kept = {"key": key, "help": field.help, "persist_state": "session"} | more
        match field:
            case Text():
                return _text(field, kept)
            case Choice():
                kept = {"options": field.options, "format_func": field.shown} | kept
                return _choice(field, kept)
            case Whole() if "options" in kept:
                _move_within(key, kept["options"])
                return _choice(field, kept)
            case Whole() | Number():
                return _number(field, kept)
            case Switch():
                return st.toggle(field.label, bool(field.default), **kept)
        raise TypeError(f"{field} has no widget")


def _text(field: Text, kept: dict[str, Any]) -> Any:
    if field.suggestions:
        return st.selectbox(field.label, field.suggestions, accept_new_options=True, **kept)
    show = st.text_area if "height" in kept else st.text_input
    return show(field.label, field.default or "", max_chars=field.max_characters, **kept)


def _number(field: Whole | Number, kept: dict[str, Any]) -> Any:
    low, high = kept.pop("low", field.low), kept.pop("high", field.high)
    value = st.session_state.get(kept["key"])
    if value is not None and not low <= value <= high:  # another model may have other bounds
        st.session_state[kept["key"]] = min(max(value, low), high)
    show = st.slider if field.is_slider else st.number_input
    if field.default is not None:
        kept["value"] = min(max(field.default, low), high)
    elif not field.is_slider:
        kept["value"] = None  # an empty box
    return show(field.label, low, high, step=field.step, **kept)


def _choice(field: Choice | Whole, kept: dict[str, Any]) -> Any:
    options = list(kept.pop("options"))
    if st.session_state.get(kept["key"], options[0]) not in options:
        st.session_state[kept["key"]] = options[0]
    first = field.default if field.default in options else options[0]
    if isinstance(field, Choice) and field.is_slider:
        return st.select_slider(field.label, options, first, **kept)
    if isinstance(field, Choice) and field.is_segmented:
        return st.segmented_control(field.label, options, default=first, required=True, **kept)
    return st.selectbox(field.label, options, options.index(first), **kept)


def _move_within(key: str, options: Sequence[int]) -> None:
    """Takes a number to the nearest that is offered: another model may offer others."""
    value = st.session_state.get(key)
    if value is not None and value not in options:
        st.session_state[key] = min(options, key=lambda option: abs(option - value))
