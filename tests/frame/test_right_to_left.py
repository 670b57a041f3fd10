"""A token from right to left stands in a sentence as it is, and the number stays behind it."""

import pytest
from playwright.sync_api import Page

from benchmarks.harness import ROOT

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
