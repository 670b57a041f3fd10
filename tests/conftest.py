"""What all tests share: no network, one thread, fixed seeds, and the shipped model loaded once."""

from __future__ import annotations

import gc
import ipaddress
import logging
import os
import random
import socket
import sys
from collections.abc import Iterator
from functools import partialmethod
from typing import TYPE_CHECKING, Any

import hypothesis
import numpy as np
import psutil
import pytest

if TYPE_CHECKING:
    from model.loading import LanguageModel
    from tests.driving.in_page import InPage

# before torch, tokenizers and the hub's client are imported by anyone
os.environ.update(
    HF_HUB_OFFLINE="1",
    TRANSFORMERS_OFFLINE="1",
    TOKENIZERS_PARALLELISM="false",
    OMP_NUM_THREADS="1",  # workers share the cores, and sums come out the same every time
    MKL_NUM_THREADS="1",
)

pytest_plugins = ["tests.browser", "tests.loopback_hub", "tests.kept_children"]

STEADY = {"deadline": None, "derandomize": True, "print_blob": True}
hypothesis.settings.register_profile("steady", max_examples=50, **STEADY)
hypothesis.settings.register_profile("nightly", max_examples=100, **STEADY)
# the first failure ends it, and nobody reads the smallest
hypothesis.settings.register_profile(
    "mutants",
    max_examples=50,
    phases=[hypothesis.Phase.explicit, hypothesis.Phase.generate],
    **STEADY,
)
hypothesis.settings.register_profile("thorough", deadline=None, max_examples=2000)
hypothesis.settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "steady"))


class _Loggers(dict[str, Any]):
    """The process's loggers; pytest goes through them while an import in a thread adds some."""

    def values(self) -> Any:
        """Returns those of this moment."""
        return list(super().values())


logging.root.manager.loggerDict = _Loggers(logging.root.manager.loggerDict)

GB_OF_A_WORKER = 4  # with its server and its browser


def pytest_xdist_auto_num_workers() -> int:
    """One worker more than there are cores, since browsers wait; fewer where memory is short."""
    n_fit = psutil.virtual_memory().total // (GB_OF_A_WORKER << 30)
    return max(1, min((os.cpu_count() or 1) + 1, n_fit))


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """Keeps the garbage collector off the imports: they make millions of objects to stay."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


class NetworkRefusedError(ConnectionRefusedError):
    """A test reached for another machine."""


def is_loopback(address: Any) -> bool:
    """Whether a socket's address is of this machine: a path, a loopback number, or its name."""
    if not isinstance(address, tuple):
        return True
    host = str(address[0])
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


@pytest.fixture(scope="session", autouse=True)
def refused_connections() -> Iterator[list[str]]:
    """Refuse every TCP connection that leaves this machine; the list says which were tried."""
    refused: list[str] = []
    own = {name: getattr(socket.socket, name) for name in ("connect", "connect_ex")}

    def connect(sock: socket.socket, address: Any, name: str) -> Any:
        if sock.type == socket.SOCK_STREAM and not is_loopback(address):
            refused.append(str(address))
            raise NetworkRefusedError(
                f"Tests are offline: something tried to reach {address}. Give the test what it "
                "needs as a file, or a server on 127.0.0.1."
            )
        return own[name](sock, address)

    with pytest.MonkeyPatch.context() as patch:
        for name in own:
            patch.setattr(socket.socket, name, partialmethod(connect, name=name))
        yield refused


@pytest.fixture(autouse=True)
def _fixed_seeds() -> None:
    random.seed(0)
    np.random.seed(0)  # noqa: NPY002  libraries under test still draw from it
    if torch := sys.modules.get("torch"):
        torch.manual_seed(0)


@pytest.fixture(autouse=True)
def _told_errors() -> None:
    """A page that fails under AppTest says why; readers are spared that by the app's settings."""
    if streamlit := sys.modules.get("streamlit"):
        streamlit.config.set_option("client.showErrorDetails", "full")


@pytest.fixture(autouse=True)
def _small_ceilings(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ceilings over little memory and small matrices: how high they are is no test's business."""
    if ceilings := sys.modules.get("model.prefill_decode.ceilings"):
        monkeypatch.setattr(ceilings, "_COPIED", {"cpu": 1 << 20})
        monkeypatch.setattr(ceilings, "_MULTIPLIED", {"cpu": 64})


@pytest.fixture(scope="session")
def storyteller(refused_connections: list[str]) -> LanguageModel:
    """The shipped model, loaded once per worker and, as it must be, without the network."""
    from model.loading import load_model

    n_before = len(refused_connections)
    lm = load_model("storyteller", device="cpu", dtype="float32")
    assert len(refused_connections) == n_before, refused_connections[n_before:]
    return lm


@pytest.fixture(scope="session")
def in_page(storyteller: LanguageModel) -> Iterator[InPage]:
    """The scripts of the page's session and of its model, run by deno, one process per worker."""
    from tests.driving.in_page import in_deno

    with in_deno(storyteller) as run:
        yield run
