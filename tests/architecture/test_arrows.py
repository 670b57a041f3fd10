"""Arrows run down only: app -> pages -> model, viz; viz -> model.records; model knows nobody."""

from __future__ import annotations

import ast

import pytest

from tests.architecture.sources import (
    committed,
    imports,
    ours,
    python_files,
    third_party,
    top,
    tree,
)

# who may import which rooms of ours, and which libraries
MAY_USE_ROOMS = {
    "app.py": ("pages",),
    "pages": ("pages", "model", "viz"),
    "viz": ("viz", "model.records"),
    "model": ("model",),
    "benchmarks": ("benchmarks", "app", "pages", "model", "viz"),
}
MAY_USE_LIBRARIES = {
    "app.py": {"streamlit"},
    "pages": {"streamlit", "numpy"},
    "viz": {"plotly", "pandas", "numpy"},
    "model": {
        *{"torch", "transformers", "numpy", "outlines_core"},
        *{"tokenizers", "safetensors", "huggingface_hub", "tqdm"},  # transformers' own
    },
}


def is_within(name: str, room: str) -> bool:
    return name == room or name.startswith(f"{room}.")


@pytest.mark.parametrize("folder", MAY_USE_ROOMS)
def test_a_room_imports_only_the_rooms_below_it(folder: str) -> None:
    wrong = {
        path: astray
        for path in python_files(folder)
        if (
            astray := {
                n for n in ours(path) if not any(is_within(n, r) for r in MAY_USE_ROOMS[folder])
            }
        )
    }
    assert not wrong


@pytest.mark.parametrize("folder", MAY_USE_LIBRARIES)
def test_a_room_imports_only_its_own_libraries(folder: str) -> None:
    wrong = {
        path: astray
        for path in python_files(folder)
        if (astray := third_party(path) - MAY_USE_LIBRARIES[folder])
    }
    assert not wrong


def test_the_records_at_the_seam_import_numpy_alone() -> None:
    files = python_files("model/records")
    assert "model/records.py" in files
    assert not {path for path in files if third_party(path) - {"numpy"}}
    assert not {
        path for path in files if {n for n in ours(path) if not is_within(n, "model.records")}
    }


def test_nobody_imports_what_only_tests_or_training_need() -> None:
    for path in python_files("app.py", "pages", "viz", "model"):
        if not path.startswith("model/training/"):
            assert not {name for name in imports(path) if is_within(name, "model.training")}, path


def test_no_import_is_hidden_from_these_tests() -> None:
    """An import by a string would escape the rules above."""
    for path in python_files("app.py", "pages", "viz", "model"):
        called = {
            ast.unparse(node.func) for node in ast.walk(tree(path)) if isinstance(node, ast.Call)
        }
        assert not called & {"__import__", "import_module", "importlib.import_module"}, path


def test_every_import_is_absolute() -> None:
    for path in python_files("app.py", "pages", "viz", "model", "benchmarks", "tests"):
        levels = [node.level for node in ast.walk(tree(path)) if isinstance(node, ast.ImportFrom)]
        assert not any(levels), path


def test_the_app_and_its_pages_define_no_classes() -> None:
    """Streamlit runs these files anew every time: their classes would not stay themselves."""
    pages = [path for path in python_files("pages") if path.count("/") == 1]
    assert pages
    for path in ["app.py", *pages]:
        assert not [node.name for node in ast.walk(tree(path)) if isinstance(node, ast.ClassDef)], (
            path
        )


def test_no_module_of_ours_shadows_one_of_pythons() -> None:
    import sys

    names = {
        path.removesuffix(".py") for path in committed() if path.endswith(".py") and "/" not in path
    }
    assert not {top(name) for name in names} & set(sys.stdlib_module_names)
