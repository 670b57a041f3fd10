"""The page of claims as Streamlit runs it: one claim, all of them, Stop, what goes wrong."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest

from model.claims.context import THOROUGH
from model.claims.experiments import EXPERIMENTS
from model.claims.records import Finding
from model.job import finish
from model.loading import LanguageModel
from model.source_code import source_of
from pages.frame.claims import CLAIMS
from pages.frame.contents import LESSONS
from pages.lessons.claims.state import ClaimsLesson
from tests.frame.driving import kept, open_lesson, press, words


@pytest.fixture
def app() -> AppTest:
    return open_lesson("pages/claims.py")


def lesson(app: AppTest) -> ClaimsLesson:
    return kept(app, "claims_lesson", ClaimsLesson)


def verdicts(app: AppTest) -> str:
    bodies = [one.proto.body for one in app.get("html") if "<style>" not in one.proto.body]
    return " ".join(body for body in bodies if "overflow-wrap" in body)


def test_every_claim_has_a_page_that_is_there() -> None:
    paths = {entry.path for entry in LESSONS}
    assert {f"pages/{claim.page}.py" for claim in CLAIMS} <= paths


def test_one_press_runs_one_claim_and_shows_its_verdict(app: AppTest) -> None:
    assert verdicts(app).count(", recorded</b>") == len(CLAIMS)  # until they are run
    assert not [drawer for drawer in app.expander if "code" in drawer.label]
    press(app, "run_C04")
    app.session_state["claim_C04_code"] = True  # its drawer, opened
    app.run()
    assert [code.value for code in app.code] == ["\n".join(source_of(EXPERIMENTS["C04"]).lines)]
    assert set(lesson(app).findings) == {"C04"}
    assert "≡ by definition<" in verdicts(app)
    assert verdicts(app).count(", recorded</b>") == len(CLAIMS) - 1
    assert "True by definition. See it on" in words(app)
    assert "1 by definition, 44 not run" in words(app)


def test_thorough_multiplies_what_is_run(app: AppTest) -> None:
    assert lesson(app).context.scale == 1
    app.toggle(key="claims_thorough").set_value(True).run()
    assert lesson(app).context.scale == THOROUGH > 1


def test_a_run_over_all_can_be_stopped_and_keeps_what_it_found(app: AppTest) -> None:
    press(app, "claims_run")
    n_found = len(lesson(app).findings)
    assert 0 < n_found < len(CLAIMS)
    assert all(app.button(key=f"run_{claim.id}").disabled for claim in CLAIMS)
    press(app, "claims_run")
    assert not lesson(app).jobs["claims"].is_running
    assert len(lesson(app).findings) in (n_found, n_found + 1)


def test_what_goes_wrong_in_an_experiment_is_one_sentence(
    storyteller: LanguageModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuses(_context: object) -> Finding:
        raise ValueError("This model takes no cache.")

    def breaks(_context: object) -> Finding:
        raise RuntimeError("deep inside")

    monkeypatch.setitem(EXPERIMENTS, "C01", refuses)
    monkeypatch.setitem(EXPERIMENTS, "C02", breaks)
    findings = finish(ClaimsLesson(storyteller).measure(CLAIMS[:2])).findings
    assert findings["C01"].why == "This model takes no cache."
    assert [finding.outcome for finding in findings.values()] == ["not run", "not run"]
    assert "deep inside" not in findings["C02"].says
