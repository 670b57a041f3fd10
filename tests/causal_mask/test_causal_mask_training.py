"""Two copies in training: what they leave alone, what they learn, whose turn it is."""

import numpy as np
import pytest
import torch

from model.causal_mask import mask_training
from model.causal_mask.losses import losses_in_one_pass
from model.causal_mask.mask_training import mean_loss, train_both_ways
from model.job import Job, finish
from model.loading import LanguageModel
from model.tokenizing import encode
from pages.lessons.causal_mask.settings import TEXT
from tests.tiny_models import tiny

IDS = [5, 6, 7, 8, 9, 10, 11, 12]


@pytest.fixture
def rows(monkeypatch: pytest.MonkeyPatch) -> None:
    """A few short rows to train on, in the place of the stories."""
    made = torch.randint(5, 60, (16, 12), generator=torch.Generator().manual_seed(1))
    monkeypatch.setattr(mask_training, "_training_rows", lambda _: made)
    monkeypatch.setattr(mask_training, "_holder", None)


@pytest.mark.usefixtures("rows")
@pytest.mark.parametrize("architecture", ["gpt2", "llama", "mistral"])
def test_both_copies_begin_as_the_model_and_leave_it_alone(architecture: str) -> None:
    lm = tiny(architecture)
    before = {name: weight.clone() for name, weight in lm.model.named_parameters()}
    moments = finish(train_both_ways(lm, IDS, n_steps=2))
    first, *_, last = moments
    assert first.masked == first.writing
    assert first.masked == pytest.approx(losses_in_one_pass(lm, IDS).mean, abs=1e-4)
    assert abs(first.unmasked - first.masked) > 1e-4
    assert [moment.n_steps for moment in moments] == [0, 1, 2]
    assert len({moment.masked for moment in moments}) == 3
    assert last.masked != last.writing
    assert all(torch.equal(before[name], now) for name, now in lm.model.named_parameters())
    assert all(weight.grad is None for weight in lm.model.parameters())
    assert moments == finish(train_both_ways(lm, IDS, n_steps=2)), "the same way every time"


def test_c37_a_copy_trained_without_the_mask_learns_to_look(storyteller: LanguageModel) -> None:
    ids = encode(storyteller, TEXT)
    first, *_, last = finish(train_both_ways(storyteller, ids, n_steps=8))
    assert last.unmasked < first.unmasked - 0.05, "the exam gets easy"
    assert last.writing > first.writing + 0.01, "and writing hard"
    assert last.unmasked < last.masked < last.writing


@pytest.mark.usefixtures("rows")
def test_one_trains_at_a_time_until_it_ends_or_is_abandoned(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    first = Job(train_both_ways(tiny("gpt2"), IDS))
    with pytest.raises(ValueError, match="try again"):
        Job(train_both_ways(tiny("gpt2"), IDS))
    first.stop()
    second = Job(train_both_ways(tiny("gpt2"), IDS))
    monkeypatch.setattr(mask_training, "PATIENCE_SECONDS", 0.0)
    third = Job(train_both_ways(tiny("gpt2"), IDS))
    second.run_for(60.0)
    assert second.notice
    third.run_for(1e-6)
    assert third.notice is None
    third.stop()


def test_a_model_that_cannot_be_trained_so_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ValueError, match="built into"):
        Job(train_both_ways(tiny("bloom"), IDS))
    monkeypatch.setattr(mask_training, "MAX_PARAMETERS", 1e3)
    with pytest.raises(ValueError, match="too many to train here"):
        Job(train_both_ways(tiny("llama"), IDS))


def test_a_loss_is_the_mean_over_all_positions_of_all_rows() -> None:
    lm, two = tiny("llama"), [IDS, IDS[::-1]]
    with torch.no_grad():
        found = float(mean_loss(lm, lm.model, torch.tensor(two), is_masked=True))
    expected = np.mean([losses_in_one_pass(lm, ids).mean for ids in two])
    assert found == pytest.approx(float(expected), abs=1e-5)
