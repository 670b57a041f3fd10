"""With a server's address set every page opens, and says where weights of this process run."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from streamlit.testing.v1 import AppTest

from model.generation import Generation
from model.loading import LanguageModel
from model.server.logits import EngineError
from pages.frame.contents import LESSONS
from tests.frame.driving import (
    PATIENCE_SECONDS,
    captions,
    errors,
    open_home,
    open_lesson,
    press,
)
from tests.home.conftest import do, tab_record
from tests.server.fake_vllm import FakeVllm
from tests.server.real_vllm import RealVllm

OVER_SERVER = {"beam_search", "classroom", "guess", "sampling", "snowball"}
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
    engine: FakeVllm | RealVllm, storyteller: LanguageModel
) -> None:
    home = open_home().session_state["reader"]
    assert home.lm.place == "server"
    home.handle({"kind": "next", "n": 0})  # was read ahead
    text = home.generation
    before = text.ids[:], text.steps[:]
    with ThreadPoolExecutor() as pool:
        presses = [pool.submit(text.fork().step) for _ in range(8)]
        engine.kill()
        for press_ in presses:  # each of them came through, or was told so
            assert isinstance(press_.exception(), EngineError | None)
    home.handle({"kind": "next", "n": 1})
    assert home.notice.kind == "error"
    assert "does not answer" in home.notice.text
    assert (text.ids, text.steps) == before
    app = open_home(**{"model": "storyteller (server)", "prompt": "Hi", "run": "3"})
    assert "does not answer" in errors(app)
    assert "reader" not in app.session_state
    assert open_lesson("pages/kv_cache.py").session_state["kv_lesson"].lm.place == "CPU"
    engine.start()
    press(app, "server_again")
    assert app.session_state["reader"].lm.place == "server"
    assert len(app.session_state["reader"].generation.steps) == 3
    here = Generation(storyteller, text.prompt_ids, seed=text.seed)
    here.step(home.controls.settings())
    for n in range(3):
        home.handle({"kind": "next", "n": 2 + n})
        here.step(home.controls.settings())
        assert home.notice is None
    assert text.ids == here.ids


def test_a_link_keeps_the_server_s_model(storyteller: LanguageModel) -> None:
    there, here = (
        open_home(model=name).session_state["reader"]
        for name in ("storyteller (server)", "storyteller")
    )
    assert there.lm.name == "storyteller (server)"
    assert there.generation.ids == here.generation.ids
    assert there.lm.n_parameters == storyteller.n_parameters


def test_the_texts_that_a_tab_kept_are_written_again_over_the_server() -> None:
    before = open_home().session_state["reader"]
    for kind in ("next", "next", "branch", "next"):
        do(before, kind, position=len(before.generation.ids) - 1)
    app = open_home()
    app.session_state["tab"].answer({"n": 0, "kind": "restore", "record": tab_record(before)})
    after = app.run().session_state["reader"]
    assert not app.exception
    assert after.lm.place == "server"
    assert [text.ids for text in after.branches] == [text.ids for text in before.branches]
    do(after, "switch", id=0)
    assert after.notice is None
    assert (after.generation.ids, after.lm.place) == (before.branches[0].ids, "server")
