"""The settings of the causal-mask lesson."""

from pages.frame.fields import Choice, Switch, Text, Whole
from pages.frame.settings_table import SettingsTable
from pages.lessons.causal_mask.state import MAX_TOKENS

MAX_CHARACTERS = 4_000  # characters
MAX_MAPS = 200  # layers, or heads: a link that asks for more than the model has is refused
TEXT = (
    "Once upon a time there was a little boy who had a red ball. One day the ball rolled into the "
    "garden and he could not find it. The little"
)
SETTINGS = SettingsTable(
    "mask",
    Text("text", "Text", TEXT, max_characters=MAX_CHARACTERS),
    Switch("uncovered", "Take the cover off"),
    Choice("mask", "Causal mask", "on", ("on", "off"), is_segmented=True),
    Whole("layer", "Layer", high=MAX_MAPS),
    Whole("head", "Head", high=MAX_MAPS),
    Whole("position", "Token to change", low=2, high=MAX_TOKENS),
    Text("instead", "Write instead", "", max_characters=60),
)
