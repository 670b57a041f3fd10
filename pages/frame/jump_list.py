"""The sections of a long page as one line of links, below the page's first picture."""

import re

import streamlit as st


def show_jump_list(*titles: str) -> None:
    """Leads to the sections of these titles, which Streamlit finds by their words."""
    links = " · ".join(f"[{title}](#{anchor_of(title)})" for title in titles)
    with st.container(key="jump_list"):
        st.markdown(f":small[Further down: {links}]")


def anchor_of(title: str) -> str:
    """Returns what Streamlit calls a heading of that title in its address."""
    return re.sub(r"[\W_]+", "-", title.lower()).strip("-")
