"""From right to left: a token in a sentence, a page of words; what is drawn keeps its direction."""

from collections.abc import Iterator
from itertools import pairwise

import pytest
from playwright.sync_api import Browser, Page, expect

from model.loading import LanguageModel
from pages.frame.words import island, languages, numeral, speaking
from pages.home.in_page_file import live_page
from tests.browser import SEEN
from tests.driving.harness import ROOT, by_key, visit, wait_idle

pytestmark = pytest.mark.browser

WORD = "\u05dc\u05e2\u05e2"
# where the token and the number behind it begin, in pixels
PLACES = """async ([word, css]) => {
  const { named, setSentence, quote, setText } = await import("/pages/frame/live/dom.js");
  const sheet = await new CSSStyleSheet().replace(css);
  document.adoptedStyleSheets = [sheet];
  const [rich, plain] = [document.createElement("p"), document.createElement("p")];
  document.body.append(rich, plain);
  setSentence(rich, `It fell on ${named("␣" + word)} 0.024 %, again`);
  setText(plain, `It fell on ${quote(word)} 0.024 %, again`);
  const leftOf = (node, words) => {
    const range = document.createRange();
    const at = node.data.indexOf(words);
    range.setStart(node, at);
    range.setEnd(node, at + words.length);
    return range.getBoundingClientRect().left;
  };
  const text = plain.firstChild;
  return [
    [leftOf(rich.querySelector(".named").lastChild, word), leftOf(rich.lastChild, "0.024")],
    [leftOf(text, word), leftOf(text, "0.024")],
    [leftOf(rich.querySelector(".named").lastChild, word),
      leftOf(rich.querySelector(".space").firstChild, "␣")],
  ];
}"""


def test_the_number_stands_behind_the_word_and_the_space_before_it(scripts: Page) -> None:
    css = (ROOT / "pages/frame/live/base.css").read_text("utf-8")
    rich, plain, space = scripts.evaluate(PLACES, [WORD, css])
    for word, number in (rich, plain):
        assert 0 < word < number
    assert space[0] < space[1], "what is read first is on the right"
    assert (
        scripts.evaluate("async () => (await import('/pages/frame/live/dom.js')).quote('␣the')")
        == "“␣the”"
    )


# where a row of a class's answers has its label, its bar, the start of the axis, and "3" and "5"
CLASS_BARS = """async (css) => {
  const { drawOutcome } = await import("/pages/lessons/classroom/room.js");
  document.adoptedStyleSheets = [await new CSSStyleSheet().replace(css)];
  document.documentElement.dir = "rtl";
  const bar = { label: "الأعرض", values: [0.6], texts: ["3 من 5"] };
  const outcome = { series: [["الصف", "prompt"]], bars: [bar], dots: null, words: "" };
  drawOutcome(document.body, outcome, null);
  const leftOf = (part) => part.getBoundingClientRect().left;
  const words = document.querySelector(".bar span").firstChild;
  const digits = [0, words.length - 1].map((at) => {
    const range = document.createRange();
    range.setStart(words, at);
    range.setEnd(words, at + 1);
    return leftOf(range);
  });
  const parts = [".name", ".bar i", ".axis"].map((one) => document.querySelector(one));
  return [...parts.map(leftOf), ...digits];
}"""


def test_the_bars_of_a_class_run_from_left_to_right_as_its_draw_bar_does(scripts: Page) -> None:
    sheets = ("frame/live/base.css", "lessons/classroom/room.css", "lessons/classroom/drawn.css")
    css = "".join((ROOT / "pages" / sheet).read_text("utf-8") for sheet in sheets)
    label, bar, zero, three, five = scripts.evaluate(CLASS_BARS, css)
    assert label < bar == zero < five
    assert five < three, "and its words from right to left"


LINE = 20  # pixels that a line is high at least
# places on the first screen, in pixels: tokens, axis, track, draw bar, label, a box and its words
SCREEN = """() => {
  const root = document.querySelector("#live").shadowRoot;
  const box = (selector, at = 0) => {
    const { left, right } = [...root.querySelectorAll(selector)].at(at).getBoundingClientRect();
    return { left, right };
  };
  const [first, last] = [0, -1].map((at) => box(".bars-head[data-col=active] .axis-tick", at));
  const label = root.querySelector(".bars-row:not([hidden]) .bars-label").getBoundingClientRect();
  return {
    tokens: [...root.querySelectorAll(".strip .token")].map((node) => node.getBoundingClientRect())
      .map(({ left, top }) => [Math.round(top), left]),
    axis: [(first.left + first.right) / 2, (last.left + last.right) / 2],
    track: box(".bars-row:not([hidden]) td[data-col=active] .bar-track"),
    pointer: box(".draw-bar"),
    label: [label.left, label.right],
    box: box(".setting input"),
    name: box(".setting .setting-name .term"),
    slider: getComputedStyle(root.querySelector(".slider")).direction,
    overflow: document.documentElement.scrollWidth - innerWidth,
  };
}"""


@pytest.mark.parametrize("width", [1280, 390])
def test_words_stand_right_to_left_and_tokens_bars_and_sliders_do_not(
    in_arabic: Page, width: int
) -> None:
    in_arabic.set_viewport_size({"width": width, "height": 844})
    in_arabic.wait_for_function("(width) => innerWidth === width", arg=width)
    told = in_arabic.evaluate(SCREEN)
    for (top, left), (next_top, next_left) in pairwise(told["tokens"]):
        assert left < next_left or top + LINE < next_top, "the text is read from the left"
    track, pointer = told["track"], told["pointer"]
    for found in (pointer, {"left": told["axis"][0], "right": told["axis"][1]}):
        assert abs(found["left"] - track["left"]) < 1.5, "all begin at 0 %"
        assert abs(found["right"] - track["right"]) < 1.5, "and end at 100 %"
    assert told["label"][0] >= track["right"] - 1, "labels are on the right"
    assert told["box"]["left"] >= told["name"]["right"] - 1
    assert told["slider"] == "ltr"
    assert told["overflow"] <= 0


@pytest.fixture(scope="module")
def in_arabic(
    browser: Browser, storyteller: LanguageModel, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Page]:
    """The one file in Arabic, after a press."""
    file = tmp_path_factory.mktemp("ar") / "one-token.html"
    file.write_text(live_page(storyteller), "utf-8")
    context = browser.new_context(reduced_motion="reduce", locale="en-US")
    context.add_init_script(SEEN)
    page = context.new_page()
    page.goto(f"{file.as_uri()}?lang=ar")
    page.wait_for_function("() => globalThis.oneToken")
    page.evaluate("() => oneToken.ready")
    page.keyboard.press("ArrowRight")
    expect(page.locator("#live .strip .token.of-model:not(.is-pending)")).to_have_count(1)
    yield page
    context.close()


def test_a_number_keeps_its_unit_and_its_minus_among_words_from_right_to_left() -> None:
    with speaking(languages()["ar"]):
        for text in ("11.9\u202fms", "−2.31\u202fnats", "−3"):
            assert numeral(text) == f"\u2066{text}\u2069"
        assert numeral("1\u202f234") == "1,234"
    with speaking(languages()["de"]):
        assert numeral("−2.31\u202fnats") == "−2,31\u202fnats"


# of the dialog of models: where its field, a caption and each format of numbers begin and end,
# which corners and sides of the formats are drawn, and the end of the header's menu
DIALOG = """() => {
  const dialog = document.querySelector(".stDialog");
  const sides = (node) => {
    const { left, right } = node.getBoundingClientRect();
    return { left, right };
  };
  const isSeen = (colour) => !/^rgba\\(.*, 0\\)$/.test(colour);
  const words = (node) => {
    const range = document.createRange();
    range.selectNodeContents(node);
    return sides(range);
  };
  return {
    field: sides(dialog.querySelector(".stTextInput")),
    caption: words(dialog.querySelector("[data-testid=stCaptionContainer] p")),
    formats: [...dialog.querySelectorAll("[data-variant=segmented_control]")].map((node) => {
      const style = getComputedStyle(node);
      const round = (corner) => parseFloat(style[corner]) > 0;
      return {
        ...sides(node),
        round: [round("borderTopLeftRadius"), round("borderTopRightRadius")],
        isClosed: isSeen(style.borderLeftColor),
      };
    }),
    menu: sides(document.querySelector(".stMainMenu")),
  };
}"""


@pytest.mark.parametrize("width", [1280, 390])
def test_a_dialog_begins_on_the_right_and_its_choices_are_closed_there(
    browser: Browser, url: str, width: int
) -> None:
    context = browser.new_context(locale="ar", viewport={"width": width, "height": 844})
    context.add_init_script(SEEN)
    page = context.new_page()
    visit(page, url)
    more = page.locator(".more-toggle")
    if more.is_visible():
        more.click()
    by_key(page, "choose_model").locator("button:visible").first.click()
    expect(page.locator(".stDialog [data-variant=segmented_control]")).to_have_count(2)
    wait_idle(page)
    told = page.evaluate(DIALOG)
    context.close()
    first, last = told["formats"]
    assert told["caption"]["right"] == pytest.approx(told["field"]["right"], abs=8)
    assert first["right"] == pytest.approx(told["field"]["right"], abs=8)
    assert last["right"] <= first["left"] + 1
    assert [first["round"], last["round"]] == [[False, True], [True, False]]
    assert first["isClosed"]
    assert last["isClosed"]
    assert told["menu"]["left"] < 40


def test_a_number_behind_a_name_in_latin_letters_is_not_the_name_s() -> None:
    with speaking(languages()["ar"]):
        assert island("openai-community/gpt2") == "\u2066openai-community/gpt2\u2069"
        assert island("نموذج") == "نموذج"
    with speaking(languages()["de"]):
        assert island("openai-community/gpt2") == "openai-community/gpt2"


@pytest.mark.parametrize("width", [1280, 390])
def test_stages_run_from_left_to_right_and_their_words_from_right_to_left(
    in_arabic: Page, width: int
) -> None:
    in_arabic.set_viewport_size({"width": width, "height": 844})
    in_arabic.locator("#live details.more").evaluate("(node) => { node.open = true; }")
    expect(in_arabic.locator(".more-stage").nth(2)).to_be_visible()
    starts = in_arabic.locator(".more-stage").evaluate_all(
        """(nodes) => nodes.map((node) => {
          const words = node.lastElementChild.firstChild;
          const at = (from, to) => {
            const range = document.createRange();
            range.setStart(words, from);
            range.setEnd(words, to);
            return range.getBoundingClientRect();
          };
          const first = words.data.search(/\\p{L}/u);
          const last = words.data.trimEnd().length;
          return [at(first, first + 1).left, at(last - 1, last).left,
            node.getBoundingClientRect().left];
        })"""
    )
    for first, last, edge in starts:
        assert last < first
        assert edge > 16, "the arrow before it is seen"
