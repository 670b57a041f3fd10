"""What holds for every plan, every order and every draw."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from model.diffusion.denoising import ORDERS, Diffusion, fill_page, propose
from model.diffusion.layout import plan_passes, writable_ids
from model.diffusion.page_view import left_first
from tests.tiny_fillers import tiny_unmasker


@given(st.data(), st.integers(1, 60))
def test_a_plan_fills_every_position_once_in_exactly_so_many_passes(
    data: st.DataObject, length: int
) -> None:
    block = data.draw(st.integers(0, length))
    n_blocks = -(-length // (block or length))
    n_passes = data.draw(st.integers(n_blocks, length))
    plan = plan_passes(length, n_passes, block)
    assert len(plan) == n_passes
    assert sum(one.n_commit for one in plan) == length
    assert min(one.n_commit for one in plan) >= 1
    for one, after in pairwise(plan):
        assert after.start in (one.start, one.end)
    for start in {one.start for one in plan}:
        counts = [one.n_commit for one in plan if one.start == start]
        assert max(counts) - min(counts) <= 1, "as evenly as whole numbers go"


@settings(max_examples=30)
@given(
    st.integers(1, 9),
    st.data(),
    st.sampled_from(ORDERS),
    st.sampled_from([0.0, 0.7]),
    st.integers(0, 1000),
)
def test_any_fill_keeps_what_is_given_and_replays(
    length: int, data: st.DataObject, order: str, temperature: float, seed: int
) -> None:
    block = data.draw(st.integers(0, length))
    n_passes = data.draw(st.integers(-(-length // (block or length)), length))
    draws = {"order": order, "temperature": temperature, "seed": seed, "block_length": block}
    page, twin = (
        Diffusion(tiny_unmasker(), length, "a", "b", n_passes=n_passes, **draws) for _ in range(2)
    )
    before = list(page.ids)
    fill_page(page)
    n_back = data.draw(st.integers(0, n_passes))
    fill_page(twin)
    for _ in range(n_back):
        twin.back()
    fill_page(twin)
    assert twin.ids == page.ids
    committed = [place for one in page.passes for place in one.committed]
    assert sorted(committed) == list(range(length)), "every position once"
    assert writable_ids(page.lm)[page.filled_ids].all()
    kept = [i for i in range(len(before)) if not page.start <= i < page.start + length]
    assert [page.ids[i] for i in kept] == [before[i] for i in kept]
    share = left_first(page.filled_in)
    assert share is None or 0 <= share <= 1
    if order == "left to right" and n_passes > 1:
        assert share == 1


@settings(max_examples=25)
@given(st.integers(0, 2**32), st.floats(0.2, 3))
def test_draws_follow_the_probabilities_piece_by_piece(seed: int, temperature: float) -> None:
    rng = np.random.default_rng(seed)
    logits = rng.normal(size=(1, 7)).astype(np.float32) * 3
    powers = np.exp((logits[0].astype(np.float64) - logits.max()) / temperature)
    wanted = powers / powers.sum()
    coins = (np.arange(500) + 0.5) / 500
    tokens, _ = propose(np.repeat(logits, 500, axis=0), temperature, coins)
    shares = np.bincount(tokens, minlength=7) / 500
    assert np.abs(shares - wanted).max() < 3e-3
