"""A page as Streamlit runs it: opened, pressed and read, without a browser."""

import re
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import TypeVar
from urllib.parse import parse_qs

from streamlit.components.v2 import manifest_scanner
from streamlit.testing.v1 import AppTest

from model.loading import LanguageModel
from pages.frame import job_panel, models
from pages.frame.second_run import WHOLE

APP = str(Path(__file__).parents[2] / "app.py")
PATIENCE_SECONDS = 120

Kept = TypeVar("Kept")

job_panel.GRACE_SECONDS = 0.0  # a test presses at once, also where a job has just ended
# a server's heap is that of one app, a worker's holds all tests: no model is worth a walk over it
models.freeze_heap = models.free_when_gone = lambda *_: None
# every AppTest reads the metadata of all that is installed, which stays as it is meanwhile
manifest_scanner.scan_component_manifests = cache(manifest_scanner.scan_component_manifests)


def open_home(**link: str) -> AppTest:
    """Open the first page in a fresh session, by a link where it says something."""
    return _run(_fresh(link))


def open_lesson(path: str, **link: str) -> AppTest:
    """Open a lesson in a fresh session, without the first page."""
    return _run(_fresh(link).switch_page(path))


def _fresh(link: dict[str, str]) -> AppTest:
    app = AppTest.from_file(APP, default_timeout=PATIENCE_SECONDS)
    app.session_state[WHOLE] = True
    for name, value in link.items():
        app.query_params[name] = value
    return app


def _run(app: AppTest) -> AppTest:
    app.run()
    assert not app.exception
    return app


def opened(page: str, **link: str) -> AppTest:
    """Open a lesson by a link; one that writes a text by itself has written it to the end."""
    app = open_lesson(f"pages/{page}.py", **link)
    while page == "snowball" and not any(box.key == "snowball_token" for box in app.selectbox):
        app.run()
    return app


def offered(app: AppTest) -> dict[str, str]:
    """Return the query of the link to what is on the page."""
    (button,) = [button for button in app.button if button.label == "Copy link"]
    button.click().run()
    assert not app.exception
    (link,) = [code.value for code in app.code if not code.value or code.value[0] == "?"]
    return {name: texts[0] for name, texts in parse_qs(link[1:], keep_blank_values=True).items()}


@cache
def offered_of_itself(page: str) -> dict[str, str]:
    """Return what a lesson offers that was opened without a link."""
    app = opened(page)
    assert not app.warning
    return offered(app)


def kept(app: AppTest, key: str, kind: type[Kept]) -> Kept:
    """Return what the session keeps under a key, which is of that kind."""
    found = app.session_state[key]
    assert isinstance(found, kind)
    return found


def press(app: AppTest, key: str) -> None:
    """Press a button; the page runs through."""
    app.button(key=key).click().run()
    assert not app.exception


def show_model(app: AppTest, lm: LanguageModel) -> None:
    """Give the reader's first page another model; the page runs through."""
    app.session_state["reader"] = SimpleNamespace(lm=lm, branches=[])
    app.run()
    assert not app.exception


def captions(app: AppTest) -> str:
    """Return all that captions say."""
    return " ".join(caption.value for caption in app.caption)


def words(app: AppTest) -> str:
    """Return all that captions and paragraphs say."""
    return " ".join(one.value for one in (*app.caption, *app.markdown))


def errors(app: AppTest) -> str:
    """Return all that is said to have gone wrong, as it is read."""
    return " ".join(re.sub(r"\\(\W)", r"\1", error.value) for error in app.error)
