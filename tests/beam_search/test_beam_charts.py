"""The figures of beam search: what is drawn where, and what is said of it."""

import math
from dataclasses import replace

import pytest

from model.beam_search.records import (
    ROOT,
    BeamNode,
    BeamStep,
    DecodingCost,
    Fate,
    FinishedBeam,
    ScoredText,
    SearchComparison,
)
from tests.charts.drawn_charts import checked, column
from viz.beam_search.comparison import (
    costs_figure,
    costs_table,
    exact_words,
    searches_figure,
    searches_table,
)
from viz.beam_search.step_charts import cache_figure, candidates_figure, ranking_table
from viz.beam_search.tree import BELOW, COLUMN_PIXELS, CROSSING, TYPE_PIXELS, tree_figure
from viz.format import percent
from viz.palette import colour


def node(node_id: int, parent: int, depth: int, label: str, total: float, fate: Fate) -> BeamNode:
    return BeamNode(node_id, parent, depth, node_id, label, total, total, node_id, 0, fate)


NODES = (
    node(0, ROOT, 1, "␣had", -0.8, "kept"),
    node(1, ROOT, 1, "␣<b>", -1.0, "kept"),
    node(2, ROOT, 1, "␣was", -2.0, "pruned"),
    node(3, 1, 2, "␣in", -1.2, "kept"),
    node(4, 1, 2, ".", -1.5, "finished"),
    node(5, 1, 2, "␣on", -1.8, "kept"),
    node(6, 0, 2, "␣a", -3.0, "pruned"),
)
STEPS = (
    BeamStep(1, (0, 1, 2), (0, 1), (), 10, 0.01, 4, 2 * 4 * 8),
    BeamStep(2, (3, 4, 5, 6), (3, 5), (0,), 20, 0.01, 5, 2 * 5 * 8),
)
PHONE = 364  # pixels between the margins of one
ENDED = FinishedBeam(4, (1, 4), "<b>.", (-1.0, -0.5), ended=True)


@pytest.mark.parametrize("is_over", [False, True])
def test_kept_stand_above_the_line_and_fade_when_the_search_is_over(is_over: bool) -> None:
    chart = tree_figure(NODES, STEPS, 2, 6, "…king", 4, is_over=is_over)
    line = checked(chart).layout.shapes[0].y0
    chips = {chip.text.partition("<br>")[0]: chip for chip in checked(chart).layout.annotations}
    above = {text for text, chip in chips.items() if chip.y > line and chip.x >= 1}
    assert above == {"had", "&lt;b&gt;", "in", "on"}
    assert max(chips["was"].y, chips[". ■"].y, chips["a"].y) < line
    zones = {fate: chips[fate].y for fate in BELOW}
    assert chips[". ■"].y == zones["finished"], "what finished stands apart from what is pruned"
    assert chips["was"].y == chips["a"].y == zones["pruned"]
    assert chips[". ■"].bordercolor == colour("chosen")
    assert chips["in"].bordercolor == colour("line" if is_over else "kept")
    assert ("dropped at token 2" in chips["in"].hovertext) == is_over
    assert "dropped at token 2" in chips["had"].hovertext
    numbered = {text for text, chip in chips.items() if "%" in chip.text}
    two_paths = {"&lt;b&gt;", ". ■", "had", "a"}  # the best one, and greedy's
    assert numbered == (two_paths if is_over else two_paths | {"in", "on"})  # "was" is of before


def test_the_tree_grows_inside_one_frame_and_no_two_lines_differ_by_colour_alone() -> None:
    first = checked(tree_figure(NODES, STEPS[:1], 2, 6, "…king", 0))
    chart = tree_figure(NODES, STEPS, 2, 6, "…king", 4)
    assert first.layout.height == checked(chart).layout.height
    assert first.layout.xaxis.range == checked(chart).layout.xaxis.range
    assert COLUMN_PIXELS * 6 <= PHONE, "the prompt, and the tokens until the best text has ended"
    box = TYPE_PIXELS / 2 * len("0.087\u202f%") + 2 * (2.4 + CROSSING)
    assert box < COLUMN_PIXELS, "two boxes beside each other do not touch"
    assert min(chip.font.size for chip in first.layout.annotations) >= TYPE_PIXELS
    lines = checked(chart).data
    assert len({(line.line.dash, line.line.width) for line in lines}) == len(lines)
    assert {line.line.dash for line in lines} == {"solid", "dash"}
    beside = checked(tree_figure(NODES, STEPS, 2, 6, "…king", 4, in_line=True))
    assert beside.layout.height < first.layout.height
    assert not any("<br>" in chip.text for chip in beside.layout.annotations)
    assert "2 of 20 candidates kept, 1 finished, and 1 beam dropped" in chart.caption
    assert "press Step" in tree_figure((), (), 2, 6, "…", None).caption


def test_the_boxes_where_another_text_overtakes_greedy_s_stand_out() -> None:
    def notes(crossed_at: int | None) -> list[tuple[str, float]]:
        chart = tree_figure(NODES, STEPS, 2, 6, "…king", 4, crossed_at=crossed_at)
        return [(note.text, note.borderwidth) for note in checked(chart).layout.annotations]

    plain, crossed = notes(None), notes(2)
    assert not any("<b>" in text for text, _ in plain)
    changed = [(a, b) for a, b in zip(plain, crossed, strict=True) if a != b]
    assert 0 < len(changed) <= 2, "greedy's and the best one's"
    assert all(b[0] == f"<b>{a[0]}</b>" and b[1] > a[1] for a, b in changed)


def test_candidates_are_drawn_as_ratios_to_the_best_with_the_end_of_the_beam() -> None:
    figure = checked(candidates_figure(NODES, STEPS[1], "…king"))
    widths = {bar.name: list(bar.x) for bar in figure.data if bar.type == "bar"}
    assert widths["kept"] == pytest.approx([1.0, math.exp(-0.6)])
    assert widths["finished"] == pytest.approx([math.exp(-0.3)])
    assert widths["pruned"] == pytest.approx([math.exp(-1.8)])
    assert figure.layout.shapes[0].x0 == pytest.approx(math.exp(-0.6))
    ends = ("…␣had + ␣a", *(f"…␣&lt;b&gt; + {label}" for label in ("␣in", ".", "␣on")))
    assert figure.layout.yaxis.ticktext == ends  # by the beam's end as well as by the token
    totals = figure.data[-1]
    assert list(totals.text) == [percent(math.exp(-total)) for total in (3.0, 1.2, 1.5, 1.8)]
    assert min(totals.x) > max(max(xs) for xs in widths.values())  # clear of every bar


def test_ranking_moves_with_the_penalty() -> None:
    long = FinishedBeam(9, (1,) * 6, "long\n", (-0.5,) * 6, ended=False)
    table = ranking_table([ENDED, long], 1.0, 0.0)
    assert column(table, "text") == ["long", "<b>."]
    assert column(table, "moved") == ["▲ 1", "▼ 1"]
    assert column(table, "score") == pytest.approx([-0.5, -0.75])
    assert column(ranking_table([ENDED, long], 0.0, 0.0), "moved") == ["", ""]


def test_shared_positions_are_counted_once() -> None:
    # a prompt of three tokens, then one common parent, then a token of each beam's own
    chart = cache_figure(NODES, STEPS[1], ["a", "b", "c"], 8)
    assert "2 rows of 5 positions, 80" in chart.caption
    assert "6 of the 10 are different, 48" in chart.caption
    once, copies = checked(chart).data
    assert len(once.y) == 6
    assert list(copies.base) == pytest.approx([0.03, 1.03, 2.03, 3.03])
    assert set(copies.y) == {1}
    over = BeamStep(3, (), (), (), 20, 0.0, 5, 80)
    assert "is over" in cache_figure(NODES, over, ["a"], 8).caption
    assert "no keys and values" in cache_figure(NODES, STEPS[1], ["a"], 0).caption


GREEDY = ScoredText("greedy", ("␣had", "␣a"), " had a", (-0.7, -3.0), 2, 0.1)
BEST = ScoredText("exact best", ("␣lived", "␣in"), " lived in", (-2.0, -0.2), 5, 0.2)
COMPARISON = SearchComparison("The", GREEDY, BEST, BEST, 100, True, -2.2)


def test_three_searches_are_lines_of_running_sums_with_a_proof_or_its_lack() -> None:
    chart = searches_figure(COMPARISON)
    by_name = {line.name.partition(":")[0]: line for line in checked(chart).data}
    assert list(by_name["greedy"].y) == pytest.approx([0, -0.7, -3.7])
    assert f"{math.exp(1.5):.1f} times as likely" in chart.caption
    assert "greedy finds" in searches_figure(replace(COMPARISON, greedy=BEST)).caption
    texts = [note.text for note in checked(chart).layout.annotations]
    assert texts[:4] == ["␣lived", "␣in", "␣had", "␣a"]
    table = searches_table(COMPARISON)
    assert column(table, "as likely") == ["1.00×", "4.48×", "4.48×"]
    assert column(table, "texts read") == ["2", "5", "5"]
    assert "5 prefixes" in exact_words(COMPARISON)
    unproved = exact_words(replace(COMPARISON, is_proved=False, upper_bound=-0.4))
    assert "Not proved" in unproved
    assert "−0.40" in unproved


def test_costs_are_drawn_and_written() -> None:
    distinct = {1: 0.5, 2: 0.8, 3: 0.9}
    costs = [
        DecodingCost("greedy", 2, 40, 0.4, -1.2, distinct, 0.1, "a"),
        DecodingCost("beam search, 4 beams", 2, 40, 0.8, -1.0, distinct, 0.2, "b\nc"),
    ]
    chart = costs_figure(costs)
    assert "0.20\u202fnats" in chart.caption
    assert list(checked(chart).data[3].x) == pytest.approx([0.01, 0.02])
    assert list(checked(chart).data[0].text) == ["−1.20", "−1.00"]
    assert len({(bar.xaxis, bar.yaxis) for bar in checked(chart).data}) == 4
    assert column(costs_table(costs), "last text") == ["a", "b ⏎ c"]
    assert column(costs_table(costs), "tokens") == [40, 40]
    assert "2 texts" in costs_figure(costs[:1]).caption
