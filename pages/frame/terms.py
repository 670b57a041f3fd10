"""The glossary's terms, and a dotted underline under each where it first stands on a page.

A press on a marked term opens what `terms.md` says of it, in a popover: the browser's own, which a
keyboard and a finger open, Escape closes, and which moves nothing.
"""

import re
from dataclasses import dataclass
from pathlib import Path

import streamlit as st
from markupsafe import Markup

from pages.frame.words import ENGLISH, language

_SHOWN = "terms_shown"  # on this page: the place of each


@dataclass(frozen=True)
class Term:
    """One entry."""

    name: str
    says: str  # one or two sentences
    page: str  # path of the page that shows it
    arxiv: tuple[str, ...] = ()

    @property
    def anchor(self) -> str:
        """The name as an address: `/glossary#top-p`."""
        return re.sub(r"[^a-z0-9]+", "-", self.name.lower()).strip("-")


def _read(entry: str) -> Term:
    head, says = entry.strip().split("\n\n")
    name, page, *papers = head.split(" | ")
    return Term(name, says, f"pages/{page}.py", tuple(" ".join(papers).split()))


_, *_ENTRIES = Path(__file__).with_name("terms.md").read_text(encoding="utf-8").split("\n## ")
TERMS = tuple(map(_read, _ENTRIES))
BY_NAME = {term.name: term for term in TERMS}
# everyday words too: they are the term where a component says so
AMBIGUOUS = {
    *("append", "attention", "batching", "cut", "draw", "loss", "mode", "read", "rewind"),
    *("sampling", "score", "streaming", "surprise"),
}
# what engineers say, and the entry that explains it
ALIASES = {
    "nats": "nat",
    "bits per token": "surprise",
    "log p": "surprise",
    "logits": "logit",
    "KV": "KV cache",
    "KV heads": "grouped-query attention",
    "<|endoftext|>": "end token",
    "EOS": "end token",
    "nucleus": "top-p",
    "TTFT": "time to first token",
    "ITL": "inter-token latency",
    "KL": "KL divergence",
}
_SPELLINGS = {
    spelling.lower(): name
    for spelling, name in {**{name: name for name in BY_NAME}, **ALIASES}.items()
    if name not in AMBIGUOUS
}
_LONGEST_FIRST = sorted(map(re.escape, _SPELLINGS), key=len, reverse=True)
_TERM = re.compile(rf"(?<![\w-])({'|'.join(_LONGEST_FIRST)})(?:s|es)?(?![\w-])", re.IGNORECASE)
_MARKED = Markup('<button type="button" class="term" popovertarget="term-{}">{}</button>')
_NOTE = Markup('<span popover class="term-note" id="term-{}"><b>{}</b>: {}</span>')


def forget_shown() -> None:
    """Begins a page: no term stands on it yet."""
    st.session_state[_SHOWN] = {}


def explain(text: str, place: str) -> tuple[Markup, Markup]:
    """Marks the terms of a text that stand on this page for the first time.

    Args:
        text: Plain words.
        place: Key of the text on its page: drawn again, it keeps its marks.

    Returns:
        The text, and the notes that its terms open, to stand after it.
    """
    if language() is not ENGLISH:  # the glossary is in English
        return Markup.escape(text), Markup("")
    shown = st.session_state.setdefault(_SHOWN, {})
    marked, notes, end = Markup(""), Markup(""), 0
    here: set[str] = set()
    for found in _TERM.finditer(text):
        term = BY_NAME[_SPELLINGS[found[1].lower()]]
        if term.name in here or shown.setdefault(term.name, place) != place:
            continue
        here.add(term.name)
        marked += Markup.escape(text[end : found.start()]) + _MARKED.format(term.anchor, found[0])
        notes += _NOTE.format(term.anchor, term.name, term.says)
        end = found.end()
    return marked + text[end:], notes
