"""Figures of speculative decoding: both distributions, acceptance, the arithmetic, the speed-up.

The draft is drawn open and dashed, the target filled, both in the colour of what models write; what
is predicted is a line, what was measured a mark. Knows numbers and names, not how they were made.
"""

from collections.abc import Sequence

from model.speculative.records import (
    FORCED_LENGTH,
    DraftReport,
    RoundBar,
    RoundCost,
    Speed,
    SpeedReport,
)
from viz.bars import share_axis
from viz.chart import Chart, add_bars, add_line, add_points, new_figure
from viz.figure import Style
from viz.format import count, digits, duration, percent, plural, round_steps
from viz.labels import name_lines, place_rows, plain
from viz.palette import colour

DASHES = ("solid", "dash", "dot", "dashdot")
SYMBOLS = ("circle", "square", "diamond", "triangle-up")
MIN_TESTED = 5  # tokens at a place whose acceptance is drawn


def distributions_figure(bars: Sequence[RoundBar], *, is_decided: bool = True) -> Chart:
    """Draws what both models say of one position, and what the draft leaves of the target's.

    Which token was drawn is marked once it is decided.
    """
    has_draft = any(bar.is_proposed for bar in bars)
    tone = colour("generated")
    series: list[tuple[str, int, dict[str, object]]] = [
        ("draft", 1, _open(tone)),
        ("target", 0, {"color": tone}),
        ("residual", 2, {"color": colour("kept")}),
    ]
    figure = new_figure(90 + 52 * len(bars))
    for name, column, marker in series if has_draft else series[1:2]:
        values = [bar.probs[column] for bar in bars]
        words = [percent(value) if value else "" for value in values]
        look: Style = {"hover": "%{text}", "marker": marker, "textfont": {"size": 13}}
        add_bars(figure, name, range(len(bars)), values, words, **look)
    figure.update_xaxes(share_axis("probability"))
    labels = [plain(bar.label, 16) + _marks(bar, is_decided) for bar in bars]
    place_rows(figure, labels, {"size": 14, "color": colour("ink")})
    figure.update_layout(barmode="group", bargap=0.25)
    is_rejected = is_decided and has_draft and any(bar.is_drawn for bar in bars)
    return Chart(figure, "What both models say of one position", _said(has_draft, is_rejected))


def _open(tone: str) -> dict[str, object]:
    """Describes a bar of the draft's: an outline and nothing in it."""
    return {"color": "rgba(0,0,0,0)", "line": {"color": tone, "width": 1.5}}


def _said(has_draft: bool, is_rejected: bool) -> str:
    if not has_draft:
        return "Measured: the target’s own distribution after the masks; nothing was drafted here."
    return (
        "Measured: both distributions after the same masks. Where the draft gives a token more "
        "than the target does, it is accepted only with the ratio of the two; what the target has "
        "beyond the draft is the residual."
    ) + " The draft token was rejected: the next one was drawn from the residual." * is_rejected


def _marks(bar: RoundBar, is_decided: bool) -> str:
    words = ["drafted"] * bar.is_proposed + ["drawn"] * (bar.is_drawn and is_decided)
    return f"  ({', '.join(words)})" if words else ""


def acceptance_figure(reports: Sequence[DraftReport]) -> Chart:
    """Draws, for each draft, how many of the tested tokens were accepted, by place."""
    figure = new_figure(x="place of the token in its round", y="accepted of those tested, %")
    for index, report in enumerate(reports):
        n_tested, rates = report.acceptance.n_tested, report.acceptance.by_place
        places = [i for i, n in enumerate(n_tested) if n >= MIN_TESTED]
        add_line(
            figure,
            f"{report.name}: {percent(report.acceptance.rate)}",
            [place + 1 for place in places],
            [100 * rates[place] for place in places],
            colour("generated" if index == 0 else "muted"),
            dash=DASHES[index % 4],
            symbol=SYMBOLS[index % 4],
            hover="token %{x}: %{y:.1f} % of %{customdata}",
            customdata=[n_tested[place] for place in places],
        )
    figure.update_xaxes(dtick=1)
    figure.update_yaxes(range=[0, 105])
    name_lines(figure)
    best = max(reports, key=lambda one: one.acceptance.rate)
    caption = (
        f"Measured: {best.name} is accepted most often, {percent(best.acceptance.rate)} of "
        f"{count(sum(best.acceptance.n_tested))} tested tokens. A token is tested where all before "
        "it in its round were accepted; places with fewer than five are left out."
    )
    return Chart(figure, "Acceptance by place", caption)


def speed_figure(report: SpeedReport, where: str) -> Chart:
    """Draws the speed-up of every draft length: measured, predicted, and by the textbook."""
    fixed = [(one.n_draft, one) for one in report.speeds if one.n_draft is not None]
    lengths = [length for length, _ in fixed]
    adaptive = [one for one in report.speeds if one.n_draft is None]
    title = "times as fast as plain decoding"
    figure = new_figure(380, "draft tokens per round", title)
    tone, hover = colour("generated"), "%{x} draft tokens: %{y:.2f}"
    textbook = [one.textbook or 0 for _, one in fixed]
    predicted = [one.predicted or 0 for _, one in fixed]
    grey = colour("muted")
    add_line(figure, "textbook formula", lengths, textbook, grey, dash="dot", hover=hover)
    name = "predicted from the parts"
    add_line(figure, name, lengths, predicted, tone, dash="dash", hover=hover)
    measured = [one.measured for one in (*(one for _, one in fixed), *adaptive)]
    places = [*lengths, *[lengths[-1] + 1] * len(adaptive)]
    best = max(measured)  # the numbers of all would touch on a phone
    words = [f"<b>{value:.2f}</b>" if value == best else "" for value in measured]
    look: Style = {"mode": "markers+text", "text": words, "textposition": "top center"}
    add_points(figure, "measured", places, measured, {"size": 12, "color": tone}, hover, **look)
    if report.extremes:
        marker = {"size": 11, "symbol": "x", "color": colour("ink")}
        ends = zip(("all", "none"), report.extremes, strict=True)
        look["text"] = [f"{n} accepted {y:.2f}" for n, y in ends]
        look["textposition"] = "bottom center"
        add_points(figure, "", [FORCED_LENGTH] * 2, report.extremes, marker, "%{text}", **look)
    figure.add_hline(y=1, line={"color": colour("ink"), "width": 1})
    names = [*map(str, lengths), *["<br>adaptive"] * len(adaptive)]  # below the last number
    figure.update_xaxes(tickvals=places, ticktext=names, tickangle=0)
    top = max(*measured, *textbook, *report.extremes or ())
    figure.update_yaxes(range=[0, 1.15 * top], rangemode="tozero")
    name_lines(figure)
    return Chart(figure, "Speed-up by draft length", _speed_words(report.speeds, where))


def _speed_words(speeds: Sequence[Speed], where: str) -> str:
    best = max(speeds, key=lambda one: one.measured)
    length = "an adaptive draft" if best.n_draft is None else plural(best.n_draft, "draft token")
    fixed = [one for one in speeds if one.n_draft is not None]
    near = min(fixed, key=lambda one: abs(one.measured - best.measured))
    off = (near.predicted or 0) / near.measured - 1
    return (
        f"Measured on {where}, greedy: with {length} per round, decoding is {best.measured:.2f} "
        f"times as fast as plain decoding. Derived: at {plural(near.n_draft or 0, 'draft token')} "
        f"the measured parts predict {near.predicted or 0:.2f}, {abs(off) * 100:.0f} % "
        f"{'above' if off > 0 else 'below'} what was measured."
    )


def round_figure(cost: RoundCost, where: str) -> Chart:
    """Draws one round beside the target steps that would write as many tokens, as time."""
    figure = new_figure(240, x="milliseconds")
    tone = colour("generated")
    plain_row, round_row = "as many by target steps", "one round"
    filled: dict[str, object] = {"color": tone, "line": {"color": colour("paper"), "width": 1.5}}
    between: dict[str, object] = {"color": colour("rejected")}
    pieces = [(round_row, cost.draft_seconds, _open(tone), "draft step")] * cost.n_draft
    pieces.append((round_row, cost.verify_seconds, filled, "target pass"))
    if cost.overhead_seconds:
        pieces.append((round_row, cost.overhead_seconds, between, "between the passes"))
    pieces += [(plain_row, cost.target_seconds, filled, "target pass")] * (cost.n_draft + 1)
    named = set()
    for row, seconds, marker, name in pieces:
        look: Style = {"marker": marker, "legendgroup": name, "showlegend": name not in named}
        add_bars(figure, name, [row], [1000 * seconds], hover="%{x:.2f} ms", **look)
        named.add(name)
    if cost.tokens_per_round is not None:
        paper = {"color": colour("paper"), "width": 1.5}
        mark = {"symbol": "diamond", "size": 14, "color": colour("ink"), "line": paper}
        name = f"{cost.tokens_per_round:.2f} tokens: what a round gives on average"
        place = [1000 * cost.tokens_per_round * cost.target_seconds]
        add_points(figure, name, place, [plain_row], mark, hoverinfo="name")
    plain_seconds = (cost.n_draft + 1) * cost.target_seconds
    ticks = round_steps(1000 * max(cost.seconds, plain_seconds), 6)
    figure.update_xaxes(tickvals=ticks, range=[0, 1.02 * ticks[-1]])
    order = [plain_row, round_row]  # the round on top
    figure.update_yaxes(
        categoryarray=order, showgrid=False, rangemode="normal", tickfont={"size": 14}
    )
    figure.update_layout(barmode="stack", bargap=0.5)
    return Chart(figure, "The arithmetic of a round", _round_words(cost, where, plain_seconds))


def _round_words(cost: RoundCost, where: str, plain_seconds: float) -> str:
    is_measured = cost.tokens_per_round is not None
    source = f"Measured on {where}" if is_measured else "Illustrative, no model was run"
    n_tokens = plural(cost.n_draft + 1, "token")
    parts = [
        f"{plural(cost.n_draft, 'draft step')} of {duration(cost.draft_seconds)}",
        f"one target pass of {duration(cost.verify_seconds)} over {n_tokens}",
    ]
    if cost.overhead_seconds:
        parts.append(f"{duration(cost.overhead_seconds)} between the passes")
    return (
        f"{source}: {', '.join(parts[:-1])} and {parts[-1]} make {duration(cost.seconds)} a round; "
        f"at best, with the bonus, it gives {n_tokens}, for which the target alone takes "
        f"{duration(plain_seconds)}: {digits(plain_seconds / cost.seconds)} to 1. If every draft "
        f"token is rejected it gives 1 token: {digits(cost.target_seconds / cost.seconds, 2)} to 1."
    )
