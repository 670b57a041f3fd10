"""The first step of a newcomer in five beats, which nothing has to wait for."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, BrowserContext, ViewportSize, expect

from tests.browser import SCREEN, clear_storage
from tests.driving.harness import Server, by_key
from tests.driving.home_page import MOVING, Reader, pointer_label
from tests.frame.by_eye import MAX_SHIFT, SHIFTS, shifts

pytestmark = pytest.mark.browser

BEATS = ("read", "score", "cut", "draw", "append")
N_FAST = 50
CLICK_FAST = "(button, times) => { for (let i = 0; i < times; i += 1) button.click(); }"
LENGTHS = """(root) => [...root.querySelectorAll(".bars-table [data-col=active] .bar")]
  .map((bar) => parseFloat(bar.style.width) || 0)"""
# the beats wait for a press, however long a slow machine takes to look at them
HELD = """globalThis.holdsBeats = true;
const own = globalThis.setTimeout;
globalThis.setTimeout = (act, ms = 0, ...more) =>
  own(act, holdsBeats && ms >= 1800 && ms <= 4000 ? 1e6 : ms, ...more);"""


@pytest.fixture(scope="module")
def window(browser: Browser) -> Iterator[BrowserContext]:
    """A browser that has never been here."""
    context = browser.new_context(viewport=SCREEN)
    context.add_init_script(f"{{{HELD}}}{SHIFTS}")
    yield context
    context.close()


@pytest.fixture
def newcomer(window: BrowserContext, server: Server) -> Iterator[Reader]:
    reader = Reader(window.new_page(), server.url).open()
    yield reader
    clear_storage(reader.page, server)
    reader.page.close()


def at_beat(reader: Reader, beat: str) -> None:
    expect(reader.live.locator(f".bars[data-beat={beat}]")).to_be_visible()
    expect(reader.live.locator(f".loop-station.is-{beat}[data-lit]")).to_be_visible()


def test_the_first_step_goes_beat_by_beat_and_says_the_numbers_of_its_own(newcomer: Reader) -> None:
    reader, prompt = newcomer, newcomer.header["n_prompt"]
    reader.page.emulate_media(reduced_motion="reduce")
    sentence, root = reader.live.locator(".pointer-sentence"), reader.live.locator(".ott")
    pointer = reader.live.locator(".pointer-marker")
    reader.page.keyboard.press("ArrowRight")
    for n, beat in enumerate(BEATS):
        at_beat(reader, beat)
        expect(reader.chips).to_have_count(prompt + (beat == "append"))
        expect(pointer).to_be_visible(visible=beat in ("draw", "append"))
        assert reader.live.locator(".loop-station[data-done]").count() == n
        lengths = root.evaluate(LENGTHS)
        assert root.evaluate(MOVING) == 0, "a still picture"
        if beat == "read":
            expect(sentence).to_contain_text(f"{prompt} tokens")
            assert sum(lengths) == 0
            expect(reader.live.locator(".reading-token:visible")).to_have_count(prompt)
            expect(reader.live.locator(".axis:visible")).to_have_count(0)  # of nothing yet
        else:
            assert sum(lengths) == pytest.approx(100, abs=0.1)
        if beat == "score":
            expect(sentence).to_contain_text("4\u202f096")
        if beat == "draw":
            # the beats begin with the press, the answer may come later
            reader.until(lambda: bool(reader.header["steps"]["pointer"]), "no step came")
            fell = reader.header["steps"]["pointer"][-1]
            expect(sentence).to_contain_text(pointer_label(fell))
            reader.page.evaluate("() => { globalThis.holdsBeats = false; }")
        if beat != "append":  # which ends by itself
            reader.page.keyboard.press("Space")
    reader.page.evaluate("() => { globalThis.holdsBeats = true; }")
    expect(reader.live.locator(".bars[data-beat]")).to_have_count(0)
    assert len(reader.ids) == prompt + 1
    told = reader.live.locator(".pointer-line[data-told]")
    expect(told).to_contain_text(str(prompt + 1))  # what was said last stays until the next press

    # the second goes at once; shift makes one slow, and escape ends it
    reader.page.keyboard.press("ArrowRight")
    expect(reader.chips).to_have_count(prompt + 2)
    expect(reader.live.locator(".bars[data-beat]")).to_have_count(0)
    expect(told).to_have_count(0)
    reader.page.keyboard.press("Shift+ArrowRight")
    at_beat(reader, "read")
    reader.page.keyboard.press("Escape")
    expect(reader.chips).to_have_count(prompt + 3)
    expect(reader.live.locator(".bars[data-beat]")).to_have_count(0)


TWICE = """() => [0, 1].forEach(() => document.body.dispatchEvent(
  new KeyboardEvent("keydown", { key: " ", bubbles: true, cancelable: true })))"""


def test_next_goes_to_the_next_beat_while_one_is_played(newcomer: Reader) -> None:
    reader, prompt = newcomer, newcomer.header["n_prompt"]
    for n, beat in enumerate(BEATS):
        reader.page.wait_for_timeout(200)  # a hand's pace: faster presses are for tokens
        if n % 2:
            reader.page.keyboard.press("ArrowRight")
        else:
            reader.button("Next").click()
        at_beat(reader, beat)
    reader.page.wait_for_timeout(200)
    reader.button("Next").click()
    expect(reader.live.locator(".bars[data-beat]")).to_have_count(0)
    assert len(reader.ids) == prompt + 1, "one step, however often it was pressed"


def test_a_press_too_many_for_the_next_beat_plays_nothing(newcomer: Reader) -> None:
    reader = newcomer
    reader.page.keyboard.press("ArrowRight")
    for beat in BEATS[:-1]:
        at_beat(reader, beat)
        expect(reader.live.locator("[data-beating] kbd")).to_be_hidden()
        reader.page.keyboard.press("Space")
    at_beat(reader, BEATS[-1])
    reader.page.evaluate(TWICE)
    expect(reader.live.locator(".bars[data-beat]")).to_have_count(0)
    expect(reader.live.locator("[data-beating]")).to_have_count(0)
    expect(reader.button("Play")).to_be_visible()
    reader.page.keyboard.press("ArrowRight")
    expect(reader.chips).to_have_count(reader.header["n_prompt"] + 2)


FALLING = """(live) => new Promise((done) => {
  const look = () => {
    const [motion] = live.querySelector(".pointer-marker.is-passing")?.getAnimations() ?? [];
    if (!motion) return requestAnimationFrame(look);
    motion.pause();
    done();
  };
  look();
})"""
OUTCOME = """(live) => {
  const style = (selector, pseudo) => getComputedStyle(live.querySelector(selector), pseudo);
  return [
    style(".pointer-sentence").visibility === "visible",
    style(".loop-station.is-draw .loop-line").visibility === "visible",
    style(".pointer-marker", "::after").visibility === "visible",
    style(".draw-segment[data-state=chosen]").boxShadow !== "none",
    style("tr[data-chosen] td[data-col=active] .bar").outlineColor !== "rgba(0, 0, 0, 0)",
  ];
}"""


def test_no_token_looks_taken_before_the_pointer_has_landed(newcomer: Reader) -> None:
    reader, root = newcomer, newcomer.live.locator(".ott")
    reader.page.keyboard.press("ArrowRight")
    for beat in BEATS[:3]:
        at_beat(reader, beat)
        reader.page.keyboard.press("Space")
    root.evaluate(FALLING)
    assert root.evaluate(OUTCOME) == [False] * 5
    root.evaluate("(live) => live.querySelector('.pointer-marker').getAnimations()[0].finish()")
    expect(reader.live.locator(".pointer-marker.is-passing")).to_have_count(0)
    assert root.evaluate(OUTCOME) == [True] * 5


# the bars of a beat stand at its beginning, however long a slow machine takes to look at them
STOPPED = """(live, beat) => {
  const look = () => {
    const isThere = live.querySelector(`.bars[data-beat=${beat}]`);
    const motions = isThere ? live.getRootNode().getAnimations() : [];
    if (motions.length === 0) return requestAnimationFrame(look);
    motions.forEach((motion) => motion.pause());
    globalThis.isStopped = true;
  };
  requestAnimationFrame(look);
}"""
AT = """(live, ms) => {
  for (const motion of live.getRootNode().getAnimations()) {
    motion.pause();
    motion.currentTime = ms;
  }
  return new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
}"""
# how far each bar and the number beside it are apart, as shares of the axis
APART = """(live) => {
  const apart = (row) => {
    const cell = row.querySelector("td[data-col=active]");
    const wide = (part) => cell.querySelector(part).getBoundingClientRect().width;
    const said = cell.querySelector("[data-counts]").dataset.counts;
    return Math.abs(wide(".bar") / wide(".bar-track") - parseFloat(said) / 100);
  };
  return [...live.querySelectorAll(".bars-table tbody tr:not([hidden], [data-none])")].map(apart);
}"""


@pytest.mark.parametrize(("n_before", "times"), [(1, (1000, 1600, 2100)), (2, (700, 1200))])
def test_a_number_counts_by_the_clock_of_its_bar(
    newcomer: Reader, n_before: int, times: tuple[int, ...]
) -> None:
    reader, root = newcomer, newcomer.live.locator(".ott")
    reader.page.keyboard.press("ArrowRight")
    for n, beat in enumerate(BEATS[:n_before]):
        at_beat(reader, beat)
        if n == n_before - 1:
            root.evaluate(STOPPED, BEATS[n_before])
        reader.page.keyboard.press("Space")
    reader.page.wait_for_function("() => globalThis.isStopped")
    if n_before == 1:
        root.evaluate(AT, 300)
        counts = reader.live.locator(".bars-table tbody tr:visible [data-counts]")
        said = counts.evaluate_all("(all) => all.map((one) => one.dataset.counts)")
        assert said == [""] * 6, "no share is said before the bars have it"
    for ms in times:
        root.evaluate(AT, ms)
        apart = root.evaluate(APART)
        assert len(apart) >= 6
        assert max(apart) < 0.004, ms  # of one decimal and a pixel


# top-p's line and what is out, as shares of the axis; null where no line stands
CUT_AT = """(live) => {
  const { left, width } = live.querySelector(".draw-bar").getBoundingClientRect();
  const seen = (node) => node.getClientRects().length > 0;
  const at = (x) => (x - left) / width;
  const line = live.querySelector(".cut-edge");
  const out = [...live.querySelectorAll("tr:not([data-none]) .bar-ghost")].filter(seen)
    .map((ghost) => ghost.getBoundingClientRect()).map((box) => [at(box.left), at(box.right)]);
  return [seen(line) ? at(line.getBoundingClientRect().left + 1) : null, out];
}"""
PIXEL = 0.003  # of the axis, and a little more


def test_top_p_s_line_stands_where_it_cuts_and_only_while_it_does(newcomer: Reader) -> None:
    reader, root = newcomer, newcomer.live.locator(".ott")
    reader.page.emulate_media(reduced_motion="reduce")
    top_p = reader.header["controls"]["top_p"]
    reader.page.keyboard.press("ArrowRight")
    for beat in BEATS:
        at_beat(reader, beat)
        line, out = root.evaluate(CUT_AT)
        assert (line is None) == (beat != "cut"), beat
        if beat == "cut":
            assert line == pytest.approx(top_p, abs=PIXEL)
        if beat == "cut":
            assert min(start for start, _ in out) >= top_p - PIXEL
            assert max(end for _, end in out) == pytest.approx(1, abs=PIXEL)
        if beat in ("draw", "append"):  # a pointer stands: what is out lies beyond the bar
            assert min(start for start, _ in out) > 1
            expect(reader.live.locator(".bars-key.is-rejected")).to_be_hidden()
        reader.page.keyboard.press("Space")
    expect(reader.live.locator(".bars[data-beat]")).to_have_count(0)
    assert root.evaluate(CUT_AT)[0] is None

    # while its slider is held the line stands at its value, and the pointer is whole on no box
    slider = reader.live.locator(".slider[name=top_p]")
    box = slider.bounding_box()
    assert box is not None
    middle = box["y"] + box["height"] / 2
    marker = reader.live.locator(".pointer-marker")
    ghosts = reader.live.locator("tr:not([data-none]) .bar-ghost:visible")
    for share in (0.2, 0.5):
        reader.page.mouse.move(box["x"] + share * box["width"], middle)
        reader.page.mouse.down()
        value = float(slider.input_value())
        expect(reader.live.locator(".cut-edge")).to_be_visible()
        line, out = root.evaluate(CUT_AT)
        assert line == pytest.approx(value, abs=PIXEL)
        assert min(start for start, _ in out) >= value - PIXEL
        assert set(ghosts.evaluate_all("(all) => all.map((one) => one.clientHeight)")) == {0}
        drawn = marker.evaluate("(it) => [it.clientWidth, getComputedStyle(it).borderLeftStyle]")
        assert drawn == [0, "solid"]
        reader.page.mouse.up()
        expect(reader.live.locator(".cut-edge")).to_be_hidden()


def test_a_guess_goes_on_to_the_step_stays_marked_and_moves_nothing(newcomer: Reader) -> None:
    reader, prompt = newcomer, newcomer.header["n_prompt"]
    options = reader.live.locator(".guess-option:visible")
    expect(options).to_have_count(4)
    ask_first = by_key(reader.page, "hide_bars").get_by_text("Guess first")
    expect(ask_first).to_be_hidden()  # it is off, and the first guess is asked whatever it says
    words = [f"␣{word}" for word in options.all_text_contents()]
    rows = reader.live.locator(".bars-row:not([hidden]) .bars-label").all_text_contents()
    assert {*words} >= {*rows[::2]}, "the first, third and fifth"
    reader.page.wait_for_timeout(600)
    shifts(reader.page)
    wanted = next(word for word in words if word in rows)
    options.filter(has_text=wanted.removeprefix("␣")).click()
    mine = reader.live.locator(".bars-row[data-mine]")
    for beat in BEATS[:4]:
        at_beat(reader, beat)
        if beat != "read":
            expect(mine.locator(".bars-label")).to_have_text(wanted)
        reader.live.locator(".pointer-line").click()
    at_beat(reader, "append")
    expect(ask_first).to_be_visible()
    assert sum(shift["value"] for shift in shifts(reader.page)) <= MAX_SHIFT
    reader.button("Next").click()  # ends the last beat, and no more
    expect(reader.live.locator(".bars[data-beat]")).to_have_count(0)
    assert len(reader.ids) == prompt + 1


def test_a_word_that_is_cut_has_a_row_goes_out_behind_the_line_and_the_verdict_says_it(
    newcomer: Reader,
) -> None:
    reader, root = newcomer, newcomer.live.locator(".ott")
    reader.page.emulate_media(reduced_motion="reduce")
    box, top_p = reader.live.locator("#guess"), reader.header["controls"]["top_p"]
    bar, rows = reader.live.locator(".draw-bar"), reader.live.locator(".bars-row:not([hidden])")
    expect(bar).to_be_visible()  # its shape is seen from the start, and no share on it
    expect(
        reader.live.locator(".draw-segment:visible, .bar:visible, .bars-label:visible")
    ).to_have_count(0)
    room, n_rows = bar.bounding_box(), rows.count()
    box.fill("window")
    box.press("Enter")
    mine = reader.live.locator(".bars-row[data-mine]")
    for beat in BEATS[:4]:
        at_beat(reader, beat)
        if beat != "read":
            expect(mine.locator(".bars-label")).to_have_text("␣window")
            is_out = mine.locator("td[data-col=active][data-state=rejected]")
            expect(is_out).to_have_count(int(beat != "score"))
        if beat == "cut":
            line, out = root.evaluate(CUT_AT)
            assert line == pytest.approx(top_p, abs=PIXEL)  # a row that stays is below the word's
            assert len(out) == 2
            assert min(start for start, _ in out) >= top_p - PIXEL
        reader.page.keyboard.press("Space")
    at_beat(reader, "append")
    said = reader.live.locator(".verdict").inner_text()
    assert said.endswith(f"Top\N{NON-BREAKING HYPHEN}p {top_p:g} cut it."), "what took it"
    assert rows.count() == n_rows + 1, "the likeliest stay"
    assert bar.bounding_box() == room


def test_fifty_fast_presses_are_fifty_tokens(newcomer: Reader) -> None:
    reader, before = newcomer, len(newcomer.ids)
    reader.button("Next").evaluate(CLICK_FAST, N_FAST)
    reader.until(lambda: reader.header["finished"] or len(reader.ids) == before + N_FAST, "too few")
    expect(reader.chips).to_have_count(len(reader.ids))


@pytest.mark.parametrize(
    ("screen", "how"),
    [
        ({"width": 1280, "height": 720}, {"present": "1"}),
        ({"width": 390, "height": 844}, {}),
    ],
    ids=["projector", "phone"],
)
def test_the_row_of_beats_is_in_sight_while_they_run(
    newcomer: Reader, screen: ViewportSize, how: dict[str, str]
) -> None:
    newcomer.page.set_viewport_size(screen)
    reader = newcomer.open(**how) if how else newcomer  # a second visit asks no newcomer
    reader.button("Next").click()
    for beat in BEATS[:4]:
        at_beat(reader, beat)
        row = reader.live.locator(".loop-band").bounding_box()
        button = reader.button("Next").bounding_box()
        assert row is not None
        assert button is not None
        is_phone = screen["width"] < 500
        assert row["y"] + row["height"] <= (button["y"] if is_phone else screen["height"])
        reader.live.locator(".pointer-line").click()


def test_a_low_phone_shows_the_picture_to_its_last_sentence(newcomer: Reader) -> None:
    reader, live = newcomer, newcomer.live
    reader.page.set_viewport_size({"width": 360, "height": 640})
    reader.page.emulate_media(reduced_motion="reduce")
    options = live.locator(".guess-option:visible")
    expect(options).to_have_count(4)
    tops = options.evaluate_all("(all) => all.map((one) => one.getBoundingClientRect().top)")
    assert len(set(tops)) == 1, "four guesses in one line"
    options.first.click()
    for beat in BEATS:
        at_beat(reader, beat)
        sentence = live.locator(".pointer-line").bounding_box()
        button = reader.button("Next").bounding_box()
        assert sentence is not None
        assert button is not None
        assert sentence["y"] + sentence["height"] <= button["y"] - 8, (
            beat
        )  # where the bar fades out
        if beat != "read":
            verdict = live.locator(".verdict").bounding_box()
            axis = live.locator(".axis-tick:visible").first.bounding_box()
            assert verdict is not None
            assert axis is not None
            assert verdict["y"] + verdict["height"] <= axis["y"] + 1
        reader.page.keyboard.press("Space")


def test_the_number_that_was_stands_beside_the_one_that_a_setting_makes(newcomer: Reader) -> None:
    reader, live = newcomer, newcomer.live
    reader.page.emulate_media(reduced_motion="reduce")
    number, was = live.locator(".bar-number:visible").first, live.locator(".bar-was:visible")
    reader.page.keyboard.press("ArrowRight")
    now = ""
    for beat in BEATS:
        at_beat(reader, beat)
        if beat in ("score", "cut"):
            before = was.first.locator("s").inner_text()
            assert before != number.inner_text()
            assert before == now or beat == "score", "one number, which a setting changes"
            value = reader.header["controls"]["temperature" if beat == "score" else "top_p"]
            expect(was.first.locator(".bar-was-by")).to_contain_text(str(value))
            now = number.inner_text()
        else:
            expect(was).to_have_count(0)
        reader.page.keyboard.press("Space")


@pytest.mark.parametrize("beat", ["score", "draw"])
def test_a_slider_that_is_dragged_ends_the_beats_and_moves_the_picture_of_the_step(
    newcomer: Reader, beat: str
) -> None:
    reader, live = newcomer, newcomer.live
    reader.page.emulate_media(reduced_motion="reduce")
    reader.page.keyboard.press("ArrowRight")
    for one in BEATS[: BEATS.index(beat)]:
        at_beat(reader, one)
        reader.page.keyboard.press("Space")
    at_beat(reader, beat)
    first = live.locator(".bars-row .bar-number:visible").first
    before, chosen = first.inner_text(), live.locator(".bars-row[data-chosen]")
    box = reader.slider("temperature").bounding_box()
    assert box is not None
    reader.page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    reader.page.mouse.down()
    reader.page.mouse.move(box["x"] + 0.9 * box["width"], box["y"] + box["height"] / 2)
    expect(live.locator(".bars[data-beat]")).to_have_count(0)
    expect(chosen).to_have_count(1)  # the step stands whole, with the pointer where it fell
    expect(live.locator(".pointer-marker")).to_be_visible()
    expect(first).not_to_have_text(before)
    reader.page.mouse.up()
    expect(chosen).to_have_count(1)


FALL = """(button) => {
  const marker = button.getRootNode().querySelector(".pointer-marker");
  button.click();
  return new Promise((done) => {
    let n = 0;
    const look = () => {
      const [motion] = marker.getAnimations();
      if (motion || (n += 1) > 60) return done(motion ? motion.effect.getTiming().duration : null);
      requestAnimationFrame(look);
    };
    look();
  });
}"""
MAX_FALL_MS = 300


def test_the_pointer_of_a_quick_step_is_seen_to_fall(newcomer: Reader) -> None:
    reader = newcomer
    reader.page.keyboard.press("ArrowRight")
    at_beat(reader, "read")
    reader.page.keyboard.press("Escape")
    for _ in range(2):
        n_tokens = len(reader.ids)
        duration = reader.button("Next").evaluate(FALL)
        assert duration is not None
        assert duration <= MAX_FALL_MS
        reader.until(lambda n=n_tokens: len(reader.ids) == n + 1, "no token")


CHEERED = """(root) => {
  globalThis.cheered = 0;
  new MutationObserver((all) => {
    for (const { addedNodes } of all)
      for (const node of addedNodes) globalThis.cheered += node.className === "cheer";
  }).observe(root, { childList: true, subtree: true });
}"""


def test_a_right_guess_is_cheered_once_and_nothing_of_it_stays(newcomer: Reader) -> None:
    reader, root = newcomer, newcomer.live.locator(".ott")
    root.evaluate(CHEERED)
    reader.live.locator(".guess-option").get_by_text("tree", exact=True).click()
    for beat in BEATS[:4]:
        at_beat(reader, beat)
        assert reader.page.evaluate("cheered") == 0, beat
        reader.page.keyboard.press("Space")
    at_beat(reader, "append")
    expect(reader.live.locator(".verdict[data-right]")).to_be_visible()
    expect(reader.live.locator(".cheer")).to_have_count(0)
    reader.page.keyboard.press("Escape")
    expect(reader.live.locator(".bars[data-beat]")).to_have_count(0)
    assert reader.page.evaluate("cheered") == 1
