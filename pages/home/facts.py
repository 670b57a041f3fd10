"""What the page's scripts have to know of a model and of the app's settings.

All of it comes from the tables of which the app is made.
"""

from collections.abc import Sequence
from typing import Any

from model.generation import Generation
from model.held_out import held_out
from model.loading import LanguageModel
from model.settings import ORDERS, SETTINGS, Settings
from model.source_code import source_of
from model.tokenizing import encode_bare
from model.weights.device import choose_dtype
from model.weights.facts import small_models
from model.weights.locate import SHIPPED
from pages.frame.fields import MAX_LINK_TEXT, Choice, Field, Several, Text
from pages.frame.offers import DEFAULT_PROMPT, is_restricted
from pages.frame.terms import BY_NAME
from pages.frame.words import hand_to_scripts
from pages.home import controls
from pages.home.link import COUNT, FIELDS, ID, PLACE, TOKEN
from pages.home.payload import describe_model, describe_shape
from viz.format import FORMULA_STARTS
from viz.home.run_export import CSV_COLUMNS

MULTILINGUAL = "Qwen/Qwen3-0.6B-Base"  # of 119 languages, by its makers: arXiv 2505.09388
N_STORIES = 8  # of which bytes a token are measured
TERMS = (  # that the page marks: its beats, its masks and its tint
    *("read", "score", "cut", "draw", "append"),
    *("temperature", "top-k", "top-p", "min-p", "greedy decoding", "surprise"),
)
_KINDS = {
    "SamplingNumber": "number",
    "Choice": "choice",
    "Several": "several",
    "Switch": "switch",
    "Text": "text",
    "Whole": "whole",
}


def facts(lm: LanguageModel) -> dict[str, Any]:
    """Returns what a page is told once of its model."""
    here = lm.local
    is_unusual = here is not None and here.dtype != choose_dtype("auto", here.device)
    return page_facts() | {
        "model": describe_model(lm),
        "cache": describe_shape(lm),
        "code": vars(source_of(Generation.step)),
        "dtype": lm.dtype_name if is_unusual else "",  # as a link has to say it
        "trained_on": trained_on(lm, "./"),
    }


def trained_on(lm: LanguageModel, address: str) -> dict[str, Any] | None:
    """Returns what the page says of a prompt in a language that the model has not read.

    Args:
        lm: The model; it is known of the shipped ones that they read stories in English.
        address: Of the page that opens another; empty where there is no server.
    """
    if lm.name not in SHIPPED:
        return None
    other = next(model for model in small_models() if model.name == MULTILINGUAL)
    described = {
        "name": other.name,
        "n_parameters": other.n_parameters,
        "bytes": other.n_bytes,
        "licence": other.licence,
        "address": address,
    }
    is_open = not address or not is_restricted()
    return {"bytes_per_token": _bytes_per_token(lm), "other": described if is_open else None}


def _bytes_per_token(lm: LanguageModel) -> float:
    """Measures how many bytes a token has in stories like those that a shipped model read."""
    stories = held_out("stories")[:N_STORIES]
    n_bytes = sum(len(story.encode()) for story in stories)
    return n_bytes / sum(len(encode_bare(lm, story)) for story in stories)


def page_facts() -> dict[str, Any]:
    """Returns what holds for every model."""
    return {
        "terms": {name: BY_NAME[name].says for name in TERMS},
        "orders": ORDERS,
        "neutral": vars(Settings()) | {"order": "transformers"},
        "prompt": DEFAULT_PROMPT,
        "fields": [describe_field(field) for field in FIELDS],
        "csv": {"columns": CSV_COLUMNS, "formulas": FORMULA_STARTS},
        "run": {
            "count": describe_field(COUNT),
            "place": describe_field(PLACE),
            "token": describe_field(TOKEN),
            "id": describe_field(ID),
        },
    }


def describe_field(field: Field) -> dict[str, Any]:
    """Describes a field of a link: its values, and the words in which others are refused."""
    row = SETTINGS.get(field.name)
    limit = min(getattr(field, "max_characters", 0), MAX_LINK_TEXT)
    low, high = (0, limit) if isinstance(field, Text) else _bounds(field)
    return {
        "name": field.name,
        "label": field.label,
        "kind": _KINDS[type(field).__name__],
        "default": field.default,
        "isControl": field in controls.FIELDS,
        "bounds": [low, high],
        "least": row.least if row else 0,
        "isWhole": row is not None and isinstance(row.neutral, int),
        "options": list(field.options) if isinstance(field, Choice | Several) else [],
        "refusal": _refusal(field),
    }


def _bounds(field: Field) -> Sequence[float]:
    return getattr(field, "low", 0), getattr(field, "high", 0)


def _refusal(field: Field) -> dict[str, Any]:
    """Returns what is said of a value that makes no sense: a message, and what fills it."""
    try:
        field.read("?" * (MAX_LINK_TEXT + 1))
    except ValueError as error:
        said = error.args[0]
        fixed = {name: of for name, of in said.values.items() if name not in ("setting", "given")}
        return {"source": said.source, "values": fixed}
    raise TypeError(f"{field.name} takes anything")


def _handed() -> set[str]:
    """Returns the messages that scripts are handed as data."""
    described = [describe_field(field) for field in (*FIELDS, COUNT, PLACE, TOKEN, ID)]
    said = {text for one in described for text in (one["refusal"]["source"], one["label"])}
    return said | {BY_NAME[name].says for name in TERMS}


hand_to_scripts(*_handed())
