"""The cache lesson's figures show the records' own numbers, and a product that is shown is true."""

import math
import re
from dataclasses import replace

import numpy as np
import pytest

from model.generation import Generation
from model.kv_cache.experiments import look_into
from model.kv_cache.records import CacheGrid, CacheMoment, PrefixReuse, RaceStep, Reread
from model.records import CacheShape, Flops
from tests.charts.drawn_charts import as_json, checked
from tests.tiny_models import ARCHITECTURES, tiny
from viz.kv_cache.bytes_chart import bytes_figure, formula, rewind_figure
from viz.kv_cache.grid_chart import grid_figure
from viz.kv_cache.prefix_charts import changes_figure, reuse_figure
from viz.kv_cache.race_charts import per_step_figure, so_far_figure, work_figure

SHAPE = CacheShape(2, 2, 8, 4, 4, 256)
MOMENTS = (
    CacheMoment("before", 9, 2304, 2304),
    CacheMoment("cropped", 6, 1536, 2304),
    CacheMoment("after the next pass", 7, 1792, 1792),
)
KEEPS_KEYS = tuple(name for name in ARCHITECTURES if name not in {"mamba", "openai_gpt"})
NASTY = ("<b>bold</b>", "$x$", "<script>", "␣the")


def grid(n_columns: int = 4, n_prompt: int = 3) -> CacheGrid:
    sizes = np.linspace(0.5, 2, 2 * 2 * n_columns).reshape(2, 2, n_columns)
    labels = tuple(NASTY[i % 4] for i in range(n_columns))
    return CacheGrid(sizes, 2 * sizes, labels, n_prompt, 1, 32, 32)


def race(n_steps: int) -> list[RaceStep]:
    return [RaceStep(n, 0.003, 0.003 * n, 1e-6, 9.0, same_best=True) for n in range(1, n_steps + 1)]


def works(n_steps: int) -> tuple[list[Flops], list[Flops]]:
    lengths = range(1, n_steps + 1)
    return [Flops(10 * n, n * n) for n in lengths], [Flops(10, n) for n in lengths]


def test_figures_of_any_size_are_well_made_and_labels_are_data() -> None:
    charts = [grid_figure(grid(n, min(n, 3))) for n in (1, 60, 300)]
    charts += [bytes_figure(9, 2304, 2304, SHAPE), rewind_figure(MOMENTS)]
    for n_steps in (1, 2, 130):
        steps = race(n_steps)
        charts += [per_step_figure(steps, "cpu"), so_far_figure(steps, "cpu")]
        charts.append(work_figure(*works(n_steps)))
    read = Reread(4, 3, 0.01, 0.02, 1e-6, True)
    reuse = PrefixReuse(NASTY, 3, 5, 3, 0.02, 64, read, read, (replace(read, n_kept=0), read))
    figures = reuse_figure(reuse, read, "cpu, float32"), changes_figure(reuse, "cpu, float32")
    for chart in (*charts, *figures):
        checked(chart)
    assert "&lt;script&gt;" in as_json(checked(grid_figure(grid())))


def test_a_column_keeps_its_colour_while_the_text_grows() -> None:
    short = grid()
    grown = replace(
        short,
        keys=np.concatenate([short.keys, 90 + short.keys], axis=2),
        values=np.concatenate([short.values, 90 + short.values], axis=2),
        labels=short.labels * 2,
    )
    for row in (2, 3):
        before = np.array(checked(grid_figure(short)).data[row].z)
        after = np.array(checked(grid_figure(grown)).data[row].z)
        assert np.array_equal(before, after[:, :4])


def test_prefill_is_one_block_and_every_decode_pass_one_more() -> None:
    prefill, decode = checked(grid_figure(grid(6, 4))).data[:2]
    assert (list(prefill.x), list(prefill.width)) == ([0], [4])
    assert (list(decode.x), list(decode.width)) == ([4, 5], [1, 1])


@pytest.mark.parametrize(
    ("in_use", "shape", "words"),
    [
        (2304, SHAPE, "agree to the byte"),
        (2304, SHAPE, "2.00 times less"),
        (2300, SHAPE, "formula says"),
        (3000, SHAPE, "the rest is the state"),
        (4608, CacheShape(2, 4, 8, 4, 4, 512), "no grouping"),
        (2304, replace(SHAPE, sliding_window=6), "6 positions"),
    ],
)
def test_bytes_agree_or_the_caption_says_so(in_use: int, shape: CacheShape, words: str) -> None:
    assert words in bytes_figure(9, in_use, 2304, shape).caption


def test_lines_of_a_race_are_the_medians_and_their_sums() -> None:
    without, cached = checked(per_step_figure(race(4), "cpu")).data
    assert list(without.y) == pytest.approx([3, 6, 9, 12])
    assert list(cached.y) == pytest.approx([3, 3, 3, 3])
    so_far = checked(so_far_figure(race(4), "cpu")).data[0]
    assert list(so_far.y) == pytest.approx([0.003, 0.009, 0.018, 0.03])
    chart = work_figure(*works(4))
    assert [1e9 * flops for flops in checked(chart).data[0].y] == pytest.approx([11, 35, 74, 130])
    assert "23.1\u202f%" in chart.caption, "attention, 30 of 130"


def written(architecture: str) -> Generation:
    text = Generation(tiny(architecture), "the cat the")
    text.step(token_id=1)
    return text


@pytest.mark.parametrize("architecture", KEEPS_KEYS)
def test_c26_the_factors_of_the_formula_make_the_bytes_of_a_token(architecture: str) -> None:
    shape = tiny(architecture).cache_shape
    *factors, made = map(int, re.findall(r"\d+", formula(shape)))
    assert len(factors) == formula(shape).count("×") + 1
    assert math.prod(factors) == made == shape.bytes_per_token


def test_a_grid_of_latents_speaks_of_no_values() -> None:
    grids = [look_into(written(name)) for name in ("llama", "deepseek")]
    says = [grid_figure(grid).caption for grid in grids if grid]
    assert ["a key and a value" in words for words in says] == [True, False]
    assert ["a latent and a rotary key" in words for words in says] == [False, True]


def test_a_model_without_keys_or_with_layers_that_differ_shows_no_product() -> None:
    uneven = CacheShape(2, 2, 8, 4, 4, bytes_per_token=384)
    for shape in (uneven, tiny("mamba").cache_shape, tiny("openai_gpt").cache_shape):
        assert "×" not in formula(shape)
    assert "384" in formula(uneven)
    assert len({run.cache_bytes for run in written("mamba").passes}) == 1, "nothing grows"
