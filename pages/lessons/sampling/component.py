"""The lab's own component: every mask side by side, computed in the page while a slider is dragged.

Its modules lie beside this file and stand on those of the live component (the masks, sliders,
numbers, colours). As there, the script travels once, with the labels, and a slider's release sends
numbers only.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import streamlit as st

from pages.home.component import FOLDER as LIVE
from pages.home.component import script
from viz.palette import css_variables

FOLDER = Path(__file__).parent
SHEETS = (
    LIVE / "base.css",
    LIVE / "bars.css",
    LIVE / "matrix.css",
    LIVE / "sliders.css",
    FOLDER / "lab.css",
)

# The component's own script: it waits for the shared one and hands every call on to it.
_MOUNT = """
const arrival = new Promise((resolve) => {
  if (globalThis.__ottMountLab) resolve();
  else document.addEventListener("ott-lab-ready", resolve, { once: true });
});
export default async (component) => {
  if (!globalThis.__ottMountLab) await arrival;
  return globalThis.__ottMountLab(component);
};
"""

# The labels' script, after the shared one: labels by model and id.
_LABELS = """
globalThis.__ottMountLab = mountLab;
document.dispatchEvent(new Event("ott-lab-ready"));
export default ({ data }) => {
  globalThis.__ottLabLabels = { ...globalThis.__ottLabLabels, [data.model]: data.labels };
  document.dispatchEvent(new Event("ott-lab-labels"));
};
"""


def lab(data: bytes, on_event: Callable[[], None], key: str = "lab") -> None:
    """Mount the lab.

    Args:
        data: What the page is to show, made by `Lab.payload`.
        on_event: Called before the run that answers a released slider: `told(key, "event")`.
        key: Names the component in the session.
    """
    _lab(key=key, data=data, on_event_change=on_event)


def lab_labels(model: str, labels: Sequence[str], key: str = "lab_labels") -> None:
    """Mount the labels of a model's tokens, and with them the script; outside any fragment."""
    _lab_labels(key=key, data={"model": model, "labels": list(labels)}, height="content")


def lab_script() -> str:
    """Join the lab's modules, and those of the live component that they need."""
    css = "\n".join([css_variables(), *(path.read_text("utf-8") for path in SHEETS)])
    return script(FOLDER, css=css, ending=_LABELS)


_lab = st.components.v2.component("lab", js=_MOUNT)
_lab_labels = st.components.v2.component("lab_labels", js=lab_script())
