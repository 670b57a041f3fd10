"""Components of our own: the payload's bytes, and the modules joined into one script each."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from pages.frame.component import encode_payload, modules_in_order, script

PAGES = Path(__file__).parents[2] / "pages"
FOLDERS = sorted(path.parent for path in PAGES.rglob("mount.js"))
MODULES = sorted(PAGES.rglob("*.js"))
TOP_LEVEL = re.compile(r"^(?:export )?(?:async )?(?:function|class|const|let) (\w+)", re.MULTILINE)
EXPORTED = re.compile(r"^export (?:async )?(?:function|class|const|let) (\w+)", re.MULTILINE)
IMPORTED = re.compile(r"^import \{([^}]*)\} from \"([./a-z_]+\.js)\";", re.MULTILINE)

Arrays = dict[str, npt.NDArray[Any]]


def decode(payload: bytes) -> tuple[dict[str, Any], Arrays]:
    """Take a payload apart as payload.js does."""
    length = int.from_bytes(payload[:4], "little")
    header = json.loads(payload[4 : 4 + length])
    offset = 4 * -(-(4 + length) // 4)
    arrays: Arrays = {}
    for described in header["arrays"]:
        size = 4 * described["length"]
        dtype = "<" + described["dtype"]
        arrays[described["name"]] = np.frombuffer(payload[offset : offset + size], dtype)
        offset += size
    assert offset == len(payload)
    return header, arrays


def imports_of(module: Path) -> list[tuple[str, Path]]:
    """The (imported name, module) pairs of one module."""
    return [
        (imported.strip(), (module.parent / target).resolve())
        for names, target in IMPORTED.findall(module.read_text("utf-8"))
        for imported in names.split(",")
        if imported.strip()
    ]


# --- the payload


def test_header_and_arrays_come_back_as_they_were() -> None:
    logits = np.array([1.5, -np.inf, 3.25], dtype=np.float32)
    ids = np.array([7, 8, 2**31 - 1], dtype=np.int32)
    header, arrays = decode(
        encode_payload({"ack": 3, "text": "é🎈"}, {"logits": logits, "ids": ids})
    )
    assert (header["ack"], header["text"]) == (3, "é🎈")
    np.testing.assert_array_equal(arrays["logits"], logits)
    np.testing.assert_array_equal(arrays["ids"], ids)


@given(
    text=st.text(max_size=40),
    array=hnp.arrays(np.float32, st.integers(0, 20), elements=st.floats(width=32)),
)
def test_arrays_start_on_a_multiple_of_four_whatever_the_header(
    text: str, array: npt.NDArray[np.float32]
) -> None:
    payload = encode_payload({"text": text}, {"first": array, "second": array})
    assert len(payload) % 4 == 0
    header, arrays = decode(payload)
    assert header["text"] == text
    np.testing.assert_array_equal(arrays["first"], array)
    np.testing.assert_array_equal(arrays["second"], array)


def test_a_lone_surrogate_in_a_prompt_passes() -> None:
    header, _ = decode(encode_payload({"prompt": "a\ud800b"}, {}))
    assert header["prompt"] == "a\ud800b"


def test_numbers_that_json_lacks_become_null() -> None:
    header, _ = decode(
        encode_payload({"steps": {"logprob": [-1.0, float("-inf"), float("nan")]}}, {})
    )
    assert header["steps"]["logprob"] == [-1.0, None, None]


def test_wider_numbers_are_sent_as_four_bytes_and_inputs_stay_as_they_were() -> None:
    wide = np.array([0.1, 0.2])
    header, arrays = decode(encode_payload({}, {"probs": wide, "n": np.array([5], dtype=np.int64)}))
    assert [described["dtype"] for described in header["arrays"]] == ["f4", "i4"]
    np.testing.assert_array_equal(arrays["probs"], wide.astype(np.float32))
    assert wide.dtype == np.float64


# --- the script


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.parent.name)
def test_a_script_holds_each_module_once_and_after_what_it_imports(folder: Path) -> None:
    ordered = [(folder / name).resolve() for name in modules_in_order(folder)]
    assert set(folder.glob("*.js")) <= set(ordered)
    for position, module in enumerate(ordered):
        needed = {target for _, target in imports_of(module)}
        assert needed <= set(ordered[:position]), f"{module.name} stands before one of {needed}"

    text = script(folder, ending="")
    assert not re.search(r"^(import|export)\b", text, re.MULTILINE)
    counts = Counter(TOP_LEVEL.findall(text))
    assert {name for name, count in counts.items() if count > 1} == set()


def test_imports_and_exports_match() -> None:
    exported = {(name, path) for path in MODULES for name in EXPORTED.findall(path.read_text())}
    imported = {pair for path in MODULES for pair in imports_of(path)}
    assert imported <= exported
    unused = {(name, path.name) for name, path in exported - imported}
    assert {module for _, module in unused} == {"mount.js"}


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.stem)
def test_labels_never_become_markup(module: Path) -> None:
    forbidden = r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function"
    assert not re.search(forbidden, module.read_text("utf-8"))


def test_modules_follow_their_imports_wherever_they_lie(tmp_path: Path) -> None:
    (tmp_path / "mount.js").write_text('import { b } from "./b.js";\nexport const a = b;\n')
    (tmp_path / "b.js").write_text('import {\n  c,\n} from "./c.js";\nexport const b = c;\n')
    (tmp_path / "c.js").write_text("export const c = 1;\n")
    assert modules_in_order(tmp_path) == ("c.js", "b.js", "mount.js")
    lines = [line for line in script(tmp_path, ending="").splitlines()[1:] if line]
    assert lines == ["const c = 1;", "const b = c;", "const a = b;"]
