"""Nothing moves by itself: layout shift as the browser measures it, on load and after a press."""

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from benchmarks.harness import ROOT, Server, Witness, visit, wait_idle
from benchmarks.home_page import Reader
from pages.frame.contents import lesson_at
from tests.browser import SCREEN, watched
from tests.frame.accessibility import PHONE, forget_first_requests
from tests.frame.by_eye import SHIFTS, shifts

pytestmark = pytest.mark.browser

MOST = 0.1  # "good", by those who measure it
REST = 300  # milliseconds in which what loads late has come
PRIMARY = '.stMain [data-testid="stBaseButton-primary"]:enabled, .is-primary'
NAMES = sorted(path.stem for path in (ROOT / "pages").glob("[!_]*.py"))
# what Play is to move; a station of the loop holds lines of words
TEXT_AND_BARS = ".strip, .bars-top, .bars-table, .coin-sentence, .coin-bar, .loop-station"
N_PLAYED = 12  # tokens
WIDTHS = {"on a desk": SCREEN, "on a phone": PHONE}


def moved(page: Page) -> float:
    """How much moved by itself since it was asked last; what did is printed."""
    wait_idle(page)
    page.wait_for_timeout(REST)
    seen = shifts(page)
    print(seen)  # noqa: T201  pytest shows it beside a failure
    return sum(shift["value"] for shift in seen)


def is_within(reach: list[list[float]], boxes: list[list[float]]) -> bool:
    """Whether all that moved up or down lies in one of some boxes."""
    return all(any(a >= low - 1 and b <= high + 1 for low, high in boxes) for a, b in reach)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("where", WIDTHS)
def test_a_page_stays_where_it_is(
    window: BrowserContext, server: Server, witness: Witness, name: str, where: str
) -> None:
    with watched(window, server, witness) as page:
        page.set_viewport_size(WIDTHS[where])
        page.add_init_script(SHIFTS)
        visit(page, f"{server.url}/{'' if lesson_at(f'pages/{name}.py').is_home else name}")
        assert moved(page) <= MOST
        forget_first_requests(witness)
        press = page.locator(PRIMARY).filter(visible=True)
        if press.count() > 0:
            press.first.click()
            assert moved(page) <= MOST


def test_what_moves_is_seen(scripts: Page) -> None:
    scripts.evaluate(f"() => {{ {SHIFTS} }}")
    scripts.evaluate(
        """async () => {
          const box = () => Object.assign(document.createElement("div"), { textContent: "words" });
          const [above, below] = [box(), box()];
          below.style.cssText = "height: 400px; background: pink";
          document.body.append(above, below);
          const frame = () => new Promise((next) => setTimeout(next, 100));
          await frame();
          above.style.height = "300px";
          await frame();
        }"""
    )
    scripts.wait_for_timeout(REST)
    assert sum(shift["value"] for shift in shifts(scripts)) > MOST


@pytest.mark.parametrize("where", WIDTHS)
def test_play_moves_nothing_but_text_and_bars(
    window: BrowserContext, server: Server, witness: Witness, where: str
) -> None:
    with watched(window, server, witness) as page:
        page.set_viewport_size(WIDTHS[where])
        page.add_init_script(SHIFTS)
        reader = Reader(page, server.url).open()
        reader.live.get_by_label("Speed").select_option("5")
        reader.live.get_by_role("button", name="Play").click()
        n_begun = reader.chips.count()
        expect(reader.chips.nth(n_begun + 3)).to_be_visible()  # a press excuses what moves by it
        shifts(page)
        expect(reader.chips.nth(n_begun + N_PLAYED + 3)).to_be_visible()
        boxes = reader.live.locator(TEXT_AND_BARS).evaluate_all(
            "(all) => all.map((one) => one.getBoundingClientRect()).map((b) => [b.top, b.bottom])"
        )
        assert [one for one in shifts(page) if not is_within(one["reach"], boxes)] == []
        reader.live.get_by_role("button", name="Pause").click()
        reader.settle()
