"""Decoding methods at a dead end: how often each escapes, how far its texts agree, how likely."""

from collections.abc import Sequence

from model.constraints.records import MethodResult
from viz.bars import Panel, panels_figure
from viz.chart import Chart, Table, filled
from viz.format import duration, nats, percent, plural
from viz.palette import colour


def methods_figure(methods: Sequence[MethodResult]) -> Chart:
    """Draws how often each method, argmax first, escapes, agrees with itself, and how likely."""
    kept, muted = filled(colour("kept"), 1.2), filled(colour("muted"), 1.2, ".")
    panels = (
        _shares("escapes", [method.escape_rate for method in methods], kept),
        _shares("two agree", [method.agreement for method in methods], muted),
        Panel(
            "mean −log p",
            [-method.logprob for method in methods],
            [f"{-method.logprob:.1f}" for method in methods],
            kept,
        ),
    )
    names = [method.name for method in methods]
    figure = panels_figure(names, panels, n_columns=3, row_pixels=34)
    return Chart(figure, "Decoding methods at a dead end", _caption(methods))


def _shares(title: str, shares: Sequence[float], marker: dict[str, object]) -> Panel:
    return Panel(title, shares, [percent(share) for share in shares], marker)


def _caption(methods: Sequence[MethodResult]) -> str:
    """Says what low temperatures and the beam search came to, the claim's failure included."""
    argmax, rest = methods[0], methods[1:]
    cold = [method for method in rest if method.temperature and method.temperature <= 0.3]
    beam = next((method for method in rest if method.temperature is None), None)
    parts = [f"Measured: argmax generates “{_plain(argmax)}”, {nats(argmax.logprob)}."]
    if cold:
        parts.append(_cold_words(max(cold, key=lambda method: method.escape_rate)))
    if beam is not None:
        verb = "finds" if beam.escape_rate else "agrees with argmax on"
        parts.append(f"Beam search {verb} “{_plain(beam)}”, {nats(beam.logprob)}.")
    parts.append("A text escapes the dead end if it is likelier than argmax’s.")
    n_cut = sum(method.n_texts - method.n_complete for method in methods)
    if n_cut:
        parts.append(f"{plural(n_cut, 'text')} reached the limit on length before the end.")
    return " ".join(parts)


def _cold_words(method: MethodResult) -> str:
    if not method.escape_rate:
        return (
            f"A low temperature ({method.name}) does not escape: the wrong branch is far likelier."
        )
    return (
        f"At a low temperature ({method.name}) {percent(method.escape_rate)} of "
        f"{plural(method.n_texts, 'text')} escape, and {percent(method.agreement)} of pairs agree."
    )


def methods_table(methods: Sequence[MethodResult]) -> Table:
    """Writes the methods with the text that each generated most often."""
    return [
        {
            "method": method.name,
            "texts": method.n_texts,
            "complete": method.n_complete,
            "most common": _plain(method),
            "time per text": duration(method.seconds / method.n_texts),
        }
        for method in methods
    ]


def _plain(method: MethodResult) -> str:
    return method.most_common.strip().replace("\n", "⏎")
