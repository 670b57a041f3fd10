"""How likely the end token is at each position of a text, before and after the settings."""

from math import log10

from model.stopping.records import EndCurve
from viz.chart import Chart, add_line, new_figure
from viz.format import percent, plural
from viz.labels import plain
from viz.palette import colour

LEAST = 1e-7  # of the axis: what is less, or excluded, lies on its floor
ENDS = {
    "eos": "the end token was drawn",
    "length": "the limit was reached",
    None: "it was stopped",
}


def end_figure(curve: EndCurve) -> Chart:
    """Draws the probability of the end token at each position, on a scale of tenfold steps."""
    figure = new_figure(height=300, x="token of the text", y="probability of the end token")
    places = list(range(1, len(curve.steps) + 1))
    for name, role, values in (
        ("by the model", "prompt", [step.raw for step in curve.steps]),
        ("under the settings", "kept", [step.masked for step in curve.steps]),
    ):
        hovers = [
            f"{plain(step.label)}: {percent(value)}"
            for step, value in zip(curve.steps, values, strict=True)
        ]
        floors = [max(LEAST, value) for value in values]
        add_line(figure, name, places, floors, colour(role), width=2, hover=hovers)
    ticks = [10.0**power for power in range(-6, 1, 2)]
    scale = {"type": "log", "range": [log10(LEAST) - 0.1, 0.1]}
    figure.update_yaxes(**scale, tickvals=ticks, ticktext=list(map(percent, ticks)))
    figure.update_layout(showlegend=True)
    return Chart(figure, "The probability of the end token along the text", _caption(curve))


def _caption(curve: EndCurve) -> str:
    how = ENDS.get(curve.finished) or f"the stop string “{curve.stopped_by}” was complete"
    if not curve.steps:
        return f"Measured: nothing was written, {how}."
    last = curve.steps[-1]
    n_excluded = sum(step.masked == 0 for step in curve.steps)
    return (
        f"Measured: after {plural(len(curve.steps), 'token')} {how}. At the last token the end had "
        f"{percent(last.raw)} by the model and {percent(last.masked)} under the settings, which "
        f"excluded it at {plural(n_excluded, 'position')}. What is excluded lies on the floor."
    )
