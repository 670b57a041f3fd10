"""The saved page in a real Chromium replays the run by hand and by key, and asks for nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Dialog, Page, expect

from model.records import RunRecord
from tests.home.sample_runs import NASTY, make_piece, make_run
from viz.format import count, duration, nats, percent, plural, size
from viz.home.run_export import to_html
from viz.palette import THEMES, Theme, colour

pytestmark = pytest.mark.browser

Open = Callable[..., Page]


@pytest.fixture(scope="module")
def offline_page(browser: Browser) -> Iterator[Page]:
    """One page without a network for all these tests: each one opens its own file in it."""
    context = browser.new_context(offline=True)
    yield context.new_page()
    context.close()


@pytest.fixture
def replay(offline_page: Page, tmp_path: Path) -> Iterator[Open]:
    """Opens a run's page; afterwards it must have made no request but for itself, and no error."""
    page = offline_page
    requests: list[str] = []
    errors: list[str] = []

    def refuse(dialog: Dialog) -> None:
        errors.append(dialog.message)
        dialog.dismiss()

    listeners: dict[str, Callable[[Any], None]] = {
        "request": lambda request: requests.append(request.url),
        "pageerror": lambda error: errors.append(str(error)),
        "console": lambda message: errors.append(message.text),
        "dialog": refuse,
    }
    for name, listener in listeners.items():
        page.on(name, listener)  # type: ignore[call-overload]  # one overload per name

    def open_page(run: RunRecord, width: int = 1280, theme: Theme = "light") -> Page:
        path = tmp_path / "run.html"
        path.write_text(to_html(run), encoding="utf-8")
        page.set_viewport_size({"width": width, "height": 800})
        page.emulate_media(color_scheme=theme, media="screen", reduced_motion="reduce")
        page.goto(path.as_uri())
        return page

    yield open_page
    for name, listener in listeners.items():
        page.remove_listener(name, listener)
    assert all(url.startswith("file://") and url.endswith("/run.html") for url in requests)
    assert not errors


def chips(page: Page) -> list[str]:
    return page.locator("#strip li:visible .chip").all_inner_texts()


def facts(page: Page) -> dict[str, str]:
    names = page.locator("#facts dt").all_inner_texts()
    return dict(zip(names, page.locator("#facts dd").all_inner_texts(), strict=True))


def bars(page: Page) -> list[list[str]]:
    return [
        [cell.strip() for cell in row.locator("th, td").all_inner_texts()]
        for row in page.locator("#rows tr:visible").all()
    ]


def test_before_the_first_draw_only_the_prompt_and_the_distribution_are_there(replay: Open) -> None:
    page = replay(make_run())
    assert chips(page) == ["<|endoftext|>", "The cat", "␣sat", "?"]
    assert page.locator("#count").inner_text() == "0 of 4 tokens"
    assert page.locator("tr.now").count() == 0
    expect(page.locator("#cumulative .mark")).to_be_hidden()
    expect(page.locator("#back")).to_be_disabled()
    assert "p = " not in page.locator("#sum-words").inner_text()


def test_keys_go_on_and_back_and_to_both_ends(replay: Open) -> None:
    page = replay(make_run())
    for key, written in (
        ("ArrowRight", 1),
        ("ArrowRight", 2),
        ("ArrowLeft", 1),
        ("End", 4),
        ("ArrowRight", 4),
        ("Home", 0),
        ("ArrowLeft", 0),
    ):
        page.keyboard.press(key)
        assert page.locator("#count").inner_text() == f"{written} of 4 tokens"
        shown = chips(page)[3:]
        assert shown == (["␣mat", ".", "⏎", "␣hat"][:written] or ["?"])


def test_arrows_go_on_after_a_button_was_pressed_but_a_field_keeps_its_keys(replay: Open) -> None:
    page = replay(make_run())
    page.locator("#next").click()
    page.keyboard.press("ArrowRight")
    assert page.locator("#count").inner_text() == "2 of 4 tokens"
    page.locator("#speed").focus()
    page.keyboard.press("ArrowRight")
    assert page.locator("#count").inner_text() == "2 of 4 tokens"
    page.locator("#next").focus()
    page.keyboard.press("Space")  # presses the button, once
    assert page.locator("#count").inner_text() == "3 of 4 tokens"
    assert page.locator("#play").inner_text() == "Play"


def test_the_bars_are_the_recorded_ones_kept_rejected_and_chosen(replay: Open) -> None:
    page = replay(make_run())
    page.keyboard.press("ArrowRight")
    assert bars(page) == [
        ["␣w0", percent(0.5), percent(0.75)],
        ["␣mat", percent(0.2), percent(0.25)],
        ["␣w2", percent(0.1), "cut"],
        ["␣w3", percent(0.05), "cut"],
        [f"all other tokens ({count(4092)})", percent(0.15), "cut"],
    ]
    kinds = [row.get_attribute("class") for row in page.locator("#rows tr:visible").all()]
    assert kinds == ["kept", "kept now", "rejected", "rejected", "rejected others"]
    assert page.locator("#stages").inner_text() == "temperature 1, then top-p 0.7"


def test_bars_are_as_long_as_their_numbers(replay: Open) -> None:
    page = replay(make_run())
    page.keyboard.press("ArrowRight")
    raw = page.locator("#rows tr:visible td:nth-child(2) i")
    widths = [raw.nth(i).bounding_box()["width"] for i in range(4)]  # type: ignore[index]  # visible
    shares = [width / widths[0] for width in widths]
    assert shares == [pytest.approx(share, abs=0.02) for share in (1, 0.4, 0.2, 0.1)]


def test_the_coin_stands_over_the_token_that_it_fell_on(replay: Open) -> None:
    page = replay(make_run())
    page.keyboard.press("ArrowRight")
    bar = page.locator("#cumulative").bounding_box()
    part = page.locator("#cumulative .part.now").bounding_box()
    mark = page.locator("#cumulative .mark").bounding_box()
    assert bar is not None
    assert part is not None
    assert mark is not None
    middle = mark["x"] + mark["width"] / 2
    assert (middle - bar["x"]) / bar["width"] == pytest.approx(0.8, abs=0.01)
    assert part["x"] <= middle < part["x"] + part["width"]


def test_a_token_drawn_from_far_below_is_not_given_a_false_place(replay: Open) -> None:
    run = make_run()
    rows = (
        *run.steps[0].candidates[:1],
        replace(run.steps[0].candidates[1], probs=(0.2, 0.2, 0.01)),
    )
    step = replace(run.steps[0], candidates=rows, coin=0.95, n_kept=300)
    page = replay(replace(run, steps=(step, *run.steps[1:])))
    page.keyboard.press("ArrowRight")
    assert bars(page)[-1][0] == f"all other tokens ({count(4094)}, 298 kept)"
    assert page.locator("#cumulative .part").all_inner_texts() == ["␣w0", "all others kept"]
    assert "ranks below those shown" in page.locator("#coin-words").inner_text()


def test_the_numbers_of_a_step_are_the_record_s(replay: Open) -> None:
    run = make_run()
    page = replay(run)
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    step = run.steps[1]
    assert facts(page) == {
        "id": "11",
        "probability, raw": percent(step.prob),
        "in force": percent(step.chosen_prob),
        "log-probability": nats(step.logprob),
        "rank": f"2 of {count(4096)}",
        "coin": "0.8000",
        "entropy": nats(step.entropy),
        "kept": f"2 of {count(4096)}",
        "pass": "decode",
        "tokens in": "1",
        "time": duration(step.seconds),
        "cache": size(step.cache_bytes),
    }
    total = sum(step.logprob for step in run.steps[:2])
    assert nats(total) in page.locator("#sum-words").inner_text()
    assert "p = 0.0400" in page.locator("#sum-words").inner_text()
    assert (page.locator("#cache path.decode").get_attribute("d") or "").count("M") == 1
    assert f"{size(1024)} in use after 4 tokens" in page.locator("#cache-words").inner_text()


@pytest.mark.parametrize(
    ("shape", "bytes_of", "title", "line_ends", "words"),
    [
        # the formula's line goes on beyond a window whose layers let nothing go
        ({"sliding_window": 4}, lambda n: 256 * n, "by the same bytes", 100, "256"),
        ({"sliding_window": 4}, lambda n: 256 * min(n, 4), "until its window", 400 / 6, "256"),
        ({"bytes_per_token": 0}, lambda _: 4096, "one state", None, None),
        ({"bytes_per_token": 0}, lambda _: 0, "keeps no cache", None, None),
    ],
)
def test_the_line_of_the_formula_goes_as_far_as_it_holds(
    replay: Open,
    shape: dict[str, int],
    bytes_of: Callable[[int], int],
    title: str,
    line_ends: float | None,
    words: str | None,
) -> None:
    run = make_run()
    steps = tuple(replace(step, cache_bytes=bytes_of(step.cache_tokens)) for step in run.steps)
    page = replay(replace(run, steps=steps, cache_shape=replace(run.cache_shape, **shape)))
    page.keyboard.press("End")
    assert title in page.locator("#cache-claim").inner_text()
    line = page.locator("#cache path.derived").get_attribute("d")
    caption = page.locator("#cache-words").inner_text()
    if line_ends is None:
        assert line == ""
        assert "derived" not in caption
    else:
        assert float((line or "").split("L")[1].split()[0]) == pytest.approx(line_ends)
        assert f"derived: {words}" in caption


def test_a_forced_token_is_said_to_be_forced(replay: Open) -> None:
    page = replay(make_run())
    page.keyboard.press("End")
    assert "was chosen by the reader" in page.locator("#claim").inner_text()
    assert facts(page)["in force"] == "cut, chosen all the same"
    assert facts(page)["coin"] == "none"
    expect(page.locator("#cumulative .mark")).to_be_hidden()
    assert page.locator(".chip.forced").count() == 1


def test_guessing_stops_before_each_draw(replay: Open) -> None:
    page = replay(make_run())
    page.keyboard.press("ArrowRight")
    page.locator("#ask").check()
    page.keyboard.press("ArrowRight")
    assert chips(page)[3:] == ["␣mat", "?"]
    assert "what comes next?" in page.locator("#claim").inner_text()
    assert page.locator("tr.now").count() == 0
    page.keyboard.press("ArrowRight")
    assert chips(page)[3:] == ["␣mat", "."]
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowLeft")
    assert chips(page)[3:] == ["␣mat", "."]


def test_play_keeps_its_speed_and_a_hand_stops_it(replay: Open) -> None:
    page = replay(make_run())
    page.locator("#speed").select_option("0.5")
    page.locator("#speed").blur()
    page.clock.install()
    page.keyboard.press("Space")
    assert page.locator("#play").inner_text() == "Pause"
    page.clock.run_for(4_100)
    assert page.locator("#count").inner_text() == "2 of 4 tokens"
    page.keyboard.press("ArrowLeft")
    assert page.locator("#play").inner_text() == "Play"
    page.clock.run_for(10_000)
    assert page.locator("#count").inner_text() == "1 of 4 tokens"
    page.keyboard.press("Space")
    page.clock.run_for(10_000)
    assert page.locator("#count").inner_text() == "4 of 4 tokens"
    assert page.locator("#play").inner_text() == "Play"


def test_a_token_of_the_strip_and_the_slider_lead_to_any_step(replay: Open) -> None:
    page = replay(make_run())
    page.keyboard.press("End")
    page.locator(".chip.generated").nth(1).click()
    assert page.locator("#count").inner_text() == "2 of 4 tokens"
    page.locator("#scrub").fill("3")
    assert page.locator("#count").inner_text() == "3 of 4 tokens"
    assert page.locator("#strip .now").inner_text() == "⏎"


def test_text_is_shown_as_its_characters_wherever_it_stands(replay: Open) -> None:
    page = replay(make_run(NASTY, prompt="</script><img src=x onerror=alert(1)>"))
    page.keyboard.press("End")
    assert page.locator("img").count() == 0
    shown = page.locator(".chip.generated bdi").evaluate_all("all => all.map(e => e.textContent)")
    assert shown == list(NASTY)
    assert page.locator(".chip.prompt").nth(1).text_content() == (
        "</script><img src=x onerror=alert(1)>"
    )
    for i, label in enumerate(NASTY):
        page.locator("#scrub").fill(str(i + 1))
        row = page.locator("tr.now th bdi")
        assert row.text_content() == label
        assert label in (page.locator("#claim").text_content() or "")
    page.locator("summary").nth(0).click()
    table = page.locator("#steps bdi").evaluate_all("all => all.map(e => e.textContent)")
    assert table == list(NASTY)


def test_a_stray_byte_shows_the_character_that_it_completes(replay: Open) -> None:
    run = make_run(("<0xC3>", "<0xA9>"))
    stray = (make_piece(11, "<0xC3>", ""), make_piece(11, "<0xA9>", "é"))
    page = replay(replace(run, pieces=(*run.pieces[:3], *stray)))
    page.keyboard.press("End")
    assert chips(page)[3:] == ["<0xC3>", "<0xA9> é"]


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("width", [390, 1280])
def test_the_page_follows_the_reader_s_theme_and_fits_a_telephone(
    replay: Open, theme: Theme, width: int
) -> None:
    page = replay(make_run(NASTY), width, theme)
    page.keyboard.press("End")
    ground = page.evaluate("getComputedStyle(document.documentElement).backgroundColor")
    code = colour("paper", theme)
    channels = [int(code[i : i + 2], 16) for i in (1, 3, 5)]
    assert ground == "rgb({}, {}, {})".format(*channels)
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_the_first_screen_holds_text_controls_bars_and_coin(replay: Open) -> None:
    page = replay(make_run())
    page.keyboard.press("ArrowRight")
    box = page.locator("#coin-words").bounding_box()
    assert box is not None
    assert box["y"] + box["height"] <= 800


def test_it_says_what_was_recorded_where_and_when(replay: Open) -> None:
    page = replay(replace(make_run(), finished="eos"))
    told = page.locator("#provenance").inner_text()
    assert told == (
        "Recorded 21 November 2026, 04:00 UTC, on cpu in float32, model storyteller, seed 7. "
        "The model ended the text."
    )
    page.locator("summary").nth(1).click()
    again = page.locator("#again").inner_text()
    for part in ("The cat sat", "0 5 6", "12 at position 6", "torch 2.13.0"):
        assert part in again


def test_on_paper_the_whole_run_is_there(replay: Open) -> None:
    page = replay(make_run())
    page.emulate_media(media="print")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert chips(page)[3:] == ["␣mat", ".", "⏎", "␣hat"]
    expect(page.locator("#steps tr")).to_have_count(5)
    expect(page.locator("#steps")).to_be_visible()
    expect(page.locator(".controls")).to_be_hidden()


def test_a_run_without_steps_says_so(replay: Open) -> None:
    page = replay(make_run(()))
    assert "nothing to replay" in page.locator("#claim").inner_text()
    page.keyboard.press("ArrowRight")
    expect(page.locator("#next")).to_be_disabled()
    assert page.locator("h1").inner_text() == "storyteller wrote 0 tokens, one at a time"


def test_the_page_writes_numbers_as_the_figures_do(replay: Open) -> None:
    page = replay(make_run())
    fractions = [0, 1, 0.12345, 0.05, 0.005, 0.00031, 2e-9, 0.9996, 1 - 1e-13, 0.0994999]
    assert page.evaluate("all => all.map(percent)", fractions) == [percent(f) for f in fractions]
    times = [0, 5.8e-6, 8.5e-5, 0.00085, 0.0051, 0.0123, 0.31, 0.99951, 1.24, 1240]
    assert page.evaluate("all => all.map(duration)", times) == [duration(t) for t in times]
    sizes = [0, 999, 1000, 36_864, 999_999, 6_710_886_400]
    assert page.evaluate("all => all.map(size)", sizes) == [size(n) for n in sizes]
    assert page.evaluate("[plural(1, 'token'), plural(4096, 'token')]") == [
        plural(1, "token"),
        plural(4096, "token"),
    ]
    logs = [-2.314, -0.001, 0, 1.5]
    assert page.evaluate("all => all.map(nats)", logs) == [nats(value) for value in logs]
