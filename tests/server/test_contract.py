"""A text over a server is the text on weights: the same ids, and log-probabilities within 1e-3.

Run in every `make test` against a small server of our own, and by `make test-vllm` against vLLM.
"""

from dataclasses import replace

import numpy as np
import pytest

from model.batch import Batch, read_whole, score
from model.beam_search import BeamSearch
from model.draw import best_ids
from model.generation import Generation
from model.job import finish
from model.kv_cache.over_server import race_over_server
from model.language_model import LanguageModel, NeedsWeightsError
from model.masks import log_softmax
from model.sampling import Settings
from model.server.backend import server_of
from model.server.opening import open_server
from model.serving.over_server import serve_over_server
from model.serving.records import ONE_READ, Request
from model.tokenizing import encode
from tests.server.fake_vllm import FakeVllm
from tests.server.real_vllm import RealVllm

EQUAL = 1e-3  # nats
PROMPT = "The cat sat on the"
GREEDY = Settings(temperature=0)
DRAWN = Settings(temperature=0.9, top_p=0.95, presence_penalty=0.3)
TEXTS = (
    PROMPT,
    " ",
    "\n\n\tTabs and\x00NUL",
    "naïve café, coöperate",
    "中文と日本語 한국어 العربية",
    "🚀👩‍👩‍👧‍👦 e\u0301",
    "<|endoftext|> $x$ **b** <script>",
)


def gap(first: Generation, second: Generation) -> float:
    return float(np.abs(log_softmax(first.logits) - log_softmax(second.logits)).max())


def endless(*lms: LanguageModel) -> list[LanguageModel]:
    """The same models, whose texts no token ends."""
    return [replace(lm, end_ids=frozenset()) for lm in lms]


def test_it_is_who_the_model_is(remote: LanguageModel, storyteller: LanguageModel) -> None:
    for name in ("kind", "vocab_size", "n_parameters", "end_ids", "bos_id", "cache_shape"):
        assert getattr(remote, name) == getattr(storyteller, name), name
    assert remote.place == "server"
    assert remote.context_length == storyteller.context_length - 1
    with pytest.raises(NeedsWeightsError, match="choose a shipped model"):
        _ = remote.model


@pytest.mark.parametrize("text", TEXTS)
def test_any_characters(text: str, remote: LanguageModel, storyteller: LanguageModel) -> None:
    there, here = Generation(remote, text), Generation(storyteller, text)
    assert there.ids == here.ids
    assert gap(there, here) < EQUAL


def test_greedy_tokens_up_to_400_of_vllm_itself(
    vllm: FakeVllm | RealVllm, remote: LanguageModel, storyteller: LanguageModel
) -> None:
    few = open_server(vllm.url)
    server_of(few).max_best = 50  # an answer with all 4,096 takes four times as long
    there, here = (Generation(lm, PROMPT) for lm in endless(few, storyteller))
    for _ in range(400 if isinstance(vllm, RealVllm) else 60):
        best = best_ids(here.logits, 50)
        expected = log_softmax(here.logits)[best]
        assert log_softmax(there.logits)[best] == pytest.approx(expected, abs=EQUAL)
        assert there.step(GREEDY).token_id == here.step(GREEDY).token_id
    assert gap(Generation(remote, there.ids), here) < EQUAL
    assert (there.cache_tokens, there.cache_bytes) == (here.cache_tokens, here.cache_bytes)
    assert [one.phase for one in there.passes] == [one.phase for one in here.passes]


def test_draws_rewinds_and_branches(remote: LanguageModel, storyteller: LanguageModel) -> None:
    texts = [Generation(lm, PROMPT, seed=7) for lm in endless(remote, storyteller)]
    branches = []
    for text in texts:
        for _ in range(8):
            text.step(DRAWN)
        text.rewind(5)
        branches.append(text.fork(seed=11))
        text.step(token_id=262)
        for _ in range(3):
            text.step(DRAWN)
            branches[-1].step(DRAWN)
        assert text.ids != branches[-1].ids
    for there, here in (texts, branches):
        assert there.ids == here.ids
        assert gap(there, here) < EQUAL
        assert there.logprob == pytest.approx(here.logprob, abs=EQUAL)
        for n_kept in (len(here.ids) - 1, 0):
            passes = []
            for text in (there, here):
                assert text.cached.crop(n_kept)
                passes.append(text.cached.read(text.ids)[1])
            for name in ("phase", "n_input", "cache_tokens", "cache_bytes"):
                assert getattr(passes[0], name) == getattr(passes[1], name), name


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
    scores = [score(lm, rows[1], [[1156, 293], [300]])[0] for lm in (remote, storyteller)]
    for first, second in zip(*scores, strict=True):
        assert first == pytest.approx(second, abs=EQUAL)


def test_beam_search(remote: LanguageModel, storyteller: LanguageModel) -> None:
    searches = [
        BeamSearch(Generation(lm, PROMPT), n_beams=3, max_new_tokens=4)
        for lm in (remote, storyteller)
    ]
    there, here = ([beam.token_ids for beam in search.run()] for search in searches)
    assert there == here != []


# The server


def test_requests_together_have_the_tokens_that_they_get_alone(
    remote: LanguageModel, storyteller: LanguageModel
) -> None:
    prompts = ("The cat", "Once upon a time there was", "A bird")
    requests = [Request(tuple(encode(remote, text)), 8, 0.01 * n) for n, text in enumerate(prompts)]
    found = finish(serve_over_server(remote, requests))
    (together,), alone = found.comparison.runs, found.comparison.alone
    assert found.comparison.n_same == len(requests)
    for request, output in zip(requests, together.outputs, strict=True):
        here = Generation(*endless(storyteller), request.prompt_ids)
        assert [here.step(GREEDY).token_id for _ in range(8)] == list(output.token_ids)
        assert request.arrives < output.times[0]
    for run in (together, alone):
        assert (run.n_tokens, run.n_gaps) == (24, 21)
        assert len(run.first_seconds) <= 3
        assert all(gap >= ONE_READ for gap in run.gaps)
    states = {state for stretch in together.passes for state in stretch.states}
    assert states == {"", "waiting", "decode"}
    seconds = [moment.seconds for moment in found.moments]
    assert seconds == sorted(seconds)
    assert seconds[-1] >= max(output.times[-1] for output in together.outputs)
    assert 0 <= found.n_hit <= found.n_asked


def test_with_the_prefix_cache_and_without_it(remote: LanguageModel) -> None:
    ids = encode(remote, PROMPT)
    steps = finish(race_over_server(remote, ids, 40, n_runs=1)).steps
    assert [step.n_tokens for step in steps] == list(range(1, 41))
    assert all(step.same_best and step.logit_gap < EQUAL for step in steps)


def test_its_own_figures(remote: LanguageModel) -> None:
    server, text = server_of(remote), [0] + [262] * 300
    before = server.figures()
    for salt in (None, None, "alone"):
        assert len(server.expect([text], 4, salt)[0]) == 1
    after = server.figures()
    names = ("prefix_cache_queries_total", "prefix_cache_hits_total")
    asked, hit = (after[f"vllm:{name}"] - before[f"vllm:{name}"] for name in names)
    assert asked >= 2 * len(text)
    assert 0 < hit <= asked
    assert {"vllm:num_requests_running", "vllm:kv_cache_usage_perc"} <= after.keys()
