"""Texts that a browser kept, beside the one that is written: each is written again when opened.

Knows nothing of Streamlit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pages.home.branch import Branch, Shelved

if TYPE_CHECKING:
    from pages.home.session import Session


def take_down(session: Session, text: Shelved) -> Branch:
    """Write a text from the shelf again; it is then a branch like the others.

    Raises:
        ValueError: It cannot be written again; the session is as it was.
    """
    generation = session.read_prompt(text.prompt, text.seed, text.chat)
    branch = Branch(text.number, text.prompt, text.seed, generation, text.chat)
    active, controls = session.active, session.controls
    session.active = branch
    try:
        session.replay(text.choices)
    finally:
        session.active, session.controls = active, controls
    branch.seed = text.seed
    session.branches[session.branches.index(text)] = branch
    return branch
