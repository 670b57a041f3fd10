"""The same requests under several policies, and each request alone, on the same model."""

from collections.abc import Sequence

from model.batch import Batch, check_crop
from model.first_look import takes_padding
from model.job import Progress, Work
from model.kv_cache.block_cache import BLOCK, whole_blocks
from model.language_model import LanguageModel
from model.passes import check_context
from model.serving.records import Comparison, Policy, Request, ServingRun
from model.serving.scheduler import Scheduler

ALONE = Policy("one at a time", n_slots=1)


def check_requests(lm: LanguageModel, requests: Sequence[Request], policy: Policy) -> None:
    """Refuses what an engine cannot serve, before its first pass.

    Raises:
        ValueError: one sentence with the remedy.
    """
    if not requests or not all(request.prompt_ids for request in requests):
        raise ValueError("There is no request: write a prompt, one a line.")
    check_crop(lm)
    if not takes_padding(lm):
        raise ValueError(
            f"{lm.shown} takes no padding, so requests cannot share a pass: choose another model."
        )
    # a static batch is a rectangle: its longest prompt, and its longest output behind it
    longest = [max(len(request.prompt_ids) for request in requests)]
    check_context(lm, longest[0] + max(request.n_out for request in requests))
    n_needed = max(len(request.prompt_ids) + request.n_out for request in requests)
    if 0 < policy.n_blocks * BLOCK < n_needed:
        raise ValueError(
            f"A request of {n_needed} tokens needs {whole_blocks(n_needed) // BLOCK} blocks by "
            f"itself, and there are {policy.n_blocks}: allow more."
        )


def compare_policies(
    lm: LanguageModel, requests: Sequence[Request], policies: Sequence[Policy]
) -> Work[Comparison]:
    """Serves the same requests under each policy, then each of them alone.

    Raises:
        ValueError: where the requests cannot be served.
    """
    for policy in policies:
        check_requests(lm, requests, policy)
    runs: list[ServingRun] = []
    n_each = sum(request.n_out for request in requests)
    n_total = n_each * (len(policies) + 1)
    yield Progress(0, n_total, "warming up")
    Batch(lm, [request.prompt_ids for request in requests])
    for n, policy in enumerate([*policies, ALONE]):
        scheduler = Scheduler(lm, requests, policy)

        def look(scheduler: Scheduler = scheduler) -> Comparison:
            begun = [scheduler.found()] if scheduler.passes else []
            return Comparison(tuple([*runs, *begun][: len(policies)]), None)

        while not scheduler.is_done:
            n_done = n * n_each + scheduler.found().n_tokens
            yield Progress(n_done, n_total, policy.name, look)
            scheduler.step()
        runs.append(scheduler.found())
    *shared, alone = runs
    return Comparison(tuple(shared), alone, sum(count_same(run, alone) for run in shared))


def count_same(run: ServingRun, alone: ServingRun) -> int:
    """Counts the requests whose tokens are those that they get alone."""
    pairs = zip(run.outputs, alone.outputs, strict=True)
    return sum(mine.token_ids == its.token_ids for mine, its in pairs)
