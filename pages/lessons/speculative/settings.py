"""The settings of the speculative lesson."""

from __future__ import annotations

from model.speculative.drafting import LEAST_BELIEF
from pages.frame.fields import Choice, Number, Switch, Text, Whole
from pages.frame.settings_table import SettingsTable
from pages.lessons.speculative.state import offered_drafts

OTHER = "another model"
MOST_GUESSES = 8
PRESETS = {"measured": "measured here", "textbook": "textbook, illustrative"}
SETTINGS = SettingsTable(
    "spec",
    Text("prompt", "A text to start from", max_characters=2_000),
    Choice(
        "draft",
        "Draft",
        offered_drafts()[0],
        (*offered_drafts(), OTHER),
        help="Prompt lookup needs no model: it copies what followed the same words before.",
    ),
    Text("other", "Folder or hub id", "", max_characters=200),
    Number(
        "temperature",
        "Temperature",
        0.8,
        high=1.5,
        is_slider=True,
        help="0 is greedy: a guess stays where it is the target’s best token.",
    ),
    Number("top_p", "Top-p", 0.9, low=0.1, step=0.05, is_slider=True),
    # by the coins of 11 some guesses of the first round stay and one does not
    Whole("seed", "Seed", 11),
    Whole("guesses", "Guesses in a round", 4, low=1, high=MOST_GUESSES, is_slider=True),
    Switch(
        "adaptive",
        "Adaptive",
        help="The draft stops by itself once it believes less than "
        f"{LEAST_BELIEF} in all of its guesses.",
    ),
    Switch("whole", "Whole rounds"),
    Choice("preset", "Whose numbers", "measured", PRESETS, is_segmented=True),
)
