"""Readers who press as fast as answers come: on a vLLM server, and on the weights of this process.

    ONE_TOKEN_ENGINE_URL=http://127.0.0.1:8000 python -m benchmarks.bench_engine [--seconds 10]

All texts begin with the same prompt. On the server a step is a request; here passes take turns.
Says in a sentence where there is no server.
"""

import argparse
import os
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace

from benchmarks.figures import describe_machine, milliseconds, quantile, record
from model.generation import Generation
from model.language_model import LanguageModel
from model.loading import load_model
from model.sampling import Settings
from model.server.backend import server_of
from model.server.opening import open_server
from model.tokenizing import encode

SETTINGS = Settings(temperature=0.8, top_p=0.9)
PROMPT = " ".join(["Once upon a time there was a little girl who lived by the sea."] * 12)
BESTS = (1_000, 4_096)  # log-probabilities that a request asks for


@dataclass(frozen=True)
class Pressed:
    """What readers got."""

    steps_per_second: float
    p95: float  # seconds of a step
    n_asked: float = 0  # prompt tokens that the server looked up in its prefix cache
    n_hit: float = 0  # of them, those that were there

    def line(self) -> str:
        """Returns one line for the terminal and the table."""
        shown = f"{self.steps_per_second:.0f} steps/s, p95 {milliseconds(self.p95).strip()}"
        return f"{shown}, prefix hits {self.n_hit / self.n_asked:.0%}" if self.n_asked else shown


def press(lm: LanguageModel, n_readers: int, seconds: float) -> Pressed:
    """Lets readers with a common prompt press side by side."""
    endless = replace(lm, end_ids=frozenset())
    texts = [Generation(endless, encode(lm, PROMPT), seed=n) for n in range(n_readers)]
    before = _figures(lm)
    started = time.perf_counter()

    def go_on(text: Generation) -> list[float]:
        took = []
        while (begun := time.perf_counter()) < started + seconds and text.finished is None:
            text.step(SETTINGS)
            took.append(time.perf_counter() - begun)
        return took

    with ThreadPoolExecutor(n_readers) as pool:
        took = [step for steps in pool.map(go_on, texts) for step in steps]
    elapsed = time.perf_counter() - started
    after = _figures(lm)
    names = [f"vllm:prefix_cache_{name}_total" for name in ("queries", "hits")]
    asked = [after.get(name, 0) - before.get(name, 0) for name in names]
    return Pressed(len(took) / elapsed, quantile(took, 0.95), *asked)


def _figures(lm: LanguageModel) -> dict[str, float]:
    """Returns what a server says of itself; nothing of weights in this process."""
    return server_of(lm).figures() if lm.local is None else {}


def main() -> None:
    """Prints both engines beside each other, for each number of readers."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--readers", type=int, nargs="*", default=[30, 100])
    args = parser.parse_args()
    url = os.environ.get("ONE_TOKEN_ENGINE_URL")
    if not url:
        print("ONE_TOKEN_ENGINE_URL names no server: start vLLM as docs/deployment.md says.")
        return
    print(describe_machine(), end="\n\n")
    name = os.environ.get("ONE_TOKEN_ENGINE_MODEL") or "storyteller"
    here = load_model(name)
    there = open_server(url, os.environ.get("ONE_TOKEN_ENGINE_KEY", ""), name)
    for n_readers in args.readers:
        local = press(here, n_readers, args.seconds)
        for n_best in BESTS:
            server_of(there).max_best = n_best
            remote = press(there, n_readers, args.seconds)
            what = f"{n_readers} readers on vLLM, one machine, the best {n_best:,} of each step"
            record(what, f"{remote.line()}; here {local.line()}")


if __name__ == "__main__":
    main()
