"""Two prompts that begin alike: their tokens as squares, and the time of what is read anew."""

from collections.abc import Sequence

from model.kv_cache.records import PrefixReuse, Reread, SharedPrefix
from viz.bars import lying_bars
from viz.chart import Chart, add_line, new_figure, number_axis
from viz.format import THIN, count, digits, duration, percent, plural, size
from viz.labels import name_lines
from viz.palette import colour
from viz.strip import chip, element, row

HEIGHT = 300  # pixels
APART = "width:100%;height:0;border-top:1px dotted " + colour("line")  # between two blocks


def prefix_strip(labels: Sequence[str], n_common: int, n_kept: int, block: int, role: str) -> str:
    """Writes a prompt's tokens as squares.

    Args:
        labels: Of its tokens.
        n_common: Tokens that both prompts begin with.
        n_kept: Of them, those whose keys and values stay.
        block: Positions that are kept together; each block has a row of its own.
        role: Of the tokens in which the prompts differ.
    """
    chips = [
        chip(label, "keys", title="kept")
        if i < n_kept
        else chip(label, "keys", "open", title="in common, and read again")
        if i < n_common
        else chip(label, role, "open")
        for i, label in enumerate(labels)
    ]
    if block == 1:
        return row(*chips)
    rows = [row(*chips[i : i + block]) for i in range(0, len(chips), block)]
    line = element("div", style=APART)
    return row(*[part for one in rows for part in (one, line)][:-1], gap="4px")


def changed_strip(name: str, labels: Sequence[str], changed: range, n_kept: int) -> str:
    """Writes a prompt as squares: the word that was changed, and what is kept of the cache.

    Args:
        name: Of the change.
        labels: Of the prompt's tokens.
        changed: Positions of the tokens that are new.
        n_kept: Tokens at its beginning whose keys and values stay.
    """
    look = "font:var(--size-row)/1.7 var(--read)"
    chips = [
        chip(label, "generated", style=look, title="changed")
        if i in changed
        else chip(label, "keys", style=look, title="kept")
        if i < n_kept
        else chip(label, "muted", "open", style=look)
        for i, label in enumerate(labels)
    ]
    told = f": {count(n_kept)} of {count(len(labels))} kept" if n_kept else ""
    return element("div", element("b", f"{name}{told}"), row(*chips, gap="5px"))


def kept_words(n_tokens: int, n_common: int, n_kept: int, block: int) -> str:
    """Says how many tokens are kept and read, and how many a block rounds away."""
    words = (
        f"Derived: {plural(n_common, 'token')} in common. Filled: the {count(n_kept)} that are "
        f"kept. Outlined: the {count(n_tokens - n_kept)} that are read anew"
    )
    n_reusable = min(n_common, n_tokens - 1)
    if block > 1:
        words += f"; a line ends each block of {block}"
    if block > 1 and n_reusable:
        n_lost = n_reusable - n_kept
        words += (
            f". {count(n_lost)} are read only because their block is not whole: "
            f"{percent(n_lost / n_reusable)} of what could be kept"
        )
    elif n_reusable < n_common:
        words += ", the last one for its logits"
    return words + "."


def reuse_figure(reuse: PrefixReuse, found: Reread, where: str) -> Chart:
    """Draws the milliseconds of the second prompt, whole and from the first one's cache."""
    rows = [
        (f"first prompt:<br>{plural(reuse.n_first, 'token')} read", reuse.first_seconds, "prompt"),
        (
            f"second, from nothing:<br>{plural(found.n_tokens, 'token')} read",
            found.whole_seconds,
            "prompt",
        ),
        (
            f"second, reusing:<br>{plural(found.n_read, 'token')} read",
            found.seconds,
            "generated",
        ),
    ]
    bars = [(name, 1000 * seconds, duration(seconds), role) for name, seconds, role in rows]
    figure = lying_bars(bars, "milliseconds")
    gap = f"{found.logit_gap:.1e}" if found.logit_gap else "none, to the last bit"
    caption = (
        f"Measured on {where}, medians of {plural(reuse.n_runs, 'round')}: "
        f"{plural(reuse.n_common, 'token')} in common, {plural(found.n_kept, 'position')} taken "
        f"from the first prompt’s cache, {plural(found.n_read, 'token')} read; "
        f"{digits(found.whole_seconds / found.seconds, 2)} times as fast as reading all. "
        f"Largest gap of the logits: {gap}, the best token "
        f"{'is the same' if found.same_best else 'differs'}."
    )
    return Chart(figure, "Time of three readings", caption)


def changes_figure(reuse: PrefixReuse, where: str) -> Chart:
    """Draws the milliseconds of the pass that reads the rest, by the position of the change."""
    changes = reuse.changes
    places = [change.n_kept for change in changes]
    sides = {
        "read from nothing": ("prompt", [1000 * one.whole_seconds for one in changes]),
        "read from the change on": ("generated", [1000 * one.seconds for one in changes]),
    }
    figure = new_figure(HEIGHT, "position of the changed token in the first prompt")
    for name, (role, heights) in sides.items():
        dash = "solid" if role == "generated" else "dash"
        add_line(figure, name, places, heights, colour(role), dash=dash, hover="%{x}: %{y:.3g} ms")
    figure.update_xaxes(range=[0, reuse.n_first])
    top = max(max(heights) for _, heights in sides.values())
    figure.update_yaxes(number_axis(top, "milliseconds"))
    name_lines(figure)
    early, late = changes[0], changes[-1]
    caption = (
        f"Measured on {where}, medians of {plural(reuse.n_runs, 'round')}, both ways in turn: a "
        f"change at position {count(early.n_kept)} keeps {count(early.n_kept)} and reads "
        f"{plural(early.n_read, 'token')} in {duration(early.seconds)}, against "
        f"{duration(early.whole_seconds)} from nothing; one at position {count(late.n_kept)} "
        f"keeps {count(late.n_kept)} and reads {plural(late.n_read, 'token')} in "
        f"{duration(late.seconds)}, against {duration(late.whole_seconds)}. Largest gap of the "
        f"logits: {max(one.logit_gap for one in changes):.1e}."
    )
    return Chart(figure, "Time by where the change falls", caption)


def shared_cells(shared: SharedPrefix) -> list[tuple[str, str, str]]:
    """Writes what a class costs, alone and together, each number with its note."""
    return [
        ("bytes, each alone", size(round(shared.bytes_alone)), f"{_each(shared)}, derived"),
        (
            "bytes, beginning shared",
            size(round(shared.bytes_shared)),
            f"{_saved(shared.bytes_alone, shared.bytes_shared)}, derived",
        ),
        ("prefill, each alone", duration(shared.seconds_alone), "derived from the passes above"),
        (
            "prefill, beginning shared",
            duration(shared.seconds_shared),
            f"{_saved(shared.seconds_alone, shared.seconds_shared)}, derived from the passes above",
        ),
    ]


def _saved(alone: float, shared: float) -> str:
    """Says by how much sharing takes less; measured passes of a noisy machine may take more."""
    saved = 1 - shared / alone if alone else 0.0
    return f"{percent(abs(saved))} {'less' if saved >= 0 else 'more'}"


def _each(shared: SharedPrefix) -> str:
    """Says what a position takes: as the tensors hold it."""
    return f"{count(round(shared.bytes_per_token))}{THIN}B a position, as counted in the tensors"
