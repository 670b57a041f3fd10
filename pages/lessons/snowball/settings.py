"""The settings of the lesson on error propagation."""

from pages.frame.fields import Choice, Text, Whole, sampling_number
from pages.frame.settings_table import SettingsTable

N_TOKENS = 48  # of the text to be forked
N_WRITTEN = 96  # tokens of each text with an instruction
OWN = -1  # in the place of a token's id: a word of the reader's own
TEXTS = {"stories": "short stories, up to 128 tokens", "books": "books, up to 512 tokens"}

# a beginning, a word after it that is wrong, and a seed by which the shipped model writes no error
MISTAKES = {
    "A wrong fact": ("The little fish lives in a", " tree", 36),
    "A contradiction": ("The king had a big ball. He loved his", " car", 11),
    "A wrong name": ("There was a boy. His name was Max. He was very happy. One day,", " Sam", 10),
}
_MEASURED = (
    # error compounding
    Choice(
        "rank",
        "Put in",
        20,
        {2: "the 2nd best", **{n: f"the {n}th best" for n in (5, 20, 100, 1000)}},
    ),
    Choice(
        "threshold", "A slip is a token below", 0.01, {0.05: "5 %", 0.01: "1 %", 0.001: "0.1 %"}
    ),
    # instruction position
    Text("beginning", "Beginning", "Once there was a king."),
    Text("instruction", "Instruction", "He had a bird named Max."),
    Text(
        "words",
        "Followed where it says",
        "Max",
        help="Words, separated by commas. A text with one of them has followed the instruction.",
    ),
    Whole("after", "m, tokens", 32, low=1, high=N_WRITTEN - 1),
    # teacher forcing and free running
    Choice("writer", "Writer", in_link=False),
    Choice("judge", "Judge", in_link=False),
    Choice("drawn_at", "Temperature", 1.0, (0.7, 1.0, 1.5)),
    # long generation
    Choice("length", "Tokens", in_link=False),
    # loss by context length
    Choice("held_out", "Held-out text", "stories", TEXTS),
)
SETTINGS = SettingsTable(
    "snowball",
    Choice("mistake", "Mistake", "A wrong fact", tuple(MISTAKES), is_segmented=True),
    # the fork
    Text("prompt", "A text to start from", max_characters=2_000),
    sampling_number("temperature", 0.7, high=2.0, help="0 takes the best token each time."),
    Whole("seed", "Seed", 0),
    Whole("place", "Place", low=1, high=N_TOKENS),
    Whole("token", "Put instead"),
    Text("word", "Your word", max_characters=100),
    *_MEASURED,
)
# of each page in its link
FORKED = SETTINGS.without(*(field.name for field in _MEASURED))
MEASURED = SETTINGS.without("mistake", "token", "word")
