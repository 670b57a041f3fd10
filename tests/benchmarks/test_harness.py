"""What the other browser tests and the benchmarks trust: the witness sees, the clock is right."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Error, Page

from tests.driving.harness import (
    CLOCK,
    LONG_TASKS,
    Witness,
    frames_during,
    long_tasks,
    slow_down,
    time_to_paint,
)

pytestmark = pytest.mark.browser

LATE = """data:text/html,<button onclick="setTimeout(() => { this.textContent = 'done'; }, 120)">
press</button>"""
DONE = "document.querySelector('button').textContent === 'done'"


@pytest.fixture
def bare_page(browser: Browser) -> Iterator[Page]:
    """A page without the app."""
    context = browser.new_context()
    context.add_init_script(CLOCK)
    yield context.new_page()
    context.close()


def test_the_clock_counts_from_the_press_to_the_paint(bare_page: Page) -> None:
    bare_page.goto(LATE)
    bare_page.wait_for_timeout(200)  # before the press nothing counts
    seconds = time_to_paint(bare_page, lambda: bare_page.click("button"), DONE)
    assert seconds >= 0.12


def test_the_clock_says_what_never_came(bare_page: Page) -> None:
    bare_page.goto(LATE)
    with pytest.raises(Error, match="no press came"):
        time_to_paint(bare_page, lambda: None, DONE, timeout=0.2)
    with pytest.raises(Error, match="never: false"):
        time_to_paint(bare_page, lambda: bare_page.click("button"), "false", timeout=2.0)


def test_frames_are_counted_while_something_is_done(bare_page: Page) -> None:
    bare_page.goto(LATE)
    frames = frames_during(bare_page, lambda: bare_page.wait_for_timeout(300))
    assert len(frames.gaps) > 2
    assert all(gap > 0 for gap in frames.gaps)
    assert frames.n_messages == 0


def test_the_witness_sees_errors_and_keeps_the_page_off_the_network(bare_page: Page) -> None:
    witness = Witness()
    witness.watch(bare_page)
    bare_page.goto(LATE)
    bare_page.evaluate(
        "() => { console.error('said so'); setTimeout(() => { throw Error('oh'); }); }"
    )
    bare_page.evaluate("() => fetch('http://example.com/').catch(() => null)")
    bare_page.wait_for_timeout(50)
    assert witness.outside == ["http://example.com/"]
    assert witness.errors[0] == "said so"
    assert any(error.startswith("Error: oh") and " at " in error for error in witness.errors)


WORK = """() => {
  const begin = performance.now();
  for (let i = 0, x = 1; i < 3e6; i += 1) x = Math.sin(x + i);
  return performance.now() - begin;
}"""


BUSY = """() => new Promise((rested) => setTimeout(() => {
  const end = performance.now() + 120;
  while (performance.now() < end);
  setTimeout(rested);
}))"""


def test_a_task_that_blocks_is_told_and_a_slower_processor_takes_longer(bare_page: Page) -> None:
    bare_page.add_init_script(LONG_TASKS)
    bare_page.goto(LATE)
    long_tasks(bare_page)
    bare_page.evaluate(BUSY)
    bare_page.wait_for_function("window.__tasks.length > 0")
    ((_, took),) = long_tasks(bare_page)
    assert took >= 0.12
    assert not long_tasks(bare_page)
    usual = min(bare_page.evaluate(WORK) for _ in range(3))
    slow_down(bare_page, 20)
    assert bare_page.evaluate(WORK) > 3 * usual
