"""The server that the tests of this folder ask: a small one of our own, or vLLM itself.

`make test-vllm` names vLLM's program in ONE_TOKEN_TEST_VLLM, and the same tests hold for it.
"""

import os
from collections.abc import Iterator

import pytest

from model.language_model import LanguageModel
from model.server.opening import open_server
from tests.server.fake_vllm import FakeVllm
from tests.server.real_vllm import RealVllm


@pytest.fixture
def fake(storyteller: LanguageModel) -> Iterator[FakeVllm]:
    """Ours, for what no real server can be made to do."""
    server = FakeVllm(storyteller)
    yield server
    server.kill()


@pytest.fixture(scope="session")
def vllm(storyteller: LanguageModel) -> Iterator[FakeVllm | RealVllm]:
    """The one that the contract is held against."""
    program = os.environ.get("ONE_TOKEN_TEST_VLLM")
    server = RealVllm(program) if program else FakeVllm(storyteller)
    yield server
    server.kill()


@pytest.fixture
def remote(vllm: FakeVllm | RealVllm) -> LanguageModel:
    """The storyteller of that server."""
    return open_server(vllm.url)
