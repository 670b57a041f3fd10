"""What a reader's tab kept of all branches, handed back to a server that has lost them.

It comes from a browser, so anybody may have written it. It is read as links are, and all of it is
taken or nothing. Knows nothing of Streamlit.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from model.sentences import reason
from pages.home.branch import ParkedBranch
from pages.home.controls import Controls
from pages.home.link import LinkState, read_link, read_whole, write_text
from pages.home.session import MAX_BRANCHES, Session

MAX_IDS = 200_000  # tokens of one branch
MAX_NUMBER = 10**6  # of the branches that one reader has begun
MAX_NATS = 10**9  # of one branch's log-probability


@dataclass(frozen=True)
class TabRecord:
    """The texts that a tab kept."""

    link: LinkState  # to the active one
    active: ParkedBranch
    texts: list[ParkedBranch]  # all of them, by number


def read_record(record: object) -> TabRecord:
    """Reads what a tab kept.

    Raises:
        ValueError: It cannot be used; one sentence.
    """
    try:
        return _read(record)
    except (ValueError, TypeError, KeyError) as error:
        raise _refusal(error) from None


def bring_back(
    session: Session, record: TabRecord, open_link: Callable[[LinkState], Session]
) -> Session:
    """Returns the session that a record asks for.

    Args:
        session: As its link asked; it is taken where it shows the active branch already.
        record: What the tab kept.
        open_link: Opens another session.

    Raises:
        ValueError: The record cannot be used; one sentence, and `session` is as it was.
    """
    link, active, texts = record.link, record.active, record.texts
    try:
        _check_ids(texts, link.model, session)
        wanted = link.model, link.controls, write_text(active)
        if wanted != (session.lm.name, session.controls, write_text(session.active)):
            session = open_link(link)
            _check_ids(texts, link.model, session)
    except ValueError as error:
        raise _refusal(error) from None
    if session.lm.name == link.model:
        session.active.number = active.number
        session.branches = [session.active if text is active else text for text in texts]
        session.n_begun = texts[-1].number + 1
    return session


def _refusal(error: Exception) -> ValueError:
    return ValueError(
        f"The branches that this tab kept cannot be read ({reason(error)}): "
        "go on with the text that is here."
    )


def _read(record: Any) -> TabRecord:
    texts = sorted((_read_text(text) for text in record["branches"]), key=lambda text: text.number)
    numbers = [text.number for text in texts]
    if not 1 <= len(set(numbers)) == len(numbers) <= MAX_BRANCHES:
        raise ValueError(f"there must be 1 to {MAX_BRANCHES} of them, each with its own number")
    if record["active"] not in numbers:
        raise ValueError("none of them is the active one")
    if not isinstance(record["controls"], Mapping) or not isinstance(record["model"], str):
        raise TypeError("a value of another kind")
    active = texts[numbers.index(record["active"])]
    model = _followed(read_link({"model": record["model"]}, "")).model
    controls = Controls.from_page(record["controls"])
    link = LinkState(model, active.prompt, active.seed, active.chat, controls, active.choices)
    return TabRecord(link, active, texts)


def _read_text(text: Any) -> ParkedBranch:
    number, ids, logprob = text["id"], text["ids"], text["logprob"]
    if not isinstance(ids, list) or len(ids) > MAX_IDS:
        raise ValueError("one of them is no text, or too long")
    if not isinstance(logprob, int | float) or not -MAX_NATS < logprob < MAX_NATS:
        raise ValueError("a log-probability is out of its range")
    if not _is_whole(number, MAX_NUMBER):
        raise ValueError("a number is out of its range")
    link = _followed(read_whole(text["query"]))
    return ParkedBranch(
        number, link.prompt, link.seed, bool(link.chat), link.choices, ids, float(logprob)
    )


def _followed(link: LinkState) -> LinkState:
    if link.problems:
        raise ValueError(link.problems[0])
    return link


def _check_ids(texts: list[ParkedBranch], model: str, session: Session) -> None:
    """Refuses tokens that the model has not, once a session has that model."""
    for text in texts if session.lm.name == model else ():
        if not all(_is_whole(token_id, session.lm.vocab_size) for token_id in text.ids):
            raise ValueError(f"{session.lm.name} has no such tokens")


def _is_whole(value: object, end: int) -> bool:
    return type(value) is int and 0 <= value < end
