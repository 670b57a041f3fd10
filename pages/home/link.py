"""The fields of a link to the home page; `live/session/link.js` reads and writes it.

Nothing random needs to travel: the pointer is a function of seed and position, so a run is the
prompt, the seeds, the controls at each step and the tokens that the reader forced.

    ?model=storyteller&prompt=The+cat+sat+on+the&seed=0&top_p=0.9&run=12;5~temperature:1.2&forced=3:262

The server reads of it which model is asked for, and in which format.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from model.stopping import MAX_CHARACTERS, MAX_STRINGS
from model.weights.device import DTYPES
from pages.frame.fields import Choice, Switch, Text, Whole, read_fields
from pages.frame.offers import DEFAULT_PROMPT
from pages.frame.words import N_
from pages.home import controls
from pages.home.text_request import MAX_SEED

MAX_TOKENS = 4_096  # generated tokens that a link may ask for
MAX_STOP = MAX_STRINGS * (2 * MAX_CHARACTERS + 1)  # each line break is written as two characters
MODEL = Text("model", N_("Model"), max_characters=200)
DTYPE = Choice("dtype", N_("Number format"), options=tuple(DTYPES))
SEED = Whole("seed", N_("Seed"), 0, high=MAX_SEED)
FIELDS = (
    MODEL,
    Text("prompt", N_("Prompt"), DEFAULT_PROMPT),
    SEED,
    Switch("chat", N_("Chat template"), None),
    DTYPE,
    Text("stop", N_("Stop strings"), "", max_characters=MAX_STOP),
    *controls.FIELDS,
)
COUNT = Whole("run", N_("A number of tokens"), high=MAX_TOKENS)
PLACE, TOKEN = Whole("forced", N_("A forced place")), Whole("forced", N_("A forced token"))
ID = Whole(
    "ids", N_("A token of the prompt")
)  # as the chat template gave it when the link was made


@dataclass(frozen=True)
class ModelAsked:
    """The model that a link asks for."""

    name: str
    dtype: str = "auto"


def model_of(params: Mapping[str, str], default_model: str) -> ModelAsked:
    """Reads which model a query asks for; what cannot be read is left at its default."""
    values = read_fields({name: (text,) for name, text in params.items()}, (MODEL, DTYPE)).values
    name = values.get("model", "").strip() or default_model
    return ModelAsked(name, values.get("dtype", "auto"))
