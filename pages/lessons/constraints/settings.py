"""The settings of the constraint lesson."""

from __future__ import annotations

from model.constraints.patterns import LONGEST
from pages.frame.fields import Choice, Number, Text
from pages.frame.settings_table import SettingsTable
from pages.lessons.constraints.state import EXAMPLES, FIRST, KINDS

_first = EXAMPLES[FIRST]
SETTINGS = SettingsTable(
    "constraint",
    Choice("example", "An example", FIRST, tuple(EXAMPLES), in_link=False),  # its texts are
    Choice("kind", "What may follow", _first.kind, KINDS, is_segmented=True),
    Text("prompt", "A text to start from", _first.prompt, max_characters=20_000),
    Text("constraint", "The constraint", _first.constraint, max_characters=LONGEST),
    Number("temperature", "Temperature, 0 is argmax", 0.0, high=1.5, is_slider=True),
)
