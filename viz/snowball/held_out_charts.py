"""Models on held-out text: teacher forcing against free running, and loss against context."""

import numpy as np

from model.snowball.records import BIAS, ContextLoss, Estimate, Exposure, Floats, paired_gap
from viz.chart import Chart, new_figure
from viz.figure import Figure
from viz.format import THIN, change, count, digits, nats
from viz.labels import name_lines
from viz.snowball.confidence_bands import Line, add_mean, windows

HEIGHT = 340  # pixels
WINDOW = 8  # positions in a stretch
FORCED, FREE = "after true tokens (teacher forcing)", "after its own tokens (free running)"
TRUE = "the story’s own tokens"
# the largest model first: colour, dash and symbol tell them apart
MODELS = (
    ("generated", "solid", "circle"),
    ("ink", "dash", "square"),
    ("muted", "dot", "diamond"),
    ("surprise", "dashdot", "triangle-up"),
)


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
