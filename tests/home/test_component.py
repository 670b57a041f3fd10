"""The live component's Python side: the payload's bytes, and the modules joined into one script."""

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

from pages.home.component import (
    FOLDER,
    encode_payload,
    modules_in_order,
    script,
    style_sheet,
)

MODULES = sorted(path.name for path in FOLDER.glob("*.js"))
TOP_LEVEL = re.compile(r"^(?:export )?(?:async )?(?:function|class|const|let) (\w+)", re.MULTILINE)
EXPORTED = re.compile(r"^export (?:async )?(?:function|class|const|let) (\w+)", re.MULTILINE)
IMPORTED = re.compile(r"^import \{([^}]*)\} from \"\./([a-z_]+\.js)\";", re.MULTILINE)

Arrays = dict[str, npt.NDArray[Any]]


def decode(payload: bytes) -> tuple[dict[str, Any], Arrays]:
    """Take a payload apart as protocol.js does."""
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


def source(name: str) -> str:
    return (FOLDER / name).read_text("utf-8")


def imports_of(name: str) -> list[tuple[str, str]]:
    """The (imported name, module) pairs of one module."""
    return [
        (imported.strip(), module)
        for names, module in IMPORTED.findall(source(name))
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
    header, arrays = decode(
        encode_payload({}, {"header.steps.prob": wide, "n": np.array([5], dtype=np.int64)})
    )
    assert [described["dtype"] for described in header["arrays"]] == ["f4", "i4"]
    np.testing.assert_array_equal(arrays["header.steps.prob"], wide.astype(np.float32))
    assert wide.dtype == np.float64


def test_the_header_that_was_given_is_not_changed() -> None:
    header: dict[str, Any] = {"ack": 1}
    encode_payload(header, {"logits": np.zeros(3, dtype=np.float32)})
    assert header == {"ack": 1}


# --- the script


def test_every_module_is_in_the_script_once_and_after_what_it_imports() -> None:
    ordered = modules_in_order(FOLDER)
    assert sorted(ordered) == MODULES
    for position, name in enumerate(ordered):
        needed = {module for _, module in imports_of(name)}
        assert needed <= set(ordered[:position]), f"{name} stands before one of {needed}"


def test_the_script_holds_no_import_and_no_export_but_the_last() -> None:
    text = script()
    assert not re.search(r"^import\b", text, re.MULTILINE)
    assert re.findall(r"^export .*", text, re.MULTILINE) == ["export default ({ data }) => {"]


def test_top_level_names_are_unique_over_all_modules() -> None:
    counts = Counter(name for module in MODULES for name in TOP_LEVEL.findall(source(module)))
    assert {name: count for name, count in counts.items() if count > 1} == {}


@pytest.mark.parametrize("module", MODULES)
def test_every_import_names_an_export(module: str) -> None:
    for name, target in imports_of(module):
        assert name in EXPORTED.findall(source(target)), f"{module} imports {name} from {target}"


def test_every_export_has_an_importer() -> None:
    imported = {name for module in MODULES for name, _ in imports_of(module)}
    exported = {name for module in MODULES for name in EXPORTED.findall(source(module))}
    assert exported - imported == {"mountLive"}


@pytest.mark.parametrize("module", MODULES)
def test_labels_never_become_markup(module: str) -> None:
    forbidden = r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function"
    assert not re.search(forbidden, source(module))


def test_the_style_sheet_starts_with_the_palette_and_has_every_sheet() -> None:
    sheet = style_sheet()
    assert sheet.startswith(":host")
    for path in FOLDER.glob("*.css"):
        assert path.read_text("utf-8") in sheet


def test_modules_follow_their_imports_wherever_they_lie(tmp_path: Path) -> None:
    (tmp_path / "a.js").write_text('import { b } from "./b.js";\nexport const a = b;\n')
    (tmp_path / "b.js").write_text('import {\n  c,\n} from "./c.js";\nexport const b = c;\n')
    (tmp_path / "c.js").write_text("export const c = 1;\n")
    assert modules_in_order(tmp_path, "a.js") == ("c.js", "b.js", "a.js")
    lines = [line for line in script(tmp_path, "a.js").splitlines()[1:] if line]
    assert lines[:3] == ["const c = 1;", "const b = c;", "const a = b;"]
