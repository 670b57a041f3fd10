"""The settings of the lesson on all continuations: those of the tree, and how it is looked at."""

from model.beam_search import MAX_BEAMS
from model.futures.continuations import MAX_TOKENS
from pages.frame.fields import Choice, Text, Whole, control_fields
from pages.frame.settings_table import SettingsTable
from pages.frame.story import KING
from pages.frame.token_ids import TokenIds
from viz.format import plural

N_DROPS = 1_000  # pointers at most
MAX_SEED = 999_000  # of the first pointer
# of the probability
SHARES = {0.5: "50 %", 0.8: "80 %", 0.9: "90 %", 0.95: "95 %"}


VIEW = (  # what is set in the component
    *control_fields({"temperature": 1.0, "top_k": 0, "top_p": 1.0, "min_p": 0.0}),
    TokenIds("selected", "Text chosen", most=MAX_TOKENS),
    TokenIds("top", "Text that fills the width", most=MAX_TOKENS),
    Whole("drops", "Pointers", 0, high=N_DROPS),
    Whole("seed", "Seed of the first pointer", 0, high=MAX_SEED),
)
SETTINGS = SettingsTable(
    "futures",
    Text("prompt", "A text to start from", KING),
    Choice("tokens", "Tokens", MAX_TOKENS, tuple(range(1, MAX_TOKENS + 1)), is_segmented=True),
    Choice(
        "mass",
        "Share to open",
        0.5,
        SHARES,
        help="Texts are opened, the likeliest first, until so much of the probability is reached.",
    ),
    Whole(
        "passes",
        "Passes at most",
        20,
        low=1,
        high=400,
        help="Each reads up to 64 texts at once. Press again to go on.",
    ),
    Choice(
        "beams",
        "Beam search",
        0,
        {0: "none"} | {n: plural(n, "beam") for n in range(1, MAX_BEAMS + 1)},
        help="Laid over the tree: what so many beams keep; all else is faint.",
    ),
    *VIEW,
)
