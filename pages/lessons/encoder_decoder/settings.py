"""The settings of the encoder-decoder lesson."""

from pages.frame.fields import Text
from pages.frame.settings_table import SettingsTable
from pages.frame.story import BIRD

MAX_TEXT = 1_000  # characters
BEGINNING = "Max flew into the"  # after the beginning of the story
ENDINGS = ("and saw many fish.", "and went to sleep.", "and sang a song.")


def text_with(ending: str) -> str:
    """Returns the page's text with a gap, and one of the endings after it."""
    return f"{BIRD} {BEGINNING} ___ {ending}"


SETTINGS = SettingsTable(
    "gap",
    Text(
        "gaps",
        "Another text, its gaps marked by ___",
        text_with(ENDINGS[0]),
        max_characters=MAX_TEXT,
    ),
    default_model="gapfiller",
)
