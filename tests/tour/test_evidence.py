"""What a scene leaves on the screen once its task is done: the evidence of its answer."""

import pytest
from playwright.sync_api import Page, expect

from model.draw import draw
from model.generation import Generation
from model.language_model import LanguageModel
from pages.home.controls import Controls
from pages.lessons.tour.scenes import read_lesson
from tests.driving.harness import Witness, by_key, wait_idle
from tests.driving.home_page import Reader
from tests.frame.accessibility import forget_first_requests
from tests.tour.test_record import PRINTER

pytestmark = pytest.mark.browser


@pytest.fixture(autouse=True)
def _one_distribution(page: Page) -> None:
    page.add_init_script("localStorage.setItem('ott-side', '0')")


# of each row: where it was hit, the segment that was taken, the widest one, whether of another seed
ROWS = """(list) => [...list.children].map((row) => {
  const of = (node) => [parseFloat(node.style.left), parseFloat(node.style.width)];
  const pieces = [...row.querySelectorAll(".draws-piece")];
  const mark = row.querySelector(".draws-pointer, .draws-finger");
  const hit = pieces.find((node) => node.hasAttribute("data-hit"));
  return { at: mark && parseFloat(mark.style.left), hit: hit && of(hit),
    widest: Math.max(...pieces.map((node) => of(node)[1])),
    isOther: row.hasAttribute("data-other"), isPress: mark?.className === "draws-finger" };
})"""
# whether a button is free down to its lower edge, and whether the sheet leaves the picture free
IS_FREE = """(button) => {
  const { left, right, top, bottom } = button.getBoundingClientRect();
  const at = (y) => {
    let node = document.elementFromPoint((left + right) / 2, y);
    while (node?.shadowRoot) node = node.shadowRoot.elementFromPoint((left + right) / 2, y);
    return button.contains(node);
  };
  return at((top + bottom) / 2) && at(bottom - 4);
}"""
IS_UNCOVERED = """() => {
  const all = [...document.querySelectorAll(".st-key-live *")];
  const { shadowRoot } = all.find((one) => one.shadowRoot);
  const seen = [...shadowRoot.querySelectorAll(".draw-bar, .draws-list li, .bars-row")]
    .filter((one) => one.checkVisibility({ visibilityProperty: true }));
  const sheet = document.querySelector(".st-key-tour > :has(> .st-key-tour_answer)");
  const { top } = sheet.getBoundingClientRect();
  return seen.length > 0 && seen.every((one) => one.getBoundingClientRect().bottom <= top);
}"""
IS_SEEN = "(all) => all.some((one) => one.checkVisibility({ visibilityProperty: true }))"
# of what is right: how far the middle of its ring is from that of its line
RING = """(ring) => {
  const range = document.createRange();
  range.selectNode(ring.closest("p").lastChild);
  const [line, box] = [[...range.getClientRects()].at(-1), ring.getBoundingClientRect()];
  return Math.abs((box.top + box.bottom) / 2 - (line.top + line.bottom) / 2);
}"""
PNG = b"\x89PNG\r\n\x1a\n"
PRESSES = """(all) => all.flatMap((token) => {
  const [hit, finger] = [".is-hit", "b"].map((name) => token.querySelector(`.bar ${name}`).style);
  return [finger.left, hit.left, hit.width].map(parseFloat);
})"""
PHRASE = """async (texts) => {
  const { findPhrase } = await import("/pages/frame/live/phrase.js");
  return texts.map((words) => findPhrase(words));
}"""


def answer(page: Page, reply: str) -> None:
    tour = by_key(page, "tour")
    if reply.isdigit():
        tour.get_by_role("textbox").fill(reply)
        tour.locator(".stFormSubmitButton button").click()
    else:
        tour.get_by_role("radio", name=reply, exact=True).click()
    expect(tour.get_by_text("You said")).to_be_visible()


def test_each_press_leaves_its_mark_on_its_own_bar_and_the_widest_are_counted(
    page: Page, url: str, witness: Witness
) -> None:
    reader = Reader(page, url).open(lesson="how-a-model-writes", scene="1")
    answer(page, "the widest")
    bar, rows = reader.live.locator(".draw-bar"), reader.live.locator(".draws-list")
    sentence = reader.live.locator(".draws-sentence")
    places = (0.12, 0.5, 0.7, 0.3)
    for n, place in enumerate(places, start=1):
        box = bar.bounding_box()
        assert box is not None
        expect(sentence).to_have_text("")  # fewer say nothing
        bar.click(position={"x": place * box["width"], "y": box["height"] / 2})
        expect(rows.locator("li")).to_have_count(n)
        wait_idle(page)
    drawn = rows.evaluate(ROWS)
    for row, place in zip(drawn, places, strict=True):
        left, width = row["hit"]
        assert row["isPress"]
        assert abs(row["at"] - 100 * place) < 1
        assert left - 0.01 <= row["at"] <= left + width + 0.01, "the finger is on what was taken"
    n_widest = sum(row["hit"][1] == row["widest"] for row in drawn)
    expected = sum(row["widest"] for row in drawn) / 100
    words = sentence.inner_text()
    assert words.startswith(f"{n_widest} of 4 ")
    assert f"{expected:.1f}" in words

    # the end of the lesson shows the same presses, on the same segments
    page.goto(f"{url}/tour?done=how-a-model-writes")
    story = by_key(page, "tour_story")
    pressed = story.locator(".is-pressed")
    expect(pressed).to_have_count(len(places))
    ends = pressed.evaluate_all(PRESSES)
    assert ends == pytest.approx([one for row in drawn for one in (row["at"], *row["hit"])])
    expect(page.locator(".tour-kept li")).to_have_count(11)
    expect(by_key(page, "neighbours")).to_be_hidden()  # one way on: the next lesson
    with page.expect_download() as waited:
        story.get_by_role("button", name="Save picture").click()
    assert waited.value.path().read_bytes().startswith(PNG), "the story to send"
    page.evaluate(PRINTER)
    page.get_by_role("button", name="Print what I saw").click()
    assert "Which piece does a finger hit" in page.evaluate("printed")
    wait_idle(page)
    reader.open(lesson="how-a-model-writes", scene="1")  # nothing is pressed there
    page.goto(f"{url}/tour?done=how-a-model-writes")
    expect(pressed).to_have_count(len(places))
    wait_idle(page)
    forget_first_requests(witness)


def test_presses_faster_than_the_bars_each_hit_the_bar_of_their_own_token(
    page: Page, url: str, storyteller: LanguageModel
) -> None:
    reader = Reader(page, url).open(lesson="how-a-model-writes", scene="1")
    answer(page, "the widest")
    box = reader.live.locator(".draw-bar").bounding_box()
    assert box is not None
    place, n_presses, gap = 0.37, 5, 100  # of the bar; milliseconds, less than a step is lit
    for _ in range(n_presses):
        page.mouse.click(box["x"] + place * box["width"], box["y"] + box["height"] / 2)
        page.wait_for_timeout(gap)
    rows = reader.live.locator(".draws-list")
    expect(rows.locator("li")).to_have_count(n_presses)
    reader.settle()
    header = reader.header
    settings = Controls.from_page(header["controls"]).settings()
    generation = Generation(storyteller, header["ids"][: header["n_prompt"]])
    for row in rows.evaluate(ROWS):
        at = row["at"] / 100  # of the finger, as it is drawn
        assert abs(at - place) < 0.01
        token_id = draw(generation.stages_for(settings)[-1], at)
        assert token_id == header["ids"][len(generation.ids)]
        step = generation.step(settings, token_id=token_id)
        assert row["hit"][1] == pytest.approx(100 * step.chosen_prob, abs=1e-2)
        left, width = row["hit"]
        assert left <= row["at"] <= left + width


def test_a_step_that_is_repeated_has_its_pointer_again_and_another_seed_has_not(
    page: Page, url: str
) -> None:
    reader = Reader(page, url).open(lesson="how-a-model-writes", scene="3")
    answer(page, "the same")
    rows = reader.live.locator(".draws-list")
    for name, n in (("Next", 1), ("Back", 1), ("Next", 3)):
        reader.press(name)
        page.keyboard.press("Escape")  # the beats
        expect(rows.locator("li")).to_have_count(n)
    first, again, other = rows.evaluate(ROWS)
    assert first["at"] == again["at"]
    assert first["hit"] == pytest.approx(
        again["hit"], abs=1e-3
    )  # per cent, by passes of two lengths
    assert other["isOther"]
    assert other["at"] != first["at"]
    reader.press("Next")  # a pass of its own: nothing is repeated
    page.keyboard.press("Escape")
    expect(rows.locator("[data-other]")).to_have_count(0)
    expect(rows.locator("li")).to_have_count(3)


def test_a_step_whose_beats_are_cut_short_by_back_was_drawn_too(page: Page, url: str) -> None:
    reader = Reader(page, url).open(lesson="how-a-model-writes", scene="3", present="1")
    answer(page, "the same")
    rows = reader.live.locator(".draws-list li")
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("Shift+ArrowRight")  # a slow step
    reader.live.locator(".bars[data-beat=read]").wait_for()
    expect(rows).to_have_count(0)
    reader.live.get_by_role("button", name="Back", exact=True).click()
    expect(rows).to_have_count(1)


def test_top_p_s_line_goes_through_the_rows_as_they_lay_before_the_cut(
    page: Page, url: str
) -> None:
    shown = {"prompt": "The bird sat on the", "use": "top_p", "top_p": "0.5", "temperature": "1"}
    reader = Reader(page, url).open(**shown, lesson="how-a-model-writes", scene="8", said="8.5")
    edge = reader.live.locator(".cut-edge")
    expect(edge).to_have_attribute("data-whole", "true")
    steps = reader.live.locator(".bars-row:not([hidden]) td[data-col=active] .bar").evaluate_all(
        """(bars) => bars.map((bar) => [parseFloat(bar.style.transform.slice(11)) || 0,
          parseFloat(bar.style.width)])"""
    )
    assert len(steps) == 5
    sums = [sum(width for _, width in steps[:n]) for n in range(6)]
    assert all(abs(start - sums[i]) < 0.1 for i, (start, _) in enumerate(steps))
    assert sums[4] < 50 < sums[5]
    assert f"{sums[4]:.0f}" in reader.live.locator(".cut-words").inner_text()

    reader = Reader(page, url).open(**shown)  # by itself the page draws from what is left
    expect(reader.live.locator(".bars-row").first).to_be_visible()
    expect(reader.live.locator(".cut-edge[data-whole=true]")).to_have_count(0)
    expect(reader.live.locator(".cut-words")).to_be_hidden()


def test_on_a_projector_of_720_lines_the_draw_bar_and_the_rows_words_are_whole(
    page: Page, url: str
) -> None:
    page.set_viewport_size({"width": 1280, "height": 720})
    shown = {"prompt": "The bird sat on the", "use": "top_p", "top_p": "0.5", "temperature": "1"}
    shown |= {"lesson": "how-a-model-writes", "scene": "8", "said": "8.5", "present": "1"}
    reader = Reader(page, url).open(**shown)
    expect(reader.live.locator(".cut-edge")).to_have_attribute("data-whole", "true")
    expect(reader.live.locator(".draw-bar")).to_be_in_viewport(ratio=1)
    label = reader.live.locator(".bars-row:not([hidden]) .bars-label").first
    assert label.evaluate("(node) => getComputedStyle(node).overflowY") == "visible"


def test_on_a_phone_the_picture_stays_above_what_is_so_which_is_pulled_down(
    page: Page, url: str
) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    shown = {"prompt": "The bird sat on the", "use": "top_p", "top_p": "0.5", "temperature": "1"}
    reader = Reader(page, url).open(**shown, lesson="how-a-model-writes", scene="8", said="8.5")
    sheet = page.locator(".st-key-tour > :has(> .st-key-tour_answer)")
    expect(sheet).to_be_visible()
    grip = page.locator(".tour-grip")
    answered = by_key(page, "tour_why").get_by_text("the fifth crosses")
    page.wait_for_function(
        """() => {
          const all = [...document.querySelectorAll(".st-key-live *")];
          const { shadowRoot } = all.find((one) => one.shadowRoot);
          const { bottom } = shadowRoot.querySelector(".draw-bar").getBoundingClientRect();
          const sheet = document.querySelector(".st-key-tour > :has(> .st-key-tour_answer)");
          return bottom <= sheet.getBoundingClientRect().top;
        }"""
    )
    expect(reader.live.locator(".cut-edge")).to_be_in_viewport()
    expect(answered).to_be_visible()
    grip.click()
    expect(answered).to_be_hidden()
    expect(by_key(page, "tour_remember")).to_be_visible()
    expect(grip).to_have_attribute("aria-expanded", "false")
    grip.click()
    expect(answered).to_be_visible()


@pytest.mark.parametrize("scene", [1, 3, 7, 8])
def test_on_the_smallest_phone_what_is_so_lies_below_the_picture_that_it_is_about(
    page: Page, url: str, scene: int
) -> None:
    page.set_viewport_size({"width": 360, "height": 640})
    lesson = read_lesson("how-a-model-writes")
    reader = Reader(page, url).open_link(lesson.address(scene)[1:])
    answer(page, lesson.scenes[scene - 1].right)
    match scene:
        case 1:
            bar = reader.live.locator(".draw-bar")
            for n in range(1, 5):
                bar.click()
                expect(reader.live.locator(".draws-list li")).to_have_count(n)
        case 3:
            for name in ("Next", "Back", "Next"):
                button = reader.button(name)
                assert button.evaluate(IS_FREE), "it stands above the way on"
                reader.press(name)
                page.keyboard.press("Escape")  # the beats
        case 7:
            reader.slider("temperature").fill("0")
        case 8:
            reader.use("top_p").check()
            reader.slider("top_p").fill("0.5")
    why = by_key(page, "tour_why")
    expect(by_key(page, "tour_remember")).to_be_in_viewport()
    page.wait_for_function(IS_UNCOVERED)
    expect(why.locator(".tour-grip")).to_have_attribute("aria-expanded", "false")
    explained = why.locator(".stMarkdown").first
    expect(explained).to_be_hidden()
    why.get_by_role("button", name="Why?").click()
    expect(explained).to_be_visible()


def test_on_the_smallest_phone_both_sums_are_seen_and_the_sentence_is_folded(
    page: Page, url: str, witness: Witness
) -> None:
    page.set_viewport_size({"width": 360, "height": 640})
    page.goto(f"{url}{read_lesson('how-a-model-writes').address(9)[1:]}")
    wait_idle(page)
    answer(page, "30")
    page.get_by_role("button", name="Play", exact=True).first.click()
    sums = page.locator(".kv-total")
    expect(sums).to_have_count(2)
    page.wait_for_function(
        """() => {
          const sheet = document.querySelector(".st-key-tour > :has(> .st-key-tour_answer)");
          const { top } = sheet.getBoundingClientRect();
          return [...document.querySelectorAll(".kv-total")].every((sum) =>
            sum.textContent !== "" && sum.getBoundingClientRect().bottom <= top);
        }"""
    )
    remember = by_key(page, "tour_remember")
    expect(remember).to_be_hidden()
    by_key(page, "tour_why").get_by_role("button", name="Why?").click()
    expect(remember).to_be_visible()
    forget_first_requests(witness)


def test_at_temperature_0_no_row_and_no_bar_is_left_of_what_is_out(page: Page, url: str) -> None:
    reader = Reader(page, url).open(
        **{"prompt": "The bird sat on the", "use": "temperature", "temperature": "0.1"},
        **{"lesson": "how-a-model-writes", "scene": "7", "said": "7.1"},
    )
    flag = reader.live.locator(".end-flag[data-name]")
    expect(flag).to_be_attached()
    expect(flag).to_be_hidden()  # no scene of this lesson asks for it
    slider = reader.slider("temperature")
    slider.focus()
    while float(slider.input_value()) > 0:  # through shares that are nearly nothing
        slider.press("ArrowLeft")
        page.wait_for_timeout(50)
    reader.settle()
    rows = reader.live.locator(".bars-table tbody tr:not([hidden])")
    *shown, last = rows.evaluate_all(
        """(rows) => rows.map((row) => ({ isNone: row.hasAttribute("data-none"),
          bars: row.querySelectorAll("[data-col=active] .bar:not([hidden])").length,
          number: row.querySelector("[data-col=active] .bar-number").textContent }))"""
    )
    assert last["isNone"], "what has no token stands last"
    assert not any(row["isNone"] for row in shown)
    assert [row["bars"] for row in shown] == [1, *[0] * (len(shown) - 1)]
    assert {row["number"] for row in shown[1:]} == {"out"}
    unseen = reader.live.locator(".bar-ghost, .bars-key, .pointer-marker, .end-flag")
    assert not unseen.evaluate_all(IS_SEEN), "nothing is cut, drawn, or said of the end"
    zero = rows.nth(1).locator("[data-col=active] .bar-number")
    assert zero.evaluate("(node) => getComputedStyle(node, '::after').content") == '"0\u202f%"'


@pytest.mark.parametrize(
    ("size", "shown"),
    [((1280, 800), {}), ((390, 844), {}), ((1280, 720), {"present": "1"})],
    ids=["desk", "phone", "projector"],
)
def test_the_ring_of_what_is_right_stands_on_its_line(
    page: Page, url: str, size: tuple[int, int], shown: dict[str, str]
) -> None:
    page.set_viewport_size({"width": size[0], "height": size[1]})
    Reader(page, url).open(lesson="how-a-model-writes", scene="4", **shown)
    answer(page, "6")
    ring = page.locator("[class*=st-key-tour_told_right] [role=img]")
    expect(ring).to_be_visible()
    ring.evaluate("(node) => Promise.all(node.getAnimations().map((one) => one.finished))")
    assert ring.evaluate(RING) <= 2


def test_the_pieces_of_a_word_are_counted_once_the_reader_has_counted(page: Page, url: str) -> None:
    reader = Reader(page, url).open(lesson="how-a-model-writes", scene="4")
    pieces = reader.live.locator(".token[data-tour=piece]")
    expect(reader.live.locator(".token[data-tour=joined]")).to_have_count(6)
    expect(pieces).to_have_count(0)
    answer(page, "6")
    expect(pieces).to_have_count(6)
    assert "".join(pieces.all_inner_texts()).endswith("unbelievably")  # no whole word is counted


def test_the_phrase_that_returns_most_is_found(scripts: Page) -> None:
    circle = ["␣A", "␣b", "␣c", "␣d", "␣e"] * 3
    short = [*circle[:3], "␣x", *circle[:3]]
    texts = [["␣x", *circle, "␣y"], short, [], ['␣"', *circle]]
    found = scripts.evaluate(PHRASE, texts)
    assert found[0] == {"starts": [1, 6, 11], "n": 5}
    assert found[1] == {"starts": [], "n": 0}, "three tokens are no phrase"
    assert found[2] == {"starts": [], "n": 0}
    assert found[3]["starts"] == [1, 6, 11], "it begins with a sentence"
