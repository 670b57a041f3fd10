"""What a word of the glossary means as a small picture: tokens in their boxes, shares as bars."""

from markupsafe import Markup

from viz.palette import colour
from viz.strip import HATCH, chip, element

UNIT = 0.85  # em that a part of a bar is long
ROLES = {  # of a letter
    "p": "prompt",
    "g": "generated",
    "k": "kept",
    "c": "chosen",
    "o": "keys",  # kept in the cache
    "d": "stage",  # a draft
    "e": "error",
    "r": "rejected",
}
PICTURES = {  # rows; `p:bird` is a token, `k=6:sky` a bar and its token, `_=2` an empty place
    "token": "p:The p:sp p:arrow/p:was p:sleepy p:.",
    "distribution": "k=10:tree/k=6:sky/k=3:pond/k=1:nest",
    "greedy decoding": "c=10:tree/k=6:sky/k=3:pond/k=1:nest",
    "sampling": "k=10:tree/k=6:sky/c=3:pond/k=1:nest",
    "temperature": "k=7 _=1 k=5:tree/k=1 _=7 k=4:sky/k=1 _=7 k=4:nest",
    "top-p": "k=10:tree/k=6:sky/r=3:pond/r=1:nest",
    "KV cache": "p:The p:bird p:flew/o:The o:bird o:flew g:to/o:The o:bird o:flew o:to g:a",
    "prefill": "p:The p:bird p:flew p:to p:a",
    "decode": "p:The p:bird g:flew/p:The p:bird p:flew g:to/p:The p:bird p:flew p:to g:a",
    "beam search": "k:a k:king k:had/k:a k:bird r:was/k:the r:old",
    "speculative decoding": "p:The d:bird d:flew d:up/p:The g:bird g:flew r:up",
    "hallucination": "p:The p:fish p:lives/g:in g:the e:tree",
}


def picture(name: str) -> Markup:
    """Draws one of the pictures; who hears the page has the words beside it."""
    rows = [
        element("span", *map(_cell, row.split()), class_="glossary-row")
        for row in PICTURES[name].split("/")
    ]
    return element("span", *rows, class_="glossary-picture", aria_hidden="true", translate="no")


def _cell(cell: str) -> Markup:
    if "=" not in cell:
        letter, word = cell.split(":")
        return chip(word, ROLES[letter], style="font-size:var(--size-body)")
    bar, _, word = cell.partition(":")
    letter, n = bar.split("=")
    ground = "none" if letter == "_" else HATCH if letter == "r" else colour(ROLES[letter])
    look = f"width:{UNIT * int(n):.2f}em;background:{ground};forced-color-adjust:none"
    return element("i", style=look) + element("span", word)
