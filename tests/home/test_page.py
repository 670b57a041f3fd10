"""The home page as Streamlit runs it, without a browser: links, bad links, models, no traceback."""

import math
import shutil
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from model.loading import load_model
from pages.frame.offers import DEFAULT_PROMPT
from pages.home.model_dialog import Wanted
from pages.home.session import Session
from tests.frame.driving import kept, open_home
from tests.home.conftest import do
from tests.tiny_models import bare_model, save


def reader(app: AppTest) -> Session:
    return kept(app, "reader", Session)


def test_the_page_opens_on_the_shipped_model_with_a_text_to_go_on_with() -> None:
    session = reader(open_home())
    assert session.lm.name == "storyteller"
    assert session.generation.text == DEFAULT_PROMPT
    assert session.notice is None


def test_a_link_opens_the_page_where_it_was_made() -> None:
    app = open_home(prompt="Once upon a time", seed="3", run="5", forced="1:300", temperature="0.4")
    session = reader(app)
    assert session.generation.text.startswith("Once upon a time")
    assert [step.forced for step in session.generation.steps] == [False, True, False, False, False]
    assert session.controls.temperature == 0.4
    assert session.notice is None


@pytest.mark.parametrize(
    "params",
    [
        {"model": "../../etc"},
        {"model": "~\0"},
        {"model": "unmasker"},
        {"chat": "1"},
    ],
)
def test_a_bad_link_gets_a_sentence_and_a_page_that_works(params: dict[str, str]) -> None:
    session = reader(open_home(**params))
    assert session.notice is not None
    assert session.notice.kind == "error"
    assert session.lm.name == "storyteller"
    assert len(session.notice.text) < 1000
    do(session, "next")
    assert len(session.generation.steps) >= 1


def test_a_model_whose_logits_are_no_numbers_gives_way_to_one_that_works(tmp_path: Path) -> None:
    save(tmp_path, bare_model("llama", rms_norm_eps=math.nan))
    session = reader(open_home(model=str(tmp_path), prompt="A text"))
    assert session.notice is not None
    assert "no numbers" in session.notice.text
    assert "storyteller is used in its place" in session.notice.text
    assert session.prompt == "A text"


def test_a_model_whose_folder_is_removed_while_in_use_goes_on(tmp_path: Path) -> None:
    folder = save(tmp_path / "model", bare_model("llama"))
    app = open_home(model=str(folder), prompt="the the")
    shutil.rmtree(folder)
    app.run()
    session = reader(app)
    for event in ({"kind": "next"}, {"kind": "prompt", "text": "another text"}, {"kind": "next"}):
        assert do(session, **event).notice is None
    assert session.lm.name == str(folder)
    # another reader who follows the link finds it in memory
    assert reader(open_home(model=str(folder))).lm is session.lm


def test_a_model_that_cannot_write_leaves_the_one_in_use() -> None:
    app = open_home()
    lm = reader(app).lm
    app.session_state["wanted_model"] = Wanted("unmasker"), load_model("unmasker", "cpu")
    app.run()
    assert not app.exception
    session = reader(app)
    assert session.lm is lm
    assert session.notice is not None
    assert "storyteller stays in use" in session.notice.text


def test_a_seed_changes_the_coins_and_keeps_the_text() -> None:
    app = open_home(run="3")
    ids = list(reader(app).generation.ids)
    app.number_input(key="seed_0").set_value(9).run()
    assert not app.exception
    session = reader(app)
    assert session.generation.ids == ids
    assert session.active.seed == 9


def test_two_readers_share_the_weights_and_nothing_else() -> None:
    first, second = reader(open_home()), reader(open_home())
    assert first.lm is second.lm
    do(first, "next")
    assert len(second.generation.steps) == 0
