"""The settings of the encoder-decoder lesson."""

from __future__ import annotations

from pages.frame.fields import Text
from pages.frame.settings_table import SettingsTable

MAX_TEXT = 1_000  # characters
GAP_TEXT = (
    "Once upon a time, there was a little girl named ___. She loved to play in the ___ with her "
    "___."
)
SETTINGS = SettingsTable(
    "gap",
    Text("gaps", "A text with gaps", GAP_TEXT, max_characters=MAX_TEXT),
    default_model="gapfiller",
)
