"""The page of claims as Streamlit runs it, and in a real browser."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from model.claims.context import THOROUGH
from model.claims.experiments import EXPERIMENTS
from model.claims.records import Finding
from model.job import finish
from model.loading import LanguageModel
from model.source_code import source_of
from pages.frame.claims import CLAIMS, EMPIRICAL
from pages.lessons.claims.lesson import SURPRISES
from pages.lessons.claims.state import ClaimsLesson
from tests.driving.harness import by_key
from tests.frame.accessibility import assert_accessible_to_all
from tests.frame.driving import kept, open_lesson, press

SLOW = 120_000  # ms: an experiment on a busy machine


def test_a_press_runs_one_claim_or_all_and_stops_them() -> None:
    app = open_lesson("pages/claims.py")
    lesson = kept(app, "claims_lesson", ClaimsLesson)

    def n_recorded() -> int:
        return sum(one.proto.body.count(", recorded</b>") for one in app.get("html"))

    # until they are run; those that surprise are not told before the reader has said something
    assert n_recorded() == len(EMPIRICAL) - len(SURPRISES)
    n_asked = sum(one.proto.body.count("what do you say?") for one in app.get("html"))
    assert n_asked == len(EMPIRICAL), "no verdict before the first answer"
    for claim in SURPRISES:
        app.session_state[f"claim_{claim.id}_said"] = "holds"
    app.run()
    assert n_recorded() == len(EMPIRICAL) - 1, "the question says it of the first"
    press(app, "run_C06")
    app.session_state["claim_C06_details"] = True  # its drawers, opened
    app.session_state["claim_C06_code"] = True
    app.run()
    assert [code.value for code in app.code] == ["\n".join(source_of(EXPERIMENTS["C06"]).lines)]
    assert set(lesson.findings) == {"C06"}
    assert n_recorded() == len(EMPIRICAL) - 2
    assert lesson.context.scale == 1
    app.toggle(key="claims_thorough").set_value(True).run()
    assert lesson.context.scale == THOROUGH > 1
    app.toggle(key="claims_thorough").set_value(False).run()
    press(app, "claims_run")
    assert 0 < len(lesson.findings) < len(EMPIRICAL)
    assert all(app.button(key=f"run_{claim.id}").disabled for claim in EMPIRICAL)
    press(app, "claims_run")
    assert not lesson.jobs["claims"].is_running


def test_what_goes_wrong_in_an_experiment_is_one_sentence(
    storyteller: LanguageModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuses(_context: object) -> Finding:
        raise ValueError("This model takes no cache.")

    def breaks(_context: object) -> Finding:
        raise RuntimeError("deep inside")

    monkeypatch.setitem(EXPERIMENTS, "C01", refuses)
    monkeypatch.setitem(EXPERIMENTS, "C03", breaks)
    findings = finish(ClaimsLesson(storyteller).measure(EMPIRICAL[:2])).findings
    assert findings["C01"].why == "This model takes no cache."
    assert [finding.outcome for finding in findings.values()] == ["not run", "not run"]
    assert "deep inside" not in findings["C03"].says


@pytest.mark.browser
def test_a_claim_is_run_and_the_report_is_kept(turn_to: Callable[[str], Page]) -> None:
    page = turn_to("claims")
    row = by_key(page, "claim_C06")
    expect(row).to_be_visible(timeout=SLOW)
    by_key(page, "run_C06").get_by_role("button").click()
    expect(row.get_by_text("✓ holds here").first).to_be_visible(timeout=SLOW)
    row_of_all = by_key(page, "claims_row")  # the announcer says it as well
    n_defined, n_left = len(CLAIMS) - len(EMPIRICAL), len(EMPIRICAL) - 1
    told = f"1 holds here, {n_defined} by definition, {n_left} not run"
    expect(row_of_all.get_by_text(told)).to_be_visible(timeout=SLOW)

    with page.expect_download(timeout=SLOW) as download:
        by_key(page, "claims_save_html").get_by_role("button").click()
    report = Path(download.value.path()).read_text("utf-8")
    assert "what was measured" in report
    assert "✓ holds here" in report
    assert_accessible_to_all(page)


@pytest.mark.nightly  # by day the first test begins all and stops them; kv_cache by keyboard
@pytest.mark.browser
def test_all_are_begun_and_stopped_by_keyboard(turn_to: Callable[[str], Page]) -> None:
    page = turn_to("claims")
    row_of_all = by_key(page, "claims_row")
    run = by_key(page, "claims_run").get_by_role("button")
    run.click()
    expect(run).to_have_text(re.compile("Stop"), timeout=SLOW)
    expect(by_key(page, "claim_C01").get_by_text("✓ holds here").first).to_be_visible(timeout=SLOW)
    run.focus()
    page.keyboard.press("Enter")
    expect(run).to_have_text(re.compile("Run all"), timeout=SLOW)
    expect(run).to_be_focused()
    expect(row_of_all.get_by_text(re.compile(r"\d+ not run"))).to_be_visible()
