"""What a reader does to a text, event by event, on the shipped model."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from model.draw import uniform_at
from model.loading import LanguageModel
from model.tokenizing import encode, label
from pages.home.session import MAX_BRANCHES, MAX_SEED, Session
from tests.tiny_models import tiny, tokenizer

PROMPT = "The cat sat on the"


class Hand:
    """A reader: numbers the events as the page does."""

    def __init__(self, session: Session) -> None:
        self.session = session

    def __call__(self, kind: str, **more: Any) -> Session:
        self.session.handle({"n": self.session.ack + 1, "kind": kind, **more})
        return self.session


@pytest.fixture
def hand(storyteller: LanguageModel) -> Hand:
    return Hand(Session(storyteller, PROMPT))


def ids(hand: Hand) -> list[int]:
    return list(hand.session.generation.ids)


def test_next_appends_one_token_and_an_event_heard_twice_counts_once(hand: Hand) -> None:
    n_before = len(ids(hand))
    hand("next")
    hand.session.handle({"n": hand.session.ack, "kind": "next"})
    assert len(ids(hand)) == n_before + 1


def test_c02_back_then_next_replays_the_same_tokens_forced_ones_included(hand: Hand) -> None:
    hand("next")
    hand("force", token_id=100)
    hand("next")
    written = ids(hand)
    for _ in range(3):
        hand("back")
    assert len(ids(hand)) == len(written) - 3
    for _ in range(3):
        hand("next")
    assert ids(hand) == written
    assert [step.forced for step in hand.session.generation.steps] == [False, True, False]


def test_a_changed_setting_ends_the_replay(hand: Hand) -> None:
    hand("force", token_id=100)
    hand("back")
    hand("next", controls=hand.session.controls.to_page() | {"greedy": True})
    step = hand.session.generation.steps[0]
    assert not step.forced
    assert step.rank == 0


def test_a_branch_leaves_the_old_text_and_tosses_coins_of_its_own(hand: Hand) -> None:
    for _ in range(4):
        hand("next")
    written, start = ids(hand), hand.session.generation.n_prompt
    hand("branch", position=start + 1)
    assert ids(hand) == written[: start + 1]
    hand("next")
    step = hand.session.generation.steps[-1]
    assert step.coin != uniform_at(0, step.position)
    hand("switch", id=0)
    assert ids(hand) == written


def test_a_new_prompt_keeps_the_old_text_as_a_branch(hand: Hand) -> None:
    hand("next")
    written = ids(hand)
    hand("prompt", text="Once upon a time")
    assert hand.session.generation.text == "Once upon a time"
    hand("switch", id=0)
    assert ids(hand) == written


def test_branches_are_bounded_and_the_one_that_has_to_go_is_named(hand: Hand) -> None:
    for n_branches in range(2, MAX_BRANCHES + 3):
        oldest = hand.session.branches[0].number
        hand("next")
        hand("branch", position=len(ids(hand)) - 1)
        numbers = [branch.number for branch in hand.session.branches]
        assert len(numbers) == min(n_branches, MAX_BRANCHES)
        assert hand.session.active.number in numbers
        notice = hand.session.notice
        assert (oldest in numbers) == (notice is None) == (n_branches <= MAX_BRANCHES)
        assert notice is None or notice.kind == "info"


def test_a_finished_text_says_so_and_back_goes_on(hand: Hand, storyteller: LanguageModel) -> None:
    hand("force", token_id=min(storyteller.end_ids))
    finished = ids(hand)
    session = hand("next")
    assert ids(hand) == finished
    assert session.notice is not None
    assert "end token" in session.notice.text
    hand("back")
    assert session.generation.finished is None


def test_a_look_back_shows_the_distribution_as_it_was(hand: Hand) -> None:
    drawn_from = hand.session.generation.distribution
    hand("next")
    position = len(ids(hand)) - 1
    seen = hand("inspect", position=position).inspection
    assert seen is not None
    assert (seen.distribution.logits == drawn_from.logits).all()
    assert seen.token_id == ids(hand)[-1]
    prompt_seen = hand("inspect", position=2).inspection
    assert prompt_seen is not None
    assert prompt_seen.coin is None


def test_a_guess_is_ranked_among_all_tokens(hand: Hand) -> None:
    lm, best = hand.session.lm, int(hand.session.generation.logits.argmax())
    guess = hand("guess", text=lm.tokenizer.decode([best])).guess
    assert guess is not None
    assert (guess.label, guess.rank) == (label(lm.tokenizer, best), 0)
    assert 0 < guess.prob < 1


def test_many_at_once_stop_where_the_text_ends(hand: Hand) -> None:
    hand("finish", count=20)
    written = len(ids(hand)) - hand.session.generation.n_prompt
    assert written == 20 or hand.session.generation.finished == "eos"


def test_reset_leaves_the_prompt_alone(hand: Hand) -> None:
    prompt_ids = ids(hand)
    hand("finish", count=5)
    hand("reset")
    assert ids(hand) == prompt_ids
    assert hand.session.active.choices == []


TEMPLATE = "{{ eos_token }}{{ messages[0]['content'] }}{{ eos_token }}"


def chat_session(template: str) -> Session:
    lm = replace(tiny("llama"), tokenizer=tokenizer(chat_template=template), has_chat_template=True)
    return Session(lm, "the cat", seed=3, chat=True)


def test_a_chat_template_wraps_the_prompt_and_its_special_tokens_show() -> None:
    session = chat_session(TEMPLATE)
    wrapped = session.draft_pieces
    assert session.notice is None
    assert session.chat
    assert not Session(session.lm, "the cat").chat, "a prompt is plain text unless a chat is asked"
    assert (wrapped[0].special, wrapped[-1].special) == (True, True)
    assert session.generation.ids == [piece.token_id for piece in wrapped]
    session.wrap_in_chat(False)
    assert session.generation.ids == encode(session.lm, "the cat")
    assert session.generation.ids == Session(session.lm, "the cat").generation.ids
    session.wrap_in_chat(True)
    assert session.generation.ids == [piece.token_id for piece in wrapped]


def test_a_template_that_refuses_leaves_the_text_as_it_was() -> None:
    session = chat_session("{{ raise_exception('no') }}")
    assert session.notice is not None
    assert not session.chat, "the prompt is read without it"
    before = list(session.generation.ids)
    session.notice = None
    session.wrap_in_chat(True)
    assert session.notice is not None
    assert not session.chat
    assert session.generation.ids == before


def test_each_branch_keeps_its_own_template() -> None:
    session = chat_session(TEMPLATE)
    session.handle({"n": 0, "kind": "finish", "count": 3})
    session.wrap_in_chat(False)
    assert [branch.chat for branch in session.branches] == [True, False]
    session.handle({"n": 1, "kind": "switch", "id": session.branches[0].number})
    assert session.chat
    assert session.generation.ids[: len(session.draft_pieces)] == [
        piece.token_id for piece in session.draft_pieces
    ]


def test_a_branch_of_a_cache_that_cannot_be_cropped_says_that_all_is_read_again() -> None:
    session = Session(tiny("mamba"), "the cat", seed=3)
    session.handle({"n": 0, "kind": "finish", "count": 3})
    session.handle({"n": 1, "kind": "branch", "position": len(session.generation.ids) - 1})
    assert session.notice is not None
    assert "again" in session.notice.text


def test_half_a_character_is_no_guess(hand: Hand) -> None:
    notice = hand("guess", text="a\ud800").notice
    assert notice is not None
    assert "lone surrogate" in notice.text


def test_a_branch_of_the_largest_seed_has_a_seed_that_can_be_shown(
    storyteller: LanguageModel,
) -> None:
    session = Session(storyteller, "the cat", seed=MAX_SEED)
    session.handle({"n": 0, "kind": "next"})
    session.handle({"n": 1, "kind": "branch", "position": len(session.generation.ids) - 1})
    assert 0 <= session.seed <= MAX_SEED


def test_what_was_prefetched_is_what_next_then_keeps(hand: Hand) -> None:
    following = hand.session.prefetch_next()
    assert following is not None
    assert len(ids(hand)) == len(following.generation.ids) - 1, (
        "the reader's own text has not moved"
    )
    assert hand.session.prefetch_next() is following, "one pass is enough"
    step = following.generation.steps[-1]
    hand("next")
    assert hand.session.generation.steps[-1] is step


@pytest.mark.parametrize(
    "event",
    [
        {"kind": "force", "token_id": 100},
        {"kind": "back"},
        {"kind": "settings", "controls": {"greedy": True}},
        {"kind": "prompt", "text": "One day"},
        {"kind": "branch", "position": 8},
    ],
)
def test_whatever_comes_between_the_text_is_as_if_nothing_had_been_prefetched(
    storyteller: LanguageModel, event: dict[str, Any]
) -> None:
    prefetching, plain = (Hand(Session(storyteller, PROMPT, seed=3)) for _ in range(2))
    events = [{"kind": "next"}] * 4 + [event] + [{"kind": "next"}] * 3 + [{"kind": "back"}] * 2
    for asked in [*events, *[{"kind": "next"}] * 3]:
        named = prefetching.session.next_id()
        following = prefetching.session.prefetch_next()
        assert following is None or following.generation.ids[-1] == named
        for hand in (prefetching, plain):
            hand(**asked)
            assert hand.session.notice is None
            assert asked["kind"] != "next" or ids(hand)[-1] == named
    assert ids(prefetching) == ids(plain)
    assert prefetching.session.active.choices == plain.session.active.choices
    assert prefetching.session.generation.logprob == plain.session.generation.logprob
    assert prefetching.session.generation.cache_tokens == plain.session.generation.cache_tokens


def test_other_coins_are_prefetched_anew(hand: Hand) -> None:
    first = hand.session.prefetch_next()
    hand.session.reseed(hand.session.seed + 1)
    second = hand.session.prefetch_next()
    assert first is not None
    assert second is not None
    assert first.generation.steps[-1].coin != second.generation.steps[-1].coin


def test_nothing_is_prefetched_where_a_pass_is_long_or_nothing_follows(
    hand: Hand, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pages.home.session.MAX_PREFETCH_SECONDS", 0.0)
    assert hand.session.prefetch_next() is None
    monkeypatch.undo()
    named = hand.session.next_id()
    hand("next")
    assert ids(hand)[-1] == named, "a slow model, too, names its next token"
    hand("force", token_id=min(hand.session.lm.end_ids))
    assert hand.session.generation.finished == "eos"
    assert hand.session.prefetch_next() is None
    assert hand.session.next_id() is None


@pytest.mark.parametrize(
    "controls",
    [
        {"use": ["temperature", "top_k", "top_p", "min_p"], "min_p": 0.02, "typical_p": 0.9},
        {"order": "llama.cpp", "temperature": 1.9, "top_n_sigma": 2.5, "repetition_penalty": 1.3},
        {"order": "vllm", "presence_penalty": 0.7, "frequency_penalty": -0.4},
    ],
)
def test_the_next_id_is_named_under_whatever_is_active(
    hand: Hand, controls: dict[str, Any]
) -> None:
    hand("settings", controls=controls)
    for _ in range(12):
        named = hand.session.next_id()
        hand("next")
        assert ids(hand)[-1] == named


@pytest.mark.parametrize(
    "event",
    [{"kind": "next"}, {"kind": "prompt", "text": "One day"}, {"kind": "rewind", "position": 8}],
)
def test_an_event_of_another_branch_changes_nothing(hand: Hand, event: dict[str, Any]) -> None:
    for _ in range(4):
        hand("next")
    hand("branch", position=len(ids(hand)) - 1)
    before = ids(hand)
    session = hand(**event, branch=0)
    assert ids(hand) == before
    assert session.notice is not None
    assert session.notice.kind == "info"
    hand("switch", id=0, branch=0)  # it means no text in particular
    assert session.active.number == 0
