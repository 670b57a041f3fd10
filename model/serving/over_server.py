"""The same requests on a server: what a client sees, and the server's own figures meanwhile.

A client sees when each token comes, and neither passes nor prefills.
"""

import threading
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import pairwise, repeat

from model.job import Progress, Work
from model.language_model import LanguageModel
from model.passes import check_context
from model.server.backend import server_of
from model.server.client import Client
from model.serving import experiments
from model.serving.experiments import count_same
from model.serving.records import (
    Comparison,
    EnginePass,
    Output,
    Policy,
    Request,
    ServerMoment,
    ServerRun,
    ServingRun,
    State,
)

LOOK_SECONDS = 0.02  # between two looks at the server's figures
_PREFIX = ("vllm:prefix_cache_queries_total", "vllm:prefix_cache_hits_total")
_FIGURES = ("vllm:num_requests_running", "vllm:num_requests_waiting", "vllm:kv_cache_usage_perc")
TOGETHER = Policy("the server", n_slots=0, is_remote=True)
ALONE = replace(experiments.ALONE, is_remote=True)


def serve_over_server(lm: LanguageModel, requests: Sequence[Request]) -> Work[ServerRun]:
    """Sends requests as they arrive, then one at a time.

    Raises:
        ValueError: where they cannot be served.
    """
    server = server_of(lm)
    if not requests or not all(request.prompt_ids for request in requests):
        raise ValueError("There is no request: write a prompt, one a line.")
    check_context(lm, max(len(request.prompt_ids) + request.n_out for request in requests))
    n_each = sum(request.n_out for request in requests)
    before = server.figures()
    together = _Sending(server, requests, len(requests))
    sendings = [together]

    def look() -> ServerRun:
        runs = (together.run(TOGETHER),) if together.n_tokens else ()
        return ServerRun(Comparison(runs, None), tuple(together.moments))

    try:
        while not together.is_done:
            yield Progress(together.n_tokens, 2 * n_each, "together", look)
            time.sleep(LOOK_SECONDS)
        after = server.figures()
        alone = _Sending(server, [replace(request, arrives=0.0) for request in requests], 1)
        sendings.append(alone)
        while not alone.is_done:
            yield Progress(n_each + alone.n_tokens, 2 * n_each, "alone", look)
            time.sleep(LOOK_SECONDS)
    finally:
        for sending in sendings:
            sending.is_stopped.set()
    run, one_by_one = together.run(TOGETHER), alone.run(ALONE)
    n_asked, n_hit = (round(after.get(name, 0.0) - before.get(name, 0.0)) for name in _PREFIX)
    comparison = Comparison((run,), one_by_one, count_same(run, one_by_one))
    return ServerRun(comparison, tuple(together.moments), n_asked, n_hit)


class _Sending:
    """Requests on their way, each in a thread, the tokens that came, and the server's figures."""

    def __init__(self, server: Client, requests: Sequence[Request], n_at_once: int) -> None:
        """Sends each at its time, or once there are fewer than so many on their way."""
        self._server, self._requests = server, list(requests)
        self._came: list[list[tuple[int, float]]] = [[] for _ in requests]
        self.moments: list[ServerMoment] = []
        self.is_stopped = threading.Event()
        self._started = time.perf_counter()
        pool = ThreadPoolExecutor(n_at_once + 1)  # one of them watches
        self._futures = [pool.submit(self._send, n) for n in range(len(requests))]
        self._watching = pool.submit(self._watch)
        pool.shutdown(wait=False)

    @property
    def seconds(self) -> float:
        """Since the first could be sent."""
        return time.perf_counter() - self._started

    @property
    def n_tokens(self) -> int:
        """Tokens that came."""
        return sum(map(len, self._came))

    @property
    def is_done(self) -> bool:
        """Whether all came; raises what went wrong with any."""
        futures = [*self._futures, self._watching]
        done = [future for future in futures if future.done()]
        for future in done:
            future.result()
        return len(done) == len(futures)

    def _watch(self) -> None:
        is_last = False
        while not (is_last or self.is_stopped.is_set()):
            is_last = all(future.done() for future in self._futures)
            told = self._server.figures()
            n_running, n_waiting, share = (told.get(name, 0.0) for name in _FIGURES)
            moment = ServerMoment(self.seconds, round(n_running), round(n_waiting), share)
            self.moments.append(moment)
            time.sleep(LOOK_SECONDS)

    def _send(self, n: int) -> None:
        request = self._requests[n]
        if self.is_stopped.wait(max(0.0, request.arrives - self.seconds)):
            return
        self._requests[n] = replace(request, arrives=self.seconds)
        for token_id in self._server.write(request.prompt_ids, request.n_out):
            if self.is_stopped.is_set():
                return
            self._came[n].append((token_id, self.seconds))

    def run(self, policy: Policy) -> ServingRun:
        """Returns what came so far, cut into stretches in which nothing came."""
        requests = tuple(self._requests)
        outputs = tuple(
            Output(tuple(i for i, _ in came), tuple(second for _, second in came), 0)
            for came in map(tuple, self._came)  # threads append to it
        )
        times = {second for output in outputs for second in output.times}
        cuts = sorted({0.0, *times, *(request.arrives for request in requests)})
        stretches = tuple(
            EnginePass(start, end - start, tuple(states), (0,) * len(requests))
            for start, end in pairwise(cuts)
            for states in [map(_state, requests, outputs, repeat(start))]
        )
        return ServingRun(policy, requests, stretches, outputs)


def _state(request: Request, output: Output, now: float) -> State:
    """Tells what a client sees of a request: it waits for the first token, then they come."""
    times = output.times
    if now < request.arrives or (len(times) == request.n_out and now >= times[-1]):
        return ""
    return "decode" if times and now >= times[0] else "waiting"
