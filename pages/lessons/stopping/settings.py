"""The settings of the lesson on stopping and streaming."""

from model.stopping import MAX_CHARACTERS, MAX_STRINGS
from pages.frame.fields import Choice, Switch, Text, Whole, control_fields
from pages.frame.settings_table import SettingsTable
from pages.frame.story import BIRD, HOME

EXAMPLES = {  # a text and its stop strings, one a line
    "A name and an emoji": ("Zoë 🙂 said: STORIES begin, then STOP right here.", "STOP"),
    "Vietnamese": ("Xin chào! Tôi kể một câu chuyện. Hết rồi, tạm biệt.", "Hết"),
    "It begins inside a token": ("The bird sat on the mat and went home.", "at on the"),
    "Almost": ("User asked. Us two went. Used books.", "User:\nUsers"),
    "No stop string": ("Good night 🌙🌟 and sleep well.", ""),
}
FIRST = "A name and an emoji"
PROMPT = f"{BIRD} {HOME}"  # the story is over, or nearly
LIMITS = {60: "60 tokens", 120: "120 tokens", 240: "240 tokens"}
MAX_STOP = MAX_STRINGS * (2 * MAX_CHARACTERS + 1)
_HELP = "One a line; \\n is a line break. The first to be complete ends the text."

SETTINGS = SettingsTable(
    "stopping",
    Choice("example", "Examples", FIRST, tuple(EXAMPLES), in_link=False),
    Text("text", "A text that is streamed", EXAMPLES[FIRST][0], max_characters=200),
    Text("stop", "Stop strings", EXAMPLES[FIRST][1], max_characters=MAX_STOP, help=_HELP),
    Switch("keep", "Keep the stop string in the text", help="vLLM: include_stop_str_in_output."),
    Text("prompt", "Prompt", PROMPT, max_characters=500),
    Text("end_stop", "Stop strings", "", max_characters=MAX_STOP, help=_HELP),
    Choice("limit", "Limit", 60, LIMITS),
    Whole("seed", "Seed", 8, high=2**31 - 1),  # three stories that end, one after the other
    *control_fields({"temperature": 0.8, "top_p": 1.0, "repetition_penalty": 1.0}),
)
