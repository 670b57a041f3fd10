"""The app's settings: quick, quiet, offline, and legible in both themes."""

from __future__ import annotations

import tomllib
from typing import Any

import pytest

from tests.architecture.sources import read
from viz.palette import FONT, MONO, THEMES, Theme, colour

SETTINGS: dict[str, Any] = tomllib.loads(read(".streamlit/config.toml"))
READABLE = 4.5  # WCAG AA for text
VISIBLE = 3.0  # WCAG AA for marks and icons
WHITE = "#ffffff"


def luminance(colour: str) -> float:
    channels = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    darker, lighter = sorted((luminance(one), luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


def test_contrast_is_that_of_the_standard() -> None:
    assert contrast("#000000", WHITE) == pytest.approx(21)
    assert contrast("#777777", WHITE) == pytest.approx(4.48, abs=0.01)


def test_no_press_waits_for_a_collection_of_all_that_torch_imported() -> None:
    assert SETTINGS["runner"]["postScriptGC"] is False


def test_one_reader_is_never_on_two_threads() -> None:
    assert SETTINGS["runner"]["fastReruns"] is False


def test_nothing_is_reported_and_no_traceback_is_shown() -> None:
    assert SETTINGS["browser"]["gatherUsageStats"] is False
    assert SETTINGS["client"]["showErrorDetails"] == "none"


def test_streamlit_knows_every_setting() -> None:
    """An option that a new version drops would be ignored with a line in the log."""
    from streamlit import config

    config.get_option("server.port")  # reads the defaults
    known = set(config._config_options_template)
    used = {f"{section}.{name}" for section, options in SETTINGS.items() for name in options}
    themes = {
        f"theme.{kind}.{name}" for kind in ("light", "dark") for name in SETTINGS["theme"][kind]
    }
    assert used - {"theme.light", "theme.dark"} <= known
    assert themes <= known


def test_fonts_need_no_network() -> None:
    assert "://" not in str(SETTINGS["theme"])
    assert (SETTINGS["theme"]["font"], SETTINGS["theme"]["codeFont"]) == (FONT, MONO)


@pytest.mark.parametrize("kind", THEMES)
def test_the_theme_s_colours_are_the_palette_s(kind: Theme) -> None:
    roles = {
        "backgroundColor": "paper",
        "secondaryBackgroundColor": "raised",
        "textColor": "ink",
        "linkColor": "kept-text",
        "borderColor": "line",
    }
    theme = SETTINGS["theme"][kind]
    assert {name: theme[name] for name in roles} == {
        name: colour(role, kind) for name, role in roles.items()
    }


@pytest.mark.parametrize("kind", THEMES)
def test_what_is_pressed_is_legible_on_both_grounds(kind: Theme) -> None:
    theme = SETTINGS["theme"][kind]
    for ground in (theme["backgroundColor"], theme["secondaryBackgroundColor"]):
        assert contrast(theme["primaryColor"], ground) >= READABLE
    assert contrast(WHITE, theme["primaryColor"]) >= VISIBLE  # a ticked box


def test_white_words_on_the_light_theme_s_buttons_are_legible() -> None:
    assert contrast(WHITE, SETTINGS["theme"]["light"]["primaryColor"]) >= READABLE
