"""One text as training sees it: tinted by surprise, its loss at every position, pass and loop.

Purple, by opacity, is how unlikely a token was. The parallel pass is prefill's blue, the loop of
single steps decode's teal. Rose-gold is trained with the mask; the colour of what went wrong is
trained without, dotted while the answers are in sight, solid when it generates.
"""

from collections.abc import Sequence

import numpy as np
from markupsafe import Markup

from model.causal_mask.records import Floats, Losses, ParallelCheck, TrainingMoment
from viz.bars import lying_bars
from viz.causal_mask.edit_charts import add_heights, name_positions, small_nats
from viz.chart import Chart, add_line, add_points, new_figure
from viz.figure import Style
from viz.format import digits, duration, nats, percent, plural
from viz.labels import in_sentence, name_lines, plain
from viz.palette import colour
from viz.strip import element, paragraph

HEIGHT = 320  # pixels
MAX_NATS = 8.0  # nats at which the tint is full: a probability of 0.03 %
MAX_TINT = 62  # percent of purple in a full tint, so that ink stays legible on it
SIDES = (
    ("trained without it, generating", "error", "solid", "writing"),
    ("trained with the mask", "kept", "solid", "masked"),
    ("trained without it, answers in sight", "error", "dot", "unmasked"),
)


def surprise_html(losses: Losses) -> Markup:
    """Writes the text with every token tinted by its loss."""
    shown = [element("span", losses.first)]
    for text, label, loss in zip(losses.texts, losses.labels, losses.losses, strict=True):
        title = f"{label}: {nats(float(loss))}, {percent(float(np.exp(-loss)))}"
        style = f"background:{_tint(float(loss))};border-radius:3px;padding:.1em 0"
        # a token that completes no character shows its bytes
        shown.append(element("span", text or label, style=style, title=title))
    look = f"font-size:var(--size-lead);line-height:1.75;color:{colour('ink')}"
    return paragraph(*shown, style=look) + _key()


def _tint(loss: float) -> str:
    share = MAX_TINT * min(1.0, loss / MAX_NATS)
    return f"color-mix(in srgb, {colour('surprise')} {share:.0f}%, transparent)"


def _key() -> Markup:
    """Writes the scale of the tint."""
    scale = (
        "display:inline-block;width:9rem;height:.7rem;border-radius:3px;vertical-align:middle;"
        f"background:linear-gradient(90deg,transparent,{_tint(MAX_NATS)});"
        f"border:1px solid {colour('line')}"
    )
    words = f" surprising: {MAX_NATS:.0f} nats, {percent(float(np.exp(-MAX_NATS)))} or less"
    look = f"font-size:var(--size-small);margin:.6rem 0 0;color:{colour('muted')}"
    return element("p", "expected ", element("span", style=scale), words, style=look)


def loss_figure(losses: Losses, loop_losses: Sequence[float] | Floats, where: str) -> Chart:
    """Draws the loss at every position by one pass, and by as many single steps as have run."""
    figure = new_figure(HEIGHT, y="loss, nats")
    places = np.arange(len(losses.losses))
    hovers = [
        f"{plain(label)}: {nats(loss)}, {percent(float(np.exp(-loss)))}"
        for label, loss in zip(losses.labels, losses.losses.tolist(), strict=True)
    ]
    add_heights(figure, losses.losses, hovers, "one pass", "surprise")
    if len(loop_losses):
        tone = colour("generated")
        marker = {"symbol": "circle-open", "size": 8, "color": tone, "line": {"width": 2}}
        name = "the loop, step by step"
        add_points(figure, name, range(len(loop_losses)), loop_losses, marker)
    ends, ink = [-0.6, len(places) - 0.4], colour("ink")
    mean = f"mean {nats(losses.mean)}"
    add_line(figure, mean, ends, [losses.mean] * 2, ink, width=1.5, dash="dash")
    name_positions(figure, losses.labels)
    worst = int(np.argmax(losses.losses))
    caption = (
        f"Measured on {where}, {plural(len(places), 'position')} in one pass: most surprising is "
        f"{in_sentence(losses.labels[worst])}, {nats(float(losses.losses[worst]))}."
    )
    return Chart(figure, "Loss at every position", caption)


def race_figure(comparison: ParallelCheck, where: str) -> Chart:
    """Draws the seconds of the parallel pass beside those of the loop."""
    sides = (
        ("one parallel pass", comparison.pass_seconds, "prompt"),
        ("a loop of single steps", comparison.loop_seconds, "generated"),
    )
    bars = [(name, 1000 * seconds, duration(seconds), role) for name, seconds, role in sides]
    figure = lying_bars(bars, "milliseconds")
    caption = (
        f"Measured on {where}: {plural(len(comparison.losses), 'token')} on either side, the loop "
        f"took {digits(comparison.ratio, 2)} times as long and found the same losses, to "
        f"{small_nats(comparison.gap)}: rounding. Median of "
        f"{plural(comparison.n_passes, 'pass', 'es')}, timed before, amid and after the steps; "
        "the loop keeps its cache, both sides are the model’s own pass, warmed up."
    )
    return Chart(figure, "One pass against the loop", caption)


def training_figure(moments: Sequence[TrainingMoment], n_steps: int, where: str) -> Chart:
    """Draws the mean loss of both copies on a text that neither was trained on."""
    figure = new_figure(360, "steps of training", "mean loss on this text, nats")
    places = [moment.n_steps for moment in moments]
    for name, role, dash, field in SIDES:
        losses = [getattr(moment, field) for moment in moments]
        tone = colour(role)
        look: Style = {"width": 3, "dash": dash, "symbol": "circle" if len(places) == 1 else None}
        hover = "step %{x}: %{y:.2f} nats"
        add_line(figure, f"{name}: {nats(losses[-1])}", places, losses, tone, hover=hover, **look)
    top = max(max(one.masked, one.unmasked, one.writing) for one in moments)
    figure.update_xaxes(range=[0, n_steps])
    figure.update_yaxes(range=[0, 1.1 * top])
    name_lines(figure)
    first, last = moments[0], moments[-1]
    caption = (
        f"Measured on copies of {where}, after {plural(last.n_steps, 'step')}. Trained without "
        f"the mask: {nats(first.unmasked)} → {nats(last.unmasked)} with the answers in sight, "
        f"{nats(first.writing)} → {nats(last.writing)} when generating. Trained with it: "
        f"{nats(first.masked)} → {nats(last.masked)}; it was trained so before and has little "
        "left to learn."
    )
    return Chart(figure, "Training with and without the mask", caption)
