"""Rows side by side: each is read as it would be alone, whatever is done to the batch."""

import time

import numpy as np
import pytest

from model.batch import Batch, read_whole, score
from model.generation import Generation
from model.kv_cache import can_crop
from model.loading import LanguageModel
from model.sampling import Settings
from tests.nightly import by_night
from tests.tiny_models import ARCHITECTURES, CROPPABLE, fresh_logits, tiny

pytestmark = pytest.mark.oracle

EVEN = [[5, 6, 7, 8], [9, 10, 11, 12], [5, 6, 40, 41]]
UNEVEN = [[5, 6, 7], [8, 9, 10, 11, 12, 13, 14], [20]]
PADDED = {"llama", "gpt2", "qwen3", "gpt_neox", "gemma3"}


def is_as_alone(batch: Batch) -> bool:
    """Whether the logits of every row are those of transformers' pass over it, without a cache."""
    alone = [fresh_logits(batch.lm, ids) for ids in batch.ids]
    return bool(np.abs(batch.logits - np.array(alone)).max() < 1e-4)


@pytest.mark.parametrize("architecture", by_night(ARCHITECTURES))
def test_every_row_is_read_as_it_would_be_alone(architecture: str) -> None:
    batch = Batch(tiny(architecture), UNEVEN if architecture in PADDED else EVEN)
    assert is_as_alone(batch)
    batch.append([20, 21, 22])
    batch.read([[30, 31], [32, 33], [34, 35]])
    assert is_as_alone(batch)
    # a fork goes its own way; rows may come twice, change places or be left out
    twin = batch.fork()
    twin.reorder([2, 0, 0, 2])
    assert twin.ids == [batch.ids[row] for row in (2, 0, 0, 2)]
    assert is_as_alone(twin)
    twin.append([50, 51, 52, 53])
    batch.append([60, 61, 62])
    assert is_as_alone(twin)
    assert is_as_alone(batch)
    if architecture in CROPPABLE:
        batch.crop(3)
        batch.append([20, 21, 22])
        assert is_as_alone(batch)


@pytest.mark.parametrize("architecture", by_night(sorted(PADDED)))
def test_rows_that_join_or_leave_are_read_as_they_would_be_alone(architecture: str) -> None:
    lm = tiny(architecture)
    batch, long = Batch(lm, UNEVEN), Batch(lm, [list(range(30, 50))])
    batch.append([20, 21, 22])
    batch.join([long, Batch(lm, [[9]])])
    assert [len(ids) for ids in batch.ids] == [4, 8, 2, 20, 1]
    for token_id in range(60, 78):  # further than the room that the cache begins with
        batch.append([token_id] * 5)
    assert is_as_alone(batch)
    # the longest goes, and the columns that only it needed
    batch.reorder([0, 4])
    batch.join()
    assert batch.n_read == 22
    batch.append([30, 31])
    assert is_as_alone(batch)
    assert long.ids == [list(range(30, 50))]


@pytest.mark.parametrize("architecture", ["llama", "mamba"])
def test_passes_are_counted_and_logits_of_several_positions_come_from_one(
    architecture: str,
) -> None:
    began = time.monotonic()
    batch = Batch(tiny(architecture), [[5, 6]])
    logits, seconds = batch.read([[7, 8, 9]], n_logits=2)
    assert batch.seconds < time.monotonic() - began
    assert logits.shape == (1, 2, batch.lm.vocab_size)
    assert batch.seconds > seconds > 0
    assert batch.n_passes == (2 if can_crop(batch.lm.config) else 4)
    for row, ids in zip(logits[0], ([5, 6, 7, 8], [5, 6, 7, 8, 9]), strict=True):
        assert np.abs(row - fresh_logits(batch.lm, ids)).max() < 1e-4
    batch.read([[3, 4]])
    assert is_as_alone(batch)


def test_a_single_row_may_be_read_by_hand_if_that_is_asked_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    lm = tiny("llama")
    assert lm.weights.quick is not None
    with monkeypatch.context() as patch:
        patch.setattr(type(lm.weights.quick), "read", lambda *_: pytest.fail("nobody asked for it"))
        plain = Batch(lm, [EVEN[0]])
        assert plain.read([[3]])[0].shape == (1, 1, lm.vocab_size)
    batch = Batch(lm, [EVEN[0]], by_hand=True)
    batch.append([3])
    batch.crop(1)
    batch.read([[4, 5]])
    assert is_as_alone(batch)


@pytest.mark.parametrize("architecture", ["llama", "mamba", "openai_gpt"])
def test_a_batch_goes_on_from_a_text_that_stays_as_it_is(architecture: str) -> None:
    text = Generation(tiny(architecture), [5, 6, 7])
    logits = text.logits.copy()
    batch = Batch.after(text)
    batch.reorder([0, 0])
    batch.append([8, 9])
    assert is_as_alone(batch)
    assert (text.ids, text.logits.tolist()) == ([5, 6, 7], logits.tolist())
    assert batch.draw([Settings(temperature=0)] * 2, [0, 1]) == batch.logits.argmax(-1).tolist()


@pytest.mark.parametrize(
    ("architecture", "rows", "more", "remedy"),
    [
        ("llama", [[1] * 97], None, "97 tokens are 1 more than the 96 .* choose shorter"),
        ("llama", [[1], []], None, "write a word"),
        ("llama", [[1, 2], [3, 4]], [[5], [6, 7]], "give each as many"),
        ("llama", [[1, 2], [3, 4]], [[5]], "give each as many"),
        ("openai_gpt", [[1], [2]], [[3] * 200, [4] * 200], "choose shorter"),
        ("mamba", [[1, 2], [3]], None, "takes no padding"),
    ],
)
def test_rows_that_cannot_be_read_are_refused_with_the_remedy(
    architecture: str, rows: list[list[int]], more: list[list[int]] | None, remedy: str
) -> None:
    with pytest.raises(ValueError, match=remedy):
        Batch(tiny(architecture), rows).read(more or rows)


def true_logprobs(lm: LanguageModel, ids: list[int]) -> np.ndarray:
    logits = fresh_logits(lm, ids).astype(np.float64)
    return logits - np.logaddexp.reduce(logits)


@pytest.mark.parametrize("architecture", ["llama", "gpt2", "gemma3", "mamba"])
def test_one_pass_reads_a_whole_text_and_scores_texts_of_any_length(architecture: str) -> None:
    lm, prompt, texts = tiny(architecture), [5, 6, 7], [[8], [9, 10, 11], [12, 13]]
    for n, row in enumerate(read_whole(lm, prompt), start=1):
        assert np.abs(row - true_logprobs(lm, prompt[:n])).max() < 1e-4
    scores, seconds = score(lm, prompt, texts)
    assert seconds > 0
    for text, found in zip(texts, scores, strict=True):
        for n, token_id in enumerate(text):
            expected = true_logprobs(lm, [*prompt, *text[:n]])[token_id]
            assert found[n] == pytest.approx(expected, abs=1e-4)
