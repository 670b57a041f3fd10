"""The page's forward pass beside torch: layer by layer, the logits, and what any fault would do."""

import numpy as np
import pytest
import torch

from model.draw import uniform_at
from model.loading import LanguageModel
from model.tokenizing import encode
from tests.driving.in_page import InPage, floats

TOLERANCE = 1e-4  # of a logit, in float32
TEXTS = [
    "The cat sat on the",
    "",
    "Once upon a time, in a land far away, " * 3,
    "שלום 🎈 12,000 ﬁ\n\t<|pad|>",
]
# what a wrong forward pass would be: each has to stand out
FAULTS = [
    {"rope_parameters": {"rope_theta": 10_100.0}},
    {"rms_norm_eps": 1e-4},
    {"num_hidden_layers": 7},
    {"num_key_value_heads": 2},
    {"num_attention_heads": 4},
]


@torch.inference_mode()
def by_torch(lm: LanguageModel, ids: list[int], n_layers: int) -> np.ndarray:
    """Logits as they would be read off after so many layers."""
    seen = lm.model.model(torch.tensor([ids]), output_hidden_states=True).hidden_states
    last = seen[n_layers][0, -1]
    # the last of them is normed already
    return lm.model.lm_head(last if n_layers == 8 else lm.model.model.norm(last)).numpy()


@pytest.mark.oracle
@pytest.mark.parametrize("n_layers", range(9))
def test_what_each_layer_adds_is_what_it_adds_in_torch(
    in_page: InPage, storyteller: LanguageModel, n_layers: int
) -> None:
    for text in TEXTS:
        ids = encode(storyteller, text)
        told = floats(in_page("logits", ids=ids, changed={"num_hidden_layers": n_layers}))
        assert np.abs(told - by_torch(storyteller, ids, n_layers)).max() < TOLERANCE, text


@pytest.mark.parametrize("fault", FAULTS, ids=str)
def test_a_pass_with_a_fault_stands_out(
    in_page: InPage, storyteller: LanguageModel, fault: dict[str, object]
) -> None:
    ids = encode(storyteller, TEXTS[0])
    told = floats(in_page("logits", ids=ids, changed=fault))
    assert np.abs(told - by_torch(storyteller, ids, 8)).max() > 3 * TOLERANCE


@pytest.mark.oracle
def test_greedy_ids_are_those_of_generate(in_page: InPage, storyteller: LanguageModel) -> None:
    ids = encode(storyteller, TEXTS[0])
    told = in_page("write", ids=ids, seed=0, settings={"temperature": 0}, n=100)
    by_library = storyteller.model.generate(
        torch.tensor([ids]), max_new_tokens=100, do_sample=False
    )
    assert told["ids"] == by_library[0].tolist()


def test_the_pointer_is_that_of_python_to_the_last_bit(in_page: InPage) -> None:
    rng = np.random.default_rng(31)
    pairs = [(0, 0), (2**31 - 1, 2047), *rng.integers(0, 2**31, (2000, 2)).tolist()]
    told = in_page("pointers", pairs=pairs)
    assert told == [uniform_at(seed, position) for seed, position in pairs]
    assert len(set(told)) == len(pairs)
