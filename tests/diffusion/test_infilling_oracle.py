"""Our decoder loop against transformers' generate, on a tiny encoder-decoder."""

from __future__ import annotations

import pytest
import torch

from model.diffusion.infilling import Infilling
from tests.tiny_fillers import tiny_gapfiller

pytestmark = pytest.mark.oracle


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(
    "text", ["the __ he ___ the", "___", "a long text about the __ cat and it"]
)
def test_the_loop_writes_what_generate_writes(text: str, seed: int) -> None:
    ours = Infilling(tiny_gapfiller(seed), text, max_new_tokens=16)
    while ours.finished is None:
        ours.step()
    source = torch.tensor([ours.source_ids])
    theirs = ours.lm.model.generate(source, do_sample=False, num_beams=1, max_new_tokens=16)
    assert ours.ids == theirs[0, : len(ours.ids)].tolist()
    assert len(ours.ids) == len(theirs[0]) or ours.finished == "gaps"
