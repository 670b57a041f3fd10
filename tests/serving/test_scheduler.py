"""The scheduler: however requests share the model, each gets the tokens that it gets alone."""

import functools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from model.generation import Generation
from model.job import Job
from model.kv_cache.block_cache import BLOCK
from model.loading import LanguageModel
from model.sampling import Settings
from model.serving.blocks import count_blocks, fullest_moment
from model.serving.experiments import compare_policies
from model.serving.records import Comparison, Policy, Request, ServingRun
from model.serving.scheduler import Scheduler
from tests.jobs import run_until
from tests.tiny_models import CONTEXT, tiny

GREEDY = Settings(temperature=0)
PREFIX = tuple(range(20, 20 + BLOCK))
REQUESTS = (
    Request((5, 6, 7), 6),
    Request((*PREFIX, 40), 3),
    Request((8,), 12),
    Request((*PREFIX, 50, 51), 5),
    Request((9, 10, 11, 12), 1),
)
POLICIES = (
    Policy("static", 2, is_continuous=False),
    Policy("continuous", 2),
    Policy("one at a time", 1),
    Policy("chunks", 4, chunk=5),
    Policy("few blocks", 5, n_blocks=3),
    Policy("few shared blocks", 5, n_blocks=3, shares_prefix=True),
    Policy("chunks in few blocks", 5, chunk=3, n_blocks=3),
)


def served(lm: LanguageModel, requests: tuple[Request, ...], policy: Policy) -> ServingRun:
    scheduler = Scheduler(lm, requests, policy)
    while not scheduler.is_done:
        scheduler.step()
    return scheduler.found()


@functools.cache
def alone(lm: LanguageModel, request: Request) -> tuple[int, ...]:
    """What the app's own loop writes, greedily."""
    text = Generation(lm, request.prompt_ids, max_new_tokens=request.n_out)
    while text.finished is None:
        text.step(GREEDY)
    return tuple(text.ids[text.n_prompt :])


def assert_served(lm: LanguageModel, run: ServingRun) -> None:
    """Every request has its own tokens, and no pass had more than the policy allows."""
    for request, output in zip(run.requests, run.outputs, strict=True):
        assert output.token_ids == alone(lm, request)
        assert len(output.times) == len(output.token_ids)
        assert list(output.times) == sorted(output.times)
        assert output.times[0] > request.arrives
    policy = run.policy
    texts = [
        [*request.prompt_ids, *output.token_ids]
        for request, output in zip(run.requests, run.outputs, strict=True)
    ]
    for a_pass in run.passes:
        assert sum(length > 0 for length in a_pass.lengths) <= policy.n_slots
        assert {"prefill", "decode"} & set(a_pass.states)
        n_blocks = count_blocks(texts, a_pass.lengths, shares_prefix=policy.shares_prefix)
        assert not policy.n_blocks or n_blocks <= policy.n_blocks


@pytest.mark.oracle
@pytest.mark.parametrize("policy", POLICIES, ids=lambda policy: policy.name)
@pytest.mark.parametrize("architecture", ["llama", "gpt2", "qwen3", "gemma3"])
def test_every_request_gets_the_tokens_that_it_gets_alone(
    architecture: str, policy: Policy
) -> None:
    lm = tiny(architecture)
    assert_served(lm, served(lm, REQUESTS, policy))


@settings(max_examples=25)
@given(st.data())
def test_any_requests_under_any_policy_get_their_own_tokens(data: st.DataObject) -> None:
    lm = tiny("llama")
    ids = st.lists(st.integers(3, 60), min_size=1, max_size=20).map(tuple)
    arrives = st.sampled_from([0.0, 0.002, 0.01, 5.0])
    a_request = st.builds(Request, ids, st.integers(1, 12), arrives)
    requests = tuple(data.draw(st.lists(a_request, min_size=1, max_size=6)))
    policy = data.draw(
        st.builds(
            Policy,
            st.just("any"),
            st.integers(1, 4),
            chunk=st.integers(0, 7),
            n_blocks=st.sampled_from([0, 2, 3, 5]),
            shares_prefix=st.booleans(),
        )
    )
    assert_served(lm, served(lm, requests, policy))


def test_a_static_batch_holds_its_slots_and_a_continuous_one_gives_them_away() -> None:
    lm, requests = tiny("llama"), (Request((5,), 1), Request((6,), 4), Request((7,), 2))
    static, continuous = (
        served(lm, requests, Policy("", 2, is_continuous=is_continuous))
        for is_continuous in (False, True)
    )
    assert [a_pass.states for a_pass in static.passes] == [
        ("prefill", "prefill", "waiting"),
        *[("held", "decode", "waiting")] * 3,
        ("", "", "prefill"),
        ("", "", "decode"),
    ]
    assert [a_pass.states for a_pass in continuous.passes] == [
        ("prefill", "prefill", "waiting"),
        ("", "decode", "waiting"),
        ("", "stalled", "prefill"),
        ("", "decode", "decode"),
        ("", "decode", ""),
    ]


def test_a_chunked_prompt_lets_the_others_write_between() -> None:
    lm, requests = tiny("llama"), (Request((5, 6), 4), Request(tuple(range(20, 28)), 1))
    run = served(lm, requests, Policy("", 2, chunk=4))
    assert [a_pass.states for a_pass in run.passes] == [
        ("prefill", "waiting"),
        ("decode", "waiting"),
        ("stalled", "prefill"),
        ("decode", "stalled"),
        ("stalled", "prefill"),
        ("decode", ""),
    ]


def test_a_request_that_finds_no_block_is_put_out_and_read_again() -> None:
    lm = tiny("llama")
    requests = tuple(Request((first, *range(6, 6 + 13)), 8) for first in (3, 4))
    run = served(lm, requests, Policy("", 2, n_blocks=3))
    assert [output.n_preempted for output in run.outputs] == [0, 1]
    later = [a_pass.states[1] for a_pass in run.passes]
    assert later.count("prefill") == 2
    assert later[later.index("decode") : -1].count("waiting") >= 1


def test_an_idle_engine_waits_for_the_next_request() -> None:
    lm, requests = tiny("llama"), (Request((5,), 2), Request((6,), 1, arrives=9.0))
    run = served(lm, requests, Policy("", 4))
    assert run.passes[-1].started == 9.0
    assert run.first_seconds[1] == pytest.approx(run.passes[-1].seconds)
    static = served(lm, requests, Policy("", 2, is_continuous=False))
    assert static.passes[0].started == 9.0


def test_blocks_are_counted_by_hand() -> None:
    one, other = list(range(40)), [*range(33), 70, 71]
    for length, n_blocks in ((1, 1), (16, 1), (17, 2)):
        assert count_blocks([one], [length], shares_prefix=False) == n_blocks
    assert count_blocks([one, other], [40, 35], shares_prefix=False) == 6
    assert count_blocks([one, other], [40, 35], shares_prefix=True) == 4
    # the same tokens after another start are another block
    assert count_blocks([one, [99, *one[1:]]], [32, 32], shares_prefix=True) == 4
    assert count_blocks([one, other], [40, 0], shares_prefix=True) == 3


def test_the_fullest_moment_is_that_with_most_positions() -> None:
    lm = tiny("llama")
    run = served(lm, REQUESTS[:2], Policy("", 2))
    memory = fullest_moment(lm, run)
    assert memory.lengths == max((a_pass.lengths for a_pass in run.passes), key=sum)
    assert memory.lengths == (5, 19)  # the second leaves before its last token is read
    assert (memory.n_blocks, memory.n_shared, memory.n_reserved) == (3, 3, 2 * CONTEXT)
    alike = fullest_moment(lm, served(lm, (REQUESTS[1], REQUESTS[3]), Policy("", 2)))
    assert (alike.n_common, alike.n_blocks, alike.n_shared) == ((0, 1), 4, 3)


def test_a_comparison_serves_all_policies_and_can_be_looked_at_and_stopped() -> None:
    lm = tiny("llama")
    job: Job[Comparison] = Job(compare_policies(lm, REQUESTS, POLICIES[:2]))
    run_until(job, 30)
    job.stop()
    assert [run.policy.name for run in job.result.runs] == ["static", "continuous"]
    assert job.result.alone is None
    job = Job(compare_policies(lm, REQUESTS, POLICIES[:2]))
    run_until(job, 10_000)
    assert job.is_done
    assert job.result.n_same == 2 * len(REQUESTS)
    assert job.result.alone is not None


@pytest.mark.parametrize(
    ("architecture", "requests", "policy", "words"),
    [
        ("llama", (), POLICIES[0], "write a prompt"),
        ("llama", (Request((), 3),), POLICIES[0], "write a prompt"),
        ("llama", (Request((5,) * 90, 7),), POLICIES[0], "shorten the text"),
        ("llama", (Request((5,) * 30, 7),), Policy("", 2, n_blocks=2), "needs 3 blocks"),
        ("mamba", REQUESTS, POLICIES[0], "cannot be cropped"),
    ],
)
def test_what_cannot_be_served_is_refused_in_one_sentence(
    architecture: str, requests: tuple[Request, ...], policy: Policy, words: str
) -> None:
    with pytest.raises(ValueError, match=words):
        Job(compare_policies(tiny(architecture), requests, [policy]))
