"""What a server may do wrong ends in one sentence, and the text stays."""

import json
import threading
from pathlib import Path

import pytest

from model.batch import score
from model.generation import Generation
from model.job import finish
from model.loading import LanguageModel
from model.server import connection
from model.server.backend import server_of
from model.server.client import Client
from model.server.logits import EngineError, ServerLogits, with_uniform_rest
from model.server.opening import open_server
from model.serving.over_server import serve_over_server
from model.serving.records import Request
from model.weights.check import LoadError
from model.weights.locate import SHIPPED
from tests.server.fake_vllm import FakeVllm

PROMPT = "The cat sat on the"
NO_SCORES = '{"choices": [{"index": 0, "prompt_logprobs": null}]}'


def test_a_busy_server_is_asked_again(fake: FakeVllm, monkeypatch: pytest.MonkeyPatch) -> None:
    pauses: list[float] = []
    monkeypatch.setattr(connection.time, "sleep", pauses.append)
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
        Client(url)


def test_another_model_s_tokens_are_refused(fake: FakeVllm, storyteller: LanguageModel) -> None:
    server = Client(fake.url)
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


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """A tenth of the patience."""
    monkeypatch.setattr(connection, "_SILENCE", 0.1 * connection._SILENCE)
    monkeypatch.setattr(connection, "_SIGN_OF_LIFE", 0.1 * connection._SIGN_OF_LIFE.read)


def test_who_waits_is_told_within_ten_seconds() -> None:
    tries = connection._SIGN_OF_LIFE.connect * 3 + sum(connection._PAUSES)
    assert max(tries, connection._SILENCE + connection._SIGN_OF_LIFE.read) < 10


@pytest.mark.usefixtures("impatient")
def test_a_server_that_takes_requests_and_answers_none_is_given_up(fake: FakeVllm) -> None:
    text = Generation(open_server(fake.url), PROMPT)
    before = text.ids[:]
    fake.is_there.clear()
    for ask in (text.step, lambda: open_server(fake.url)):
        with pytest.raises(ValueError, match="took the request and sent nothing"):
            ask()
    assert text.ids == before
    fake.is_there.set()
    text.step()


@pytest.mark.usefixtures("impatient")
def test_a_server_that_is_busy_is_waited_for(fake: FakeVllm) -> None:
    text = Generation(open_server(fake.url), PROMPT)
    fake.is_quick.clear()
    threading.Timer(3 * connection._SILENCE, fake.is_quick.set).start()
    n_asked = len(fake.asked)
    text.step()
    assert len(fake.asked) == n_asked + 1, "one that is busy is not asked again"


def test_fewer_log_probabilities_than_were_asked_for_are_refused(fake: FakeVllm) -> None:
    lm = open_server(fake.url)
    fake.n_most = 5
    with pytest.raises(EngineError, match="5 of the 4,096"):
        Generation(lm, PROMPT)
    server_of(lm).max_best = 5  # as many as it sends; where all are wanted it sends five again
    text = Generation(lm, PROMPT)
    with pytest.raises(EngineError, match="5 of the 4,096"):
        text.cached.request_all(text.ids)


@pytest.mark.parametrize("name", ["scribbler", "/srv/other", "Some/Model-8B"])
def test_a_model_under_another_s_name_is_refused(name: str, fake: FakeVllm) -> None:
    with pytest.raises(LoadError, match="ONE_TOKEN_ENGINE_MODEL") as refused:
        open_server(fake.url, model=name)
    assert "storyteller" in str(refused.value)
    assert Path(name).name in str(refused.value)


def test_a_model_has_other_folders_on_other_machines(fake: FakeVllm) -> None:
    fake.root = "/srv/weights/abc"
    for name in ("storyteller", str(SHIPPED["storyteller"])):
        Generation(open_server(fake.url, model=name), PROMPT)


@pytest.mark.parametrize("root", ["/srv/weights/abc", "no/such-model"])
def test_a_tokenizer_that_is_not_here_is_asked_of_the_operator(root: str, fake: FakeVllm) -> None:
    fake.root = root
    with pytest.raises(LoadError, match="set ONE_TOKEN_ENGINE_MODEL to a folder"):
        open_server(fake.url)


def test_a_wrong_address_names_its_variable(fake: FakeVllm) -> None:
    for ask in (lambda: open_server(f"{fake.url}/api"), lambda: Client(f"{fake.url}/x").figures()):
        with pytest.raises(ValueError, match="set ONE_TOKEN_ENGINE_URL"):
            ask()
    lm = open_server(fake.url)
    fake.trouble = [404]  # of a proxy, which says nothing of models
    with pytest.raises(EngineError, match="set ONE_TOKEN_ENGINE_URL"):
        Generation(lm, PROMPT)


def test_figures_that_are_no_numbers_are_left_out(
    fake: FakeVllm, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = 'vllm:a{b="c"} NaN\nvllm:d x\nvllm:e{f="1"} 1e3\nvllm:e{f="2"} 2.0\n# vllm:g 1\n'
    monkeypatch.setattr(fake, "metrics", lambda: told)
    lm = open_server(fake.url)
    assert server_of(lm).figures() == {"vllm:e": 1002.0}
    assert finish(serve_over_server(lm, [Request((0, 262), 2)])).n_asked == 0


@pytest.mark.parametrize(
    ("card", "who"),
    [
        ({"id": "m.gguf", "owned_by": "llamacpp", "meta": {"n_ctx_train": 2048}}, "llama.cpp’s"),
        ({"id": "Qwen/Qwen3-0.6B", "owned_by": "Qwen"}, "A server of Qwen"),
        ({"id": "m"}, "This server"),
    ],
)
def test_what_is_no_vllm_is_told_so(card: dict[str, object], who: str, fake: FakeVllm) -> None:
    fake.trouble = [json.dumps({"data": [card]})]
    with pytest.raises(LoadError, match=f"{who}.* is no vLLM.*with vLLM"):
        open_server(fake.url)
