"""The settings of the encoder-decoder lesson."""

from pages.frame.fields import Text
from pages.frame.settings_table import SettingsTable
from pages.frame.story import BIRD

MAX_TEXT = 1_000  # characters
GAP_TEXT = f"{BIRD} He sat on the ___ with his ___."
SETTINGS = SettingsTable(
    "gap",
    Text("gaps", "Another text, its gaps marked by ___", GAP_TEXT, max_characters=MAX_TEXT),
    default_model="gapfiller",
)
