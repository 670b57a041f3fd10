"""The settings of the guessing game."""

from __future__ import annotations

from pages.frame.fields import Choice, Switch, Text, Whole
from pages.frame.settings_table import SettingsTable
from pages.lessons.guess.passages import PASSAGES

OWN_TEXT = "A text of your own"
SETTINGS = SettingsTable(
    "guess",
    Text("names", "Players, separated by commas", "", max_characters=120),
    Choice(
        "unit",
        "A number after a guess is",
        "percent",
        {"percent": "Confidence in %", "hands": "Show of hands"},
        is_segmented=True,
    ),
    Switch("veil", "Hide what is typed"),
    Choice("which", "Text", next(iter(PASSAGES)), (*PASSAGES, OWN_TEXT)),
    Text("own", "Your text; line breaks count as spaces", ""),
    Whole("n_open", "Tokens revealed at the start", 8, low=1, high=40, is_slider=True),
)
