"""The calculator's known answers: bytes per token, per sequence, and how many sequences fit."""

import pytest
import torch
from transformers import AutoModelForCausalLM

from model.kv_cache.plan import BITS, plan_cache
from model.weights.published_shapes import ModelShape, published_models
from tests.charts.drawn_charts import checked, column
from viz.kv_cache.plan_chart import plan_figure, plan_table

BY_NAME = {model.name: model for model in published_models()}
GB = 1e9

# at 16 bits: published formulas, worked out by hand
PER_TOKEN = {
    "GPT-2": 2 * 12 * 12 * 64 * 2,
    "Qwen2.5-0.5B": 2 * 24 * 2 * 64 * 2,
    "Qwen2.5-7B": 2 * 28 * 4 * 128 * 2,
    "Mistral 7B v0.3": 2 * 32 * 8 * 128 * 2,
    "Llama-3-8B": 2 * 32 * 8 * 128 * 2,
    "Llama-2-13B": 2 * 40 * 40 * 128 * 2,
    "Llama-3-70B": 2 * 80 * 8 * 128 * 2,
    "DeepSeek-V3": (512 + 64) * 61 * 2,
}


@pytest.mark.parametrize("model", published_models(), ids=lambda model: model.name)
def test_bytes_per_token_are_the_published_ones_and_parameters_the_config_s(
    model: ModelShape,
) -> None:
    plan = plan_cache(model, 1000, 16, 16, 80 * GB)
    assert plan.bytes_per_token == PER_TOKEN[model.name]
    assert plan.bytes_per_sequence == 1000 * PER_TOKEN[model.name]
    fewer = [plan_cache(model, 1, bits, 16, GB) for bits in BITS]
    assert [plan.bytes_per_token / one.bytes_per_token for one in fewer] == [1, 2, 4]
    with torch.device("meta"):
        built = AutoModelForCausalLM.from_config(model.config)
    assert sum(parameter.numel() for parameter in built.parameters()) == model.n_parameters


def test_sequences_that_fit_stand_beside_the_weights() -> None:
    llama = BY_NAME["Llama-3-8B"]
    room = 80e9 - 2 * llama.n_parameters
    assert plan_cache(llama, 8192, 16, 16, 80e9).n_sequences == int(room // (131_072 * 8192))
    assert plan_cache(llama, 8192, 16, 16, 2 * llama.n_parameters).n_sequences == 0
    assert plan_cache(BY_NAME["Llama-3-70B"], 8192, 16, 16, 80e9).n_sequences == 0
    assert plan_cache(llama, 8192, 16, 16, 1.0).n_sequences == 0
    assert plan_cache(BY_NAME["Llama-3-70B"], 8192, 16, 4, 80e9).n_sequences > 0


@pytest.mark.parametrize(("name", "times"), [("GPT-2", 1), ("Llama-3-8B", 4), ("Qwen2.5-7B", 7)])
def test_heads_that_share_save_as_many_times(name: str, times: int) -> None:
    plan = plan_cache(BY_NAME[name], 1, 16, 16, GB)
    assert plan.numbers_all_heads == times * plan.numbers_per_token


@pytest.mark.parametrize("wrong", [(0, 16, 16, 1.0), (1, 16, 16, 0.0)])
def test_a_plan_refuses_what_makes_no_sense(wrong: tuple[int, int, int, float]) -> None:
    with pytest.raises(ValueError, match=r"\w+\.$"):
        plan_cache(BY_NAME["GPT-2"], *wrong)


def test_figure_and_table_show_every_plan() -> None:
    plans = [plan_cache(model, 8192, 16, 16, 80 * GB) for model in published_models()]
    chart = plan_figure(plans, 16)
    kept = next(trace for trace in checked(chart).data if trace.name == "kept for each token")
    assert list(kept.x) == [plan.bytes_per_token for plan in plans]
    table = plan_table(plans, 8192, 16)
    assert column(table, "model") == list(BY_NAME)
    made = dict(zip(column(table, "model"), column(table, "made for this length"), strict=True))
    assert (made["GPT-2"], made["Llama-3-8B"]) == ("up to 1024", "yes")
