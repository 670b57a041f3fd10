"""The claims of the home page, each run as the page sets it up, on the shipped model."""

import inspect
import math

import numpy as np
import pytest
import torch

from model.draw import rank_order
from model.generation import Generation
from model.loading import LanguageModel
from model.sampling import Settings, process
from pages.home.controls import Controls
from pages.home.home_extras import HOME_CLAIMS, set_up
from tests.driving.in_page import InPage
from tests.home.page_session import PageSession

BY_ID = {claim.id: claim for claim in HOME_CLAIMS}


@pytest.fixture
def session(in_page: InPage, storyteller: LanguageModel) -> PageSession:
    return PageSession(in_page, storyteller, "A text that was here before")


def tried(session: PageSession, claim_id: str) -> PageSession:
    set_up(session.tab, BY_ID[claim_id])
    command = dict(session.tab.commands[-1])
    del command["id"]
    session.do(**command)
    assert session.notice == ""
    return session


def probs(session: PageSession) -> np.ndarray:
    logits = session.logits.astype(np.float64)
    exps = np.exp(logits - logits.max())
    return np.asarray(exps / exps.sum())


def n_kept(session: PageSession, **controls: object) -> int:
    """Of the next distribution, under the sliders as they stand but for some."""
    settings = Controls.from_page(session.header["controls"] | controls).settings()
    stages = process(session.logits, session.ids, settings, session.header["n_prompt"])
    return int(np.count_nonzero(stages[-1].kept))


@pytest.mark.parametrize("claim_id", BY_ID)
def test_every_claim_of_the_page_can_be_set_up_and_its_link_followed(
    session: PageSession, claim_id: str
) -> None:
    assert tried(session, claim_id).header["prompt"] == BY_ID[claim_id].query["prompt"]
    ids, query = session.ids, session.header["query"]
    assert session.do("prompt", text="Another").do("open run", text=f'{{"link": "{query}"}}')
    assert session.ids == ids


def test_c01_the_output_of_a_step_is_part_of_the_input_of_the_next(session: PageSession) -> None:
    tried(session, "C01")
    for _ in range(3):
        named = session.header["next_id"]
        session.do("next")
        with torch.inference_mode():
            fresh = session.tab.lm.model(torch.tensor([session.ids])).logits[0, -1].numpy()
        assert np.allclose(session.logits, fresh, atol=1e-4)
        assert session.ids[-1] == named


def test_c02_going_back_crops_and_what_follows_is_written_anew(session: PageSession) -> None:
    tried(session, "C02")
    old = session.ids
    middle = session.header["n_prompt"] + 6
    session.do("branch", position=middle)
    assert session.ids == old[:middle]
    assert session.header["cache"]["tokens"] == middle
    session.do("force", token_id=int(np.argmin(session.logits)))
    assert session.ids[:middle] == old[:middle]
    assert session.ids[middle] != old[middle]


def test_c04_one_logit_for_every_entry_of_the_vocabulary(session: PageSession) -> None:
    tried(session, "C10")
    assert session.logits.shape == (session.tab.lm.vocab_size,)
    assert math.isclose(probs(session).sum(), 1, abs_tol=1e-9)
    drawn_from = probs(session)
    session.do("next")
    assert session.steps["prob"][-1] == pytest.approx(drawn_from[session.ids[-1]], rel=1e-4)


def test_c05_an_end_token_ends_the_text_and_so_does_the_limit(session: PageSession) -> None:
    tried(session, "C05")
    for _ in range(300):
        session.do("next")
        if session.header["finished"]:
            break
    assert session.header["finished"] == "eos"
    assert session.ids[-1] in session.tab.lm.end_ids
    n_asked = len(session.asked)
    session.do("next")
    assert len(session.asked) == n_asked, "no pass runs after an end"
    short = Generation(session.tab.lm, "Once", max_new_tokens=2)
    short.step()
    short.step()
    assert short.finished == "length"


def test_c06_prefill_caches_the_prompt_at_once_and_each_step_one_more(session: PageSession) -> None:
    tried(session, "C06")
    for _ in range(4):
        session.do("next")
    rows, n_prompt = session.steps, session.header["n_prompt"]
    spans = list(zip(rows["phase"], rows["n_input"], rows["cache_tokens"], strict=True))
    decodes = [("decode", 1, n_prompt + i + 1) for i in range(3)]
    assert spans == [("prefill", n_prompt, n_prompt), *decodes]
    per_token = session.tab.lm.cache_shape.bytes_per_token
    assert rows["bytes"] == [n_tokens * per_token for n_tokens in rows["cache_tokens"]]


def test_c07_the_code_beside_the_picture_is_the_function_that_ran(session: PageSession) -> None:
    code = tried(session, "C01").header["code"]
    ran = inspect.getsource(inspect.unwrap(Generation.step))
    assert [line.strip() for line in code["lines"]] == [
        line.strip() for line in ran.rstrip().split("\n")[-len(code["lines"]) :]
    ]
    assert list(code["stages"]) == ["cut", "draw", "append", "stop", "read", "score"]


def test_c09_the_running_sum_is_the_log_of_the_product(session: PageSession) -> None:
    tried(session, "C09")
    session.do("next")
    ids, n_prompt = session.ids, session.header["n_prompt"]
    with torch.inference_mode():
        logprobs = session.tab.lm.model(torch.tensor([ids])).logits[0].double().log_softmax(-1)
    given = sum(float(logprobs[i - 1, ids[i]]) for i in range(n_prompt, len(ids)))
    assert math.isclose(session.header["logprob"], given, abs_tol=1e-3)
    product = math.prod(session.steps["prob"])
    assert math.isclose(session.header["logprob"], math.log(product), abs_tol=1e-3)


def test_c10_an_early_word_moves_a_late_distribution(session: PageSession) -> None:
    tried(session, "C10")
    fish, last = probs(session), session.ids[-1]
    (other,) = (
        branch for branch in session.header["branches"] if branch["query"].startswith("prompt=The")
    )
    bird = probs(session.do("switch", id=other["id"]))
    assert 0.5 * np.abs(fish - bird).sum() > 0.05
    assert session.ids[-1] == last


def test_c11_there_is_no_draft_beyond_the_next_distribution(session: PageSession) -> None:
    tried(session, "C02")
    assert {name: len(array) for name, array in session.arrays.items()} == {
        "logits": session.tab.lm.vocab_size
    }


@pytest.mark.nightly  # by day the claim itself and test_sampling_lab.py
def test_c12_greedy_repeats_itself_and_is_the_same_every_time(session: PageSession) -> None:
    tried(session, "C12")
    first = session.ids
    assert set(session.steps["rank"]) == {0}
    assert tried(session, "C12").ids == first


def test_c13_temperature_never_changes_the_order(session: PageSession) -> None:
    tried(session, "C13")
    order = rank_order(session.logits)
    for temperature in (0.2, 0.7, 2.0):
        stage = process(session.logits, session.ids, Settings(temperature=temperature))[-1]
        assert (stage.name, stage.kept.all()) == ("temperature", True)
        assert (rank_order(stage.scores) == order).all()


def test_c14_c15_top_p_follows_the_shape_and_top_k_does_not(session: PageSession) -> None:
    tried(session, "C14")
    kept: dict[str, list[int]] = {"top_p": [], "top_k": [], "min_p": []}
    numbers = [session.header["branches"][-1]["id"], session.header["branch"]]
    for number in numbers:
        session.do("switch", id=number)
        for mask, counts in kept.items():
            counts.append(n_kept(session, use=[mask]))
    assert kept["top_k"] == [10, 10]
    assert max(kept["top_p"]) > 4 * min(kept["top_p"])
    assert kept["min_p"][0] != kept["min_p"][1]


def test_c16_a_seed_gives_the_same_text_and_another_seed_another(session: PageSession) -> None:
    tried(session, "C16")
    one, two = session.header["branches"][-1]["ids"], session.ids
    assert one != two
    tried(session, "C16")
    assert [session.header["branches"][-1]["ids"], session.ids] == [one, two]


def test_c19_the_order_of_the_stages_changes_what_is_kept(session: PageSession) -> None:
    tried(session, "C19")
    assert n_kept(session, order="transformers") > n_kept(session)


def test_c41_tokens_are_pieces_of_words_and_of_characters(session: PageSession) -> None:
    tried(session, "C41")
    prompt, pieces = session.header["prompt"], session.header["pieces"]
    assert len(pieces) > 1.5 * len(prompt.split())
    assert any(piece["joined"] == "🍓" for piece in pieces)
    assert b"".join(bytes.fromhex(piece["bytes"]) for piece in pieces).decode() == prompt
