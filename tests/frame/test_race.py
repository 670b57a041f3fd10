"""Lanes on one clock in a real browser: they run by themselves, end as measured, and run again."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from pages.lessons.speculative.race import N_TOKENS
from tests.driving.harness import by_key

pytestmark = pytest.mark.browser
SLOW = 60_000  # ms
PHONE = {"width": 390, "height": 844}
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
    assert "s" not in "".join(race.locator(".clock").all_inner_texts()), "a bar is no time here"
    expect(race.locator(".wait")).to_have_count(2)  # for an answer
    by_key(page, "spec_said").locator("button").last.click()
    told = by_key(page, "spec_said_told").locator("p")
    found, remember = by_key(page, "spec_at_end").locator("p"), page.locator(".remember")
    compared = race.locator(".text:not(.is-whole) .is-told")
    expect(told).to_be_visible()
    for words in (found, remember, compared):  # the race says it first
        expect(words).to_be_attached()
        expect(words).to_be_hidden()
    page.evaluate(HURRY)
    expect(over).to_have_count(2, timeout=SLOW)
    for words in (found, remember, compared):
        expect(words).to_be_visible()
    expect(race.locator(".wait")).to_have_count(0)
    expect(race.locator(".pace")).to_contain_text("shown")
    times = race.locator(".count").all_inner_texts()
    assert len({one.rpartition("\u202f")[2] for one in times}) == 1, "one unit"
    blocks = [lane.locator(".is-block") for lane in race.locator(".lane").all()]
    n_alone, n_drafted = (lane.count() for lane in blocks)
    assert n_drafted < n_alone == N_TOKENS, "a block is a pass, and the draft spares some"
    expect(race.locator(".is-block.is-there")).to_have_count(n_alone + n_drafted)
    late = race.locator(".lane").first.locator(".is-late").count()
    assert 0 < late < n_alone, "what came after the winner was done is pale"
    assert race.locator(".lane").last.locator(".is-late").count() == 0
    texts = race.locator(".text:not(.is-whole)")
    plain, drafted = texts.evaluate_all(
        "(all) => all.map((one) => [...one.querySelectorAll('span:not(.is-told)')]"
        ".map((s) => s.textContent).join(''))"
    )
    assert plain == drafted, "without what was rejected"
    assert texts.last.locator("s:visible").count() > 0
    own = texts.last.locator(".is-own:not([hidden])").count()
    assert own <= n_drafted, "at most one token a pass is the large model's own"
    assert own + texts.last.locator(".is-guessed:not([hidden])").count() == N_TOKENS
    for passes, n in zip(over.all_inner_texts(), (n_alone, n_drafted), strict=True):
        assert passes == f"{n} passes"
    mark = race.locator(".mark.is-there")
    expect(mark).to_have_count(1)
    words, bar = (
        one.bounding_box() for one in (mark.locator("span"), race.locator(".track").first)
    )
    assert words is not None
    assert bar is not None
    assert words["y"] >= bar["y"] + bar["height"], "its words hide no block"
    assert len(plain.split()) > 20
    assert [int(one.split(" ")[0]) for one in times] == [N_TOKENS] * 2
    race.get_by_role("button", name="Watch again").click()
    expect(over).to_have_count(0)
    expect(over).to_have_count(2, timeout=SLOW)
    page.evaluate("() => { globalThis.requestAnimationFrame = () => 0; }")  # it stands still
    for name, n_over in (("Watch again", 0), ("Show all", 2)):
        race.get_by_role("button", name=name).click()
        expect(over).to_have_count(n_over)


def test_on_a_phone_each_lane_has_its_text_and_what_to_remember_is_near(
    turn_to: Callable[[str], Page],
) -> None:
    page = turn_to("speculative")
    screen = page.viewport_size
    page.set_viewport_size(PHONE)
    page.evaluate(HURRY)
    by_key(page, "spec_said").locator("button").last.click()
    race = by_key(page, "spec_on_clock")
    expect(race.locator(".clock.is-over")).to_have_count(2, timeout=SLOW)
    boxes = race.locator(".track, .text:not(.is-whole)").evaluate_all(
        "(all) => all.map((one) => [one.className.split(' ')[0], one.getBoundingClientRect()])"
    )
    assert [name for name, _ in boxes] == ["track", "text"] * 2
    assert all(box["height"] > 0 for _, box in boxes)
    tops = [box["top"] for _, box in boxes]
    assert tops == sorted(tops), "each text below its bar"
    remember = page.locator(".remember").bounding_box()
    assert remember is not None
    assert remember["y"] + remember["height"] <= PHONE["height"]
    if screen is not None:
        page.set_viewport_size(screen)
