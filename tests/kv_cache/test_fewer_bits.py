"""A cache in fewer bits or with a window: exact where nothing is lost, and lossy as it says."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.small_shapes import small_config, small_model
from model.generation import Generation
from model.held_out import held_out
from model.job import finish
from model.kv_cache import fewer_bits
from model.kv_cache.fewer_bits import (
    BITS,
    GROUP,
    N_STORIES,
    N_WRITTEN,
    WINDOWS,
    SmallCache,
    compare_small_caches,
    rounded,
    write_on,
)
from model.kv_cache.records import FewerBits, SmallCacheRun
from model.language_model import LanguageModel
from model.masks import divergence, log_softmax
from model.passes import forward
from model.recorded import recorded_job
from model.sampling import Settings
from model.tokenizing import encode, labels_of
from tests.charts.drawn_charts import checked
from tests.tiny_models import loaded, tiny
from viz.kv_cache.fewer_bits_chart import loss_figure, n_common, parting_strip

IDS = np.random.default_rng(4).integers(3, 90, 150).tolist()


def in_full(lm: LanguageModel, mask: torch.Tensor | None = None) -> np.ndarray:
    """The logits of one pass over the whole text, without a cache."""
    extra = {} if mask is None else {"attention_mask": mask}
    return forward(lm, [IDS], None, 0, extra=extra)[0][0]


def test_token_by_token_the_same_is_kept() -> None:
    lm = tiny("llama")
    by_one = SmallCache(lm, 4, 64)
    rows = [by_one.read([token_id])[0] for token_id in IDS]
    np.testing.assert_allclose(rows, SmallCache(lm, 4, 64).read(IDS), atol=1e-4)


FROM_ZERO = ["gpt2", "opt", "gemma2", "falcon", "phi", "deepseek_v3", "mixtral"]
BEHIND_A_PADDING = ["roberta", "xlm-roberta", "camembert", "data2vec-text"]
BEHIND_A_PADDING += ["roberta-prelayernorm", "xlm-roberta-xl"]
REFUSED = ["bloom", "bart", "mamba"]  # count by themselves, or sum up


@pytest.mark.parametrize("model_type", [*FROM_ZERO, *BEHIND_A_PADDING, *REFUSED])
def test_in_full_and_without_a_window_nothing_changes_whatever_opens(model_type: str) -> None:
    lm = loaded(small_model(small_config(model_type)))
    if model_type in REFUSED:
        with pytest.raises(ValueError, match="open another model"):
            SmallCache(lm, 32, 0)
        return
    ids = [2 + token_id for token_id in IDS[:60]]
    truth = lm.model(torch.tensor([ids]), use_cache=False).logits[0].detach().numpy()
    gap = np.abs(SmallCache(lm, 32, 0).read(ids) - truth).max()
    assert gap < 1e-5 * np.ptp(truth)


@pytest.mark.parametrize("missing", ["local", "cache_argument", "first_position"])
def test_a_model_that_lacks_what_is_needed_is_refused(missing: str) -> None:
    lm = tiny("llama")
    lacks = None if missing == "local" else replace(lm.weights, **{missing: None})
    with pytest.raises(ValueError, match="open another model"):
        SmallCache(replace(lm, local=lacks), 32, 0)


@pytest.mark.parametrize("model_type", ["roberta", "opt"])
def test_behind_a_window_tokens_keep_their_positions(
    model_type: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fewer_bits, "GROUP", 8)
    lm = loaded(small_model(small_config(model_type)))
    mask = window_mask(60, 8, 8)
    truth = forward(lm, [IDS[:60]], None, 0, extra={"attention_mask": mask})[0][0]
    gap = np.abs(SmallCache(lm, 32, 8).read(IDS[:60]) - truth).max()
    assert gap < 1e-5 * np.ptp(truth)


def window_mask(n_tokens: int, group: int, window: int) -> torch.Tensor:
    """What a token sees: its group, and the window before it."""
    place = torch.arange(n_tokens)
    start = place // group * group
    seen = (place[None] <= place[:, None]) & (place[None] >= start[:, None] - window)
    return torch.where(seen, 0.0, torch.finfo(torch.float32).min)[None, None]


@pytest.mark.parametrize("architecture", ["llama", "qwen2"])
@pytest.mark.parametrize("window", [32, 64])
def test_a_window_is_the_mask_that_hides_what_is_older(architecture: str, window: int) -> None:
    """The oracle is one pass under a mask of four dimensions, no cache anywhere."""
    lm = tiny(architecture)
    mask = window_mask(len(IDS), GROUP, window)
    logits = SmallCache(lm, 32, window).read(IDS)
    np.testing.assert_allclose(logits, in_full(lm, mask), atol=1e-4)
    assert np.abs(logits - in_full(lm)).max() > 1e-3


@given(st.sampled_from([2, 3, 4, 8]), st.sampled_from([-1, -2]), st.integers(0, 99))
def test_rounding_leaves_so_many_levels_and_errs_by_half_a_step(
    bits: int, dim: int, seed: int
) -> None:
    states = torch.as_tensor(np.random.default_rng(seed).normal(0, 3, (2, 300, 5)).astype("f4"))
    result = rounded(states, bits, dim)
    step = (states.amax(dim, keepdim=True) - states.amin(dim, keepdim=True)) / (2**bits - 1)
    assert ((result - states).abs() <= 0.5001 * step).all()
    rows = result.movedim(dim, -1).reshape(-1, result.shape[dim])
    assert max(len(row.unique()) for row in rows) <= 2**bits
    assert torch.equal(rounded(torch.ones(2, 3), bits, dim), torch.ones(2, 3))


def test_16_bits_are_a_half_and_32_change_nothing() -> None:
    states = torch.tensor([[1.0001, 3.14159]])
    assert torch.equal(rounded(states, 16, -1), states.half().float())
    assert not torch.equal(rounded(states, 16, -1), states)
    assert torch.equal(rounded(states, 32, -1), states)


def test_bytes_are_counted_by_hand() -> None:
    """70 tokens: 64 are rounded, 6 stand in full."""
    lm = tiny("llama")
    small, full = SmallCache(lm, 4, 0), SmallCache(lm, 32, 0)
    for cache in (small, full):
        cache.read(IDS[:70])
    layers, heads, size = len(small.cache.layers), *small.cache.layers[0].keys.shape[1::2]
    assert full.n_bytes == layers * 2 * heads * size * 70 * 4
    scales = heads * (2 * size + 64) * 4
    packed = 2 * heads * size * (64 // 2 + 6 * 4)
    assert small.n_bytes == layers * (packed + scales)
    half = SmallCache(lm, 16, 0)  # 16 bits need no scales
    half.read(IDS[:70])
    assert half.n_bytes == layers * 2 * heads * size * (64 * 2 + 6 * 4)
    window = SmallCache(lm, 32, 32)
    window.read(IDS[:70])
    assert window.n_bytes == layers * 2 * heads * size * (32 + 6) * 4


def test_the_fewer_the_bits_the_further_from_the_full_cache(storyteller: LanguageModel) -> None:
    ids = encode(storyteller, held_out("stories")[0])
    read = {bits: log_softmax(SmallCache(storyteller, bits, 0).read(ids)) for bits in BITS}
    gaps = [float(divergence(read[32], read[bits]).mean()) for bits in BITS]
    assert gaps == sorted(gaps)
    assert gaps[1] < 1e-5
    assert gaps[-1] > 0.01


def test_every_cache_is_scored_and_writes_by_the_same_pointers(
    storyteller: LanguageModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in {
        "N_STORIES": 1,
        "N_WRITTEN": 12,
        "BITS": (32, 4),
        "WINDOWS": (0, 32),
    }.items():
        monkeypatch.setattr(fewer_bits, name, value)
    settings = Settings(temperature=0.8)
    found = finish(compare_small_caches(storyteller, [1, 300, 400], settings, seed=3))
    full = found.run(32, 0)
    text = Generation(storyteller, [1, 300, 400], seed=3)
    while text.finished is None and len(text.steps) < 12:
        text.step(settings)
    assert full.written == labels_of(storyteller, text.ids[3:])
    read = encode(storyteller, max(held_out("stories"), key=len))[: storyteller.context_length]
    assert found.n_scored == found.n_longest == len(read) - 1
    assert found.run(32, 32).nats > full.nats + 0.03
    assert full.n_bytes > found.run(4, 0).n_bytes > found.run(4, 32).n_bytes


def test_a_text_is_written_as_far_as_the_context_goes(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {"N_STORIES": 1, "BITS": (32,), "WINDOWS": (0,)}.items():
        monkeypatch.setattr(fewer_bits, name, value)
    lm = replace(tiny("llama"), end_ids=frozenset())
    assert lm.context_length is not None
    for n_prompt, n_written in ((lm.context_length - 6, 6), (lm.context_length, 0)):
        found = finish(compare_small_caches(lm, [5] * n_prompt, Settings(temperature=0)))
        assert len(found.run(32, 0).written) == n_written


def test_the_recording_has_a_run_for_every_place_of_the_sliders(
    storyteller: LanguageModel,
) -> None:
    recorded = recorded_job("kv_small", FewerBits)
    assert recorded is not None
    longest = sorted(len(encode(storyteller, story)) for story in held_out("stories"))[-N_STORIES:]
    assert recorded.result.n_scored == sum(longest) - N_STORIES
    assert max(len(run.written) for run in recorded.result.runs) == N_WRITTEN
    assert [(run.bits, run.window) for run in recorded.result.runs] == list(product(BITS, WINDOWS))


def test_a_text_ends_with_its_end_token_and_not_before() -> None:
    settings, prompt = Settings(temperature=0), IDS[:40]
    text = Generation(tiny("llama"), prompt)
    for _ in range(9):
        text.step(settings)
    own = text.ids[40:]
    end = next(n for n in range(3, 9) if own[n] not in own[:n])  # an end where it comes first
    lm = replace(tiny("llama"), end_ids=frozenset({own[end]}))
    for n_tokens in (1, end, end + 1, end + 4):
        cache = SmallCache(lm, 32, 0)
        written = write_on(cache, prompt, settings, 0, n_tokens)
        assert written == own[: min(n_tokens, end + 1)]
        assert cache.n_read == 40 + len(written) - (n_tokens > end)


def test_a_chart_rings_the_chosen_cache_and_a_strip_shows_where_its_text_parts() -> None:
    full = SmallCacheRun(32, 0, 2.0, 1000, ("a", "b", "c"))
    other = SmallCacheRun(2, 0, 2.1, 100, ("a", "x", "c"))
    figure = checked(loss_figure(FewerBits(9, 9, (full, other)), other, "cpu"))
    assert list(figure.data[0].y) == pytest.approx([0, 0.1])
    assert list(figure.data[-1].y) == pytest.approx([0.1])
    assert n_common(full.written, other.written) == 1
    assert str(parting_strip(full, other)).count("dashed") == 2
