"""The model dialog, without a browser: what is offered to whom, and what is said before a press."""

import json
import shutil
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from model.weights.facts import small_models
from pages.frame import offers
from pages.home.model_in_words import SHIPPED_IN_WORDS
from pages.home.tab import Tab
from tests.frame.driving import captions, errors, kept, open_home, press
from tests.loopback_hub import LoopbackHub, reach
from tests.tiny_models import bare_model, save, tokenizer

NAME = "someone/tiny"
TEMPLATE = "{{ eos_token }}{{ messages[0]['content'] }}{{ eos_token }}"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return save(tmp_path / "model", bare_model("gpt2"))


def opened_dialog(**link: str) -> AppTest:
    app = open_home(**link)
    press(app, "choose_model")
    return app


def name(app: AppTest, text: str) -> None:
    app.text_input(key="model_name").set_value(text).run()
    assert not app.exception


def use(app: AppTest) -> Tab:
    """Presses the one button, and waits until the page goes on with the model."""
    press(app, "open_model_run")
    while app.session_state["choosing_model"]:
        app.run()
        assert not app.exception
        assert not app.error, errors(app)
    return kept(app, "reader", Tab)


def test_what_is_here_and_what_can_be_fetched_are_listed(hub: LoopbackHub) -> None:
    app = opened_dialog()
    here = app.radio(key="model_here")
    assert here.options[0] == SHIPPED_IN_WORDS["storyteller"]
    ids = {caption.split(" · ")[0].replace("\\", "") for caption in here.proto.captions}
    assert ids == {*SHIPPED_IN_WORDS}, "plain words first, and the id behind them"
    assert ids.isdisjoint(here.options)
    assert app.radio(key="model_small").options[0] == "openai-community/gpt2"
    assert len(app.radio(key="model_small").options) == len(small_models())
    app.radio(key="model_small").set_value("openai-community/gpt2").run()
    assert app.text_input(key="model_name").value == "openai-community/gpt2"
    for figure in ("551", "498", "249", "estimated"):
        assert figure in captions(app)
    assert not [path for _, path, _ in hub.asked if "gpt2" in path], "the list asks nobody"


def test_a_name_is_fetched_and_used_and_is_then_among_what_is_here(
    hub: LoopbackHub, folder: Path
) -> None:
    hub.add(NAME, folder)
    app = opened_dialog(prompt="the cat")
    name(app, NAME)
    assert "kB on disk" in captions(app)
    session = use(app)
    assert session.lm.name == NAME
    assert session.lm.dtype_name == "float32"
    press(app, "choose_model")
    assert NAME in app.radio(key="model_here").options
    name(app, NAME)
    assert "in use" in captions(app)
    app.segmented_control(key="model_dtype_cpu").set_value("bfloat16").run()
    assert use(app).lm.dtype_name == "bfloat16"


def test_a_download_is_watched_stopped_gone_on_with_and_found_again_without_the_hub(
    hub: LoopbackHub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hub.add(NAME, save(tmp_path / "tiny", bare_model("gpt2", n_embd=256, n_layer=2)))
    hub.flowing.clear()
    app = opened_dialog()
    name(app, NAME)
    assert "Download" in app.button(key="open_model_run").label
    press(app, "open_model_run")
    job = app.session_state["model_jobs"]["open_model"]
    while job.fraction < 0.4:
        app.run()
        assert job.is_running, job.notice
    app.run()
    (bar,) = app.get("progress")
    assert 40 <= bar.proto.value <= 60
    assert "MB/s" in bar.proto.text
    press(app, "open_model_run")
    assert "Stopped after" in captions(app)
    assert "Go on" in app.button(key="open_model_run").label
    hub.flowing.set()
    n_before = len(list(hub.gets()))
    assert use(app).lm.name == NAME
    asked = [part for _, path, part in list(hub.gets())[n_before:] if path.endswith("safetensors")]
    assert None not in asked, "what had come is not fetched again"

    hub.stop()
    reach(hub, tmp_path / "cache", monkeypatch, offline=True)
    app = opened_dialog()
    assert NAME in app.radio(key="model_here").options
    assert "nothing can be downloaded" in captions(app)
    name(app, NAME)
    session = use(app)
    assert session.lm.name == NAME
    assert session.generation.logits.shape == (session.lm.vocab_size,)


def test_a_link_to_a_model_that_is_not_here_opens_the_dialog_and_then_follows(
    hub: LoopbackHub, folder: Path
) -> None:
    hub.add(NAME, folder)
    app = open_home(model=NAME, prompt="the cat", seed="3", run="4")
    for _ in range(3):  # a link alone fetches nothing
        app.run()
    assert app.session_state["choosing_model"]
    assert "Download" in app.button(key="open_model_run").label
    press(app, "open_model_run")
    while app.session_state["choosing_model"]:
        app.run()
        assert not app.exception
    assert kept(app, "reader", Tab).lm.name == NAME
    assert app.session_state["asked_model"] == NAME, "the page opens the rest of its link"


def test_a_name_that_is_listed_or_was_renamed_is_known_by_the_one_that_it_has(
    hub: LoopbackHub, folder: Path
) -> None:
    app = opened_dialog()
    name(app, "GPT-2")
    assert "openai-community/gpt2" in [*app.markdown][-1].value
    assert "551" in app.button(key="open_model_run").label
    hub.add(NAME, folder)
    hub.renamed["anyone/tiny"] = NAME
    name(app, "anyone/tiny")
    session = use(app)
    assert session.lm.name == NAME
    press(app, "choose_model")
    name(app, "anyone/tiny")
    assert "in use" in captions(app)


def test_what_does_not_write_is_refused_as_it_is_named_and_is_not_listed(
    hub: LoopbackHub, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kinds = {
        "masked": {"model_type": "bert", "architectures": ["BertForMaskedLM"]},
        "seq2seq": {"model_type": "t5", "architectures": ["T5ForConditionalGeneration"]},
    }
    for kind, config in kinds.items():
        other = shutil.copytree(folder, tmp_path / "offered" / kind)
        (other / "config.json").write_text(json.dumps(config))
        hub.add(f"someone/{kind}", other)
    monkeypatch.setenv("ONE_TOKEN_FOLDER", str(tmp_path / "offered"))
    app = opened_dialog()
    assert kinds.keys().isdisjoint(app.radio(key="model_here").options)
    for kind in kinds:
        name(app, f"someone/{kind}")
        assert f"{kind} model" in errors(app)
        assert hub.fetched(f"someone/{kind}") == []


@pytest.mark.usefixtures("hub")
def test_what_the_hub_does_not_have_is_said_in_the_dialog() -> None:
    app = opened_dialog()
    name(app, "no/such")
    assert "check the spelling" in errors(app)
    press(app, "other_models")
    assert not app.error
    assert app.radio(key="model_small").value is None


def test_readers_of_a_shared_server_choose_among_what_it_offers(
    hub: LoopbackHub, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(offers, "_is_alone", lambda: False)
    app = opened_dialog()
    assert [field.key for field in app.text_input] == ["seed_0"], "no name is typed"
    assert [radio.key for radio in app.radio] == ["model_here"]
    assert len(app.radio(key="model_here").options) == len(offers.offered_models()) > 1
    app.radio(key="model_here").set_value("scribbler").run()
    assert use(app).lm.name == "scribbler"
    assert hub.asked == []


def test_folders_of_the_operator_are_listed(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ONE_TOKEN_FOLDER", str(folder.parent))
    app = opened_dialog()
    assert "model" in app.radio(key="model_here").options
    app.radio(key="model_here").set_value("model").run()
    assert use(app).lm.name == "model"


def test_the_chat_template_of_a_model_can_be_asked_of_the_page(tmp_path: Path) -> None:
    chatty = save(tmp_path / "chatty", bare_model("llama"), tokenizer(chat_template=TEMPLATE))
    app = opened_dialog(prompt="the cat")
    name(app, str(chatty))
    tab = use(app)
    app.toggle(key="chat_False").set_value(True).run()
    assert not app.exception
    assert tab.commands[-1]["kind"] == "chat"
    assert tab.commands[-1]["chat"] is True
