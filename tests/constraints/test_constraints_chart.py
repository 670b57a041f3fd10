"""The figures of the constrained-decoding lesson."""

import re
from dataclasses import replace

import pytest

from model.constraints.records import ConstrainedStep, MaskedDistribution, MaskedToken, MethodResult
from tests.charts.drawn_charts import checked, column
from viz.constraints.mask_chart import mask_figure, mass_figure
from viz.constraints.methods_chart import methods_figure, methods_table
from viz.constraints.walk_picture import (
    MODEL,
    N_PLACES,
    OTHERS,
    OUT,
    RULE,
    WalkedToken,
    walk_picture,
)
from viz.palette import colour

TOKENS = (
    MaskedToken("␣food", 0.6, 0.0, is_allowed=False),
    MaskedToken("␣x", 0.1, 0.25, is_allowed=True),
    MaskedToken("␣<b>", 0.3, 0.75, is_allowed=True),
)


def test_what_is_forbidden_is_a_dashed_outline_and_argmax_outlines_what_it_takes() -> None:
    seen = MaskedDistribution(TOKENS, 0.4, 2, 1000)
    chart = mask_figure(seen, temperature=0.0)
    figure = checked(chart)
    own, masked, taken = figure.data
    assert (list(own.x), list(masked.x)) == ([0.6, 0.1, 0.3], [0.25, 0.75])
    assert (max(x for x in taken.x if x is not None), taken.line.dash) == (0.6, "3px,2px")
    assert [note.text for note in figure.layout.annotations] == ["out"]
    assert not any(bars.marker.pattern.shape for bars in (own, masked))
    assert own.marker.line.color == colour("kept")
    layout = figure.layout
    assert layout.xaxis.range == layout.xaxis2.range  # what is scaled up can be seen
    assert layout.yaxis.ticktext == ("␣food", "␣x", "␣&lt;b&gt;")
    outlined = {(round(box.y0 + box.y1) / 2, box.xref) for box in layout.shapes}
    assert outlined == {(2.0, "x domain"), (2.0, "x2 domain")}
    assert not checked(mask_figure(seen)).layout.shapes
    for number in ("2 of 1\u202f000", "40.0\u202f%", "60.0\u202f%"):
        assert number in chart.caption


def widths(markup: str) -> list[tuple[str, float, bool]]:
    """Name, share in percent and whether it was removed, of each segment of a picture."""
    found = re.findall(r'<span style="([^"]*)" title="([^:]*):[^"]*?(, removed)?"', markup)
    shares = (re.search(r"flex:0 1 ([\d.]+)%", style) for style, _, _ in found)
    return [
        (name, float(share[1]), bool(gone))
        for (_, name, gone), share in zip(found, shares, strict=True)
        if share
    ]


def test_a_token_of_the_walk_has_both_bars_whole() -> None:
    tokens = (replace(TOKENS[0], prob=0.5), *TOKENS[1:])
    parts = widths(walk_picture([WalkedToken(MaskedDistribution(tokens, 0.45, 12, 1000), "␣x")]))
    kept = [("x", 10, False), ("&lt;b&gt;", 30, False), (OTHERS, 5, False)]
    model, rule = parts[:5], parts[5:]
    assert model == [*kept, ("food", 50, True), (OUT, 5, True)]
    assert [name for name, *_ in rule] == [name for name, *_ in kept]
    assert sum(share for _, share, _ in rule) == pytest.approx(100, abs=0.01)
    assert not any(gone for *_, gone in rule)


def test_what_is_taken_is_framed_and_a_word_that_goes_on_is_whole() -> None:
    seen = MaskedDistribution(
        (MaskedToken("f", 0.6, 0.0, is_allowed=False), MaskedToken("u", 0.4, 1, is_allowed=True)),
        0.4,
        1,
        1000,
    )
    markup = walk_picture([WalkedToken(seen, "u", "so")])
    assert "--size-small" not in markup, "it is read from the back row"
    assert widths(markup) == [("so·u", 40, False), ("so·f", 60, True), ("so·u", 100, False)]
    assert markup.count("font-weight:600") == 1
    assert "font-weight:600" not in walk_picture([WalkedToken(seen, None, "so")])
    for n_places in (2, N_PLACES):
        for long in (1, n_places + 3):  # as high, however long the walk is
            picture = walk_picture([WalkedToken(seen, "u")] * long, n_places=n_places)
            assert picture.count(f">{MODEL}<") == picture.count(f">{RULE}") == n_places
            assert picture.count(f">{RULE} 40.0\u202f%<") == min(long, n_places)
            assert f">{n_places + 3}<" in picture or long == 1, "the newest ones"


def test_the_beginning_of_another_token_is_open_at_its_end_and_no_number_is_left_out() -> None:
    tokens = (
        MaskedToken("␣mud", 0.01, 0.7, is_allowed=True),
        MaskedToken("␣m", 0.004, 0.3, is_allowed=True),
        MaskedToken("␣so", 0.3, 0.0, is_allowed=False),
    )
    markup = walk_picture([WalkedToken(MaskedDistribution(tokens, 0.014, 2, 9), "␣m")])
    assert [name for name, *_ in widths(markup)][-2:] == ["mud", "m…"]
    assert "so…" not in markup, "what is removed opens nothing"
    for name, number in (("mud", "71.4"), ("so", "30.0"), (OUT, "68.6")):
        assert re.search(rf">{name} {number}\u202f%<", markup)
    assert "white-space:nowrap" not in markup, "a number without room goes to a line of its own"


def step(label: str, mass: float) -> ConstrainedStep:
    return ConstrainedStep(label, mass / 2, mass, "wanted", 0.5)


def test_columns_sum_to_one_and_a_dead_end_is_named() -> None:
    chart = mass_figure([step("␣a", 0.5), step("␣q", 0.002)])
    kept, gone, outlines = checked(chart).data
    assert list(kept.y) == pytest.approx([0.5, 0.002])
    assert list(gone.y) == pytest.approx([0.5, 0.998])
    assert outlines.line.dash == "3px,2px"
    edges = {y for y in outlines.y if y is not None}
    assert edges == {0.5, 0.002, 1.0}, "an outline for each"
    assert "Dead end at token 2" in chart.caption
    assert "0.10\u202f%" in chart.caption  # the product
    assert "Dead end" not in mass_figure([step("␣a", 0.5)]).caption
    coming = mass_figure([], 0.25)  # before the first token: what it will be drawn from
    assert [list(bars.y) for bars in checked(coming).data[:2]] == [[0.25], [0.75]]


def test_methods_are_drawn_and_described_as_they_came() -> None:
    argmax = MethodResult("argmax", 0.0, 1, 1, " her shoes", 1.0, 0.0, -44.0, 0.1)
    cold = MethodResult("T = 0.2", 0.2, 20, 20, " her shoes", 0.6, 0.25, -34.0, 2.0)
    beams = MethodResult("4 beams", None, 1, 1, " some bread", 1.0, 1.0, -4.5, 0.1)
    methods = (argmax, cold, beams)
    chart = methods_figure(methods)
    shown = [list(panel.x) for panel in checked(chart).data]
    assert shown == [[0.0, 0.25, 1.0], [1.0, 0.6, 1.0], [44.0, 34.0, 4.5]]
    assert "25.0\u202f% of 20 texts" in chart.caption
    assert "“some bread”" in chart.caption
    assert column(methods_table(methods), "time per text") == ["100\u202fms"] * 3
    stuck = methods_figure([argmax, replace(cold, n_complete=17, escape_rate=0.0)])
    assert "does not escape" in stuck.caption
    assert "3 texts" in stuck.caption
