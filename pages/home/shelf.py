"""Texts that a browser kept, beside the one that is written: each is written again when opened.

Knows nothing of Streamlit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pages.home.branch import Branch, Shelved

if TYPE_CHECKING:
    from pages.home.session import Session


def shelve(session: Session, texts: list[Shelved], active: int) -> None:
    """Put texts beside the active one, in their order.

    Args:
        session: Whose texts they are.
        texts: By ascending number, the active one among them.
        active: Its number.
    """
    session.active.number = active
    session.branches = [session.active if text.number == active else text for text in texts]
    session.n_begun = texts[-1].number + 1


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
