"""The home page as Streamlit runs it, without a browser: links, bad links, models, no traceback."""

from __future__ import annotations

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from pages.parts.session import Session

ROOT = Path(__file__).parents[2]


def open_app(**params: str) -> AppTest:
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)
    for name, value in params.items():
        app.query_params[name] = value
    app.run()
    assert not app.exception
    return app


def reader(app: AppTest) -> Session:
    session = app.session_state["reader"]
    assert isinstance(session, Session)
    return session


def test_the_page_opens_on_the_shipped_model_with_a_text_to_go_on_with() -> None:
    session = reader(open_app())
    assert session.lm.name == "storyteller"
    assert session.generation.text == "The cat sat on the"
    assert session.notice is None


def test_a_link_opens_the_page_where_it_was_made() -> None:
    app = open_app(prompt="Once upon a time", seed="3", run="5", forced="1:300", temperature="0.4")
    session = reader(app)
    assert session.generation.text.startswith("Once upon a time")
    assert [step.forced for step in session.generation.steps] == [False, True, False, False, False]
    assert session.controls.temperature == 0.4
    assert session.notice is None


@pytest.mark.parametrize(
    "params",
    [
        {"temperature": "nan"},
        {"top_p": "7", "min_p": "-1"},
        {"seed": "x"},
        {"model": "no/such-model-anywhere"},
        {"model": "../../etc"},
        {"prompt": "word " * 20_000},
        {"run": "3", "forced": "0:99999999"},
        {"run": "x"},
        {"use": "luck"},
    ],
)
def test_a_bad_link_gets_a_sentence_and_a_page_that_works(params: dict[str, str]) -> None:
    session = reader(open_app(**params))
    assert session.notice is not None
    assert session.notice.kind == "error"
    assert session.lm.name == "storyteller"
    session.handle({"n": session.ack + 1, "kind": "next"})
    assert len(session.generation.steps) >= 1


def test_a_model_that_cannot_be_loaded_leaves_the_one_in_use() -> None:
    app = open_app()
    lm = reader(app).lm
    app.session_state["wanted_model"] = "no/such-model-anywhere"
    app.run()
    assert not app.exception
    session = reader(app)
    assert session.lm is lm
    assert session.notice is not None
    assert "storyteller stays in use" in session.notice.text


def test_a_seed_changes_the_coins_and_keeps_the_text() -> None:
    app = open_app(run="3")
    ids = list(reader(app).generation.ids)
    app.number_input(key="seed").set_value(9).run()
    assert not app.exception
    session = reader(app)
    assert session.generation.ids == ids
    assert session.active.seed == 9


def test_two_readers_share_the_weights_and_nothing_else() -> None:
    first, second = reader(open_app()), reader(open_app())
    assert first.lm is second.lm
    first.handle({"n": 0, "kind": "next"})
    assert len(second.generation.steps) == 0
