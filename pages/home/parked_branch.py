"""Texts that a browser kept, beside the one that is written: each is written again when opened.

Knows nothing of Streamlit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pages.home.branch import Branch, ParkedBranch

if TYPE_CHECKING:
    from pages.home.session import Session


def restore(session: Session, parked: ParkedBranch) -> Branch:
    """Writes a parked text again; it is then a branch like the others.

    Raises:
        ValueError: It cannot be written again; the session is as it was.
    """
    generation = session.read_prompt(parked.prompt, parked.seed, parked.chat)
    branch = Branch(parked.number, parked.prompt, parked.seed, generation, parked.chat)
    active, controls = session.active, session.controls
    session.active = branch
    try:
        session.replay(parked.choices)
    finally:
        session.active, session.controls = active, controls
    branch.seed = parked.seed
    session.branches[session.branches.index(parked)] = branch
    return branch
