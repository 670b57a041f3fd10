"""A text over a server is the text on weights: the same ids, and log-probabilities within 1e-3.

Run in every `make test` against a small server of our own, and by `make test-vllm` against vLLM.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest

from model.batch import Batch, read_whole
from model.beam_search import BeamSearch
from model.engine.client import EngineError
from model.engine.language_model import LanguageModel, NeedsWeightsError
from model.engine.opening import open_server
from model.generation import Generation
from model.job import finish
from model.kv_cache.over_server import race_over_server
from model.masks import log_softmax
from model.sampling import Settings, process
from model.serving.over_server import serve_over_server
from model.serving.records import Request
from model.tokenizing import encode
from tests.engine.fake_vllm import FakeVllm
from tests.engine.real_vllm import RealVllm

EQUAL = 1e-3  # nats
PROMPT = "The cat sat on the"
GREEDY = Settings(temperature=0)
DRAWN = Settings(temperature=0.9, top_p=0.95, presence_penalty=0.3)
FEW = 50  # log-probabilities at once, as of a large vocabulary
TEXTS = (
    PROMPT,
    " ",
    "\n\n\tTabs and\x00NUL",
    "naïve café, coöperate",
    "中文と日本語 한국어 العربية",
    "🚀👩‍👩‍👧‍👦 e\u0301",
    "<|endoftext|> $x$ **b** <script>",
)


@pytest.fixture
def few(vllm: FakeVllm | RealVllm) -> LanguageModel:
    """The server as it is to a large vocabulary: it sends the best log-probabilities only."""
    lm = open_server(vllm.url)
    assert lm.server is not None
    lm.server.max_best = FEW
    return lm


def gap(first: Generation, second: Generation) -> float:
    return float(np.abs(log_softmax(first.logits) - log_softmax(second.logits)).max())


def test_it_is_who_the_model_is(remote: LanguageModel, storyteller: LanguageModel) -> None:
    for name in ("kind", "vocab_size", "n_parameters", "end_ids", "bos_id", "cache_shape"):
        assert getattr(remote, name) == getattr(storyteller, name), name
    assert remote.place == "server"
    assert remote.context_length == storyteller.context_length - 1  # type: ignore[operator]  # it has one
    with pytest.raises(NeedsWeightsError, match="choose a shipped model"):
        _ = remote.model


@pytest.mark.parametrize("text", TEXTS)
def test_any_characters(text: str, remote: LanguageModel, storyteller: LanguageModel) -> None:
    there, here = Generation(remote, text), Generation(storyteller, text)
    assert there.ids == here.ids
    assert gap(there, here) < EQUAL


def test_400_greedy_tokens(remote: LanguageModel, storyteller: LanguageModel) -> None:
    endless = [replace(lm, end_ids=frozenset()) for lm in (remote, storyteller)]
    there, here = (Generation(lm, PROMPT) for lm in endless)
    for _ in range(400):
        assert gap(there, here) < EQUAL
        assert there.step(GREEDY).token_id == here.step(GREEDY).token_id
    assert (there.cache_tokens, there.cache_bytes) == (here.cache_tokens, here.cache_bytes)
    assert [one.phase for one in there.passes] == [one.phase for one in here.passes]


def test_draws_rewinds_and_branches(remote: LanguageModel, storyteller: LanguageModel) -> None:
    endless = [replace(lm, end_ids=frozenset()) for lm in (remote, storyteller)]
    texts = [Generation(lm, PROMPT, seed=7) for lm in endless]
    branches = []
    for text in texts:
        for _ in range(8):
            text.step(DRAWN)
        text.rewind(5)
        branch = text.fork(seed=11)
        text.step(token_id=262)
        for _ in range(3):
            text.step(DRAWN)
            branch.step(DRAWN)
        assert text.ids != branch.ids
        branches.append(branch)
    for first, second in (texts, branches):
        assert first.ids == second.ids
        assert gap(first, second) < EQUAL
        assert first.logprob == pytest.approx(second.logprob, abs=EQUAL)


def test_rows_of_any_length_and_every_position(
    remote: LanguageModel, storyteller: LanguageModel
) -> None:
    rows = [[0, 409, 623], [0, 409], [0, 1156, 293, 294, 300]]
    there, here = Batch(remote, rows), Batch(storyteller, rows)
    for _ in range(2):
        assert np.abs(there.logprobs - here.logprobs).max() < EQUAL
        for batch in (there, here):
            batch.append([300, 301, 302])
    every = [read_whole(lm, rows[2]) for lm in (remote, storyteller)]
    assert np.abs(every[0] - every[1]).max() < EQUAL


def test_beam_search(remote: LanguageModel, storyteller: LanguageModel) -> None:
    found = []
    for lm in (remote, storyteller):
        search = BeamSearch(Generation(lm, PROMPT), n_beams=3, max_new_tokens=4)
        for _ in range(4):
            search.step()
        found.append([search.ids_of(beam) for beam in search.beams])
    assert found[0] == found[1]


# What is not sent


def test_what_is_not_sent_is_exact_at_1_and_bounded_elsewhere(
    few: LanguageModel, storyteller: LanguageModel
) -> None:
    there, here = Generation(few, PROMPT), Generation(storyteller, PROMPT)
    best = process(here.logits, here.ids, Settings())[0].order[:FEW]
    assert there.distribution.ids is not None
    assert sorted(there.distribution.ids) == sorted(best)
    assert there.distribution.n_tail == few.vocab_size - FEW

    def rest(text: Generation, temperature: float) -> float:
        probs = process(text.logits, text.ids, Settings(temperature=temperature))[-1].probs
        return float(1 - probs[best].sum())

    assert rest(there, 1.0) == pytest.approx(rest(here, 1.0), abs=1e-6)
    assert rest(there, 2.0) > rest(here, 2.0)
    assert rest(there, 0.5) < rest(here, 0.5)


@pytest.mark.parametrize(
    "penalised",
    [
        Settings(temperature=0, repetition_penalty=1.3),
        Settings(temperature=0, dry=0.8, order="llama.cpp"),  # type: ignore[arg-type]  # by name
    ],
)
def test_forced_and_penalised_tokens_are_asked_for(
    penalised: Settings, few: LanguageModel, storyteller: LanguageModel
) -> None:
    order = process(Generation(storyteller, PROMPT).logits, [], Settings())[0].order
    rare = int(order[3000])
    steps = []
    for lm in (few, storyteller):
        text = Generation(lm, PROMPT)
        forced = text.step(token_id=rare)
        text.step(penalised)
        steps.append((forced, text))
    (there, text_there), (here, text_here) = steps
    assert there.logprob == pytest.approx(here.logprob, abs=EQUAL)
    assert FEW <= there.rank <= here.rank
    assert text_there.ids[:-1] == text_here.ids[:-1]
    used = sorted(set(text_here.ids))
    told = Generation(few, text_here.ids).logits_for(penalised)
    expected = log_softmax(Generation(storyteller, text_here.ids).logits)
    assert np.abs(told - expected)[used].max() < EQUAL


def test_a_coin_that_falls_on_what_is_not_sent_asks_for_all(
    few: LanguageModel, storyteller: LanguageModel
) -> None:
    hot = Settings(temperature=3.0)
    there, here = Generation(few, PROMPT, seed=1), Generation(storyteller, PROMPT, seed=1)
    for _ in range(6):
        n_held = there.distribution.n_vocab - there.distribution.n_tail
        assert n_held == FEW
        first, second = there.step(hot), here.step(hot)
        if first.distribution.n_tail == 0:
            break
    assert first.distribution.n_tail == 0, "no coin fell there: choose another seed"
    assert first.token_id == second.token_id


def test_a_mask_that_reaches_into_it_asks_for_all(
    few: LanguageModel, storyteller: LanguageModel
) -> None:
    wide = Settings(top_k=2 * FEW)
    there, here = Generation(few, PROMPT), Generation(storyteller, PROMPT)
    first, second = there.step(wide), here.step(wide)
    assert (first.token_id, first.n_kept) == (second.token_id, second.n_kept)
    assert first.chosen_prob == pytest.approx(second.chosen_prob, rel=EQUAL)
    assert there.step(Settings(top_k=FEW // 2)).distribution.n_tail == few.vocab_size - FEW


@pytest.mark.parametrize(
    "settings",
    [
        Settings(temperature=0.6),
        Settings(temperature=1.6, top_p=0.6),
        Settings(temperature=2, min_p=0.1),
        Settings(typical_p=0.5),
        Settings(eta=0.01, top_p=0.9),
        Settings(top_n_sigma=1.5),
    ],
)
def test_the_token_drawn_is_the_one_that_all_of_the_vocabulary_gives(
    settings: Settings, few: LanguageModel, storyteller: LanguageModel
) -> None:
    there, here = Generation(few, PROMPT), Generation(storyteller, PROMPT)
    seeds = range(12)
    drawn = [[text.fork(seed).step(settings).token_id for seed in seeds] for text in (there, here)]
    assert drawn[0] == drawn[1]
    rows = [Batch(lm, [here.ids] * len(seeds)) for lm in (few, storyteller)]
    for batch in rows:
        assert batch.draw([settings] * len(seeds), seeds, here.n_prompt) == drawn[1]
    assert np.abs(log_softmax(there.all_logits()) - log_softmax(here.logits)).max() < EQUAL


# The server


def test_a_server_that_goes_away_and_comes_back(
    vllm: FakeVllm | RealVllm, remote: LanguageModel, storyteller: LanguageModel
) -> None:
    endless = [replace(lm, end_ids=frozenset()) for lm in (remote, storyteller)]
    there, here = (Generation(lm, PROMPT, seed=3) for lm in endless)
    there.step(DRAWN)
    here.step(DRAWN)
    before = there.ids[:], there.steps[:]
    with ThreadPoolExecutor() as pool:
        presses = [pool.submit(there.fork().step, DRAWN) for _ in range(8)]
        vllm.kill()
        for press in presses:  # each of them came through, or was told so
            assert isinstance(press.exception(), EngineError | None)
    with pytest.raises(EngineError, match="does not answer"):
        there.step(DRAWN)
    assert (there.ids, there.steps) == before
    vllm.start()
    for _ in range(3):
        assert there.step(DRAWN).token_id == here.step(DRAWN).token_id


def test_requests_together_have_the_tokens_that_they_get_alone(
    remote: LanguageModel, storyteller: LanguageModel
) -> None:
    prompts = ("The cat", "Once upon a time there was", "A bird")
    requests = [Request(tuple(encode(remote, text)), 8, 0.01 * n) for n, text in enumerate(prompts)]
    found = finish(serve_over_server(remote, requests))
    (together,), alone = found.comparison.runs, found.comparison.alone
    assert alone is not None
    assert found.comparison.n_same == len(requests)
    for request, output in zip(requests, together.outputs, strict=True):
        here = Generation(replace(storyteller, end_ids=frozenset()), request.prompt_ids)
        assert [here.step(GREEDY).token_id for _ in range(8)] == list(output.token_ids)
        assert request.arrives < output.times[0]
    for run in (together, alone):
        assert run.n_tokens == 24
        assert len(run.first_seconds) == 3
        assert len(run.gaps) == 21
    assert found.moments
    assert 0 <= found.n_hit <= found.n_asked


def test_with_the_prefix_cache_and_without_it(
    remote: LanguageModel,
) -> None:
    ids = encode(remote, PROMPT)
    steps = finish(race_over_server(remote, ids, 40, n_runs=1))
    assert [step.n_tokens for step in steps] == list(range(1, 41))
    assert all(step.same_best and step.logit_gap < EQUAL for step in steps)
    assert all(step.cached_seconds > 0 and step.recomputed_seconds > 0 for step in steps)


def test_its_own_figures(remote: LanguageModel) -> None:
    server = remote.server
    assert server is not None
    before = server.figures()
    text = [0] + [262] * 300
    for salt in (None, None, "alone"):
        sent, seconds = server.expect([text], 4, salt)
        assert len(sent) == 1
        assert seconds > 0
    after = server.figures()
    names = ("prefix_cache_queries_total", "prefix_cache_hits_total")
    asked, hit = (after[f"vllm:{name}"] - before[f"vllm:{name}"] for name in names)
    assert asked >= 2 * len(text)
    assert 0 < hit <= asked
    assert {"vllm:num_requests_running", "vllm:kv_cache_usage_perc"} <= after.keys()
