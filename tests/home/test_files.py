"""A run as a file, made of what the page says: every number as it was, and opened again."""

import csv
import io
import json
from typing import Any

import pytest

from model.loading import LanguageModel
from pages.home.controls import Controls
from pages.home.tab import Tab
from tests.driving.in_page import InPage
from tests.home.page_session import PageSession

COLUMNS = ("pointer", "prob", "logprob", "entropy", "chosen_prob")


@pytest.fixture
def session(in_page: InPage, storyteller: LanguageModel) -> PageSession:
    session = PageSession(in_page, storyteller, "word " * 1000, seed="1").do("finish", count=4)
    session.do("force", token_id=321)
    aimed = session.header["controls"] | {"mirostat": 3, "order": "llama.cpp"}
    return session.do("next", controls=aimed).do("next")


@pytest.mark.parametrize("kind", ["csv", "json"])
def test_a_file_holds_what_the_page_shows(session: PageSession, kind: str) -> None:
    if kind == "csv":
        rows: list[Any] = list(csv.DictReader(io.StringIO(session.file(kind), newline="")))
    else:
        rows = json.loads(session.file(kind))["steps"]
    assert [int(row["id"]) for row in rows] == session.ids[session.header["n_prompt"] :]
    for i, row in enumerate(rows):
        for name in COLUMNS:
            assert float(row[name]) == pytest.approx(session.steps[name][i], rel=1e-3, abs=1e-4)
        assert str(row["forced"]) == str(session.steps["forced"][i])
        # what was measured is not measured anew
        assert float(row["seconds"]) == session.steps["seconds"][i]
        assert row["phase"] == session.steps["phase"][i]


def test_a_run_is_saved_whole_and_opened_again_however_long_its_prompt(
    session: PageSession,
) -> None:
    saved, ids, header = session.file("json"), session.ids, session.header
    assert len(json.loads(saved)["prompt"]["pieces"]) == header["n_prompt"]
    session.do("prompt", text="Another").do("open run", text=saved)
    assert (session.ids, session.notice) == (ids, "")
    assert session.header["logprob"] == pytest.approx(header["logprob"], abs=1e-3)
    assert session.header["controls"] == header["controls"]


def test_making_a_file_changes_no_text(session: PageSession) -> None:
    before = session.header
    session.file("html")
    warm = session.do("settings", controls=before["controls"] | {"temperature": 0.9}).header
    assert warm["reading"]["n_read"] == 0
    after = session.do("settings", controls=before["controls"]).header
    assert [after[name] for name in ("ids", "next_id", "steps")] == [
        before[name] for name in ("ids", "next_id", "steps")
    ]


def request(**fields: Any) -> dict[str, Any]:
    """What a page asks for a file of a text of two tokens behind one of the prompt."""
    controls = Controls().to_page()
    passes = {"phase": ["prefill", "decode"], "seconds": [0.1, 0.2], "is_shared": [False, False]}
    passes |= {name: [1, 1] for name in ("n_input", "cache_tokens", "bytes")}
    return {
        "kind": "file",
        "format": "csv",
        "number": 0,
        "ids": [0, 10, 11],
        "n_prompt": 1,
        "memory": {"target": 0, "mu": 0},
        "controls": controls,
        "seed": 0,
        "prompt": "",
        "link": "",
        "chat": False,
        "draws": [{"count": 2, "seed": 0, "controls": controls}],
        "forced": [False, True],
        "passes": passes,
    } | fields


def test_the_request_of_these_tests_is_answered(storyteller: LanguageModel) -> None:
    header, _ = Tab(storyteller).answer(request())
    assert len(header["text"].splitlines()) == 3


@pytest.mark.parametrize(
    "fields",
    [
        {"draws": None},
        {"draws": [7]},
        {"draws": [{"count": 1, "seed": 0, "controls": {}}]},
        {"draws": [{"count": 10**9, "seed": 0, "controls": {}}]},
        {"draws": [{"count": 2, "seed": -1, "controls": {}}]},
        {"draws": [{"count": 2, "seed": 0, "controls": {"top_p": 7}}]},
        {"draws": [{"count": 0, "seed": 0, "controls": {}}] * 9},
        {"forced": [True]},
        {"forced": 7},
        {"passes": None},
        {"passes": {}},
        {"passes": request()["passes"] | {"seconds": ["1", "2"]}},
        {"passes": request()["passes"] | {"bytes": [1.5, 2.5]}},
        {"passes": request()["passes"] | {"phase": [1, 2]}},
        {"prompt": 7},
    ],
    ids=str,
)
def test_a_forged_run_gets_one_sentence(storyteller: LanguageModel, fields: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"\.$") as caught:
        Tab(storyteller).answer(request(**fields))
    assert len(str(caught.value)) < 300
