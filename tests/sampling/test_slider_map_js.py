"""The map of the sliders against Python: the token at each point is what Python would draw."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Page

from model.draw import draw
from model.sampling import ORDERS, Settings, process
from tests.frame.test_masks_js import LOAD, Case, random_case

pytestmark = pytest.mark.browser

N_CASES, N_POINTS = 60, 20
# points of a case: temperatures across, values of the second slider upward, pointers
POINTS = """async ([payload, axis, temperatures, limits, pointers]) => {
const { readDistribution } = await import("/pages/frame/live/payload.js");
const { computePoints, methodOf } = await import("/pages/frame/live/lazy/slider_map_points.js");
const { header, arrays } = decode(payload);
const { text: contextIds, nPrompt, settings, toss, memory } = header;
const distribution = readDistribution(header.distribution, arrays, "", null);
const view = { distribution, contextIds, nPrompt, settings, toss, memory };
const columns = computePoints(view, axis, pointers, temperatures, limits);
let step = columns.next();
while (!step.done) step = columns.next();
const { rows, entropies } = step.value;
return {
  ids: rows.map((map) => Array.from(map, (row) => row < 0 ? null : distribution.ids[row])),
  entropies: Array.from(entropies),
  method: methodOf(view, axis),
};
}"""


@pytest.fixture
def map_page(scripts: Page) -> Page:
    scripts.evaluate(LOAD)
    return scripts


def compute(page: Page, case: Case, axis: str, *sides: list[float]) -> dict[str, Any]:
    told: dict[str, Any] = page.evaluate(POINTS, [case.payload(), axis, *sides])
    return told


def expected(case: Case, pointer: float, **at: float) -> tuple[int, float]:
    """The token that Python draws at a point, and the entropy of what it draws from."""
    settings = replace(case.settings, **at)
    stages = process(case.logits, case.ids, settings, case.n_prompt, case.toss, case.memory)
    return draw(stages[-1], pointer), stages[-1].entropy


def test_a_thousand_points_are_what_python_draws(map_page: Page) -> None:
    """Ties, -inf, huge logits, penalties, any masks in any order; both ways are met."""
    methods = set()
    n_points = 0
    for seed in range(N_CASES):
        rng = np.random.default_rng(seed)
        case = random_case(seed, int(rng.integers(2, 90)))
        if seed % 2:  # as readers have it: two sliders, perhaps a third mask before them
            order = ORDERS[list(ORDERS)[seed // 2 % len(ORDERS)]]
            case = replace(case, settings=Settings(order=order, top_k=case.settings.top_k))
        axis = ("top_p", "min_p")[seed // 2 % 2]
        temperatures = [0.0, 0.01, 1.0, float(rng.uniform(0.05, 2))]
        limits = [0.5, 1.0, float(rng.uniform(0.05, 1)), 0.05 if axis == "top_p" else 0.0, 0.9]
        pointer = float(rng.choice([0, 0.5, 1 - 2**-53, rng.random()]))
        told = compute(map_page, case, axis, temperatures, limits, [pointer])
        methods.add(told["method"])
        wanted = [
            expected(case, pointer, temperature=temperature, **{axis: limit})
            for temperature in temperatures
            for limit in limits
        ]
        assert told["ids"][0] == [token_id for token_id, _ in wanted], seed
        assert told["entropies"] == pytest.approx([one for _, one in wanted], abs=1e-5)
        n_points += len(wanted)
    assert methods == {"searched", "processed"}
    assert n_points == N_CASES * N_POINTS


def test_equal_tokens_part_where_the_draw_parts_them(map_page: Page) -> None:
    """Adversary: borders that rounding decides. A search in sums not divided would miss some."""
    n_equals = 49
    case = Case(np.zeros(n_equals, dtype=np.float32), Settings(), [0.0])
    pointers = [i / n_equals for i in range(n_equals)]
    limits = [i / n_equals for i in range(3, n_equals + 1)]
    told = compute(map_page, case, "top_p", [0.7], limits, pointers)
    assert told["method"] == "searched"
    for pointer, ids in zip(pointers, told["ids"], strict=True):
        wanted = [expected(case, pointer, temperature=0.7, top_p=limit)[0] for limit in limits]
        assert ids == wanted, pointer
