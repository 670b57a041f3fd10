"""The glossary below its title: an index, a filter, and every entry with an anchor of its own.

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
from pages.frame.small_pictures import small_picture
from pages.frame.terms import BY_NAME, TERMS, Term
from pages.frame.words import N_, _, ngettext
from viz.palette import colour
from viz.strip import element

FIRST = {  # words that the others are explained with, and what to see in the picture of each
    "token": N_("blue is read, green comes next"),
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
    if not words:
        st.html(_cards())
    matches = matching(words or "")
    if not matches:
        st.info(_("No entry matches: type fewer letters."))
        return
    index = " · ".join(f"[{as_written(term.word)}](#{term.anchor})" for term in matches)
    n = len(matches)
    with st.expander(ngettext("The one word", "All {n} words", n), key="glossary_index"):
        st.markdown(f":small[{index}]")
    columns = st.columns(2, gap="large")
    cut = middle(matches)
    for column, terms in zip(columns, (matches[:cut], matches[cut:]), strict=True):
        with column:
            for term in terms:
                _entry(term)


def _cards() -> Markup:
    """Writes the first words as cards, each with a picture, that lead to their entries."""
    look = "display:grid;grid-template-columns:repeat(auto-fill,minmax(15rem,1fr));gap:.7rem"
    return element("nav", *(_card(BY_NAME[name]) for name in FIRST), style=look)


def _card(term: Term) -> Markup:
    gist = re.split(r"[.;](?= |$)|[。；؛]", term.sentence)[0]
    title = _(lesson_at(term.page).title)
    page = f"margin-top:auto;padding-top:.3rem;font-size:var(--size-small);color:{colour('muted')}"
    stop = "。" if "。" in term.sentence else "."
    style = (
        "display:flex;flex-direction:column;padding:.8rem .9rem;border-radius:8px;line-height:1.4;"
        f"border:1px solid {colour('line')};color:inherit;text-decoration:none"
    )
    return element(
        "a",
        element("b", term.word, style="font-size:var(--size-lead);line-height:1.25"),
        element(
            "span",
            small_picture(term.name),
            element("span", _(FIRST[term.name]), style="font-size:var(--size-small)"),
            style="display:flex;flex-wrap:wrap;gap:.2rem .8rem;align-items:flex-start;"
            "margin:.35rem 0 .45rem",
        ),
        element("span", f"{gist.rstrip()}{stop}", style="font-size:var(--size-small)"),
        element("span", _("See it: {title}", title=title), style=page),
        href=f"#{term.anchor}",
        style=style,
    )


def middle(terms: list[Term]) -> int:
    """Returns where to part the entries so that two columns of them are about as long."""
    lengths = list(accumulate(len(term.sentence) + HEAD for term in terms))
    return 1 + next(i for i, length in enumerate(lengths) if 2 * length >= lengths[-1])


def matching(words: str) -> list[Term]:
    """Returns the entries that hold all of these words, in alphabetical order.

    A term is found by its English name, too.
    """
    wanted = words.casefold().split()

    def has_all(term: Term) -> bool:
        said = f"{term.name} {' '.join(term.spellings)} {term.sentence}".casefold()
        return all(word in said for word in wanted)

    return sorted(filter(has_all, TERMS), key=_in_order)


def _in_order(term: Term) -> str:
    """Returns what an entry is sorted by: its word, letters without their accents."""
    return unicodedata.normalize("NFKD", term.word.casefold())


def _entry(term: Term, *, is_first: bool = False) -> None:
    papers = ", ".join(f"[arXiv {number}](https://arxiv.org/abs/{number})" for number in term.arxiv)
    place = "asked" if is_first else "term"
    with st.container(key=f"{place}_{term.anchor}_entry", gap=None):
        st.header(_heading(term), anchor=False if is_first else term.anchor)
        st.markdown(f"{as_written(term.sentence)} {papers}".rstrip())
        title = _(lesson_at(term.page).title)
        st.page_link(term.page, label=_("See it: {title}", title=title))


def _heading(term: Term) -> str:
    """Writes a term in the reader's language, with the English word beside it if it is another."""
    if term.word.casefold() == term.name.casefold():
        return as_written(term.word)
    return f"{as_written(term.word)} :small[{as_written(term.name)}]"
