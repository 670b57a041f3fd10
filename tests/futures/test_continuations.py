"""The tree of all continuations against brute force: every text, and what is left of them."""

import itertools
import math
import time

import numpy as np
import pytest

from model.beam_search.experiments import compare_searches
from model.futures import continuations
from model.futures.continuations import Continuations, open_texts
from model.generation import Generation
from model.job import Job, finish
from model.language_model import LanguageModel
from model.masks import log_softmax
from model.passes import PassError
from pages.frame.story import KING
from tests.tiny_models import CONTEXT, bare_model, fresh_logits, loaded, tiny

PROMPT = [5, 6, 7]


def ids_of(tree: Continuations, place: int) -> tuple[int, ...]:
    text = tree.texts[place]
    return () if text.parent < 0 else (*ids_of(tree, text.parent), text.token_id)


def rest_by_hand(tree: Continuations, n_tokens: int) -> float:
    """The probability of all that was not opened, one closed text after another."""
    opened = {ids_of(tree, place) for place in range(len(tree.texts))}
    rest = 0.0
    for ids in opened:
        if len(ids) < n_tokens - 1:
            logprobs = log_softmax(fresh_logits(tree.start.lm, [*tree.start.ids, *ids]))
            closed = [
                token_id
                for token_id in range(tree.start.lm.vocab_size)
                if token_id not in tree.start.lm.end_ids and (*ids, token_id) not in opened
            ]
            total = math.fsum(
                float(log_softmax(fresh_logits(tree.start.lm, [*tree.start.ids, *ids[:i]]))[one])
                for i, one in enumerate(ids)
            )
            rest += float(np.exp(total + logprobs[closed]).sum())
    return rest


@pytest.mark.oracle
def test_every_text_is_opened_with_the_probability_that_brute_force_gives(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """All 289 first tokens, each read alone by transformers' own pass without a cache."""
    monkeypatch.setattr(continuations, "MIN_HELD", 290)
    lm, began = tiny("llama"), time.monotonic()
    tree = Continuations(Generation(lm, PROMPT))
    finish(open_texts(tree, n_tokens=2, mass=1.0, n_passes=99))
    assert tree.is_whole(2)
    assert 0 < tree.seconds < time.monotonic() - began
    assert tree.mass(2) == pytest.approx(1, abs=1e-6)
    assert tree.n_passes == math.ceil(289 / continuations.N_ROWS)
    first = log_softmax(fresh_logits(lm, PROMPT))
    texts = {ids_of(tree, place): text for place, text in enumerate(tree.texts)}
    assert set(texts) == {(), *((i,) for i in range(lm.vocab_size) if i not in lm.end_ids)}
    for ids, text in texts.items():
        if ids:
            assert text.logprob == pytest.approx(first[ids[0]], abs=1e-4)
            logits = fresh_logits(lm, [*PROMPT, *ids])
            own = np.empty_like(logits)
            own[text.next_ids] = text.following.logits
            assert np.abs(own - logits).max() < 1e-4
            others = fresh_logits(lm, [*PROMPT, (ids[0] + 1) % lm.vocab_size])
            assert np.abs(own - others).max() > 1e-2, "rows that are mixed up would be seen"


@pytest.mark.parametrize("n_tokens", [2, 3, 4])
def test_what_was_opened_and_what_was_not_add_up_to_one(n_tokens: int) -> None:
    tree = Continuations(Generation(tiny("llama"), PROMPT))
    finish(open_texts(tree, n_tokens, mass=1.0, n_passes=3))
    assert len(tree.texts) == 1 + 3 * continuations.N_ROWS
    mass = tree.mass(n_tokens)
    assert mass + rest_by_hand(tree, n_tokens) == pytest.approx(1, abs=1e-6)
    ended = tree._ended[:n_tokens].sum()
    assert n_tokens == 2 or ended > 1e-5, "texts that end early would be missed"


def test_the_likeliest_are_opened_first_and_none_twice(storyteller: LanguageModel) -> None:
    tree = Continuations(Generation(storyteller, "She wanted to drink some"))
    assert tree.mass(1) == pytest.approx(1, abs=1e-9)  # the prompt's own pass tells all of it
    finish(open_texts(tree, 3, 0.9, n_passes=4))
    texts = opened(tree)
    assert len(set(texts)) == len(texts)
    first = [ids[0] for ids in texts if len(ids) == 1]
    assert first == tree.texts[0].next_ids[: len(first)].tolist()
    for text, later in itertools.pairwise(tree.texts[1 : 1 + continuations.N_ROWS]):
        assert text.logprob >= later.logprob
    # a longer continuation goes on from there, and what is known of a shorter one stays
    known = tree.mass(3)
    finish(open_texts(tree, 4, 0.9, n_passes=2))
    assert tree.mass(3) >= known > tree.mass(4) > 0


@pytest.mark.parametrize(
    "prompt",
    [KING, "The fish wanted to swim in the", "Max was very happy because", "Once upon a"],
)
@pytest.mark.parametrize("n_tokens", [1, 3, 4])
def test_whether_greedys_text_is_the_likeliest_is_what_the_exact_search_finds(
    storyteller: LanguageModel, prompt: str, n_tokens: int
) -> None:
    found = finish(compare_searches(storyteller, prompt, 1, n_tokens, limit=20_000))
    assert found.is_proved
    tree = Continuations(Generation(storyteller, prompt))
    assert (tree.greedy_is_likeliest(n_tokens) is None) == (n_tokens > 1)
    while tree.greedy_is_likeliest(n_tokens) is None:
        tree.step(n_tokens)
    assert tree.greedy_is_likeliest(n_tokens) == (found.best.labels == found.greedy.labels)


def test_the_way_to_a_text_is_opened_and_never_again(storyteller: LanguageModel) -> None:
    text = Generation(storyteller, "The cat sat on the", seed=5)
    tree = Continuations(text.fork())
    for _ in range(3):
        text.step()
    way = text.ids[text.n_prompt :]
    tree.open_along(way)
    texts = opened(tree)
    assert texts == [tuple(way[:n]) for n in range(4)]
    assert tree.texts[3].logprob == pytest.approx(text.logprob, abs=1e-4)
    for known in (way, [*way[:2], min(storyteller.end_ids), 300]):  # nothing follows an end
        tree.open_along(known)
    assert tree.n_passes == 3
    finish(open_texts(tree, 4, 0.9, n_passes=4))
    texts = opened(tree)
    assert len(set(texts)) == len(texts) == 4 + 4 * continuations.N_ROWS
    first = {ids[0] for ids in texts if len(ids) == 1}
    assert first > set(tree.texts[0].next_ids[:20].tolist()), "none that is likelier was left out"


def test_a_budget_a_stop_and_a_share_end_it_and_it_goes_on_from_there(
    storyteller: LanguageModel,
) -> None:
    tree = Continuations(Generation(storyteller, "Once there was a king who"))
    job = Job(open_texts(tree, 3, 1.0, n_passes=3))
    job.run_for(0.0001)
    job.stop()
    n_stopped = tree.n_passes
    assert n_stopped < 3
    assert job.result is tree
    assert finish(open_texts(tree, 3, 1.0, n_passes=2)).n_passes == n_stopped + 2
    enough = tree.mass(3)
    assert finish(open_texts(tree, 3, enough, n_passes=5)).n_passes == n_stopped + 2
    assert finish(open_texts(tree, 3, enough + 0.01, n_passes=50)).mass(3) > enough + 0.01


def failing(places: set[int]) -> LanguageModel:
    """A model some of whose passes fail, by their number."""
    lm, count = loaded(bare_model("gpt2")), itertools.count()

    def fail(*_: object) -> None:
        if next(count) in places:
            raise RuntimeError("no room on the device")

    lm.model.register_forward_pre_hook(fail)
    return lm


def opened(tree: Continuations) -> list[tuple[int, ...]]:
    return [ids_of(tree, place) for place in range(len(tree.texts))]


def test_a_pass_that_fails_opens_nothing_and_a_press_goes_on_from_there() -> None:
    whole = Continuations(Generation(failing(set()), PROMPT))
    finish(open_texts(whole, 3, 1.0, n_passes=4))
    tree = Continuations(Generation(failing({3}), PROMPT))  # the prompt's own pass is the first
    job = Job(open_texts(tree, 3, 1.0, n_passes=4))
    job.run_for(60)
    assert not job.is_running
    assert "no room on the device" in (job.notice or "")
    assert (job.result, tree.n_passes, opened(tree)) == (tree, 2, opened(whole)[:129])
    finish(open_texts(tree, 3, 1.0, n_passes=2))
    assert opened(tree) == opened(whole), "what it was to open is not lost"


def test_a_way_that_is_opened_in_part_is_not_opened_twice() -> None:
    tree = Continuations(Generation(failing({2}), PROMPT))
    way = [int(tree.texts[0].next_ids[rank]) for rank in (0, 1, 2)]
    with pytest.raises(PassError):
        tree.open_along(way)
    assert opened(tree) == [(), tuple(way[:1])]
    finish(open_texts(tree, 3, 1.0, n_passes=3))
    assert len(set(opened(tree))) == len(opened(tree)) == 2 + 3 * continuations.N_ROWS


@pytest.mark.parametrize("n_left", [0, 3])
def test_a_prompt_without_room_for_four_tokens_is_refused(n_left: int) -> None:
    with pytest.raises(ValueError, match="shorten"):
        Continuations(Generation(tiny("llama"), [5] * (CONTEXT - n_left)))
    Continuations(Generation(tiny("llama"), [5] * (CONTEXT - 4)))
