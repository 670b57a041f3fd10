"""The settings of the diffusion lesson."""

from model.diffusion.denoising import ORDERS
from pages.frame.fields import Choice, Text, Whole, sampling_number
from pages.frame.settings_table import SettingsTable
from pages.frame.story import BIRD, HOME

MAX_TEXT = 1_000  # characters
MAX_POSITIONS = 128
FIRST_SEED = 76  # the first one whose text has one clash of two words: benchmarks/clash.py
PAGES = {
    "A beginning and an end": (BIRD, HOME),
    "A beginning": (BIRD, ""),
    "Nothing": ("", ""),
}
SETTINGS = SettingsTable(
    "diffusion",
    Choice("page", "Given text", next(iter(PAGES)), tuple(PAGES), in_link=False),  # its texts are
    Text("beginning", "Beginning", BIRD, max_characters=MAX_TEXT),
    Text("ending", "End", HOME, max_characters=MAX_TEXT),
    Whole("passes", "Passes", 8, low=1, high=MAX_POSITIONS, is_slider=True),
    Whole("positions", "Positions to fill", 24, low=4, high=MAX_POSITIONS, is_slider=True),
    sampling_number("temperature", 0.5, high=1.5, is_slider=True),
    Choice("order", "Unmasking order", ORDERS[0], ORDERS, is_segmented=True),
    Choice(
        "blocks",
        "Block length",
        0,
        {0: "all", 8: "8", 16: "16"},
        is_segmented=True,
        help="Blocks are filled one after another, from left to right; within one, many "
        "positions at once.",
    ),
    Whole("seed", "Seed", FIRST_SEED, high=10_000),
    Choice("sweep_length", "Positions", 32, (16, 32, 48, 64)),
    Choice(
        "sweep_fills",
        "Samples",
        1,
        (1, 2, 4),
        help="With other seeds. At temperature 0 in the order of confidence, all come out alike.",
    ),
    default_model="unmasker",
)
