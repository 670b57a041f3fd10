"""A cache in fewer bits or with a window: what it loses, and where its text parts from the full."""

from collections.abc import Sequence

from markupsafe import Markup

from model.kv_cache.records import FewerBits, SmallCacheRun
from viz.chart import Chart, add_line, add_points, new_figure
from viz.figure import Style
from viz.format import nats, plural
from viz.labels import name_lines
from viz.palette import colour
from viz.strip import chip, row

DASHES = ("solid", "dash", "dot", "dashdot")
HEIGHT = 320  # pixels


def loss_figure(found: FewerBits, chosen: SmallCacheRun, where: str) -> Chart:
    """Draws what each cache loses more than the full one; the chosen one is ringed."""
    bits = list(dict.fromkeys(run.bits for run in found.runs))
    full = found.runs[0].nats
    places = [float(i) for i in range(len(bits))]
    figure = new_figure(HEIGHT, x="bits of a number", y="nats per token, beyond the full cache’s")
    figure.update_xaxes(tickvals=places, ticktext=[str(n) for n in bits])
    windows = list(dict.fromkeys(run.window for run in found.runs))
    for window, dash in zip(windows, DASHES, strict=False):
        losses = [run.nats - full for run in found.runs if run.window == window]
        name = window_words(window)
        look: Style = {"dash": dash, "symbol": "circle", "text": bits}
        hover = f"%{{text}} bits, {name}: %{{y:+.3f}} nats"
        add_line(figure, name, places, losses, colour("surprise"), hover=hover, **look)
    ring = {"size": 18, "symbol": "circle-open", "color": colour("ink"), "line": {"width": 2.5}}
    add_points(figure, "chosen", [bits.index(chosen.bits)], [chosen.nats - full], ring)
    name_lines(figure)
    figure.update_layout(showlegend=False)
    caption = (
        f"Measured on {where}: loss over {plural(found.n_scored, 'token')} that the model has not "
        f"been trained on. The full cache loses {nats(full)} a token."
    )
    return Chart(figure, "Loss by bits and window", caption)


def window_words(window: int) -> str:
    """Says how many positions are kept."""
    return f"the newest {window}" if window else "all positions"


def n_common(first: Sequence[str], second: Sequence[str]) -> int:
    """Counts the tokens before two texts part."""
    pairs = zip(first, second, strict=False)
    return next((i for i, (a, b) in enumerate(pairs) if a != b), min(len(first), len(second)))


def parting_strip(full: SmallCacheRun, other: SmallCacheRun) -> Markup:
    """Writes what a cache wrote: as with the full one, then, outlined, on its own."""
    n = n_common(full.written, other.written)
    same = (chip(label, "generated") for label in other.written[:n])
    return row(*same, *(chip(label, "surprise", "open") for label in other.written[n:]))
