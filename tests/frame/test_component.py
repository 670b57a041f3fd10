"""Components of our own: the payload's layout, and the modules joined into one script each."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from pages.frame.component import encode_payload, modules_in_order, script

PAGES = Path(__file__).parents[2] / "pages"
FOLDERS = sorted(path.parent for path in PAGES.rglob("mount.js"))
NAMED = r"(?:async )?(?:function|class|const|let) (\w+)"
TOP_LEVEL = re.compile(rf"^(?:export )?{NAMED}", re.MULTILINE)
EXPORTED = re.compile(rf"^export {NAMED}", re.MULTILINE)
IMPORTED = re.compile(r"^import \{([^}]*)\} from \"([./a-z_]+\.js)\";", re.MULTILINE)


def imports_of(module: Path) -> set[tuple[str, Path]]:
    """The (imported name, module) pairs of one module."""
    return {
        (imported.strip(), (module.parent / target).resolve())
        for names, target in IMPORTED.findall(module.read_text("utf-8"))
        for imported in names.split(",")
        if imported.strip()
    }


@pytest.mark.parametrize("n_letters", range(4))
def test_arrays_begin_on_a_multiple_of_four(n_letters: int) -> None:
    payload = encode_payload({"text": "a" * n_letters}, {"ids": np.arange(3)})
    assert len(payload) % 4 == 0
    assert payload.endswith(np.arange(3, dtype="<i4").tobytes())


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.parent.name)
def test_a_script_holds_each_module_once_and_after_what_it_imports(folder: Path) -> None:
    ordered = modules_in_order(folder)
    assert set(folder.glob("*.js")) <= set(ordered)
    for position, module in enumerate(ordered):
        needed = {target for _, target in imports_of(module)}
        assert needed <= set(ordered[:position]), f"{module.name} stands before one of {needed}"

    text = script(folder, ending="")
    assert not re.search(r"^(import|export)\b", text, re.MULTILINE)
    assert set(Counter(TOP_LEVEL.findall(text)).values()) == {1}


def test_imports_and_exports_match() -> None:
    modules = sorted(PAGES.rglob("*.js"))
    exported = {(name, path) for path in modules for name in EXPORTED.findall(path.read_text())}
    imported = {pair for path in modules for pair in imports_of(path)}
    assert imported <= exported
    assert {path.name for _, path in exported - imported} == {"mount.js"}
