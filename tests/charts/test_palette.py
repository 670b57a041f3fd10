"""The colours hold: contrast, colour-blind readers, a washed-out projector, one meaning each.

Colour vision is simulated with the matrices of Machado, Oliveira and Fernandes (2009,
doi:10.1109/TVCG.2009.113) at severity 1, on linear light; distances are Euclidean in Oklab
(Ottosson 2020), where 0.02 is a just noticeable difference of large patches.
"""

from __future__ import annotations

import re
import tomllib
from itertools import combinations
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from pages.frame.first_paint import STYLE
from viz.palette import ROLES, THEMES, Theme, code, colour, declarations, paint, sheer

Rgb = npt.NDArray[np.float64]

VISION = {
    "common": np.eye(3),
    "protanopia": np.array(
        [
            [0.152286, 1.052583, -0.204868],
            [0.114503, 0.786281, 0.099216],
            [-0.003882, -0.048116, 1.051998],
        ]
    ),
    "deuteranopia": np.array(
        [
            [0.367322, 0.860646, -0.227968],
            [0.280085, 0.672501, 0.047413],
            [-0.011820, 0.042940, 0.968881],
        ]
    ),
    "tritanopia": np.array(
        [
            [1.255528, -0.076749, -0.178779],
            [-0.078411, 0.930809, 0.147602],
            [0.004733, 0.691367, 0.303900],
        ]
    ),
}
VERDICTS = ("holds", "partly", "fails", "muted")
TEXT = ("ink", "kept-text", "prompt", "generated", "error", "chosen", *VERDICTS)
GRAPHICS = ("kept", "rejected", "chosen", "coin", "surprise", "keys", "values", "stage")
FIGURES = {
    "strip": ("prompt", "generated", "surprise", "chosen"),
    "loop": ("stage", "prompt", "generated", "kept", "error"),
    "bars": ("kept", "hatched", "chosen"),
    "cache": ("prompt", "generated", "keys", "values", "chosen"),
    "verdicts": VERDICTS,
}
UNMARKED = {  # nothing but colour and place tells these apart in their figure
    "bars": ("kept", "hatched", "chosen"),
    "phases": ("prompt", "generated"),
    "cache": ("keys", "values", "chosen"),
}
AMBIENT = 0.25  # light of the room on the screen, as a share of the projector's white


def linear(hex_code: str) -> Rgb:
    srgb = np.array([int(hex_code[i : i + 2], 16) for i in (1, 3, 5)]) / 255
    return np.where(srgb <= 0.04045, srgb / 12.92, ((srgb + 0.055) / 1.055) ** 2.4)


def contrast(one: Rgb, other: Rgb) -> float:
    """WCAG 2.2's contrast ratio of two colours in linear light."""
    weights = np.array([0.2126, 0.7152, 0.0722])
    dark, light = sorted((float(one @ weights), float(other @ weights)))
    return (light + 0.05) / (dark + 0.05)


def oklab(rgb: Rgb) -> Rgb:
    cones = np.array(
        [
            [0.4122214708, 0.5363325363, 0.0514459929],
            [0.2119034982, 0.6806995451, 0.1073969566],
            [0.0883024619, 0.2817188376, 0.6299787005],
        ]
    ) @ np.clip(rgb, 0, 1)
    opponents = np.array(
        [
            [0.2104542553, 0.7936177850, -0.0040720468],
            [1.9779984951, -2.4285922050, 0.4505937099],
            [0.0259040371, 0.7827717662, -0.8086757660],
        ]
    )
    return np.asarray(opponents @ np.cbrt(cones), np.float64)


def distance(one: Rgb, other: Rgb) -> float:
    return float(np.linalg.norm(oklab(one) - oklab(other)))


def seen(role: str, theme: Theme) -> Rgb:
    """The light of a role; a hatch is seen from the back row as its mean, a third of it lines."""
    if role == "hatched":
        return linear(code("rejected", theme)) / 3 + 2 * linear(code("rejected-tint", theme)) / 3
    return linear(code(role, theme))


def test_contrast_is_that_of_the_standard() -> None:
    white, grey, black = (linear(hex_code) for hex_code in ("#ffffff", "#777777", "#000000"))
    assert contrast(black, white) == pytest.approx(21)
    assert contrast(grey, white) == pytest.approx(4.48, abs=0.01)


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("role", TEXT)
def test_words_can_be_read_on_paper_and_panels(role: str, theme: Theme) -> None:
    for ground in ("paper", "raised"):
        assert contrast(seen(role, theme), seen(ground, theme)) >= 4.5


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("role", GRAPHICS)
def test_marks_can_be_seen_on_paper(role: str, theme: Theme) -> None:
    assert contrast(seen(role, theme), seen("paper", theme)) >= 3


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("tint", [role for role in ROLES if role.endswith("-tint")])
def test_ink_reads_on_every_tint_and_the_role_on_its_own(tint: str, theme: Theme) -> None:
    assert contrast(seen("ink", theme), seen(tint, theme)) >= 7
    assert contrast(seen(tint.removesuffix("-tint"), theme), seen(tint, theme)) >= 2.7


@pytest.mark.parametrize("theme", THEMES)
def test_ink_reads_through_the_whole_tint_of_surprise(theme: Theme) -> None:
    # the strip tints by opacity, at most 35 %
    ground = 0.35 * seen("surprise", theme) + 0.65 * seen("paper", theme)
    assert contrast(seen("ink", theme), ground) >= 4.5


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("vision", VISION)
@pytest.mark.parametrize("figure", FIGURES)
def test_roles_that_share_a_figure_stay_apart(figure: str, vision: str, theme: Theme) -> None:
    for one, other in combinations(FIGURES[figure], 2):
        apart = distance(VISION[vision] @ seen(one, theme), VISION[vision] @ seen(other, theme))
        assert apart >= 0.055, (one, other, apart)


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("figure", UNMARKED)
def test_what_bears_no_mark_stays_apart_in_greyscale(figure: str, theme: Theme) -> None:
    weights = np.array([0.2126, 0.7152, 0.0722])
    for one, other in combinations(UNMARKED[figure], 2):
        greys = [np.full(3, seen(role, theme) @ weights) for role in (one, other)]
        assert distance(*greys) >= 0.055, (one, other)


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("figure", FIGURES)
def test_roles_stay_apart_on_a_washed_out_projector(figure: str, theme: Theme) -> None:
    for one, other in combinations(FIGURES[figure], 2):
        washed = [(seen(role, theme) + AMBIENT) / (1 + AMBIENT) for role in (one, other)]
        assert distance(*washed) >= 0.04, (one, other)


def test_css_names_every_role_in_both_themes() -> None:
    named = declarations()
    for role in ROLES:
        assert f"--{role}:light-dark({code(role, 'light')}, {code(role, 'dark')});" in named


def test_a_role_is_painted_in_a_theme_and_what_names_none_stays() -> None:
    assert paint(colour("kept-tint"), "dark") == code("kept-tint", "dark")
    assert paint(sheer(colour("ink"), 0.25), "light") == "rgba(31,36,48,0.25)"
    assert paint("rgba(0,0,0,0)", "dark") == "rgba(0,0,0,0)"
    with pytest.raises(KeyError):
        paint("var(--nobody)", "light")


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("words", ["textColor", "linkColor"])
def test_captions_and_their_links_are_read_as_easily_as_words(theme: Theme, words: str) -> None:
    """Streamlit fades captions, links in them too, which made those of the light theme 2.7 to 1."""
    found = re.search(r'"stCaptionContainer"\] \{\s*opacity: ([.\d]+);', STYLE)
    assert found is not None
    share = float(found[1])
    settings = tomllib.loads((Path(__file__).parents[2] / ".streamlit/config.toml").read_text())
    front, back = (settings["theme"][theme][name] for name in (words, "backgroundColor"))
    mixed = (
        round(share * int(front[i : i + 2], 16) + (1 - share) * int(back[i : i + 2], 16))
        for i in (1, 3, 5)
    )
    seen_code = "#" + "".join(f"{channel:02x}" for channel in mixed)
    assert contrast(linear(seen_code), linear(back)) >= 4.5
