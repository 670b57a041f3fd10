"""Our passes against the model called plainly: the same logits, the same tokens, in three lines."""

from __future__ import annotations

import pytest
import torch

from model.diffusion.denoising import Diffusion, fill_page
from tests.tiny_fillers import tiny_unmasker

pytestmark = pytest.mark.oracle


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("n_passes", [1, 3, 10])
def test_surest_first_is_what_a_plain_loop_over_the_model_fills(seed: int, n_passes: int) -> None:
    lm = tiny_unmasker(seed)
    page = Diffusion(lm, 10, "The cat", " the end", n_passes=n_passes)
    ids, words = torch.tensor([page.ids]), torch.from_numpy(page._words)
    for one in page.plan:
        with torch.inference_mode():
            logits = lm.model(ids).logits[0].double().masked_fill(~words, -torch.inf)
        best, tokens = logits.softmax(-1).max(-1)
        best[ids[0] != lm.tokenizer.mask_token_id] = -1
        surest = best.topk(one.n_commit).indices
        ids[0, surest] = tokens[surest]
    assert fill_page(page).ids == ids[0].tolist()
