"""What lies in the cache: a row for each head of each layer, a column for each token.

Keys stand above, values below. A prefill adds all columns of the prompt at once, every decode pass
one more. The shade of a cell is the size of that key or value, measured; its scale is set by the
prompt, so that a column never changes its colour while the text grows.
"""

from model.kv_cache.records import CacheGrid
from viz.chart import Chart, new_figure
from viz.figure import Figure
from viz.format import THIN, count, plural
from viz.palette import colour
from viz.state_map import add_map, add_strip, layer_axis, single_columns, slots_for, token_axis

HEIGHT = 430  # pixels
STRIP, KEYS, VALUES = (0.945, 1.0), (0.49, 0.925), (0.0, 0.435)  # heights in the figure


def grid_figure(grid: CacheGrid) -> Chart:
    """Draws the cache as a grid that gains columns; what the last pass added is outlined."""
    n_layers, n_heads, n_columns = grid.keys.shape
    n_slots = slots_for(n_columns)
    figure = new_figure()
    _add_strips(figure, grid)
    names = _names(grid)
    for role, states, name, n_bytes, axis in (
        ("keys", grid.keys, names[0], grid.key_bytes, "y"),
        ("values", grid.values, names[1], grid.value_bytes, "y2"),
    ):
        what, first = f"one {name}, {n_bytes}{THIN}B", grid.n_prompt
        add_map(figure, states, role, grid.labels, what, n_typical=first, axes=("x", axis))
    _part_layers(figure, n_layers, n_heads, n_slots)
    _outline_newest(figure, grid)
    figure.update_layout(
        height=HEIGHT,
        barmode="overlay",
        plot_bgcolor=colour("raised"),
        xaxis=token_axis(grid.labels, n_slots) | {"anchor": "y2"},
        yaxis=layer_axis(n_layers, n_heads, f"{names[0]}s") | {"domain": KEYS},
        yaxis2=layer_axis(n_layers, n_heads, f"{names[1]}s") | {"domain": VALUES},
        yaxis3={"domain": STRIP, "visible": False, "range": [0, 1]},
    )
    return Chart(figure, "The cache as a grid", _caption(grid))


def _add_strips(figure: Figure, grid: CacheGrid) -> None:
    """Draws whose each column is: one block for the prefill, one for each decode pass."""
    at_once = f"prefill: {plural(grid.n_prompt, 'column')} in one pass"
    add_strip(figure, [(0, grid.n_prompt)], at_once, colour("prompt"), ("x", "y3"))
    later = single_columns(grid.n_prompt, grid.keys.shape[2])
    tone = colour("generated")
    add_strip(figure, later, "decode: one column a pass", tone, ("x", "y3"))


def _names(grid: CacheGrid) -> tuple[str, str]:
    """Names what the two maps show; latent attention keeps one latent for both keys and values."""
    return ("latent", "rotary key") if grid.is_latent else ("key", "value")


def _part_layers(figure: Figure, n_layers: int, n_heads: int, n_slots: int) -> None:
    """Draws a gap between one layer's heads and the next one's."""
    for axis in ("y", "y2"):
        for layer in range(1, n_layers):
            figure.add_shape(
                type="line",
                x0=0,
                x1=n_slots,
                y0=layer * n_heads,
                y1=layer * n_heads,
                yref=axis,
                line={"color": colour("paper"), "width": 2 if n_layers < 16 else 1},
            )


def _outline_newest(figure: Figure, grid: CacheGrid) -> None:
    end = grid.keys.shape[2]
    figure.add_shape(
        type="rect",
        x0=end - grid.n_new,
        x1=end,
        y0=0,
        y1=1,
        yref="paper",
        line={"color": colour("chosen"), "width": 2.5},
    )


def _caption(grid: CacheGrid) -> str:
    n_layers, n_heads, n_columns = grid.keys.shape
    one, other = _names(grid)
    heads = "" if grid.is_latent else f" × {plural(n_heads, 'KV head')}"
    added = "one column" if grid.n_new == 1 else f"{count(grid.n_new)} columns at once"
    return (
        f"Measured: {plural(n_layers, 'layer')}{heads}, a {one} and a {other} "
        f"for each of {plural(n_columns, 'position')}. The last pass added {added} "
        f"(outlined). The stronger a cell’s colour, the larger its {one} or {other}. "
        "A head is a part of a layer, with keys and values of its own."
    )
