"""The settings of the sampling lesson."""

from model.sampling.experiments import MASKS_ALONE
from model.settings import ENGINES
from model.settings import SETTINGS as ALL_SETTINGS
from pages.frame.fields import Choice, Text
from pages.frame.settings_table import SettingsTable
from pages.lessons.sampling.source import TEXTBOOK, UNITS
from pages.lessons.sampling.state import FIELDS, OF_BAR

SOURCES = {
    "text": "The first page’s text",
    "prompt": "Another prompt",
    "textbook": "Textbook",
    "flat": "Flat",
    "peaked": "Peaked",
    "heavy": "Heavy tail",
    "typed": "Typed by hand",
}


def title(name: str) -> str:
    """Returns what a mask is called: "Top-p"."""
    return ALL_SETTINGS[name].title if name in ALL_SETTINGS else name.capitalize()


FROM = {f"alone:{name}": title(name) for name in MASKS_ALONE} | {
    f"order:{engine}": f"The pipeline, as {engine} orders it" for engine in ENGINES
}

CASES: tuple[dict[str, float], ...] = (  # in which two engines draw different tokens
    {"temperature": 1.5, "top_p": 0.5},
    {"temperature": 0.5, "min_p": 0.2},
    {"temperature": 0.5, "typical_p": 0.7},
    {"min_p": 0.1, "top_p": 0.9},
    {"min_p": 0.2, "typical_p": 0.5},
    {"top_p": 0.7, "typical_p": 0.7},
    {"epsilon": 0.06},
    {"eta": 0.1},
    {"top_h": 0.5},
    {"top_n_sigma": 1.0},
    {"mirostat": 2.0},
)
QUESTION = "The bird was thirsty. He wanted to drink some"
LOOP_PROMPT = "The bird sang la la la la"
AIM_PROMPT = "The little boy"
_COMPARED = (
    Choice("draw_from", "Draw from", "alone:top_p", FROM),
    Text("aim_prompt", "Prompt to go on from", AIM_PROMPT),
)
SETTINGS = SettingsTable(
    "lab",
    Choice("source", "Distribution", "text", SOURCES, is_segmented=True),
    Text("prompt", "Prompt", "The king was very"),
    Text("typed", "One token to a line, token: number", TEXTBOOK, max_characters=2_000),
    Choice("unit", "The numbers are", UNITS[0], UNITS, is_segmented=True),
    *FIELDS,
    Choice("moves", "Moved by the answer", "top_p", tuple(reversed(OF_BAR))),
    Text("vote_prompt", "Prompt", QUESTION),
    Text("loop_prompt", "Prompt to continue", LOOP_PROMPT),
    *_COMPARED,
)
# of each page in its link
SAMPLED = SETTINGS.without(*(field.name for field in _COMPARED))
COMPARED = SETTINGS.without(
    "vote_prompt", "loop_prompt", "moves", *(f"bar_{name}" for name in OF_BAR)
)
