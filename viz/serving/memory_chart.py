"""The cache of many requests: its blocks, what their ends waste, and whole contexts instead."""

from model.serving.records import BlockMemory
from viz.bars import lying_bars
from viz.chart import Chart, new_figure
from viz.format import count, percent, plural
from viz.labels import place_rows
from viz.serving.lanes_chart import Box, add_boxes

ROW_HEIGHT = 25  # pixels of a request


def blocks_figure(memory: BlockMemory) -> Chart:
    """Draws the blocks of each request: what is used of them, wasted, and shared."""
    block = memory.block
    used, wasted, shared = list[Box](), list[Box](), list[Box]()
    for row, (length, n_common) in enumerate(zip(memory.lengths, memory.n_common, strict=True)):
        for n, start in enumerate(range(0, length, block)):
            end = min(length, start + block)
            (shared if n < n_common else used).append((row, float(start), float(end)))
            if end < start + block:
                wasted.append((row, float(end), float(start + block)))
    figure = new_figure(x="positions")
    add_boxes(figure, "in use", used, "keys")
    add_boxes(figure, "wasted", wasted, "rejected", "/")
    add_boxes(figure, "stored above already", shared, "keys", ".")
    place_rows(figure, [f"request {n}" for n in range(1, len(memory.lengths) + 1)])
    n_longest = -(-max(memory.lengths) // block)
    figure.update_xaxes(tickvals=[block * n for n in range(n_longest + 1)])
    figure.update_layout(height=110 + ROW_HEIGHT * len(memory.lengths))
    n_used, n_held = sum(memory.lengths), block * memory.n_blocks
    n_requests = sum(length > 0 for length in memory.lengths)
    caption = (
        f"Derived from the lengths at the fullest moment, with {plural(n_requests, 'request')} in "
        f"memory: {plural(memory.n_blocks, 'block')} of {block}, whose ends waste "
        f"{plural(n_held - n_used, 'position')}, {percent(1 - n_used / n_held)}. A prefix in "
        f"common saves {plural(sum(memory.n_common), 'block')}. No tensor is paged here."
    )
    return Chart(figure, "Blocks of the cache", caption)


def reserved_figure(memory: BlockMemory) -> Chart:
    """Draws positions in use beside those of blocks, of shared blocks, and of whole contexts."""
    rows = [
        ("in use", sum(memory.lengths), "keys"),
        (f"in blocks of {memory.block}", memory.block * memory.n_blocks, "keys"),
        ("a shared prefix once", memory.block * memory.n_shared, "keys"),
        ("whole contexts", memory.n_reserved, "rejected"),
    ]
    bars = [(name, float(n), count(n), role) for name, n, role in rows]
    figure = lying_bars(bars, "positions")
    wasted = percent(1 - sum(memory.lengths) / memory.n_reserved)
    caption = (
        "Derived, of the same moment: an engine that reserves the whole context for each request "
        f"in memory wastes {wasted} of {plural(memory.n_reserved, 'position')}."
    )
    return Chart(figure, "Memory set aside", caption)
