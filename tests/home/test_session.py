"""What a reader does to a text, event by event; in any order, test_session_properties.py."""

from dataclasses import replace
from typing import Any

import pytest
from pages.home.branch import MAX_SEED
from pages.home.session import MAX_BRANCHES, Session

from model.draw import uniform_at
from model.loading import LanguageModel
from model.tokenizing import encode, label
from pages.home.link import write_text
from tests.home.conftest import do
from tests.tiny_models import tiny, tokenizer

PROMPT = "The cat sat on the"
TEMPLATE = "{{ eos_token }}{{ messages[0]['content'] }}{{ eos_token }}"


@pytest.fixture
def session(storyteller: LanguageModel) -> Session:
    return Session(storyteller, PROMPT)


def ids(session: Session) -> list[int]:
    return list(session.generation.ids)


def test_c02_back_then_next_replays_the_same_tokens_until_a_setting_changes(
    session: Session,
) -> None:
    do(session, "next")
    do(session, "force", token_id=100)
    do(session, "next")
    written = ids(session)
    for _ in range(3):
        do(session, "back")
    assert len(ids(session)) == len(written) - 3
    for _ in range(3):
        do(session, "next")
    assert ids(session) == written
    assert [step.forced for step in session.generation.steps] == [False, True, False]
    for _ in range(2):
        do(session, "back")
    do(session, "next", controls=session.controls.to_page() | {"greedy": True})
    step = session.generation.steps[-1]
    assert (step.forced, step.rank) == (False, 0)


def test_what_was_taken_back_is_written_again_as_it_came_about(session: Session) -> None:
    hot = session.controls.to_page() | {"temperature": 1.5}
    do(session, "next")
    do(session, "force", token_id=100)
    do(session, "next", controls=hot)
    session.reseed(7)
    do(session, "next")
    before, query = list(session.active.choices), write_text(session.active)
    do(session, "reset")
    do(session, "settings", controls=session.controls.to_page() | {"greedy": True})
    controls = session.controls
    do(session, "again", query=query)
    assert session.active.choices == before
    assert (session.controls, session.seed, session.notice) == (controls, 7, None)
    for wrong in (None, 7, "run=2", "prompt=x&run=many", "prompt=x&run=9&forced=4:9999999"):
        do(session, "again", query=wrong)
        assert session.notice is not None, wrong
        assert session.active.choices[:4] == before
        assert session.controls == controls


def test_a_branch_leaves_the_old_text_and_tosses_coins_of_its_own(session: Session) -> None:
    do(session, "finish", count=4)
    written, start = ids(session), session.generation.n_prompt
    do(session, "branch", position=start + 1)
    assert ids(session) == written[: start + 1]
    do(session, "next")
    step = session.generation.steps[-1]
    assert step.coin != uniform_at(0, step.position)
    do(session, "prompt", text="Once upon a time")
    assert session.generation.text == "Once upon a time"
    for number, text in ((0, written), (1, [*written[: start + 1], step.token_id])):
        assert ids(do(session, "switch", id=number)) == text


def test_branches_are_bounded_and_the_one_that_has_to_go_is_named(session: Session) -> None:
    for n_branches in range(2, MAX_BRANCHES + 3):
        oldest = session.branches[0].number
        do(session, "next")
        do(session, "branch", position=len(ids(session)) - 1)
        numbers = [branch.number for branch in session.branches]
        assert len(numbers) == min(n_branches, MAX_BRANCHES)
        assert session.active.number in numbers
        notice = session.notice
        assert (oldest in numbers) == (notice is None) == (n_branches <= MAX_BRANCHES)
        assert notice is None or notice.kind == "info"


def test_a_finished_text_says_so_names_nothing_more_and_back_goes_on(session: Session) -> None:
    do(session, "force", token_id=min(session.lm.end_ids))
    finished = ids(session)
    assert session.next_id() is None
    do(session, "next")
    assert ids(session) == finished
    assert session.notice is not None
    assert "end token" in session.notice.text
    do(session, "back")
    assert session.generation.finished is None


def test_a_look_back_shows_the_distribution_as_it_was(session: Session) -> None:
    drawn_from = session.generation.distribution
    do(session, "next")
    seen = do(session, "inspect", position=len(ids(session)) - 1).inspection
    assert seen is not None
    assert (seen.distribution.logits == drawn_from.logits).all()
    assert seen.token_id == ids(session)[-1]
    prompt_seen = do(session, "inspect", position=2).inspection
    assert prompt_seen is not None
    assert prompt_seen.coin is None


def test_a_guess_is_ranked_among_all_tokens(session: Session) -> None:
    best = int(session.generation.logits.argmax())
    guess = do(session, "guess", text=session.lm.tokenizer.decode([best])).guess
    assert guess is not None
    assert (guess.label, guess.rank) == (label(session.lm.tokenizer, best), 0)
    assert 0 < guess.prob < 1
    notice = do(session, "guess", text="a\ud800").notice
    assert notice is not None
    assert "lone surrogate" in notice.text


def test_many_at_once_stop_where_the_text_ends_and_reset_leaves_the_prompt_alone(
    session: Session,
) -> None:
    prompt_ids = ids(session)
    do(session, "finish", count=20)
    n_written = len(ids(session)) - len(prompt_ids)
    assert n_written == 20 or session.generation.finished == "eos"
    do(session, "reset")
    assert ids(session) == prompt_ids
    assert session.active.choices == []


def chat_session(template: str) -> Session:
    lm = replace(tiny("llama"), tokenizer=tokenizer(chat_template=template), has_chat_template=True)
    return Session(lm, "the cat", seed=3, chat=True)


def test_a_chat_template_wraps_the_prompt_of_its_branch_and_its_special_tokens_show() -> None:
    session = chat_session(TEMPLATE)
    wrapped = session.draft_pieces
    assert session.notice is None
    assert session.chat
    assert not Session(session.lm, "the cat").chat, "a prompt is plain text unless a chat is asked"
    assert (wrapped[0].special, wrapped[-1].special) == (True, True)
    assert ids(session) == [piece.token_id for piece in wrapped]
    do(session, "finish", count=3)
    session.wrap_in_chat(False)
    assert ids(session) == encode(session.lm, "the cat")
    assert [branch.chat for branch in session.branches] == [True, False]
    do(session, "switch", id=session.branches[0].number)
    assert session.chat
    assert ids(session)[: len(wrapped)] == [piece.token_id for piece in wrapped]


def test_a_template_that_refuses_leaves_the_text_as_it_was() -> None:
    session = chat_session("{{ raise_exception('no') }}")
    assert session.notice is not None
    assert not session.chat, "the prompt is read without it"
    before = ids(session)
    session.notice = None
    session.wrap_in_chat(True)
    assert session.notice is not None
    assert not session.chat
    assert ids(session) == before


def test_a_branch_of_a_cache_that_cannot_be_cropped_says_that_all_is_read_again() -> None:
    session = do(Session(tiny("mamba"), "the cat", seed=3), "finish", count=3)
    do(session, "branch", position=len(ids(session)) - 1)
    assert session.notice is not None
    assert "again" in session.notice.text


def test_a_branch_of_the_largest_seed_has_a_seed_that_can_be_shown() -> None:
    session = do(Session(tiny("llama"), "the cat", seed=MAX_SEED), "next")
    do(session, "branch", position=len(ids(session)) - 1)
    assert 0 <= session.seed <= MAX_SEED


@pytest.mark.parametrize(
    "event",
    [{"kind": "next"}, {"kind": "prompt", "text": "One day"}, {"kind": "rewind", "position": 8}],
)
def test_an_event_of_another_branch_changes_nothing(
    session: Session, event: dict[str, Any]
) -> None:
    do(session, "finish", count=4)
    do(session, "branch", position=len(ids(session)) - 1)
    before = ids(session)
    do(session, **event, branch=0)
    assert ids(session) == before
    assert session.notice is not None
    assert session.notice.kind == "info"
    do(session, "switch", id=0, branch=0)  # it means no text in particular
    assert session.active.number == 0
