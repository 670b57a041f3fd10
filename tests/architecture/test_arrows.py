"""Arrows run down only, inside the model too, and none runs between topics.

app -> pages -> model, viz; viz -> model.records and a topic's own records; model knows nobody.
"""

import ast
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

from pages.frame.contents import LESSONS
from tests.architecture.sources import (
    ROOT,
    TOPICS,
    module,
    ours,
    python_files,
    third_party,
    tree,
)

RECORDS = ("model.records", *(f"model.{topic}.records" for topic in TOPICS))
# these topics' algorithms are the core's: package and records are core, all else is the topic's
CORE_TOPICS = ("model.sampling", "model.kv_cache", "model.beam_search", "model.stopping")
CORE = {
    *CORE_TOPICS,
    *(f"{name}.records" for name in CORE_TOPICS),
    "model.kv_cache.block_cache",
}

# who may import which rooms of ours, and which libraries
MAY_USE_ROOMS = {
    "app.py": ("pages",),
    "pages/frame": ("pages.frame", "model", "viz"),
    "pages/home": ("pages.frame", "pages.home", "model", "viz"),
    "pages/lessons": ("pages.frame", "pages.lessons", "model", "viz"),
    "pages": ("pages", "model", "viz"),
    "viz": ("viz", "model.sentences", *RECORDS),
    "model": ("model",),
    "training": ("training", "model"),
    "benchmarks": ("benchmarks", "app", "pages", "model", "viz", "tests.driving"),
    "one_token": ("one_token", "pages"),
    "conformance": ("conformance", "model"),
}
OF_MODELS = {
    *{"torch", "transformers", "numpy", "outlines_core"},
    *{"psutil", "pynvml", "safetensors", "huggingface_hub", "httpx2"},
    *{"tokenizers", "tqdm"},  # transformers' own
}
MAY_USE_LIBRARIES = {
    "app.py": {"streamlit"},
    "pages": {"streamlit", "starlette", "uvicorn", "babel", "numpy", "markupsafe", "segno"},
    "viz": {"plotly", "pandas", "numpy", "markupsafe"},
    "model": OF_MODELS,
    "training": OF_MODELS,
    "one_token": {"streamlit"},
    "conformance": {"numpy"},
}
# (who, what) of imports between topics that are meant, and why
ALLOWED = {
    ("model.classroom", "model.guess"): "a room is the guessing game with a phone for each player",
    ("model.claims", "model"): "a claim is about any topic, and its experiment runs there",
    ("model.stopping.small_cases", "model.speculative"): "a text may end within a round",
    ("pages.lessons.classroom", "pages.lessons.tour"): "a guided lesson is a room's script",
    ("pages.lessons.classroom", "pages.lessons.snowball"): "a scene names a mistake of that page",
    ("pages.home.in_page_file", "pages.lessons.tour.in_file"): "the one file holds a lesson",
    ("pages.lessons.claims", "model"): "a claim's press runs that topic's experiment",
    ("pages.lessons.claims", "pages.lessons"): "a claim leads to the lesson that shows it",
}
# inside model/, from the ground up: each knows those before it; the topics stand above them all
ORDER = (
    *("sentences", "typed", "source_code", "records", "chi_square"),
    *("settings", "draw", "masks", "sampling", "token_bytes", "stopping"),
    *("machine", "job", "kv_cache", "language_model", "timing", "weights"),
    *("chat_template", "tokenizing", "passes", "first_look", "local", "text_ahead"),
    *("generation", "batch"),
    *("flops", "beam_search", "recorded", "held_out", "fast", "loading", "server"),
)


# a topic's second page, and the topic
LABORATORIES = {
    f"pages.{lesson.stem}": Path(lesson.measures).stem for lesson in LESSONS if lesson.measures
}


def is_within(name: str, room: str) -> bool:
    return name == room or name.startswith(f"{room}.")


def topic(name: str) -> str | None:
    """`speculative` of a module in that topic's folder or of its page; None of all others."""
    parts = name.removeprefix("pages.lessons.").removeprefix("pages.").split(".")
    parts = parts[1:] if parts[0] in {"model", "viz"} else parts
    own = LABORATORIES.get(name, parts[0]) if parts else ""
    return None if name in CORE or own not in TOPICS else own


def is_allowed(importer: str, name: str) -> bool:
    """Is this import one of the named exceptions?"""
    return any(is_within(importer, who) and is_within(name, what) for who, what in ALLOWED)


@pytest.mark.parametrize("folder", MAY_USE_ROOMS)
def test_a_room_imports_only_the_rooms_below_it(folder: str) -> None:
    rooms = MAY_USE_ROOMS[folder]
    assert not {
        (path, name)
        for path in python_files(folder)
        for name in ours(path)
        if not any(is_within(name, room) for room in rooms) and not is_allowed(module(path), name)
    }


def test_no_import_runs_between_topics() -> None:
    """And the core knows no topic: only a topic's own modules, and its page, do."""
    assert not {
        (path, name)
        for path in python_files("pages", "model", "viz")
        for name in ours(path)
        if topic(name) not in {None, topic(module(path))} and not is_allowed(module(path), name)
    }


def floor(name: str) -> int:
    """Where a module of model/ stands in the order; a topic's own stand above all."""
    part = name.split(".")[1]
    is_topic = part in TOPICS and name not in CORE
    return len(ORDER) if is_topic else ORDER.index(part)


def of_model(path: str) -> set[str]:
    return {name for name in ours(path) if is_within(name, "model") and name != "model"}


def test_inside_the_model_a_file_imports_only_what_stands_before_it() -> None:
    files = [path for path in python_files("model") if path != "model/__init__.py"]
    assert not {
        (path, name)
        for path in files
        for name in of_model(path)
        if floor(name) > floor(module(path))
    }


@pytest.mark.parametrize(
    ("importer", "name"),
    [
        ("model.passes", "model.generation"),
        ("model.language_model", "model.server.client"),
        ("model.weights.fetch", "model.loading"),
        ("model.kv_cache.block_cache", "model.fast.layout"),
        ("model.batch", "model.speculative.decoding"),
    ],
)
def test_an_import_that_runs_up_is_found(importer: str, name: str) -> None:
    assert floor(name) > floor(importer)


def test_no_files_of_the_model_import_each_other_in_a_circle() -> None:
    arrows = {module(path): of_model(path) - {module(path)} for path in python_files("model")}
    assert list(TopologicalSorter(arrows).static_order())
    with pytest.raises(CycleError):
        TopologicalSorter(arrows | {"model.records": {"model.loading"}}).prepare()


def test_few_files_of_viz_lie_flat() -> None:
    """So that the room reads in order."""
    assert len(list((ROOT / "viz").glob("*.py"))) <= 10


@pytest.mark.parametrize("folder", MAY_USE_LIBRARIES)
def test_a_room_imports_only_its_own_libraries(folder: str) -> None:
    wrong = {
        path: astray
        for path in python_files(folder)
        if (astray := third_party(path) - MAY_USE_LIBRARIES[folder])
    }
    assert not wrong


def test_the_records_at_the_seam_import_numpy_alone() -> None:
    files = [path for path in python_files("model") if Path(path).name == "records.py"]
    assert "model/records.py" in files
    assert not {path for path in files if third_party(path) - {"numpy"}}
    assert not {path: astray for path in files if (astray := ours(path) - {*RECORDS})}


def test_the_app_and_its_pages_define_no_classes() -> None:
    """Streamlit runs these files anew every time: their classes would not stay themselves."""
    pages = [path for path in python_files("pages") if path.count("/") == 1]
    assert pages
    for path in ["app.py", *pages]:
        assert not [node.name for node in ast.walk(tree(path)) if isinstance(node, ast.ClassDef)], (
            path
        )
