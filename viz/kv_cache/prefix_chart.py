"""Two prompts with a common start: what of the second is read anew, and what that takes."""

from __future__ import annotations

from model.kv_cache.records import PrefixReuse
from viz.chart import Chart, add_lying_bar, name_rows, new_figure
from viz.format import digits, duration, plural, round_steps
from viz.palette import Theme, colour


def reuse_figure(reuse: PrefixReuse, where: str, theme: Theme = "light") -> Chart:
    """Draws the milliseconds of the second prompt, whole and from the first one's cache."""
    n_second = len(reuse.labels)
    n_read = n_second - reuse.n_reused
    rows = [
        (f"first prompt: {plural(reuse.n_first, 'token')} read", reuse.first_seconds, "prompt"),
        (f"second, from nothing: {plural(n_second, 'token')} read", reuse.whole_seconds, "prompt"),
        (f"second, reusing: {plural(n_read, 'token')} read", reuse.reused_seconds, "generated"),
    ]
    figure = new_figure(theme)
    for name, seconds, role in rows:
        add_lying_bar(figure, name, 1000 * seconds, duration(seconds), colour(role, theme), size=13)
    top = 1000 * max(seconds for _, seconds, _ in rows)
    ticks = round_steps(top)
    figure.update_layout(height=230, showlegend=False)
    figure.update_xaxes(title_text="milliseconds", tickvals=ticks, range=[0, 1.12 * ticks[-1]])
    name_rows(figure, [name for name, _, _ in rows], theme)
    caption = (
        f"Measured on {where}, medians of {plural(reuse.n_runs, 'run')}: "
        f"{plural(reuse.n_common, 'token')} in common, {plural(reuse.n_reused, 'position')} taken "
        f"from the first prompt’s cache, {plural(n_read, 'token')} read; "
        f"{digits(reuse.whole_seconds / reuse.reused_seconds, 2)} times as fast as reading all. "
        f"Largest gap of the logits: {_gap(reuse.logit_gap)}, the best token "
        f"{'is the same' if reuse.same_best else 'differs'}."
    )
    return Chart(figure, caption, f"Time of three readings. {caption}")


def _gap(gap: float) -> str:
    """Writes a gap, and says so where it is none at all."""
    return f"{gap:.1e}" if gap else "none, to the last bit"
