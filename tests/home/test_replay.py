"""The saved page in a real Chromium: the live component on a recording, without a server."""

import json
import re
from base64 import b64decode, b64encode
from collections.abc import Callable, Iterator
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Browser, Dialog, Locator, Page, expect

from model.draw import rank_order, summarise
from model.generation import Generation
from model.loading import LanguageModel
from pages.frame.component import strict_json
from pages.home.controls import Controls
from pages.home.files import Draw, SavedRun
from pages.home.replay_page import as_far_as_needed, recording_of, replay_page, to_page
from tests.driving.harness import EXPERT, Witness
from tests.home.conftest import PROMPT
from viz.format import count, percent
from viz.palette import Theme, code

N_PROMPT = 5  # <|endoftext|>, Once, ␣upon, ␣a, ␣time
FORCED = 262
NASTY = (
    *("<script>alert(1)</script>", "</script><!--", "$x$ **b** :smile:", '"quo\'ted"'),
    *("=SUM(A1)", "@me", "\u2028line\u2029", "שלום", "😀👩‍🔬", "-1+2"),
)
BELOW_ITS_TABLE = """table => {
  const row = table.querySelector("tr:last-child:is(tbody:last-child tr)");
  return row.getBoundingClientRect().bottom - table.getBoundingClientRect().bottom;
}"""

Open = Callable[..., Page]


def run_of(lm: LanguageModel, draws: list[Draw]) -> SavedRun:
    """A run, as a file takes it."""
    text = Generation(lm, PROMPT, seed=1)
    for draw in draws:
        text.step(draw.controls.settings(), token_id=FORCED if draw.forced else None)
    return SavedRun(text, draws, text.last_pass, PROMPT, chat=False, link="")


@pytest.fixture(scope="module")
def run(storyteller: LanguageModel) -> SavedRun:
    """Four drawn under the default masks, one forced, then others under other masks."""
    neutral = Controls(use=("temperature",), temperature=1.0)
    controls = [
        *[Controls()] * 5,
        neutral,
        replace(neutral, temperature=1.8),
        Controls(use=("top_k",), top_k=7, repetition_penalty=1.3),
        Controls(greedy=True),
    ]
    return run_of(storyteller, [Draw(1, each, forced=i == 4) for i, each in enumerate(controls)])


@pytest.fixture(scope="module")
def saved(run: SavedRun) -> str:
    return replay_page(run, presenter=False)


@pytest.fixture(scope="module")
def offline_page(browser: Browser) -> Iterator[Page]:
    """One page without a network for all these tests: each one opens its own file in it."""
    context = browser.new_context(offline=True)
    context.add_init_script(EXPERT)
    yield context.new_page()
    context.close()


@pytest.fixture
def replay(offline_page: Page, tmp_path: Path, witness: Witness) -> Iterator[Open]:
    """Opens a page; afterwards it must have made no request but for itself, and no error."""

    def refuse(dialog: Dialog) -> None:
        witness.errors.append(dialog.message)
        dialog.dismiss()

    def open_page(text: str, width: int = 1280, theme: Theme = "light") -> Page:
        path = tmp_path / "run.html"
        path.write_text(text, encoding="utf-8")
        offline_page.set_viewport_size({"width": width, "height": 800})
        offline_page.emulate_media(color_scheme=theme, media="screen", reduced_motion="reduce")
        offline_page.goto(path.as_uri())
        expect(offline_page.locator("#scrub")).to_be_enabled()
        return offline_page

    witness.watch(offline_page)
    offline_page.once("dialog", refuse)
    yield open_page
    assert {Path(url).name for url in witness.outside} <= {"run.html"}
    assert not witness.errors


@pytest.fixture
def page(replay: Open, saved: str) -> Page:
    return replay(saved)


def stands_at(page: Page, n: int, of: int = 9) -> None:
    expect(page.locator("#count")).to_have_text(f"{n} of {of} tokens")
    expect(page.locator(".token")).to_have_count(N_PROMPT + n)


def choose_at(page: Page, position: int, words: str) -> None:
    page.locator(".token").nth(position).click()
    page.get_by_role("button", name=words).click()


def active(page: Page, place: str) -> Locator:
    return page.locator(f"[data-col=active] {place}")


@pytest.mark.browser
def test_keys_buttons_the_slider_and_play_go_on_and_back(page: Page) -> None:
    stands_at(page, 0)
    for key, n in (("ArrowRight", 1), ("ArrowRight", 2), ("ArrowLeft", 1)):
        page.keyboard.press(key)
        stands_at(page, n)
    page.get_by_role("button", name="Next").click()
    stands_at(page, 2)
    page.locator("#scrub").fill("7")
    stands_at(page, 7)
    page.get_by_role("button", name="Reset").click()
    stands_at(page, 0)
    page.get_by_role("button", name="Write 20 tokens at once").click()
    stands_at(page, 9)
    expect(page.get_by_role("button", name="Next")).to_be_disabled()
    choose_at(page, N_PROMPT + 3, "Rewind to before it")
    stands_at(page, 3)
    page.get_by_label("Speed of Play").select_option("Infinity")
    page.get_by_label("Speed of Play").blur()
    page.keyboard.press("Space")
    stands_at(page, 9)
    expect(page.get_by_role("button", name="Play")).to_be_disabled()


@pytest.mark.browser
def test_every_position_shows_what_its_token_was_drawn_from(page: Page, run: SavedRun) -> None:
    page.get_by_label("Pointer first").check()
    page.get_by_label("Pointer first").blur()
    for n, step in enumerate(run.generation.steps):
        stands_at(page, n)
        expect(active(page, ".bars-count")).to_contain_text(count(step.n_kept))
        if not step.forced:
            expect(page.locator(".is-append .loop-line").first).to_have_text(f"id {step.token_id}")
        best = step.candidates[0]
        row = page.locator(f".bars-row[data-id='{best.token_id}'] [data-col=active] .bar-number")
        expect(row).to_have_text(percent(best.probs[-1] if best.kept[-1] else best.probs[0]))
        page.keyboard.press("ArrowRight")
    expect(page.locator(".steps-table tbody tr")).to_have_count(9)
    expect(page.locator(".token.is-forced")).to_have_count(1)

    # a token that is looked back at is shown under its own settings
    choose_at(page, N_PROMPT + 7, "Look at its bars")
    step = run.generation.steps[7]
    chosen = page.locator(".bars-row[data-chosen]")
    expect(chosen).to_have_attribute("data-id", str(step.token_id))
    expect(chosen.locator("[data-col=active] .bar-number")).to_have_text(percent(step.chosen_prob))
    expect(page.locator(".bars-words")).to_have_text("repetition penalty 1.3 → top\u2011k 7")
    page.keyboard.press("Escape")
    expect(page.locator(".where")).to_be_hidden()
    choose_at(page, N_PROMPT - 1, "Look at its bars")
    expect(page.get_by_role("alert")).to_be_visible()  # what the prompt's were is not recorded


@pytest.mark.browser
def test_sliders_still_move_the_masks_and_next_goes_on_as_written(page: Page) -> None:
    kept = active(page, ".bars-count")
    page.get_by_label("side by side").check()
    expect(kept).to_contain_text("keeps")
    before = kept.inner_text()
    page.get_by_role("checkbox", name="use greedy").check()
    expect(kept).to_have_text("keeps 1")
    expect(page.get_by_role("alert")).to_be_visible()
    page.locator(".bars-row").nth(5).locator("button").click()
    stands_at(page, 0)
    page.get_by_role("button", name="Next").click()
    stands_at(page, 1)
    expect(page.get_by_role("checkbox", name="use greedy")).not_to_be_checked()
    expect(page.get_by_role("alert")).to_be_hidden()
    page.keyboard.press("ArrowLeft")
    expect(kept).to_have_text(before)


@pytest.mark.browser
def test_text_is_shown_as_its_characters_wherever_it_stands(replay: Open, run: SavedRun) -> None:
    recording = recording_of(run)
    ids = run.generation.ids[1:]  # the first token is shown as the start
    places = dict(zip(ids, NASTY, strict=False))
    recording["labels"] |= {str(token_id): text for token_id, text in places.items()}
    recording["prompt"] = recording["facts"]["prompt"] = NASTY[0]
    page = replay(to_page(recording, presenter=False))
    page.locator("#scrub").fill("9")
    stands_at(page, 9)
    assert page.locator("img").count() == 0
    shown = [chip.text_content() for chip in page.locator(".token").all()]
    assert shown == ["start", *(recording["labels"][str(token_id)] for token_id in ids)]
    assert NASTY[0] in (page.locator("#again").text_content() or "")


@pytest.mark.browser
@pytest.mark.parametrize(("theme", "width"), [("light", 1280), ("dark", 390)])
def test_the_page_follows_the_reader_s_theme_and_fits_a_telephone(
    replay: Open, saved: str, theme: Theme, width: int
) -> None:
    page = replay(saved, width, theme)
    page.locator("#scrub").fill("9")
    stands_at(page, 9)
    paper = code("paper", theme)
    ground = "rgb({}, {}, {})".format(*(int(paper[i : i + 2], 16) for i in (1, 3, 5)))
    for place in ("html", ".prompt-box"):  # around the component, and in it
        told = page.locator(place).evaluate("node => getComputedStyle(node).backgroundColor")
        assert told == ground
    assert page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.browser
def test_it_says_what_was_recorded_and_on_paper_the_whole_run_is_there(
    page: Page, run: SavedRun
) -> None:
    told = page.locator("#provenance").inner_text()
    assert re.fullmatch(
        r"Recorded \d+ \w+ 20\d\d at \d\d:\d\d UTC, on CPU in float32, model storyteller, seed 1\.",
        told,
    )
    again = page.locator("#again").text_content() or ""
    written = run.generation.ids[N_PROMPT:]
    for part in (" ".join(map(str, written)), f"{FORCED} at position {N_PROMPT + 4}", "torch 2."):
        assert part in again
    page.emulate_media(media="print")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert page.locator(".token").count() == N_PROMPT + 9
    assert page.locator(".steps-scroll").evaluate(BELOW_ITS_TABLE) <= 1
    for buttons in page.locator(".transport").all():
        expect(buttons).to_be_hidden()


@pytest.mark.browser
def test_a_run_without_steps_is_shown_too(replay: Open, storyteller: LanguageModel) -> None:
    page = replay(replay_page(run_of(storyteller, []), presenter=True))
    stands_at(page, 0, 0)
    page.keyboard.press("ArrowRight")
    expect(page.get_by_role("button", name="Next")).to_be_disabled()
    expect(page.locator(".bars")).to_be_hidden()


def test_no_token_can_open_or_close_an_element_of_the_page(run: SavedRun, saved: str) -> None:
    recording = recording_of(run)
    recording["prompt"] = "</script><!-- scripts --><!-- head -->"
    nasty = to_page(recording, presenter=False)
    (data,) = re.findall(r'<script type="application/json" id="run">(.*?)</script>', nasty, re.S)
    assert "<" not in data
    assert json.loads(data)["prompt"] == "</script><!-- scripts --><!-- head -->"
    for opening in ("<script", "<!--"):
        assert nasty.count(opening) == saved.count(opening)


def test_the_page_brings_all_that_it_needs_and_runs_no_other_script(saved: str) -> None:
    assert "://" not in saved.replace("http://www.w3.org/2000/svg", "")  # a name, not an address
    assert not re.search(r"\b(src|href)\s*=\s*[\"']|@import|url\(|innerHTML|eval\(", saved)
    assert not re.search(r"<!--", saved)
    (policy,) = re.findall(r'Content-Security-Policy" content="([^"]*)"', saved)
    for pattern, directive in (
        (r"<style>(.*?)</style>", "style-src '{}';"),
        (r'<script type="module">(.*?)</script>', "script-src '{}' blob:;"),
    ):
        (text,) = re.findall(pattern, saved, re.S)
        digest = b64encode(sha256(text.encode()).digest()).decode()
        assert directive.format(f"sha256-{digest}") in policy
    assert "default-src 'none'" in policy  # no connection: labels.js finds all that it needs
    assert "unsafe" not in policy


def test_a_position_holds_what_is_needed_and_no_more(run: SavedRun) -> None:
    sizes = [len(b64decode(text)) for text in recording_of(run)["positions"]]
    steps = run.generation.steps
    whole = 4 * steps[0].distribution.n_vocab
    for step, size in zip(steps, sizes, strict=True):
        if step.n_kept == step.distribution.n_vocab:
            assert size > whole  # the pointer could fall on any token
    assert min(sizes) < whole / 4
    long = run_of(run.generation.lm, [Draw(1, Controls(), forced=False)] * 48)
    assert len(strict_json(recording_of(long))) < 368_000  # the terms that it explains included


def test_a_large_vocabulary_is_cut_without_losing_its_mass(run: SavedRun) -> None:
    logits = np.random.default_rng(0).normal(0, 2, 20_000).astype(np.float32)
    step = replace(run.generation.steps[0], distribution=summarise(logits), n_kept=30, rank=500)
    cut = as_far_as_needed(step)
    order = rank_order(logits)
    assert cut.ids is not None
    assert len(cut.ids) > step.rank
    assert list(cut.ids) == list(order[: len(cut.ids)])
    assert len(cut.ids) + cut.n_tail == cut.n_vocab == 20_000
    held = np.exp(cut.logits.astype(np.float64)).sum()
    tail = (cut.tail_counts * np.exp(cut.tail_logits)).sum()
    whole = np.exp(logits.astype(np.float64)).sum()
    assert held + tail == pytest.approx(whole, abs=0.01 * (whole - held))
