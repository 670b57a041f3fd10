"""The two figures of every pass: the cache after it, and its time, drawn in the page."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from playwright.sync_api import Page

from tests.home.sample_runs import SHAPE

pytestmark = pytest.mark.browser

LOAD = """async () => {
  const { createPasses } = await import('/pages/home/live/passes.js');
  globalThis.PASSES = createPasses();
  document.body.append(PASSES.element);
}"""
DRAW = """(header) => new Promise((resolve) => {
  PASSES.update({ header });
  requestAnimationFrame(() => requestAnimationFrame(() => resolve(
    [...PASSES.element.querySelectorAll('figure')].map((figure) => {
      const drawing = figure.querySelector('svg');
      const line = drawing.querySelector('line');
      const ends = ['x1', 'x2', 'y1', 'y2'].map((name) => Number(line.getAttribute(name)));
      const [, , width, top] = drawing.getAttribute('viewBox').split(' ').map(Number);
      const columns = {};
      for (const kind of ['prefill', 'decode']) {
        const d = drawing.querySelector(`.is-${kind}`).getAttribute('d') ?? '';
        columns[kind] = [...d.matchAll(/M(\\S+) \\S+V(\\S+)H(\\S+)V/g)].map(
          ([, from, y, to]) => [Number(from), Number(to), top - Number(y)]);
      }
      const isShown = line.style.display !== 'none';
      const shown = isShown ? [ends[0], ends[1], top - ends[2], top - ends[3]] : null;
      return { columns, line: shown, width, words: figure.innerText.replaceAll('\\u202f', ' ') };
    }))));
})"""
Passes = list[tuple[str, int, int, int, float]]  # phase, n_input, cache_tokens, bytes, seconds


def header_of(passes: Passes, finished: str | None = None, **cache: Any) -> dict[str, Any]:
    """What Python says of a text with these passes; the last made the next distribution."""
    written = passes if finished else passes[:-1]
    names = ("phase", "n_input", "cache_tokens", "bytes", "seconds")
    steps = {name: [run[i] for run in written] for i, name in enumerate(names)}
    nothing = [0] * len(written)
    rest = dict.fromkeys(("logprob", "prob", "top_id", "top_prob", "forced"), nothing)
    phase, n_input, tokens, in_use, seconds = passes[-1]
    shape = {"bytes": in_use, "bytes_held": in_use, "tokens": tokens}
    return {
        "steps": steps | rest | {"is_shared": [i == 1 for i in range(len(written))]},
        "ids": [0] * (passes[0][1] + len(written)),
        "n_prompt": passes[0][1],
        "finished": finished,
        "timing": {"phase": phase, "n_input": n_input, "seconds": seconds, "is_shared": True},
        "cache": vars(SHAPE) | shape | cache,
        "model": {"device": "cpu", "dtype": "float32"},
    }


PLAIN: Passes = [
    ("prefill", 6, 6, 1536, 0.006),
    ("decode", 1, 7, 1792, 0.003),
    ("decode", 1, 8, 2048, 0.005),
    ("decode", 1, 9, 2304, 0.004),
]


@pytest.fixture
def draw(scripts: Page) -> Any:
    scripts.evaluate(LOAD)

    return lambda *args, **more: scripts.evaluate(DRAW, header_of(*args, **more))


def test_each_column_is_as_high_as_its_pass_and_as_wide_as_its_tokens(draw: Any) -> None:
    cache, seconds = draw(PLAIN)
    assert cache["columns"]["prefill"] == [[0, 6, 1536]]
    assert cache["columns"]["decode"] == [[6, 7, 1792], [7, 8, 2048], [8, 9, 2304]]
    heights = [height for _, _, height in seconds["columns"]["decode"]]
    assert heights == pytest.approx([0.003, 0.005, 0.004])


def test_the_line_of_the_formula_meets_the_tensors_and_that_of_time_is_the_median(
    draw: Any,
) -> None:
    cache, seconds = draw(PLAIN)
    assert cache["line"] == [0, 9, 0, 2304]
    assert "to the byte" in cache["words"]
    assert seconds["line"][2:] == pytest.approx([0.004, 0.004])
    assert "1.00 ms a token" in seconds["words"], "prefill, six tokens in 6 ms"
    assert "2 of 4" in seconds["words"], "others were served meanwhile"


def test_a_formula_that_does_not_hold_is_not_said_to(draw: Any) -> None:
    cache, _ = draw([(*run[:3], run[3] + 8, run[4]) for run in PLAIN])
    assert "not what the tensors hold" in cache["words"]


def test_the_line_ends_with_the_window_only_where_the_tensors_hold_no_more(draw: Any) -> None:
    cut: Passes = [(*run[:3], 256 * min(8, run[2]), run[4]) for run in PLAIN]
    window = replace(SHAPE, sliding_window=8)
    assert draw(cut, **vars(window))[0]["line"] == [0, 8, 0, 2048]
    assert draw(PLAIN, **vars(window))[0]["line"] == [0, 9, 0, 2304]


def test_a_model_without_keys_has_no_line(draw: Any) -> None:
    state: Passes = [(*run[:3], 4096, run[4]) for run in PLAIN]
    assert draw(state, bytes_per_token=0)[0]["line"] is None


def test_a_cache_that_was_filled_again_adds_one_column(draw: Any) -> None:
    again: Passes = [*PLAIN[:2], ("prefill", 8, 8, 2048, 0.006)]
    assert draw(again)[0]["columns"]["prefill"] == [[0, 6, 1536], [7, 8, 2048]]


def test_no_pass_runs_after_the_end(draw: Any) -> None:
    _, seconds = draw(PLAIN, finished="eos")
    assert len(seconds["columns"]["decode"]) == 3
