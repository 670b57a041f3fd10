"""A forced token: how far texts part, how much each token surprises, what going back costs."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from model.snowball.records import EARLY, Bools, Compounding, Forks, ForkStep, RewindStrategy
from viz.chart import Chart, Table, add_bars, add_line, hatched, new_figure
from viz.figure import Figure
from viz.format import change, digits, duration, nats, percent, plural
from viz.labels import name_lines, name_rows
from viz.palette import colour, sheer
from viz.snowball.confidence_bands import add_band, add_mean, windows

HEIGHT = 280  # pixels
ORIGINAL, FORCED = "drawn", "chosen token"
LOOKS = {ORIGINAL: ("generated", "solid"), FORCED: ("error", "dot")}  # role and dash
HOVER = "%{x} tokens after: %{y:.2f}"
WINDOW = 4  # tokens in a stretch
N_SAME = 5  # last tokens that are alike where two texts have met


def gap_figure(steps: Sequence[ForkStep]) -> Chart:
    """Draws KL(original || forced) at each position."""
    figure = _figure(len(steps) - 1, "KL(drawn ‖ chosen), nats", first=0)
    known = [(i, step.kl) for i, step in enumerate(steps) if step.kl is not None]
    tone, places = colour("surprise"), [i for i, _ in known]
    look: dict[str, Any] = {
        "shape": "hvh",
        "fill": "tozeroy",
        "fillcolor": sheer(tone),
        "showlegend": False,
    }
    add_line(figure, "KL", places, [kl for _, kl in known], tone, hover=HOVER, **look)
    mean = float(np.mean([kl for i, kl in known if i] or [0.0]))
    n_same = sum(step.is_same for step in steps)
    caption = (
        f"Measured: {nats(mean)} a token on average after the fork; 0 where both texts expect the "
        f"same. Both have the same token at {n_same} of {plural(len(steps), 'position')}."
    )
    return Chart(figure, "Divergence by position", caption)


def surprise_figure(steps: Sequence[ForkStep]) -> Chart:
    """Draws the surprise of each token of both texts."""
    figure = _figure(len(steps) - 1, "surprise of the token, nats", first=0)
    sides = {
        ORIGINAL: [(i, -s.original.logprob) for i, s in enumerate(steps) if s.original],
        FORCED: [(i, -s.forced.logprob) for i, s in enumerate(steps) if s.forced],
    }
    for name, points in sides.items():
        role, dash = LOOKS[name]
        places, costs = [i for i, _ in points], [cost for _, cost in points]
        add_line(figure, name, places, costs, colour(role), dash=dash, hover=HOVER)
    name_lines(figure)
    # the chosen token itself is left out: it is the reader's choice
    means = [float(np.mean([cost for i, cost in p if i] or [0.0])) for p in sides.values()]
    caption = (
        f"Measured: −log p of each token by the model’s own raw probabilities; after the fork "
        f"{nats(means[0])} a token in the original text, {nats(means[1])} in the other."
    )
    return Chart(figure, "Surprise by position", caption)


def _figure(last: int, title: str, first: int = 1) -> Figure:
    """Starts a figure over the tokens after the fork."""
    figure = new_figure(HEIGHT, "tokens after the fork", title)
    figure.update_xaxes(range=[first - 0.5, max(1, last) + 0.5])
    return figure


# Many forks


def parting_figure(forks: Forks) -> Chart:
    """Draws how far the texts of all forks are apart: the median, and half of them around it."""
    x = np.arange(1, forks.kl.shape[1] + 1, dtype=np.float64)
    figure = _figure(len(x), "KL, nats")
    low, middle, high = np.nanquantile(forks.kl, (0.25, 0.5, 0.75), axis=0)
    add_band(figure, x, low, high, "surprise")
    add_line(figure, "median; the middle half is shaded", x, middle, colour("ink"), hover=HOVER)
    name_lines(figure)
    n_met = int(reconverged(forks).sum())
    caption = (
        f"Measured, {plural(forks.n_texts, 'fork')}: the median gap is {nats(float(middle[0]))} "
        f"right after the chosen token and {nats(float(middle[-1]))} {len(x)} tokens later. "
        f"{plural(n_met, 'pair')} reconverged."
    )
    return Chart(figure, "How far the texts part", caption)


def reconverged(forks: Forks) -> Bools:
    """Tells for each fork whether its last tokens are the same in both texts."""
    is_same: Bools = np.logical_and.reduce(forks.same[:, -N_SAME:], axis=1)
    return is_same


def cost_figure(forks: Forks) -> Chart:
    """Draws the mean surprise of both sides after the fork, with its uncertainty."""
    figure = _figure(forks.original.shape[1], "surprise, nats per token")
    lines = [windows(-values, WINDOW) for values in (forks.original, forks.forced)]
    for line, (name, (role, dash)) in zip(lines, LOOKS.items(), strict=True):
        add_mean(figure, line, role, name, dash=dash)
    name_lines(figure)
    caption = (
        f"Measured: means of {WINDOW} tokens over all forks, bands are 95 % intervals. The first "
        f"{WINDOW} tokens: {nats(lines[0].means[0])} in the original texts, "
        f"{nats(lines[1].means[0])} after the chosen token; the last: {nats(lines[0].means[-1])} "
        f"and {nats(lines[1].means[-1])}."
    )
    return Chart(figure, "Surprise after the fork", caption)


def survival_figure(slips: Compounding) -> Chart:
    """Draws the share of texts without a slip so far, beside what independent errors give."""
    x = np.arange(1, len(slips.predicted) + 1)
    figure = _figure(len(x), "texts without a slip, %")
    for values, name in ((slips.original, ORIGINAL), (slips.forced, FORCED)):
        role, dash = LOOKS[name]
        add_line(figure, name, x, 100 * values, colour(role), dash=dash, hover=HOVER)
    ink, expected = colour("ink"), 100 * slips.predicted
    add_line(figure, "(1 − e)ⁿ", x, expected, ink, dash="dash", hover=HOVER)
    figure.update_yaxes(range=[0, 103])
    name_lines(figure)
    caption = (
        f"A slip is a token below {percent(slips.threshold)}. Measured: e = {percent(slips.rate)} "
        f"of the tokens of original texts, and both coloured lines; a text that has ended counts "
        "no longer. Derived: (1 − e)ⁿ, which assumes independent slips."
    )
    return Chart(figure, "Texts without a slip", caption)


def verdict(slips: Compounding) -> str:
    """Says in one sentence whether slips follow from a slip, as measured."""
    numbers = (
        f"{digits(slips.forced_slips)} slips per text after the forced token, "
        f"{digits(slips.original_slips)} without it"
    )
    more, half_width = slips.difference.mean, slips.difference.half_width
    margin = f"a difference of {change(more, half_width)}, paired, 95 %"
    if not half_width < np.inf or abs(more) <= half_width:
        return f"**Errors do not compound here:** {numbers} ({margin}). Chance can explain it."
    if more < 0:
        return f"**Errors do not compound here; slips become rarer:** {numbers} ({margin})."
    if slips.late[1] - slips.late[0] > (slips.early[1] - slips.early[0]) / 2:
        return f"**Errors compound here:** {numbers} ({margin}), and late tokens slip too."
    return (
        f"**More errors follow, then fade:** {numbers} ({margin}). In the first {EARLY} tokens "
        f"{percent(slips.early[1])} slip against {percent(slips.early[0])}, later "
        f"{percent(slips.late[1])} against {percent(slips.late[0])}."
    )


# Going back


def work_figure(strategies: Sequence[RewindStrategy]) -> Chart:
    """Draws the tokens that each strategy wrote, and which of them were discarded."""
    names = [strategy.name for strategy in strategies]
    figure = new_figure(90 + 44 * len(names), "tokens written from the bad place on")
    kept = [strategy.n_kept for strategy in strategies]
    discarded = [strategy.n_discarded for strategy in strategies]
    again = [n if taken else 0 for n, taken in zip(kept, discarded, strict=True)]
    left = [0 if taken else n for n, taken in zip(kept, discarded, strict=True)]
    for name, lengths, marker, what in (
        ("discarded", discarded, hatched(), "tokens discarded"),
        ("written after the rewind", again, {"color": colour("generated")}, "kept"),
        ("written after the bad token", left, {"color": colour("error")}, "kept"),
    ):
        add_bars(figure, name, names, lengths, hover="%{x} " + what, marker=marker)
    figure.update_layout(barmode="stack", bargap=0.35)
    name_rows(figure, names)
    caption = "Measured, in numbers below. One pass of each rewind reads the last kept token again."
    return Chart(figure, "Work of each strategy", caption)


def strategies_table(strategies: Sequence[RewindStrategy]) -> Table:
    """Writes what each strategy took, and what it gave."""
    return [
        {
            "strategy": strategy.name,
            "discarded": strategy.n_discarded,
            "passes": strategy.n_passes,
            "time": duration(strategy.seconds),
            "surprise per token": nats(strategy.surprise),
            "distinct pairs": percent(strategy.distinct),
            "as without it": "yes" if strategy.is_restored else "no",
            "text from there on": strategy.text.strip(),
        }
        for strategy in strategies
    ]
