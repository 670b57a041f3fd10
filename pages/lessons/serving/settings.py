"""The settings of the serving lesson."""

from pages.frame.fields import Choice, Text, Whole
from pages.frame.settings_table import SettingsTable
from pages.frame.story import BIRD
from viz.serving.lanes_chart import PASSES, SECONDS

MAX_REQUESTS = 8
TOGETHER, BY_RATE = "together", "at a rate"
START = f"{BIRD} They lived in a small house by the sea and were kind to all their friends."
PROMPTS = "\n".join(
    (
        f"{START} One day | 24",
        "The king | 40",
        "Max had a red ball. He | 12",
        f"{START} Max saw | 16",
        "A bird sat in a tree and | 32",
        "The duck was happy because | 8",
    )
)
LONG_PROMPT = " ".join([START, "Every day they went to the beach and looked for shells."] * 12)

SETTINGS = SettingsTable(
    "serving",
    Text(
        "prompts",
        "Prompts, one a line; after | the number of tokens to write",
        PROMPTS,
        max_characters=3_000,
    ),
    Choice("arrivals", "Requests arrive", BY_RATE, (BY_RATE, TOGETHER), is_segmented=True),
    Whole("rate", "Requests a second", 60, low=1, high=200, is_slider=True),
    Whole("slots", "Slots in the batch", 3, low=1, high=MAX_REQUESTS, is_slider=True),
    Choice("axis", "Lanes over", SECONDS, (SECONDS, PASSES), is_segmented=True),
    Text("long_prompt", "A long prompt that arrives while they write", LONG_PROMPT),
    Whole("chunk", "Tokens in a chunk", 64, low=8, high=256, step=8, is_slider=True),
    Whole("blocks", "Blocks of memory", 8, low=1, high=64, is_slider=True),
)
