"""The main journeys in Firefox and in WebKit: `make test-browsers`. `make test` does not run them.

A browser that is not here is left out: `install_browsers.sh` says why it could not be installed.
Each journey is a newcomer's, in a browser that has never been used. What the model says is compared
with `Generation` in Python, which Chromium's tests of the same pages are compared with too.
"""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from model.generation import Generation
from model.loading import LanguageModel
from model.sampling import Settings
from pages.frame.offers import DEFAULT_PROMPT
from pages.home.in_page_file import live_page
from tests.driving import firefox, webkit
from tests.driving.harness import IDLE, Server
from tests.driving.tab import DrivenTab

USUAL = Settings(temperature=0.8, top_p=0.9)
PROMPT = DEFAULT_PROMPT
N_PROMPT = 6  # with the token that begins every text
IS_IDLE = f"({IDLE})()"
TEXT = "words('.token').slice(1).join('').replaceAll('␣', ' ').replaceAll('⏎', '\\n')"
SHARES = (0.5, 0.6, 0.75, 0.95)  # of a slider, upwards: near 0 one token takes it all
# a key is the page's where nothing has the focus, in a shadow root neither
LET_GO = """getSelection().removeAllRanges();
  let held = document.activeElement;
  while (held?.shadowRoot?.activeElement) held = held.shadowRoot.activeElement;
  held?.blur();"""
# the address bears the text, and is what it was a while ago
WRITTEN_DOWN = """const before = location.search;
  await new Promise((resolve) => setTimeout(resolve, 1500));
  return before === location.search && before.includes("run=");"""
BROWSERS = {"Firefox": firefox, "WebKit": webkit}
HERE = [name for name, kind in BROWSERS.items() if kind.missing() is None]


@pytest.fixture(params=HERE)
def tab(request: pytest.FixtureRequest, server: Server) -> Iterator[DrivenTab]:
    """A new browser; what is done in it must meet no error, neither in the page nor in the app."""
    kind = BROWSERS[request.param]
    printed = len(server.log())
    run: Callable[[], AbstractContextManager[DrivenTab]] = kind.run
    with run() as opened:
        yield opened
        assert opened.errors() == []
    assert "Traceback" not in server.log()[printed:]


def expected(lm: LanguageModel, n_tokens: int) -> str:
    text = Generation(lm, PROMPT, seed=0)
    for _ in range(n_tokens):
        text.step(USUAL)
    return text.text


def press_next(tab: DrivenTab, n_tokens: int) -> None:
    """Presses Next until the text has so many tokens; a newcomer's five beats are left at once."""
    for n in range(tab.get("all('.token').length") + 1, n_tokens + 1):
        tab.click("button", "Next")
        tab.press("Escape")
        tab.until(f"all('.token').length === {n} && all('.token.is-pending').length === 0")


def test_home_from_a_guess_to_a_link(tab: DrivenTab, url: str, storyteller: LanguageModel) -> None:
    tab.open(url)
    tab.until(f"all('.token').length === {N_PROMPT}")
    tab.fill(".guess-box", "dog")
    tab.press("Enter")
    tab.until("all('.bars .bar').length > 5 && words('.verdict').join().includes('dog')")
    press_next(tab, N_PROMPT + 3)
    tab.press("ArrowRight")
    tab.until(f"all('.token').length === {N_PROMPT + 4}")
    assert tab.get(TEXT) == expected(storyteller, 4)

    # what is dragged moves the bars at every halt
    tab.click(".rest-toggle")  # a newcomer's switches wait behind "More"
    tab.click("input[name=compare]")
    seen = tab.drag("input.slider[name=temperature]", SHARES)
    assert len({str(bars) for bars in seen}) == len(SHARES)

    # a bar of the step that shows is pressed, a token is branched from, Play and Back by their keys
    tab.click(".bars-row:nth-child(4) button")
    tab.until(f"all('.token.is-forced').length === 1 && all('.token').length === {N_PROMPT + 4}")
    tab.click(f".token[data-index='{N_PROMPT + 2}']")
    tab.click("button", "Branch here")
    tab.until(f"all('.branch').length === 2 && all('.token').length === {N_PROMPT + 2}")
    tab.do(LET_GO)
    tab.do("await new Promise((resolve) => setTimeout(resolve, 500));")  # a hand's pace
    tab.press(" ")
    tab.until(f"all('.token').length > {N_PROMPT + 4}")
    tab.press(" ")
    tab.until("words('button').some((name) => name.startsWith('Play'))")
    n_written = tab.get("all('.token').length")
    tab.click("button", "Write 20 tokens")
    tab.until(f"all('.token').length >= {n_written + 20} && all('.token.is-pending').length === 0")
    tab.until(WRITTEN_DOWN, body=True)
    text = tab.get(TEXT)
    tab.open(tab.get("location.href"))
    tab.until(f"{TEXT} === args[0]", args=(text,))


def test_the_sampling_lesson(tab: DrivenTab, url: str) -> None:
    tab.open(f"{url}/sampling")
    tab.until(f"all('.lab input[type=range]').length > 0 && {IS_IDLE}")
    tab.click(".st-key-lab_said_asked :is(button, [role=radio])", "it grows")
    tab.until(f"all('.lab input[type=range]:not(:disabled)').length > 0 && {IS_IDLE}")
    seen = tab.drag(".lab input[type=range]", SHARES)
    assert len({str(bars) for bars in seen}) > len(SHARES) // 2


def test_the_beam_search_lesson(tab: DrivenTab, url: str) -> None:
    tab.open(f"{url}/beam_search")
    tab.until(f"all('.st-key-beam_tree .main-svg').length > 0 && {IS_IDLE}")
    drawn = "all('.st-key-beam_tree')[0]?.textContent"
    before = tab.get(drawn)
    tab.click(".st-key-beam_said_asked :is(button, [role=radio])", "token 2")
    tab.until(f"all('.st-key-beam_step button').length > 0 && {IS_IDLE}")
    tab.click(".st-key-beam_step button")
    tab.until(f"{IS_IDLE} && ![undefined, args[0]].includes({drawn})", args=(before,))


def test_the_cache_lesson(tab: DrivenTab, url: str) -> None:
    tab.open(f"{url}/kv_cache")
    tab.until(f"all('.st-key-kv_prefix_run button').length > 0 && {IS_IDLE}")
    recorded = "words('[data-testid=stCaptionContainer]').join().split('Recorded').length"
    tab.click(".st-key-kv_prefix_said_asked :is(button, [role=radio])", "the last word")
    tab.until(f"all('.st-key-kv_reuse .main-svg').length > 0 && {IS_IDLE}")
    n_before = tab.get(recorded)
    tab.click(".st-key-kv_prefix_run button")
    tab.until(f"{IS_IDLE} && {recorded} < args[0]", args=(n_before,))  # measured here, not recorded
    assert tab.get("all('.st-key-kv_reuse .main-svg').length") > 0


def test_a_guided_lesson(tab: DrivenTab, url: str) -> None:
    tab.open(f"{url}/?lesson=how-a-model-writes&scene=3")
    tab.until(f"all('.pointer').length > 0 && {IS_IDLE}")
    assert tab.get("all('[data-tour=lit]').length") > 0
    shown = "checkVisibility({ visibilityProperty: true })"
    assert not tab.get(f"all('.setting').some((one) => one.{shown})"), "it speaks of no slider"
    tab.press("ArrowRight")
    tab.click("[role=radio], label", "the same")
    tab.until("document.body.innerText.includes('You said')")
    tab.click(".st-key-tour a", "Continue")
    tab.until("document.body.innerText.includes('Scene 4 of')")
    tab.until("all('.token[data-tour=joined]').length > 0")


def test_a_room_with_a_desk_a_projector_and_a_phone(tab: DrivenTab, url: str) -> None:
    tab.open(f"{url}/classroom")
    tab.click(".st-key-classroom_open button")
    link = tab.until("all('a', 'Open the desk')[0]?.href")
    room = link.partition("/desk")[0]
    desk, projector, phone = (tab.another() for _ in range(3))
    desk.open(link)
    projector.open(f"{room}/projector")
    phone.open(room)
    phone.fill("#name", "Ada")
    phone.click("#join button")
    phone.until(f"words('#text')[0] === '{PROMPT}'")
    desk.click("#else summary")
    desk.click("#next")
    phone.until("all('#options button').length === 5")
    phone.click("#options button:nth-of-type(2)")
    phone.until("all('#options [aria-pressed=true]').length === 1")
    projector.until("words('#counts')[0] === '1 of 1 have answered'")
    desk.click("button", "Close")
    phone.until("words('#sent')[0]?.includes('You said')")
    desk.click("button", "Append the model’s draw")
    phone.until("words('#revealed')[0]?.includes('The model drew')")
    projector.until("all('#text .drawn').length === 1")


@pytest.fixture(scope="module")
def one_file(storyteller: LanguageModel, tmp_path_factory: pytest.TempPathFactory) -> str:
    path: Path = tmp_path_factory.mktemp("one file") / "one-token.html"
    path.write_text(live_page(storyteller), "utf-8")
    return path.as_uri()


def test_the_one_file(tab: DrivenTab, one_file: str, storyteller: LanguageModel) -> None:
    tab.open(one_file)
    tab.until("globalThis.oneToken?.ready.then(() => true)")
    tab.until(f"all('.token').length === {N_PROMPT}")
    press_next(tab, N_PROMPT + 4)
    assert tab.get("oneToken.text") == expected(storyteller, 4) == tab.get(TEXT)
    seen = tab.drag("input.slider[name=temperature]", SHARES)
    assert len({str(bars) for bars in seen}) == len(SHARES)
    tab.open(one_file + "#prompt=Once&run=3&seed=7")
    tab.until("globalThis.oneToken?.ready.then(() => oneToken.ids.length === 5)")
