"""Three small cases around the end of a text: a last space, a string in the tokens, a round."""

from collections.abc import Sequence

from markupsafe import Markup

from model.stopping.records import NextTokens, RoundEnd, StringSearch
from viz.bars import TICKS
from viz.format import THIN, percent
from viz.palette import colour
from viz.strip import chip, element, row, token

LAST = 4  # tokens of a prompt that are shown


def next_tokens_picture(*prompts: NextTokens) -> Markup:
    """Draws the last tokens of prompts beside each other, and the likeliest ones after each.

    Each has an axis from 0 to 100 %, and a bar is as long as the number behind it says.
    """
    blocks = []
    for one in prompts:
        chips = row(*(chip(label, "prompt") for label in one.labels[-LAST:]))
        bars = (_bar(label, prob) for label, prob in one.best)
        name = _muted("… the prompt’s last tokens")
        blocks.append(element("div", name, chips, _axis(), *bars, style=_HALF))
    return element("div", *blocks, style="display:flex;flex-wrap:wrap;gap:12px 32px")


def search_picture(found: StringSearch) -> Markup:
    """Draws the tokens of a text, those that the string touches marked, above its own tokens."""
    first, end = found.span
    text = [
        chip(label, "error" if first <= i < end else "generated")
        for i, label in enumerate(found.labels)
    ]
    alone = [chip(label, "error") for label in found.alone]
    return _lines(("the text", text), ("the string by itself", alone))


def round_picture(last: RoundEnd) -> Markup:
    """Draws what was proposed, and below each the target's best: what is dropped is hatched."""
    proposed = [
        chip(label, "generated") if i < last.n_accepted else chip(label, "rejected", "marked")
        for i, label in enumerate(last.proposals)
    ]
    best = [chip(label, "prompt", "open") for label in last.best[: len(proposed)]]
    names = [_muted("the draft proposes"), _muted("the model’s own best")]
    pairs = zip([names[0], *proposed], [names[1], *best], strict=True)
    return row(*(element("div", *pair, style=_PAIR) for pair in pairs), gap="8px")


_HALF = "flex:0 1 24rem;min-width:0;display:grid;gap:3px;align-content:start"
_PAIR = "display:grid;gap:4px;grid-auto-rows:1.7rem;align-items:center;justify-items:start"
_CELLS = "display:grid;grid-template-columns:5.5em 1fr 4.5em;gap:8px;align-items:center;"
_NAME = f"color:{colour('muted')};font-size:var(--size-small);"


def _muted(words: str) -> Markup:
    return element("span", words, style=_NAME + "display:block")


def _axis() -> Markup:
    in_the_middle = "width:0;display:flex;justify-content:center;white-space:nowrap"
    ticks = (element("small", f"{tick}{THIN}%", style=in_the_middle) for tick in TICKS)
    between = "display:flex;justify-content:space-between"
    axis = element("span", *ticks, style=f"grid-column:2;{between};{_NAME}", class_="next-axis")
    return element("div", axis, style=_CELLS, aria_hidden="true")


def _bar(label: str, prob: float) -> Markup:
    name = element(
        "span", token(label), style="font:var(--size-small)/1.5 var(--read);white-space:pre"
    )
    fill = f"width:{100 * prob:.2f}%;height:.9em;background:{colour('kept')}"
    look = f"display:block;{fill};forced-color-adjust:none"
    bar = element("span", element("i", style=look))
    number = element("span", percent(prob))
    return element("div", name, bar, number, style=_CELLS, translate="no", class_="next-bar")


def _lines(*lines: tuple[str, Sequence[Markup]]) -> Markup:
    """Puts rows of tokens below each other, each under its name."""
    names = (element("div", _muted(name), row(*chips)) for name, chips in lines)
    return element("div", *names, style="display:grid;gap:10px")
