"""What the page makes of the passes of a text: two figures, the worked table, the loop's words."""

import re
from dataclasses import replace
from typing import Any

import pytest
from playwright.sync_api import Page

from model.records import CacheShape

pytestmark = pytest.mark.browser

SHAPE = CacheShape(
    n_layers=2, n_kv_heads=2, head_dim=8, n_heads=4, bytes_per_number=4, bytes_per_token=256
)
LOAD = """async () => {
  const { createPasses } = await import('/pages/home/live/figures/passes.js');
  const { createTable } = await import('/pages/home/live/figures/table.js');
  globalThis.LOOP_FACTS = await import('/pages/home/live/figures/loopfacts.js');
  globalThis.PASSES = createPasses();
  globalThis.TABLE = createTable();
  document.body.append(PASSES.element);
}"""
DRAW = """(header) => new Promise((resolve) => {
  PASSES.update({ header });
  requestAnimationFrame(() => requestAnimationFrame(() => resolve(
    [...PASSES.element.querySelectorAll('figure')].map((figure) => {
      const drawing = figure.querySelector('svg');
      const line = drawing.querySelector('line');
      const ends = ['x1', 'x2', 'y1', 'y2'].map((name) => Number(line.getAttribute(name)));
      const top = Number(drawing.getAttribute('viewBox').split(' ')[3]);
      const columns = {};
      for (const kind of ['prefill', 'decode']) {
        const d = drawing.querySelector(`.is-${kind}`).getAttribute('d') ?? '';
        columns[kind] = [...d.matchAll(/M(\\S+) \\S+V(\\S+)H(\\S+)V/g)].map(
          ([, from, y, to]) => [Number(from), Number(to), top - Number(y)]);
      }
      const isShown = line.style.display !== 'none';
      const shown = isShown ? [ends[0], ends[1], top - ends[2], top - ends[3]] : null;
      const label = figure.querySelector('[aria-label]').getAttribute('aria-label');
      const words = `${figure.innerText} ${label}`.replaceAll('\\u202f', ' ');
      return { columns, line: shown, words };
    }))));
})"""
TABLE = """(header) => {
  TABLE.update({ header, labels: {}, label: String });
  return TABLE.element.querySelector('tbody').textContent;
}"""
FORMULA = '(cache) => LOOP_FACTS.cacheFormula(cache).replaceAll("\\u202f", " ")'
BAND = """(header) => {
  const pass = LOOP_FACTS.passOf({ header, position: header.position });
  return [pass.phase, pass.tokens, pass.bytes, LOOP_FACTS.cacheInWords(pass)];
}"""
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
        "reading": {"n_kept": tokens - n_input, "n_read": n_input, "seconds": seconds},
        "model": {"device": "cpu", "dtype": "float32"},
    }


PLAIN: Passes = [
    ("prefill", 6, 6, 1536, 0.006),
    ("decode", 1, 7, 1792, 0.003),
    ("decode", 1, 8, 2048, 0.005),
    ("decode", 1, 9, 2304, 0.004),
]
STATE: Passes = [(*run[:3], 4096, run[4]) for run in PLAIN]  # of a model without keys and values


@pytest.fixture
def page(scripts: Page) -> Page:
    scripts.evaluate(LOAD)
    return scripts


@pytest.fixture
def draw(page: Page) -> Any:
    return lambda *args, **more: page.evaluate(DRAW, header_of(*args, **more))


def test_a_column_is_as_high_as_its_pass_and_as_wide_as_its_tokens_and_lines_meet_them(
    draw: Any,
) -> None:
    cache, seconds = draw(PLAIN)
    assert cache["columns"]["prefill"] == [[0, 6, 1536]]
    assert cache["columns"]["decode"] == [[6, 7, 1792], [7, 8, 2048], [8, 9, 2304]]
    assert cache["line"] == [0, 9, 0, 2304]
    assert cache["words"].count("to the byte") == 1, "to be read and to be heard, once"
    heights = [height for _, _, height in seconds["columns"]["decode"]]
    assert heights == pytest.approx([0.003, 0.005, 0.004])
    assert seconds["line"][2:] == pytest.approx([0.004, 0.004])
    assert "1.00 ms a token" in seconds["words"], "prefill, six tokens in 6 ms"
    assert "2 of 4" in seconds["words"], "others were served meanwhile"
    _, seconds = draw(PLAIN, finished="eos")
    assert len(seconds["columns"]["decode"]) == 3, "no pass runs after the end"


def test_the_line_of_the_formula_is_drawn_as_far_as_it_holds(draw: Any) -> None:
    cache, _ = draw([(*run[:3], run[3] + 8, run[4]) for run in PLAIN])
    assert "not what the tensors hold" in cache["words"]
    cut: Passes = [(*run[:3], 256 * min(8, run[2]), run[4]) for run in PLAIN]
    window = replace(SHAPE, sliding_window=8)
    assert draw(cut, **vars(window))[0]["line"] == [0, 8, 0, 2048]
    assert draw(PLAIN, **vars(window))[0]["line"] == [0, 9, 0, 2304], "the tensors hold more"
    again: Passes = [*PLAIN[:2], ("prefill", 8, 8, 2048, 0.006)]  # the cache was filled anew
    assert draw(again)[0]["columns"]["prefill"] == [[0, 6, 1536], [7, 8, 2048]]


def test_a_model_without_keys_and_values_is_said_to_have_none(page: Page, draw: Any) -> None:
    cache, _ = draw(STATE, bytes_per_token=0)
    assert cache["line"] is None
    header = header_of(STATE, bytes_per_token=0) | {"position": 9}
    table, band = page.evaluate(TABLE, header), page.evaluate(BAND, header)[-1]
    assert "none: the state is rewritten" in table
    assert band.startswith("state: ")
    assert "The state after each pass" in cache["words"]
    for words in (cache["words"], table, band):
        assert "KV" not in words
        assert "K,V" not in words


TOGETHER = "192 B per token = 2 layers × 24 numbers for keys and values together × 4 bytes"


@pytest.mark.parametrize(
    ("shape", "said"),
    [
        (SHAPE, "256 B per token = 2 × 2 layers × 2 KV heads × 8 numbers × 4 bytes"),
        (CacheShape(1, 1, 8, 4, 2, 32), "= 2 × 1 layer × 1 KV head × 8 numbers × 2 bytes"),
        (CacheShape(2, 1, 24, 4, 4, 192), TOGETHER),  # DeepSeek: latent and rotary part
        (CacheShape(2, 2, 8, 4, 4, 384), "384 B per token, summed layer by layer"),
        (
            CacheShape(0, 0, 0, 0, 4, 0),
            "no keys and values, but a state that sums up what was read",
        ),
    ],
)
def test_a_product_is_shown_only_where_it_makes_the_bytes(
    page: Page, shape: CacheShape, said: str
) -> None:
    for held in (512, 4096):
        told = page.evaluate(FORMULA, {"bytes": 512, "bytes_held": held, **vars(shape)})
        assert told.startswith(f"{held:,} B held".replace(",", " "))
        assert told.endswith(said)
        assert ("room for more" in told) == (held > 512 and shape.bytes_per_token > 0)
    told = page.evaluate(FORMULA, {"bytes": 0, "bytes_held": 0, "bytes_per_token": 0})
    assert "keeps no cache" in told


@pytest.mark.parametrize(
    ("passes", "per_token", "in_use"),
    [(PLAIN, 256, 3 * 256), (STATE, 0, 4096)],  # a state is as large as after the whole text
)
def test_a_position_of_the_prompt_is_given_the_cache_that_was_before_it(
    page: Page, passes: Passes, per_token: int, in_use: int
) -> None:
    header = header_of(passes, bytes_per_token=per_token) | {"position": 3}
    assert page.evaluate(BAND, header)[:3] == ["prefill", 3, in_use]


def test_the_note_says_what_was_kept_and_what_was_read(page: Page) -> None:
    for kept, read, numbers in ((41, 3, [44, 41, 3]), (0, 7, [7, 0, 7]), (9, 0, [9])):
        reading = {"n_kept": kept, "n_read": read, "seconds": 0.006}
        page.evaluate(DRAW, header_of(PLAIN) | {"reading": reading})
        note = page.locator("[data-figure=cache] p.muted").last.inner_text()
        sentence = note.partition("Measured")[0]
        assert [int(each) for each in re.findall(r"\d+", sentence)][: len(numbers)] == numbers
