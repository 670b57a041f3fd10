"""Two copies in training: the loss of one that sees the answers, and of one that does not.

Rose-gold is trained with the mask; the colour of what went wrong is trained without, dotted while
the answers are in sight, solid when it generates.
"""

from __future__ import annotations

from collections.abc import Sequence

from model.causal_mask.records import TrainingMoment
from viz.chart import Chart, Style, add_line, new_figure, write_at
from viz.format import nats, plural
from viz.palette import Theme, colour

HEIGHT = 360  # pixels
SIDES = (
    ("trained without it, generating", "error", "solid", "writing"),
    ("trained with the mask", "kept", "solid", "masked"),
    ("trained without it, answers in sight", "error", "dot", "unmasked"),
)


def training_figure(
    moments: Sequence[TrainingMoment], n_steps: int, where: str, theme: Theme = "light"
) -> Chart:
    """Draws the mean loss of both copies on a text that they were not trained on.

    Args:
        moments: one before the first step, and one after each; at least one.
        n_steps: that the training will take.
        where: model, device and numbers.
        theme: Light or dark.
    """
    figure = new_figure(theme)
    places = [moment.n_steps for moment in moments]
    for name, role, dash, field in SIDES:
        losses = [getattr(moment, field) for moment in moments]
        tone = colour(role, theme)
        look: Style = {"width": 3, "dash": dash, "symbol": "circle" if len(places) == 1 else None}
        hover = "step %{x}: %{y:.2f} nats"
        add_line(figure, name, places, losses, tone, hover=hover, **look)
        ink = {"size": 14, "color": tone if role == "error" else colour("kept-text", theme)}
        words = f"<b>{nats(losses[-1])}</b>"
        write_at(figure, places[-1], losses[-1], words, theme, xanchor="left", xshift=8, font=ink)
    top = max(max(one.masked, one.unmasked, one.writing) for one in moments)
    figure.update_xaxes(title_text="steps of training", range=[0, 1.12 * n_steps])
    figure.update_yaxes(title_text="mean loss on this text, nats", range=[0, 1.1 * top])
    figure.update_layout(height=HEIGHT)
    last = moments[-1]
    caption = (
        f"Measured on copies of {where}, after {plural(last.n_steps, 'step')}. Trained without "
        f"the mask: {nats(last.unmasked)} with the answers in sight, {nats(last.writing)} when "
        f"generating. Trained with it: {nats(last.masked)}."
    )
    return Chart(figure, caption, f"Training with and without the mask. {caption}")
