"""Thirty architectures, the smallest of each: twelve tokens as transformers' own code writes them.

A line each: the type, what comes of it, and what a reader is told; by day one of each kind. The
truth is a pass over the whole text with nothing kept, after every token, a rewind and a fork, and
for each padded row alone; and `generate`, with a cache and without. All of transformers' mapping is
tried by `python -m benchmarks.architectures`.
"""

import pytest

from benchmarks.one_architecture import try_architecture
from tests.nightly import by_night

NO_PADDING, NO_CACHE, CACHE_UNUSED = "takes no padding", "keeps no cache", "is not used"
THIRTY = [
    ("gpt2", "equal", ""),
    ("llama", "equal", ""),
    ("mistral", "equal", ""),
    ("mixtral", "equal", ""),
    ("qwen3", "equal", ""),
    ("qwen3_5_text", "equal", ""),
    ("qwen3_next", "equal", ""),
    ("gemma2", "equal", ""),
    ("gemma3_text", "equal", ""),
    ("gemma4_text", "equal", ""),
    ("phi3", "equal", ""),
    ("olmo2", "equal", ""),
    ("gpt_oss", "equal", ""),
    ("gpt_neox", "equal", ""),
    ("deepseek_v3", "equal", ""),
    ("glm4", "equal", ""),
    ("cohere2", "equal", ""),
    ("smollm3", "equal", ""),
    ("lfm2", "equal", ""),
    ("nemotron_h", "equal", ""),
    ("jamba", "equal", ""),
    ("falcon_h1", "equal", ""),
    # a token that is read alone is at position 0 there, unless the pass is told another
    ("bamba", "equal", ""),
    ("bloom", "equal", NO_PADDING),
    ("mamba2", "equal", NO_PADDING),
    # takes a mask and does not heed it
    ("git", "equal", NO_PADDING),
    ("rwkv", "equal", NO_CACHE),
    # keeps in itself what it read last, whoever's text that was
    ("recurrent_gemma", "equal", CACHE_UNUSED),
    # positions begin behind that of a padding, and transformers' loop counts them from 0
    ("xlm-roberta", "generate differs", ""),
    ("xlnet", "refused", ""),
]


BY_DAY = {"gpt2", "gemma3_text", "jamba", "bamba", "git", "rwkv", "recurrent_gemma", "xlm-roberta"}


@pytest.mark.parametrize(
    ("model_type", "state", "note"),
    by_night(THIRTY, [case for case in THIRTY if case[0] in BY_DAY]),
)
def test_what_it_writes_is_what_its_own_passes_give(model_type: str, state: str, note: str) -> None:
    outcome = try_architecture(model_type)
    assert outcome.state == state, outcome
    assert any(note in told for told in outcome.notes) if note else not outcome.notes
