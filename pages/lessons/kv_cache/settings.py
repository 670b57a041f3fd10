"""The settings of the cache lesson."""

from model.kv_cache.block_cache import BLOCK
from model.kv_cache.fewer_bits import BITS as SMALL_BITS
from model.kv_cache.fewer_bits import WINDOWS
from model.kv_cache.plan import BITS
from model.sampling import Settings
from pages.frame.fields import Choice, Number, Text, Whole, control_fields
from pages.frame.settings_table import SettingsTable

START = Settings(temperature=0.8, top_p=0.9)
LENGTHS = (32, 64, 128, 256, 512)
COMMON = (
    "You are a kind storyteller. You tell short stories for small children. Every story has an "
    "animal in it, a problem that the animal has, and a friend who helps. Nobody is hurt, and in "
    "the end all go home and are happy. Use short words and short sentences.\n"
)
FIRST = COMMON + "Tell a story about a king who lost his ball."
SECOND = COMMON + "Tell a story about a bird who could not sing."

IN_BITS = {n: f"{n} bits" for n in SMALL_BITS}
UNITS = {1: "token by token", BLOCK: f"blocks of {BLOCK}"}
KEPT = {n: f"the newest {n}" if n else "all" for n in WINDOWS}

SETTINGS = SettingsTable(
    "kv",
    Text("prompt", "A text to start from", max_characters=2_000),
    Whole("seed", "Seed", 0, high=2**31 - 1),
    *control_fields(vars(START) | {"order": "transformers"}),
    Whole("length", "Tokens", 128),
    Whole("context", "Tokens in a sequence", 8192, low=1, high=10_000_000),
    Whole("batch", "Sequences in a batch", 16, low=1, high=100_000),
    Number("memory", "Memory, GB", 80.0, low=0.1, high=1e5, step=1.0),
    Choice("cache_bits", "Bits of the cache", BITS[0], BITS, is_segmented=True),
    Choice("weight_bits", "Bits of the weights", BITS[0], BITS, is_segmented=True),
    Choice("small_bits", "Bits of a number", 4, IN_BITS, is_slider=True),
    Choice("small_window", "Positions that are kept", 0, KEPT, is_slider=True),
    Text("config", "config.json", "", max_characters=100_000, in_link=False),
    Text("first", "First prompt", FIRST),
    Text("second", "Second prompt", SECOND),
    Choice("unit", "What is kept", 1, UNITS, is_segmented=True),
    Whole("readers", "Readers of a class", 30, low=1, high=10_000),
)
