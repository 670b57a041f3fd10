"""What a server may do wrong ends in one sentence, and the text stays."""

from __future__ import annotations

import pytest

from model.batch import score
from model.generation import Generation
from model.loading import LanguageModel
from model.server import client
from model.server.backend import server_of
from model.server.client import Server
from model.server.logits import EngineError, ServerLogits, with_uniform_rest
from model.server.opening import open_server
from model.weights.check import LoadError
from tests.server.fake_vllm import FakeVllm

PROMPT = "The cat sat on the"
NO_SCORES = '{"choices": [{"index": 0, "prompt_logprobs": null}]}'


def test_a_busy_server_is_asked_again(fake: FakeVllm, monkeypatch: pytest.MonkeyPatch) -> None:
    pauses: list[float] = []
    monkeypatch.setattr(client.time, "sleep", pauses.append)
    lm = open_server(fake.url)
    fake.trouble = [503, 429]
    Generation(lm, PROMPT)
    assert pauses == [0.2, 0.6]
    with pytest.raises(LoadError, match="does not answer"):
        open_server("http://127.0.0.1:9")


@pytest.mark.parametrize(
    "trouble", [500, "no JSON", "[]", '{"choices": []}', '{"choices": [3]}', NO_SCORES]
)
def test_what_makes_no_sense_is_refused(trouble: int | str, fake: FakeVllm) -> None:
    text = Generation(open_server(fake.url), PROMPT)
    before = text.ids[:]
    for ask in (text.step, lambda: score(text.lm, before[:1], [before[1:]])):
        fake.trouble = [trouble]
        with pytest.raises(EngineError, match=r"server.*: .*\.$"):
            ask()
    assert text.ids == before
    text.step()


def test_a_cap_is_named_with_its_remedy(fake: FakeVllm) -> None:
    fake.max_logprobs = 20
    with pytest.raises(EngineError, match="--max-logprobs -1"):
        Generation(open_server(fake.url), PROMPT)


def test_the_key_is_sent_and_asked_for(fake: FakeVllm) -> None:
    fake.key = "secret"
    with pytest.raises(LoadError, match="ONE_TOKEN_ENGINE_KEY"):
        open_server(fake.url)
    Generation(open_server(f"{fake.url}/v1/", "secret"), PROMPT)


@pytest.mark.parametrize("url", ["", "nowhere", "ftp://127.0.0.1", "http://[", "http://\0"])
def test_what_is_no_address_is_refused(url: str) -> None:
    with pytest.raises(EngineError, match="no address"):
        Server(url)


def test_another_model_s_tokens_are_refused(fake: FakeVllm, storyteller: LanguageModel) -> None:
    server = Server(fake.url)
    server.served()
    (answer,), _ = server.expect([[0]], -1)
    with pytest.raises(EngineError, match="ONE_TOKEN_ENGINE_MODEL"):
        with_uniform_rest(answer, 100)
    logits = ServerLogits(answer.ids[:50], answer.logprobs[:50] + 20, answer.floor)
    with pytest.raises(EngineError, match="raw_logprobs"):
        with_uniform_rest(logits, storyteller.vocab_size)


def test_a_server_that_overlooks_ids_is_asked_for_all(
    fake: FakeVllm, storyteller: LanguageModel
) -> None:
    fake.knows_ids = False
    lm = open_server(fake.url)
    server_of(lm).max_best = 50
    rare = int(Generation(storyteller, PROMPT).logits.argmin())
    assert Generation(lm, PROMPT).step(token_id=rare).rank == storyteller.vocab_size - 1
    assert fake.asked[-2]["logprobs"] == -1
