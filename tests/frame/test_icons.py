"""The font of icons that is served in place of Streamlit's: it has all that pages name."""

from base64 import b64encode

import pytest
from playwright.sync_api import Browser

from benchmarks.icon_font import named_icons
from pages.frame.assets import ICONS, SERVED

pytestmark = pytest.mark.browser

# the widths of words in fonts, in tenths of their size: an icon is one em wide, letters are not
WIDTHS = """async ([names, fonts]) => {
  const measured = [];
  for (const [place, data] of fonts.entries()) {
    const face = new FontFace(`icons${place}`, `url(data:font/woff2;base64,${data})`);
    document.fonts.add(await face.load());
    const context = document.createElement("canvas").getContext("2d");
    context.font = `10px icons${place}`;
    measured.push(names.map((name) => Math.round(context.measureText(name).width)));
  }
  return measured;
}"""


def test_every_icon_that_is_named_is_drawn_as_by_streamlits_font(browser: Browser) -> None:
    (whole,) = SERVED.glob("static/media/MaterialSymbols-Rounded.*.woff2")
    fonts = [b64encode(path.read_bytes()).decode() for path in (whole, ICONS)]
    names = sorted(named_icons())
    with browser.new_context() as context:
        page = context.new_page()
        of_all, of_ours, (cake, letters) = (
            *page.evaluate(WIDTHS, [names, fonts]),
            [widths[0] for widths in page.evaluate(WIDTHS, [["cake"], fonts])],
        )
    assert of_ours == of_all
    assert of_ours.count(10) > 80
    assert cake == 10 < letters, "an icon that nobody names is left out"
