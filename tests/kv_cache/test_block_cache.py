"""The layer with room: as transformers' own layer to whoever reads it, whatever forks do."""

import torch
from hypothesis import example, given
from hypothesis import strategies as st
from transformers import DynamicCache

from model import kv_cache
from model.kv_cache.block_cache import BLOCK, BlockLayer, whole_blocks

# what happens to which of the forks, and by how much
DEEDS = st.lists(
    st.tuples(
        st.sampled_from(["grow", "crop", "fork", "reorder"]),
        st.integers(0, 5),
        st.integers(1, BLOCK + 9),
    ),
    max_size=14,
)


def roomy() -> DynamicCache:
    cache = DynamicCache()
    cache.layer_class_to_replicate = BlockLayer
    return cache


def grow(cache: DynamicCache, states: torch.Tensor) -> None:
    cache.update(states, -states, 0)


@given(DEEDS, st.integers(1, 2))
@example([("reorder", 0, 1), ("grow", 0, 1)], 2)  # what is seen is no view of the room
def test_forks_that_grow_and_are_cropped_hold_what_copies_would_hold(
    deeds: list[tuple[str, int, int]], n_rows: int
) -> None:
    ours, theirs = [roomy()], [DynamicCache()]
    new = iter(range(1, 10_000))
    row = torch.arange(n_rows).reshape(-1, 1, 1, 1) / 2
    for deed, which, amount in [("grow", 0, 3), *deeds]:
        at = which % len(ours)
        n_held = theirs[at].get_seq_length()
        if deed == "grow":
            states = torch.full((n_rows, 2, amount, 3), float(next(new))) + row
            grow(ours[at], states)
            grow(theirs[at], states)
        elif deed == "crop":
            kv_cache.crop(ours[at], amount % n_held)
            kv_cache.crop(theirs[at], amount % n_held)
        elif deed == "reorder":
            order = torch.tensor([n_rows - 1] * n_rows)
            ours[at].reorder_cache(order)
            theirs[at].reorder_cache(order)
        else:
            ours.append(kv_cache.fork(ours[at]))
            theirs.append(kv_cache.fork(theirs[at]))
        for one, other in zip(ours, theirs, strict=True):
            assert torch.equal(one.layers[0].keys, other.layers[0].keys)
            assert torch.equal(one.layers[0].values, other.layers[0].values)


def test_a_token_is_one_write_until_the_block_is_full() -> None:
    cache = roomy()
    grow(cache, torch.ones(1, 2, BLOCK - 2, 3))
    place = cache.layers[0].keys.data_ptr()
    grow(cache, torch.ones(1, 2, 1, 3))
    grow(cache, torch.ones(1, 2, 1, 3))
    assert cache.layers[0].keys.data_ptr() == place
    assert kv_cache.bytes_held(cache) == 2 * (2 * BLOCK * 3) * 4
    grow(cache, torch.ones(1, 2, 1, 3))
    assert kv_cache.bytes_held(cache) == 2 * (2 * 2 * BLOCK * 3) * 4


def test_a_crop_and_a_step_write_in_place_unless_a_fork_looks_on() -> None:
    cache = roomy()
    grow(cache, torch.ones(1, 2, 5, 3))
    place = cache.layers[0].keys.data_ptr()
    kv_cache.crop(cache, 2)
    grow(cache, torch.ones(1, 2, 1, 3))
    assert cache.layers[0].keys.data_ptr() == place
    twin = kv_cache.fork(cache)
    kv_cache.crop(cache, 2)
    grow(cache, torch.zeros(1, 2, 1, 3))
    assert cache.layers[0].keys.data_ptr() != twin.layers[0].keys.data_ptr() == place
    assert bool((twin.layers[0].keys == 1).all())


def test_the_first_fork_to_go_on_copies_nothing() -> None:
    cache = roomy()
    grow(cache, torch.ones(1, 2, 5, 3))
    twin = kv_cache.fork(cache)
    grow(twin, torch.zeros(1, 2, 1, 3))
    assert twin.layers[0].keys.data_ptr() == cache.layers[0].keys.data_ptr()
    grow(cache, torch.ones(1, 2, 1, 3))
    assert twin.layers[0].keys.data_ptr() != cache.layers[0].keys.data_ptr()
    assert float(twin.layers[0].keys[0, 0, 5, 0]) == 0


@given(st.integers(1, 1000))
def test_whole_blocks_are_the_fewest_that_hold_all(n: int) -> None:
    assert whole_blocks(n) % BLOCK == 0
    assert 0 <= whole_blocks(n) - n < BLOCK
