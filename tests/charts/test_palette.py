"""The colours hold: contrast, colour-blind readers, a washed-out projector, one meaning each.

Colour vision is simulated with the matrices of Machado, Oliveira and Fernandes (2009,
doi:10.1109/TVCG.2009.113) at severity 1, on linear light; distances are Euclidean in Oklab
(Ottosson 2020), where 0.02 is a just noticeable difference of large patches.
"""

import re
import tomllib
from collections.abc import Callable
from itertools import combinations

import numpy as np
import numpy.typing as npt
import pytest

from pages.frame.first_paint import STYLE
from tests.architecture.sources import read
from viz.palette import ROLES, THEMES, Theme, code, colour, paint, root_rule, sheer

Rgb = npt.NDArray[np.float64]


def matrix(numbers: str) -> Rgb:
    return np.array(numbers.split(), float).reshape(3, 3)


CONES = matrix("""
    0.4122214708  0.5363325363  0.0514459929
    0.2119034982  0.6806995451  0.1073969566
    0.0883024619  0.2817188376  0.6299787005
""")
OPPONENTS = matrix("""
    0.2104542553  0.7936177850 -0.0040720468
    1.9779984951 -2.4285922050  0.4505937099
    0.0259040371  0.7827717662 -0.8086757660
""")
PROTANOPIA = matrix("""
     0.152286  1.052583 -0.204868
     0.114503  0.786281  0.099216
    -0.003882 -0.048116  1.051998
""")
DEUTERANOPIA = matrix("""
     0.367322  0.860646 -0.227968
     0.280085  0.672501  0.047413
    -0.011820  0.042940  0.968881
""")
TRITANOPIA = matrix("""
     1.255528 -0.076749 -0.178779
    -0.078411  0.930809  0.147602
     0.004733  0.691367  0.303900
""")
LUMINANCE = np.array([0.2126, 0.7152, 0.0722])
AMBIENT = 0.25  # light of the room on the screen, as a share of the projector's white

VERDICTS = ("holds", "partly", "fails", "muted")
TEXT = ("ink", "kept-text", "prompt", "generated", "error", "chosen", *VERDICTS)
GRAPHICS = ("kept", "rejected", "chosen", "pointer", "surprise", "keys", "values", "stage")
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
# how a colour is seen, in which figures, and how far apart its roles must lie there
EYES: dict[str, tuple[Callable[[Rgb], Rgb], dict[str, tuple[str, ...]], float]] = {
    "common": (lambda rgb: rgb, FIGURES, 0.055),
    "protanopia": (lambda rgb: PROTANOPIA @ rgb, FIGURES, 0.055),
    "deuteranopia": (lambda rgb: DEUTERANOPIA @ rgb, FIGURES, 0.055),
    "tritanopia": (lambda rgb: TRITANOPIA @ rgb, FIGURES, 0.055),
    "greyscale": (lambda rgb: np.full(3, rgb @ LUMINANCE), UNMARKED, 0.055),
    "projector": (lambda rgb: (rgb + AMBIENT) / (1 + AMBIENT), FIGURES, 0.04),
}

in_both_themes = pytest.mark.parametrize("theme", THEMES)


def linear(hex_code: str) -> Rgb:
    srgb = np.array([int(hex_code[i : i + 2], 16) for i in (1, 3, 5)]) / 255
    return np.where(srgb <= 0.04045, srgb / 12.92, ((srgb + 0.055) / 1.055) ** 2.4)


def contrast(one: Rgb, other: Rgb) -> float:
    """WCAG 2.2's contrast ratio of two colours in linear light."""
    dark, light = sorted((float(one @ LUMINANCE), float(other @ LUMINANCE)))
    return (light + 0.05) / (dark + 0.05)


def oklab(rgb: Rgb) -> Rgb:
    return OPPONENTS @ np.cbrt(CONES @ np.clip(rgb, 0, 1))


def seen(role: str, theme: Theme) -> Rgb:
    """The light of a role; a hatch is seen from the back row as its mean, a third of it lines."""
    if role == "hatched":
        return linear(code("rejected", theme)) / 3 + 2 * linear(code("rejected-tint", theme)) / 3
    return linear(code(role, theme))


def test_contrast_is_that_of_the_standard() -> None:
    white, grey, black = (linear(hex_code) for hex_code in ("#ffffff", "#777777", "#000000"))
    assert contrast(black, white) == pytest.approx(21)
    assert contrast(grey, white) == pytest.approx(4.48, abs=0.01)


@in_both_themes
def test_words_and_marks_can_be_seen_on_what_they_stand_on(theme: Theme) -> None:
    pairs = {(role, ground): 4.5 for role in TEXT for ground in ("paper", "raised")}
    pairs |= {(role, "paper"): 3 for role in GRAPHICS if role not in TEXT}
    for tint in (role for role in ROLES if role.endswith("-tint")):
        pairs |= {("ink", tint): 7, (tint.removesuffix("-tint"), tint): 2.7}
    pairs |= {("kept-ink", "kept"): 4.5}
    ratios = {pair: contrast(seen(pair[0], theme), seen(pair[1], theme)) for pair in pairs}
    assert not {pair: ratio for pair, ratio in ratios.items() if ratio < pairs[pair]}
    # the strip tints by opacity, at most 35 %
    ground = 0.35 * seen("surprise", theme) + 0.65 * seen("paper", theme)
    assert contrast(seen("ink", theme), ground) >= 4.5


@in_both_themes
@pytest.mark.parametrize("eye", EYES)
def test_roles_that_share_a_figure_stay_apart(eye: str, theme: Theme) -> None:
    look, figures, least = EYES[eye]
    for figure, roles in figures.items():
        for pair in combinations(roles, 2):
            one, other = (oklab(look(seen(role, theme))) for role in pair)
            assert np.linalg.norm(one - other) >= least, (figure, pair)


def test_css_names_every_role_in_both_themes() -> None:
    named = root_rule()
    for role in ROLES:
        assert f"--{role}:light-dark({code(role, 'light')}, {code(role, 'dark')});" in named


def test_a_role_is_painted_in_a_theme_and_what_names_none_stays() -> None:
    assert paint(colour("kept-tint"), "dark") == code("kept-tint", "dark")
    assert paint(sheer(colour("ink"), 0.25), "light") == "rgba(31,36,48,0.25)"
    assert paint("rgba(0,0,0,0)", "dark") == "rgba(0,0,0,0)"
    with pytest.raises(KeyError):
        paint("var(--nobody)", "light")


@in_both_themes
@pytest.mark.parametrize("words", ["textColor", "linkColor"])
def test_captions_and_their_links_are_read_as_easily_as_words(theme: Theme, words: str) -> None:
    """Streamlit fades captions, links in them too, which made those of the light theme 2.7 to 1."""
    found = re.search(r'"stCaptionContainer"\] \{\s*opacity: ([.\d]+);', STYLE)
    assert found is not None
    share, settings = float(found[1]), tomllib.loads(read(".streamlit/config.toml"))
    front, back = (settings["theme"][theme][name] for name in (words, "backgroundColor"))
    mixed = (
        round(share * int(front[i : i + 2], 16) + (1 - share) * int(back[i : i + 2], 16))
        for i in (1, 3, 5)
    )
    seen_code = "#" + "".join(f"{channel:02x}" for channel in mixed)
    assert contrast(linear(seen_code), linear(back)) >= 4.5
