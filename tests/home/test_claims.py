"""The claims of the home page, each run as the page sets it up, on the shipped model."""

import inspect
import math

import numpy as np
import pytest
import torch
from pages.home.session import Session

from model.draw import rank_order
from model.generation import Generation
from model.loading import LanguageModel
from model.sampling import Settings
from pages.home.home_extras import HOME_CLAIMS, set_up
from pages.home.payload import columns_of, describe
from tests.home.conftest import do, reopened

BY_ID = {claim.id: claim for claim in HOME_CLAIMS}


@pytest.fixture
def session(storyteller: LanguageModel) -> Session:
    return Session(storyteller, "A text that was here before")


def tried(session: Session, claim_id: str) -> Session:
    set_up(session, BY_ID[claim_id])
    assert session.notice is None
    return session


def header(session: Session) -> dict[str, object]:
    return describe(session) | {"steps": columns_of(session, 0)}


def probs(session: Session) -> np.ndarray:
    logits = session.generation.logits.astype(np.float64)
    exps = np.exp(logits - logits.max())
    return np.asarray(exps / exps.sum())


@pytest.mark.parametrize("claim_id", BY_ID)
def test_every_claim_of_the_page_can_be_set_up_and_its_link_followed(
    session: Session, claim_id: str
) -> None:
    assert tried(session, claim_id).prompt == BY_ID[claim_id].query["prompt"]
    assert reopened(session).generation.ids == session.generation.ids


def test_c01_the_output_of_a_step_is_part_of_the_input_of_the_next(session: Session) -> None:
    tried(session, "C01")
    generation = session.generation
    for _ in range(3):
        do(session, "next")
        with torch.inference_mode():
            fresh = generation.lm.model(torch.tensor([generation.ids])).logits[0, -1].numpy()
        assert np.allclose(generation.logits, fresh, atol=1e-4)
        assert generation.ids[-1] == generation.steps[-1].token_id


def test_c02_going_back_crops_and_what_follows_is_written_anew(session: Session) -> None:
    tried(session, "C02")
    old = list(session.generation.ids)
    middle = session.generation.n_prompt + 6
    do(session, "branch", position=middle)
    assert session.generation.ids == old[:middle]
    assert session.generation.cache_tokens == middle
    do(session, "force", token_id=int(np.argmin(session.generation.logits)))
    assert session.generation.ids[:middle] == old[:middle]
    assert session.generation.ids[middle] != old[middle]


def test_c04_one_logit_for_every_entry_of_the_vocabulary(session: Session) -> None:
    tried(session, "C10")
    assert session.generation.logits.shape == (session.lm.vocab_size,)
    do(session, "next")
    step = session.generation.steps[-1]
    assert math.isclose(probs(session).sum(), 1, abs_tol=1e-9)
    assert 0 < step.prob <= 1


def test_c05_an_end_token_ends_the_text_and_so_does_the_limit(session: Session) -> None:
    tried(session, "C05")
    for _ in range(300):
        do(session, "next")
        if session.generation.finished:
            break
    assert session.generation.finished == "eos"
    assert session.generation.ids[-1] in session.lm.end_ids
    n_passes = len(session.generation.passes)
    do(session, "next")
    assert len(session.generation.passes) == n_passes
    short = Generation(session.lm, "Once", max_new_tokens=2)
    short.step()
    short.step()
    assert short.finished == "length"


def test_c06_prefill_caches_the_prompt_at_once_and_each_step_one_more(session: Session) -> None:
    tried(session, "C06")
    for _ in range(4):
        do(session, "next")
    rows = header(session)["steps"]
    assert isinstance(rows, dict)
    n_prompt = session.generation.n_prompt
    spans = list(zip(rows["phase"], rows["n_input"], rows["cache_tokens"], strict=True))
    decodes = [("decode", 1, n_prompt + i + 1) for i in range(3)]
    assert spans == [("prefill", n_prompt, n_prompt), *decodes]
    per_token = session.lm.cache_shape.bytes_per_token
    assert rows["bytes"] == [n_tokens * per_token for n_tokens in rows["cache_tokens"]]


def test_c07_the_code_beside_the_picture_is_the_function_that_ran(session: Session) -> None:
    code = header(tried(session, "C01"))["code"]
    assert isinstance(code, dict)
    ran = inspect.getsource(inspect.unwrap(Generation.step))
    assert [line.strip() for line in code["lines"]] == [
        line.strip() for line in ran.rstrip().split("\n")[-len(code["lines"]) :]
    ]
    assert list(code["stages"]) == ["mask", "choose", "append", "stop", "run"]


def test_c09_the_running_sum_is_the_log_of_the_product(session: Session) -> None:
    tried(session, "C09")
    do(session, "next")
    generation = session.generation
    ids, n_prompt = generation.ids, generation.n_prompt
    with torch.inference_mode():
        logprobs = generation.lm.model(torch.tensor([ids])).logits[0].double().log_softmax(-1)
    given = sum(float(logprobs[i - 1, ids[i]]) for i in range(n_prompt, len(ids)))
    assert math.isclose(generation.logprob, given, abs_tol=1e-3)
    product = math.prod(step.prob for step in generation.steps)
    assert math.isclose(generation.logprob, math.log(product), abs_tol=1e-6)


def test_c10_an_early_word_moves_a_late_distribution(session: Session) -> None:
    tried(session, "C10")
    fish = probs(session)
    other = next(b for b in session.branches if "bird" in b.prompt or "fish" in b.prompt)
    do(session, "switch", id=other.number)
    bird = probs(session)
    assert 0.5 * np.abs(fish - bird).sum() > 0.05
    assert session.branches[-1].generation.ids[-1] == session.branches[-2].generation.ids[-1]


def test_c11_there_is_no_draft_beyond_the_next_distribution(session: Session) -> None:
    tried(session, "C02")
    arrays = describe(session)["distribution"].arrays
    logits = [array for name, array in arrays.items() if name.endswith("logits")]
    assert [len(array) for array in logits] == [session.lm.vocab_size]


def test_c12_greedy_repeats_itself_and_is_the_same_every_time(session: Session) -> None:
    tried(session, "C12")
    first = list(session.generation.ids)
    assert all(step.rank == 0 for step in session.generation.steps)
    tried(session, "C12")
    assert session.generation.ids == first


def test_c13_temperature_never_changes_the_order(session: Session) -> None:
    tried(session, "C13")
    order = rank_order(session.generation.logits)
    for temperature in (0.2, 0.7, 2.0):
        stage = session.generation.stages_for(Settings(temperature=temperature))[-1]
        assert (stage.name, stage.kept.all()) == ("temperature", True)
        assert (rank_order(stage.scores) == order).all()


def test_c14_c15_top_p_follows_the_shape_and_top_k_does_not(session: Session) -> None:
    tried(session, "C14")
    n_kept: dict[str, list[int]] = {"top_p": [], "top_k": [], "min_p": []}
    for branch in session.branches[-2:]:
        do(session, "switch", id=branch.number)
        for mask in n_kept:
            controls = session.controls.to_page() | {"use": [mask]}
            do(session, "next", controls=controls)
            n_kept[mask].append(session.generation.steps[-1].n_kept)
            do(session, "back")
    assert n_kept["top_k"] == [10, 10]
    assert max(n_kept["top_p"]) > 4 * min(n_kept["top_p"])
    assert n_kept["min_p"][0] != n_kept["min_p"][1]


def test_c16_a_seed_gives_the_same_text_and_another_seed_another(session: Session) -> None:
    tried(session, "C16")
    one, two = (list(branch.generation.ids) for branch in session.branches[-2:])
    assert one != two
    tried(session, "C16")
    assert [list(branch.generation.ids) for branch in session.branches[-2:]] == [one, two]


def test_c19_the_order_of_the_stages_changes_what_is_kept(session: Session) -> None:
    tried(session, "C19")
    do(session, "next")
    last = session.generation.steps[-1].n_kept
    do(session, "back")
    do(session, "next", controls=session.controls.to_page() | {"order": "transformers"})
    assert session.generation.steps[-1].n_kept > last


def test_c41_tokens_are_pieces_of_words_and_of_characters(session: Session) -> None:
    tried(session, "C41")
    n_words = len(session.prompt.split())
    assert len(session.draft_pieces) > 1.5 * n_words
    assert any(piece.joined == "🍓" for piece in session.draft_pieces)
    assert b"".join(p.data for p in session.draft_pieces).decode() == session.prompt
