"""Ideas as small pictures, for cards of lessons: a few cells in the page's colours."""

from markupsafe import Markup

from viz.palette import colour
from viz.strip import element, hatch

CELL = 11  # pixels
PICTURES = {  # a letter is a cell: its look stands below
    "distribution": "kkkkkkkk/kkkkk/kkk/kk/k",
    "sampling": "kkkkkkkk/kkkkk/ccc/kk/k",
    "draw": "kkkkkkk.c/.......kck/........c.kk/........c...k/........c....k",
    "top-p": "kkkkkkkk/kkkkk/kkk/rr/r",
    "KV cache": "pppppp/oooooog/ooooooog/oooooooog",
    "decode": "g/.g/..g/...g",
    "beam search": "pkkkkkkk/.kkr/.k.kkkkk/.rr",
    "speculative decoding": "pppdddd/pppgggr",
    "causal mask": "krrrr/kkrrr/kkkrr/kkkkr/kkkkk",
    "hallucination": "ppggggggg/ppegggggg",
    "constrained decoding": "rrrrrrrr/rrrrrr/kkk/rr/k",
    "diffusion model": "prrrrrrp/prgrrgrp/pggrrggp/pggggggp",
    "encoder-decoder": "ppprppprpp/..........g/..........gg/..........ggg",
    "continuous batching": "ppggggg/ppggpggg/.ppgggggg",
    "stop string": "gggggg/gggggg.vv/gggggg.eee",
    "roofline": "......kkkk/.....k/....k/...k/..k",
    "teacher forcing": "ppppgp/..pppgp//gggggg/..gggggg",
    "joint probability": "kkkkkkkkkkkk/kkkkkkk.cccc/kkkk.kk.cccc",
}
OF_PAGES = {  # what stands for a page, by the stem of its file; empty is the first page
    "": "draw",
    "stopping": "stop string",
    "sampling": "top-p",
    "kv_cache": "KV cache",
    "prefill_decode": "decode",
    "serving": "continuous batching",
    "beam_search": "beam search",
    "futures": "joint probability",
    "constraints": "constrained decoding",
    "speculative": "speculative decoding",
    "diffusion": "diffusion model",
    "encoder_decoder": "encoder-decoder",
    "causal_mask": "causal mask",
    "snowball": "hallucination",
    "guess": "distribution",
    "engines": "sampling",
    "roofline": "roofline",
    "teacher_forcing": "teacher forcing",
}


def small_picture(name: str) -> Markup:
    """Draws one of the pictures; who hears the page has the words beside it."""
    rows = PICTURES[name].rstrip("/").split("/")
    cells = [_cell(letter, x, y) for y, row in enumerate(rows) for x, letter in enumerate(row)]
    wide, high = max(map(len, rows)) * CELL, 5 * CELL
    style = f"position:relative;flex:none;width:{wide}px;height:{high}px"
    return element("span", *cells, style=f"display:inline-block;{style}", aria_hidden="true")


def _cell(letter: str, x: int, y: int) -> Markup:
    look = _LOOKS.get(letter)
    if look is None:
        return Markup("")
    place = f"left:{x * CELL}px;top:{y * CELL}px;width:{CELL - 1}px;height:{CELL - 1}px"
    return element("i", style=f"position:absolute;forced-color-adjust:none;{place};{look}")


_LOOKS = {
    "p": f"background:{colour('prompt')}",
    "g": f"background:{colour('generated')}",
    "k": f"background:{colour('kept')}",
    "c": f"background:{colour('chosen')}",
    "o": f"background:{colour('keys')};opacity:.6",  # kept in the cache
    "v": f"background:{colour('values')}",
    "d": f"background:{colour('stage')}",
    "e": f"background:{colour('error')}",
    "r": f"background:{hatch()}",
}
