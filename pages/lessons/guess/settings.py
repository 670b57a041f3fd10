"""The settings of the guessing game, and its texts: three written for it, two from old books."""

import tomllib
from dataclasses import dataclass
from pathlib import Path

from pages.frame.fields import Choice, Switch, Text, Whole
from pages.frame.settings_table import SettingsTable
from pages.lessons.guess.state import MAX_PLAYERS


@dataclass(frozen=True)
class Passage:
    """A text, whose it is, and how much of it the shipped models have seen."""

    name: str
    text: str
    licence: str  # and where it is from
    overlap: float  # fraction of its word 8-grams that occur in the training text, recorded


_READ = tomllib.loads(Path(__file__).with_name("passages.toml").read_text(encoding="utf-8"))
PASSAGES = {passage["name"]: Passage(**passage) for passage in _READ["passage"]}
OWN_TEXT = "A text of your own"
SETTINGS = SettingsTable(
    "guess",
    Text(
        "names",
        f"Players, at most {MAX_PLAYERS}, separated by commas",
        "",
        max_characters=120,
        help="More fields and lines could not be told apart on one screen: let groups play.",
    ),
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
