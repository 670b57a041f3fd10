"""The record of a run: all of it, also while more is being written, and opened again."""

import json
import threading

import pytest

from model.loading import LanguageModel
from pages.home.link import follow
from pages.home.replay_page import replay_page
from pages.home.run_export import read_run, run_record
from pages.home.session import Session
from tests.home.conftest import PROMPT, do
from viz.home.run_export import to_csv, to_json


def test_a_file_can_be_made_while_tokens_come_and_go(storyteller: LanguageModel) -> None:
    session = Session(storyteller, PROMPT, seed=1)
    written, problems = threading.Event(), []

    def write() -> None:
        for turn in range(8):
            do(session, "finish", count=20)
            do(session, "reset" if turn % 3 == 2 else "next")
        written.set()

    writer = threading.Thread(target=write)
    writer.start()
    n_made = 0
    while not written.is_set() or n_made < 8:
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


def test_a_run_is_recorded_whole_and_opened_again_however_long_its_prompt(
    storyteller: LanguageModel,
) -> None:
    session = do(Session(storyteller, "word " * 1000, seed=1), "finish", count=4)
    do(session, "force", token_id=321)
    do(session, "next", controls={"temperature": 1.8})
    run, generation = run_record(session), session.generation
    assert run.steps == tuple(generation.steps)
    assert [piece.token_id for piece in run.pieces] == generation.ids
    assert len(run.settings or []) == len(run.steps) == 6
    assert (run.logprob, run.finished) == (generation.logprob, generation.finished)
    link = read_run(to_json(run).encode())
    again = Session(storyteller, link.prompt, link.seed)
    follow(again, link)
    assert again.generation.ids == generation.ids
    assert again.generation.logprob == generation.logprob
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
