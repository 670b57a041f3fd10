"""How the family is made: baseline, judge and loop, on made-up text."""

import itertools
import math
from types import SimpleNamespace

import numpy as np
import pytest
import torch

from training.checkpoint import DiskError, write_checkpoint
from training.corpus import Document, DocumentStream, Mixture, encode_documents
from training.evaluate import agreement, bits_by_position, bits_per_byte, looping, token_nats
from training.family import llama, make_model
from training.ngram import KneserNey
from training.objectives import next_token_loss
from training.train import Plan, Training, TrainingPhase, TrainingProgress, rate_factor, train
from training.writing import habits

# ---- the judge and the baseline


class Fixed(torch.nn.Module):
    """A model that gives the same four probabilities everywhere."""

    def __init__(self, probs):
        super().__init__()
        self.logits = torch.nn.Parameter(torch.tensor(probs).log())

    def forward(self, input_ids, use_cache=False):
        assert not use_cache
        return SimpleNamespace(logits=self.logits.expand(*input_ids.shape, -1))


def test_bits_per_byte_by_hand():
    # ids 2, 1 and the end cost 3, 2 and 1 bits, over 3 bytes
    model = Fixed([1 / 2, 1 / 4, 1 / 8, 1 / 8])
    documents = [Document(np.array([0, 2, 1], dtype=np.uint16), n_bytes=3)]
    assert bits_per_byte(model, documents) == pytest.approx(6 / 3)


@pytest.mark.parametrize("n_ids", [1, 7, 8, 9, 12, 13, 30])
def test_a_long_document_is_read_in_windows_that_count_each_token_once(n_ids):
    model = Fixed([1 / 2, 1 / 4, 1 / 8, 1 / 8])
    ids = np.array([0, *([1, 2, 3] * 10)[: n_ids - 1]], dtype=np.uint16)
    bits = (token_nats(model, ids, context=8) / math.log(2)).tolist()
    assert bits == pytest.approx([*({1: 2, 2: 3, 3: 3}[i] for i in ids[1:].tolist()), 1])


def test_bits_by_position_reads_long_documents_only():
    model = Fixed([1 / 2, 1 / 4, 1 / 8, 1 / 8])
    documents = [Document(np.array([0, *ids], np.uint16), 1) for ids in ([1, 1, 2, 2], [1])]
    assert bits_by_position(model, documents, (2, 4)) == pytest.approx([2, 3])
    assert bits_by_position(model, documents, (99,)) == []


def test_agreement_by_hand():
    target, draft = Fixed([0.5, 0.25, 0.125, 0.125]), Fixed([0.25, 0.5, 0.125, 0.125])
    documents = [Document(np.array([0, 1], np.uint16), 1)]
    found = agreement(target, draft, documents)
    assert found == {"greedy": 0, "sampled": pytest.approx(0.75), "looping": 0}
    found = agreement(target, target, documents)
    assert found == {"greedy": 1, "sampled": pytest.approx(1), "looping": 0}


def test_agreement_leaves_out_where_a_text_says_the_same_again():
    ids = np.array([0, 1, 2, 3, 1, 2, 3, 1], np.uint16)
    # the runs of three that end at the last three places stood there before: 123, 231 come again
    assert looping(ids, n=3).tolist() == [False] * 6 + [True, True]
    model = Fixed([0.5, 0.25, 0.125, 0.125])
    again = Document(np.tile(np.arange(1, 4, dtype=np.uint16), 8), 1)
    # of 24 places the first 10 are new: runs of 8 repeat with the period 3
    assert agreement(model, model, [again])["looping"] == pytest.approx(14 / 24)


@pytest.mark.parametrize("order", [1, 2, 3])
def test_the_ngram_baseline_sums_to_one_after_any_context(order):
    rng = np.random.default_rng(0)
    documents = [np.array([0, *rng.integers(1, 6, 30)]) for _ in range(4)]
    baseline = KneserNey(documents, vocab_size=6, order=order)
    contexts = np.arange(6 ** (order - 1))[:, None] * 6
    probs = baseline.probabilities((contexts + np.arange(6)).ravel()).reshape(-1, 6)
    np.testing.assert_allclose(probs.sum(axis=1), 1, atol=1e-12)
    assert (probs > 0).all()


def test_the_ngram_baseline_prefers_what_it_has_seen():
    seen = np.array([0, 1, 2, 3])
    baseline = KneserNey([seen, seen], vocab_size=5, order=3)
    assert baseline.nats(seen).sum() < baseline.nats(np.array([0, 3, 2, 1])).sum()
    with pytest.raises(ValueError, match="lower the order"):
        KneserNey([seen], vocab_size=50_000, order=5)


def test_habits_by_hand():
    found = habits([[5, 5, 5, 0], [5, 6, 7, 8, 9]], end_id=0, orders=(1, 2))
    assert found.ended == 0.5
    assert found.median_tokens == 4
    assert found.distinct == {1: pytest.approx((1 / 3 + 1) / 2), 2: pytest.approx((1 / 2 + 1) / 2)}


# ---- the loop

PLAN = Plan(
    (TrainingPhase(0, {"tales": 1.0}, 8, 24), TrainingPhase(0.5, {"tales": 1.0}, 4, 48)),
    tokens=6_000,
    judge_every=20,
    early_at=2000,
)


TINY = llama(hidden=32, layers=2, heads=2, inner=64)


def make_tiny_job(stories, tokenizer, config=TINY, loss_of=next_token_loss, judge=bits_per_byte):
    torch.manual_seed(0)
    model = make_model(config, seed=0)
    documents = encode_documents(tokenizer, stories["tales"])
    held = [Document(documents[0], len(stories["tales"][0]))]
    streams = {"tales": DocumentStream(documents[1:], 0)}
    return Training(
        model, loss_of(model), Mixture(streams, 0), lambda model: {"tales": judge(model, held)}
    )


def test_a_tiny_run_learns_resumes_exactly_and_keeps_its_best(stories, tokenizer, tmp_path):
    straight = make_tiny_job(stories, tokenizer)
    before = straight.judge(straight.model)["tales"]
    progress = train(straight, PLAN, tmp_path / "straight")
    after = straight.judge(straight.model)["tales"]
    assert after < before / 2
    assert progress.tokens >= PLAN.tokens
    assert (tmp_path / "straight" / "early.pt").exists()
    assert (tmp_path / "straight" / "best.pt").exists()

    # stop in the middle of the run, as a crash would, and go on with everything new
    folder = tmp_path / "broken"
    broken = make_tiny_job(stories, tokenizer)

    calls = itertools.count()

    def crash(rows):
        if next(calls) == 25:
            raise KeyboardInterrupt
        return broken.loss_of(rows)

    often = Plan(**{**PLAN.__dict__, "save_every": 0.0})
    with pytest.raises(KeyboardInterrupt):
        train(Training(broken.model, crash, broken.batches, broken.judge), often, folder)
    again = make_tiny_job(stories, tokenizer)
    assert train(again, PLAN, folder).step == progress.step
    for name, weight in straight.model.state_dict().items():
        torch.testing.assert_close(again.model.state_dict()[name], weight, rtol=0, atol=0)


def test_a_run_stops_early_when_nothing_improves(stories, tokenizer, tmp_path):
    job = make_tiny_job(stories, tokenizer)
    worse = itertools.count()
    sad = Training(job.model, job.loss_of, job.batches, lambda _: {"tales": float(next(worse))})
    plan = Plan(PLAN.phases, tokens=10**9, judge_every=2, patience=3)
    assert train(sad, plan, tmp_path).step == 8


def test_the_rate_rises_stays_and_falls_to_zero():
    plan = Plan(PLAN.phases, tokens=1, warmup=0.1, decay_from=0.5)
    assert rate_factor(0.0, plan) < 0.05
    assert rate_factor(0.3, plan) == 1
    assert rate_factor(0.75, plan) == pytest.approx(0.5)
    assert rate_factor(1.0, plan) == 0
    assert TrainingProgress(tokens=50, seconds=30).fraction(Plan((), tokens=100, minutes=2)) == 0.5


# ---- what is written


def test_a_full_disk_is_one_clear_sentence_and_leaves_the_old_checkpoint(tmp_path, monkeypatch):
    path = tmp_path / "checkpoint.pt"
    write_checkpoint({"a": 1}, path)
    old = path.read_bytes()

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(torch, "save", full)
    with pytest.raises(DiskError, match=r"disk is full.*free some space"):
        write_checkpoint({"a": 2}, path)
    assert path.read_bytes() == old
    assert [each.name for each in tmp_path.iterdir()] == ["checkpoint.pt"]
