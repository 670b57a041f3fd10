"""A known text that is read in blocks has the logits and bytes of one that is read by tokens."""

import numpy as np
import pytest

from model.generation import Generation
from model.kv_cache.block_cache import BLOCK
from model.language_model import LanguageModel
from model.settings import Settings
from model.text_ahead import TextAhead, text_ahead
from tests.tiny_models import tiny

N_PROMPT, N_TOKENS = 3, 40
ROUNDING = 2e-5  # of a logit, beside logits of about 1


def ids_of(lm: LanguageModel) -> list[int]:
    return [3 + n * 7 % (lm.vocab_size - 4) for n in range(N_PROMPT + N_TOKENS)]


@pytest.mark.parametrize("name", ["llama", "gpt2", "mamba", "bloom"])
def test_each_step_has_what_a_pass_for_every_token_gives(name: str) -> None:
    lm = tiny(name)
    ids = ids_of(lm)
    plain = Generation(lm, ids[:N_PROMPT], seed=5)
    ahead = Generation(lm, ids[:N_PROMPT], seed=5, cached=text_ahead(lm, ids))
    for token_id in ids[N_PROMPT:]:
        assert ahead.logits == pytest.approx(plain.logits, abs=ROUNDING)
        one, other = (text.step(Settings(top_k=5), token_id) for text in (plain, ahead))
        assert other.prob == pytest.approx(one.prob, abs=ROUNDING)
        assert (other.token_id, other.position) == (one.token_id, one.position)
    assert [one.bytes_held for one in ahead.passes] == [one.bytes_held for one in plain.passes]
    assert ahead.logits == pytest.approx(plain.logits, abs=ROUNDING)
    assert ahead.cache_tokens == plain.cache_tokens
    assert ahead.last_pass.n_input == plain.last_pass.n_input


def test_a_pass_reads_a_block_and_the_last_token_is_read_alone() -> None:
    lm = tiny("llama")
    ids = ids_of(lm)
    cached = text_ahead(lm, ids)
    assert isinstance(cached, TextAhead)
    read = [cached.read(ids[:n])[1] for n in range(N_PROMPT, len(ids) + 1)]
    passes = list({id(one): one.n_input for one in read}.values())
    assert passes == [BLOCK, BLOCK, len(ids) - 1 - 2 * BLOCK, 1]
    assert np.isfinite(cached.logits).all()
