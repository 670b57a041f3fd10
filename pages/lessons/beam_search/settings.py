"""The settings of the beam-search lesson."""

from model.beam_search import MAX_BEAMS
from pages.frame.fields import Choice, Number, Text, Whole
from pages.frame.settings_table import SettingsTable
from pages.frame.token_ids import TokenIds
from pages.lessons.beam_search.state import ENDS, PROMPTS, SearchRequest

FIRST = SearchRequest()
MAX_EXACT = 12  # tokens of a text that is proved to be the best
LIMIT = 20_000  # prefixes whose next tokens the exact search scores
SETTINGS = SettingsTable(
    "beam",
    Text("prompt", "A text to start from", FIRST.prompt),
    Whole("beams", "Beams", FIRST.beams, low=1, high=MAX_BEAMS, is_slider=True),
    Whole("tokens", "Tokens at most", FIRST.tokens, low=2, high=24, is_slider=True),
    Choice("ends", "A text ends at", FIRST.ends, ENDS),
    Number(
        "penalty",
        "Length penalty a",
        FIRST.penalty,
        low=-1.0,
        high=2.0,
        is_slider=True,
        help="Σ log p is negative, so dividing it by a power of the length raises longer texts: "
        "a above 0 favours longer ones, 0 ranks by log p alone, below 0 favours shorter ones.",
    ),
    Number("searched", "Length penalty searched by", FIRST.penalty, low=-1.0, high=2.0),
    TokenIds("selected", "A beginning in the tree"),
    Text(
        "exact_prompt",
        "A text to start from",
        PROMPTS[0],
        suggestions=PROMPTS,
        help="Choose one, or write your own.",
    ),
    Whole("exact_tokens", "Tokens", 5, low=1, high=MAX_EXACT),
    Whole(
        "exact_limit",
        "Prefixes at most",
        LIMIT,
        low=100,
        high=200_000,
        step=1_000,
        help="Where the exact search gives up: each prefix costs a row of a pass.",
    ),
    Whole("cost_prompts", "Prompts", 4, low=2, high=len(PROMPTS), is_slider=True),
)


def request_now(penalty: float) -> SearchRequest:
    """Returns what the controls ask for, to be searched by a length penalty."""
    asked = {name: SETTINGS[name] for name in ("prompt", "beams", "tokens", "ends")}
    return SearchRequest(**asked, penalty=penalty)
