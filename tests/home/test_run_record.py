"""The record of a run: all of it, also while more is being written."""

from __future__ import annotations

import json
import threading

import pytest

from model.loading import LanguageModel
from pages.home.link import follow
from pages.home.replay_page import replay_page
from pages.home.run_export import read_run, run_record
from pages.home.session import Session
from viz.home.run_export import to_csv, to_json


def test_a_run_is_recorded_whole(storyteller: LanguageModel) -> None:
    session = Session(storyteller, "Once upon a time", seed=1)
    session.handle({"n": 0, "kind": "finish", "count": 12})
    run = run_record(session)
    generation = session.generation
    assert run.steps == tuple(generation.steps)
    assert [piece.token_id for piece in run.pieces] == generation.ids
    assert len(run.settings or []) == len(run.steps) == 12
    assert run.logprob == generation.logprob
    assert run.finished == generation.finished


def test_a_file_can_be_made_while_tokens_come_and_go(storyteller: LanguageModel) -> None:
    session = Session(storyteller, "Once upon a time", seed=1)
    written, problems = threading.Event(), []

    def write() -> None:
        for turn in range(12):
            session.handle({"n": 2 * turn, "kind": "finish", "count": 20})
            session.prefetch_next()
            session.handle({"n": 2 * turn + 1, "kind": "reset" if turn % 3 == 2 else "next"})
        written.set()

    writer = threading.Thread(target=write)
    writer.start()
    n_made = 0
    while not written.is_set() or n_made < 20:
        try:
            for make in (to_json, to_csv):
                make(run_record(session))
            replay_page(session, presenter=False)
            n_made += 1
        except Exception as error:  # whatever it is, a reader would have lost the file
            problems.append(repr(error))
            break
    writer.join()
    assert problems == []


def test_a_saved_run_is_opened_again_however_long_its_prompt(storyteller: LanguageModel) -> None:
    session = Session(storyteller, "word " * 1000, seed=1)
    session.handle({"n": 0, "kind": "finish", "count": 4})
    session.handle({"n": 1, "kind": "force", "token_id": 321})
    session.handle({"n": 2, "kind": "next", "controls": {"temperature": 1.8}})
    link = read_run(to_json(run_record(session)).encode())
    again = Session(storyteller, link.prompt, link.seed)
    follow(again, link)
    assert again.generation.ids == session.generation.ids
    assert again.generation.logprob == session.generation.logprob
    assert (again.controls, link.model, link.problems) == (session.controls, storyteller.name, [])


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\xff\xfe",
        b"[1]",
        b"{}",
        b"[" * 100_000,
        *(json.dumps({"link": link}).encode() for link in (None, 1, [], "", "seed=1", "x" * 10**6)),
    ],
)
def test_a_file_that_is_no_saved_run_is_refused_in_one_sentence(data: bytes) -> None:
    with pytest.raises(ValueError, match="All of it, JSON") as caught:
        read_run(data)
    assert len(str(caught.value)) < 300
