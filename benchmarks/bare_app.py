"""The least that a press can cost: a Streamlit fragment with one component, which counts."""

import json

import streamlit as st

_counter = st.components.v2.component("live", js="export default () => {}")


@st.fragment
def show() -> None:
    """Tells the page how often it has pressed, in the layout of the live component."""
    whole = {"ack": st.session_state.setdefault("n", 0) - 1}
    header = json.dumps({"version": 0, "base": None, "whole": whole}).encode()
    _counter(
        key="live", data=len(header).to_bytes(4, "little") + header, on_event_change=count_press
    )


def count_press() -> None:
    """Takes a press."""
    st.session_state["n"] += 1


show()
