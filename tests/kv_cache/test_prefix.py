"""What the cache of one prompt keeps for another: counts by hand, logits, blocks, and a class."""

import re
from collections.abc import Callable
from dataclasses import replace
from itertools import takewhile

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from model import kv_cache
from model.generation import Generation
from model.job import Job, finish
from model.kv_cache.block_cache import BLOCK
from model.kv_cache.prefix import (
    N_CHANGES,
    change_token,
    change_word,
    n_reusable,
    reuse_prefix,
    share_prefix,
)
from model.kv_cache.records import PrefixReuse, Reread
from tests.jobs import run_until
from tests.tiny_models import CROPPABLE, passes_of, tiny
from viz.kv_cache.prefix_charts import kept_words, prefix_strip, shared_cells

PROMPT = [5, 6, 7, 8, 9, 10]
IDS = st.lists(st.integers(0, 2), min_size=1, max_size=40)


@given(IDS, IDS, st.sampled_from([1, 4, BLOCK]))
def test_what_is_kept_is_the_common_beginning_in_whole_blocks_and_never_all(
    first: list[int], second: list[int], block: int
) -> None:
    alike = takewhile(lambda pair: pair[0] == pair[1], zip(first, second, strict=False))
    assert kv_cache.length_in_common(first, second) == len(list(alike))
    n_kept = n_reusable(first, second, block)
    assert first[:n_kept] == second[:n_kept]
    assert n_kept % block == 0
    assert n_kept < len(second)
    # not one block more could be kept
    more = n_kept + block
    assert more >= len(second) or first[:more] != second[:more]


@pytest.mark.parametrize("architecture", CROPPABLE)
def test_a_reused_prefix_gives_the_logits_of_a_fresh_reading_wherever_a_token_is_changed(
    architecture: str,
) -> None:
    lm = tiny(architecture)
    first, second = [*range(5, 25), 30, 31], [*range(5, 25), 40, 41, 42]
    with passes_of(lm) as read:
        reuse = finish(reuse_prefix(lm, first, second, n_runs=1))
    assert (reuse.n_common, reuse.n_first, len(reuse.labels)) == (20, 22, 23)
    assert (reuse.by_token.n_kept, reuse.by_block.n_kept) == (20, BLOCK)
    assert reuse.cache_bytes == 22 * lm.cache_shape.bytes_per_token
    places = [change.n_kept for change in reuse.changes]
    assert places == np.linspace(0, 21, N_CHANGES).round().astype(int).tolist()
    readings = [reuse.by_token, reuse.by_block, *reuse.changes]
    assert max(one.logit_gap for one in readings) < 1e-4
    assert all(one.same_best for one in readings)
    # what the passes read: a warm-up, the first text, then each text whole and from its change on
    each = [n for one in readings for n in (one.n_tokens, one.n_read)]
    assert [len(ids) for ids in read] == [23, 22, *each]


@pytest.mark.parametrize("fault", [lambda n: n + 1, lambda _: 0], ids=["one too many", "none"])
def test_a_count_that_is_wrong_shows_in_the_logits_or_in_what_is_read(
    fault: Callable[[int], int], monkeypatch: pytest.MonkeyPatch
) -> None:
    true = kv_cache.length_in_common
    monkeypatch.setattr(kv_cache, "length_in_common", lambda *ids: fault(true(*ids)))
    first, second = [*range(5, 25)], [*range(5, 15), *range(40, 50)]
    found = finish(reuse_prefix(tiny("llama"), first, second, n_runs=1)).by_token
    assert (found.n_kept, found.n_read) != (10, 10)
    assert (found.logit_gap > 1e-3) == (found.n_kept > 10)


@pytest.mark.parametrize(("second", "n_kept"), [(PROMPT, 5), (PROMPT[::-1], 0)])
def test_at_least_the_last_token_is_read_and_rounds_are_kept_where_it_is_stopped(
    second: list[int], n_kept: int
) -> None:
    job = Job(reuse_prefix(tiny("llama"), PROMPT, second, n_runs=3))
    n_round = 1 + 2 + N_CHANGES
    run_until(job, 1 + n_round + 1)
    assert job.progress.n_total == 1 + 3 * n_round
    job.stop()
    assert job.result.n_runs == 1
    assert job.result.by_token.n_kept == n_kept
    assert job.result.by_token.logit_gap < 1e-4


def test_a_prompt_of_one_token_is_read_and_a_cache_that_cannot_be_cropped_is_refused() -> None:
    reuse = finish(reuse_prefix(tiny("llama"), [5], [5], n_runs=1))
    assert [one.n_kept for one in (reuse.by_token, *reuse.changes)] == [0, 0]
    with pytest.raises(ValueError, match="cannot be cropped"):
        next(reuse_prefix(tiny("qwen3_next"), PROMPT, PROMPT))


def test_the_page_s_store_keeps_as_many() -> None:
    lm = tiny("llama")
    for place in range(len(PROMPT)):
        text, changed = Generation(lm, PROMPT), change_token(PROMPT, place)
        assert text.turn_to(changed, len(changed)) == n_reusable(PROMPT, changed) == place


@given(st.text("ab \n", max_size=12), st.sampled_from([0.0, 0.5, 1.0]))
def test_a_changed_word_is_the_only_one(text: str, share: float) -> None:
    before, after = text.split(), change_word(text, share).split()
    if not before:
        assert len(after) == 1
        return
    place = round(share * (len(before) - 1))
    assert [i for i, pair in enumerate(zip(before, after, strict=True)) if len({*pair}) > 1] == [
        place
    ]
    assert change_word("green blue", 0.0) == "blue blue"


def test_a_class_shares_what_is_kept_and_pays_for_the_rest() -> None:
    by_token, by_block = Reread(40, 35, 0.02, 0.1, 0, True), Reread(40, 32, 0.03, 0.1, 0, True)
    reuse = PrefixReuse((), 35, 20, 1, 0.1, 2000, by_token, by_block, ())
    shared = share_prefix(reuse, 30, is_in_blocks=False)
    assert shared.bytes_per_token == 100
    assert shared.bytes_alone == 30 * 40 * 100
    assert shared.bytes_shared == (35 + 30 * 5) * 100
    assert shared.seconds_alone == pytest.approx(3)
    assert shared.seconds_shared == pytest.approx(0.1 + 29 * 0.02)
    in_blocks = share_prefix(reuse, 30, is_in_blocks=True)
    assert in_blocks.bytes_alone == 30 * 48 * 100
    assert in_blocks.bytes_shared == (32 + 30 * 16) * 100
    one = share_prefix(reuse, 1, is_in_blocks=False)
    assert (one.bytes_alone, one.seconds_alone) == (one.bytes_shared, one.seconds_shared)
    assert [note.split(",")[0] for *_, note in shared_cells(shared)[1::2]] == [
        "84.6\u202f% less",  # 18 500 of 120 000
        "77.3\u202f% less",  # 0.68 of 3
    ]
    # on a noisy machine what is left may take longer than all of it
    slow = replace(reuse, by_token=replace(by_token, seconds=0.2))
    (_, _, note) = shared_cells(share_prefix(slow, 30, is_in_blocks=False))[-1]
    assert note.startswith("96.7\u202f% more")


def test_squares_are_filled_as_far_as_is_kept_and_a_block_rounds_its_share_away() -> None:
    labels = [f"<{i}>" for i in range(40)]
    for block, n_kept in ((1, 35), (BLOCK, 32)):
        strip = str(prefix_strip(labels, 35, n_kept, block, "generated"))
        chips = re.findall(r"border:1.5px (\w+) var\(--(\w+)\)", strip)
        assert chips == [
            *[("solid", "keys")] * n_kept,
            *[("dashed", "keys")] * (35 - n_kept),
            *[("dashed", "generated")] * 5,
        ]
        assert "&lt;39&gt;" in strip
    words = kept_words(40, 35, 32, BLOCK)
    assert "8.6\u202f%" in words  # 3 of 35
    assert "%" not in kept_words(40, 0, 0, BLOCK)
