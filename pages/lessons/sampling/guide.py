"""Which temperature for which task, when to stop and rephrase, and why a person checks."""

from __future__ import annotations

import streamlit as st

GUIDE = """
| task | temperature | why |
| --- | --- | --- |
| a fact, a number, an extract | 0 to 0.3 | the likeliest token; likely is not true, so check it |
| code, a form, JSON | 0 to 0.3, and a constraint | one wrong token breaks it |
| a summary, a translation | 0.3 to 0.7 | faithful, without loops |
| a story, names, ideas | 0.7 to 1, top-p 0.9 | variety; top-p cuts the tail that temperature \
raises |
| several answers and a vote | about 0.7 | at 0 every answer is the same |

**When to stop and rephrase:** at the first sentence that is wrong, that repeats itself, or that \
answers another question. Go back before it, say more, put limits first, and start a new text: \
more of the same text is more of the same.

**Why a person checks:** no stage of the loop compares a token with the world. A low temperature \
makes an answer steady, not true.
"""


def show_guide() -> None:
    """Show the guide; the ranges are rules of thumb, and the sliders above show what they do."""
    st.header("Which temperature for which task?", anchor=False)
    st.markdown(GUIDE)
    st.caption("Rules of thumb for large chat models: try both ends of a range on your own task.")
