"""The page of claims as Streamlit runs it: one claim, all of them, Stop, what goes wrong."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest

from model.claims.records import Finding
from model.loading import LanguageModel
from pages.frame.contents import LESSONS
from pages.lessons.claims.catalogue import CLAIMS, Claim
from pages.lessons.claims.state import ClaimRun
from tests.frame.driving import kept, open_lesson


@pytest.fixture
def app() -> AppTest:
    return open_lesson("pages/claims.py")


def run_of(app: AppTest) -> ClaimRun:
    return kept(app, "claims_run", ClaimRun)


def said(app: AppTest) -> str:
    return "\n".join(element.value for element in (*app.markdown, *app.caption))


def test_every_claim_has_an_id_of_its_own_and_a_page_that_is_there() -> None:
    assert len({claim.id for claim in CLAIMS}) == len(CLAIMS)
    assert {claim.page for claim in CLAIMS} <= {lesson.path for lesson in LESSONS}


def test_one_press_runs_one_claim_and_shows_its_verdict(app: AppTest) -> None:
    assert "✓" not in said(app)
    app.button(key="run_C04").click().run()
    app.run()
    assert set(run_of(app).findings) == {"C04"}
    assert "✓ **holds**" in said(app)
    assert "1 holds here" in said(app)


def test_a_run_over_all_can_be_stopped_and_keeps_what_it_found(app: AppTest) -> None:
    app.button(key="claims_run_all").click().run()
    run = run_of(app)
    n_found = len(run.findings)
    assert 0 < n_found < len(CLAIMS)
    assert all(app.button(key=f"run_{claim.id}").disabled for claim in CLAIMS)
    app.button(key="claims_stop").click().run()
    assert not run.is_running
    assert len(run.findings) in (n_found, n_found + 1)
    assert not app.exception


def test_what_goes_wrong_in_an_experiment_is_one_sentence(storyteller: LanguageModel) -> None:
    def refuses(_bench: object) -> Finding:
        raise ValueError("This model takes no cache.")

    def breaks(_bench: object) -> Finding:
        raise RuntimeError("deep inside")

    run = ClaimRun(storyteller)
    run.ask([Claim("X1", "", "", "", "", refuses), Claim("X2", "", "", "", "", breaks)])
    while run.is_running:
        run.advance()
    assert run.findings["X1"].why == "This model takes no cache."
    assert [found.verdict for found in run.findings.values()] == ["not run", "not run"]
    assert "deep inside" not in run.findings["X2"].says
    assert run.done == 1
