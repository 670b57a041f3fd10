"""Where engines part: each row of the table does, and no pair of masks that does is missing."""

import re
from html import unescape
from itertools import combinations, product
from typing import Any
from urllib.parse import parse_qs

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from model.sampling import ORDERS, Settings, process
from model.settings import ENGINES
from pages.frame.fields import read_fields
from pages.lessons.sampling.engines import CASES, SHOWN, n_drawn, pipelines, rows
from pages.lessons.sampling.settings import SETTINGS
from pages.lessons.sampling.state import FIELDS, POINTER, SLIDERS
from tests.frame.driving import open_lesson
from viz.sampling.pipelines_picture import pipelines_picture
from viz.strip import HATCH

VALUES: dict[str, tuple[float, ...]] = {
    "temperature": (0.5, 2.0),
    "top_k": (2, 5),
    "top_p": (0.5, 0.8),
    "min_p": (0.1, 0.3),
    "typical_p": (0.4, 0.7),
    "top_n_sigma": (0.5, 1.0),
    "mirostat": (1.0, 2.0),
}


def part(first: str, second: str, **values: Any) -> bool:
    """Whether two engines keep other tokens of some distribution."""
    rows = np.random.default_rng(4).normal(0, 1.5, (40, 12))
    for row in rows:
        a, b = (
            process(row, [], Settings(order=ORDERS[engine], **values))[-1].kept
            for engine in (first, second)
        )
        if (a != b).any():
            return True
    return False


@pytest.mark.parametrize("values", CASES, ids=lambda values: "+".join(values))
def test_every_row_parts_two_engines(values: dict[str, float]) -> None:
    found = dict(zip(ENGINES, pipelines(values), strict=True))
    assert n_drawn(values) > 1
    for engine, one in found.items():
        assert len(one.lacks) == sum(name not in ORDERS[engine] for name in values)
        ends = np.cumsum([share for _, share in one.left])
        assert ends[-1] == pytest.approx(1)
        assert one.drawn == np.searchsorted(ends, POINTER, side="right")
    # engines that have the same order of these masks draw the same
    orders = {e: [name for name in ORDERS[e] if name in values] for e in ENGINES}
    for a, b in combinations(ENGINES, 2):
        if orders[a] == orders[b]:
            assert found[a].left == found[b].left


def test_no_pair_of_masks_that_parts_two_engines_is_missing() -> None:
    shown = {frozenset(values) for values in CASES}
    for first, second in combinations(ENGINES, 2):
        both = [name for name in ORDERS[first] if name in ORDERS[second] and name in VALUES]
        for one, other in combinations(both, 2):
            if ORDERS[second].index(one) < ORDERS[second].index(other):
                continue
            swapped = product(VALUES[one], VALUES[other])
            parts = any(part(first, second, **{one: a, other: b}) for a, b in swapped)
            assert parts == ({one, other} in shown), (first, second, one, other)
    for name in SLIDERS:
        n_having = sum(name in ORDERS[engine] for engine in ENGINES)
        if 0 < n_having < len(ENGINES):
            assert any(name in values for values in shown), name


def test_the_link_of_a_row_opens_its_masks_on_its_distribution() -> None:
    for values, row in zip(CASES, rows(), strict=True):
        query = str(row["on the bars"]).partition("/engines?")[2].partition('"')[0]
        read = read_fields(parse_qs(unescape(query)), SETTINGS.fields)
        assert not read.faults
        opened = {field.name: field.default for field in FIELDS} | read.values
        assert {name: opened[name] for name in values} == values
        assert set(opened["use"]) == set(values)
        assert read.values["source"] == "textbook"


def test_the_picture_waits_for_an_answer_and_then_draws_a_bar_for_each_order() -> None:
    app: AppTest = open_lesson("pages/engines.py")
    n_left = {one.order: len(one.left) for one in pipelines(SHOWN)}
    assert len(set(n_left.values())) == 2, "a question with an answer"
    markup = "".join(html.proto.body for html in app.get("html"))
    assert all(markup.count(order) == 1 for order in n_left), "the orders are what is asked about"
    assert " tokens" not in spoken(app)
    app.get_by_key("engines_said").set_value("neither").run()
    for one in pipelines(SHOWN):
        assert re.search(rf"{one.engine}[^;]* draws “{one.token}”, {len(one.left)} ", spoken(app))
    (table,) = [html.proto.body for html in app.get("html") if ">masks<" in html.proto.body]
    assert table.count('<a href="/engines?') == len(CASES)
    assert not app.exception


def test_the_bar_that_is_cut_keeps_what_is_left_up_to_its_line() -> None:
    for one in pipelines(SHOWN):
        shares = [share for _, share in one.given]
        assert sum(shares) == pytest.approx(1)
        n = len(one.left)
        assert sum(shares[: n - 1]) < one.cut <= sum(shares[:n]), "the one that crosses it is kept"
        assert [name for name, _ in one.given[:n]] == [name for name, _ in one.left]
    html = pipelines_picture((("a", 0.5), ("b", 0.5)), pipelines(SHOWN), 0.7)
    n_out = {len(one.given) - len(one.left) for one in pipelines(SHOWN)}
    assert html.count(HATCH) == sum(n_out)


def test_a_word_stands_on_the_wider_side_of_the_pointer() -> None:
    for pointer, padding in ((0.7, "left:calc(20.000%"), (0.9, "right:calc(10.000%")):
        html = pipelines_picture((("a", 0.5), ("b", 0.5)), [], pointer)
        assert html.count("padding-") == html.count(f"padding-{padding}") == 1


def spoken(app: AppTest) -> str:
    """What is said of the picture to who cannot see it."""
    return " ".join(
        re.findall(r'aria-label="(.+?)"', "".join(h.proto.body for h in app.get("html")))
    )
