"""The page of claims in a browser: one verdict, a run over all and its Stop, the report."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from benchmarks.harness import by_key
from tests.frame.accessibility import assert_accessible, assert_accessible_to_all

pytestmark = pytest.mark.browser
SLOW = 120_000  # ms: an experiment on a busy machine


def test_a_claim_is_run_all_are_begun_and_stopped_and_the_report_is_kept(
    turn_to: Callable[[str], Page],
) -> None:
    page = turn_to("claims")
    row = by_key(page, "claim_C04")
    expect(row).to_be_visible(timeout=SLOW)
    assert_accessible(page)
    by_key(page, "run_C04").get_by_role("button").click()
    expect(row.get_by_text("≡ by definition")).to_be_visible(timeout=SLOW)
    expect(page.get_by_text("1 by definition, 44 not run")).to_be_visible(timeout=SLOW)

    run = by_key(page, "claims_run").get_by_role("button")
    run.click()
    expect(run).to_have_text(re.compile("Stop"), timeout=SLOW)
    expect(by_key(page, "claim_C01").get_by_text("✓ holds here")).to_be_visible(timeout=SLOW)
    run.focus()
    page.keyboard.press("Enter")
    expect(run).to_have_text(re.compile("Run all"), timeout=SLOW)
    expect(run).to_be_focused()
    expect(page.get_by_text(re.compile(r"\d+ not run"))).to_be_visible()

    with page.expect_download(timeout=SLOW) as download:
        by_key(page, "claims_save_html").get_by_role("button").click()
    report = Path(download.value.path()).read_text("utf-8")
    assert "what was measured" in report
    assert "✓ holds here" in report
    assert_accessible_to_all(page)
