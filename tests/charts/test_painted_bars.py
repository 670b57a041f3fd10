"""Every distribution that is drawn: as long as the number beside it says, from 0 to 100 %.

One blank page holds all of them, painted by the scripts and style sheets of the app: Plotly's
figures, the cards of a speculative round, the tokens after a prompt, the likeliest texts, a class's
answers and its draw bar.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Page
from plotly.offline import get_plotlyjs

from model.beam_search.records import ROOT as NO_PARENT
from model.beam_search.records import BeamNode, BeamStep
from model.causal_mask.records import Shift
from model.constraints.records import MaskedDistribution, MaskedToken
from model.kv_cache.records import QueryKeyValue
from model.speculative.records import DECIDE, Drawn, Proposal, Round, RoundBar
from model.stopping.records import NextTokens
from tests.driving.harness import ROOT
from tests.home.test_one_axis import NEAR, share
from viz.beam_search.step_charts import candidates_figure
from viz.causal_mask.edit_charts import shifts_figure
from viz.chart import Chart
from viz.constraints.mask_chart import mask_figure
from viz.figure import as_seen
from viz.kv_cache.attention_chart import attention_figure
from viz.palette import root_rule
from viz.speculative.charts import distributions_figure
from viz.speculative.round_view import STYLE, round_cards
from viz.stopping.small_cases import next_tokens_picture

pytestmark = pytest.mark.browser

PROBS = (0.6, 0.243, 0.1, 0.05, 0.0069, 0.0001)
MARKUP = ("card", "next", "text", "votes", "shares", "draw", "pointer")
SHEETS = (
    "frame/live/base.css",
    "lessons/futures/futures.css",
    "lessons/classroom/room.css",
    "lessons/classroom/drawn.css",
)

PAINT = """async ([figures, cards, cases, probs, width]) => {
  const { measure, paint } = await import("/tests/charts/painted_bars.js");
  await paint(figures, cards, cases, probs, width);
  return measure(probs);
}"""


def charts() -> dict[str, Chart]:
    """Returns every kind of figure that draws shares of 100 %."""
    tokens = [
        MaskedToken(f"word {i}", prob, 0.0 if i == 0 else prob / 0.4, is_allowed=i > 0)
        for i, prob in enumerate(PROBS)
    ]
    masked = MaskedDistribution(tuple(tokens), 0.4, 5, 1000)
    bars = [RoundBar(f"w{i}", (p, p / 2, p / 3), is_proposed=i == 1) for i, p in enumerate(PROBS)]
    weights = np.array(PROBS, np.float32)
    ones = np.ones((len(PROBS), 4), np.float32)
    head = QueryKeyValue(1, 1, 1, tuple("abcdef"), ones[0], ones, ones, weights)
    nodes = [
        BeamNode(i, NO_PARENT, 1, i, f"w{i}", float(np.log(p)), float(np.log(p)), i, 0,
                 "kept" if i < 2 else "pruned")
        for i, p in enumerate(PROBS)
    ]  # fmt: skip
    step = BeamStep(1, (0, 1), tuple(range(len(nodes))), (), 20, 0.0, 5, 80)
    return {
        "mask": mask_figure(masked),
        "draft": distributions_figure(bars),
        "edit": shifts_figure([Shift(f"w{i}", p, p / 2) for i, p in enumerate(PROBS)]),
        "match": attention_figure(head),
        "beams": candidates_figure(nodes, step, "…king"),
    }


def one_round() -> Round:
    proposals = [
        Proposal("␣soft", prob, prob / 2, 0.5, 0.31, "accepted", 0.7) for prob in PROBS[:4]
    ]
    drawn = Drawn("␣and", "residual", 0.49, 0.2)
    return Round(6, tuple(proposals), drawn, (), (), False, 3, 0.003, 0.01)


def said(number: str) -> float | None:
    """The share that is said beside a bar: a percentage or a count; None where nothing is said."""
    if " of " in number:
        part, whole = map(int, number.split(" of "))
        return part / whole
    return share(number) if number else None


def faults(painted: list[dict[str, Any]]) -> list[str]:
    """Which bars are not as long as their numbers, on an axis whose ends are written."""
    found = []
    for one in painted:
        prob = said(one["number"])
        start, end = one["axis"]
        if start is None or end is None:
            found.append(f"{one['what']}: no axis from 0 to 100 %")
            continue
        if prob is None:
            continue
        left, right = one["bar"] or (start, start)
        wide = end - start
        if abs(left - start) > NEAR and one["bar"] is not None:
            found.append(f"{one['what']}: begins {left - start:.1f} pixels away")
        if abs((right - left) - wide * prob) > NEAR + wide * 0.0005:
            found.append(f"{one['what']}: {(right - left) / wide:.3f} beside {one['number']}")
        beside = one.get("beside")
        if beside and max(abs(beside[0] - start), abs(beside[1] - end)) > NEAR:
            found.append(f"{one['what']}: the pointer's test has another axis")
    return found


def test_every_bar_of_a_share_is_as_long_as_its_number(scripts: Page) -> None:
    sheets = [(ROOT / "pages" / sheet).read_text("utf-8") for sheet in SHEETS]
    scripts.add_style_tag(content=root_rule() + "".join(sheets) + STYLE)
    scripts.add_script_tag(content=get_plotlyjs())
    figures = {name: as_seen(chart.figure, "light").to_dict() for name, chart in charts().items()}
    cards = str(round_cards(one_round(), DECIDE))
    best = tuple((f"␣w{i}", prob) for i, prob in enumerate(PROBS))
    cases = str(next_tokens_picture(NextTokens(("␣little",), best)))
    for width in (1100, 350):
        painted = scripts.evaluate(PAINT, [figures, cards, cases, PROBS, width])
        assert {one["what"] for one in painted} == {*figures, *MARKUP}
        assert faults(painted) == [], width


@pytest.mark.parametrize(
    "change",
    [
        {"axis": [0.0, 400.0]},  # another scale than the number's
        {"axis": [None, None]},  # none is written
        {"bar": [0.0, 105.0]},  # a least width, or a padding
        {"bar": [10.0, 110.0]},  # begins elsewhere
        {"bar": [0.0, 100.0], "number": "0\u202f%"},  # the raw share of what a mask took
        {"beside": [0.0, 900.0]},  # the pointer's test beside it
    ],
)
def test_a_bar_of_another_length_is_found(change: Mapping[str, Any]) -> None:
    true = {"what": "row", "axis": [0.0, 1000.0], "bar": [0.0, 100.0], "number": "10.0\u202f%"}
    assert faults([true]) == []
    assert len(faults([true | change])) == 1
