"""The cache of many requests: positions in use, and what is set aside for them."""

from __future__ import annotations

from model.serving.records import Memory
from viz.chart import Chart, lying_bars
from viz.format import count, percent, plural
from viz.palette import Theme


def memory_figure(memory: Memory, n_block: int, theme: Theme = "light") -> Chart:
    """Draws positions in use beside those of blocks, of shared blocks, and of whole contexts."""
    n_used = sum(memory.lengths)
    n_blocks, n_shared = memory.n_blocks * n_block, memory.n_shared * n_block
    bars = [
        ("in use", float(n_used), count(n_used), "keys"),
        (f"in blocks of {n_block}", float(n_blocks), count(n_blocks), "keys"),
        ("a shared prefix once", float(n_shared), count(n_shared), "keys"),
        ("whole context reserved", float(memory.n_reserved), count(memory.n_reserved), "rejected"),
    ]
    figure = lying_bars(bars, "positions", theme)
    n_requests = sum(length > 0 for length in memory.lengths)
    caption = (
        f"Derived from the lengths at the fullest moment, with {plural(n_requests, 'request')} in "
        f"memory: {plural(memory.n_blocks, 'block')}, whose ends waste {count(n_blocks - n_used)} "
        f"positions, {percent(1 - n_used / n_blocks)}. A prefix in common saves "
        f"{plural(memory.n_blocks - memory.n_shared, 'block')}. Reserving the whole context for "
        f"each request wastes {percent(1 - n_used / memory.n_reserved)}. No tensor is paged here."
    )
    return Chart(figure, caption, f"Memory of the cache. {caption}")
