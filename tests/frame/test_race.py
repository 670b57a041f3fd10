"""Lanes on one clock in a real browser: they run by themselves, end as measured, and run again."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.driving.harness import by_key

pytestmark = pytest.mark.browser
SLOW = 60_000  # ms
# the page's clock runs ten times as fast
HURRY = """() => {
  const [now, frame] = [performance.now.bind(performance), requestAnimationFrame];
  performance.now = () => 10 * now();
  window.requestAnimationFrame = (act) => frame((at) => act(10 * at));
}"""


def test_both_lanes_come_to_their_end_with_one_text_and_run_again(
    turn_to: Callable[[str], Page],
) -> None:
    page = turn_to("speculative")
    race = by_key(page, "spec_on_clock")
    over = race.locator(".clock.is-over")
    expect(race.locator(".lane")).to_have_count(2, timeout=SLOW)
    expect(race.locator(".clock").first).to_have_text("0.000\u202fs")
    expect(race.locator(".wait")).to_have_count(2)  # for an answer
    page.evaluate(HURRY)
    by_key(page, "spec_said").locator("button").last.click()
    expect(over).to_have_count(2, timeout=SLOW)
    expect(race.locator(".wait")).to_have_count(0)
    clocks = race.locator(".clock").all_inner_texts()
    assert len({one.partition("\u202f")[2] for one in clocks}) == 1, "one unit"
    widths = race.locator(".fill").evaluate_all("(all) => all.map((one) => one.style.width)")
    assert widths == ["100%", "100%"], "a bar is as long as its tokens, so both are full"
    plain, drafted = race.locator(".text:not(.is-whole)").all_inner_texts()
    assert plain == drafted
    assert len(plain.split()) > 20
    for count in race.locator(".count").all_inner_texts():
        done, of, _ = count.split(" ", 2)
        assert of == "of"
        assert count == f"{done} of {done} tokens"
    race.get_by_role("button", name="Watch again").click()
    expect(over).to_have_count(0)
    expect(over).to_have_count(2, timeout=SLOW)
