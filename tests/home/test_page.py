"""The home page as Streamlit runs it, without a browser: models, bad links, no traceback."""

import math
import shutil
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from model.loading import load_model
from pages.frame.offers import DEFAULT_PROMPT
from pages.home.model_dialog import Wanted
from pages.home.tab import Tab
from pages.home.ticket import read_ticket
from tests.frame.driving import kept, open_home
from tests.tiny_models import bare_model, save


def reader(app: AppTest) -> Tab:
    return kept(app, "reader", Tab)


def told(app: AppTest) -> str:
    """What the page is asked to say."""
    return " ".join(c["text"] for c in reader(app).commands if c["kind"] == "say")


def mounted(app: AppTest) -> dict[str, Any]:
    """What the live component is mounted with, as Streamlit knows it."""
    tab = reader(app)
    return {"ticket": read_ticket(tab.ticket.write()), "shown": tab.shown}


def test_the_page_opens_on_the_shipped_model_with_a_ticket_to_ask_by() -> None:
    app = open_home()
    tab = reader(app)
    assert tab.lm.name == "storyteller"
    assert tab.generation.text == DEFAULT_PROMPT
    assert told(app) == ""
    ticket = mounted(app)["ticket"]
    assert ticket is not None
    assert (ticket.model, ticket.dtype) == ("storyteller", "float32")


@pytest.mark.parametrize(
    "params", [{"model": "../../etc"}, {"model": "~\0"}, {"model": "unmasker"}], ids=str
)
def test_a_model_that_cannot_be_had_gets_a_sentence_and_a_page_that_works(
    params: dict[str, str],
) -> None:
    app = open_home(**params)
    assert reader(app).lm.name == "storyteller"
    assert 0 < len(told(app)) < 1000


def test_a_model_whose_logits_are_no_numbers_gives_way_to_one_that_works(tmp_path: Path) -> None:
    save(tmp_path, bare_model("llama", rms_norm_eps=math.nan))
    app = open_home(model=str(tmp_path), prompt="A text")
    assert "no numbers" in told(app)
    assert reader(app).lm.name == "storyteller"


def test_a_model_whose_folder_is_removed_while_in_use_goes_on(tmp_path: Path) -> None:
    folder = save(tmp_path / "model", bare_model("llama"))
    app = open_home(model=str(folder), prompt="the the")
    shutil.rmtree(folder)
    app.run()
    tab = reader(app)
    assert tab.lm.name == str(folder)
    # another reader who follows the link finds it in memory
    assert reader(open_home(model=str(folder))).lm is tab.lm


def test_a_model_that_cannot_write_leaves_the_one_in_use() -> None:
    app = open_home()
    lm = reader(app).lm
    app.session_state["wanted_model"] = Wanted("unmasker"), load_model("unmasker", "cpu")
    app.run()
    assert not app.exception
    assert reader(app).lm is lm
    assert "storyteller stays in use" in told(app)


def test_a_seed_is_asked_of_the_page_which_tells_what_it_has() -> None:
    app = open_home()
    app.text_input(key="seed_0").set_value("0,5").run()
    (refusal,) = app.error
    assert "“0,5”" in refusal.value
    assert app.text_input(key="seed_0").value == "0,5", "it is there to be mended"
    tab = reader(app)
    assert not tab.commands
    app.text_input(key="seed_0").set_value("９").run()
    assert not app.exception
    assert not app.error
    (command,) = (command for command in tab.commands if command["kind"] == "seed")
    assert command["seed"] == 9
    tab.shown = {"seed": 9, "chat": False}  # as the page tells it
    app.run()
    assert app.text_input(key="seed_9").value == "9"
    assert len({command["id"] for command in tab.commands}) == len(tab.commands)


def test_two_readers_share_the_weights_and_nothing_else() -> None:
    first, second = reader(open_home()), reader(open_home())
    assert first.lm is second.lm
    assert first.ticket != second.ticket
    assert first.texts is not second.texts
