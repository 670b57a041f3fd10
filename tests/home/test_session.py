"""What a reader does to a text, in the page's session; in any order, test_golden_sessions.py."""

from dataclasses import replace
from typing import Any
from urllib.parse import parse_qsl

import numpy as np
import pytest

from model.draw import uniform_at
from model.loading import LanguageModel
from model.tokenizing import encode, label
from pages.home.text_request import MAX_SEED
from tests.driving.in_page import InPage
from tests.home.page_session import PageSession
from tests.tiny_models import tiny, tokenizer

PROMPT = "The cat sat on the"
TEMPLATE = "{{ eos_token }}{{ messages[0]['content'] }}{{ eos_token }}"
MAX_BRANCHES = 8


@pytest.fixture
def session(in_page: InPage, storyteller: LanguageModel) -> PageSession:
    return PageSession(in_page, storyteller, PROMPT)


def test_c02_back_then_next_replays_the_same_tokens_until_a_setting_changes(
    session: PageSession,
) -> None:
    for event in ({"kind": "next"}, {"kind": "force", "token_id": 100}, {"kind": "next"}):
        session.do(**event)
    written = session.ids
    for _ in range(3):
        session.do("back")
    assert session.ids == written[:-3]
    for _ in range(3):
        named = session.header["next_id"]
        assert session.do("next").ids[-1] == named
    assert session.ids == written
    assert session.steps["forced"] == [False, True, False]
    for _ in range(2):
        session.do("back")
    session.do("next", controls=session.header["controls"] | {"greedy": True})
    assert (session.steps["forced"][-1], session.steps["rank"][-1]) == (False, 0)


def test_a_refused_token_loses_nothing_of_what_was_taken_back(session: PageSession) -> None:
    session.do("finish", count=3)
    written = session.ids
    session.do("back")
    for wrong in (-1, 4096, 1.5, None, "7"):
        assert session.do("force", token_id=wrong).notice != ""
    assert session.do("next").ids == written


def test_what_was_taken_back_is_written_again_as_it_came_about(session: PageSession) -> None:
    hot = session.header["controls"] | {"temperature": 1.5}
    session.do("next").do("force", token_id=100).do("next", controls=hot).do("seed", seed=7)
    session.do("next")
    before, query = session.steps["how"], session.header["query"]
    greedy = session.header["controls"] | {"greedy": True}
    session.do("reset").do("settings", controls=greedy).do("again", query=query)
    assert session.steps["how"] == before
    assert (session.header["controls"], session.header["seed"]) == (greedy, 7)
    assert session.notice == ""
    for wrong in (None, 7, "run=2", "prompt=x&run=many", "prompt=x&run=9&forced=4:9999999"):
        assert session.do("again", query=wrong).notice != "", wrong
        assert session.steps["how"][:4] == before
        assert session.header["controls"] == greedy


def test_a_branch_leaves_the_old_text_and_has_pointers_of_its_own(session: PageSession) -> None:
    session.do("finish", count=4)
    written, start = session.ids, session.header["n_prompt"]
    session.do("branch", position=start + 1)
    assert session.ids == written[: start + 1]
    assert session.header["reading"]["n_kept"] >= start, "the old text's cache was forked"
    session.do("next")
    assert session.steps["pointer"][-1] != uniform_at(0, start + 1)
    branch = session.ids
    session.do("prompt", text="Once upon a time")
    assert session.header["prompt"] == "Once upon a time"
    for number, text in ((0, written), (1, branch)):
        assert session.do("switch", id=number).ids == text
        assert session.header["reading"]["n_read"] == 0, "both are still in the cache"


def test_branches_are_bounded_and_the_one_that_has_to_go_is_named(session: PageSession) -> None:
    for n_branches in range(2, MAX_BRANCHES + 3):
        numbers = {*[branch["id"] for branch in session.header["branches"]]}
        oldest = min(numbers | {session.header["branch"]})
        session.do("next").do("branch", position=len(session.ids) - 1)
        numbers = {branch["id"] for branch in session.header["branches"]}
        numbers.add(session.header["branch"])
        assert len(numbers) == min(n_branches, MAX_BRANCHES)
        assert (oldest in numbers) == (session.notice == "") == (n_branches <= MAX_BRANCHES)


def test_a_finished_text_says_so_names_nothing_more_and_back_goes_on(session: PageSession) -> None:
    session.do("force", token_id=min(session.tab.lm.end_ids))
    finished = session.ids
    assert (session.header["finished"], session.header["next_id"]) == ("eos", None)
    assert session.do("next").ids == finished
    assert "end token" in session.notice
    assert session.do("back").header["finished"] is None


def test_a_look_back_shows_the_distribution_as_it_was(session: PageSession) -> None:
    drawn_from = session.logits
    session.do("next").do("inspect", position=len(session.ids) - 1)
    assert np.abs(session.arrays["inspect_logits"] - drawn_from).max() < 1e-4
    assert session.header["inspect"]["token_id"] == session.ids[-1]
    assert session.do("inspect", position=2).header["inspect"]["pointer"] is None
    for outside in (0, -1, len(session.ids)):
        assert session.do("inspect", position=outside).notice != ""
        assert session.header["inspect"] is None


def test_a_guess_is_ranked_among_all_tokens(session: PageSession) -> None:
    best, words = int(session.logits.argmax()), session.tab.lm.tokenizer
    guess = session.do("guess", text=words.decode([best])).header["guess"]
    assert (guess["label"], guess["rank"]) == (label(words, best), 0)
    assert 0 < guess["prob"] < 1
    assert "lone surrogate" in session.do("guess", text="a\ud800").notice
    assert session.do("guess", text=" ").notice != ""


def test_many_at_once_stop_where_the_text_ends_and_reset_leaves_the_prompt_alone(
    session: PageSession,
) -> None:
    prompt_ids = session.ids
    session.do("finish", count=20)
    assert len(session.ids) - len(prompt_ids) == 20 or session.header["finished"] == "eos"
    assert session.do("reset").ids == prompt_ids
    assert session.steps["how"] == []


def chat_session(in_page: InPage, template: str, **link: str) -> PageSession:
    words = tokenizer(chat_template=template)
    lm = replace(tiny("llama"), tokenizer=words, has_chat_template=True)
    return PageSession(in_page, lm, **{"prompt": "the cat", "seed": "3"} | link)


def test_a_chat_template_wraps_the_prompt_of_its_text_and_its_special_tokens_show(
    in_page: InPage,
) -> None:
    plain = chat_session(in_page, TEMPLATE)
    assert plain.ids == encode(plain.tab.lm, "the cat"), "plain text unless a chat is asked"
    assert "seed 3" in plain.notice
    session = chat_session(in_page, TEMPLATE, chat="1")
    wrapped = session.header["pieces"]
    assert (session.notice, session.header["chat"]) == ("", True)
    assert (wrapped[0]["special"], wrapped[-1]["special"]) == (True, True)
    assert session.ids == [piece["id"] for piece in wrapped]
    assert session.tab.prompt == "the cat", "lessons are told what was typed"
    session.do("finish", count=3).do("chat", chat=False)
    assert session.ids == encode(session.tab.lm, "the cat")
    assert len(session.header["branches"]) == 1
    session.do("switch", id=session.header["branches"][0]["id"])
    assert session.header["chat"]
    assert session.ids[: len(wrapped)] == [piece["id"] for piece in wrapped]


def test_a_chat_link_keeps_the_ids_of_its_run_and_says_where_the_template_gives_others(
    in_page: InPage,
) -> None:
    run = chat_session(in_page, TEMPLATE, chat="1").do("finish", count=3)
    link = dict(parse_qsl(run.query))
    again = chat_session(in_page, TEMPLATE, **link)
    assert (again.ids, again.notice) == (run.ids, "")
    for template, word in (
        (f"{{{{ strftime_now('%Y') }}}}{TEMPLATE}", "date"),
        (f"a{TEMPLATE}", "otherwise"),
        ("{{ raise_exception('no') }}", "refuses"),
    ):
        later = chat_session(in_page, template, **link)
        assert (later.ids, later.header["n_prompt"]) == (run.ids, run.header["n_prompt"])
        assert (word in later.notice, later.header["notice"]["kind"]) == (True, "info")
        assert later.query.partition("&seed=")[2] == run.query.partition("&seed=")[2]
        if word != "refuses":  # asked anew, it is today's
            later.do("chat", chat=True)
            assert len(later.ids) > run.header["n_prompt"]
    for ids, word in (("1,x", "ids"), ("1,99999", "99999"), (",".join(["1"] * 5000), "ids")):
        forged = chat_session(in_page, TEMPLATE, **link | {"ids": ids})
        assert (forged.ids[: run.header["n_prompt"]], word in forged.notice) == (
            run.ids[: run.header["n_prompt"]],
            True,
        )
    plain = chat_session(in_page, TEMPLATE, chat="0", ids="5,6,7")
    assert plain.ids == encode(plain.tab.lm, "the cat"), "ids stand for a template's text alone"


def test_a_template_that_refuses_leaves_the_text_as_it_was(in_page: InPage) -> None:
    session = chat_session(in_page, "{{ raise_exception('no') }}", chat="1")
    assert session.notice != ""
    assert not session.header["chat"], "the prompt is read without it"
    assert session.header["prompt"] == "the cat"
    before = session.ids
    assert session.do("chat", chat=True).notice != ""
    assert (session.header["chat"], session.ids) == (False, before)


def test_a_branch_of_a_cache_that_cannot_be_cropped_says_that_all_is_read_again(
    in_page: InPage,
) -> None:
    session = PageSession(in_page, tiny("mamba"), "the cat", seed="3").do("finish", count=3)
    session.do("branch", position=len(session.ids) - 1)
    assert "again" in session.notice


def test_a_branch_of_the_largest_seed_has_a_seed_that_can_be_shown(
    in_page: InPage, storyteller: LanguageModel
) -> None:
    session = PageSession(in_page, storyteller, PROMPT, seed=str(MAX_SEED)).do("next")
    session.do("branch", position=len(session.ids) - 1)
    assert 0 <= session.header["seed"] <= MAX_SEED
    assert session.notice == ""


@pytest.mark.parametrize(
    "event",
    [{"kind": "next"}, {"kind": "prompt", "text": "One day"}, {"kind": "rewind", "position": 8}],
)
def test_an_event_of_another_branch_changes_nothing(
    session: PageSession, event: dict[str, Any]
) -> None:
    session.do("finish", count=4).do("branch", position=len(session.ids) - 1)
    before = session.ids
    assert session.do(**event, branch=0).ids == before
    assert session.header["notice"]["kind"] == "info"
    session.do("switch", id=0, branch=0)  # it means no text in particular
    assert session.header["branch"] == 0


def test_a_server_that_forgets_is_noticed_by_one_prefill_and_nothing_else(
    session: PageSession,
) -> None:
    session.do("finish", count=6)
    named = session.header["next_id"]
    session.forget()
    session.do("next")
    assert (session.ids[-1], session.notice) == (named, "")
    reading = session.header["reading"]
    assert (reading["n_kept"], reading["n_read"]) == (0, len(session.ids))
    session.do("next")
    assert session.header["reading"]["n_read"] == 1


@pytest.mark.parametrize(
    ("changed", "n_read"),
    [("The cat sat on the mat", 1), ("The cat sat on a", 1), ("The dog sat on the", 4)],
)
def test_an_edited_prompt_reads_what_stands_behind_the_edit(
    session: PageSession, changed: str, n_read: int
) -> None:
    session.do("prompt", text=changed)
    reading = session.header["reading"]
    assert reading["n_kept"] + reading["n_read"] == len(session.ids)
    assert n_read <= reading["n_read"] <= n_read + 2  # a word may be several tokens
    assert session.header["timing"]["phase"] == "prefill"


def test_links_of_claims_open_side_by_side(session: PageSession) -> None:
    session.do("open", texts=[{"query": "prompt=A&seed=2&run=3", "keep": False}])
    session.do("open", texts=[{"query": "prompt=A", "keep": True}])
    assert len(session.header["branches"]) == 1
    assert session.header["branches"][0]["query"].startswith("prompt=A&seed=2")


def test_a_saved_run_opens_again_and_what_is_none_is_refused(session: PageSession) -> None:
    session.do("finish", count=4).do("force", token_id=300)
    written, query = session.ids, session.query
    session.do("prompt", text="Another")
    assert session.do("open run", text=f'{{"link": "{query}"}}').ids == written
    for wrong in ("", "[1]", "{}", "[" * 9999, '{"link": 7}', '{"link": "seed=1"}'):
        assert session.do("open run", text=wrong).ids == written
        assert session.header["notice"]["kind"] == "error"
        assert len(session.notice) < 300


def test_of_another_model_the_same_prompt_goes_on(session: PageSession) -> None:
    session.do("next").do("seed", seed=5)
    controls = session.header["controls"]
    session.tab.use(tiny("llama"))
    session.do("model")
    assert session.ids == encode(session.tab.lm, PROMPT)
    assert (session.header["seed"], session.header["controls"]) == (5, controls)
    assert session.header["model"]["name"] == session.tab.lm.name
    assert session.do("next").notice == ""
