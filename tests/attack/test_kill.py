"""Killed in the middle of something: what was whole stays, and nothing is left behind."""

import asyncio
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import psutil
import pytest

from model.loading import load_model
from model.machine import child
from model.weights.hub import cached_folder, cached_models
from pages.home.ticket import VARIABLE
from tests.browser import SECRET
from tests.driving.harness import ROOT, Server, serve
from tests.driving.visitor import Visitor
from tests.loopback_hub import LoopbackHub
from tests.tiny_models import bare_model, fresh_logits, save

PATIENCE_SECONDS = 120.0
LOAD = "import sys; from model.loading import load_model; load_model(sys.argv[1])"


def wait_for(is_so: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not is_so():
        assert time.monotonic() < deadline
        time.sleep(0.02)


@contextmanager
def running(*command: str, **env: str) -> Iterator[subprocess.Popen[bytes]]:
    """A process of Python's that ends with the block, if it has not been killed."""
    process = subprocess.Popen([sys.executable, *command], cwd=ROOT, env=os.environ | env)
    try:
        yield process
    finally:
        process.kill()
        process.wait()


def test_a_child_ends_with_a_parent_that_is_killed() -> None:
    """One that waits takes nothing of the processor, so that no limit would ever end it."""
    with running("-m", "tests.attack.asking") as parent:
        known = psutil.Process(parent.pid)
        wait_for(lambda: bool(known.children()))
        (orphan,) = known.children()
        wait_for(lambda: len(orphan.threads()) > 1)  # it has begun to look
        parent.kill()
        parent.wait()
        assert psutil.wait_procs([orphan], timeout=20 * child._LOOK_EVERY)[1] == []


@pytest.mark.nightly  # by day test_hub.py: a connection that breaks, a download that is stopped
def test_a_download_that_is_killed_leaves_what_is_whole_and_no_half(
    hub: LoopbackHub, tmp_path: Path
) -> None:
    name, folder = (
        "someone/slow",
        save(tmp_path / "slow", bare_model("gpt2", n_embd=256, n_layer=2)),
    )
    hub.add(name, folder)
    hub.flowing.clear()
    cache = tmp_path / "cache"
    offline = dict.fromkeys(("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE"), "0")
    half = (folder / "model.safetensors").stat().st_size // 2

    def n_bytes() -> int:
        return sum(path.stat().st_size for path in cache.rglob("*.incomplete"))

    with running("-c", LOAD, name, **offline, HF_ENDPOINT=hub.url, HF_HUB_CACHE=str(cache)) as one:
        wait_for(lambda: n_bytes() > half // 2)
        one.kill()
        one.wait()
    assert (cached_folder(name), cached_models()) == (None, {}), "half of it is not offered"
    hub.flowing.set()
    for path in cache.rglob("*.incomplete"):
        os.utime(path, (0, 0))  # a day later
    lm, truth = load_model(name), load_model(str(folder))
    ids = [5, 80, 7]
    np.testing.assert_allclose(fresh_logits(lm, ids), fresh_logits(truth, ids), atol=1e-4)
    assert n_bytes() == 0, "no half is left"
    assert hub.fetched(name).count("config.json") == 1, "what was whole is not fetched again"


def test_another_copy_of_the_app_goes_on_with_a_page_without_stickiness(server: Server) -> None:
    """Both share a key, so the second takes a ticket of the first, and reads the text itself."""

    async def write(first: Server, second: Server) -> list[list[int]]:
        texts = []
        for servers in ((first, first), (first, second)):
            async with Visitor(first.url, prompt="Once upon a time", seed="3") as visitor:
                for server in (*servers, *servers):
                    visitor.move(server.url)
                    await visitor.do("next")
                texts.append(visitor.header["ids"])
        return texts

    n_printed = len(server.log())
    with serve(env={VARIABLE: SECRET}) as other, ThreadPoolExecutor(1) as alone:
        alike, both = alone.submit(asyncio.run, write(server, other)).result()
        assert both == alike
        assert "Traceback" not in server.log()[n_printed:] + other.log()
