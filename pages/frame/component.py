"""Components of our own: modules and style sheets joined into one script, payloads packed as bytes.

The page side of a component is plain ES modules beside its Python file; those that several need are
in `pages/frame/live/`. They are read once and joined in the order of their imports, `import` and
`export` taken away: no bundler and no dependencies, and one script works offline where Streamlit
would serve no module beside another.

Knows Streamlit; nothing of models, nor of what a component shows.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import streamlit as st

SHARED = Path(__file__).parent / "live"
ENTRY = "mount.js"
MAX_EXACT = 65_536  # entries of a vocabulary that travel whole

_IMPORT = re.compile(r"^import\b[^;]*from \"(\.(?:/|[./a-z_]+/)[a-z_]+\.js)\";\n?", re.MULTILINE)
_COMMENT = re.compile(r"^ *(?://.*|/\*\*(?:[^*]|\*(?!/))*\*/)\n", re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:async )?(?:function|class|const|let)\b)", re.MULTILINE)

# A component whose script travels with the labels: it waits for it and hands every call on to it.
_MOUNT = """
const arrival = new Promise((resolve) => {
  if (globalThis.__ott_NAME) resolve();
  else document.addEventListener("ott-NAME", resolve, { once: true });
});
export default async (component) => {
  if (!globalThis.__ott_NAME) await arrival;
  return globalThis.__ott_NAME(component);
};
"""

# The labels' component, after that script: labels by model and id.
_VOCABULARY = """
globalThis.__ott_NAME = MOUNT;
document.dispatchEvent(new Event("ott-NAME"));
export default ({ data }) => {
  globalThis.__ottVocabulary = { ...globalThis.__ottVocabulary, [data.model]: data.labels };
  document.dispatchEvent(new Event("ott-vocabulary"));
};
"""


def trigger_value(key: str, name: str) -> Any:
    """Return what a component has told, for the callback that it caused.

    None too where its page was left before the callback came: Streamlit calls it all the same, and
    has forgotten the component by then.
    """
    component = st.session_state.get(key)
    return None if component is None else component.get(name)


class LabelledComponent:
    """A component that shows tokens, and a second one that brings labels and the script of both.

    The script is long: mount the labels outside the fragment of the component, on every page that
    has one, and an event's answer sends its numbers only.
    """

    def __init__(self, name: str, mount: str, folder: Path) -> None:
        """Register both; `mount` is the function that the folder's `mount.js` exports."""
        ending = _VOCABULARY.replace("NAME", name).replace("MOUNT", mount)
        joined = script(folder, ending=ending, sheets=(SHARED, folder))
        self.show = st.components.v2.component(name, js=_MOUNT.replace("NAME", name))
        self._vocabulary = st.components.v2.component(f"{name}_vocabulary", js=joined)

    def vocabulary(self, model: str, labels: Sequence[str]) -> None:
        """Mount the labels of a model's tokens, by id; a payload refers to them by the name."""
        data = {"model": model, "labels": list(labels)}
        self._vocabulary(key="vocabulary", data=data, height="content")


def plain_component(name: str, mount: str, folder: Path) -> Callable[..., Any]:
    """Register a component that brings its own script, by what its `mount.js` exports."""
    ending = f"\nexport default (component) => {mount}(component);"
    return st.components.v2.component(name, js=script(folder, ending=ending))


def encode_payload(header: Mapping[str, Any], arrays: Mapping[str, npt.NDArray[Any]]) -> bytes:
    """Pack a JSON header and arrays into the bytes that the page takes apart.

    The layout is: length of the header as a little-endian uint32, the header as JSON in ASCII (with
    escapes, so that a lone surrogate passes), zeros up to a multiple of four bytes, then the arrays
    one after another as float32 or int32.

    Args:
        header: What JSON can hold, to which `arrays` is added; a number that is not finite becomes
            null.
        arrays: By name; floating arrays are sent as float32, integer arrays as int32.

    Returns:
        The whole payload, its length a multiple of four.
    """
    packed = {name: _packed(array) for name, array in arrays.items()}
    described = [
        {"name": name, "dtype": array.dtype.str[1:], "length": array.size}
        for name, array in packed.items()
    ]
    text = strict_json({**header, "arrays": described}).encode("ascii")
    padding = b"\0" * (-(4 + len(text)) % 4)
    parts = [len(text).to_bytes(4, "little"), text, padding]
    return b"".join([*parts, *(array.tobytes() for array in packed.values())])


def _packed(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    return array.ravel().astype("<f4" if np.issubdtype(array.dtype, np.floating) else "<i4")


def strict_json(header: Mapping[str, Any]) -> str:
    """Write JSON that a browser can read: it knows no NaN and no infinity."""
    try:
        return json.dumps(header, allow_nan=False, separators=(",", ":"))
    except ValueError:
        return json.dumps(_finite(header), allow_nan=False, separators=(",", ":"))


def _finite(value: Any) -> Any:
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, Mapping):
        return {name: _finite(item) for name, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_finite(item) for item in value]
    return value


def modules_in_order(folder: Path) -> tuple[Path, ...]:
    """Return the modules that a folder's `mount.js` needs, each after the ones that it imports."""
    ordered: dict[Path, None] = {}

    def visit(module: Path) -> None:
        for needed in _IMPORT.findall(module.read_text("utf-8")):
            if (path := (module.parent / needed).resolve()) not in ordered:
                visit(path)
        ordered[module] = None

    visit((folder / ENTRY).resolve())
    return tuple(ordered)


def style_sheet(*folders: Path) -> str:
    """Join the style sheets: the base, then the rest by name."""
    sheets = [path for folder in folders for path in folder.glob("*.css")]
    sheets.sort(key=lambda path: (path.name != "base.css", path.name))
    return "\n".join(path.read_text("utf-8") for path in sheets)


def script(folder: Path, *, ending: str, sheets: Sequence[Path] = ()) -> str:
    """Join the modules that a folder's `mount.js` needs, and style sheets, into one script.

    Args:
        folder: Where the entry lies.
        ending: What stands last: the component that carries the script.
        sheets: Folders of the style sheets; by default this one.
    """
    sources = [module.read_text("utf-8") for module in modules_in_order(folder)]
    bodies = [_COMMENT.sub("", _EXPORT.sub("", _IMPORT.sub("", source))) for source in sources]
    constant = f"const LIVE_CSS = {json.dumps(style_sheet(*(sheets or [folder])))};"
    return "\n".join([constant, *bodies, ending])
