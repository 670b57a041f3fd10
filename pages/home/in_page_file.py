"""The home page as one file with the shipped model in it: `one-token page`.

The weights and the tokenizer are read as they lie; what scripts of ours have to know of the app's
settings comes from the tables of which the app is made.
"""

import json
import textwrap
import zlib
from base64 import b64encode
from functools import lru_cache
from pathlib import Path
from typing import Any

from model.loading import LanguageModel, load_model
from model.source_code import stages_of
from model.tokenizing import vocabulary_labels
from model.weights.locate import SHIPPED
from pages.frame.assets import SHARED, faces, in_data, name_of, source, style_sheets
from pages.frame.offers import DEFAULT_MODEL
from pages.frame.one_file import one_file
from pages.home.facts import page_facts, trained_on
from pages.home.payload import describe_model, describe_shape
from pages.lessons.tour.in_file import lesson_in_file
from viz.palette import root_rule

FOLDER = Path(__file__).parent / "in_page"
LESSON = "how-a-model-writes"  # the one that the file holds
LIVE = Path(__file__).parent / "live"
LAZY = SHARED / "lazy"  # fetched once it is wanted, where there is a server


def live_page(lm: LanguageModel, query: str = "") -> str:
    """Returns the page with a shipped model in it.

    Args:
        lm: The model.
        query: Of a link, whose text it opens with where its address asks for none.
    """
    return one_file(
        (FOLDER / "page.html").read_text("utf-8"),
        name_of(FOLDER / "mount.js"),
        style=faces(in_data)
        + root_rule()
        + source("home/alone.css")
        + source("home/in_page/file.css"),
        sheets=style_sheets(SHARED, LIVE, LAZY),
        policy="font-src data:",
        workers={
            "model": name_of(FOLDER / "worker.js"),
            "map": name_of(LAZY / "slider_map_worker.js"),
        },
        blocks={
            "lesson-data": json.dumps(lesson_in_file(LESSON), ensure_ascii=False),
            "facts": json.dumps(facts(lm) | {"query": query}),
            "weights": _packed(SHIPPED[lm.name] / "model.safetensors"),
        },
    )


def runs_in_page(lm: LanguageModel) -> bool:
    """Tells whether the page's scripts can run a model: a shipped one of storyteller's kind."""
    return lm.name in SHIPPED and lm.config.model_type == "llama"


@lru_cache(maxsize=1)
def _packed(path: Path) -> str:
    return b64encode(zlib.compress(path.read_bytes())).decode()


def facts(lm: LanguageModel) -> dict[str, Any]:
    """Returns what the page's scripts have to know of the model and of the app's settings."""
    folder = SHIPPED[lm.name]
    here = {"device": "your browser", "dtype": "float32", "labels": lm.name}
    return page_facts() | {
        "model": describe_model(lm) | here,
        "cache": describe_shape(lm),
        "code": code(),
        "dtype": "",
        "trained_on": trained_on(lm, ""),
        "config": json.loads((folder / "config.json").read_text("utf-8")),
        "tokenizer": json.loads((folder / "tokenizer.json").read_text("utf-8")),
        "labels": vocabulary_labels(lm),
    }


def code() -> dict[str, Any]:
    """Describes the code that runs at a press: one step of the loop, and the forward pass in it."""
    step, forward = _method("generation.js", "step"), _method("llama.js", "forward")
    lines, stages = [*step.values(), "", *forward.values()], stages_of([*step.values()])
    return {
        "name": "Generation.step and Llama.forward",
        "file": "pages/home/in_page/generation.js and llama.js",
        "first_line": next(iter(step)),
        "numbers": [*step, next(iter(forward)) - 1, *forward],
        "lines": lines,
        "stages": stages | {"score": (stages["score"][0], len(lines) - 1)},  # it runs the model
    }


def _method(file: str, name: str) -> dict[int, str]:
    """Returns the lines of a method by their numbers."""
    lines = source(f"home/in_page/{file}").split("\n")
    first = next(i for i, line in enumerate(lines) if line.startswith(f"  {name}("))
    last = lines.index("  }", first)
    text = textwrap.dedent("\n".join(lines[first : last + 1])).split("\n")
    return dict(enumerate(text, first + 1))


def write(path: Path) -> None:
    """Writes the page of the shipped model, in a folder that is made where there is none."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(live_page(load_model(DEFAULT_MODEL)), "utf-8")
