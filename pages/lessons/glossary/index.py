"""The glossary below its title: cards, a filter, and every entry with an anchor of its own.

`/glossary?term=top-p` puts one entry first: a lesson links to it by
`st.page_link("pages/glossary.py", label="top-p", query_params={"term": "top-p"})`. The entries
are in `pages/frame/terms.md`; arXiv ids name who brought the thing in, or the reading to begin
with.
"""

import re
import unicodedata
from itertools import accumulate

import streamlit as st
from markupsafe import Markup

from pages.frame.contents import lesson_at
from pages.frame.layout import as_written
from pages.frame.terms import BY_NAME, TERMS, Term
from pages.frame.words import N_, _, ngettext
from pages.lessons.glossary.pictures import picture
from viz.strip import element

FIRST = {  # words that the others are explained with, and what to see in the picture of each
    "token": N_("each box is a token"),
    "distribution": N_("a longer row is likelier"),
    "greedy decoding": N_("the longest row is taken"),
    "sampling": N_("any row may be drawn"),
    "temperature": N_("left it is low, right it is high"),
    "top-p": N_("the striped rows are cut"),
    "KV cache": N_("each row keeps what it had"),
    "prefill": N_("all are read in one pass"),
    "decode": N_("each row writes one more"),
    "beam search": N_("the striped texts are dropped"),
    "speculative decoding": N_("guesses above, checked below"),
    "hallucination": N_("the red token is wrong"),
}
HEAD = 190  # an entry's heading and its link take the room of so many characters


def show_glossary(asked: str | None = None) -> None:
    """Draws the entries, or those that hold the reader's words.

    Args:
        asked: Anchor of the entry that a link pointed at; it is shown first, by itself.
    """
    first = next((term for term in TERMS if term.anchor == asked), None)
    if first is not None:
        with st.container(border=True, key="glossary_asked"):
            _entry(first, is_first=True)
    words = st.text_input(
        _("Find"),
        key="glossary_find",
        placeholder=_("Find a word: cache, bits, top"),
        label_visibility="collapsed",
        live=True,
    )
    if words:
        matches = matching(words)
        if matches:
            _entries(matches)
        else:
            st.info(_("No entry matches: type fewer letters."))
        return
    st.html(_cards())
    others = [term for term in matching("") if term.name not in FIRST]
    n = len(others)
    with st.expander(ngettext("For engineers: one more word", "For engineers: {n} more words", n)):
        _entries(others)


def _entries(terms: list[Term]) -> None:
    cut = middle(terms)
    for column, part in zip(st.columns(2, gap="large"), (terms[:cut], terms[cut:]), strict=True):
        with column:
            for term in part:
                _entry(term)


def _cards() -> Markup:
    """Writes the first words, which a phone has as a list; then their cards, with pictures."""
    first = [BY_NAME[name] for name in FIRST]
    words = [element("a", term.word, href=f"#{term.anchor}") for term in first]
    index = element("nav", *words, class_="glossary-index")
    return index + element("nav", *map(_card, first), class_="glossary-cards")


def _card(term: Term) -> Markup:
    gist = re.split(r"[.;](?= |$)|[。；؛]", term.sentence)[0]
    stop = "。" if "。" in term.sentence else "."
    lesson = lesson_at(term.page)
    return element(
        "a",
        element("b", *_named(term)),
        picture(term.name),
        element("span", _(FIRST[term.name]), class_="glossary-caption"),
        element("span", f"{gist.rstrip()}{stop}"),
        element("u", _("See it: {title}", title=_(lesson.title))),
        href=f"./{'' if lesson.is_home else lesson.stem}",
        id=term.anchor,
        class_="glossary-card",
    )


def middle(terms: list[Term]) -> int:
    """Returns where to part the entries so that two columns of them are about as long."""
    lengths = list(accumulate(len(term.sentence) + HEAD for term in terms))
    return 1 + next(i for i, length in enumerate(lengths) if 2 * length >= lengths[-1])


def matching(words: str) -> list[Term]:
    """Returns the entries that hold all of these words, the words themselves before others.

    A term is found by its English name, too. What has a card is first, the rest is in alphabetical
    order.
    """
    wanted = words.casefold().split()

    def in_order(term: Term) -> tuple[bool, bool, str]:
        names = f" {' '.join((term.name, *term.spellings))}".casefold()
        is_meant = bool(wanted) and all(f" {word}" in names for word in wanted)
        return not is_meant, not (is_meant and term.name in FIRST), _in_order(term)

    def has_all(term: Term) -> bool:
        said = f"{term.name} {' '.join(term.spellings)} {term.sentence}".casefold()
        return all(word in said for word in wanted)

    return sorted(filter(has_all, TERMS), key=in_order)


def _in_order(term: Term) -> str:
    """Returns what an entry is sorted by: its word, letters without their accents."""
    return unicodedata.normalize("NFKD", term.word.casefold())


def _entry(term: Term, *, is_first: bool = False) -> None:
    papers = ", ".join(f"[arXiv {number}](https://arxiv.org/abs/{number})" for number in term.arxiv)
    place = "asked" if is_first else "term"
    with st.container(key=f"{place}_{term.anchor}_entry", gap=None):
        st.header(_heading(term), anchor=False if is_first else term.anchor)
        if term.name in FIRST:
            st.html(picture(term.name))
        st.markdown(f"{as_written(term.sentence)} {papers}".rstrip())
        title = _(lesson_at(term.page).title)
        st.page_link(term.page, label=_("See it: {title}", title=title))


def _named(term: Term) -> list[str]:
    """Writes a card's term as `_heading` does."""
    is_same = term.word.casefold() == term.name.casefold()
    return [term.word] if is_same else [f"{term.word} ", element("small", term.name)]


def _heading(term: Term) -> str:
    """Writes a term in the reader's language, with the English word beside it if it is another."""
    if term.word.casefold() == term.name.casefold():
        return as_written(term.word)
    return f"{as_written(term.word)} :small[{as_written(term.name)}]"
