"""What a reader's tab kept of all branches, handed back to a server that has lost them.

It comes from a browser, so anybody may have written it. It is read as links are, and all of it is
taken or nothing. Knows nothing of Streamlit.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

from model.sentences import reason
from pages.home.branch import Shelved
from pages.home.controls import Controls
from pages.home.link import LinkState, read_link, read_whole, write_text
from pages.home.session import MAX_BRANCHES, Session

MAX_IDS = 200_000  # tokens of one branch
MAX_NUMBER = 10**6  # of the branches that one reader has begun


def bring_back(
    session: Session, record: object, open_link: Callable[[LinkState], Session]
) -> Session:
    """Return the session that a record asks for.

    Args:
        session: As its link asked; it is taken where it shows the active branch already.
        record: As the tab sent it.
        open_link: Opens another session.

    Raises:
        ValueError: The record cannot be used; one sentence, and `session` is as it was.
    """
    try:
        link, active, texts = _read(record)
        _check_ids(texts, link.model, session)
        wanted = link.model, link.controls, write_text(active)
        if wanted != (session.lm.name, session.controls, write_text(session.active)):
            opened = open_link(link)
            opened.ack = session.ack
            session = opened
            _check_ids(texts, link.model, session)
    except (ValueError, TypeError, KeyError) as error:
        raise ValueError(
            f"The branches that this tab kept cannot be read ({reason(error)}): "
            "go on with the text that is here."
        ) from None
    if session.lm.name == link.model:
        session.active.number = active.number
        session.branches = [session.active if text is active else text for text in texts]
        session.n_begun = texts[-1].number + 1
    return session


def _read(record: Any) -> tuple[LinkState, Shelved, list[Shelved]]:
    """Return the link to the active text, that text, and all of them by number."""
    texts = sorted((_read_text(text) for text in record["branches"]), key=lambda text: text.number)
    numbers = [text.number for text in texts]
    if not 1 <= len(set(numbers)) == len(numbers) <= MAX_BRANCHES:
        raise ValueError(f"there must be 1 to {MAX_BRANCHES} of them, each with its own number")
    if record["active"] not in numbers:
        raise ValueError("none of them is the active one")
    if not isinstance(record["controls"], Mapping):
        raise TypeError("a value of another kind")
    active = texts[numbers.index(record["active"])]
    model = _followed(read_link({"model": record["model"]}, "")).model
    controls = Controls.from_page(record["controls"])
    link = LinkState(model, active.prompt, active.seed, active.chat, controls, active.choices)
    return link, active, texts


def _read_text(text: Any) -> Shelved:
    if len(text["ids"]) > MAX_IDS:
        raise ValueError("one of them is too long")
    link = _followed(read_whole(text["query"]))
    number, ids, logprob = text["id"], list(text["ids"]), float(text["logprob"])
    if not _is_whole(number, MAX_NUMBER) or not math.isfinite(logprob):
        raise ValueError("a number is out of its range")
    return Shelved(number, link.prompt, link.seed, bool(link.chat), link.choices, ids, logprob)


def _followed(link: LinkState) -> LinkState:
    if link.problems:
        raise ValueError(link.problems[0])
    return link


def _check_ids(texts: list[Shelved], model: str, session: Session) -> None:
    """Refuse tokens that the model has not, once a session has that model."""
    for text in texts if session.lm.name == model else ():
        if not all(_is_whole(token_id, session.lm.vocab_size) for token_id in text.ids):
            raise ValueError(f"{session.lm.name} has no such tokens")


def _is_whole(value: object, end: int) -> bool:
    return type(value) is int and 0 <= value < end
