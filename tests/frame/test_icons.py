"""The font of icons that is served in place of Streamlit's: it has all that pages name."""

import re
from base64 import b64encode

import pytest
from playwright.sync_api import Browser, Route, expect

from benchmarks.icon_font import named_icons
from pages.frame.assets import ALL_ICONS, ICONS, SERVED
from tests.driving.harness import ROOT, Server

pytestmark = pytest.mark.browser

# widths of words in each font at 10 pixels: an icon is as wide as the font is large, its name wider
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
    (whole,) = SERVED.glob(ALL_ICONS)
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


@pytest.mark.parametrize("comes", [True, False])
def test_the_name_of_an_icon_is_not_read_while_its_font_comes(
    browser: Browser, server: Server, comes: bool
) -> None:
    held: list[Route] = []
    with browser.new_context() as context:
        page = context.new_page()
        page.route("**/MaterialSymbols-Rounded*", lambda route: held.append(route))
        page.goto(server.url, wait_until="commit")
        # what the head holds back is no matter of fonts
        icon = page.locator("[data-testid=stIconMaterial]:not(.stPopover *)").first
        expect(icon).to_be_attached(timeout=30_000)
        expect(icon).to_be_hidden()
        while not held:
            page.wait_for_timeout(20)
        for route in held:
            route.continue_() if comes else route.abort()
        expect(icon).to_be_visible()


def test_the_name_of_an_icon_is_written_out() -> None:
    """Of `f":material/{name}:"` nobody would know what it names."""
    composed = re.compile(r"material/(?![a-z0-9_]+:)")
    files = [path for part in ("pages", "viz") for path in (ROOT / part).rglob("*.py")]
    assert not [path for path in files if composed.search(path.read_text("utf-8"))]
