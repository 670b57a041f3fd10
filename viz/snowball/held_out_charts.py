"""Models on held-out text: teacher forcing against free running, and loss against context."""

import math

import numpy as np

from model.snowball.records import BIAS, ContextLoss, Estimate, Exposure, Floats, paired_gap
from viz.chart import Chart, add_columns, add_line, filled, new_figure, write_at
from viz.figure import Figure, Style
from viz.format import THIN, change, count, digits, nats, percent
from viz.labels import name_lines
from viz.palette import colour
from viz.snowball.confidence_bands import Line, add_mean, windows

HEIGHT = 340  # pixels
WINDOW = 8  # positions in a stretch
COURSE = 0.52  # of the width, where the course begins beside the bars
LETTERS = 14  # pixels
FORCED, FREE = "after true tokens (teacher forcing)", "after its own tokens (free running)"
TRUE = "the story’s own tokens"
# the largest model first: colour, dash and symbol tell them apart
MODELS = (
    ("generated", "solid", "circle"),
    ("ink", "dash", "square"),
    ("muted", "dot", "diamond"),
    ("surprise", "dashdot", "triangle-up"),
)


def shortfall(kl: Floats) -> float:
    """Returns how much less probability the writer gives to a token of the judge's, 0 to 1.

    It is a geometric mean: KL is the mean logarithm of the judge's probability over the writer's.
    """
    return 1 - math.exp(-float(np.nanmean(kl)))


def error_bars(exposure: Exposure, judge: str, *, is_covered: bool = False) -> Chart:
    """Draws the writer's error after true text and after its own, and beside it its course.

    Args:
        exposure: All of one run.
        judge: What the other model is called.
        is_covered: Whether the error after its own text is left out.
    """
    figure = new_figure(300)
    ways = [("true text", "prompt", "circle", "●", exposure.kl_forced)]
    names = ["after<br>true<br>text", "after<br>its own<br>text"]
    if is_covered:
        write_at(figure, 1, 0.15, "?", 20)
    else:
        ways.append(("its own text", "generated", "square", "■", exposure.kl_free))
    for i, (name, role, symbol, mark, kl) in enumerate(ways):
        mean, tone = shortfall(kl), colour(role)
        words: Style = {"text": [f"<b>{percent(mean)}</b>"], "textposition": "outside"}
        words |= {
            "textfont": {"size": LETTERS, "color": colour("ink")},
            "cliponaxis": False,
            "constraintext": "none",
        }
        add_columns(figure, f"after {name}", [i], [mean], width=0.7, marker=filled(tone), **words)
        line = windows(kl, WINDOW)
        heights = 1 - np.exp(-line.means)
        add_line(figure, f"after {name}", line.places, heights, tone, symbol=symbol, xaxis="x2")
        corner: Style = {"xref": "paper", "xanchor": "left", "yanchor": "top"}
        corner["font"] = {"size": LETTERS, "color": tone}
        write_at(figure, COURSE, 1 - 0.13 * i, f"{mark} after {name}", **corner)
    axis = {"domain": [0, 0.42], "range": [-0.6, 1.6], "tickvals": [0, 1], "ticktext": names}
    letters = {"size": LETTERS, "color": colour("ink")}
    end = exposure.kl_forced.shape[1] + 1
    figure.update_xaxes(axis | {"ticks": "", "tickangle": 0, "tickfont": letters})
    figure.update_layout(
        xaxis2={
            "domain": [COURSE, 1],
            "range": [0, end],
            "title": {"text": "tokens so far", "standoff": 2, "font": letters},
            "tickfont": letters,
            "anchor": "y",
        },
        showlegend=False,
        margin={"t": 48},
    )
    figure.update_yaxes(
        range=[0, 1],
        tickvals=[0, 0.5, 1],
        ticktext=[f"{n}{THIN}%" for n in (0, 50, 100)],
        tickfont=letters,
    )
    scale = f"Error: 0{THIN}% is the same as {judge},<br>100{THIN}% has nothing in common with it"
    top: Style = {"xref": "paper", "yref": "paper", "xanchor": "left", "yanchor": "bottom"}
    write_at(figure, 0, 1.02, scale, LETTERS, align="left", **top)
    caption = (
        f"Measured on {len(exposure.forced)} stories that no shipped model was trained on: how "
        f"much less probability {exposure.writer} gives to a token than {exposure.judge}. That is "
        f"1 − e to the power of −KL({exposure.judge} ‖ {exposure.writer}), a geometric mean. On "
        f"the right: means of {WINDOW} positions. T = {exposure.temperature:g}; the intervals are "
        "in the laboratory."
    )
    return Chart(figure, "Error after true text and after its own", caption)


def error_figure(exposure: Exposure) -> Chart:
    """Draws the writer's error after true tokens and after its own, with its uncertainty."""
    forced, free = exposure.kl_forced, exposure.kl_free
    figure = _figure(forced, free, "error, nats per token")
    name_lines(figure)
    caption = (
        f"Measured on {len(exposure.forced)} held-out stories, T = {exposure.temperature:g}: how "
        f"far {exposure.writer} is from {exposure.judge}. KL({exposure.judge} ‖ {exposure.writer});"
        f" means of {WINDOW} positions, bands are 95 % intervals over stories."
    )
    return Chart(figure, "Error by position", caption)


def judged_figure(exposure: Exposure) -> Chart:
    """Draws the judge's surprise at the writer's draws, and at the story itself."""
    title = f"surprise of {exposure.judge}, nats per token"
    figure = _figure(exposure.forced, exposure.free, title)
    add_mean(figure, windows(exposure.true_text, WINDOW), "muted", TRUE, dash="dash")
    name_lines(figure)
    caption = (
        f"Measured on {len(exposure.forced)} held-out stories, T = {exposure.temperature:g}: the "
        f"expected surprise of {exposure.judge} at a draw of {exposure.writer}, over all "
        f"tokens; means of {WINDOW} positions, bands are 95 % intervals over stories."
    )
    return Chart(figure, "Surprise by position", caption)


def reference_figure(exposure: Exposure) -> Chart:
    """Draws the writer's loss against the story itself, after true tokens and after its own."""
    title = f"loss of {exposure.writer}, nats per token"
    figure = _figure(exposure.writer_loss, exposure.writer_loss_free, title)
    name_lines(figure)
    caption = (
        f"Measured on {len(exposure.forced)} held-out stories: −log p of the story’s own token. "
        "After its own tokens the model tells another story, so this loss counts every "
        "difference as an error."
    )
    return Chart(figure, "Loss against the story", caption)


def _figure(forced: Floats, free: Floats, title: str) -> Figure:
    """Draws what was measured after true tokens, and after the writer's own."""
    figure = new_figure(HEIGHT, "tokens after the prompt", title)
    figure.update_xaxes(range=[0, forced.shape[1] + 1])
    add_mean(figure, windows(forced, WINDOW), "prompt", FORCED, symbol="circle")
    add_mean(figure, windows(free, WINDOW), "generated", FREE, symbol="square")
    return figure


def judged_words(exposure: Exposure) -> str:
    """Says how much more the judge is surprised after the writer's own tokens."""
    gap = paired_gap(exposure.free, exposure.forced)
    numbers = (
        f"{_change(gap)}{THIN}nats a token (95 %, "
        f"{gap.n} stories; standard deviation between stories {gap.spread:.2f})"
    )
    drawn = f"At a draw of {exposure.writer} after its own tokens {exposure.judge} is"
    if not abs(gap.mean) > gap.half_width:
        return f"{drawn} as surprised as after true ones, as far as this can tell: {numbers}."
    if gap.mean > 0:
        return f"{drawn} more surprised than after true ones: {numbers}."
    return (
        f"{drawn} less surprised than after true ones: {numbers}. A likely reason: its own text is "
        "plainer than the story. Lower is not better here."
    )


def excess_words(exposure: Exposure) -> str:
    """Says whether there is exposure bias: how much more the writer errs after its own tokens."""
    excess, error = exposure.excess, float(np.nanmean(exposure.kl_forced))
    verdict = "**These stories cannot tell whether there is exposure bias:**"
    if excess.mean - excess.half_width > BIAS:
        verdict = "**There is exposure bias:**"
    elif excess.mean + excess.half_width <= BIAS:
        verdict = "**There is no exposure bias to speak of:**"
    sign = "more" if excess.mean >= 0 else "less"
    return (
        f"{verdict} after its own tokens {exposure.writer} errs {_share(abs(excess.mean))} {sign} "
        f"than after true ones (± {_share(excess.half_width)}, 95 %, {excess.n} stories; bias is "
        f"more than {_share(BIAS)}). Its error is KL({exposure.judge} ‖ {exposure.writer}), "
        f"{nats(error)} a token after true ones."
    )


def _share(value: float) -> str:
    return f"{100 * value:.0f}{THIN}%"


def drift_words(exposure: Exposure) -> str:
    """Says whether that surprise grows with the position, as it would if errors piled up."""
    n = exposure.free.shape[1]
    first, last = slice(0, n // 3), slice(n - n // 3, n)
    early = paired_gap(exposure.free[:, first], exposure.forced[:, first])
    late = paired_gap(exposure.free[:, last], exposure.forced[:, last])
    return (
        f"From the first third of the positions to the last the gap goes from {_change(early)} to "
        f"{_change(late)}."
    )


def _change(gap: Estimate) -> str:
    return change(gap.mean, gap.half_width)


# From more and more context


def context_figure(loss: ContextLoss) -> Chart:
    """Draws the mean loss of the same tokens against the context, on a logarithmic axis."""
    figure = new_figure(360, "tokens of context", "loss, nats per token")
    x = np.array(loss.contexts, dtype=np.float64)
    words = []
    for (name, losses), (role, dash, symbol) in zip(loss.losses.items(), MODELS, strict=False):
        whole = ~np.isnan(losses).any(axis=0)  # a context that every target was given
        means = np.where(whole, losses.mean(axis=0), np.nan)
        half = np.array([Estimate.of(column).half_width for column in losses.T])
        shown = f"{name}, {digits(loss.n_parameters[name] / 1e6, 2)}{THIN}M"
        add_mean(figure, Line(x, means, half), role, shown, dash=dash, symbol=symbol)
        known = means[whole]
        if known.size:
            words.append(f"{name} {known[0]:.2f} to {known[-1]:.2f}")
    figure.update_xaxes(type="log", tickvals=x.tolist(), ticktext=[count(int(n)) for n in x])
    figure.update_yaxes(rangemode="normal")
    name_lines(figure)
    n = len(next(iter(loss.losses.values())))
    caption = (
        f"Measured: the same {n} tokens of held-out text, predicted from the last 1, 2, 4, … "
        f"tokens before them; bands are 95 % intervals over tokens. {'; '.join(words)} nats."
    )
    return Chart(figure, "Loss against context", caption)
