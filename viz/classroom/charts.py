"""A class's answers as bars: two for each token, or as many as its votes.

People have the colour of the prompt, the model that of generated text, as everywhere.
"""

from __future__ import annotations

from collections.abc import Sequence

from model.classroom.records import ClassRound
from viz.chart import Chart, add_bars, filled, new_figure
from viz.figure import Style
from viz.format import count, percent, plural
from viz.labels import name_rows, plain
from viz.palette import colour

MAX_NAME = 18  # characters of a token
MAX_ROWS = 6  # tokens
ROW_HEIGHT = 50  # pixels, of two bars


def class_figure(found: ClassRound, true_id: int | None = None) -> Chart:
    """Draws what the class and the model gave each token; the one that came is marked."""
    weighty = sorted(found.rows, key=lambda row: -max(row.class_prob, row.model_prob))
    kept = {row.token_id for row in weighty[:MAX_ROWS]}
    rows = [row for row in found.rows if row.token_id in kept or row.token_id == true_id]
    names = [plain(row.label, MAX_NAME) for row in rows]
    names = [
        f"<b>{name}</b> ✓" if row.token_id == true_id else name
        for name, row in zip(names, rows, strict=True)
    ]
    of_class = [row.class_prob for row in rows]
    of_model = [row.model_prob for row in rows]
    return _bars(
        names,
        [("the model", of_model, "generated"), ("the class", of_class, "prompt")],
        f"Measured: the class is the mean of {plural(found.n_answers, 'answer')}, each with the "
        "confidence that its phone gave; the rest is spread evenly over all other tokens.",
    )


def draws_figure(labels: Sequence[str], shares: Sequence[float], landed: Sequence[int]) -> Chart:
    """Draws how many of a class's random numbers fell on each token, beside its probability.

    The last label is that of all other tokens together.
    """
    n = max(1, sum(landed))
    return _bars(
        [plain(name, MAX_NAME) for name in labels],
        [
            ("the model’s probability", list(shares), "generated"),
            ("share of the class’s draws", [k / n for k in landed], "prompt"),
        ],
        f"Measured: {plural(sum(landed), 'random number')}, one for each phone. With more draws "
        "the shares come closer to the probabilities.",
    )


def votes_figure(
    options: Sequence[str], votes: Sequence[int], earlier: Sequence[int] | None
) -> Chart:
    """Draws the votes of a question, and those of the first time where it was asked twice."""
    series = [("now", [float(n) for n in votes], "prompt")]
    if earlier is not None:
        series.insert(0, ("before the discussion", [float(n) for n in earlier], "rejected"))
    caption = f"Measured: {plural(sum(votes), 'vote')}."
    return _bars([plain(o, 40) for o in options], series, caption, is_share=False)


def _bars(
    names: Sequence[str],
    series: Sequence[tuple[str, list[float], str]],
    caption: str,
    *,
    is_share: bool = True,
) -> Chart:
    """Draws a group of bars for each name; series are given from the lowest bar up."""
    figure = new_figure()

    def write(value: float) -> str:
        return percent(value) if is_share else count(round(value))

    for title, values, role in reversed(series):
        marker = filled(colour(role), shape="/" if role == "rejected" else "")
        look: Style = {"marker": marker, "textfont": {"size": 15}, "hover": "%{y}: %{text}"}
        add_bars(figure, title, names, values, list(map(write, values)), **look)
    top = max((max(values, default=0) for _, values, _ in series), default=0) or 1.0
    figure.update_xaxes(range=[0, 1.2 * top], visible=False)
    name_rows(figure, names, size=15)
    figure.update_layout(
        height=70 + ROW_HEIGHT * len(names), bargap=0.25, legend={"traceorder": "reversed"}
    )
    said = "; ".join(
        f"{name}: {', '.join(f'{title} {write(values[i])}' for title, values, _ in series)}"
        for i, name in enumerate(names)
    )
    return Chart(figure, said, caption)
