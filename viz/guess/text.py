"""The text of the game, tinted by what it cost the model; a tile for everyone who was scored."""

from collections.abc import Sequence

from markupsafe import Markup

from model.guess.records import MODEL, UNIFORM, GuessRound, HiddenText
from viz.format import THIN, plural
from viz.guess.score_charts import mean_bits
from viz.palette import colour
from viz.strip import element, row

DEEPEST = 14  # bits at which the tint is full
TONES = {MODEL: "generated", UNIFORM: "muted"}  # people's is the prompt's


def text_html(text: HiddenText) -> Markup:
    """Writes a text as far as it is revealed, with a blank at its end; a long one shows its end."""
    newest = max((i for i, bits in enumerate(text.bits) if bits is not None), default=-1)
    tokens = (
        part if bits is None else _token(part, bits, is_newest=i == newest)
        for i, (part, bits) in enumerate(zip(text.shown, text.bits, strict=True))
    )
    words = element("div", *tokens, *_blank(text.n_hidden), style="text-wrap:pretty")
    style = (
        "display:flex;flex-direction:column-reverse;max-height:6.9em;overflow-y:auto;"
        "padding:.12em .1em;white-space:pre-wrap;overflow-wrap:anywhere;"
        f"color:{colour('ink')};font:400 var(--size-row)/1.55 var(--sans)"
    )
    return element("div", words, style=style)


def _token(part: str, bits: float, *, is_newest: bool) -> Markup:
    """Tints a token, but not the space before it, which would seem a part of the one before."""
    tone, depth = colour("surprise"), 62 * min(1.0, bits / DEEPEST)
    edge = f"outline:2.5px solid {colour('chosen')};outline-offset:2px"
    style = (
        f"background:color-mix(in srgb,{tone} {depth:.1f}%,transparent);padding:.06em .08em;"
        f"border-radius:.18em;{edge if is_newest else f'border-bottom:2px solid {tone}'}"
    )
    word = part.lstrip()
    title = f"{bits:.1f} bits for the model"
    tinted = element("span", word, class_="asked", style=style, title=title)
    return Markup.escape(part[: len(part) - len(word)]) + tinted


def _blank(n_hidden: int) -> tuple[Markup, ...]:
    if not n_hidden:
        return ()
    tone = colour("stage")
    style = (
        "display:inline-block;min-width:2.4em;margin:0 .35em 0 .4em;text-align:center;"
        f"font-weight:600;color:{tone};background:{colour('stage-tint')};"
        f"border:2px dashed {tone};border-radius:.25em;line-height:1.25"
    )
    rest = f"and {plural(n_hidden - 1, 'more token')} hidden" if n_hidden > 1 else "the last token"
    muted = f"font-size:var(--size-small);color:{colour('muted')};white-space:nowrap"
    blank = element("span", "?", role="img", aria_label="the hidden token", style=style)
    return blank, element("span", rest, style=muted)


def points(bits: float) -> int:
    """Returns the points of a guess: 100, less ten a bit.

    They are as proper as the bits: who says what they believe can expect the most (Good, 1952).
    """
    return round(100 - 10 * bits)


def tiles_html(rounds: Sequence[GuessRound], *, in_bits: bool) -> Markup:
    """Writes everyone's score for the newest token, and so far, beside each other.

    Args:
        rounds: That were played.
        in_bits: Whether scores are bits and their mean; else points and their sum, without those of
            the uniform distribution, which has none.
    """
    costs = rounds[-1].costs
    best = min(costs.values())
    means = {name: line[-1][1] for name, line in mean_bits(rounds).items()}
    tiles = []
    for name, cost in costs.items():
        if not in_bits and name == UNIFORM:
            continue
        sums = sum(points(one.costs[name]) for one in rounds if name in one.costs)
        score = f"{cost:.1f}{THIN}bits" if in_bits else plural(points(cost), "point")
        so_far = f"mean {means[name]:.1f}" if in_bits else f"{sums} so far"
        tiles.append(_tile(name, score, so_far, is_best=cost == best))
    return element(
        "div",
        row(*tiles, gap=".5em"),
        role="group",
        aria_label="The scores of everyone for the newest token",
        style="font:var(--size-small)/1.35 var(--sans);font-variant-numeric:tabular-nums",
    )


def _tile(name: str, score: str, so_far: str, *, is_best: bool) -> Markup:
    ink, muted = f"color:{colour('ink')}", f"color:{colour('muted')}"
    style = (
        f"padding:.3em .8em .35em;border:1px solid {colour('line')};border-radius:.4em;"
        f"border-left:4px solid {colour(TONES.get(name, 'prompt'))};white-space:nowrap;"
    )
    if is_best:
        style += f"outline:2px solid {colour('chosen')}"
    title = name[0].upper() + name[1:] + (", best" if is_best else "")
    return element(
        "div",
        element("div", title, style=f"{ink};font-weight:600" if is_best else muted),
        element("b", score, style=f"{ink};font-size:var(--size-lead);margin-right:.45em"),
        element("span", so_far, style=muted),
        style=style,
    )
