"""With a server's address set every page opens, and says where weights of this process run."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from streamlit.testing.v1 import AppTest

from model.generation import Generation
from model.loading import LanguageModel
from model.server.logits import EngineError
from pages.frame import models
from pages.frame.contents import LESSONS, lesson_at
from pages.home.controls import Controls
from tests.driving.in_page import InPage
from tests.frame.driving import (
    PATIENCE_SECONDS,
    captions,
    errors,
    open_home,
    open_lesson,
    press,
)
from tests.home.page_session import PageSession
from tests.server.fake_vllm import FakeVllm
from tests.server.real_vllm import RealVllm

OVER_SERVER = {
    *{"beam_search", "classroom", "guess"},
    *{"sampling", "engines", "snowball", "teacher_forcing"},
}
OVER_SERVER_TOO = {
    "serving": ("serving_server", "serving_lesson"),
    "kv_cache": ("kv_server", "kv_lesson"),
}
NO_MODEL = {"glossary", "tour", "encoder_decoder"}  # or models of their own
PAGES = [lesson.path.removeprefix("pages/").removesuffix(".py") for lesson in LESSONS]


@pytest.fixture(autouse=True)
def engine(vllm: FakeVllm | RealVllm, monkeypatch: pytest.MonkeyPatch) -> FakeVllm | RealVllm:
    """The operator's setting."""
    monkeypatch.setenv("ONE_TOKEN_ENGINE_URL", vllm.url)
    monkeypatch.setenv("ONE_TOKEN_ENGINE_MODEL", "storyteller")
    return vllm


@pytest.mark.parametrize("page", [name for name in PAGES if name != "generate"])
def test_every_lesson_opens(page: str) -> None:
    app = open_home().switch_page(f"pages/{page}.py").run()
    assert not app.exception
    assert bool(app.get("plotly_chart")) == lesson_at(f"pages/{page}.py").has_figure
    if page in OVER_SERVER_TOO:
        measure_there(app, *OVER_SERVER_TOO[page])
    is_local = "This page needs weights in this process" in captions(app)
    assert is_local == (page not in OVER_SERVER | NO_MODEL)


def measure_there(app: AppTest, key: str, lesson: str) -> None:
    """Runs a job over the server to its end, and looks for its charts."""
    if key == "kv_server":
        app.selectbox(key="kv_length").set_value(32).run()
    else:
        app.text_area(key="serving_prompts").set_value("Hi | 4\nThe cat | 4").run()
    press(app, f"{key}_run")
    job = app.session_state[lesson].jobs[key]
    while job.is_running:
        job.run_for(PATIENCE_SECONDS)
        app.run()
    assert not app.exception
    assert job.is_done
    assert f"{key}_" in str([chart.proto.id for chart in app.get("plotly_chart")])


def test_a_server_that_is_killed_and_started_again_costs_no_text(
    engine: FakeVllm | RealVllm, in_page: InPage, storyteller: LanguageModel
) -> None:
    lm = open_home().session_state["reader"].lm
    assert lm.place == "server"
    session = PageSession(in_page, lm, "The cat sat on the").do("next")
    before, text = session.ids, session.generation
    with ThreadPoolExecutor() as pool:
        presses = [pool.submit(text.fork().step) for _ in range(8)]
        engine.kill()
        for press_ in presses:  # each of them came through, or was told so
            assert isinstance(press_.exception(), EngineError | None)
    session.do("next")
    assert session.header["notice"]["kind"] == "error"
    assert "does not answer" in session.notice
    assert session.ids == before
    assert open_lesson("pages/kv_cache.py").session_state["kv_lesson"].lm.place == "CPU"
    engine.start()
    here = Generation(storyteller, before[: session.header["n_prompt"]], seed=0)
    here.step(Controls().settings())
    for _ in range(3):
        here.step(Controls().settings())
        assert session.do("next").notice == ""
    assert session.ids == here.ids


def test_a_server_that_is_away_is_asked_again_by_a_press(
    fake: FakeVllm, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake.kill()
    monkeypatch.setattr(models, "_loaded", {})
    monkeypatch.setenv("ONE_TOKEN_ENGINE_URL", fake.url)
    app = open_home(model="storyteller (server)", prompt="Hi", run="3")
    assert "does not answer" in errors(app)
    assert "reader" not in app.session_state
    fake.start()
    press(app, "server_again")
    assert app.session_state["reader"].lm.place == "server"


def test_a_link_keeps_the_server_s_model(in_page: InPage, storyteller: LanguageModel) -> None:
    there, here = (
        open_home(model=name).session_state["reader"].lm
        for name in ("storyteller (server)", "storyteller")
    )
    assert (there.name, here.name) == ("storyteller (server)", "storyteller")
    written = [PageSession(in_page, lm, "Hi", run="3").ids for lm in (there, here)]
    assert written[0] == written[1]
    assert there.n_parameters == storyteller.n_parameters


def test_the_texts_that_a_tab_kept_go_on_over_the_server(in_page: InPage) -> None:
    lm = open_home().session_state["reader"].lm
    before = PageSession(in_page, lm, "The cat sat on the").do("next").do("next")
    first = before.ids
    before.do("branch", position=len(first) - 1).do("next")
    in_page("keep", record=in_page("kept"))
    after = PageSession(in_page, lm, "Another")
    assert after.tab.lm.place == "server"
    assert (after.notice, after.ids) == ("", before.ids)
    assert after.do("switch", id=0).ids == first
    assert after.do("next").notice == ""
