"""The settings of the lesson of the two phases."""

from model.prefill_decode.recordings import recordings
from model.weights.published_shapes import published_names
from pages.frame.fields import Choice, Number, Text, Whole
from pages.frame.offers import DEFAULT_PROMPT
from pages.frame.settings_table import SettingsTable

TYPED, PASTED = "typed", "a config.json"
SHAPES = (*published_names(), TYPED, PASTED)
SHAPE_FIELDS = (
    Whole("layers", "Layers", 8, low=1, high=10**6),
    Whole("hidden", "Hidden size", 512, low=1, high=10**6),
    Whole("heads", "Heads", 8, low=1, high=10**6),
    Whole("kv_heads", "KV heads", 4, low=1, high=10**6),
    Whole("vocab", "Vocabulary", 32_000, low=1, high=10**6),
)
DTYPES = ("auto", "float32", "bfloat16")
NO_RECORDING = "none"
RECORDINGS = {recording.title: recording for recording in recordings()}
_MEASURED = (
    # batching
    Text(
        "padding_prompts",
        "Prompts, one a line",
        f"{DEFAULT_PROMPT}\nOnce upon a time there was a little boy who had a\nHi",
        max_characters=2_000,
    ),
    # cost
    Number("price", "Price of this machine an hour", 1.0, high=1e9),
    Whole("n_in", "Tokens in", 1_000, low=1, high=10_000_000),
    Whole("n_out", "Tokens out", 500, low=1, high=10_000_000),
    Whole(
        "n_batch",
        "Sequences that share a step",
        1,
        low=1,
        help="Sizes that the batches above were measured at.",
    ),
    Number("listed_in", "A price list: a million in", high=1e9),
    Number("listed_out", "a million out", high=1e9),
    Whole("budget", "A budget on output tokens", 250, low=1, high=10_000_000, is_slider=True),
    # scoring
    Text(
        "score_prompt",
        "Prompt",
        "Once there was a boy. He lost his red ball and could not find it. The boy was very",
        max_characters=4_000,
    ),
    Text("score_choices", "Choices, one a line", "sad\nhappy\nhungry", max_characters=500),
)
SETTINGS = SettingsTable(
    "phase",
    # another architecture
    Choice("shape", "Shape", SHAPES[0], SHAPES),
    Choice("dtype", "Number format", DTYPES[0], DTYPES),
    *SHAPE_FIELDS,
    Text("config", "config.json", "", max_characters=100_000, in_link=False),
    # prefill and decode, streaming
    Choice("engine", "Decode by", in_link=False),  # this machine's
    Text("prompt", "Prompt", DEFAULT_PROMPT, max_characters=2_000),
    Choice(
        "recording",
        "A recorded run, laid beside what is measured here",
        NO_RECORDING,
        (NO_RECORDING, *RECORDINGS),
    ),
    *_MEASURED,
)
# of each page in its link
PHASES = SETTINGS.without(*(field.name for field in _MEASURED))
MEASURED = SETTINGS.without("engine", "prompt")
