"""The live component: the one piece of the page that moves under the hand.

Its page side is plain ES modules in `pages/home/live/`. They are read once and joined into one
script, in the order of their imports, `import` and `export` taken away: no bundler and no
dependencies. The script and the style sheet travel with the `vocabulary` component, which is
mounted once beside the live one and outside its fragment, so that a step sends its numbers only.

Knows Streamlit and the protocol; nothing of models, nor of what the events mean.
"""

from __future__ import annotations

import json
import math
import posixpath
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import streamlit as st

from viz.palette import css_variables

FOLDER = Path(__file__).parent / "live"
ENTRY = "mount.js"

_IMPORT = re.compile(r"^import\b[^;]*from \"(\.(?:/|[./a-z_]+/)[a-z_]+\.js)\";\n?", re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:async )?(?:function|class|const|let)\b)", re.MULTILINE)

# The live component's own script: it waits for the shared one and hands every call on to it.
_MOUNT = """
const arrival = new Promise((resolve) => {
  if (globalThis.__ottMount) resolve();
  else document.addEventListener("ott-ready", resolve, { once: true });
});
export default async (component) => {
  if (!globalThis.__ottMount) await arrival;
  return globalThis.__ottMount(component);
};
"""

# Nothing to see: the live component calls it when the hand rests, and its fragment is run again.
_REST = """
export default ({ setTriggerValue }) => {
  const rest = (event) => setTriggerValue("event", event);
  globalThis.__ottRest = rest;
  return () => {
    if (globalThis.__ottRest === rest) globalThis.__ottRest = null;
  };
};
"""

# Nothing to see: what Next will bring, in the page before it is pressed.
_AHEAD = """
export default ({ data }) => {
  globalThis.__ottAhead = data;
  document.dispatchEvent(new Event("ott-ahead"));
};
"""

# The vocabulary component's script, after the shared one: labels by model and id.
_VOCABULARY = """
globalThis.__ottMount = mountLive;
document.dispatchEvent(new Event("ott-ready"));
export default ({ data }) => {
  globalThis.__ottVocabulary = { ...globalThis.__ottVocabulary, [data.model]: data.labels };
  document.dispatchEvent(new Event("ott-vocabulary"));
};
"""


def live(data: bytes, on_event: Callable[[], None], key: str = "live") -> dict[str, Any] | None:
    """Mount the live component and return the event that this run answers, if any.

    Args:
        data: What the page is to show, made by `encode_payload`.
        on_event: Called before the run that answers an event, which is `told(key, "event")`.
        key: Names the component in the session.

    Returns:
        The event as the page sent it, `{"n": ..., "kind": ..., ...}`, or None.
    """
    result = _live(key=key, data=data, on_event_change=on_event)
    event: dict[str, Any] | None = result.event
    return event


def at_rest(key: str = "rest") -> None:
    """Mount what runs its fragment again once the hand on the live component has come to rest.

    Args:
        key: Names the component in the session.
    """
    _rest(key=key, data=None, on_event_change=_nothing, height="content")


def look_ahead(data: bytes, key: str = "ahead") -> None:
    """Mount what the live component will be told if Next comes next, so that it need not wait.

    Args:
        data: Made by `encode_payload`; empty where it is not known.
        key: Names the component in the session.
    """
    _ahead(key=key, data=data, height="content")


def told(key: str, name: str) -> Any:
    """Return what a component has told, for the callback that it caused.

    Args:
        key: Names the component in the session.
        name: Of the trigger.

    Returns:
        None too where its page was left before the callback came: Streamlit calls it all the same,
        and has forgotten the component by then.
    """
    component = st.session_state.get(key)
    return None if component is None else component.get(name)


def _nothing() -> None:
    """To be told is enough: the run that follows does the rest."""


def vocabulary(model: str, labels: Sequence[str], key: str = "vocabulary") -> None:
    """Mount the labels of a model's tokens, and with them the script that the live component runs.

    Mount it outside the fragment of the live component, on every page that has one.

    Args:
        model: The name that the header's `model.name` will refer to.
        labels: Visible text of every id below the vocabulary size.
        key: Names the component in the session.
    """
    _vocabulary(key=key, data={"model": model, "labels": list(labels)}, height="content")


def encode_payload(header: Mapping[str, Any], arrays: Mapping[str, npt.NDArray[Any]]) -> bytes:
    """Pack a JSON header and arrays into the bytes that the page takes apart.

    The layout is: length of the header as a little-endian uint32, the header as JSON in ASCII (with
    escapes, so that a lone surrogate passes), zeros up to a multiple of four bytes, then the arrays
    one after another as float32 or int32. An array named "header.steps.prob" stands in the page at
    that place of the header: long lists of numbers travel so.

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
    text = _to_json({**header, "arrays": described}).encode("ascii")
    padding = b"\0" * (-(4 + len(text)) % 4)
    parts = [len(text).to_bytes(4, "little"), text, padding]
    return b"".join([*parts, *(array.tobytes() for array in packed.values())])


def _packed(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    return array.ravel().astype("<f4" if np.issubdtype(array.dtype, np.floating) else "<i4")


def _to_json(header: Mapping[str, Any]) -> str:
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


def modules_in_order(folder: Path, entry: str = ENTRY) -> tuple[str, ...]:
    """Name the modules that the entry needs, each after the ones that it imports.

    A module of a neighbouring folder is named from this one: "../../home/live/dom.js".
    """
    ordered: list[str] = []
    seen: set[str] = set()

    def visit(name: str) -> None:
        if name in seen:
            return
        seen.add(name)
        for needed in _IMPORT.findall((folder / name).read_text("utf-8")):
            visit(posixpath.normpath(posixpath.join(posixpath.dirname(name), needed)))
        ordered.append(name)

    visit(entry)
    return tuple(ordered)


def style_sheet(folder: Path = FOLDER) -> str:
    """Join the style sheets: the palette's colours, then the base, then the rest by name."""
    sheets = sorted(folder.glob("*.css"), key=lambda path: (path.name != "base.css", path.name))
    return "\n".join([css_variables(), *(path.read_text("utf-8") for path in sheets)])


def script(
    folder: Path = FOLDER,
    entry: str = ENTRY,
    *,
    css: str | None = None,
    ending: str = _VOCABULARY,
) -> str:
    """Join the modules into one script.

    Args:
        folder: Where the entry lies; its modules may import those of neighbouring folders.
        entry: The module that needs the others.
        css: The style sheet, which becomes the first constant; by default the folder's own.
        ending: What stands last: the component that carries the script.
    """
    names = modules_in_order(folder, entry)
    sources = [(folder / name).read_text("utf-8") for name in names]
    bodies = [_EXPORT.sub("", _IMPORT.sub("", source)) for source in sources]
    constant = f"const LIVE_CSS = {json.dumps(style_sheet(folder) if css is None else css)};"
    return "\n".join([constant, *bodies, ending])


_live = st.components.v2.component("live", js=_MOUNT)
_rest = st.components.v2.component("rest", js=_REST)
_ahead = st.components.v2.component("ahead", js=_AHEAD)
_vocabulary = st.components.v2.component("vocabulary", js=script())
