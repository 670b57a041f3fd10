"""What holds of every draw bar in a room."""

import re

import pytest
from playwright.sync_api import Page, expect


def assert_shares_are_percents(projector: Page) -> None:
    """Each answer of a draw bar stands with its share, and no range: they make up the bar."""
    rows = projector.locator("#bar span").all_inner_texts()
    shares = [row.rpartition("\n")[2] for row in rows]
    assert [re.sub(r"[\d.]+", "", share) for share in shares] == ["\u202f%"] * 5
    assert sum(float(share[:-2]) for share in shares) == pytest.approx(100, abs=0.25)


def assert_pointer_is_on_its_bar(phone: Page) -> None:
    """The pupil's line stands at the number, over the token whose range, for the ear, has it."""
    expect(phone.locator("#ask")).to_contain_text("%")
    pointer = float(re.findall(r"(\d+)\s%", phone.locator("#ask").inner_text())[0]) / 100
    place, under = phone.locator("#options").evaluate(
        """(bar) => {
          const of = (part) => part.getBoundingClientRect();
          const line = of(bar.querySelector("b"));
          const at = line.left + line.width / 2;
          const ends = [...bar.querySelectorAll("button")].map((part) => of(part).right);
          return [(at - of(bar).left) / of(bar).width, ends.findIndex((end) => end > at)];
        }"""
    )
    assert place == pytest.approx(pointer, abs=0.015)  # its words are whole per cent
    segments = phone.locator("#options button")
    heard = [segments.nth(i).get_attribute("aria-label") or "" for i in range(segments.count())]
    low, high = map(float, re.findall(r"(\d+)\s%", heard[under]))
    assert low - 0.5 <= 100 * place <= high + 0.5


def assert_names_have_air(screen: Page) -> None:
    """No word of a segment touches its edges: letters would be read with those beside them."""
    screen.wait_for_function(
        """() => {
          const widthOf = (segment) => {
            const range = document.createRange();
            range.selectNodeContents(segment.querySelector("small") ?? segment);
            return range.getBoundingClientRect().width;
          };
          const segments = [...document.querySelectorAll("#bar span")];
          return segments.length > 0 && segments.every((segment) =>
            segment.innerText === "" || widthOf(segment) <= segment.clientWidth - 4
            && (parseFloat(getComputedStyle(segment).letterSpacing) || 0) > -1);
        }"""
    )
