"""How the members that fill are made: hidden tokens, cut gaps, and what is said of them."""

import math
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from transformers import LlamaForCausalLM

from model.loading import load_model
from model.weights.locate import SHIPPED
from tests.training.test_training import PLAN, Fixed, make_tiny_job
from training.adapt import StartError, start_from
from training.checkpoint import export
from training.corpus import Document, DocumentStream, cut_openings, held_out_documents
from training.evaluate import (
    bits_per_missing_token,
    masked_bits_per_byte,
    opening_bits_per_byte,
    score_gaps,
)
from training.family import bert, llama, make_model, t5
from training.objectives import (
    FIRST_GAP_ID,
    MASK_ID,
    cut_gaps,
    gap_loss,
    hide,
    masked_diffusion_loss,
    random_parts,
    spread_shares,
)
from training.tokenizer import SENTINELS, VOCAB_SIZE
from training.train import train

TINY_BERT, TINY_T5 = bert(32, 2, 2, 64), t5(32, (1, 1), 2, 64)


# ---- hidden tokens


def test_each_row_hides_its_share_but_never_an_opening_bos():
    torch.manual_seed(0)
    shares = spread_shares(8, least=0.0).sort().values
    assert 0 <= shares[0] <= 1 / 8
    torch.testing.assert_close(shares.diff(), torch.full((7,), 1 / 8))
    assert spread_shares(1000).min() >= 1e-3
    rows = torch.randint(3, 9, (3, 4000))
    rows[0, 0] = 0
    hidden = hide(rows, torch.tensor([1.0, 0.25, 0.0]))
    assert not hidden[0, 0]
    assert hidden[0, 1:].all()
    assert hidden[1].float().mean().item() == pytest.approx(0.25, abs=0.03)
    assert not hidden[2].any()


class Guesses(Fixed):
    """The same four probabilities everywhere, and it notes what it was shown."""

    def forward(self, input_ids, decoder_input_ids=None):
        self.shown = input_ids
        wanted = input_ids if decoder_input_ids is None else decoder_input_ids
        return SimpleNamespace(logits=self.logits.expand(*wanted.shape, -1))


def test_the_masked_loss_is_that_of_the_whole_row_on_average():
    """Hidden tokens cost ln 4 each; weighed by one over the share it is ln 4 for every token."""
    torch.manual_seed(0)
    model = Guesses([0.25] * 4)
    rows = torch.randint(1, 2, (400, 100))
    assert masked_diffusion_loss(model)(rows).item() == pytest.approx(math.log(4), rel=0.1)
    assert set(model.shown.unique().tolist()) == {1, MASK_ID}


def test_the_bound_by_hand_and_the_same_every_time():
    model = Guesses([1 / 2, 1 / 4, 1 / 8, 1 / 8])
    opening = Document(np.array([0, *[1] * 300], np.uint16), n_bytes=600)
    bound = masked_bits_per_byte(model, [opening], n_draws=64)
    assert bound == pytest.approx(2 * 300 / 600, rel=0.1)
    assert masked_bits_per_byte(model, [opening], n_draws=64) == bound
    # a causal model needs its two bits a token, and no end is asked for
    assert opening_bits_per_byte(Fixed([1 / 2, 1 / 4, 1 / 8, 1 / 8]), [opening]) == pytest.approx(1)


# ---- cut gaps


@settings(max_examples=60, deadline=None)
@given(n=st.integers(2, 200), seed=st.integers(0, 99))
def test_the_pieces_put_back_into_their_gaps_are_the_text(n, seed):
    torch.manual_seed(seed)
    rows = torch.randint(FIRST_GAP_ID + len(SENTINELS), 4096, (3, n))
    for row, text, pieces in zip(
        rows.tolist(), *map(torch.Tensor.tolist, cut_gaps(rows)), strict=True
    ):
        assert text[0] == row[0]
        assert pieces[-1] == 0
        gaps: dict[int, list[int]] = {}
        for i in pieces[:-1]:
            if i < FIRST_GAP_ID + len(SENTINELS):
                gaps[i] = []
            else:
                gaps[max(gaps)].append(i)
        assert list(gaps) == [FIRST_GAP_ID + number for number in range(len(gaps))]
        assert all(gaps.values())
        assert [i for each in text for i in gaps.get(each, [each])] == row
        assert sum(map(len, gaps.values())) == max(1, round(0.2 * n))


def test_parts_are_positive_and_sum_up():
    parts = random_parts(500, total=7, n_parts=3)
    assert (parts >= 1).all()
    assert (parts.sum(dim=1) == 7).all()
    assert len(parts.unique(dim=0)) == 15  # all the ways there are
    assert random_parts(2, 4, 1).tolist() == [[4], [4]]


def test_missing_tokens_are_scored_without_sentinels_and_end():
    model = Guesses([1 / 64] * 64)
    openings = [Document(np.arange(40, 60, dtype=np.uint16), n_bytes=1)]
    found = score_gaps(model, openings)
    assert found.n_tokens == 4
    assert found.n_best == 0
    assert found.bits == pytest.approx(4 * 6)
    assert bits_per_missing_token(model, openings) == pytest.approx(6)


# ---- rows and openings


def test_openings_begin_documents():
    documents = [np.array([0, *[i] * (2 + i % 5)], np.uint16) for i in range(1, 40)]
    stream = DocumentStream(documents, seed=1, openings=1.0)
    taken = [stream.take(6) for _ in range(60)]
    assert all(len(each) == 6 and each[0] == 0 for each in taken)
    assert len({int(each[1]) for each in taken}) > 15
    half = DocumentStream(documents, seed=1, openings=0.5)
    begun = sum(half.take(3)[0] == 0 for _ in range(400)) / 400
    assert 0.5 < begun < 0.75  # some begin a document by chance


def test_openings_know_their_bytes(tokenizer):
    document = held_out_documents(tokenizer, ["One dåy 👩 Lily ran home."])[0]
    whole = cut_openings(tokenizer, [document], 99)[0]
    assert whole.n_bytes == document.n_bytes == len("One dåy 👩 Lily ran home.".encode())
    short = cut_openings(tokenizer, [document], 1)[0]
    assert short.ids.tolist() == document.ids[:2].tolist()
    assert short.n_bytes == len(tokenizer.decode(short.ids[1:].tolist()))


# ---- the models


@pytest.mark.parametrize(
    ("config", "loss_of", "judge"),
    [
        (TINY_BERT, masked_diffusion_loss, masked_bits_per_byte),
        (TINY_T5, gap_loss, bits_per_missing_token),
    ],
)
def test_every_kind_learns(stories, tokenizer, tmp_path, config, loss_of, judge):
    job = make_tiny_job(stories, tokenizer, config, loss_of, judge)
    before = job.judge(job.model)["tales"]
    train(job, PLAN, tmp_path)
    assert job.judge(job.model)["tales"] < 0.75 * before


def test_a_masked_model_that_begins_as_a_causal_one_says_nearly_the_same_under_its_mask():
    causal = LlamaForCausalLM.from_pretrained(SHIPPED["storyteller"], dtype=torch.float32).eval()
    masked = make_model(bert(256, 8, 8, 704), seed=0).eval()
    masked.set_attn_implementation("eager")
    ids = causal.generate(torch.tensor([[0]]), max_new_tokens=40, do_sample=False)
    mask = torch.full((ids.shape[1],) * 2, -math.inf).triu(1)[None, None]
    masks = {"full_attention": mask, "sliding_attention": mask}
    with torch.inference_mode():
        wanted = causal(input_ids=ids).logits.argmax(dim=-1)
        before = masked(input_ids=ids, attention_mask=masks).logits.argmax(dim=-1)
        start_from(causal, masked)
        after = masked(input_ids=ids, attention_mask=masks).logits.argmax(dim=-1)
    assert (before == wanted).float().mean() < 0.2
    assert (after == wanted).float().mean() > 0.8


@pytest.mark.parametrize(("heads", "keys"), [(4, 1), (4, 2), (6, 2), (8, 4)])
def test_a_llama_with_more_heads_begins_as_the_one_with_fewer(heads, keys):
    fewer = make_model(llama(48, 2, 4, 48, head_dim=12, num_key_value_heads=1), seed=0).eval()
    for weight in fewer.parameters():
        torch.nn.init.normal_(weight, std=0.1)
    more = llama(48, 2, heads, 48, head_dim=12, num_key_value_heads=keys)
    wider = make_model(more, seed=1).eval()
    start_from(fewer, wider)
    ids = torch.randint(0, VOCAB_SIZE, (2, 20))
    with torch.inference_mode():
        wanted, found = (each(input_ids=ids).logits for each in (fewer, wider))
    assert torch.allclose(wanted, found, atol=1e-4)


def test_a_model_that_does_not_fit_is_no_beginning():
    causal = make_model(llama(48, 2, 4, 48, num_key_value_heads=2), seed=0)
    for config in (
        llama(48, 2, 2, 48, num_key_value_heads=2, head_dim=12),
        llama(48, 2, 6, 48, num_key_value_heads=3, head_dim=12),
        llama(48, 3, 4, 48),
        llama(48, 2, 4, 64),
    ):
        with pytest.raises(StartError, match="give --start one that fits"):
            start_from(causal, make_model(config, seed=0))


def test_a_new_t5_knows_places_and_finds_the_gap_that_a_sentinel_names():
    model = make_model(t5(256, (1, 1), 8, 64), seed=0).eval()
    model.set_attn_implementation("eager")
    text, pieces = cut_gaps(torch.arange(100, 140)[None])
    with torch.inference_mode():
        seen = model(input_ids=text, decoder_input_ids=pieces, output_attentions=True)
    left, right = (seen.encoder_attentions[0][0, head].argmax(dim=1) for head in (0, 1))
    assert left[1:].tolist() == list(range(text.shape[1] - 1))
    assert right[:-1].tolist() == list(range(1, text.shape[1]))
    looks = seen.cross_attentions[0][0].mean(dim=0).argmax(dim=1)
    for place, token_id in enumerate(pieces[0].tolist()):
        if FIRST_GAP_ID <= token_id < FIRST_GAP_ID + len(SENTINELS):
            assert text[0, looks[place]] == token_id


@pytest.mark.parametrize(
    ("config", "kind"),
    [(TINY_BERT, "masked"), (TINY_T5, "seq2seq"), (llama(32, 1, 2, 32), "causal")],
)
def test_every_kind_is_loaded_as_it_was_exported(tokenizer, tmp_path, config, kind):
    model = make_model(config, seed=0)
    export(model, tokenizer, tmp_path)
    lm = load_model(str(tmp_path), "cpu")
    assert (lm.kind, lm.n_parameters) == (kind, model.num_parameters())
    if kind == "causal":
        generation = lm.model.generation_config
        ends = (generation.eos_token_id, generation.bos_token_id)
        assert (generation.do_sample, *ends) == (False, 0, 0)
    for name, weight in model.state_dict().items():
        assert torch.equal(lm.model.state_dict()[name], weight.bfloat16().float())
