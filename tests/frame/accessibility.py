"""What every page's test asks of it in a real browser: WCAG 2.2 AA by axe-core, room on a phone."""

from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import Page, ViewportSize, expect

from tests.driving.harness import Witness, wait_idle
from tests.driving.home_page import PATIENCE_MS

TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]
RULES = ["heading-order", "empty-table-header", "landmark-unique"]  # good practice, kept too
PHONE: ViewportSize = {"width": 390, "height": 800}
NARROW: ViewportSize = {"width": 320, "height": 800}  # a window of 1280 at 400 % (WCAG 1.4.10)

# what is not mended here, and why: rule, part of the element's markup
EXCEPTED = [
    # 2.5.8, "equivalent": the menu of the last row forces the same tokens, each 24 px high
    ("target-size", 'class="bars-label"'),
    # Streamlit's own table of contents on a phone: a div between the list and its entries. It has
    # no issue of its own; https://github.com/streamlit/streamlit/issues/8399 asks for all such
    ("list", 'data-testid="stSidebarNavItems"'),
    ("listitem", '<li class="st-emotion-cache-'),
]

ALL_RULES = {
    "runOnly": {"type": "tag", "values": TAGS},
    "rules": {rule: {"enabled": True} for rule in RULES},
}
# While a script runs Streamlit fades what may be old, and figures take a window's width some time
# after it: what is found is looked at again
AXE = """async ([options, excepted, patience]) => {
  const isMeant = (id, html) =>
    !excepted.some(([rule, part]) => rule === id && html.includes(part));
  const started = performance.now();
  for (;;) {
    const all = await axe.run({...options, resultTypes: ["violations"], preload: false});
    const found = all.violations.flatMap(({ id, nodes }) => nodes
      .filter(({ html }) => isMeant(id, html))
      .map(({ html, failureSummary }) => `${id}: ${html.slice(0, 160)} ${failureSummary}`));
    if (found.length === 0 || performance.now() - started > patience) return found;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}"""
OVERHANG = """() => {
  const main = document.querySelector(".stMain");
  return Math.max(
    document.documentElement.scrollWidth - innerWidth, main.scrollWidth - main.clientWidth);
}"""
SMALL_TEXT = """() => {
  const found = [];
  const walk = (root) => {
    for (const one of root.querySelectorAll("*")) {
      if (one.shadowRoot) walk(one.shadowRoot);
      const box = one.getBoundingClientRect();
      const isText = [...one.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim());
      if (isText && box.width > 2 && parseFloat(getComputedStyle(one).fontSize) < 11.9)
        found.push(one.outerHTML.slice(0, 120));
    }
  };
  walk(document);
  return found;
}"""


# what a screen reader would read that says nothing: a region that is empty, a figure's axes
EMPTY_TO_THE_EAR = """() => {
  const found = [];
  const isHeard = (one) =>
    one.checkVisibility({ visibilityProperty: true }) && !one.closest("[aria-hidden=true]");
  const walk = (root) => {
    for (const one of root.querySelectorAll("*")) {
      if (one.shadowRoot) walk(one.shadowRoot);
      const isRegion = one.matches("[role=status], [role=alert], [role=log]");
      const isAxis = one.matches(".stPlotlyChart[aria-label] text");
      const isNothing = isRegion && one.innerText.trim() === "";
      if ((isNothing || isAxis) && isHeard(one)) found.push(one.outerHTML.slice(0, 120));
    }
  };
  walk(document);
  return found;
}"""


def forget_first_requests(witness: Witness) -> None:
    """Take what a page opened below its own address was told: it asks there first, then at root."""
    assert all("404" in error for error in witness.errors), witness.errors
    witness.errors.clear()


def assert_fits(page: Page, window: ViewportSize = PHONE) -> None:
    """Nothing has to be scrolled sideways in a window of that size."""
    page.set_viewport_size(window)
    page.wait_for_function(f"() => ({OVERHANG})() <= 0")  # a function: the page may not eval


def assert_accessible(page: Page) -> None:
    """The page as it stands: every rule, and no text too small to read."""
    wait_idle(page)
    expect(page.get_by_text("Loading the model…")).to_have_count(0)
    assert page.evaluate(SMALL_TEXT) == []
    page.wait_for_function(f"() => ({EMPTY_TO_THE_EAR})().length === 0")
    found = violations(page)
    assert found == [], found


def assert_accessible_to_all(page: Page) -> None:
    """Also in a window narrower than a phone's: what is too wide for one is too wide for this."""
    assert_accessible(page)
    assert_fits(page, NARROW)


def violations(page: Page, *rules: str, patience: int = PATIENCE_MS) -> list[str]:
    """What axe finds, bar what is excepted: rule and element.

    Args:
        page: As it stands.
        rules: Those that are asked; all by default.
        patience: Milliseconds in which what is found may go.
    """
    options = {"runOnly": {"type": "rule", "values": rules}} if rules else ALL_RULES
    if not page.evaluate("'axe' in window"):
        page.evaluate(f"{AXE_SCRIPT};0")
    found: list[str] = page.evaluate(AXE, [options, EXCEPTED, patience])
    return found
