"""The glossary's terms, and a dotted underline under each where it first stands on a page.

A press on a marked term opens what `terms.md` says of it, in a popover: the browser's own, which a
keyboard and a finger open, Escape closes, and which moves nothing.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import streamlit as st
from markupsafe import Markup

from pages.frame.words import ENGLISH, _, language, pgettext

TERM = "a term of the glossary"  # what translators are told of its name; pages/words/update.py
_SHOWN = "terms_shown"  # on this page: the place of each


@dataclass(frozen=True)
class Term:
    """One entry."""

    name: str
    says: str  # one or two sentences, in English
    page: str  # path of the page that shows it
    arxiv: tuple[str, ...] = ()

    @property
    def anchor(self) -> str:
        """The name as an address: `/glossary#top-p`."""
        return re.sub(r"[^a-z0-9]+", "-", self.name.lower()).strip("-")

    @property
    def spellings(self) -> tuple[str, ...]:
        """The name in the reader's language, then its other forms there: plurals, cases."""
        said = (form.strip() for form in pgettext(TERM, self.name).split("|"))
        return tuple(form for form in said if form) or (self.name,)

    @property
    def word(self) -> str:
        """The name in the reader's language."""
        return self.spellings[0]

    @property
    def sentence(self) -> str:
        """What the entry says, in the reader's language."""
        return _(self.says)


def _read(entry: str) -> Term:
    head, says = entry.strip().split("\n\n")
    name, page, *papers = head.split(" | ")
    sentences = " ".join(says.split())
    return Term(name, sentences, f"pages/{page}.py", tuple(" ".join(papers).split()))


_ENTRIES = Path(__file__).with_name("terms.md").read_text(encoding="utf-8").split("\n## ")[1:]
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
_LETTER = r"[^\W\u2e80-\u9fff]"  # Chinese has no space between words
_MARKED = Markup('<button type="button" class="term" popovertarget="term-{}">{}</button>')
_NOTE = Markup('<span popover class="term-note" id="term-{}">{}</span>')


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
    shown = st.session_state.setdefault(_SHOWN, {})
    marked, notes, end = Markup(""), Markup(""), 0
    here: set[str] = set()
    names = _names()
    for found in _pattern(tuple(names), language() is ENGLISH).finditer(text):
        if (name := names.get(found[1].lower())) is None:  # a letter of another alphabet: ı
            continue
        term = BY_NAME[name]
        if term.name in here or shown.setdefault(term.name, place) != place:
            continue
        here.add(term.name)
        marked += Markup.escape(text[end : found.start()]) + _MARKED.format(term.anchor, found[0])
        notes += _NOTE.format(term.anchor, _note(term))
        end = found.end()
    return marked + text[end:], notes


def _note(term: Term) -> Markup:
    word, sentence = map(Markup.escape, (term.word, term.sentence))
    return Markup(_("<b>{term}</b>: {sentence}", term=word, sentence=sentence))


def _names() -> Mapping[str, str]:
    """Returns the terms by what the reader's language calls them, everyday words left out."""
    spelled = [(form, term.name) for term in TERMS for form in term.spellings]
    return {
        spelling.lower(): name
        for spelling, name in reversed([*spelled, *ALIASES.items()])
        if name not in AMBIGUOUS
    }


@lru_cache(maxsize=16)
def _pattern(names: tuple[str, ...], is_english: bool) -> re.Pattern[str]:
    """Returns what finds these names as words; other languages name their plurals."""
    longest_first = "|".join(sorted(map(re.escape, names), key=len, reverse=True))
    plural = "(?:s|es)?" if is_english else ""
    return re.compile(
        rf"(?<!{_LETTER})(?<!-)({longest_first}){plural}(?!{_LETTER})(?!-)", re.IGNORECASE
    )
