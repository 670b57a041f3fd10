"""The settings of the speculative lesson."""

from model.sampling import Settings
from model.speculative.drafting import MAX_DRAFT, MIN_CONFIDENCE
from pages.frame.fields import Choice, Switch, Text, Whole, sampling_number
from pages.frame.settings_table import SettingsTable

LOOKUP, OTHER = "prompt lookup", "another model"
# the shipped draft, and two of its shape that differ in their lesson alone
DRAFTS = ("scribbler", "scribbler_taught", "scribbler_plain", LOOKUP)
FIRST_SEED = 11  # by whose pointers the first round accepts some tokens and rejects one
# one that the draft guesses well, and one that it does not
RACES = ("The king was very", "Once upon a time there was a little boy who")
PRESETS = {"measured": "measured here", "textbook": "textbook, illustrative"}

SETTINGS = SettingsTable(
    "spec",
    Text("race", "The text to race on", RACES[0], suggestions=RACES, max_characters=2_000),
    Text("prompt", "A text to start from", max_characters=2_000),
    Choice(
        "draft",
        "Draft",
        DRAFTS[0],
        (*DRAFTS, OTHER),
        help="Prompt lookup needs no model: it copies what followed the same words before.",
    ),
    Text("other", "Folder or hub id", "", max_characters=200),
    sampling_number(
        "temperature",
        0.8,
        high=1.5,
        is_slider=True,
        help="0 is greedy: a draft token is accepted where it is the target’s best token.",
    ),
    sampling_number("top_p", 0.9, low=0.1, step=0.05, is_slider=True),
    Whole("seed", "Seed", FIRST_SEED),
    Whole("guesses", "Draft tokens per round", 4, low=1, high=MAX_DRAFT, is_slider=True),
    Switch(
        "adaptive",
        "Adaptive",
        help="The draft stops by itself once its confidence in all of its tokens falls below "
        f"{MIN_CONFIDENCE}.",
    ),
    Switch("whole", "Whole rounds"),
    Choice("preset", "Numbers", "measured", PRESETS, is_segmented=True),
)


def masks_now() -> Settings:
    """Returns the masks that both models draw through."""
    return Settings(temperature=SETTINGS["temperature"], top_p=SETTINGS["top_p"])
