"""What caches of published models would take: as a figure per token, and as a table per sequence.

All of it is derived from configs; nothing here was run.
"""

import math
from collections.abc import Sequence

from model.kv_cache.records import CachePlan
from viz.chart import Chart, Table, add_line, add_points, new_figure
from viz.figure import Style
from viz.format import digits, size
from viz.labels import name_rows
from viz.palette import colour

FORMULA = (
    "2 × layers × KV heads × head size × bits ÷ 8 for each token; of latent attention, "
    "(latent + rotary part) × layers × bits ÷ 8"
)


def plan_figure(plans: Sequence[CachePlan], cache_bits: int) -> Chart:
    """Draws bytes per token as they are, and as they would be with every head's own kept."""
    figure = new_figure(420, "bytes per token, log scale")
    names = [plan.name for plan in plans]
    kept = [plan.bytes_per_token for plan in plans]
    whole = [plan.numbers_all_heads * cache_bits / 8 for plan in plans]
    ends = [x for pair in zip(kept, whole, strict=True) for x in (*pair, None)]
    rows = [y for name in names for y in (name, name, None)]
    add_line(figure, "", ends, rows, colour("line"), width=4)
    ring = {"symbol": "circle-open", "size": 13, "color": colour("muted")}
    for x, marker, legend, mode in (
        (whole, ring | {"line": {"width": 2}}, "if every head kept its own", "markers"),
        (kept, {"size": 14, "color": colour("keys")}, "kept for each token", "markers+text"),
    ):
        words = [size(round(n_bytes)) for n_bytes in x]
        look: Style = {"mode": mode, "text": words, "textposition": "bottom center"}
        look["textfont"] = {"size": 12, "color": colour("ink")}
        add_points(figure, legend, x, names, marker, "%{y}: %{text} a token", **look)
    figure.update_xaxes(
        type="log",
        tickvals=[1e3, 1e4, 1e5, 1e6, 1e7],
        ticktext=[size(int(tick)) for tick in (1e3, 1e4, 1e5, 1e6, 1e7)],
        range=[math.log10(min(kept)) - 0.25, math.log10(max(whole)) + 0.25],
    )
    name_rows(figure, names)
    best = max(plans, key=lambda plan: plan.numbers_all_heads / plan.numbers_per_token)
    saved = digits(best.numbers_all_heads / best.numbers_per_token)
    caption = (
        f"Derived from the published configs, {cache_bits} bits a number: {FORMULA}. Most is saved "
        f"by {best.name}, {saved} times less than if each head kept its own keys and values."
    )
    return Chart(figure, "Bytes per token of published models", caption)


def plan_table(plans: Sequence[CachePlan], n_tokens: int, n_batch: int) -> Table:
    """Writes one row per model: a token, a sequence, a batch, the weights, and what fits."""
    return [
        {
            "model": plan.name,
            "heads": plan.attention,
            "a token": size(round(plan.bytes_per_token)),
            "a sequence": size(round(plan.bytes_per_sequence)),
            f"batch of {n_batch}": size(round(plan.bytes_per_sequence * n_batch)),
            "weights": size(round(plan.weight_bytes)),
            "sequences that fit": plan.n_sequences,
            "made for this length": "yes"
            if n_tokens <= plan.context_length
            else f"up to {plan.context_length}",
        }
        for plan in plans
    ]
