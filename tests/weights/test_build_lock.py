"""Models that several readers ask for at the same moment are built one after the other."""

import time
from concurrent.futures import ThreadPoolExecutor

import pytest
import torch
from transformers import PreTrainedModel

from model.loading import LanguageModel, load_model
from model.prefill_decode.random_weights import make_shape
from model.prefill_decode.roofline import narrow_twin
from model.weights.shapes import typed_shape

LONG_ENOUGH = 0.2  # seconds that each build is held up, for the others to come in


def test_models_are_built_one_at_a_time_by_whatever_builds_them(
    storyteller: LanguageModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    held_up = PreTrainedModel.post_init
    under_way: list[str] = []
    seen_together: list[tuple[str, ...]] = []

    def hold_up(model: PreTrainedModel) -> None:
        under_way.append(type(model).__name__)
        seen_together.append(tuple(under_way))
        time.sleep(LONG_ENOUGH)
        held_up(model)
        under_way.remove(type(model).__name__)

    storyteller.weights.source()  # it is read already
    ties, fills = PreTrainedModel.tie_weights, torch.nn.init.normal_
    monkeypatch.setattr(PreTrainedModel, "post_init", hold_up)
    shape = typed_shape(n_layers=1, hidden=16, n_heads=2, n_kv_heads=1, vocab=32)
    with ThreadPoolExecutor(4) as readers:
        early = readers.submit(load_model, "storyteller_early", "cpu")
        unmasker = readers.submit(load_model, "unmasker", "cpu")
        made = readers.submit(make_shape, shape)
        twin = readers.submit(narrow_twin, storyteller)

    kinds = {"LlamaForCausalLM", type(unmasker.result().model).__name__}
    assert kinds <= {name for names in seen_together for name in names}
    assert {len(names) for names in seen_together} == {1}, seen_together
    for model in (early.result().model, made.result().model, twin.result()):
        assert model is not None
        assert isinstance(model.get_output_embeddings(), torch.nn.Linear)
    assert PreTrainedModel.tie_weights is ties
    assert torch.nn.init.normal_ is fills
