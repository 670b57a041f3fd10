"""Components of our own: their scripts are files of the app, their payloads packed as bytes.

The page side of a component is plain ES modules beside its Python file; those that several need are
in `pages/frame/live/`. Streamlit is given a few lines that import the entry from where
`pages/frame/assets.py` serves it: what it imports in turn comes by itself.

Knows Streamlit; nothing of models, nor of what a component shows.
"""

import json
import math
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import streamlit as st

from pages.frame.assets import address, name_of, source, style_sheets

_COMMENT_OR_INDENT = re.compile(r"(?s:/\*\*.*?\*/)\s?| // .*$|^\s+", re.MULTILINE)
MAX_EXACT = 65_536  # entries of a vocabulary that travel whole


def trigger_value(key: str, name: str) -> Any:
    """Returns the value that a component sent, for the callback that it triggered.

    None too where its page was left before the callback came: Streamlit calls it all the same, and
    has forgotten the component by then.
    """
    component = st.session_state.get(key)
    return None if component is None else component.get(name)


def component(name: str, entry: Path, *styles: Path) -> Callable[..., Any]:
    """Registers a component that the default export of a module draws.

    Args:
        name: By which Streamlit knows it.
        entry: The module.
        styles: Its style sheets, or folders of them, which are here before it is drawn.
    """
    words = address("frame/live/words.js")
    sheets = [address(sheet) for sheet in style_sheets(*styles)]
    return st.components.v2.component(name, js=script(address(name_of(entry)), words, sheets))


def script(entry: str, words: str, sheets: Sequence[str]) -> str:
    """Returns the module that Streamlit imports: component.js, called with addresses.

    It travels with every component of a page, so without its comments.
    """
    given = ", ".join(map(json.dumps, (entry, words, sheets)))
    mounting = _COMMENT_OR_INDENT.sub("", source("frame/component.js"))
    return f"{mounting}export default mounting({given});\n"


def encode_payload(header: Mapping[str, Any], arrays: Mapping[str, npt.NDArray[Any]]) -> bytes:
    """Packs a JSON header and arrays into the bytes that the page takes apart.

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
    packed = {
        name: array.ravel().astype("<f4" if np.issubdtype(array.dtype, np.floating) else "<i4")
        for name, array in arrays.items()
    }
    described = [
        {"name": name, "dtype": array.dtype.str[1:], "length": array.size}
        for name, array in packed.items()
    ]
    text = strict_json({**header, "arrays": described}).encode("ascii")
    padding = b"\0" * (-(4 + len(text)) % 4)
    parts = [len(text).to_bytes(4, "little"), text, padding]
    return b"".join([*parts, *(array.tobytes() for array in packed.values())])


def strict_json(header: Mapping[str, Any]) -> str:
    """Writes JSON that a browser can read: it knows no NaN and no infinity."""
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
